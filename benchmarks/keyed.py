"""CPU time of keyed randomness at three sizes, beside numpy's own generator and sort.

Run it with ``python benchmarks/keyed.py [ROWS]``; the largest of the three sizes is 20 million rows
unless told otherwise. The slope is the growth from the smallest size to the largest, as a power of
the number of rows: 1 is linear.
"""

import sys

import numpy as np
from table import Row, Taken, best, record, record_slope

from tacit.random.digests import ranks, record_digests, set_digests, value_digests
from tacit.random.key import Key
from tacit.random.keyed import draws, keyed_order, uniform_below

KEY = Key.from_seed(1)
REPEATS = 3
PEERS = {
    "draws (SipHash-2-4)": "  numpy's Philox, as many words",
    "keyed order": "  numpy's argsort alone",
}


def main() -> None:
    """Print seconds by step and size, nanoseconds per row, and the slope."""
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000_000
    sizes = [largest // 4, largest // 2, largest]
    measured = [steps(n) for n in sizes]
    print(
        f"{'CPU seconds, best of ' + str(REPEATS):44}"
        + "".join(f"{n:>12,}" for n in sizes)
        + "  ns/row  slope"
    )
    for step in measured[0]:
        seconds = [run[step].cpu for run in measured]
        slope = record_slope("keyed randomness", step.strip(), sizes, seconds)
        cells = "".join(f"{value:12.3f}" for value in seconds)
        print(f"{step:44}{cells}{1e9 * seconds[-1] / sizes[-1]:8.1f}{slope:7.2f}")
    for step, peer in PEERS.items():
        ours, theirs = measured[-1][step], measured[-1][peer]
        beside = {"peer": peer.strip(), "peer_cpu": theirs.cpu}
        record(
            Row(
                area="keyed randomness",
                what=step,
                size=f"{largest:,} rows",
                cpu=ours.cpu,
                wall=ours.wall,
                **beside,
            )
        )


def steps(n: int) -> dict[str, Taken]:
    """The CPU seconds of every step on n rows of three columns, or n sets of five items."""
    generator = np.random.default_rng(n)
    subkey, content = KEY.subkey("order"), KEY.subkey("content")
    values = value_digests(content, "column", [f"value {at}" for at in range(1000)])
    columns = [(generator.integers(0, 1000, size=n, dtype=np.int32), values) for _ in range(3)]
    indptr = np.arange(0, n + 1, 5, dtype=np.int64)
    distinct = generator.integers(0, 2**64, size=(n, 2), dtype=np.uint64)
    few = distinct[generator.integers(0, min(n, 10_000), size=n)]
    rank = np.zeros(n, dtype=np.int64)
    words = draws(subkey, distinct, rank)
    texts = [f"value {at}" for at in range(n // 20)]
    philox = np.random.Generator(np.random.Philox(1))
    return {
        "value digests, a value for every 20 rows": best(lambda: value_digests(content, "column", texts)),
        "record digests, three columns": best(lambda: record_digests(columns)),
        "set digests, a set for every 5 rows": best(
            lambda: set_digests(indptr, columns[0][0][: indptr[-1]], values)
        ),
        "ranks, all rows different": best(lambda: ranks(distinct)),
        "ranks, 10,000 different rows": best(lambda: ranks(few)),
        "draws (SipHash-2-4)": best(lambda: draws(subkey, distinct, rank)),
        "  numpy's Philox, as many words": best(lambda: philox.integers(0, 2**64, size=n, dtype=np.uint64)),
        "keyed order": best(lambda: keyed_order(words, distinct, rank)),
        "  numpy's argsort alone": best(lambda: np.argsort(words)),
        "whole numbers below 1000": best(lambda: uniform_below(words, 1000)),
    }


if __name__ == "__main__":
    main()
