"""The command line as a person uses it: real processes, JSON, exit codes, start-up time."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.surface.cli import main


def tacit(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tacit", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )


def _cpu_seconds(command: list[str]) -> float:
    """User and system seconds of a process, the best of a few."""
    best = float("inf")
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def test_it_starts_fast() -> None:
    bare = _cpu_seconds([sys.executable, "-c", "pass"])
    imported = _cpu_seconds([sys.executable, "-c", "import tacit"]) - bare
    helped = _cpu_seconds([sys.executable, "-m", "tacit", "--help"])
    print(f"import tacit {imported:.3f} s, tacit --help {helped:.3f} s of CPU time")
    assert imported < 0.1
    assert helped < 0.4


def test_a_profile_as_text_and_as_json(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,sex,disease\n" + "30,m,flu\n" * 3 + "40,f,cold\n")
    text = tacit("profile", "a.csv", cwd=tmp_path)
    assert text.returncode == 0, text.stderr
    assert "4 rows, 3 columns" in text.stdout
    assert "tacit bucketize a.csv --quasi age,sex --sensitive disease" in text.stdout
    figures = json.loads(tacit("profile", "a.csv", "--json", cwd=tmp_path).stdout)
    assert (figures["rows"], figures["k"], figures["l"], figures["unique_share"]) == (4, 1, 1, 0.25)


def test_the_first_thing_asked_of_a_process_may_be_a_hierarchy_of_items(tmp_path: Path) -> None:
    """In a process of its own: another command would have loaded the readers before."""
    (tmp_path / "clicks.dat").write_text("a b\nb c\n")
    built = tacit("hierarchy", "build", "clicks.dat", "--by", "flat", cwd=tmp_path)
    assert (built.returncode, built.stderr) == (0, "")
    assert built.stdout.split() == ["a;*", "b;*", "c;*"]


def test_lists_are_separated_by_commas_or_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("a,b,c,d\n1,2,3,x\n4,5,6,y\n")
    found = []
    for quasi in (["--quasi", "a,b"], ["--quasi", "a", "--quasi", "b"]):
        assert main(["profile", "a.csv", *quasi, "--sensitive", "d", "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]
    assert found[0]["quasi"] == ["a", "b"]


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (["profile", "missing.csv"], 3, "file-missing"),
        pytest.param(["profile"], 2, "usage", marks=pytest.mark.ci),
        pytest.param(["nonsense"], 2, "usage", marks=pytest.mark.ci),
        pytest.param(["profile", "a.csv", "--nonsense"], 2, "usage", marks=pytest.mark.ci),
        pytest.param(["profile", "a.csv", "--quasi", "b"], 2, "unknown-column", marks=pytest.mark.ci),
        (["mine", "itemsets", "a.csv", "--min-support", "few"], 2, "parameter-range"),
        pytest.param(
            ["mine", "itemsets", "a.csv", "--min-support", "0", "--quasi", "a"],
            2,
            "parameter-range",
            marks=pytest.mark.ci,
        ),
    ],
)
def test_errors_have_a_code_and_a_class(
    arguments: list[str], exit_code: int, code: str, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n2\n")
    done = tacit(*arguments, "--json", cwd=tmp_path)
    assert done.returncode == exit_code, done.stdout + done.stderr
    assert json.loads(done.stdout)["error"]["code"] == code
    plain = tacit(*arguments, cwd=tmp_path)
    assert plain.returncode == exit_code
    assert plain.stdout == "" and plain.stderr.startswith("tacit: ") and "Traceback" not in plain.stderr


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    done = tacit("profile", "missing.csv", "--debug", cwd=tmp_path)
    assert "Traceback" in done.stderr
    assert done.returncode == 3


def test_standard_input_and_compressed_files_are_read_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import gzip

    import zstandard

    content = b"age,disease\n1,flu\n2,cold\n"
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(content))
    (tmp_path / "a.csv.zst").write_bytes(zstandard.compress(content))
    for name in ("a.csv.gz", "a.csv.zst"):
        assert main(["profile", str(tmp_path / name), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["rows"] == 2
    piped = subprocess.run(
        [sys.executable, "-m", "tacit", "profile", "-", "--json"],
        input=content,
        capture_output=True,
        check=True,
    )
    assert json.loads(piped.stdout)["rows"] == 2


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m tacit sample --list | true",
        shell=True,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr


def test_the_environment_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,x\n")
    before = set(tmp_path.iterdir())
    tacit("profile", "a.csv", cwd=tmp_path)
    assert set(tmp_path.iterdir()) == before
