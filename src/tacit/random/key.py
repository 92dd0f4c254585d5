"""The key: the secret that drives every random choice, and the subkeys made from it.

BLAKE2b [1] in its keyed mode derives one 128-bit subkey per purpose, so that the draws of one
purpose say nothing about those of another, and a short public identifier by which two releases
can be told to come from the same key. Neither leads back to the key.

The bytes are kept out of everything that could be printed: no ``repr``, no error and no log line
shows them, and a key cannot be pickled. A subkey can, because a worker in another process needs
the one it draws with; nothing else may carry it.

[1] J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, C. Winnerlein. BLAKE2: simpler, smaller, fast
    as MD5. ACNS 2013.
"""

from __future__ import annotations

import hmac
import secrets
from hashlib import blake2b
from typing import Any, ClassVar, NoReturn, Self

from tacit.errors import ParameterError

KEY_BYTES = 32
SUBKEY_BYTES = 16

# BLAKE2b's personalization keeps the three derivations apart whatever text they are given.
_SUBKEY = b"tacit subkey"
_IDENTIFIER = b"tacit key id"
_SEED = b"tacit seed"


class _Secret:
    """Bytes that compare in constant time and are never shown."""

    __slots__ = ("_secret",)
    _length: ClassVar[int]
    _secret: bytes

    def __init__(self, secret: bytes) -> None:
        if not isinstance(secret, bytes) or len(secret) != self._length:
            # The value is not quoted: it may well be the secret with a byte missing.
            raise ValueError(f"A {type(self).__name__} is made of exactly {self._length} bytes.")
        object.__setattr__(self, "_secret", secret)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} cannot be changed.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"A {type(self).__name__} cannot be changed.")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and hmac.compare_digest(self._secret, other._secret)

    def __hash__(self) -> int:
        return hash((type(self), self._secret))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class Key(_Secret):
    """A 256-bit key. ``experimental`` is set when it came from a seed: not for publication.

    >>> Key.from_seed(1).subkey("order") == Key.from_seed(1).subkey("order")
    True
    >>> Key.from_seed(1)
    Key(id='d241f8ad3e0ffea2', experimental=True)
    """

    __slots__ = ("experimental",)
    _length = KEY_BYTES
    experimental: bool

    def __init__(self, secret: bytes) -> None:
        super().__init__(secret)
        object.__setattr__(self, "experimental", False)

    @classmethod
    def random(cls) -> Key:
        """A new key from the operating system's generator."""
        return cls(secrets.token_bytes(KEY_BYTES))

    @classmethod
    def from_seed(cls, seed: int) -> Key:
        """The key of an experiment: anyone can guess a seed, so its releases are not for publication."""
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ParameterError("seed", "Key.from_seed", "an int in the range [0, inf)", seed)
        key = cls(blake2b(str(seed).encode(), digest_size=KEY_BYTES, person=_SEED).digest())
        object.__setattr__(key, "experimental", True)
        return key

    @property
    def id(self) -> str:
        """A public identifier of 16 hexadecimal digits, from which the key cannot be found."""
        return blake2b(key=self._secret, digest_size=8, person=_IDENTIFIER).hexdigest()

    def subkey(self, purpose: str) -> Subkey:
        """The subkey for one purpose, such as ``"bucket order"``: the same text gives the same subkey."""
        derived = blake2b(purpose.encode(), key=self._secret, digest_size=SUBKEY_BYTES, person=_SUBKEY)
        return Subkey(derived.digest())

    def reveal(self) -> bytes:
        """The key itself, for the one file that stores it."""
        return self._secret

    def __repr__(self) -> str:
        return f"Key(id={self.id!r}, experimental={self.experimental})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A Key cannot be pickled: hand a worker the Subkey of its purpose instead.")


class Subkey(_Secret):
    """The 128-bit key of one purpose, as SipHash and the keyed digests of values take it."""

    __slots__ = ()
    _length = SUBKEY_BYTES

    @property
    def words(self) -> tuple[int, int]:
        """The two 64-bit halves, read little-endian."""
        return int.from_bytes(self._secret[:8], "little"), int.from_bytes(self._secret[8:], "little")

    def reveal(self) -> bytes:
        """The subkey itself, for a keyed hash."""
        return self._secret

    def __repr__(self) -> str:
        return "Subkey(…)"

    def __reduce__(self) -> tuple[type[Subkey], tuple[bytes]]:
        return Subkey, (self._secret,)
