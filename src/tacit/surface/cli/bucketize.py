"""``tacit bucketize``: publish a table so that everybody keeps ℓ sensitive values they could have."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from time import process_time
from typing import Annotated

from cyclopts import Parameter

from tacit.surface.cli.common import (
    DataFlags,
    Reasons,
    ReleaseFlags,
    ShareText,
    Shown,
    Source,
    WholeText,
    load_table,
    progress_bar,
    say,
    say_notes,
)


def bucketize(
    data: Source,
    /,
    *,
    l: Annotated[WholeText, Parameter(name=["-l", "--l"])],
    method: str = "injector",
    form: str = "qit",
    partners: str | None = None,
    epsilon: ShareText | None = None,
    min_expectation: ShareText = Decimal("0.9"),
    max_length: WholeText = 1,
    correction: str = "none",
    rules: Path | None = None,
    drop_rules: Path | None = None,
    max_posterior: ShareText | None = None,
    on_infeasible: str = "refuse",
    max_posterior_suppressed: ShareText | None = None,
    join_values: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    max_learned: ShareText | None = None,
    person: str | None = None,
    accept: Reasons = (),
    flags: DataFlags = DataFlags(),
    release: ReleaseFlags = ReleaseFlags(),
    shown: Shown = Shown(),
) -> object:
    """Publish a table so that every row could have l sensitive values, for whoever knows the stated rules.

    Quasi-identifiers are published as they are, in groups; each group says which sensitive values its
    rows have, not who has which.

    Parameters
    ----------
    data
        A table: a file, - for standard input, a database address, or sample:NAME.
    l
        How many valid sensitive values every row keeps.
    method
        injector (against a reader who knows the negative rules) or anatomy (who knows none).
    form
        qit (quasi-identifiers, and apart the values of each group) or permuted (one table).
    partners
        Whom injector groups: areas (near rows, and a reader who knows Tacit learns hardly more than is
        stated), any (from the whole table), paper (as the paper prints it) or near (rows alike first;
        a reader who knows Tacit can name people). By default areas.
    epsilon
        With areas: the odds of a reader who knows Tacit are at most e^epsilon times those stated; 0.4 by
        default.
    min_expectation
        How surely an unrelated value would have shown up, for its absence to be a rule.
    max_length
        The most attributes in a mined rule.
    correction
        none, bonferroni or bh: for how many pairs were tested when mining.
    rules
        File of rules that readers know as well, one a line: sex=male => not disease=ovarian cancer
    drop_rules
        File of mined rules that readers are taken not to know.
    max_posterior
        No value of anybody may be likelier than this share.
    on_infeasible
        refuse what the table cannot meet, or suppress the rows in the way.
    max_posterior_suppressed
        Of the rows left out, no value is held by more than this share; further rows join them for that.
    join_values
        Join sensitive values along their hierarchy, as little as it takes to meet the promise.
    max_learned
        Refuse a release from which software learns so much that it is right for more than this share of the
        1 % of people it is surest about.
    person
        Column that tells people apart, where they have several rows; it is not published. One row of each
        person is published, drawn by the key.
    accept
        COLUMN="reason": publish a column that tells a sensitive value or holds free text, and why. May be
        repeated; the reasons are published.
    """
    from tacit.engine.choice import engine_for
    from tacit.judging.near_values import near_values_notes
    from tacit.methods.bucketize.accepting import reasons_of
    from tacit.methods.bucketize.people import one_row_per_person
    from tacit.methods.bucketize.solve.keeping import check_suppression, rows_left_out
    from tacit.methods.bucketize.verb import RANGES, count_classes, settle_epsilon, settle_partners
    from tacit.methods.bucketize.verb import bucketize as verb
    from tacit.mining.negative import mine_negative_rules
    from tacit.ranges import check
    from tacit.release import check_output
    from tacit.surface.cli.release import finish

    check(
        "bucketize",
        RANGES,
        l=l,
        method=method,
        form=form,
        partners=partners,
        epsilon=epsilon,
        max_posterior=max_posterior,
        on_infeasible=on_infeasible,
        max_posterior_suppressed=max_posterior_suppressed,
        max_learned=max_learned,
        person=person,
        accept=reasons_of(accept),
    )
    check_suppression(on_infeasible, max_posterior_suppressed)
    suppress = on_infeasible == "suppress"
    way = settle_partners(partners, method=method, bounded=max_posterior is not None, suppress=suppress)
    settle_epsilon(epsilon, partners=way)
    if release.output is not None and not release.dry_run:
        sources = [path for path in (Path(data), rules, drop_rules) if path is not None and path.exists()]
        check_output(release.output, overwrite=release.overwrite, sources=sources)
    table = one_row_per_person(load_table(data, flags), person, release.key())
    say_notes(table, shown)
    say(near_values_notes(table.sensitive), shown)
    engine = engine_for(table)
    with progress_bar(shown) as progress:
        started = process_time()
        knowledge = mine_negative_rules(
            table,
            min_expectation=min_expectation,
            max_length=max_length,
            correction=correction,
            added=rules or (),
            dropped=drop_rules or (),
            engine=engine,
            progress=progress,
        )
        mined = process_time() - started
        if release.dry_run:
            from tacit.engine.spark.engine import SparkEngine
            from tacit.methods.bucketize.estimate import estimate, spark_estimate
            from tacit.methods.bucketize.release import MOST_JUDGED

            counted = count_classes(table, knowledge if method == "injector" else None, engine, release.key())
            size = {
                "combinations": len(counted.class_of),
                "known": counted.known_values,
                "columns": len(table.roles.known) + len(table.roles.sensitive),
                "rules": len(knowledge),
            }
            out = rows_left_out(
                counted.classes, l, method, max_posterior, release.key(), max_posterior_suppressed
            )
            if isinstance(engine, SparkEngine):
                told = spark_estimate(counted.classes, method=method, **size, most_judged=MOST_JUDGED)
                return replace(told, left_out=out)
            return replace(estimate(counted.classes, method=method, **size), left_out=out)
        made = verb(
            table,
            l=l,
            method=method,
            knowledge=knowledge,
            form=form,
            partners=partners,
            epsilon=epsilon,
            max_posterior=max_posterior,
            on_infeasible=on_infeasible,
            max_posterior_suppressed=max_posterior_suppressed,
            join_values=join_values,
            max_learned=max_learned,
            person=person,
            accept=accept,
            key=release.key(),
            engine=engine,
            progress=progress,
        )
        progress("Measuring what readers could learn", None)
        made = replace(made, seconds=replace(made.seconds, mine=mined))
        made.risk()
        if release.output is not None:
            progress("Writing and verifying", None)
        return finish(made, release)
