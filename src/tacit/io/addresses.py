"""What names something on Spark: a table of its catalog, or a folder of parts such as it writes."""

from __future__ import annotations

import re
from pathlib import Path

ADDRESS = "spark:"
"""How the address of a table of Spark's catalog begins."""


def is_spark_address(source: object) -> bool:
    """Whether a source names a table of Spark's catalog."""
    return isinstance(source, str) and source.startswith(ADDRESS)


def literal_path(origin: str) -> str:
    """A path as Spark is to read it: the name of a file that is here stands for that file alone.

    Spark takes ``[``, ``{``, ``*`` and the like for patterns, by which ``a[1].csv`` is a file ``a1.csv``.
    """
    try:
        here = Path(origin).exists()
    except OSError:  # a name that is too long
        here = False
    return re.sub(r"[\\\[\]{}*?]", r"\\\g<0>", origin) if here else origin


def is_folder(path: Path) -> bool:
    """Whether a path is a folder; one that cannot be, because its name is too long, is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_folder_of_parts(source: str | Path) -> bool:
    """Whether a path is a folder such as Spark writes, with files ``part-…``."""
    return is_folder(Path(source)) and any(Path(source).glob("part-*"))
