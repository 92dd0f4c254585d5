"""Small tables and their releases, for tests of the verb and of the verifier."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.data.table import Table, table_from_frame
from tacit.methods.bucketize.release import BucketizedRelease
from tacit.release import Manifest
from tacit.release.manifest import PublishedFile
from tacit.release.published import Release

PATIENTS = pl.DataFrame(
    {
        "zip": ["47677", "47602", "47678", "47905", "47909", "47906", "47605", "47673", "47607"],
        "age": ["29", "22", "27", "43", "52", "47", "30", "36", "32"],
        "sex": ["F", "F", "M", "M", "F", "M", "M", "M", "M"],
        "disease": [
            "Ovarian Cancer", "Ovarian Cancer", "Prostate Cancer", "Flu", "Heart Disease", "Heart Disease",
            "Heart Disease", "Flu", "Flu",
        ],
    }
)  # fmt: skip
"""The nine patients of the paper's Table I."""


def patients() -> Table:
    return table_from_frame(PATIENTS, quasi=["zip", "age", "sex"], sensitive="disease")


def random_table(generator: np.random.Generator, *, rows: int = 40, sensitive: int = 1) -> Table:
    """A table whose sensitive values depend on who has them, so that there is something to mine."""
    sex = generator.integers(0, 2, rows)
    age = generator.integers(0, 5, rows)
    columns = {"sex": [["f", "m"][code] for code in sex], "age": [str(20 + 10 * code) for code in age]}
    for place in range(sensitive):
        drawn = generator.integers(0, 6, rows)
        drawn = np.where((sex == 0) & (drawn == 5), 0, drawn)
        drawn = np.where((age == 4) & (drawn == 4), 1, drawn)
        columns[f"s{place}"] = [f"v{code}" for code in drawn]
    columns["note"] = [f"n{code}" for code in generator.integers(0, 3, rows)]
    names = [f"s{place}" for place in range(sensitive)]
    return table_from_frame(pl.DataFrame(columns), quasi=["sex", "age"], sensitive=names, keep=["note"])


def write(release: BucketizedRelease, folder: Path) -> Path:
    """The published files and the manifest, written without the store: fast, and nothing is checked."""
    folder.mkdir(parents=True)
    release = release.complete()
    for name, content in release.files.items():
        assert callable(content)
        content(folder / name)
    sign(folder, release.manifest)
    return folder


def sign(folder: Path, manifest: Manifest) -> None:
    """Write the manifest with the digests of the files as they are now."""
    files = {}
    for path in sorted(folder.iterdir()):
        if path.name != "release.json":
            content = path.read_bytes()
            files[path.name] = PublishedFile(hashlib.sha256(content).hexdigest(), len(content))
    (folder / "release.json").write_text(replace(manifest, files=files).to_json(), encoding="utf-8")


def edit_manifest(folder: Path, **changes: Any) -> None:
    """Change fields of the manifest, and write it canonically."""
    path = folder / "release.json"
    values = json.loads(path.read_text(encoding="utf-8")) | changes
    path.write_text(json.dumps(values, ensure_ascii=False, sort_keys=True, indent=2) + "\n", encoding="utf-8")


def resign(folder: Path) -> None:
    """Give every file the digest it has now, as somebody would who changed it on purpose."""
    files: dict[str, Mapping[str, Any]] = {}
    for path in sorted(folder.iterdir()):
        if path.name != "release.json":
            content = path.read_bytes()
            files[path.name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    edit_manifest(folder, files=files)


def published_bytes(release: Release, folder: Path) -> dict[str, bytes]:
    """What would be published, by file name, the manifest included."""
    assert isinstance(release, BucketizedRelease)
    written = write(release, folder)
    return {path.name: path.read_bytes() for path in sorted(written.iterdir())}
