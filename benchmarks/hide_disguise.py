"""Does a hidden pair stand out, and what decoys change: places, misses, and a reader who is told the block.

Pairs of BMS-WebView-1 that are frequent at 300 are hidden one by one with 0, 4 and 19 decoys. For each the
best place over all attackers of ``tacit.methods.hide.attackers`` is taken, and what the others lost.
Then a reader who is told all patterns that were hidden alike picks the one that looks most suspicious.

    python benchmarks/hide_disguise.py --pairs 45 --trials 200
"""

from __future__ import annotations

import argparse
import os
import random
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

import tacit
from tacit.methods.hide.attackers import disguise
from tacit.methods.hide.make import HiddenRelease
from tacit.random.key import Key

DATA = Path(os.environ.get("TACIT_DATA", "data"))
DECOYS = (0, 4, 19)


def hidden(
    visits: tacit.Transactions, pair: tacit.Itemset, *, least: int, decoys: int, policy: str, seed: int
) -> HiddenRelease:
    """One pair hidden under one key."""
    return tacit.hide(
        visits,
        patterns=[pair],
        min_support=least,
        decoys=decoys,
        policy=policy,
        key=Key.from_seed(seed),
    )


def show_places(visits: tacit.Transactions, pairs: list[tacit.Itemset], *, least: int, policy: str) -> None:
    """Where the strongest attackers find a hidden pair, and what hiding it cost."""
    print("| decoys | patterns hidden | median place | in the first ten | misses | items taken out |")
    print("|---|---|---|---|---|---|")
    for decoys in DECOYS:
        places, misses, gone, many = [], [], [], []
        for number, pair in enumerate(pairs):
            release = hidden(visits, pair, least=least, decoys=decoys, policy=policy, seed=number)
            found = release.risk().disguise
            assert found is not None
            places += [place or np.inf for place in found.patterns.best]
            misses.append(release.utility().misses_cost)
            gone.append(release.utility().dissimilarity)
            many.append(1 + len(release.proposal.plan.decoys))
        print(
            f"| {decoys} | {np.mean(many):.1f} | {np.median(places):.0f} of {found.patterns.candidates:,} | "
            f"{sum(place <= 10 for place in places)} of {len(places)} | {np.mean(misses):.1%} | "
            f"{np.mean(gone):.2%} |",
            flush=True,
        )


def show_block(
    visits: tacit.Transactions, pairs: list[tacit.Itemset], *, least: int, policy: str, trials: int
) -> None:
    """Every attacker is told the block and picks its most suspicious member."""
    draw = random.Random(0)
    right: Counter[str] = Counter()
    chance = 0.0
    for trial in range(trials):
        pair = pairs[draw.randrange(len(pairs))]
        release = hidden(visits, pair, least=least, decoys=DECOYS[-1], policy=policy, seed=1_000 + trial)
        plan = release.proposal.plan
        names = plan.matrix.vocabulary
        block = [frozenset(names[item] for item in seed) for seed in plan.seeds]
        found = disguise(release.published, block, least=least).patterns
        for name, places in {**found.places, "best of all": found.best}.items():
            pick = min(range(len(block)), key=lambda one: (places[one] or np.inf, one))
            right[name] += block[pick] == frozenset(pair.items)
        chance += 1 / len(block)
    print(f"\nTold the block of {DECOYS[-1]} decoys and more, in {trials} trials; chance alone {chance:.1f}:")
    for name, count in right.items():
        p = binomtest(count, trials, chance / trials, alternative="greater").pvalue
        print(f"  {name}: right in {count} (p = {p:.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=45)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--least", type=int, default=300)
    parser.add_argument("--policy", default="certified")
    asked = parser.parse_args()
    visits = tacit.read_transactions(DATA / "BMS-WebView-1.dat")
    mined = tacit.mine_itemsets(visits, min_support=asked.least, min_length=2)
    pairs = [itemset for itemset in mined if len(itemset.items) == 2]
    print(f"{len(pairs)} frequent pairs of {len(mined)} frequent patterns at {asked.least}, {asked.policy}\n")
    chosen = random.Random(1).sample(pairs, min(asked.pairs, len(pairs)))
    if chosen:
        show_places(visits, chosen, least=asked.least, policy=asked.policy)
    if asked.trials:
        show_block(visits, pairs, least=asked.least, policy=asked.policy, trials=asked.trials)


if __name__ == "__main__":
    main()
