"""Making a release in which secret patterns cannot be mined.

count → solve → apply stand beside it; here the release is put together with what it promises, what was
measured on it, and what only its owner may see. Which patterns are hidden is what must not be known: the
published files state their number alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit.data.transactions import Transactions
from tacit.engine.choice import engine_for
from tacit.engine.sanitizing import Sanitizing
from tacit.methods.hide.apply import carry_out
from tacit.methods.hide.figures import FIGURES
from tacit.methods.hide.judge.disguise import disguise
from tacit.methods.hide.judge.figures import (
    Found,
    HidingRisks,
    HidingUtility,
    as_named,
    inferable,
    judge_hiding,
    measure_hiding,
)
from tacit.methods.hide.proposal import Proposal, propose, report
from tacit.methods.hide.record import manifest, private_record, secret_supports
from tacit.release.published import Release
from tacit.release.published_sets import plain_file, published_sets
from tacit.release.records import Records, sets_of
from tacit.typing import Progress


@dataclass(frozen=True, eq=False, repr=False)
class HiddenRelease(Release):
    """Transactions in which the secret patterns and rules are not frequent."""

    proposal: Proposal
    original: Transactions
    published: Transactions
    found: Found
    """What can be mined from the published transactions."""
    risks: HidingRisks
    draws: int
    seconds: dict[str, float]

    declared = FIGURES

    @property
    def figures(self) -> dict[str, dict[str, Any]]:
        return {"risks": self.risks.to_dict(), "utility": self.utility().to_dict()}

    def records(self) -> Records | None:
        return sets_of(self.original)

    def risk(self) -> HidingRisks:
        """What a reader could still find, infer or suspect."""
        return self.risks

    def utility(self, original: Transactions | None = None) -> HidingUtility:
        """What the other patterns lost, measured against the original."""
        plan = self.proposal.plan
        return measure_hiding(
            self.published,
            original or self.original,
            self.found,
            plan.frequent.itemsets,
            plan.sensitive,
            least=plan.least,
            named=as_named(plan.frequent.itemsets, plan.named),
        )

    def to_dict(self) -> dict[str, Any]:
        risk, utility, wish = self.risk(), self.utility(), self.proposal.wish
        return super().to_dict() | {
            "transactions": len(self.published),
            "sensitive": risk.sensitive,
            "marked": len(self.proposal.plan.matrix.marks),
            "policy": wish.policy if wish.method == "matrix" else None,
            "min_count": wish.least,
            "patterns": len(self.proposal.secret.patterns),
            "rules": len(self.proposal.secret.rules),
            "hiding_failure": risk.hiding_failure,
            "misses_cost": utility.misses_cost,
            "artificial_patterns": utility.artificial_patterns,
            "dissimilarity": utility.dissimilarity,
            "weakness": risk.weakness,
            "decoys": len(self.proposal.plan.decoys) + len(self.proposal.plan.decoy_rules),
            "items_lost": utility.items_lost,
            "best_place": None if risk.disguise is None else risk.disguise.patterns.first,
            "candidates": 0 if risk.disguise is None else risk.disguise.patterns.candidates,
            "rare_items": risk.rare_items,
            "draws": self.draws,
            "seconds": self.seconds,
            "remarks": list(self.proposal.remarks()),
        }


def make(asked: Any) -> HiddenRelease:
    """Make the release that was asked for: the checked arguments of :func:`tacit.hide`."""
    transactions: Transactions = asked.transactions
    progress: Progress | None = asked.progress
    chosen: Sanitizing = engine_for(transactions) if asked.engine is None else asked.engine
    asked.engine = chosen
    proposal = propose(asked)
    report(progress, "Taking items out")
    started = proposal.sanitizer.clock()
    sanitized = carry_out(proposal.plan, proposal.sanitizer)
    left = proposal.sanitizer.left(sanitized.removed)
    published = left.transactions
    seconds = proposal.seconds | {"apply": proposal.sanitizer.clock() - started}

    report(progress, "Judging the release")
    plan, itemsets = proposal.plan, proposal.plan.frequent.itemsets
    found = Found.mined(published, plan.least, chosen)
    named = as_named(itemsets, plan.named)
    sides = [
        as_named(itemsets, [route.rule.antecedent, route.rule.consequent])
        for route in plan.routes
        if route.way == "confidence"
    ]
    risks = judge_hiding(
        published,
        found,
        itemsets,
        plan.sensitive,
        named=named,
        least=plan.least,
        disguise=disguise(
            published,
            [names for names in named if len(names) > 1],
            least=plan.least,
            rules=[(left, right) for left, right in sides],
            min_confidence=plan.min_confidence,
        ),
    )
    utility = measure_hiding(
        published, transactions, found, itemsets, plan.sensitive, least=plan.least, named=named
    )
    treated = [frozenset(itemset.items) for itemset in itemsets.select(plan.frequent.sensitive)]
    singles = sum(len(seed) == 1 for seed in plan.seeds)
    weakness = inferable(treated, found) / max(1, len(treated) + singles)
    files = published_sets(published, asked.format)
    return HiddenRelease(
        manifest=manifest(proposal, published, plain_file(files), risks, utility, weakness=weakness),
        files=files,
        private=private_record(
            proposal,
            sanitized,
            left.order,
            risks,
            utility,
            seconds,
            secret_supports(proposal, transactions, published),
        ),
        origin=transactions.origin,
        proposal=proposal,
        original=transactions,
        published=published,
        found=found,
        risks=risks,
        draws=sanitized.draws,
        seconds=seconds,
    )
