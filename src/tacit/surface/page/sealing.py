"""The seal of an account: proof that the account itself wrote what a project holds."""

from __future__ import annotations

import hmac
from hashlib import sha256

from tacit.random.key_files import load_ledger_key

SEAL_BYTES = sha256().digest_size


def seal(content: bytes) -> bytes:
    """What only this account can make of a content."""
    return hmac.digest(load_ledger_key().reveal(), b"tacit page\0" + content, sha256)
