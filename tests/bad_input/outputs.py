"""Outputs that are refused: nothing is replaced that is not a release, and nothing is left behind."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from tacit.errors import VerificationError
from tacit.release import publish, read_manifest
from tacit.release.verification import verify
from tests.bad_input.case import Case
from tests.faults.releases import manifest, publish_small

TABLE = b"zip,disease\n1,flu\n2,cold\n"
LONG_NAME = "x" * 300
NOWHERE = "/sys/tacit"
"""A place where nobody may write, not even root."""


def _publish(output: str, **options: Any) -> Callable[[Path], object]:
    """The library call: publish a small release at this path below the working folder."""
    sources = options.pop("sources", ())

    def call(folder: Path) -> object:
        given = {"files": {"qit.csv": TABLE}, "private": {"rows.csv": TABLE}, "verify": id, **options}
        return publish(
            folder / output, manifest=manifest(), sources=[folder / source for source in sources], **given
        )

    return call


def _sample(*arguments: str) -> tuple[str, ...]:
    return ("sample", "hospital", "--rows", "10", *arguments)


def _build(data: str, output: str) -> tuple[str, ...]:
    return ("hierarchy", "build", data, "--column", "zip", "--by", "flat", "-o", output, "--overwrite")


def _link(name: str, goal: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).symlink_to(goal)


def _older_release(folder: Path) -> None:
    publish_small(folder / "out", "old")


def _link_to_a_release(folder: Path) -> None:
    _older_release(folder)
    (folder / "link").symlink_to("out")


def _release_with_a_file_added(folder: Path) -> None:
    _older_release(folder)
    (folder / "out" / "thesis.txt").write_text("mine")


_held: list[BinaryIO] = []


def _another_run(folder: Path) -> None:
    """Hold the lock of ``out`` as another run does, until the next case."""
    _held[:] = [(folder / ".out.tacit-lock").open("wb")]
    fcntl.flock(_held[0], fcntl.LOCK_EX)


def _fill_the_disk(path: Path) -> None:
    path.symlink_to("/dev/full")
    path.write_bytes(TABLE)


def _refuse(folder: Path) -> None:
    raise VerificationError("It does not keep its promise.", code="verification-failed")


REFUSED = [
    Case(
        name="output: a file is there",
        call=_publish("out.csv"),
        command=_sample("-o", "out.csv"),
        code="output-exists",
        files={"out.csv": b"mine"},
        says=("out.csv", "--overwrite"),
    ),
    Case(
        name="output: a folder is there",
        call=_publish("out"),
        command=_sample("-o", "out"),
        code="output-exists",
        files={"out/thesis.txt": b"mine"},
    ),
    Case(
        name="output: an empty folder is there",
        call=_publish("out"),
        command=_sample("-o", "out"),
        code="output-exists",
        prepare=lambda folder: (folder / "out").mkdir(),
    ),
    Case(
        name="output: a release is there",
        call=_publish("out"),
        command=_sample("-o", "out"),
        code="output-exists",
        prepare=_older_release,
        says=("--overwrite",),
    ),
    Case(
        name="output: the working folder itself",
        call=_publish("."),
        command=_sample("-o", "."),
        code="output-exists",
    ),
    Case(
        name="output: the root of the disk",
        call=_publish("/", overwrite=True),
        command=None,
        code="output-name",
    ),
    Case(
        name="output: the input",
        call=_publish("in.csv", sources=["in.csv"], overwrite=True),
        command=_build("in.csv", "in.csv"),
        code="output-is-input",
        files={"in.csv": TABLE},
        says=("in.csv",),
    ),
    Case(
        name="output: the input by another path",
        call=_publish("a/../in.csv", sources=["in.csv"], overwrite=True),
        command=_build("./a/../in.csv", "in.csv"),
        code="output-is-input",
        files={"in.csv": TABLE, "a/b.csv": TABLE},
    ),
    Case(
        name="output: the goal of a link that is the input",
        call=_publish("in.csv", sources=["link.csv"], overwrite=True),
        command=_build("link.csv", "in.csv"),
        code="output-is-input",
        files={"in.csv": TABLE},
        prepare=_link("link.csv", "in.csv"),
    ),
    Case(
        name="output: a folder that holds the input",
        call=_publish("data", sources=["data/2024/in.csv"], overwrite=True),
        command=None,
        code="output-is-input",
        files={"data/2024/in.csv": TABLE},
        says=("in.csv",),
    ),
    Case(
        name="output: the input lies in its private record",
        call=_publish("out", sources=["out.private/rows.csv"]),
        command=None,
        code="output-is-input",
        files={"out.private/rows.csv": TABLE},
    ),
    Case(
        name="output: a symbolic link to a folder",
        call=_publish("link", overwrite=True),
        command=_sample("-o", "link", "--overwrite"),
        code="output-symlink",
        files={"real/thesis.txt": b"mine"},
        prepare=_link("link", "real"),
    ),
    Case(
        name="output: a symbolic link to a release",
        call=_publish("link", overwrite=True),
        command=_sample("-o", "link", "--overwrite"),
        code="output-symlink",
        prepare=_link_to_a_release,
    ),
    Case(
        name="output: a symbolic link to nothing",
        call=_publish("link"),
        command=_sample("-o", "link"),
        code="output-symlink",
        prepare=_link("link", "nowhere"),
        says=("link",),
    ),
    Case(
        name="output: a symbolic link to itself",
        call=_publish("link"),
        command=_sample("-o", "link"),
        code="output-symlink",
        prepare=_link("link", "link"),
    ),
    Case(
        name="output: below a symbolic link to itself",
        call=_publish("link/out"),
        command=_sample("-o", "link/out.csv"),
        code="output-not-writable",
        prepare=_link("link", "link"),
    ),
    Case(
        name="output: below a symbolic link to nothing",
        call=_publish("link/out"),
        command=_sample("-o", "link/out.csv"),
        code="output-not-writable",
        prepare=_link("link", "file/out"),
        files={"file": b"mine"},
    ),
    Case(
        name="output: below a file",
        call=_publish("file/out"),
        command=_sample("-o", "file/out.csv"),
        code="output-not-writable",
        files={"file": b"mine"},
        says=("file", "not a folder"),
    ),
    Case(
        name="output: far below a file",
        call=_publish("file/a/b/out"),
        command=_sample("-o", "file/a/b/out.csv"),
        code="output-not-writable",
        files={"file": b"mine"},
    ),
    Case(
        name="output: a folder that may not be written",
        call=_publish(NOWHERE),
        command=_sample("-o", f"{NOWHERE}.csv"),
        code="output-not-writable",
        says=(NOWHERE, "permissions"),
    ),
    Case(
        name="output: a name that is too long",
        call=_publish(LONG_NAME),
        command=_sample("-o", f"{LONG_NAME}.csv"),
        code="output-name",
        says=("shorter",),
    ),
    Case(
        name="output: a name kept for private records",
        call=_publish("out.private"),
        command=_sample("-o", "out.private"),
        code="output-name",
    ),
    Case(
        name="output: a full disk",
        call=_publish("a/b/out", files={"qit.csv": _fill_the_disk}),
        command=None,
        code="output-no-space",
        says=("out", "Make room"),
    ),
    Case(
        name="output: a full disk while the private record is written",
        call=_publish("out", private={"rows.csv": _fill_the_disk}),
        command=None,
        code="output-no-space",
    ),
    Case(
        name="output: another run is writing it",
        call=_publish("out"),
        command=None,
        code="output-busy",
        prepare=_another_run,
        says=("Wait",),
    ),
    Case(
        name="output: to replace a folder that is not a release",
        call=_publish("out", overwrite=True),
        command=None,
        code="output-not-a-release",
        files={"out/thesis.txt": b"mine"},
    ),
    Case(
        name="output: to replace a file",
        call=_publish("out", overwrite=True),
        command=None,
        code="output-not-a-release",
        files={"out": b"mine"},
    ),
    Case(
        name="output: to replace the release of another program",
        call=_publish("out", overwrite=True),
        command=None,
        code="output-not-a-release",
        files={"out/release.json": b'{"version": "1.0"}'},
    ),
    Case(
        name="output: to replace a release to which a file was added",
        call=_publish("out", overwrite=True),
        command=None,
        code="output-not-a-release",
        prepare=_release_with_a_file_added,
        says=("thesis.txt",),
    ),
    Case(
        name="output: a folder of the private record's name that is not one",
        call=_publish("out"),
        command=None,
        code="output-not-a-release",
        files={"out.private/diary.txt": b"mine"},
        says=("diary.txt",),
    ),
    Case(
        name="output: refused by the verifier",
        call=_publish("a/out", verify=_refuse),
        command=None,
        code="verification-failed",
        exit_code=7,
    ),
]

ACCEPTED = [
    Case(
        name="output: folders that are not there yet are made",
        call=_publish("a/b/out"),
        command=_sample("-o", "a/b/out.csv"),
        code=None,
    ),
    Case(
        name="output: a release is replaced on request",
        call=_publish("out", overwrite=True),
        command=None,
        code=None,
        prepare=_older_release,
    ),
    Case(
        name="output: an empty folder is replaced on request",
        call=_publish("out", overwrite=True),
        command=None,
        code=None,
        prepare=lambda folder: (folder / "out").mkdir(),
    ),
]

RELEASES = [
    Case(
        name="release: no such folder",
        call=lambda folder: verify(folder / "nowhere"),
        command=("verify", "nowhere"),
        code="not-a-release",
        exit_code=3,
        says=("nowhere",),
    ),
    Case(
        name="release: a folder without a manifest",
        call=lambda folder: verify(folder / "out"),
        command=("verify", "out"),
        code="not-a-release",
        exit_code=3,
        files={"out/qit.csv": TABLE},
        says=("release.json",),
    ),
    Case(
        name="release: the manifest of another program",
        call=lambda folder: verify(folder / "out"),
        command=("verify", "out"),
        code="not-a-release",
        exit_code=3,
        files={"out/release.json": b'{"version": "1.0"}'},
    ),
    Case(
        name="release: no such original",
        call=lambda folder: verify(folder / "out", original=folder / "nowhere.csv"),
        command=("verify", "out", "--original", "nowhere.csv"),
        code="original-not-found",
        exit_code=3,
        prepare=_older_release,
        says=("nowhere.csv",),
    ),
    Case(
        name="release: a manifest that is cut off",
        call=lambda folder: read_manifest(folder / "out"),
        command=None,
        code="release-manifest",
        exit_code=3,
        files={"out/release.json": b'{"format": "tacit-release", '},
        says=("release.json",),
    ),
    Case(
        name="release: a manifest of a later format",
        call=lambda folder: read_manifest(folder / "out"),
        command=None,
        code="release-manifest",
        exit_code=3,
        files={"out/release.json": b'{"format": "tacit-release", "format_version": 2}'},
        says=("version",),
    ),
]

CASES = [
    *(case if case.exit_code else replace(case, exit_code=6) for case in REFUSED),
    *ACCEPTED,
    *RELEASES,
]
