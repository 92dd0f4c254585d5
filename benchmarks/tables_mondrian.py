"""Mondrian by anonypy or anonypyx, run in an environment of its own: classes of at least k rows.

    python tables_mondrian.py anonypy|anonypyx TABLE.csv QUASI SENSITIVE K OUT.txt

QUASI is comma-separated; columns of numbers are taken as such. Prints the CPU seconds of dividing and writing
the release, as JSON; OUT.txt gets the class of each row.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd


def by_anonypy(rows: Any, quasi: list[str], sensitive: str, k: int) -> Callable[[], Any]:
    from anonypy import Preserver
    from anonypy.anonypy import anonymize

    asked = Preserver(rows, quasi, sensitive).modrian

    def run() -> Any:
        parts = asked.partition(k, 0, 0.0)
        anonymize(rows, parts, quasi, sensitive)
        return parts

    return run


def by_anonypyx(rows: Any, quasi: list[str], sensitive: str, k: int) -> Callable[[], Any]:
    from anonypyx import Anonymiser
    from anonypyx.generalisation import HumanReadable

    asked = Anonymiser(
        rows, k=k, algorithm="Mondrian", quasi_identifiers=quasi, sensitive_attribute=sensitive,
        generalisation_strategy="human-readable",
    )  # fmt: skip

    def run() -> Any:
        parts = asked.algorithm.partition(asked.parameters)
        HumanReadable.create_for_data(rows, quasi).generalise(rows, parts)
        return parts

    return run


def main() -> None:
    tool, table, named, sensitive, k, out = sys.argv[1:]
    quasi = named.split(",")
    rows = pd.read_csv(table)[[*quasi, sensitive]]
    for name in rows.columns:
        if not pd.api.types.is_numeric_dtype(rows[name]):
            rows[name] = rows[name].astype("category")
    run = {"anonypy": by_anonypy, "anonypyx": by_anonypyx}[tool](rows, quasi, sensitive, int(k))
    started = process_time()
    parts = run()
    print(json.dumps({"seconds": process_time() - started}))
    class_of = np.full(len(rows), -1)
    for number, part in enumerate(parts):
        class_of[list(part)] = number
    Path(out).write_text("".join(f"{number}\n" for number in class_of))


if __name__ == "__main__":
    main()
