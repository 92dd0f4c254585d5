"""The verb ``safe_rules``: a table goes in, a release of its rules comes out, if they stay within a limit."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

from tacit.options import Only, Says, verb
from tacit.ranges import OneOf, Optional, Share, Support, Switch, Whole
from tacit.typing import Progress, Threshold

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.engine.base import TableCounting
    from tacit.methods.disclose.make_rules import RulesRelease


def _has_k(values: Mapping[str, Any]) -> bool:
    return values["k"] is not None


@verb
def safe_rules(
    table: Table,
    *,
    min_support: Annotated[
        Threshold,
        Support(),
        Says(
            "Least support of a rule",
            "The minimum support published with the rules: a count such as 25, or a share such as 0.1.",
        ),
    ],
    min_confidence: Annotated[
        Threshold,
        Share(),
        Says(
            "Least confidence of a rule",
            "The minimum confidence published with the rules: a share such as 0.6.",
        ),
    ],
    max_posterior: Annotated[
        Threshold,
        Share(),
        Says(
            "Largest posterior",
            "No sensitive value of anybody may have a posterior above this share, or nothing is published.",
        ),
    ],
    max_length: Annotated[
        int | None,
        Optional(Whole(1)),
        Says("Most items on the left side", "The most items on the left side of a rule.", empty="no limit"),
    ] = None,
    scores: Annotated[
        str,
        OneOf(("exact", "thresholds")),
        Says(
            "Supports and confidences",
            "exact: publish the scores of every rule; thresholds: of none.",
            values=(("exact", "are published"), ("thresholds", "are not published")),
        ),
    ] = "exact",
    distribution: Annotated[
        bool,
        Switch(),
        Says(
            "Readers know how frequent each value is",
            "Whether the reader knows the distribution of the sensitive attribute.",
            values=(("no", "no"), ("yes", "yes")),
        ),
    ] = False,
    k: Annotated[
        int | None,
        Optional(Whole(2)),
        Says(
            "Smallest group",
            "Look for groups of fewer people than this that follow from the supports by subtraction.",
            flag="min_group",
            empty="do not look",
        ),
    ] = None,
    channels: Annotated[
        str,
        OneOf(("report", "refuse")),
        Only(_has_k, "a release with k"),
        Says(
            "What to do about such groups",
            "What to do about groups of fewer than k people: report or refuse.",
            values=(("report", "report them"), ("refuse", "refuse to publish")),
        ),
    ] = "report",
    engine: TableCounting | None = None,
    progress: Progress | None = None,
) -> RulesRelease:
    """All rules that reach the thresholds, as a release, if they stay within a limit.

    Otherwise nothing is published, and the error names settings that would stay within it. Rules are
    never chosen one by one: a rule or a score that is missing because of the limit would tell that.

    {options}
    """
    asked = SimpleNamespace(**locals())
    from tacit.methods.disclose.make_rules import make_rules

    return make_rules(asked)
