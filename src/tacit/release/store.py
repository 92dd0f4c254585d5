"""The release store: a release is written whole or not at all.

Everything is written into one temporary folder beside the target, closed to other users, and
verified there. Two moves then put it in place, in this order:

1. the private record, to ``DIR.private/<id>``, where the id is taken from the digest of the
   release's manifest, so that it stands beside the record of the release that is there;
2. the release, to ``DIR``. This one rename (an exchange, where a release is replaced) is the
   moment of publication.

Whoever looks at any instant, also after a kill, finds the old release and its record or the new
release and its record. What is left over is in the temporary folder: the release that is *not* in
place. :func:`recover`, which every run starts with, removes it together with its record.

What may be replaced: nothing but a release, so that ``--overwrite`` never costs a person's folder.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tacit.errors import InputError
from tacit.io.output import absolute, check_path, made_parents, private_root, refused, writing_to
from tacit.release.disk import (
    Content,
    finish_replacing,
    only_writer,
    put_in_place,
    sha256,
    stopped_in_order,
    synchronize,
    write_durably,
)
from tacit.release.manifest import MANIFEST_NAME, SIGNATURE_NAME, Manifest, PublishedFile, read_manifest

Settle = Callable[[Path, Manifest], Manifest]
"""Says what a manifest finally states, once the files it names are written."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Published:
    """A release that is in place: its folder, its manifest, and the folder of its private record."""

    folder: Path
    manifest: Manifest
    private: Path | None


def publish(
    target: Path,
    files: Mapping[str, Content],
    manifest: Manifest,
    private: Mapping[str, Content],
    *,
    verify: Callable[[Path], object],
    settle: Settle | None = None,
    overwrite: bool = False,
    sources: Iterable[Path] = (),
) -> Published:
    """Write a release and its private record, have it verified, and put both in place.

    ``files`` and ``private`` map plain file names to bytes, or to a function that writes the path
    it is given. ``verify`` is called with the folder of the unpublished release and raises where
    it refuses it. ``settle`` is called before that, as soon as the files are written, with the folder and
    the manifest that names them, and gives the manifest to publish. ``overwrite`` replaces a release that
    is there, never a folder of another kind.
    ``sources`` are the paths of the inputs, which the output may not be or hold.

    Raises OutputError where the output cannot be written; nothing is then left behind.
    """
    _check_names(files, private)
    check_path(target, sources=sources)
    target = absolute(target)
    with writing_to(target), made_parents(target), only_writer(target), stopped_in_order():
        _mend_all(target)
        check_place(target, overwrite=overwrite)
        staging = Path(tempfile.mkdtemp(prefix=f".{target.name}.tacit-", dir=target.parent))
        try:
            complete = _write(staging, files, manifest, private, settle)
            verify(staging / "release")
            record = _place(staging, target)
        finally:
            with suppress(OSError):  # what cannot be removed now, the next run removes
                _mend(staging, target)
    return Published(folder=target, manifest=complete, private=record)


def recover(target: Path) -> None:
    """Remove what killed runs on this target left behind, and put back what they moved aside.

    Every run starts with this; to call it by hand is needed only to tidy up without another run.
    """
    target = absolute(target)
    if target.parent.is_dir():
        with writing_to(target), only_writer(target):
            _mend_all(target)


def private_record(target: Path) -> Path | None:
    """The folder of the private record of the release in place, or None where there is none."""
    release = _identity(target)
    record = private_root(absolute(target)) / release if release else None
    return record if record is not None and record.is_dir() else None


def _check_names(files: Mapping[str, Content], private: Mapping[str, Content]) -> None:
    for name in (*files, *private):
        if not _NAME.fullmatch(name) or name in (MANIFEST_NAME, SIGNATURE_NAME):
            raise ValueError(f"{name!r} cannot be the name of a file of a release")


def _write(
    staging: Path,
    files: Mapping[str, Content],
    manifest: Manifest,
    private: Mapping[str, Content],
    settle: Settle | None,
) -> Manifest:
    """Write the release and its record into the temporary folder; the manifest, now complete."""
    release = staging / "release"
    release.mkdir()  # the temporary folder above it is closed to others
    for name, content in files.items():
        write_durably(release / name, content, mode=0o666)
    told = {name: PublishedFile(sha256(release / name), (release / name).stat().st_size) for name in files}
    complete = replace(manifest, files=told)
    if settle is not None:
        complete = settle(release, complete)
    write_durably(release / MANIFEST_NAME, complete.to_json().encode(), mode=0o666)
    synchronize(release)
    if private:
        record = staging / "private" / str(_identity(release))
        record.parent.mkdir(mode=0o700)
        record.mkdir(mode=0o700)
        for name, content in private.items():
            write_durably(record / name, content, mode=0o600)
        synchronize(record)
    return complete


def _place(staging: Path, target: Path) -> Path | None:
    """Put the record in place, then the release; the record's folder."""
    root = private_root(target)
    place = None
    for record in (staging / "private").glob("*"):
        root.mkdir(mode=0o700, exist_ok=True)
        root.chmod(0o700)
        place = root / record.name
        put_in_place(record, place)
        synchronize(root)
        synchronize(target.parent)
    put_in_place(staging / "release", target)
    synchronize(target.parent)
    return place


def _mend_all(target: Path) -> None:
    """Mend after every earlier run on this target; holding the lock proves that they are dead."""
    ours = re.compile(re.escape(f".{target.name}.tacit-") + r"[a-z0-9_]{8}")
    for entry in list(target.parent.iterdir()):
        if ours.fullmatch(entry.name) and entry.is_dir():
            _mend(entry, target)


def _mend(staging: Path, target: Path) -> None:
    """Remove a temporary folder: the release that is not in place, and then its record.

    Before publication that is the new release, after it the old one; the rule is the same. The
    order matters to a kill in here: as long as the record is there, so is what names it.
    """
    root = private_root(target)
    finish_replacing(staging / "release", target)
    waiting = {path.name.partition(".")[0] for path in (staging / "private").glob("*")}
    for release in waiting:
        finish_replacing(staging / "private" / release, root / release)
    outgoing = _identity(staging / "release")
    if outgoing is not None and outgoing != _identity(target) and outgoing not in waiting:
        _remove(root / outgoing)
    _remove(staging / "release")
    _remove(staging)
    with suppress(OSError):  # it goes only where it is empty
        root.rmdir()


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


def _identity(release: Path) -> str | None:
    """The name a release's private record goes by, or None where there is no release.

    It is the start of the manifest's digest. A manifest that is there and cannot be read is an
    error: taken for none, it would cost a release its record.
    """
    try:
        return sha256(release / MANIFEST_NAME)[:16]
    except (FileNotFoundError, NotADirectoryError):
        return None


_RECORD = re.compile(r"[0-9a-f]{16}")


def check_output(target: Path, *, overwrite: bool = False, sources: Iterable[Path] = ()) -> None:
    """Refuse what the store would refuse: call it before the long part of a run."""
    check_path(target, sources=sources)
    with writing_to(target):
        check_place(absolute(target), overwrite=overwrite)


def check_beside(file: Path, release: Path, what: str, *, hint: str) -> None:
    """Refuse a file that would lie in the folder of a release."""
    if absolute(release) in (absolute(file), *absolute(file).parents):
        raise refused(
            file,
            f"{what} does not go into the folder of its release, which holds nothing but the release.",
            code="output-in-release",
            hint=hint,
        )


def check_place(target: Path, *, overwrite: bool) -> None:
    """Refuse to replace anything, or, with ``overwrite``, anything but a release."""
    if os.path.lexists(target) and not overwrite:
        raise refused(
            target,
            "The output exists.",
            code="output-exists",
            hint="Choose another output, or replace the release there with --overwrite (overwrite=True).",
        )
    root = private_root(target)
    for folder, foreign in ((target, _foreign_to_release), (root, _foreign_to_private)):
        found = foreign(folder) if os.path.lexists(folder) else None
        if found is not None:
            raise refused(
                target,
                f"Only a release of Tacit is ever replaced, and {found}.",
                code="output-not-a-release",
                hint="Choose another output, or move away what is there.",
            )


def _foreign_to_release(folder: Path) -> str | None:
    """What shows that a folder is not a release, or None; an empty folder has nothing to lose."""
    if folder.is_symlink() or not folder.is_dir():
        return f"{folder} is not a folder"
    present = {entry.name for entry in folder.iterdir()}
    if not present:
        return None
    try:
        named = {MANIFEST_NAME, SIGNATURE_NAME, *read_manifest(folder).files}
    except InputError:
        return f"{folder} has no manifest of one"
    others = sorted(present - named)
    return f"{folder} holds {others[0]!r}, which its manifest does not name" if others else None


def _foreign_to_private(folder: Path) -> str | None:
    """What shows that a folder is not one of private records, or None."""
    if folder.is_symlink() or not folder.is_dir():
        return f"{folder} is not a folder"
    others = sorted(entry.name for entry in folder.iterdir() if not _RECORD.fullmatch(entry.name))
    return f"{folder} holds {others[0]!r}, which is no private record" if others else None
