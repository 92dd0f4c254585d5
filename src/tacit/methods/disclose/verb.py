"""The verbs ``disclose`` and ``safe_rules``: what published rules tell about each person, and rules within a
limit.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tacit.options import Asked, Only, Says, verb
from tacit.ranges import FileOrObject, Optional, Share, Support, Switch, Whole
from tacit.typing import Progress, Threshold

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.engine.base import Engine
    from tacit.methods.disclose.make_rules import RulesRelease
    from tacit.methods.disclose.result import Disclosure


SUPPORT = Says(
    "Least support of a rule",
    "The minimum support published with the rules: a count such as 25, or a share such as 0.1.",
)
CONFIDENCE = Says(
    "Least confidence of a rule", "The minimum confidence published with the rules: a share such as 0.6."
)


@verb
def disclose(
    table: Table,
    *,
    rules: Annotated[
        Any,
        Optional(FileOrObject()),
        Says("Rules", "File of the rules to be published; without it, all rules that reach the thresholds."),
    ] = None,
    min_support: Annotated[Threshold | None, Optional(Support()), SUPPORT] = None,
    min_confidence: Annotated[Threshold | None, Optional(Share()), CONFIDENCE] = None,
    max_length: Annotated[
        int | None,
        Optional(Whole(1)),
        Says("Most items on the left side", "The most items on the left side of a rule."),
    ] = None,
    scores: Annotated[
        Literal["exact", "thresholds"],
        Says(
            "Supports and confidences",
            "exact: the scores are published; thresholds: only that both thresholds are reached.",
        ),
    ] = "exact",
    nar: Annotated[
        bool | None,
        Optional(Switch()),
        Says(
            "Reasoning from silence",
            "Whether the reader reasons from silence about unpublished patterns; yes where thresholds are"
            " known.",
        ),
    ] = None,
    complete: Annotated[
        bool,
        Switch(),
        Says("A complete list", "The reader takes the list of rules to be complete even where it is not."),
    ] = False,
    distribution: Annotated[
        bool,
        Switch(),
        Says(
            "Readers know how frequent each value is",
            "The distribution of the sensitive attribute is published as well.",
            flag="publish_distribution",
        ),
    ] = False,
    facts: Annotated[
        Any,
        Optional(FileOrObject()),
        Says("Facts", "File of facts the reader knows besides, one a line: P(flu | age=41) <= 0.2"),
    ] = (),
    bucketized: Annotated[
        Path | str | None,
        Optional(FileOrObject()),
        Says(
            "A bucketized release",
            "Folder of a bucketized release of the same table, read together with the rules.",
        ),
    ] = None,
    compare_nar: bool = True,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Disclosure:
    """What a reader who knows everybody's quasi-identifiers infers from published rules.

    In Python the rules may also be mined ones (:func:`tacit.mine_rules`), which know their thresholds, and
    the facts a list of :class:`tacit.Fact`. Rules that reach the thresholds and are withheld tell nothing,
    unless the list is taken to be complete.

    {options}
    compare_nar
        Whether to solve without the silence as well, to show what it adds.
    """
    asked = Asked(**locals())
    from tacit.methods.disclose.make import make

    return make(asked)


@verb
def safe_rules(
    table: Table,
    *,
    min_support: Annotated[Threshold, Support(), SUPPORT],
    min_confidence: Annotated[Threshold, Share(), CONFIDENCE],
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
        Literal["exact", "thresholds"],
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
        Literal["report", "refuse"],
        Only(lambda values: values["k"] is not None, "a release with k"),
        Says(
            "What to do about such groups",
            "What to do about groups of fewer than k people: report or refuse.",
            values=(("report", "report them"), ("refuse", "refuse to publish")),
        ),
    ] = "report",
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RulesRelease:
    """All rules that reach the thresholds, as a release, if they stay within a limit.

    Otherwise nothing is published, and the error names settings that would stay within it. Rules are
    never chosen one by one: a rule or a score that is missing because of the limit would tell that.

    {options}
    """
    asked = Asked(**locals())
    from tacit.methods.disclose.make_rules import make_rules

    return make_rules(asked)
