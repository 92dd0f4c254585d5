"""Small releases that can be told apart, and what is found on the disk after a fault."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from tacit.release import Manifest, Published, private_record, publish
from tacit_verify.manifest import manifest_checks
from tacit_verify.release import open_release
from tests.verify.figures import of_buckets

CANARY = b"Zaphod Beeblebrox, 42 Betelgeuse Road"
"""A person of the original: in the private record, and nowhere else."""


def manifest(label: str = "new", **changes: object) -> Manifest:
    """A manifest whose word for a missing value tells which release it belongs to."""
    values: dict[str, object] = {
        "kind": "bucketized",
        "method": "anatomy",
        "parameters": {
            "l": 3, "form": "qit", "quasi": ["zip"], "keep": [], "sensitive": ["disease"], "group": "group",
            "rows": 2, "buckets": 1, "suppressed": 0, "nulls": "own", "null_values": [label],
        },
        "promise": {"l": 3},
        "reader": {"rules": [], "nodes": {}},
        **of_buckets(2, 1, l=3, unique=0.0),
        "versions": {"tacit": "0"},
    }  # fmt: skip
    return Manifest(**{**values, **changes})  # type: ignore[arg-type]


def publish_small(
    target: Path, label: str = "new", *, overwrite: bool = False, verify: Callable[[Path], object] = id
) -> Published:
    """Publish a release of two files, one from bytes and one by a function, with a private record."""

    def write_in_two_pieces(path: Path) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
        try:
            os.write(descriptor, b"group,disease,count\n")
            os.write(descriptor, f"1,{label},2\n".encode())
        finally:
            os.close(descriptor)

    return publish(
        target,
        {"qit.csv": f"zip,group\n{label},1\n".encode(), "st.csv": write_in_two_pieces},
        manifest(label),
        {"plan.json": label.encode(), "rows.csv": CANARY},
        verify=verify,
        overwrite=overwrite,
    )


def in_place(target: Path) -> str | None:
    """The label of the release in place, or None; it must be whole and have its own whole record."""
    label = whole(target)
    if label is None:
        return None
    record = private_record(target)
    assert record is not None
    assert (record / "plan.json").read_bytes() == label.encode()
    assert (record / "rows.csv").read_bytes() == CANARY
    assert stat.S_IMODE(record.parent.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in record.iterdir())
    assert not any(CANARY in file.read_bytes() for file in target.iterdir())
    return label


def whole(target: Path) -> str | None:
    """The label of the release in place, or None; it must be whole."""
    if not target.exists():
        return None
    release = open_release(target)
    assert [check for check in manifest_checks(release) if check.ok is False] == []
    return str(release.parameters["null_values"][0])


def left_over(target: Path) -> list[str]:
    """What lies beside the release and its one private record; others must not be able to read it."""
    found = []
    root = target.with_name(target.name + ".private")
    for path in target.parent.iterdir() if target.parent.exists() else ():
        if path not in (target, root):
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
            found.append(path.name)
    if root.exists():
        assert stat.S_IMODE(root.stat().st_mode) & 0o077 == 0
        own = private_record(target) if target.exists() else None
        found += [f"{root.name}/{path.name}" for path in root.iterdir() if path != own]
        if own is None:
            found.append(root.name)
    return sorted(found)
