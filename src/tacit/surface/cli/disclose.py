"""``tacit disclose``: what publishing association rules would tell about each person."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tacit.surface.cli.common import (
    ShareText,
    Shown,
    Source,
    ThresholdText,
    WholeText,
    progress_bar,
    say_notes,
)
from tacit.surface.cli.data import DataFlags, load_table


def disclose(
    data: Source,
    /,
    *,
    min_support: ThresholdText | None = None,
    min_confidence: ShareText | None = None,
    max_length: WholeText | None = None,
    rules: Path | None = None,
    scores: str = "exact",
    nar: Annotated[bool | None, Parameter(negative="--no-nar")] = None,
    complete: Annotated[bool, Parameter(negative="")] = False,
    publish_distribution: Annotated[bool, Parameter(negative="")] = False,
    facts: Path | None = None,
    bucketized: Path | None = None,
    top: WholeText = 10,
    bounds: WholeText = 3,
    dry_run: Annotated[bool, Parameter(negative="")] = False,
    flags: DataFlags = DataFlags(),
    shown: Shown = Shown(),
) -> Any:
    """What a reader who knows everybody's quasi-identifiers infers from published rules.

    Parameters
    ----------
    data
        A table: a file, - for standard input, a database address, or sample:NAME.
    min_support
        The minimum support published with the rules: a count such as 25, or a share such as 0.1.
    min_confidence
        The minimum confidence published with the rules: a share such as 0.6.
    max_length
        The most items on the left side of a rule.
    rules
        File of the rules to be published; without it, all rules that reach the thresholds.
    scores
        exact: the scores are published; thresholds: only that both thresholds are reached.
    nar
        Whether the reader reasons from silence about unpublished patterns; yes where thresholds are known.
    complete
        The reader takes the list of rules to be complete even where it is not.
    publish_distribution
        The distribution of the sensitive attribute is published as well.
    facts
        File of facts the reader knows besides, one a line: P(flu | age=41) <= 0.2
    bucketized
        Folder of a bucketized release of the same table, read together with the rules.
    top
        How many of the most exposed people to show.
    bounds
        For how many of them to compute the worst case by linear programming.
    dry_run
        Say how many constraints and variables there would be, with an estimate of time and memory.
    """
    from tacit.methods.disclose.verb import disclose as verb
    from tacit.methods.disclose.verb import disclosure_size
    from tacit.ranges import Whole, check

    check("disclose", {"top": Whole(1), "bounds": Whole(0)}, top=top, bounds=bounds)
    table = load_table(data, flags)
    say_notes(table, shown)
    given = []
    if facts is not None:
        from tacit.methods.disclose.facts_file import read_facts

        given = read_facts(facts)
    if dry_run:
        return disclosure_size(
            table,
            rules=rules,
            min_support=min_support,
            min_confidence=min_confidence,
            max_length=max_length,
            scores=scores,
            nar=nar,
            complete=complete,
            distribution=publish_distribution,
            facts=given,
            bucketized=bucketized,
        )
    with progress_bar(shown) as progress:
        found = verb(
            table,
            rules=rules,
            min_support=min_support,
            min_confidence=min_confidence,
            max_length=max_length,
            scores=scores,
            nar=nar,
            complete=complete,
            distribution=publish_distribution,
            facts=given,
            bucketized=bucketized,
            progress=progress,
        )
        return found.report(top=top, bounds=bounds)
