"""CPU time of reading and writing transactions, beside ``np.fromstring(text, sep=" ")`` on the same bytes.

Run it with ``python benchmarks/reading_transactions.py [--quick]``. The data are made here and seeded:
transactions of ten items on average, item numbers drawn by a power law. The bound for a FIMI file of
5,000,000 items is three times ``np.fromstring``, which parses the numbers and does nothing else. The
slope is the growth from the smallest size to the largest, as a power of the number of items: 1 is
linear. Compilation is left out: every step runs once before it is measured.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from table import Row, Taken, best, peak_mb, record, record_slope

from tacit.io.readers.transactions import read_transactions
from tacit.io.writers import write_transactions

BOUND = 3.0
REPEATS = 3
VOCABULARIES = (1_000, 100_000)


def main() -> None:
    """Print CPU seconds by step and size, the slope, and the ratio that has a bound."""
    largest = 500_000 if "--quick" in sys.argv else 5_000_000
    sizes = [largest // 4, largest // 2, largest]
    for vocabulary in VOCABULARIES:
        measured = [steps(size, vocabulary) for size in sizes]
        title = f"{vocabulary:,} items, CPU seconds, best of {REPEATS}"
        print(f"{title:44}" + "".join(f"{size:>12,}" for size in sizes) + "  slope")
        for step in measured[0]:
            seconds = [run[step].cpu for run in measured]
            slope = record_slope("reading", f"{step}, {vocabulary:,} distinct items", sizes, seconds)
            print(f"{step:44}" + "".join(f"{value:12.3f}" for value in seconds) + f"{slope:7.2f}")
        ours, theirs = measured[-1]["read FIMI"], measured[-1]["np.fromstring"]
        ratio = ours.cpu / theirs.cpu
        print(f"read FIMI / np.fromstring at {largest:,} occurrences: {ratio:.2f} (bound {BOUND:.0f})\n")
        record(
            Row(
                area="reading",
                what=f"FIMI file, {vocabulary:,} distinct items",
                size=f"{largest:,} occurrences",
                cpu=ours.cpu,
                wall=ours.wall,
                peak_mb=peak_mb(),
                peer="np.fromstring",
                peer_cpu=theirs.cpu,
                bound=BOUND,
            )
        )


def steps(size: int, vocabulary: int) -> dict[str, Taken]:
    """The CPU seconds of each step on a file that holds ``size`` occurrences of items."""
    text = fimi_text(size, vocabulary)
    with tempfile.TemporaryDirectory() as folder:
        fimi = Path(folder) / "x.dat"
        fimi.write_bytes(text)
        transactions = read_transactions(fimi)
        seconds = {
            "np.fromstring": best(lambda: numbers(text)),
            "read FIMI": best(lambda: read_transactions(fimi)),
        }
        for layout in ("dat", "spmf", "basket", "jsonl"):
            path = Path(folder) / f"y.{layout}"
            seconds[f"write {layout}"] = best(
                lambda path=path: write_transactions(transactions, path, overwrite=True)
            )
            seconds[f"read {layout}, sorted as written"] = best(lambda path=path: read_transactions(path))
    return seconds


def fimi_text(size: int, vocabulary: int) -> bytes:
    """Seeded transactions as FIMI text."""
    generator = np.random.default_rng(size)
    items = (vocabulary * generator.power(0.3, size)).astype(np.int64)
    ends = np.cumsum(generator.poisson(10, size // 10 + 1))
    pieces = np.split(items.astype(str), ends[ends < size])
    return ("\n".join(map(" ".join, pieces)) + "\n").encode()


def numbers(text: bytes) -> np.ndarray:
    """What the bound is measured by."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return np.fromstring(text, sep=" ")


if __name__ == "__main__":
    main()
