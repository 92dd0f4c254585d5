"""The verb ``mine_negative_rules``: what readers of a table may know of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated

from tacit.options import Says, verb
from tacit.ranges import Lines, OneOf, Share, Unlimited, Whole
from tacit.typing import Progress, Threshold

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.engine.base import TableCounting
    from tacit.mining.knowledge import NegativeRules


@verb
def mine_negative_rules(
    table: Table,
    *,
    min_expectation: Annotated[
        Threshold,
        Share(0.0, 1.0, open_low=True, open_high=True),
        Says(
            "Least expectation of a rule",
            "How surely an unrelated value would have shown up, for its absence to be a rule.",
            empty="0.9",
        ),
    ] = 0.9,
    min_confidence: Annotated[
        Threshold,
        Share(),
        Says(
            "Least confidence of a rule",
            "1 for rules without exception; lower only to look around, never as knowledge for a release.",
            empty="1",
        ),
    ] = 1.0,
    max_length: Annotated[
        int | str | None,
        Unlimited(Whole(1)),
        Says(
            "Most attributes in a rule",
            "The most attributes in a mined rule, or unlimited. Longer rules are mostly chance unless"
            " corrected.",
            empty="1",
        ),
    ] = 1,
    correction: Annotated[
        str,
        OneOf(("none", "alike", "bonferroni", "bh")),
        Says(
            "Correction for many tests",
            "none, alike (as many tests as the attributes of a rule have values), bonferroni or bh"
            " (Benjamini–Hochberg): for all pairs tested when mining. The fewer rules, the more of what"
            " readers really know is missing.",
            values=(
                ("none", "none"),
                ("alike", "values of the same attributes"),
                ("bonferroni", "Bonferroni"),
                ("bh", "Benjamini–Hochberg"),
            ),
        ),
    ] = "none",
    spread: Annotated[
        Threshold,
        Share(0.0, float("inf"), open_low=False),
        Says(
            "Fuzzy edges of intervals",
            "Fuzzy edges of numeric intervals, as a share of their width; 0 is crisp.",
            empty="0",
        ),
    ] = 0,
    rules: Annotated[
        Iterable[str] | str | Path,
        Lines(),
        Says(
            "Rules that readers know as well",
            "Rules that readers know as well, one a line: sex=male => not disease=ovarian cancer. One that a"
            " row contradicts is refused.",
        ),
    ] = (),
    drop_rules: Annotated[
        Iterable[str] | str | Path,
        Lines(),
        Says(
            "Mined rules that readers do not know",
            "Mined rules that readers are taken not to know, one a line.",
        ),
    ] = (),
    engine: TableCounting | None = None,
    progress: Progress | None = None,
) -> NegativeRules:
    """The most general negative rules of a table, for each of its sensitive attributes.

    {options}
    """
    asked = SimpleNamespace(**locals())
    asked.max_length = max_length if isinstance(max_length, int) else None
    from tacit.mining.negative import mine_negative

    return mine_negative(asked)
