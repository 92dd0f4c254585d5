"""Names planted in the input are in no published byte, on no screen and in nothing left behind."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

import tacit.release.published
from tacit.errors import Cancelled
from tacit.surface.cli import main
from tests.trust.making import FILE, NAMES, RARE, RELEASES, TABLE, arguments, write_inputs

KEY_TEXT = "0b" * 32


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The inputs, in the working folder; temporary files would go beside it."""
    work, temporary = tmp_path / "work", tmp_path / "temporary"
    work.mkdir()
    temporary.mkdir()
    write_inputs(work)
    monkeypatch.chdir(work)
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    return work


def published_bytes(release: Path) -> bytes:
    """All that is given away: names and contents of the published files."""
    return b"\n".join(path.name.encode() + b"\n" + path.read_bytes() for path in sorted(release.iterdir()))


def assert_silent(content: bytes, *, also: tuple[str, ...] = ()) -> None:
    for canary in (*NAMES, *(name.split()[0] for name in NAMES), KEY_TEXT, *also):
        for spelling in (canary, canary.lower(), canary.replace(" ", "_")):
            assert spelling.encode() not in content
        assert canary.encode("utf-16-le") not in content


def assert_nothing_left(folder: Path, before: set[str]) -> None:
    assert {path.name for path in folder.iterdir()} == before
    assert list((folder.parent / "temporary").iterdir()) == []


@pytest.mark.tally("canaries", "success")
@pytest.mark.parametrize("kind", RELEASES)
def test_nothing_is_given_away(kind: str, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    before = {path.name for path in folder.iterdir()}
    assert main(arguments(kind, "out")) == 0
    shown = capfdbinary.readouterr()
    assert_silent(shown.out + shown.err)
    assert_silent(published_bytes(folder / "out"), also=(FILE, str(folder)))
    private = [path.read_bytes() for path in (folder / "out.private").rglob("*") if path.is_file()]
    assert KEY_TEXT.encode() not in b"".join(private)
    assert_nothing_left(folder, before | {"out", "out.private"})


def test_records_left_out_are_not_published(folder: Path) -> None:
    assert main([*arguments("generalize suppressing", "out"), "--quiet"]) == 0
    manifest = json.loads((folder / "out" / "release.json").read_text())
    assert manifest["parameters"]["suppressed"] == 1
    sets = folder / "out" / manifest["parameters"]["transactions"]
    assert RARE not in sets.read_text()
    # The mapping names every item of the hierarchy, held by somebody or not.
    assert RARE in (folder / "out" / "mapping.csv").read_text()
    assert RARE not in (folder / "out" / "release.json").read_text()


@pytest.mark.parametrize("kind", ["hide certified", "hide exact", "hide swa"])
def test_the_secret_is_not_in_the_manifest(kind: str, folder: Path) -> None:
    assert main([*arguments(kind, "out"), "--quiet"]) == 0
    manifest = (folder / "out" / "release.json").read_text()
    for word in ("beer", "diapers", "milk", "wine", "secret.txt"):
        assert word not in manifest
    assert {path.name for path in (folder / "out").iterdir()} == {"release.json", "transactions.dat"}


@pytest.mark.parametrize("form", ["qit", "permuted"])
def test_rules_left_out_are_not_in_the_manifest(form: str, folder: Path) -> None:
    whole = [part for part in arguments(f"bucketize injector {form}", "whole") if "rop-rules" not in part]
    whole.remove("dropped.txt")
    assert main([*whole, "--quiet"]) == 0
    assert "cyst" in (folder / "whole" / "release.json").read_text()  # it is mined, and stated
    again = [*arguments(f"bucketize injector {form}", "out"), "--acknowledge-composition"]
    assert main([*again, "--quiet"]) == 0
    manifest = (folder / "out" / "release.json").read_text()
    assert "cyst" not in manifest
    assert "dropped" not in manifest


MISTAKES = (
    ("bucketize", TABLE, "--quasi", "zip,sex", "--sensitive", "disease", "-l", "99"),
    ("bucketize", TABLE, "--quasi", "zip,sex", "--sensitive", "disease", "-l", "1"),
    ("bucketize", TABLE, "--quasi", "zip,sex", "--sensitive", "disease", "-l", "2", "--algorithm", "no"),
    ("bucketize", TABLE, "--quasi", "zip,salary", "--sensitive", "disease", "-l", "2"),
    ("disclose", TABLE, "--quasi", "zip,sex", "--sensitive", "disease", "--min-support", "0"),
)


@pytest.mark.tally("canaries", "error")
@pytest.mark.parametrize("mistake", MISTAKES, ids=" ".join)
def test_errors_name_nobody(
    mistake: tuple[str, ...], folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    before = {path.name for path in folder.iterdir()}
    assert main([*mistake, *(["--output", "out"] if mistake[0] == "bucketize" else [])]) in (2, 4)
    shown = capfdbinary.readouterr()
    assert_silent(shown.out + shown.err)
    assert_nothing_left(folder, before)


TROUBLES = (
    *((kind, KeyboardInterrupt, 130) for kind in RELEASES),
    ("generalize", RuntimeError, 1),
    ("generalize", MemoryError, 5),
)


@pytest.mark.tally("canaries", "stopped while verifying")
@pytest.mark.parametrize(("kind", "trouble", "exit_code"), TROUBLES)
def test_stopped_while_verifying(
    kind: str,
    trouble: type[BaseException],
    exit_code: int,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """Everything is written by then, and nothing is in place."""

    def stop(place: Path) -> None:
        assert (place / "release.json").exists()
        raise trouble(f"{NAMES[0]} was here")

    monkeypatch.setattr(tacit.release.published, "verify_in_fresh_process", stop)
    before = {path.name for path in folder.iterdir()}
    assert main(arguments(kind, "out")) == exit_code
    shown = capfdbinary.readouterr()
    assert_silent(shown.out + shown.err)
    assert_nothing_left(folder, before)


@pytest.mark.tally("canaries", "stopped in a kernel")
@pytest.mark.parametrize("trouble", [KeyboardInterrupt, Cancelled, ValueError])
@pytest.mark.parametrize("kind", ["bucketize injector qit", "generalize", "hide certified", "rules"])
def test_stopped_in_a_kernel(
    kind: str,
    trouble: type[BaseException],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """Whatever stops a run, a defect of ours included, the screen shows nothing of the data."""

    def stop(self: threading.Thread) -> None:
        if self.name == "tacit-kernel":
            raise trouble(*([] if trouble is Cancelled else [f"{NAMES[0]} was here"]))
        start(self)

    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", stop)
    before = {path.name for path in folder.iterdir()}
    assert main(arguments(kind, "out")) == (1 if trouble is ValueError else 130)
    shown = capfdbinary.readouterr()
    assert_silent(shown.out + shown.err)
    assert b"Traceback" not in shown.err
    assert_nothing_left(folder, before)
