"""Files of the ledger that only its key opens, and that show when a byte of them was changed.

The content is hidden by a stream of SHAKE-256 over a subkey and a nonce, and sealed by a keyed BLAKE2b over
all of it. Somebody without the key learns how long it is.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

import numpy as np

from tacit.random.key import Key

_MARK = b"tacit ledger, sealed 1\n"
_NONCE, _SEAL = 16, 32


def sealed(content: bytes, key: Key) -> bytes:
    """The content as a file that only the key opens.

    >>> key = Key.from_seed(1)
    >>> opened(sealed(b"content", key), key)
    b'content'
    """
    nonce = secrets.token_bytes(_NONCE)
    hidden = _streamed(content, nonce, key)
    return _MARK + nonce + _seal(nonce, hidden, key) + hidden


def opened(file: bytes, key: Key) -> bytes:
    """The content of a sealed file; a ValueError where it is not whole or another key sealed it."""
    start = len(_MARK)
    nonce, seal = file[start : start + _NONCE], file[start + _NONCE : start + _NONCE + _SEAL]
    hidden = file[start + _NONCE + _SEAL :]
    if not file.startswith(_MARK) or not hmac.compare_digest(seal, _seal(nonce, hidden, key)):
        raise ValueError("The file is damaged, or sealed under another key.")
    return _streamed(hidden, nonce, key)


def _streamed(content: bytes, nonce: bytes, key: Key) -> bytes:
    stream = hashlib.shake_256(key.subkey("ledger: stream").reveal() + nonce).digest(len(content))
    both = np.frombuffer(content, dtype=np.uint8) ^ np.frombuffer(stream, dtype=np.uint8)
    return both.tobytes()


def _seal(nonce: bytes, hidden: bytes, key: Key) -> bytes:
    secret = key.subkey("ledger: seal").reveal()
    return hashlib.blake2b(nonce + hidden, key=secret, digest_size=_SEAL).digest()
