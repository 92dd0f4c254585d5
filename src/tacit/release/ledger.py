"""The ledger: a private record of what was released from which records.

It lies in the user's state folder, beside the keys, open to its owner alone. ``ledger.jsonl`` has a
line for each release: when, where, of what kind, and the names of the columns that its records are
recognized by. What they are recognized by is a file beside it, the sketch (:mod:`tacit.release.recognition`),
sealed under a key of the ledger's own. So is the copy of a release whose folder goes: one that was published
from the page. An earlier version kept a file of sorted 64-bit words instead, a keyed hash of each record;
such releases are compared by them still.

Lines are only ever added, each by one write that is waited for. A line that a kill left torn is
passed over and reported; the next line begins on a line of its own. One process at a time checks
and adds, under a lock that ends with the process.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np

from tacit.errors import InputError, OutputError, Place, UsageError
from tacit.io.output import writing_to
from tacit.random.key import Key, load_ledger_key, state_folder
from tacit.release.disk import synchronize, write_durably
from tacit.release.recognition import Sketch, read_sketch
from tacit.typing import Words

_LINES = "ledger.jsonl"
_LOCK = "lock"
_WORDS, _SKETCH, _COPY = ".records", ".sketch", ".copy"
_NEW = "new"
MOST_COPIED = 256 << 20
"""A release of more bytes is not copied."""


@dataclass(frozen=True)
class LedgerEntry:
    """One release: ``id`` stands for its published bytes, ``columns`` for what its records are known by.

    ``composition`` is what its manifest states about earlier releases of the same records.
    """

    id: str
    when: str
    folder: str
    kind: str
    method: str
    promise: str
    records: int
    columns: tuple[str, ...]
    key: str
    composition: Mapping[str, Any] = field(default_factory=dict)
    sketched: bool = False
    """False for one that an earlier version put on record: it has words instead of a sketch."""
    series: str = ""
    """The identity of the first release of the series that it continues; empty where it continues none."""
    reason: str = ""
    """Why it was published although its records were released before, as its owner said."""
    by: str = ""
    """Who said so."""

    @property
    def of_sets(self) -> bool:
        return not self.columns


@dataclass(frozen=True)
class LedgerList:
    """The releases on record, oldest first; ``notes`` say what could not be read."""

    file: str
    entries: tuple[LedgerEntry, ...]
    notes: tuple[str, ...]

    def in_folder(self, folder: Path) -> tuple[LedgerEntry, ...]:
        """The releases that were last published in this folder; an error where there are none."""
        place = str(Path(os.path.realpath(folder)))
        found = tuple(entry for entry in self.entries if entry.folder == place)
        if not found:
            raise UsageError(
                "The ledger knows of no release in this folder.",
                code="not-in-ledger",
                where=Place(file=str(folder)),
                hint="See what it knows with: tacit ledger list",
            )
        return found


class Ledger:
    """The user's ledger."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = state_folder() / "ledger" if folder is None else folder

    @property
    def file(self) -> Path:
        return self.folder / _LINES

    def key(self) -> Key:
        """The key of the ledger; it is made with the first release."""
        try:
            return load_ledger_key()
        except OutputError as error:
            raise OutputError(
                f"The ledger of what was released cannot be kept: {error.message}",
                code="ledger-not-written",
                where=error.where,
                hint="Point the environment variable XDG_STATE_HOME at a folder that you may write to.",
            ) from error

    def read(self) -> LedgerList:
        """What is on record."""
        entries: dict[str, LedgerEntry] = {}
        notes = []
        for number, line in enumerate(self._lines(), start=1):
            if not line.strip():
                continue
            try:
                values = json.loads(line)
                if values.get("forgotten"):
                    entries.pop(values["id"], None)
                    continue
                entry = LedgerEntry(**values | {"columns": tuple(values["columns"])})
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                notes.append(
                    f"Line {number} of the ledger cannot be read, perhaps because a run was killed while"
                    " writing it; it is passed over."
                )
                continue
            # The same release in another folder: its place in the order stays.
            entries[entry.id] = entry
        return LedgerList(str(self.file), tuple(entries.values()), tuple(notes))

    def sketch(self, entry: LedgerEntry) -> Sketch:
        """What a release's records are recognized by."""
        self._check_key(entry)
        try:
            return read_sketch(opened((self.folder / (entry.id + _SKETCH)).read_bytes(), self.key()))
        except (OSError, ValueError):
            raise self._unusable(entry, "has lost its file of records, or a part of it") from None

    def words(self, entry: LedgerEntry) -> Words:
        """The keyed words of a release that an earlier version put on record, sorted."""
        path = self.folder / (entry.id + _WORDS)
        self._check_key(entry)
        if not path.is_file() or path.stat().st_size != 8 * entry.records:
            raise self._unusable(entry, "has lost its file of records, or a part of it")
        words: Words = np.fromfile(path, dtype="<u8").astype(np.uint64, copy=False)
        return words

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only process that checks and adds; others wait."""
        self.key()  # making it closes the folder above to others
        with writing_to(self.folder):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def add(self, entry: LedgerEntry, sketch: Sketch) -> None:
        """Put a release on record, with its sketch; call it under the lock.

        The sketch goes first, so that no line is without it.
        """
        with writing_to(self.folder):
            self._write(entry.id + _SKETCH, sketch.to_bytes())
            self._append(asdict(entry))

    def keep_copy(self, name: str, folder: Path) -> None:
        """Keep a copy of the release of this identity, if it is on record, because its folder will go."""
        known = any(entry.id == name for entry in self.read().entries)
        if not known or sum(path.stat().st_size for path in folder.iterdir()) > MOST_COPIED:
            return
        packed = BytesIO()
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for path in folder.iterdir():
                archive.write(path, path.name)
        with self.locked(), writing_to(self.folder):
            self._write(name + _COPY, packed.getvalue())

    def has_copy(self, name: str) -> bool:
        """Whether there is a copy of the release of this identity."""
        return (self.folder / (name + _COPY)).is_file()

    @contextmanager
    def copy(self, entry: LedgerEntry) -> Iterator[Path]:
        """The folder of a release that was copied, for as long as the block lasts.

        Raises OSError where there is no copy, or none that can be read.
        """
        try:
            packed = opened((self.folder / (entry.id + _COPY)).read_bytes(), self.key())
        except ValueError as error:
            raise OSError(str(error)) from error
        with TemporaryDirectory(prefix="tacit-release-") as place:
            with ZipFile(BytesIO(packed)) as archive:
                archive.extractall(place)
            yield Path(place)

    def move(self, entry: LedgerEntry, folder: Path) -> None:
        """Note that a release on record was published in another folder as well."""
        with writing_to(self.folder):
            self._append(asdict(replace(entry, folder=str(folder))))

    def forget(self, entry: LedgerEntry) -> None:
        """Take a release off the record; call it under the lock."""
        with writing_to(self.folder):
            self._append({"id": entry.id, "forgotten": True})
            for suffix in (_WORDS, _SKETCH, _COPY):
                (self.folder / (entry.id + suffix)).unlink(missing_ok=True)

    def _write(self, name: str, content: bytes) -> None:
        """Put a sealed file in place, whole or not at all."""
        new = self.folder / _NEW
        new.unlink(missing_ok=True)  # what a kill left
        try:
            write_durably(new, sealed(content, self.key()), mode=0o600)
            new.replace(self.folder / name)
        finally:
            new.unlink(missing_ok=True)

    def _lines(self) -> list[str]:
        try:
            return self.file.read_text(encoding="utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise InputError(
                f"The ledger cannot be read: {error.strerror}.",
                code="ledger-unreadable",
                where=Place(file=str(self.file)),
                hint="Make it readable to you: without it nobody can tell what was released before.",
            ) from error

    def _append(self, values: Mapping[str, Any]) -> None:
        line = json.dumps(values, ensure_ascii=False, sort_keys=True).encode() + b"\n"
        descriptor = os.open(self.file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                line = b"\n" + line  # after a torn line
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        synchronize(self.folder)

    def _check_key(self, entry: LedgerEntry) -> None:
        if entry.key != self.key().id:
            raise self._unusable(entry, "was recorded under another ledger key, which is gone")

    def _unusable(self, entry: LedgerEntry, why: str) -> InputError:
        return InputError(
            f"The release of {entry.when[:10]} in {entry.folder} {why}, so that nobody can tell whether its"
            " records are released again.",
            code="ledger-damaged",
            where=Place(file=str(self.file)),
            hint=f"Restore it from a copy, or take it off the record: tacit ledger forget {entry.folder}",
        )


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
