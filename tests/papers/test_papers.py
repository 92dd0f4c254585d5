"""The list of papers, where their data come from, and a command line that asks for something else."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from papers.__main__ import main
from papers.disclosure_examples import examples
from papers.hiding_around import figure_2
from papers.injector_tables import nine_patients
from papers.km_whole import worked_example
from papers.run import PAPERS, reproduce
from papers.sources import PUBLISHED, check_folder, find_adult, find_transactions
from tacit.errors import InputError


def test_every_paper_says_what_it_is() -> None:
    assert tuple(PAPERS) == ("injector", "km", "hiding", "disclosure")
    for name in PAPERS:
        paper = import_module(f"papers.{name}")
        assert paper.TITLE and re.search(r"20\d\d\.$", paper.CITATION)


def test_what_the_papers_print_of_small_examples_is_found() -> None:
    (first, second), patients, cuts, products = examples(), nine_patients(), worked_example(), figure_2()
    for figure in (second, patients, cuts, products):
        assert figure.findings and all(each.agrees for each in figure.findings)
    assert [each.agrees for each in first.findings] == [True, False]  # rounded: see its reason


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


@pytest.mark.parametrize("arguments", [["nobody"], ["km", "--fast"]])
def test_a_command_that_is_not_known(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert arguments[-1] in capsys.readouterr().err


def test_a_folder_of_data_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["hiding", "--data", "nowhere"]) == 3
    assert "TACIT_DATA" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_is_a_file_is_refused_before_anything_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    for output in (tmp_path / "file", tmp_path / "file" / "out"):
        assert main(["hiding", "-o", str(output)]) == 6
        assert str(tmp_path / "file") in capsys.readouterr().err
