"""What hiding would do before anything is drawn: parameters checked, data counted, plan solved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tacit.data.transactions import Transactions
from tacit.engine.base import Engine
from tacit.engine.choice import engine_for
from tacit.engine.sanitizing import Sanitizer
from tacit.errors import UsageError
from tacit.methods.hide.attackers import MOST_ROWS
from tacit.methods.hide.solve.patterns import Secret, read_secret
from tacit.methods.hide.solve.solve import Plan, Wish, solve
from tacit.methods.hide.solve.targets import MOST_ITEMS
from tacit.methods.hide.verb import SWA
from tacit.mining.mine import mine_transactions
from tacit.options import Asked
from tacit.random.key import Key, load_key
from tacit.ranges import as_fraction, support_count
from tacit.typing import Threshold

# Measured on five million transactions of fifteen items.
BYTES_A_CELL, BYTES_A_ROW = 14, 100
# Held wherever the transactions are: for each pattern, pair that is counted, cell walked over.
BYTES_A_PATTERN, BYTES_A_PAIR, BYTES_A_HIT = 400, 40, 100


@dataclass(frozen=True, eq=False)
class Proposal:
    """What hiding would do, before anything is drawn: the Marked-Set and what it is expected to cost."""

    plan: Plan
    wish: Wish
    secret: Secret
    engine: Engine
    sanitizer: Sanitizer[Any]
    key: Key
    cells: int
    seconds: dict[str, float]
    rows_here: int
    """So many of the transactions come into this process."""

    def remarks(self) -> Iterator[str]:
        """What the owner should know, and nobody else: it speaks of the secret."""
        already = sum(
            not any(set(seed) <= set(pattern) for seed in self.plan.named) for pattern in self.secret.patterns
        )
        if already:
            yield f"{already} of the patterns {'is' if already == 1 else 'are'} infrequent as the data stand."
        for way, what in (
            ("hidden", "not minable as the data stand"),
            ("support", "hidden by support"),
            ("confidence", "hidden by confidence"),
        ):
            count = sum(route.way == way for route in self.plan.routes)
            if count:
                yield f"{count} of the rules {'is' if count == 1 else 'are'} {what}."
        if self.plan.least == 1:
            yield "At a support of 1 a hidden pattern may not occur at all, which shows that it is hidden."

    @property
    def expected_seconds(self) -> float:
        """About how long the rest takes: taking items out and sorting, and mining once more to judge."""
        return self.seconds["count"] + self.sanitizer.rest_seconds(self.seconds["solve"])

    @property
    def bytes(self) -> int:
        """About how much memory the run takes at the most."""
        return round(1e6 * self.expected_megabytes)

    @property
    def expected_megabytes(self) -> float:
        """About how much memory this process takes: transactions before and after, counts, exact's cells."""
        rows = self.rows_here * (BYTES_A_ROW + BYTES_A_CELL * self.cells / max(1, self.sanitizer.n_rows))
        items = min(MOST_ITEMS, int((self.plan.frequent.item_supports >= self.plan.least).sum()))
        hits = int(self.plan.hits.hits.sum()) if self.plan.limits is not None else 0
        counts = BYTES_A_PATTERN * len(self.plan.frequent.sensitive) + BYTES_A_PAIR * items**2 // 2
        return (rows + counts + BYTES_A_HIT * hits) / 1e6

    def to_dict(self) -> dict[str, Any]:
        """The plan in plain values; it names the secret, and is for its owner alone."""
        sensitive = self.plan.sensitive
        changes = self.plan.expected_changes()
        return {
            "transactions": self.sanitizer.n_rows,
            "min_count": self.plan.least,
            "frequent": len(sensitive),
            "sensitive": int(sensitive.sum()) + sum(len(seed) == 1 for seed in self.plan.named),
            "expected_removed": round(changes),
            "expected_dissimilarity": min(1.0, changes / max(1, self.cells)),
            "expected_seconds": self.expected_seconds,
            "expected_megabytes": self.expected_megabytes,
            **self.plan.to_dict(),
            "remarks": list(self.remarks()),
        }


def propose(asked: Asked) -> Proposal:
    """Count and solve: all of :func:`tacit.hide` that comes before the first draw, from its arguments."""
    transactions: Transactions = asked.transactions
    min_support: Threshold = asked.min_support
    chosen: Engine = engine_for(transactions) if asked.engine is None else asked.engine
    secret = read_secret(asked.patterns, transactions)
    if asked.min_confidence is not None and not secret.rules:
        raise UsageError(
            "A least confidence is given, and none of the secrets is a rule.",
            code="rules-needed",
            hint='Write a rule as "beer => diapers", or leave min_confidence out.',
        )
    key = load_key() if asked.key is None else asked.key
    sanitizer = chosen.sanitizer(transactions, key, sliding=asked.algorithm == SWA)
    least = support_count(min_support, len(transactions))
    wish = Wish(
        least=least,
        bound=_fraction(min_support) * (1 if isinstance(min_support, int) else len(transactions)),
        confidence=_fraction(asked.confidence),
        method=asked.algorithm,
        min_confidence=None if asked.min_confidence is None else _fraction(asked.min_confidence),
        disclosure=None if asked.disclosure is None else _fraction(asked.disclosure),
        **{name: getattr(asked, name) for name in ("policy", "targets", "decoys", "window")},
    )
    asked.report("Mining itemsets")
    started = sanitizer.clock()
    itemsets = mine_transactions(
        transactions,
        min_support=least,
        min_length=2,
        max_itemsets=asked.max_itemsets,
        engine=chosen,
        progress=asked.progress,
    )
    mined = sanitizer.clock()
    asked.report("Choosing victim pairs")
    plan = solve(secret, itemsets, transactions.supports, sanitizer, key, wish)
    seconds = {"count": mined - started, "solve": sanitizer.clock() - mined}
    here = chosen.rows_here(transactions, MOST_ROWS)
    cells = transactions.n_occurrences
    return Proposal(plan, wish, secret, chosen, sanitizer, key, cells, seconds, here)


def _fraction(value: Threshold) -> Fraction:
    exact = as_fraction(value)
    assert exact is not None  # the range was checked
    return exact
