"""One file, written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tacit.errors import OutputError
from tacit.io.output import check_file, whole_file, writing_to


def test_a_file_takes_its_place_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "out.csv.gz"
    with whole_file(target) as file:
        assert file.suffixes[-2:] == [".csv", ".gz"]  # writers that go by the suffix see the same one
        file.write_bytes(b"new")
        assert not target.exists()
    assert target.read_bytes() == b"new"
    assert [path.name for path in target.parent.iterdir()] == ["out.csv.gz"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_nothing_is_left_of_a_file_that_failed(error: type[BaseException], tmp_path: Path) -> None:
    for target in (tmp_path / "a" / "b" / "out.csv", tmp_path / "out.csv"):
        with pytest.raises(error), whole_file(target) as file:
            file.write_bytes(b"half")
            raise error
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_bytes(b"old")
    with pytest.raises(OutputError) as caught, whole_file(target):
        pass
    assert caught.value.code == "output-exists"
    with pytest.raises(ValueError), whole_file(target, overwrite=True) as file:
        file.write_bytes(b"half")
        raise ValueError
    assert target.read_bytes() == b"old"
    with whole_file(target, overwrite=True) as file:
        file.write_bytes(b"new")
    assert target.read_bytes() == b"new"


def test_only_a_file_is_written_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path, tmp_path / "pipe", Path("/dev/null"), Path("/dev/full")):
        with pytest.raises(OutputError) as caught:
            check_file(target, overwrite=True)
        assert caught.value.code == "output-exists"


def test_the_input_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"mine")
    with (
        pytest.raises(OutputError) as caught,
        whole_file(tmp_path / "in.csv", overwrite=True, sources=[tmp_path / "in.csv"]),
    ):
        pass
    assert caught.value.code == "output-is-input"


def test_errors_that_are_not_the_disks_pass_through(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), writing_to(tmp_path):
        raise ZeroDivisionError
