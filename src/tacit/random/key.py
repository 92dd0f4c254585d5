"""The key: the secret that drives every random choice, and the subkeys made from it.

BLAKE2b [1] in its keyed mode derives one 128-bit subkey per purpose, so that the draws of one
purpose say nothing about those of another, and a short public identifier by which two releases
can be told to come from the same key. Neither leads back to the key.

A key is kept in a file in the user's state folder, readable by the user alone: one comment line and 64
hexadecimal digits. It is made on first use and reused afterwards, so that running twice gives the same
release and leaves nothing to intersect. A second key, for the ledger of past releases, is kept beside it.

The bytes are kept out of everything that could be printed: no ``repr``, no error and no log line
shows them, and a key cannot be pickled. A subkey can, because a worker in another process needs
the one it draws with; nothing else may carry it.

[1] J.-P. Aumasson, S. Neves, Z. Wilcox-O'Hearn, C. Winnerlein. BLAKE2: simpler, smaller, fast
    as MD5. ACNS 2013.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
import tempfile
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, NoReturn, Self

from tacit.errors import InputError, OutputError, ParameterError, Place, TacitError, UsageError

KEY_BYTES = 32
SUBKEY_BYTES = 16

# BLAKE2b's personalization keeps the four derivations apart whatever text they are given.
_SUBKEY = b"tacit subkey"
_BRANCH = b"tacit branch"
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

    def reveal(self) -> bytes:
        """The bytes themselves: of a key for the one file that stores it, of a subkey for a keyed hash."""
        return self._secret

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

    def branch(self, name: str) -> Key:
        """The key of what has this name, such as one table: its draws say nothing about those of others."""
        derived = blake2b(name.encode(), key=self._secret, digest_size=KEY_BYTES, person=_BRANCH)
        key = Key(derived.digest())
        object.__setattr__(key, "experimental", self.experimental)
        return key

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

    def __repr__(self) -> str:
        return "Subkey(…)"

    def __reduce__(self) -> tuple[type[Subkey], tuple[bytes]]:
        return Subkey, (self._secret,)


_COMMENT = "# A key of Tacit. Whoever reads it can undo the random choices of the releases made with it."
_SIZE_LIMIT = 4096
_NOT_FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def load_key(path: str | os.PathLike[str] | None = None, *, create: bool = True) -> Key:
    """The key in ``path``, or the user's own, which is made on first use unless ``create`` is False.

    A key that is named must exist: a mistyped name must not quietly start a new key.
    """
    if path is not None:
        return _read(Path(path), hint=f"Make one with: tacit key new {path}")
    return _load_own("key", create=create, hint="Make one with: tacit key new")


def load_ledger_key(*, create: bool = True) -> Key:
    """The user's ledger key, kept beside the key and made like it on first use."""
    return _load_own("ledger-key", create=create, hint="It is made with the first release.")


def new_key(path: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> Key:
    """A new random key, written to ``path`` or to the user's own place, whole or not at all."""
    target = _own_folder() / "key" if path is None else Path(path)
    key = Key.random()
    if not _write(target, key, overwrite=overwrite):
        raise OutputError(
            "There is a key here already, and a release made with it can be made again only with it.",
            code="key-exists",
            where=Place(file=str(target)),
            hint="Name another file, or replace the key with --force (overwrite=True in Python).",
        )
    return key


def default_key_path() -> Path:
    """Where the user's own key is: ``$XDG_STATE_HOME/tacit/key``, or ``~/.local/state/tacit/key``."""
    return state_folder() / "key"


def _load_own(name: str, *, create: bool, hint: str) -> Key:
    path = state_folder() / name
    if create and not os.path.lexists(path):
        # Two processes may come here at once: the loser's file is dropped, and both read the winner's.
        _write(_own_folder() / name, Key.random(), overwrite=False)
    return _read(path, hint=hint)


def state_folder() -> Path:
    """Where keys and the ledger are kept: ``$XDG_STATE_HOME/tacit``, or ``~/.local/state/tacit``."""
    root = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not root.is_absolute():  # the XDG rules: a relative path is to be ignored
        root = Path("~/.local/state").expanduser()
    return root / "tacit"


def _own_folder() -> Path:
    """The state folder, there and closed to others."""
    folder = state_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if stat.S_IMODE(folder.stat().st_mode) & _NOT_FOR_OTHERS:
            folder.chmod(0o700)
    except OSError as error:
        raise _not_written(folder, error) from error
    return folder


def _read(path: Path, *, hint: str) -> Key:
    try:
        # Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise UsageError(
            "There is no key file here.", code="key-missing", where=_at(path), hint=hint
        ) from None
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise InputError(
                "A key must be an ordinary file.", code="key-malformed", where=_at(path), hint=hint
            )
        if stat.S_IMODE(mode) & _NOT_FOR_OTHERS:
            raise InputError(
                f"A key file must be open to its owner alone; this one has mode {stat.S_IMODE(mode):04o}.",
                code="key-permissions",
                where=_at(path),
                hint=f"If nobody else can have read it: chmod 600 {path}. Otherwise make a new key.",
            )
        content = os.read(descriptor, _SIZE_LIMIT + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    finally:
        os.close(descriptor)
    return _parse(content, path)


def _parse(content: bytes, path: Path) -> Key:
    lines = content.decode("latin-1").splitlines()
    words = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if len(content) <= _SIZE_LIMIT and len(words) == 1 and len(words[0]) == 2 * KEY_BYTES:
        with suppress(ValueError):
            return Key(bytes.fromhex(words[0]))
    # Raised outside any handler: the error of a failed conversion would quote the content.
    raise InputError(
        f"A key file holds {2 * KEY_BYTES} hexadecimal digits on one line; this one does not.",
        code="key-malformed",
        where=_at(path),
        hint="Restore it from a copy, or make a new key with: tacit key new",
    )


def _write(path: Path, key: Key, *, overwrite: bool) -> bool:
    """Put the key in place, whole; False, and nothing changed, if a file is there and may not be replaced."""
    text = f"{_COMMENT}\n{key.reveal().hex()}\n"
    temporary: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=".tacit-key-", dir=path.parent)  # mode 0600
        temporary = Path(name)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if overwrite:
            temporary.replace(path)
        else:
            path.hardlink_to(temporary)  # unlike a rename, it fails where a file exists
        _sync_folder(path.parent)
    except FileExistsError:
        return False
    except OSError as error:
        raise _not_written(path, error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
    return True


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _at(path: Path) -> Place:
    return Place(file=str(path))


def _unreadable(path: Path, error: OSError) -> TacitError:
    return InputError(
        f"The key file cannot be read: {error.strerror}.",
        code="key-unreadable",
        where=_at(path),
        hint="Name a file you may read.",
    )


def _not_written(path: Path, error: OSError) -> TacitError:
    return OutputError(
        f"The key cannot be written: {error.strerror}.",
        code="key-not-written",
        where=_at(path),
        hint="Name a file in a folder that exists and that you may write to.",
    )
