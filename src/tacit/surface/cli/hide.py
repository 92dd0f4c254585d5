"""``tacit hide``: take items out of transactions until secret patterns cannot be mined from them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from tacit.errors import UsageError
from tacit.surface.cli.common import (
    DataFlags,
    ReleaseFlags,
    ShareText,
    Shown,
    Source,
    ThresholdText,
    WholeText,
    load_transactions,
    progress_bar,
    refuse_unused,
    say_notes,
)

WINDOW = 5_000
"""How many transactions a window has, unless said otherwise."""


def hide(
    data: Source,
    /,
    *,
    patterns: Path,
    min_support: ThresholdText,
    confidence: ShareText = Decimal("0.95"),
    method: str = "matrix",
    policy: str = "certified",
    targets: str = "drawn",
    decoys: WholeText = 0,
    min_confidence: ShareText | None = None,
    disclosure: ShareText | None = None,
    window: WholeText = WINDOW,
    max_itemsets: WholeText = 10_000_000,
    publish_as: str | None = None,
    flags: DataFlags = DataFlags(),
    release: ReleaseFlags = ReleaseFlags(),
    shown: Shown = Shown(),
) -> object:
    """Publish transactions from which some patterns and rules cannot be mined.

    Parameters
    ----------
    data
        Transactions: a file, - for standard input, a database address, or sample:NAME.
    patterns
        File of what is secret, one a line: beer, diapers for a pattern, beer => diapers for a rule.
    min_support
        The support from which on a pattern is frequent: a count such as 25, or a share such as 0.01.
    confidence
        How sure the first draw is to hide everything; a draw that does not is drawn again.
    method
        matrix (the sanitization matrix) or swa (sliding windows).
    policy
        certified, exact (keeps as much as is allowed) or paper (as published; its promise may fail).
    targets
        drawn: hidden pairs become as frequent as infrequent pairs are. limit: as frequent as is allowed.
    decoys
        So many other frequent patterns are hidden exactly like each secret one; 0 disguises nothing.
    min_confidence
        A rule is hidden, too, when its confidence is below this share; the cheaper way is taken.
    disclosure
        For swa: the share of a pattern's transactions that may keep it; by default as large as hides all.
    window
        For swa: how many transactions a window has.
    max_itemsets
        Stop with an error, and a support that would fit, when more itemsets are frequent.
    publish_as
        Published format: dat, basket, csv or jsonl; as it came in by default. Others: tacit export.
    """
    from tacit.methods.hide.proposal import propose
    from tacit.methods.hide.verb import hide as verb
    from tacit.release import check_output
    from tacit.surface.cli.release import finish

    _refuse_unused(
        method, policy, confidence=confidence, targets=targets, disclosure=disclosure, window=window
    )
    if release.output is not None and not release.dry_run:
        sources = [path for path in (Path(data), patterns) if path.exists()]
        check_output(release.output, overwrite=release.overwrite, sources=sources)
    refuse_unused(flags, ("hierarchy",), "says nothing about patterns")
    loaded = load_transactions(data, flags)
    say_notes(loaded, shown)
    asked: dict[str, Any] = {
        "patterns": patterns,
        "min_support": min_support,
        "confidence": confidence,
        "method": method,
        "policy": policy,
        "targets": targets,
        "decoys": decoys,
        "min_confidence": min_confidence,
        "disclosure": disclosure,
        "window": window,
        "max_itemsets": max_itemsets,
        "key": release.key(),
    }
    with progress_bar(shown) as progress:
        if release.dry_run:
            return propose(loaded, **asked, engine=None, progress=progress)
        made = verb(loaded, **asked, format=publish_as, progress=progress)
    return finish(made, release)


def _refuse_unused(
    method: str,
    policy: str,
    *,
    confidence: Decimal,
    targets: str,
    disclosure: Decimal | None,
    window: int,
) -> None:
    """Refuse the flags of another method or policy: they would do nothing."""
    other = []
    if method == "swa":
        usual = (("policy", policy, "certified"), ("targets", targets, "drawn"))
        other = [name for name, given, default in usual if given != default]
    if (method == "swa" or policy == "exact") and confidence != Decimal("0.95"):
        other.append("confidence")
    if method == "matrix":
        other += ["disclosure"] * (disclosure is not None) + ["window"] * (window != WINDOW)
    if other:
        chosen = f"policy {policy!r}" if method == "matrix" and policy == "exact" else f"method {method!r}"
        raise UsageError(
            f"The flag --{other[0]} does nothing with the {chosen}.",
            code="flag-not-used",
            hint="Leave it out, or choose the method and the policy that it belongs to: 'tacit hide --help'.",
        )
