"""The list of papers, where their data come from, and a command line that asks for something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.errors import InputError, UsageError
from tacit.surface.cli import main
from tacit.surface.reproduce.papers import ALL, PAPERS, papers, reproduce
from tacit.surface.reproduce.sources import PUBLISHED, check_folder, find_adult, find_transactions


def test_every_paper_has_its_name() -> None:
    assert papers(ALL) == tuple(PAPERS) == ("injector", "km", "hiding", "disclosure")
    assert papers("km") == ("km",)
    with pytest.raises(UsageError) as caught:
        papers("nobody")
    assert caught.value.code == "unknown-paper"
    assert "injector" in str(caught.value.hint)


def test_the_folder_of_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TACIT_DATA", raising=False)
    assert check_folder(None) is None
    monkeypatch.setenv("TACIT_DATA", str(tmp_path / "absent"))
    assert check_folder(None) is None
    monkeypatch.setenv("TACIT_DATA", str(tmp_path))
    assert check_folder(None) == tmp_path
    with pytest.raises(InputError) as caught:
        reproduce(["hiding"], data=tmp_path / "absent")
    assert caught.value.code == "data-folder-missing"


def test_nothing_is_found_in_an_empty_folder(tmp_path: Path) -> None:
    for folder in (None, tmp_path):
        assert find_adult(folder, part="train") is None
        assert all(find_transactions(folder, name) is None for name in PUBLISHED)


def test_published_data_are_found(public_data: Path) -> None:
    groceries = find_transactions(public_data, "Groceries")
    assert groceries is not None and groceries.published
    assert len(groceries.data) == 9_835
    assert "9,835" in groceries.words


def test_a_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "BMS-WebView-1.dat").write_text("1 2 3\n")
    with pytest.raises(InputError) as caught:
        find_transactions(tmp_path, "BMS-WebView-1")
    assert caught.value.code == "sample-changed"


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["reproduce", "nobody"], "unknown-paper", 2),
        (["reproduce"], "usage", 2),
        (["reproduce", "km", "--fast"], "usage", 2),
        (["reproduce", "hiding", "--data", "nowhere"], "data-folder-missing", 3),
    ],
)
def test_a_command_that_cannot_be_run(
    arguments: list[str],
    code: str,
    exit_code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*arguments, "--json"]) == exit_code
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_is_a_file_is_refused_before_anything_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    for output in (tmp_path / "file", tmp_path / "file" / "out"):
        assert main(["reproduce", "hiding", "-o", str(output), "--json"]) == 6
        assert json.loads(capsys.readouterr().out)["error"]["code"] == "output-not-writable"
