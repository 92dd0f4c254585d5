"""The plan carried out: which items of which transactions go, drawn again until nothing is left to find.

The confidence of a plan is a statement about its first draw. A draw that leaves a sensitive pattern
frequent is drawn again under the next label, so that what is published hides all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.data.transactions import Transactions, from_rows
from tacit.engine.sanitizing import Sanitizer
from tacit.exceptions import InfeasibleError
from tacit.hiding.plan import Plan
from tacit.hiding.rules import allowed_support, thin_rules
from tacit.hiding.solve import largest_disclosure, valued_patterns
from tacit.kernels.key import Key
from tacit.kernels.row_order import row_order
from tacit.typing import Bools, Codes, Counts, Offsets

MOST_DRAWS = 100
"""A plan that has not hidden everything after so many draws is not going to."""


@dataclass(frozen=True, eq=False)
class Sanitized:
    """The mask of the items that go, and how many draws it took."""

    removed: Bools
    draws: int


def carry_out(plan: Plan, sanitizer: Sanitizer, key: Key) -> Sanitized:
    """Take items out until every sensitive pattern and rule is hidden."""
    for label in range(MOST_DRAWS if plan.probabilities is not None else 1):
        removed = one_draw(plan, sanitizer, key, label=label)
        if is_hidden(plan, sanitizer, removed):
            return Sanitized(removed, label + 1)
    raise _not_hidden(plan)


def one_draw(plan: Plan, sanitizer: Sanitizer, key: Key, *, label: int) -> Bools:
    """The mask of one draw, whether or not it hides everything."""
    if plan.probabilities is not None:
        removed = sanitizer.drawn(plan.matrix.columns, *plan.probabilities.words, label=label)
    elif plan.limits is not None:
        removed = sanitizer.kept_within(
            plan.matrix.columns, plan.matrix.pairs, plan.limits, valued_patterns(plan)
        )
    else:
        assert plan.sliding is not None
        removed = sanitizer.slid(plan.seeds, disclosure=plan.sliding.disclosure, window=plan.sliding.window)
    # Also rules that were hidden as the data stood: taking items from their left side may have raised them.
    thin = [route.rule for route in plan.routes if route.way != "support"]
    if thin and plan.min_confidence is not None:
        kept = plan.frequent.itemsets.select(~plan.frequent.sensitive)
        removed = thin_rules(
            thin,
            removed,
            sanitizer,
            kept=kept,
            least=plan.least,
            min_confidence=plan.min_confidence,
            key=key,
        )
    barred = np.zeros(len(plan.matrix.vocabulary), dtype=np.bool_)
    barred[[seed[0] for seed in plan.seeds if len(seed) == 1]] = True
    return sanitizer.refilled(removed, barred)


def is_hidden(plan: Plan, sanitizer: Sanitizer, removed: Bools) -> bool:
    """Whether no sensitive pattern, marked pair or rule is minable from what is left, by counting it."""
    wanted = [*plan.seeds, *(mark.items for mark in plan.matrix.marks)]
    if (sanitizer.supports(wanted, removed) >= plan.least).any():
        return False
    rules = [route.rule for route in plan.routes]
    counts = sanitizer.supports([part for rule in rules for part in (rule.items, rule.antecedent)], removed)
    for both, left in zip(counts[::2].tolist(), counts[1::2].tolist(), strict=True):
        if both >= plan.least and (
            plan.min_confidence is None or both > allowed_support(left, plan.min_confidence, plan.least)
        ):
            return False
    return True


def published_transactions(
    transactions: Transactions, rows: tuple[Offsets, Codes]
) -> tuple[Transactions, Counts]:
    """What is left of the transactions, sorted by their published text, and the original place of each."""
    left = replace(
        from_rows(
            *rows, transactions.vocabulary, sensitive=transactions.sensitive, format=transactions.format
        ),
        notes=(),
    )
    first = np.arange(len(left))
    if left.sensitive is not None:
        # Sorted by the text that goes along first: the next sort keeps this order among equal sets.
        texts = ["" if text is None else text for text in left.sensitive.texts]
        first = np.argsort(_places(texts)[left.sensitive.codes], kind="stable")
        left = left.take(first)
    order = row_order(left.indptr, _places(left.vocabulary)[left.items])
    return left.take(order), first[order]


def _places(texts: Sequence[str]) -> Codes:
    """The place of each text when they are sorted."""
    return np.argsort(np.argsort(np.array(texts, dtype=object), kind="stable")).astype(np.int32)


def _not_hidden(plan: Plan) -> InfeasibleError:
    if plan.sliding is not None:
        most = largest_disclosure(plan.hits.hits, plan.least)
        return InfeasibleError(
            f"A disclosure threshold of {float(plan.sliding.disclosure):g} leaves patterns frequent.",
            code="not-hidden",
            hint=f"The largest that hides all of them is {float(most):.6g}; leave it out to use that.",
        )
    return InfeasibleError(
        f"After {MOST_DRAWS} draws a pattern is still frequent: these probabilities do not hide it.",
        code="not-hidden",
        hint="Use the policy 'certified' or 'exact', whose promise holds.",
    )
