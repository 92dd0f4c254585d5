"""Where keys are kept: one file each, in the user's state folder, readable by the user alone.

The key is made on first use and reused afterwards, so that running twice gives the same release
and leaves nothing to intersect. A second key, for the ledger of past releases, is kept beside it.
A key file is one comment line and 64 hexadecimal digits; no message ever quotes its content.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from tacit.errors import InputError, OutputError, Place, TacitError, UsageError
from tacit.random.key import KEY_BYTES, Key

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
