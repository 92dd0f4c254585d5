"""CPU time of reading and encoding a table, beside ``polars.read_csv`` reading the same file into memory.

Run it with ``python benchmarks/reading.py [--quick]``. The data are made here and seeded: eight columns
of a hospital's kind, among them an identifier that is different in every row, quoted cells, days, and
amounts of 200,000 kinds. The bound at 5,000,000 rows is 2.5 times polars, in CPU seconds of all threads
together. Of identifiers it is kept which rows agree, and no text; a second line encodes that column too. The
slope is the growth from the smallest size to the largest, as a power of the rows: 1 is linear.
Compilation is left out: every step runs once before it is measured. Transactions are measured by
``reading_transactions.py``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from table import Row, Taken, best, peak_mb, record, record_slope

from tacit import read_table, write_table

BOUND = 2.5
REPEATS = 3
QUASI = ("zip", "age", "sex", "admitted", "ward")


def main() -> None:
    """Print CPU seconds by step and size, the slopes, and the ratio that has a bound."""
    largest = 500_000 if "--quick" in sys.argv else 5_000_000
    sizes = [largest // 4, largest // 2, largest]
    measured = [tables(size) for size in sizes]
    print(f"{f'CPU seconds, best of {REPEATS}':44}" + "".join(f"{size:>12,}" for size in sizes) + "  slope")
    for step in measured[0]:
        seconds = [run[step].cpu for run in measured]
        slope = record_slope("reading", step, sizes, seconds)
        print(f"{step:44}" + "".join(f"{value:12.3f}" for value in seconds) + f"{slope:7.2f}")
    for step in ("read_table", "read_table, the identifier too"):
        ours, theirs = measured[-1][step], measured[-1]["polars.read_csv"]
        print(f"{step} / polars.read_csv at {largest:,} rows: {ours.cpu / theirs.cpu:.2f} (bound {BOUND})")
        record(
            Row(
                area="reading",
                what=f"CSV of 8 columns, {step}",
                size=f"{largest:,} rows",
                cpu=ours.cpu,
                wall=ours.wall,
                peak_mb=peak_mb(),
                peer="polars.read_csv",
                peer_cpu=theirs.cpu,
                bound=BOUND if step == "read_table" else None,
            )
        )


def tables(rows: int) -> dict[str, Taken]:
    """The CPU seconds of each step on a CSV file of so many rows and eight columns."""
    with tempfile.TemporaryDirectory() as folder:
        path, copy = Path(folder) / "people.csv", Path(folder) / "copy.csv"
        people(rows).write_csv(path)
        table = _read(path, identifiers="patient")
        return {
            "polars.read_csv": best(lambda: pl.read_csv(path), REPEATS),
            "read_table": best(lambda: _read(path, identifiers="patient"), REPEATS),
            "read_table, the identifier too": best(lambda: _read(path), REPEATS),
            "write_table": best(lambda: write_table(table, copy, overwrite=True), REPEATS),
        }


def people(rows: int) -> pl.DataFrame:
    """A seeded table of eight columns."""
    generator = np.random.default_rng(rows)
    diseases = np.array([f"disease number {number}" for number in range(40)] + ["flu, seasonal", "ulcer"])
    wards = np.array([f"ward {letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"])
    return pl.DataFrame(
        {
            "patient": generator.permutation(rows),
            "zip": generator.integers(10_000, 30_000, rows),
            "age": generator.integers(0, 100, rows),
            "sex": np.array(["female", "male"])[generator.integers(0, 2, rows)],
            "admitted": pl.Series(generator.integers(0, 7300, rows)).cast(pl.Int32).cast(pl.Date),
            "ward": wards[generator.integers(0, len(wards), rows)],
            "charge": generator.integers(0, 200_000, rows) / 100,
            "disease": diseases[(generator.random(rows) ** 2 * len(diseases)).astype(int)],
        }
    )


def _read(path: Path, **roles: str) -> object:
    return read_table(path, quasi=QUASI, sensitive="disease", keep="charge", **roles)


if __name__ == "__main__":
    main()
