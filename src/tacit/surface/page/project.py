"""A project: the folder in which the page keeps its work, so that it goes on after a stop or a reboot.

Files, roles, hierarchies, runs and releases lie in the folder; ``project.json`` says how they belong together
and is written anew, whole, after every change. A run that the page did not live to see the end of is told as
such, and is made again with one click. A project may come from somebody else: it names files of its own
folder only, and what it holds for publishing is used under the seal of this account alone.

The folder stays, or goes away with the page. Either is open to its owner alone and to one page at a time. A
page that was killed cannot clean up after itself: the lock it held is free then, and the next page to start
removes what it left of a temporary folder.
"""

from __future__ import annotations

import errno
import fcntl
import hmac
import json
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

from markupsafe import Markup

from tacit.errors import InputError, OutputError, Place, ResourceError
from tacit.io.output import writing_to
from tacit.random.key import load_ledger_key
from tacit.surface.page.jobs import Job
from tacit.surface.page.session import DataSet, HierarchyChoice, Session

FORMAT = 1
KEPT_JOBS = ("run", "publish", "sweep", "rules", "copy")
"""The jobs that are told of after a stop; a look or a hierarchy is done again where it is wanted."""
LINKED = ("publishing", "copying")
"""What a run says of other jobs that belong to it."""
_ID = re.compile("[0-9a-f]{16}")
_DECIMAL = "\0decimal"  # no column is called so
_FILE = re.compile("[0-9a-z]+[.a-z0-9]*")
_DATA = ("id", "name", "size", "layout", "reading", "roles", "choices", "method", "columns", "seen")
_JOB = ("id", "kind", "state", "what", "error", "result")


class Project:
    """A folder and the session that is kept in it."""

    def __init__(self, folder: Path, session: Session) -> None:
        self.file = folder / PROJECT
        self.session = session
        self._written = ""

    def save(self) -> None:
        """Write down what there is, if it has changed."""
        text = json.dumps(_told(self.session), default=_as_json, ensure_ascii=False, separators=(",", ":"))
        if text == self._written:
            return
        new = self.file.with_suffix(".new")
        with writing_to(self.file):
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            new.replace(self.file)
        self._written = text

    def load(self) -> None:
        """Take up what an earlier page wrote down, where it did."""
        if not self.file.is_file():
            return
        try:
            told = json.loads(self.file.read_text(encoding="utf-8"), object_hook=_from_json)
            if told["format"] != FORMAT:
                raise ValueError
            for one in told["data"]:
                self.session.add(_data(one, self.session.data_folder))
            _add_jobs(self.session, told["jobs"])
            self.session.copies = told.get("copies", {})
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(
                "This is no project that this version of the page has written.",
                code="project-malformed",
                where=Place(file=str(self.file)),
                hint="Restore it from a copy, or name another folder with --folder.",
            ) from None
        _remove_unknown(self.session)


def _told(session: Session) -> dict[str, Any]:
    kept, jobs = [], []
    for data in session.data.values():
        trees = {
            column: vars(choice) | {"file": choice.file and choice.file.name}
            for column, choice in data.hierarchies.items()
        }
        path = data.path if data.sample else Path(data.path).name
        kept.append({name: getattr(data, name) for name in _DATA} | {"path": path, "hierarchies": trees})
    for job in session.jobs.all.values():
        if job.kind in KEPT_JOBS:
            about = job.about | {name: job.about[name].id for name in LINKED if name in job.about}
            told = {name: getattr(job, name) for name in _JOB} | {"seconds": round(job.seconds, 3)}
            jobs.append(told | {"about": about})
    return {"format": FORMAT, "copies": session.copies, "data": kept, "jobs": jobs}


def _data(told: dict[str, Any], folder: Path) -> DataSet:
    own = folder / _checked(_ID, told["id"])
    sample = str(told["path"]).startswith("sample:")
    path = told["path"] if sample else str(own / _checked(_FILE, told["path"]))
    data = DataSet(told["id"], told["name"], own, path, told["size"], told["layout"])
    for name in _DATA[4:]:
        setattr(data, name, told[name])
    for column, tree in told["hierarchies"].items():
        file = None if tree["file"] is None else own / _checked(_FILE, tree["file"])
        data.hierarchies[column] = HierarchyChoice(**tree | {"file": file})
    return data


def _add_jobs(session: Session, told: list[dict[str, Any]]) -> None:
    jobs = session.jobs.all
    for one in told:
        folder = session.jobs.folder / _checked(_ID, one["id"])
        job = Job(one["id"], one["kind"], folder, {}, one["about"], started=0.0, ended=one["seconds"])
        for name in _JOB[2:]:
            setattr(job, name, one[name])
        if not job.over or (job.state == "done" and not folder.is_dir()):
            stopped = ResourceError(
                "The page was stopped while this ran; nothing was published.",
                code="page-stopped",
                hint="Make it again: everything else is as it was.",
            )
            job.state, job.error = "failed", stopped.to_dict()["error"]
        jobs[job.id] = job
    for job in jobs.values():
        job.about |= {name: jobs[job.about[name]] for name in LINKED if name in job.about}


def _remove_unknown(session: Session) -> None:
    """Remove what belongs to nothing any more: of jobs that were stopped, of files that were removed."""
    known = {data.folder for data in session.data.values()}
    known |= {job.folder for job in session.jobs.all.values() if job.state == "done"}
    for parent in (session.data_folder, session.jobs.folder):
        for folder in parent.iterdir():
            if folder not in known:
                shutil.rmtree(folder, ignore_errors=True)


def _checked(form: re.Pattern[str], name: str) -> str:
    """A name that a project gives to a folder or a file of its own, and of nothing outside."""
    if not form.fullmatch(name):
        raise ValueError
    return name


def _as_json(value: Any) -> Any:
    if isinstance(value, Decimal):
        return {_DECIMAL: str(value)}  # a width or a share, digit by digit
    raise TypeError


def _from_json(value: dict[str, Any]) -> Any:
    return Decimal(value[_DECIMAL]) if value.keys() == {_DECIMAL} else value


PREFIX = "tacit-page-"
LOCK = "lock"
PROJECT = "project.json"
"""What a project says of itself; a folder that has other things and not this is none."""


@contextmanager
def lasting(folder: Path) -> Iterator[Path]:
    """The folder of a project, made where there is none, for this page alone."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = folder.resolve()
        inside = {path.name for path in folder.iterdir()}
        if inside - {LOCK} and PROJECT not in inside:
            raise OutputError(
                "This folder holds other things than a project of the page.",
                code="project-elsewhere",
                where=Place(file=str(folder)),
                hint="Name a folder with --folder that is empty or not there yet, or one that the page made.",
            )
        if any((folder / name).is_symlink() for name in inside):
            raise PermissionError(errno.EPERM, "it holds links to other places")
        folder.chmod(0o700)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise _not_made(folder, error) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OutputError(
                "Another page has this project open.",
                code="project-open",
                where=Place(file=str(folder)),
                hint="Go on there, or stop it with Ctrl-C first; --folder names another project.",
            ) from None
        yield folder
    finally:
        os.close(lock)


@contextmanager
def workspace(parent: Path | None = None) -> Iterator[Path]:
    """A folder of mode 0700 in ``parent`` (the temporary folder by default), removed at the end."""
    root = Path(tempfile.gettempdir()) if parent is None else parent
    _remove_abandoned(root)
    try:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=root))  # mode 0700
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _not_made(root, error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _not_made(folder: Path, error: OSError) -> OutputError:
    return OutputError(
        f"The page cannot make its private folder here: {error.strerror}.",
        code="workspace-not-made",
        where=Place(file=str(folder)),
        hint="Name a folder that you may write to with --folder.",
    )


def _remove_abandoned(root: Path) -> None:
    """Remove the folders of pages that no longer run: nobody holds their lock."""
    for folder in root.glob(f"{PREFIX}*"):
        with suppress(OSError):  # somebody else's, or not a folder of ours
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def zipped(folder: Path, target: Path, *, inside: str) -> None:
    """The files of a folder as a zip archive, inside a folder; the same files give the same bytes."""
    with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(f"{inside}/{path.relative_to(folder).as_posix()}")
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                with path.open("rb") as file, archive.open(entry, "w", force_zip64=True) as packed:
                    shutil.copyfileobj(file, packed, 1 << 20)


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
