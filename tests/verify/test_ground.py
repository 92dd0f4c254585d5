"""The verifier's ground floor: a clean release passes, every planted fault is caught."""

from __future__ import annotations

import hashlib
import importlib
import json
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tacit_verify.verifying
from tacit.errors import InputError, VerificationError
from tacit.release.verification import verify as verify_freshly
from tacit.release.verification import verify_in_fresh_process
from tacit_verify import CannotVerify, Check, Release, verdict_of, verify
from tacit_verify.__main__ import main
from tacit_verify.terms import EVERY, KINDS
from tests.faults.releases import publish_small


def checks(release: Release, original: Path | None) -> Iterator[Check]:
    """A kind of release for these tests: it promises that its file holds its label, and l = 3."""
    text = release.path("qit.csv").read_text()
    yield Check("label", release.parameters["null_values"][0] in text, text)
    yield Check("l", release.promise["l"] == release.parameters["l"] == 3)
    if original is not None:
        yield Check("original", original.read_text() == text)


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clean release, of a kind that the verifier knows for the length of the test."""
    monkeypatch.setattr(tacit_verify.verifying, "import_module", lambda name: sys.modules[__name__])
    return publish_small(tmp_path / "out").folder


def _failed(folder: Path, original: Path | None = None) -> set[str]:
    return {check.name for check in verify(folder, original) if check.ok is False}


def _edit(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest as a clever hand would: the text stays canonical."""
    manifest = json.loads((folder / "release.json").read_text())
    change(manifest)
    (folder / "release.json").write_text(_written(manifest, sort_keys=True))


def _written(manifest: dict[str, Any], *, sort_keys: bool = False) -> str:
    return json.dumps(manifest, ensure_ascii=False, sort_keys=sort_keys, indent=2) + "\n"


def _replace(folder: Path, name: str, content: bytes) -> None:
    """Change a file and its entry in the manifest."""
    (folder / name).write_bytes(content)
    entry = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    _edit(folder, lambda manifest: manifest["files"].update({name: entry}))


def test_a_clean_release_passes(release: Path) -> None:
    assert _failed(release) == set()
    (release.parent / "original.csv").write_bytes((release / "qit.csv").read_bytes())
    assert _failed(release, release.parent / "original.csv") == set()
    (release.parent / "original.csv").write_text("another")
    assert _failed(release, release.parent / "original.csv") == {"original"}


def _link(folder: Path) -> None:
    (folder / "st.csv").rename(folder.parent / "st.csv")
    (folder / "st.csv").symlink_to(folder.parent / "st.csv")


def _text(change: Callable[[str], str]) -> Callable[[Path], object]:
    return lambda folder: (folder / "release.json").write_text(change((folder / "release.json").read_text()))


# The fault, what is done to the folder, and the check that must catch it.
FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "one byte of a file changed": (
        lambda f: (f / "qit.csv").write_bytes((f / "qit.csv").read_bytes().replace(b"1", b"2")),
        "file qit.csv",
    ),
    "a file longer": (
        lambda f: (f / "qit.csv").write_bytes((f / "qit.csv").read_bytes() + b"\n"),
        "file qit.csv",
    ),
    "a file emptied": (lambda f: (f / "st.csv").write_bytes(b""), "file st.csv"),
    "a file removed": (lambda f: (f / "st.csv").unlink(), "files"),
    "a file added": (lambda f: (f / "names.csv").write_text("Ann\n"), "files"),
    "a hidden file added": (lambda f: (f / ".names").write_text("Ann\n"), "files"),
    "a folder added": (lambda f: (f / "more").mkdir(), "files"),
    "a file turned into a link": (_link, "files"),
    "two files exchanged": (
        lambda f: [
            (f / a).rename(f / b) for a, b in (("st.csv", "x"), ("qit.csv", "st.csv"), ("x", "qit.csv"))
        ],
        "file qit.csv",
    ),
    "the label changed": (lambda f: _edit(f, lambda m: m["parameters"].update(null_values=["x"])), "label"),
    "a method unheard of": (lambda f: _edit(f, lambda m: m.update(method="magic")), "manifest fields"),
    "the promise raised": (lambda f: _edit(f, lambda m: m["promise"].update(l=4)), "l"),
    "the promise emptied": (lambda f: _edit(f, lambda m: m.update(promise={})), "manifest fields"),
    "a promise with a sentence": (
        lambda f: _edit(f, lambda m: m["promise"].update(sentence="It is differentially private.")),
        "manifest fields",
    ),
    "an older format": (lambda f: _edit(f, lambda m: m.update(format_version=1)), "manifest fields"),
    "the kind unknown": (lambda f: _edit(f, lambda m: m.update(kind="shredded")), "manifest fields"),
    "the kind of another type": (lambda f: _edit(f, lambda m: m.update(kind=None)), "manifest fields"),
    "a newer format": (lambda f: _edit(f, lambda m: m.update(format_version=3)), "manifest fields"),
    "a name among what is rounded": (
        lambda f: _edit(f, lambda m: m["risks"].update(grid={"learning.Jane": "class"})),
        "manifest fields",
    ),
    "a name among what is rounded, further down": (
        lambda f: _edit(f, lambda m: m["risks"].update(posteriors=[{"grid": {"Jane": "class"}}])),
        "manifest fields",
    ),
    "an unknown field": (lambda f: _edit(f, lambda m: m.update(made_at="noon")), "manifest fields"),
    "a size as a truth value": (
        lambda f: _edit(f, lambda m: m["files"]["st.csv"].update(bytes=True)),
        "manifest fields",
    ),
    "a number as a truth value": (
        lambda f: _edit(f, lambda m: m["parameters"].update(epsilon=True)),
        "manifest fields",
    ),
    "a digest of another form": (
        lambda f: _edit(f, lambda m: m["files"]["st.csv"].update(sha256="AB")),
        "manifest fields",
    ),
    "a name that leads elsewhere": (
        lambda f: _edit(f, lambda m: m["files"].update({"../original.csv": m["files"]["st.csv"]})),
        "manifest fields",
    ),
    "the manifest naming itself": (
        lambda f: _edit(f, lambda m: m["files"].update({"release.json": m["files"]["st.csv"]})),
        "manifest fields",
    ),
    "another order of names": (
        _text(lambda text: _written(dict([*json.loads(text).items()][::-1]))),
        "manifest",
    ),
    "a space at the end": (_text(lambda text: text + " "), "manifest"),
    "a number spelt otherwise": (_text(lambda text: text.replace('"l": 3', '"l": 3e0')), "manifest"),
    "a name given twice": (_text(lambda text: text.replace("{", '{\n  "method": "x",', 1)), "manifest"),
    "the manifest cut off": (_text(lambda text: text[:-5]), "manifest"),
    "not a number": (_text(lambda text: text.replace('"l": 3', '"l": NaN')), "manifest"),
    "nested without end": (_text(lambda text: "[" * 100_000), "manifest"),
    "not text": (lambda f: (f / "release.json").write_bytes(b"\xff\xfe{}"), "manifest"),
    "a file and its entry changed": (lambda f: _replace(f, "qit.csv", b"zip,group\nsomething,1\n"), "label"),
}
FAULTS |= {
    f"no {name} in the manifest": (lambda f, name=name: _edit(f, lambda m: m.pop(name)), "manifest fields")
    for name in {**EVERY, **KINDS["bucketized"]}
    if name != "format"
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_caught(name: str, release: Path) -> None:
    plant, check = FAULTS[name]
    plant(release)
    assert check in _failed(release)
    assert main([str(release)]) == 7


def test_letters_stand_for_themselves(release: Path) -> None:
    _edit(release, lambda manifest: manifest["parameters"]["null_values"].append("é"))
    assert _failed(release) == set()
    _text(lambda text: text.replace("é", "\\u00e9"))(release)
    assert _failed(release) == {"manifest"}


def _nothing(release: Release, original: Path | None) -> Iterator[Check]:
    return iter(())


def _breaks_off(release: Release, original: Path | None) -> Iterator[Check]:
    yield Check("first", True)
    raise ZeroDivisionError


@pytest.mark.parametrize("kind", [_nothing, _breaks_off])
def test_a_kind_that_checks_nothing_or_breaks_off_refuses(
    kind: Callable[[Release, Path | None], Iterator[Check]], release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "checks", kind)
    assert _failed(release) == {"promise"}


def test_a_module_that_is_absent_refuses(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        tacit_verify.verifying,
        "import_module",
        lambda name: importlib.import_module("tacit_verify.no_such_module"),
    )
    assert _failed(release) == {"promise"}


def test_a_clause_that_was_not_checked_leaves_the_promise_open(
    release: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unsure(release: Release, original: Path | None) -> Iterator[Check]:
        yield Check("shown", True)
        yield Check("left", None, "only the original shows it")

    monkeypatch.setattr(sys.modules[__name__], "checks", unsure)
    assert main([str(release)]) == 8
    printed = capsys.readouterr().out
    assert "?     left: only the original shows it" in printed
    assert printed.endswith("but part of its promise was not checked.\n")
    assert verdict_of(verify(release)) == "not checked"
    assert verdict_of([*verify(release), Check("worse", False)]) == "broken"
    assert verdict_of([]) == "kept"


def test_there_is_nothing_to_check(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in (release.parent, release / "qit.csv", release.parent / "nowhere"):
        with pytest.raises(CannotVerify):
            verify(folder)
        assert main([str(folder), "--json"]) == 3
        assert json.loads(capsys.readouterr().out)["error"]["code"] == "not-a-release"
    with pytest.raises(CannotVerify):
        verify(release, release.parent / "nowhere.csv")
    (release / "release.json").write_text('{"version": "1.0"}')  # some other program's
    assert main([str(release)]) == 3


def test_json_of_the_command(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(release), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["verdict"] == "kept"
    assert all(set(check) == {"name", "verdict", "detail"} for check in printed["checks"])
    assert {check["verdict"] for check in printed["checks"]} == {"kept"}
    assert {"manifest", "files", "file qit.csv", "label"} <= {check["name"] for check in printed["checks"]}


def test_in_a_fresh_process(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (release / "qit.csv").write_text("another")
    (release / "json.py").write_text("raise SystemExit(0)")  # the folder must not be able to answer itself
    monkeypatch.chdir(release)
    found = verify_freshly(Path())
    assert {check.name for check in found.checks if check.verdict == "broken"} == {"files", "file qit.csv"}
    assert (found.broken, found.exit_code, found.to_dict()["verdict"]) == (True, 7, "broken")
    assert "FAIL  file qit.csv" in str(found)
    with pytest.raises(VerificationError) as caught:
        verify_in_fresh_process(release)
    assert (caught.value.code, caught.value.exit_code) == ("verification-failed", 7)
    assert "'json.py' is not named in the manifest and 1 more" in str(caught.value)
    with pytest.raises(InputError) as missing:
        verify_freshly(release.parent)
    assert (missing.value.code, missing.value.exit_code) == ("not-a-release", 3)


def test_a_verifier_that_cannot_run_refuses(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(VerificationError) as caught:
        verify_in_fresh_process(release)
    assert caught.value.code == "verifier-broke-off"


def test_an_accepted_release_is_silent(
    release: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        code = main(command[3:])  # here, where the kind of this test is known
        return subprocess.CompletedProcess(command, code, stdout=capsys.readouterr().out)

    monkeypatch.setattr(subprocess, "run", run)
    verify_in_fresh_process(release)
    assert str(verify_freshly(release)).endswith("The release keeps its promise.")


def test_it_loads_the_standard_library_alone() -> None:
    """And so it starts in a moment, with nothing of the toolkit in it."""
    script = (
        "import sys, tacit_verify, tacit_verify.__main__, importlib\n"
        "for kind in tacit_verify.terms.KINDS: importlib.import_module(f'tacit_verify.{kind}')\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    run = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    packages = set(run.stdout.split()) - sys.stdlib_module_names - {"__main__", "tacit_verify"}
    assert {name for name in packages if not name.startswith(("_", "sitecustomize"))} == set()


def test_a_signature_may_stand_beside_the_manifest(release: Path) -> None:
    (release / "release.sig").write_bytes(bytes(64))
    found = {check.name: check for check in verify(release)}
    assert found["files"].ok and "signature" in found["files"].detail
    (release / "release.sig").write_bytes(bytes(65))
    assert _failed(release) == {"files"}


def test_by_the_name_of_its_folder(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an auditor runs it who has installed nothing: ``python path/to/tacit_verify DIR``."""
    package = Path(tacit_verify.__file__).parent
    monkeypatch.setattr(sys, "argv", [str(package), str(release)])
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(package), run_name="__main__")
    assert ended.value.code == 0


def test_an_original_that_is_no_text_is_no_fault_of_the_release(
    release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reads(release: Release, original: Path | None) -> Iterator[Check]:
        assert original is not None
        yield Check("read", bool(list(tacit_verify.reading.rows(original, ["zip"]))))

    monkeypatch.setattr(sys.modules[__name__], "checks", reads)
    (release.parent / "original.csv").write_bytes(b"zip\n\xff\n")
    with pytest.raises(CannotVerify) as caught:
        verify(release, release.parent / "original.csv")
    assert caught.value.code == "original-not-text"
