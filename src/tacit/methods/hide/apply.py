"""The plan carried out: which items of which transactions go, drawn again until nothing is left to find.

The confidence of a plan is a statement about its first draw. A draw that leaves a sensitive pattern
frequent is drawn again under the next label, so that what is published hides all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np

from tacit.engine.kernels.keeping import Valued, cells_to_go
from tacit.engine.sanitizing import Removal, Sanitizer
from tacit.errors import InfeasibleError
from tacit.methods.hide.solve.patterns import SecretRule, sensitive_mask
from tacit.methods.hide.solve.rules import allowed_support
from tacit.methods.hide.solve.solve import Plan, largest_disclosure
from tacit.methods.hide.solve.thinning import shown, thin_rules, valued_patterns
from tacit.typing import Bools, Codes, Counts, Offsets

MOST_DRAWS = 100
"""A plan that has not hidden everything after so many draws is not going to."""


@dataclass(frozen=True, eq=False)
class Sanitized(Generic[Removal]):
    """The items that go, and how many draws it took."""

    removed: Removal
    draws: int


def carry_out(plan: Plan, sanitizer: Sanitizer[Removal]) -> Sanitized[Removal]:
    """Take items out until every sensitive pattern and rule is hidden."""
    for label in range(MOST_DRAWS if plan.probabilities is not None else 1):
        removed = one_draw(plan, sanitizer, label=label)
        if is_hidden(plan, sanitizer, removed):
            hidden = {route.rule for route in plan.routes if route.way == "hidden"}
            if not _below(plan, sorted(hidden - {*plan.thinned_rules}), sanitizer, removed):
                raise InfeasibleError(
                    "A secret rule that cannot be mined as the data stand could be once items are taken out.",
                    code="rule-raised",
                    hint="It has no decoys: leave it out, or ask for 0 decoys, which disguises nothing.",
                )
            return Sanitized(removed, label + 1)
    raise _not_hidden(plan)


def one_draw(plan: Plan, sanitizer: Sanitizer[Removal], *, label: int) -> Removal:
    """The removal of one draw, whether or not it hides everything."""
    if plan.probabilities is not None:
        removed = sanitizer.drawn(plan.matrix.columns, *plan.probabilities.words, label=label)
    elif plan.limits is not None:
        removed = kept_within(plan, plan.limits, sanitizer)
    else:
        assert plan.sliding is not None
        removed = sanitizer.slid(plan.seeds, disclosure=plan.sliding.disclosure, window=plan.sliding.window)
    if plan.thinned_rules and plan.min_confidence is not None:
        removed = thin_rules(
            plan.thinned_rules,
            removed,
            sanitizer,
            frequent=plan.frequent,
            min_confidence=plan.min_confidence,
            confidences=plan.confidences,
        )
    barred = np.zeros(len(plan.matrix.vocabulary), dtype=np.bool_)
    barred[[seed[0] for seed in plan.seeds if len(seed) == 1]] = True
    return sanitizer.refilled(removed, barred)


def kept_within(plan: Plan, limits: Counts, sanitizer: Sanitizer[Removal]) -> Removal:
    """The cells to take out so that no mark is left with more transactions than its limit."""
    marked, itemsets = [mark.items for mark in plan.matrix.marks], plan.frequent.itemsets
    # A pattern that holds a marked pair is lost whatever is done.
    kept = itemsets.select(~sensitive_mask(itemsets, marked))
    concerned = np.unique([item for items in marked for item in items]).astype(np.int32)
    walks, slack = valued_patterns(kept, concerned, plan.frequent)
    # An item that is secret by itself is not kept: as if no loss could make it infrequent.
    secret = [walks.columns[items[0]] for items in marked if len(items) == 1]
    slack[walks.alone[secret]] = plan.least + slack.max(initial=-plan.least)

    def choose(indptr: Offsets, items: Codes) -> Bools:
        return cells_to_go(indptr, items, plan.matrix.pairs, limits, Valued(walks, slack))

    return sanitizer.taken_from(marked, shown(walks), choose)


def is_hidden(plan: Plan, sanitizer: Sanitizer[Removal], removed: Removal) -> bool:
    """Whether no sensitive pattern, marked pair or rule is minable from what is left, by counting it."""
    wanted = [*plan.seeds, *(mark.items for mark in plan.matrix.marks)]
    if (sanitizer.supports(wanted, removed) >= plan.least).any():
        return False
    return _below(plan, plan.thinned_rules, sanitizer, removed)


def _below(plan: Plan, rules: Sequence[SecretRule], sanitizer: Sanitizer[Removal], removed: Removal) -> bool:
    """Whether none of these rules is minable from what is left."""
    sides = [part for rule in rules for part in (rule.items, rule.antecedent)]
    counts = sanitizer.supports(sides, removed).tolist()
    return not any(
        both >= plan.least
        and (plan.min_confidence is None or both > allowed_support(left, plan.min_confidence, plan.least))
        for both, left in zip(counts[::2], counts[1::2], strict=True)
    )


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
