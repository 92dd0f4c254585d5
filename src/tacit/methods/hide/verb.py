"""The verb ``hide``: transactions go in with a secret, transactions come out in which it cannot be mined.

count → solve → apply stand beside it; here the release is put together with what it promises, what was
measured on it, and what only its owner may see. Which patterns are hidden is what must not be known: the
published files state their number alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.data.transactions import Transactions
from tacit.engine.choice import engine_for
from tacit.engine.sanitizing import Sanitizing
from tacit.methods.hide.apply import carry_out
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
from tacit.methods.hide.proposal import RANGES, Proposal, propose, report
from tacit.methods.hide.record import manifest, private_record, secret_supports
from tacit.mining.itemsets import DEFAULT_MAX_ITEMSETS
from tacit.random.key import Key
from tacit.ranges import check
from tacit.release.published import Release
from tacit.release.published_sets import plain_file, published_sets
from tacit.release.records import Records, sets_of
from tacit.typing import Progress, Threshold


@dataclass(frozen=True, eq=False)
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


def hide(
    transactions: Transactions,
    *,
    patterns: Iterable[object] | Path,
    min_support: Threshold,
    confidence: Threshold = 0.95,
    method: str = "matrix",
    policy: str = "certified",
    targets: str = "drawn",
    decoys: int = 0,
    min_confidence: Threshold | None = None,
    disclosure: Threshold | None = None,
    window: int = 5_000,
    max_itemsets: int = DEFAULT_MAX_ITEMSETS,
    format: str | None = None,
    key: Key | None = None,
    engine: Sanitizing | None = None,
    progress: Progress | None = None,
) -> HiddenRelease:
    """Take items out of transactions until some patterns and rules can no longer be mined from them.

    Parameters
    ----------
    patterns
        What must not be minable: sets of item names, texts such as ``"beer, diapers"`` or
        ``"beer => diapers"``, mined itemsets and rules; or the Path of a file with one a line.
    min_support
        The support from which on a pattern counts as frequent: a count, or a share of the transactions.
    confidence
        How sure the first draw is to hide everything; a draw that does not is drawn again.
    method
        ``matrix``, the sanitization matrix, or ``swa``, sliding windows.
    policy
        ``certified`` (the default): items stay with probabilities that hide all marked pairs together
        with the confidence asked for. ``exact``: as many stay as are allowed, those that other patterns
        need most. ``paper``: the published probabilities, whose promise does not always hold.
    targets
        ``drawn``: a hidden pair becomes as frequent as infrequent pairs of the data are. ``limit``: as
        frequent as is allowed, which loses fewer patterns and shows where something is hidden.
    decoys
        So many other frequent patterns of the same length and about the same support are hidden exactly like
        each secret one, and nothing published says which of them was meant. 0 (the default) disguises
        nothing: readers who compare a hidden pattern with its neighbours find it among the first.
    min_confidence
        A rule is also hidden when its confidence is below this; the cheaper way is taken.
    disclosure, window
        For sliding windows: the share of a pattern's transactions that may keep it (by default the
        largest that hides all), and how many transactions a window has.
    format
        The published format; by default the one that came in.

    >>> import tacit
    >>> baskets = tacit.load_sample("supermarket")
    >>> key = tacit.Key.from_seed(1)
    >>> release = tacit.hide(baskets, patterns=[{"beer", "diapers"}], min_support=0.01, key=key)
    >>> release.risk().hiding_failure
    0.0
    """
    check("hide", RANGES, format=format)
    chosen: Sanitizing = engine_for(transactions) if engine is None else engine
    proposal = propose(
        transactions,
        patterns=patterns,
        min_support=min_support,
        confidence=confidence,
        method=method,
        policy=policy,
        targets=targets,
        decoys=decoys,
        min_confidence=min_confidence,
        disclosure=disclosure,
        window=window,
        max_itemsets=max_itemsets,
        key=key,
        engine=chosen,
        progress=progress,
    )
    report(progress, "Taking items out")
    started = proposal.clock()
    sanitized = carry_out(proposal.plan, proposal.sanitizer)
    left = proposal.sanitizer.left(sanitized.removed)
    published = left.transactions
    seconds = proposal.seconds | {"apply": proposal.clock() - started}

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
    files = published_sets(published, format)
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
