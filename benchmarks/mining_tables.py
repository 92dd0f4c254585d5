"""CPU time of mining tables: every pattern of Adult with its counts, rules, and negative rules of any length.

Run it with ``python benchmarks/mining_tables.py [--quick]``; ``--quick`` leaves the two larger sizes out.
The other miners know neither hierarchies nor counts for each sensitive value, so nobody stands beside.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from table import SECONDS, Row, best, peak_mb, record, record_slope

os.environ.setdefault("TACIT_DATA", str(Path(__file__).resolve().parents[2] / "shared" / "data"))

from papers.disclosure import QUASI
from tacit.data.table import Table
from tacit.engine.local.engine import LocalEngine
from tacit.errors import InputError
from tacit.io.samples.hospital import hospital
from tacit.io.samples.public import adult
from tacit.mining.conjunctions import attributes_of, conjunctions
from tacit.mining.mine import mine_table_rules
from tacit.mining.verbs import mine_negative_rules


def main() -> None:
    """Print seconds and counts."""
    try:
        train, whole = adult(part="train"), adult()
    except InputError as error:
        print(f"Adult is left out: {error}")
    else:
        salary = train.with_roles(quasi=QUASI, sensitive=("salary",))
        show("every pattern, with its counts", salary, lambda: patterns(salary), 1.0, "patterns")
        show(
            "rules at support 0.02, confidence 0.6",
            salary,
            lambda: len(mine_table_rules(salary, min_support=0.02, min_confidence=0.6, max_length=None)),
            None,
            "rules",
        )
        for length, told in ((1, "one attribute"), (2, "two attributes"), (None, "any number of attributes")):
            show(
                f"negative rules of {told}, expectation 0.9",
                whole,
                lambda length=length: len(mine_negative_rules(whole, min_expectation=0.9, max_length=length)),
                10.0 if length is None else None,
                "rules",
            )
    sizes = [25_000, 50_000, 100_000] if "--quick" in sys.argv else [100_000, 200_000, 400_000]
    seconds = []
    for size in sizes:
        table = hospital(size).with_roles(quasi=("zip", "age", "sex"), sensitive=("disease",))
        seconds.append(best(lambda table=table: mine_negative_rules(table, min_expectation=0.9)).cpu)
    found = record_slope("mining", "negative rules of the hospital sample", sizes, seconds, 1.1)
    print(f"negative rules of the hospital sample: slope {found:.2f}")


def show(what: str, table: Table, work: Callable[[], int], bound: float | None, noun: str) -> None:
    """Measure, print, record."""
    taken, found = best(work), work()
    print(f"{what:60}{taken.cpu:8.3f} s{found:>10,} {noun}")
    record(
        Row(
            area="mining",
            what=f"Adult: {what}",
            size=f"{len(table):,} rows",
            cpu=taken.cpu,
            wall=taken.wall,
            peak_mb=peak_mb(),
            figure=SECONDS,
            value=taken.cpu,
            bound=bound,
            quality=f"{found:,} {noun}",
        )
    )


def patterns(table: Table) -> int:
    """How many patterns the table has, counted for each sensitive value."""
    combinations = LocalEngine().combinations(table, [*QUASI, "salary"])
    attributes = attributes_of(table, QUASI, hierarchies=False)
    values = len(table.column("salary").values)
    return values * sum(len(each) for each in conjunctions(combinations, attributes, "salary", min_count=1))


if __name__ == "__main__":
    main()
