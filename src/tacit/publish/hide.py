"""The verb ``hide``: transactions go in with a secret, transactions come out in which it cannot be mined.

count → solve → apply are those of :mod:`tacit.hiding`; here the release is put together with what it
promises, what was measured on it, and what only its owner may see. Which patterns are hidden is what must
not be known: the published files state their number alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import Any

from tacit.data.key import load_key
from tacit.data.release import Content, Manifest, Statement
from tacit.data.transactions import Transactions
from tacit.engine.local import LocalEngine
from tacit.engine.sanitizing import Sanitizer, Sanitizing
from tacit.hiding.apply import Sanitized, carry_out, published_transactions
from tacit.hiding.patterns import Secret, read_secret
from tacit.hiding.plan import Plan
from tacit.hiding.solve import Wish, solve
from tacit.judge.hiding import Found, HidingRisks, HidingUtility, as_named, judge_hiding, measure_hiding
from tacit.kernels.key import Key
from tacit.mining.itemsets import DEFAULT_MAX_ITEMSETS
from tacit.mining.transactions import mine_transactions
from tacit.parameters import OneOf, Optional, Range, Share, Support, Whole, as_fraction, check, support_count
from tacit.publish.published_sets import FORMATS, plain_file, published_sets
from tacit.publish.release import Release
from tacit.typing import Counts, Progress, Threshold

METHODS = {"matrix": "sanitization matrix", "swa": "sliding windows"}
LIMITS = (
    "It does not protect against readers who mine at a lower support, who have the original or another "
    "release of the same transactions, or who ask why a pattern is rare; whoever is known by some items of "
    "a transaction is found as before. It is not differential privacy."
)

RANGES: dict[str, Range] = {
    "min_support": Support(),
    "confidence": Share(open_high=True),
    "method": OneOf(tuple(METHODS)),
    "policy": OneOf(("certified", "paper", "exact")),
    "targets": OneOf(("drawn", "limit")),
    "min_confidence": Optional(Share()),
    "disclosure": Optional(Share(open_low=False)),
    "window": Whole(1),
    "max_itemsets": Whole(1),
    "format": Optional(FORMATS),
}


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

    def risk(self) -> HidingRisks:
        """What a reader could still find, infer or suspect."""
        return self.risks

    def utility(self, original: Transactions | None = None) -> HidingUtility:
        """What the other patterns lost, measured against the original."""
        frequent = self.proposal.plan.frequent
        return measure_hiding(
            self.published, original or self.original, self.found, frequent.itemsets, frequent.sensitive
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
            "disguise_rank": risk.disguise.median_rank,
            "rare_items": risk.rare_items,
            "draws": self.draws,
            "seconds": self.seconds,
            "remarks": list(self.proposal.remarks()),
        }


@dataclass(frozen=True, eq=False)
class Proposal:
    """What hiding would do, before anything is drawn: the Marked-Set and what it is expected to cost."""

    plan: Plan
    wish: Wish
    secret: Secret
    sanitizer: Sanitizer
    key: Key
    cells: int
    seconds: dict[str, float]

    def remarks(self) -> Iterator[str]:
        """What the owner should know, and nobody else: it speaks of the secret."""
        already = sum(
            not any(set(seed) <= set(pattern) for seed in self.plan.seeds) for pattern in self.secret.patterns
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

    def to_dict(self) -> dict[str, Any]:
        """The plan in plain values; it names the secret, and is for its owner alone."""
        sensitive = self.plan.frequent.sensitive
        changes = self.plan.expected_changes()
        return {
            "transactions": self.sanitizer.n_rows,
            "min_count": self.plan.least,
            "frequent": len(sensitive),
            "sensitive": int(sensitive.sum()) + sum(len(seed) == 1 for seed in self.plan.seeds),
            "expected_removed": round(changes),
            "expected_dissimilarity": min(1.0, changes / max(1, self.cells)),
            **self.plan.to_dict(),
            "remarks": list(self.remarks()),
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
    min_confidence
        A rule is also hidden when its confidence is below this; the cheaper way is taken.
    disclosure, window
        For sliding windows: the share of a pattern's transactions that may keep it (by default the
        largest that hides all), and how many transactions a window has.
    format
        The published format; by default the one that came in.

    >>> import tacit
    >>> baskets = tacit.load_sample("supermarket:500")
    >>> pair = tacit.mine_itemsets(baskets, min_support=25, min_length=2)[0]
    >>> release = tacit.hide(baskets, patterns=[pair], min_support=25, key=tacit.Key.from_seed(1))
    >>> release.risk().hiding_failure
    0.0
    """
    proposal = propose(
        transactions,
        patterns=patterns,
        min_support=min_support,
        confidence=confidence,
        method=method,
        policy=policy,
        targets=targets,
        min_confidence=min_confidence,
        disclosure=disclosure,
        window=window,
        max_itemsets=max_itemsets,
        key=key,
        engine=engine,
        progress=progress,
    )
    check("hide", RANGES, format=format)
    _report(progress, "Taking items out")
    started = process_time()
    sanitized = carry_out(proposal.plan, proposal.sanitizer, proposal.key)
    published, order = published_transactions(transactions, proposal.sanitizer.rows(sanitized.removed))
    seconds = proposal.seconds | {"apply": process_time() - started}

    _report(progress, "Judging the release")
    frequent = proposal.plan.frequent
    found = Found.mined(published, frequent.least, engine)
    named = as_named(frequent.itemsets, proposal.plan.seeds)
    risks = judge_hiding(
        published, found, frequent.itemsets, frequent.sensitive, named=named, least=frequent.least
    )
    utility = measure_hiding(published, transactions, found, frequent.itemsets, frequent.sensitive)
    files = published_sets(published, format)
    return HiddenRelease(
        manifest=_manifest(proposal, published, plain_file(files), risks, utility),
        files=files,
        private=_private_record(proposal, sanitized, order, seconds),
        origin=transactions.origin,
        proposal=proposal,
        original=transactions,
        published=published,
        found=found,
        risks=risks,
        draws=sanitized.draws,
        seconds=seconds,
    )


def propose(
    transactions: Transactions,
    *,
    patterns: Iterable[object] | Path,
    min_support: Threshold,
    confidence: Threshold,
    method: str,
    policy: str,
    targets: str,
    min_confidence: Threshold | None,
    disclosure: Threshold | None,
    window: int,
    max_itemsets: int,
    key: Key | None,
    engine: Sanitizing | None,
    progress: Progress | None,
) -> Proposal:
    """Count and solve: all of :func:`hide` that comes before the first draw."""
    check(
        "hide",
        RANGES,
        min_support=min_support,
        confidence=confidence,
        method=method,
        policy=policy,
        targets=targets,
        min_confidence=min_confidence,
        disclosure=disclosure,
        window=window,
        max_itemsets=max_itemsets,
    )
    secret = read_secret(patterns, transactions)
    engine = LocalEngine() if engine is None else engine
    key = load_key() if key is None else key
    least = support_count(min_support, len(transactions))
    exact = as_fraction(min_support)
    assert exact is not None  # the range was checked
    wish = Wish(
        least=least,
        bound=exact if isinstance(min_support, int) else exact * len(transactions),
        confidence=_fraction(confidence),
        method=method,
        policy=policy,
        targets=targets,
        min_confidence=None if min_confidence is None else _fraction(min_confidence),
        disclosure=None if disclosure is None else _fraction(disclosure),
        window=window,
    )
    _report(progress, "Mining itemsets")
    started = process_time()
    itemsets = mine_transactions(
        transactions,
        min_support=least,
        min_length=2,
        max_itemsets=max_itemsets,
        engine=engine,
        progress=progress,
    )
    mined = process_time()
    _report(progress, "Choosing victim pairs")
    sanitizer = engine.sanitizer(transactions, key)
    plan = solve(secret, itemsets, transactions.supports, sanitizer, key, wish)
    seconds = {"count": mined - started, "solve": process_time() - mined}
    return Proposal(plan, wish, secret, sanitizer, key, len(transactions.items), seconds)


def _manifest(
    proposal: Proposal, published: Transactions, plain: str, risks: HidingRisks, utility: HidingUtility
) -> Manifest:
    secret, least, n = proposal.secret, proposal.plan.least, len(published)
    what = " and ".join(
        f"{count} {word if count == 1 else word + 's'}"
        for count, word in ((len(secret.patterns), "pattern"), (len(secret.rules), "rule"))
        if count
    )
    return Manifest(
        kind="hidden",
        method=METHODS[proposal.wish.method],
        parameters=_parameters(proposal.wish) | {"transactions": plain},
        promise=Statement(
            f"{what} that the publisher keeps secret cannot be mined from the {n} transactions at a support "
            f"of {least} or more, and nothing was added to any transaction.",
            {
                "min_count": least,
                "patterns": len(secret.patterns),
                "rules": len(secret.rules),
                "transactions": n,
                "items": published.n_items,
                "cells": len(published.items),
                "empty": int((published.lengths == 0).sum()),
            },
        ),
        reader=Statement(
            f"A reader who mines the transactions at a support of {least} or more, and infers longer "
            "patterns from pairs.",
            {"min_count": least},
        ),
        limits=LIMITS,
        risks=risks.to_dict(),
        utility=utility.to_dict(),
        notes=(
            "What is hidden is the publisher's secret: that it cannot be mined is checked with the private "
            "record.",
        ),
        not_for_publication=proposal.key.experimental,
    )


def _parameters(wish: Wish) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "min_count": wish.least,
        "min_confidence": None if wish.min_confidence is None else str(wish.min_confidence),
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


def _private_record(
    proposal: Proposal, sanitized: Sanitized, order: Counts, seconds: dict[str, float]
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
        "seconds": seconds,
        "key": proposal.key.id,
        "digest": proposal.sanitizer.digest,
    }
    return {
        "secret.json": _json(secret),
        "plan.json": _json(plan),
        "rows.txt": "".join(f"{row}\n" for row in order.tolist()).encode(),
    }


def _json(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def _fraction(value: Threshold) -> Fraction:
    exact = as_fraction(value)
    assert exact is not None  # the range was checked
    return exact


def _report(progress: Progress | None, what: str) -> None:
    if progress is not None:
        progress(what, None)
