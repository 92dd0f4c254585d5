"""The release store: what is put in place, what is refused, and what is never touched."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tacit.errors import InputError, OutputError
from tacit.release import check_output, private_record, publish, read_manifest, recover
from tests.faults.releases import CANARY, in_place, left_over, manifest, publish_small


def _refused(code: str, target: Path, **options: object) -> str:
    with pytest.raises(OutputError) as caught:
        publish(target, {"a.csv": b"a\n"}, manifest(), {}, verify=id, **options)  # type: ignore[arg-type]
    assert (caught.value.code, caught.value.exit_code) == (code, 6)
    if len(target.name) < 250:  # the one thing that only writing shows
        with pytest.raises(OutputError) as early:
            check_output(target, **options)  # type: ignore[arg-type]
        assert str(early.value) == str(caught.value)
    return str(caught.value)


def test_a_release_and_its_record_are_put_in_place(tmp_path: Path) -> None:
    published = publish_small(tmp_path / "a" / "b" / "out")  # the folders above are made
    assert published.folder == tmp_path / "a" / "b" / "out"
    assert published.private == private_record(published.folder)
    assert published.manifest == read_manifest(published.folder)
    assert set(published.manifest.files) == {"qit.csv", "st.csv"}
    assert in_place(published.folder) == "new"
    assert left_over(published.folder) == []


def test_the_same_release_has_the_same_bytes(tmp_path: Path) -> None:
    first, second = publish_small(tmp_path / "one"), publish_small(tmp_path / "two" / "three")
    for path in first.folder.iterdir():
        assert path.read_bytes() == (second.folder / path.name).read_bytes()


def test_modes_follow_the_umask_and_the_record_is_closed(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        published = publish_small(tmp_path / "out")
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in published.folder.iterdir()}
    assert modes == dict.fromkeys(("qit.csv", "st.csv", "release.json"), 0o640)
    assert stat.S_IMODE(published.folder.stat().st_mode) == 0o750
    assert published.private is not None
    assert stat.S_IMODE((tmp_path / "out.private").stat().st_mode) == 0o700
    assert stat.S_IMODE((published.private / "rows.csv").stat().st_mode) == 0o600


def test_a_record_written_by_a_function_is_closed_too(tmp_path: Path) -> None:
    record = {"map.csv": lambda path: path.write_bytes(CANARY)}
    published = publish(tmp_path / "out", {}, manifest(), record, verify=id)
    assert published.private is not None
    assert stat.S_IMODE((published.private / "map.csv").stat().st_mode) == 0o600


def test_without_a_record_there_is_no_private_folder(tmp_path: Path) -> None:
    assert publish(tmp_path / "out", {"a.csv": b""}, manifest(), {}, verify=id).private is None
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_overwrite_replaces_release_and_record(tmp_path: Path) -> None:
    target = tmp_path / "out"
    publish_small(target, "old")
    publish_small(target, "new", overwrite=True)
    assert in_place(target) == "new"
    assert left_over(target) == []
    publish(target, {}, manifest("bare"), {}, verify=id, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_same_release_again_takes_the_new_record(tmp_path: Path) -> None:
    """The row map follows the order of the input, which the release does not show."""
    for order in (b"1 2", b"2 1"):
        published = publish(
            tmp_path / "out", {"a.csv": b""}, manifest(), {"map": order}, verify=id, overwrite=True
        )
        assert published.private is not None
        assert (published.private / "map").read_bytes() == order
        assert left_over(tmp_path / "out") == []


def test_the_record_of_a_release_that_was_moved_away_is_kept(tmp_path: Path) -> None:
    first = publish_small(tmp_path / "out", "first")
    first.folder.rename(tmp_path / "sent")
    publish_small(tmp_path / "out", "second")
    assert first.private is not None
    assert first.private.is_dir()


def test_existing_outputs_are_refused(tmp_path: Path) -> None:
    target = tmp_path / "out"
    publish_small(target, "old")
    assert "--overwrite" in _refused("output-exists", target)
    assert in_place(target) == "old"
    (tmp_path / "file").write_text("mine")
    _refused("output-exists", tmp_path / "file")
    (tmp_path / "empty").mkdir()
    _refused("output-exists", tmp_path / "empty")
    publish(tmp_path / "empty", {}, manifest(), {}, verify=id, overwrite=True)  # nothing to lose


def test_overwrite_never_takes_a_persons_folder(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    (target / "thesis.txt").write_text("mine")
    _refused("output-not-a-release", target, overwrite=True)
    (target / "release.json").write_text('{"version": "1.0"}')  # some other program's
    _refused("output-not-a-release", target, overwrite=True)
    (target / "release.json").write_text(manifest().to_json())  # a release to which a file was added
    assert "thesis.txt" in _refused("output-not-a-release", target, overwrite=True)
    assert (target / "thesis.txt").read_text() == "mine"
    (tmp_path / "file").write_text("mine")
    _refused("output-not-a-release", tmp_path / "file", overwrite=True)
    for everything in (tmp_path, Path("/"), Path(), Path("..")):
        _refused(
            "output-name" if everything == Path("/") else "output-not-a-release", everything, overwrite=True
        )


def test_a_persons_private_folder_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "out.private").mkdir()
    (tmp_path / "out.private" / "diary.txt").write_text("mine")
    assert "diary.txt" in _refused("output-not-a-release", tmp_path / "out")
    assert [path.name for path in (tmp_path / "out.private").iterdir()] == ["diary.txt"]
    (tmp_path / "linked.private").symlink_to(tmp_path)
    _refused("output-not-a-release", tmp_path / "linked")


@pytest.mark.parametrize("below", ["", "data/in.csv"])
def test_the_input_is_never_the_output(below: str, tmp_path: Path) -> None:
    source = tmp_path / "out" / below
    source.parent.mkdir(exist_ok=True, parents=True)
    source.touch()
    for overwrite in (False, True):
        _refused("output-is-input", tmp_path / "out", sources=[source], overwrite=overwrite)
    (tmp_path / "link").symlink_to(source)
    _refused("output-is-input", tmp_path / "out", sources=[tmp_path / "link"])
    _refused("output-is-input", tmp_path / "x", sources=[tmp_path / "x.private" / "rows.csv"])
    check_output(tmp_path / "elsewhere", sources=[source])


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    publish_small(tmp_path / "real", "old")
    for name, goal in (("to-release", "real"), ("to-nothing", "nowhere")):
        (tmp_path / name).symlink_to(goal)
        _refused("output-symlink", tmp_path / name, overwrite=True)
    assert in_place(tmp_path / "real") == "old"
    (tmp_path / "folder").symlink_to(tmp_path / "real-folder")
    (tmp_path / "real-folder").mkdir()
    publish_small(tmp_path / "folder" / "out")  # a link above the output is the person's own way there
    assert in_place(tmp_path / "real-folder" / "out") == "new"


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    _refused("output-not-writable", tmp_path / "file" / "out")
    _refused("output-not-writable", tmp_path / "file" / "below" / "out")
    _refused("output-name", tmp_path / "out.private")
    _refused("output-name", tmp_path / ("x" * 250))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    with pytest.raises(OutputError) as caught:
        publish_small(Path("/sys/out"))  # closed to root too
    assert caught.value.code == "output-not-writable"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    _refused("output-not-writable", tmp_path / "out")


@pytest.mark.parametrize("name", ["release.json", "../x.csv", "a/b.csv", ".hidden", "", "a b.csv"])
def test_names_of_files_are_plain(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="name of a file"):
        publish(tmp_path / "out", {name: b""}, manifest(), {}, verify=id)
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_a_writer_is_handed_on_and_nothing_is_left(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        path.write_bytes(CANARY)
        raise InputError("No such row.", code="row")

    for files, private in (({"a.csv": fail}, {}), ({}, {"a.csv": fail})):
        with pytest.raises(InputError):
            publish(tmp_path / "below" / "out", files, manifest(), private, verify=id)
        assert list(tmp_path.iterdir()) == []


def test_only_temporaries_of_this_target_are_removed(tmp_path: Path) -> None:
    """A target whose name starts like another's temporary folder is left alone."""
    for name in (
        ".out.tacit-abcd1234",
        ".out.tacit-b.tacit-abcd1234",
        ".out.tacit-notes",
        ".outx.tacit-abcd1234",
    ):
        (tmp_path / name).mkdir()
    recover(tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {
        ".out.tacit-b.tacit-abcd1234",
        ".out.tacit-notes",
        ".outx.tacit-abcd1234",
    }
    recover(tmp_path / "no" / "such" / "folder" / "out")
