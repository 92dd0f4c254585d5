"""A folder as one file to download."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path


def zipped(folder: Path, target: Path, *, inside: str) -> None:
    """The files of a folder as a zip archive, inside a folder; the same files give the same bytes."""
    with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(f"{inside}/{path.relative_to(folder).as_posix()}")
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                with path.open("rb") as file, archive.open(entry, "w", force_zip64=True) as packed:
                    shutil.copyfileobj(file, packed, 1 << 20)
