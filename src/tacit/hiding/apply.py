"""The plan carried out: which items of which transactions go, drawn again until nothing is left to find.

The confidence of a plan is a statement about its first draw. A draw that leaves a sensitive pattern
frequent is drawn again under the next label, so that what is published hides all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.data.column import Column
from tacit.data.transactions import Transactions, sorted_names
from tacit.engine.sanitizing import Sanitizer
from tacit.exceptions import InfeasibleError
from tacit.hiding.plan import Plan
from tacit.hiding.rules import allowed_support, thin_rules
from tacit.hiding.solve import largest_disclosure, valued_patterns
from tacit.kernels.csr import take_rows
from tacit.kernels.key import Key
from tacit.kernels.sanitizing import occurring, recode, rename
from tacit.kernels.sorted_rows import sorted_rows
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
    """What is left of the transactions, sorted by their published text, and the original place of each.

    ``rows`` is used up: its arrays are written over, so that millions of transactions fit.
    """
    indptr, items = rows
    present = occurring(items, transactions.n_items)
    names = [name for name, occurs in zip(transactions.vocabulary, present.tolist(), strict=True) if occurs]
    vocabulary = sorted_names(names)
    places = {name: place for place, name in enumerate(vocabulary)}
    by_text = np.argsort(np.array(vocabulary, dtype=object)).astype(np.int32)  # codes in the order of text
    ranks = np.empty_like(by_text)
    ranks[by_text] = np.arange(len(by_text))
    renumbered = np.zeros(transactions.n_items, dtype=np.int32)
    renumbered[present] = [places[name] for name in names]
    recode(indptr, items, renumbered, ranks)  # items are ranks of text now, in the order of their codes
    first = _by_column(transactions.sensitive)
    if first is not None:
        indptr, items = take_rows(indptr, items, first)
    order = sorted_rows(indptr, items, len(vocabulary))
    indptr, items = take_rows(indptr, items, order)
    rename(items, by_text)
    if first is not None:
        order = first[order]
    for array in (indptr, items):
        array.flags.writeable = False
    column = None if transactions.sensitive is None else transactions.sensitive.take(order)
    return Transactions(indptr, items, tuple(vocabulary), column, format=transactions.format), order


def _by_column(column: Column | None) -> Counts | None:
    """The rows by the text that goes along: the next sort keeps this order among equal sets."""
    if column is None:
        return None
    texts = np.array(["" if text is None else text for text in column.texts], dtype=object)
    return np.argsort(np.argsort(np.argsort(texts, kind="stable"))[column.codes], kind="stable")


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
