"""What names something on Spark: a table of its catalog, or a folder of parts such as it writes."""

from __future__ import annotations

from pathlib import Path

ADDRESS = "spark:"
"""How the address of a table of Spark's catalog begins."""


def is_spark_address(source: object) -> bool:
    """Whether a source names a table of Spark's catalog."""
    return isinstance(source, str) and source.startswith(ADDRESS)


def is_folder(path: Path) -> bool:
    """Whether a path is a folder; one that cannot be, because its name is too long, is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_folder_of_parts(source: str | Path) -> bool:
    """Whether a path is a folder such as Spark writes, with files ``part-…``."""
    return is_folder(Path(source)) and any(Path(source).glob("part-*"))
