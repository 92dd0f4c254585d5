"""What is said of hidden patterns: to everybody in the manifest, to the owner in the private record.

What is hidden is what must not be known. The manifest states numbers of patterns, never patterns, and no
figure that would tell where to look: a hidden pattern's rank among the infrequent would point at it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tacit.data.transactions import Transactions
from tacit.judging.figures import RISKS, UTILITY, stated
from tacit.methods.hide.apply import Sanitized
from tacit.methods.hide.figures import FIGURES
from tacit.methods.hide.judge.figures import HidingRisks, HidingUtility
from tacit.methods.hide.judge.pattern_supports import pattern_supports
from tacit.methods.hide.proposal import Proposal
from tacit.methods.hide.solve.solve import Wish
from tacit.release import Content, Manifest
from tacit.release.published_sets import sensitive_column
from tacit.typing import Counts

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
    name, secret = proposal.plan.matrix.vocabulary.__getitem__, proposal.secret
    sets = [*secret.patterns, *({*rule.antecedent, *rule.consequent} for rule in secret.rules)]
    patterns = [frozenset(map(name, items)) for items in sets]
    counts = zip(
        patterns, pattern_supports(original, patterns), pattern_supports(published, patterns), strict=True
    )
    return [
        {"pattern": sorted(pattern), "before": before, "after": after} for pattern, before, after in counts
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
    name = proposal.plan.matrix.vocabulary.__getitem__
    secret = {
        "patterns": [[name(item) for item in pattern] for pattern in proposal.secret.patterns],
        "rules": [
            [[name(item) for item in side] for side in (rule.antecedent, rule.consequent)]
            for rule in proposal.secret.rules
        ],
        "marked": [[name(item) for item in mark.items] for mark in proposal.plan.matrix.marks],
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
    files: dict[str, Content] = {"secret.json": _json(secret), "plan.json": _json(plan)}
    if order is None:
        return files  # rows on Spark have no numbers to keep a record by
    return {**files, "rows.txt": lambda path: _write_rows(path, order)}


def _write_rows(path: Path, order: Counts) -> None:
    """One original row number a line, in blocks: as one text, millions of them would not fit."""
    with path.open("x", encoding="ascii") as file:
        for start in range(0, len(order), ROWS_AT_ONCE):
            file.writelines(f"{row}\n" for row in order[start : start + ROWS_AT_ONCE].tolist())


def _json(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
