"""Making a release in which secret patterns cannot be mined.

count → solve → apply stand beside it; here the release is put together with what it promises, what was
measured on it, and what only its owner may see. Which patterns are hidden is what must not be known: the
published files state their number alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.data.transactions import Transactions
from tacit.judging.figures import RISKS, UTILITY, stated
from tacit.methods.hide.apply import Sanitized, carry_out
from tacit.methods.hide.attackers import disguise
from tacit.methods.hide.figures import FIGURES
from tacit.methods.hide.judge import (
    Found,
    HidingRisks,
    HidingUtility,
    as_named,
    judge_hiding,
    measure_hiding,
    pattern_supports,
)
from tacit.methods.hide.proposal import Proposal, propose
from tacit.methods.hide.solve.solve import Wish
from tacit.options import Asked
from tacit.release import Content, Manifest
from tacit.release.published import Release, json_file, plain_file, published_sets, sensitive_column
from tacit.release.records import Records, sets_of
from tacit.typing import Counts


@dataclass(frozen=True, eq=False, repr=False)
class HiddenRelease(Release):
    """Transactions in which the secret patterns and rules are not frequent."""

    proposal: Proposal
    original: Transactions
    published: Transactions
    found: Found
    """What can be mined from the published transactions."""
    risks: HidingRisks
    kept: HidingUtility
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
        if original is None:
            return self.kept
        plan, itemsets = self.proposal.plan, self.proposal.plan.frequent.itemsets
        named = as_named(itemsets, plan.named)
        return measure_hiding(
            self.published, original, self.found, itemsets, plan.sensitive, least=plan.least, named=named
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


def make(asked: Asked) -> HiddenRelease:
    """Make the release that was asked for: the checked arguments of :func:`tacit.hide`."""
    transactions: Transactions = asked.transactions
    proposal = propose(asked)
    asked.report("Taking items out")
    started = proposal.sanitizer.clock()
    sanitized = carry_out(proposal.plan, proposal.sanitizer)
    left = proposal.sanitizer.left(sanitized.removed)
    published = left.transactions
    seconds = proposal.seconds | {"apply": proposal.sanitizer.clock() - started}

    asked.report("Judging the release")
    plan, itemsets = proposal.plan, proposal.plan.frequent.itemsets
    found = Found.mined(published, plan.least, proposal.engine)
    named = as_named(itemsets, plan.named)
    sides = [as_named(itemsets, route.rule.sides) for route in plan.routes if route.way == "confidence"]
    found_out = disguise(
        published,
        [names for names in named if len(names) > 1],
        least=plan.least,
        rules=[(left, right) for left, right in sides],
        min_confidence=plan.min_confidence,
    )
    told = (found, itemsets, plan.sensitive)
    risks = judge_hiding(published, *told, named=named, least=plan.least, disguise=found_out)
    utility = measure_hiding(published, transactions, *told, named=named, least=plan.least)
    treated = itemsets.select(plan.frequent.sensitive)
    singles = sum(len(seed) == 1 for seed in plan.seeds)
    weakness = found.inferable(treated) / max(1, len(treated) + singles)
    files = published_sets(published, asked.format)
    supports = secret_supports(proposal, transactions, published)
    return HiddenRelease(
        manifest=manifest(proposal, published, plain_file(files), risks, utility, weakness=weakness),
        files=files,
        private=private_record(proposal, sanitized, left.order, risks, utility, seconds, supports),
        origin=transactions.origin,
        proposal=proposal,
        original=transactions,
        published=published,
        found=found,
        risks=risks,
        kept=utility,
        draws=sanitized.draws,
        seconds=seconds,
    )


ROWS_AT_ONCE = 1 << 16
METHODS = {"matrix": "sanitization matrix", "swa": "sliding windows"}


def manifest(
    proposal: Proposal,
    published: Transactions,
    plain: str,
    risks: HidingRisks,
    utility: HidingUtility,
    *,
    weakness: float,
) -> Manifest:
    """What everybody is told. Of a secret and its decoys each would give the very same text.

    ``weakness`` counts decoys as if they were secret, and the misses cost counts every pattern that is gone:
    which of them were secret would show in any other figure. The exact share of items that are gone would
    tell how often a hidden pair occurred.
    """
    secret, least, n = proposal.secret, proposal.plan.least, len(published)
    return Manifest(
        kind="hidden",
        method=METHODS[proposal.wish.method],
        parameters=_parameters(proposal.wish) | {"transactions": plain} | sensitive_column(published),
        promise={
            "min_count": least,
            "patterns": len(secret.patterns),
            "rules": len(secret.rules),
            "transactions": n,
            "items": published.n_items,
            "cells": published.n_occurrences,
            "empty": int(published.length_counts[0]),
        },
        reader={"min_count": least},
        risks=stated(FIGURES, RISKS, risks.to_dict() | {"weakness": weakness}, beside={}),
        utility=stated(FIGURES, UTILITY, utility.to_dict() | {"misses_cost": utility.lost_share}, beside={}),
        not_for_publication=proposal.key.experimental,
    )


def _parameters(wish: Wish) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "min_count": wish.least,
        "min_confidence": None if wish.min_confidence is None else str(wish.min_confidence),
        "decoys": wish.decoys,
    }
    if wish.method == "swa":
        # A threshold that was found, not given, would tell the support of a sensitive pattern.
        given = None if wish.disclosure is None else str(wish.disclosure)
        return parameters | {"window": wish.window, "disclosure": given}
    parameters["policy"] = wish.policy
    if wish.policy != "exact":
        parameters["confidence"] = str(wish.confidence)
    if wish.policy != "paper":
        parameters["targets"] = wish.targets
    return parameters


def secret_supports(
    proposal: Proposal, original: Transactions, published: Transactions
) -> list[dict[str, Any]]:
    """The support of every secret pattern, and of every secret rule's items, before and after."""
    sets = [*proposal.secret.patterns, *(rule.items for rule in proposal.secret.rules)]
    patterns = [frozenset(proposal.plan.matrix.names(items)) for items in sets]
    counts = (pattern_supports(one, patterns) for one in (original, published))
    return [
        {"pattern": sorted(pattern), "before": before, "after": after}
        for pattern, before, after in zip(patterns, *counts, strict=True)
    ]


def private_record(
    proposal: Proposal,
    sanitized: Sanitized[Any],
    order: Counts | None,
    risks: HidingRisks,
    utility: HidingUtility,
    seconds: dict[str, float],
    supports: list[dict[str, Any]],
) -> dict[str, Content]:
    """The secret, the plan, and from which original transaction each published one came."""
    names = proposal.plan.matrix.names
    secret = {
        "patterns": [names(pattern) for pattern in proposal.secret.patterns],
        "rules": [[names(side) for side in rule.sides] for rule in proposal.secret.rules],
        "marked": [names(mark.items) for mark in proposal.plan.matrix.marks],
    }
    plan = proposal.to_dict() | {
        "draws": sanitized.draws,
        "risks": risks.to_dict(),
        "figures": {"risks": risks.to_dict(), "utility": utility.to_dict()},
        "supports": supports,
        "seconds": seconds,
        "key": proposal.key.id,
        "digest": proposal.sanitizer.digest,
    }
    files: dict[str, Content] = {"secret.json": json_file(secret), "plan.json": json_file(plan)}
    if order is None:
        return files  # rows on Spark have no numbers to keep a record by
    return {**files, "rows.txt": lambda path: _write_rows(path, order)}


def _write_rows(path: Path, order: Counts) -> None:
    """One original row number a line, in blocks: as one text, millions of them would not fit."""
    with path.open("x", encoding="ascii") as file:
        for start in range(0, len(order), ROWS_AT_ONCE):
            file.writelines(f"{row}\n" for row in order[start : start + ROWS_AT_ONCE].tolist())
