"""The seal of an account: proof that the account itself wrote what a project holds."""

from __future__ import annotations

import hmac
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup

from tacit.random.key import load_ledger_key

OTHERS = "This was made by another account or was changed since. Make it again to see it."


def write_sealed(path: Path, content: bytes) -> None:
    """Write a file that is told from files of other accounts."""
    path.write_bytes(_seal(content) + content)


def read_sealed(path: Path) -> bytes | None:
    """What this account wrote to a file; None where another did."""
    held = path.read_bytes()
    size = sha256().digest_size
    return held[size:] if hmac.compare_digest(held[:size], _seal(held[size:])) else None


def read_drawn(path: Path) -> Markup | str:
    """A piece of the page that a worker of this account drew, escaped by it; of another's only that it is."""
    content = read_sealed(path)
    return OTHERS if content is None else Markup(content.decode())


def _seal(content: bytes) -> bytes:
    """What only this account can make of a content."""
    return hmac.digest(load_ledger_key().reveal(), b"tacit page\0" + content, sha256)
