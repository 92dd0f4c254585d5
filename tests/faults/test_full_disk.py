"""A disk that is really full, at every size from too small to large enough."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tacit.errors import OutputError
from tacit.release import publish
from tests.faults.injection import exit_code, start_child
from tests.faults.releases import in_place, left_over, manifest, publish_small
from tests.tally import Tally

_NO_DISK = 77
_NEW_MOUNTS, _NEW_USERS = 0x00020000, 0x10000000
_PRIVATE, _RECURSIVE = 1 << 18, 1 << 14


def _on_small_disk(folder: Path, options: str, work: Callable[[Path], object]) -> int:
    """The exit code of the work, in a process of its own that alone sees a small disk on the folder."""

    def run() -> None:
        user, group = os.geteuid(), os.getegid()
        libc = ctypes.CDLL(None, use_errno=True)
        refused = libc.unshare(_NEW_MOUNTS | (_NEW_USERS if user else 0))
        if user and not refused:
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
            Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        refused = refused or libc.mount(b"none", b"/", None, _PRIVATE | _RECURSIVE, None)
        refused = refused or libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, options.encode())
        if refused:
            os._exit(_NO_DISK)
        work(folder)

    return exit_code(start_child(run))


def _publish_and_look(disk: Path) -> None:
    target = disk / "below" / "out"
    try:
        publish_small(target)
    except OutputError as error:
        assert error.code == "output-no-space"
        assert list(disk.iterdir()) == []
        raise
    assert in_place(target) == "new"
    assert left_over(target) == []


@pytest.mark.parametrize("unit", ["size={}k", "size=1m,nr_inodes={}"], ids=["bytes", "files"])
def test_every_size(unit: str, tmp_path: Path, tally: Tally) -> None:
    sizes = range(2, 60, 1 if "inodes" in unit else 4)
    codes = [_on_small_disk(tmp_path, unit.format(size), _publish_and_look) for size in sizes]
    if _NO_DISK in codes:
        pytest.skip("this machine lets no test mount a disk; the injected faults cover the same points")
    tally("crash points", "the store, a disk that is full", tried=len(codes))
    refused = codes.count(6)
    assert refused > 3
    assert codes == [6] * refused + [0] * (len(codes) - refused)  # too small, and then large enough
    assert len(codes) - refused > 3


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_frames_written_by_polars(format: str, tmp_path: Path) -> None:
    """A library that words the error of the disk in its own way is understood too."""
    import polars

    frame = polars.DataFrame({"zip": range(1000)})

    def write(path: Path) -> None:
        path.symlink_to("/dev/full")
        getattr(frame, f"write_{format}")(path)

    with pytest.raises(OutputError) as caught:
        publish(tmp_path / "out", {"table": write}, manifest(), {}, verify=lambda folder: None)
    assert caught.value.code == "output-no-space"
    assert list(tmp_path.iterdir()) == []
