"""What a reader could mine: patterns in the baskets, rules and negative rules in the hospital."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tacit.io.readers import read_transactions
from tacit.mining.mine import mine_transactions
from tacit.mining.tables import mine_table_rules
from tacit.mining.verbs import mine_negative_rules
from tacit.surface.demo.samples import patients_of

SHOWN = 5


def chapter(folder: Path, say: Callable[[str], None]) -> None:
    """Mine both data sets and show the first few of each kind."""
    baskets = read_transactions(folder / "baskets.dat")
    pairs = mine_transactions(baskets, min_support=0.01, min_length=2)
    say(f"{len(pairs):,} sets of two or more products are in 1 % of the baskets or more; the most frequent:")
    for place in (-pairs.supports).argsort(kind="stable")[:SHOWN]:
        say(f"  {pairs[int(place)]}")

    patients = patients_of(folder)
    rules = mine_table_rules(patients, min_support=50, min_confidence=0.1, hierarchies=True).sorted_by("lift")
    say(f"\n{len(rules):,} rules lead from what is known of a patient to a disease; the strongest:")
    for rule, _ in zip(rules, range(SHOWN), strict=False):
        say(f"  {rule}  (support {rule.support}, confidence {rule.confidence:.2f})")

    negative = mine_negative_rules(patients)
    say(f"\n{len(negative):,} negative rules say what a patient cannot have; the surest:")
    for place in (-negative.expectations).argsort(kind="stable")[:SHOWN]:
        say(f"  {negative[int(place)]}")
