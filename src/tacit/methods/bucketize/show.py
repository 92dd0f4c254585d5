"""A bucketized release as text: what it promises, what readers could learn, what it is good for."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tacit.judging.figures import RISKS, UTILITY, lines
from tacit.methods.bucketize.figures import FIGURES
from tacit.methods.bucketize.judge.risks import BucketRisks
from tacit.methods.bucketize.page import NEAR, joined
from tacit.release.kinds import few_words
from tacit.showing.layout import count, facts, grid, heading, left_out, prose, share
from tacit.showing.page import Block, DataTable, Words


def release(release: Any) -> str:
    """A bucketized release, for its owner."""
    manifest = release.manifest
    rows, buckets = count(release.bucketized.n_published), count(len(release.plan))
    title = f"{rows} rows in {buckets} buckets, ℓ = {release.asked.l}"
    seconds = release.seconds
    about = [
        ("method", release.asked.method),
        ("promise", manifest.promise_words),
        ("reader", manifest.reader_words),
        *(("rules", sentence) for sentence in few_words(release.knowledge, release.asked.k)),
        *_areas(release),
        *_series(manifest.parameters),
        *(("joined", sentence) for sentence in joined(manifest.parameters)),
        *(("left out", sentence) for sentence in left_out(manifest.parameters)),
        (
            "CPU seconds",
            f"mine {seconds.mine:.2f}, count {seconds.count:.2f}, solve {seconds.solve:.2f},"
            f" apply {seconds.apply:.2f}",
        ),
    ]
    kept = "What it is good for:\n" + facts(lines(FIGURES, UTILITY, release.parts))
    parts = [heading(title), facts(about), risk(release.risk()), kept, prose(manifest.limits)]
    if manifest.parameters.get("partners") == "near":
        parts.append(prose(NEAR))
    return "\n\n".join(parts)


def _areas(release: Any) -> list[tuple[str, str]]:
    """For how many rows ε bounds what a reader gains who knows how groups are made."""
    if release.plan.bound_rows is None:
        return []
    plan, epsilon = release.plan, release.manifest.parameters["epsilon"]
    holds = (
        f"ε = {epsilon:g} holds for {count(plan.bound_rows)} of {count(release.bucketized.n_published)} rows"
    )
    if plan.acceptance:
        holds += f"; deals thrown away add about {plan.acceptance:.2f} to it, as estimated"
    if plan.thrown:
        holds += f"; it does not speak of {plan.thrown:,} draws thrown away for what rules leave out"
    return [("areas", holds)]


def _series(parameters: Any) -> list[tuple[str, str]]:
    """Where in a series a release is, and what it took."""
    if "series" not in parameters:
        return []
    stated = parameters["series"]
    words = f"release {stated['number']}, {count(stated['counterfeits'])} counterfeits"
    if stated.get("fallen"):
        words += f", {count(stated['fallen'])} rules no longer stated"
    return [("series", words)]


def risk(report: Any) -> str:
    """The risks of a release, beside those of Anatomy on the same table."""
    names, lines, notes = _risk_table(report)
    table = grid(names, lines, right=range(1, len(names)))
    return "\n".join([f"{LEARN}:", table, *(prose(note, indent=2) for note in notes)])


def risk_blocks(report: Any) -> list[Block]:
    """The risks of a release, for a notebook."""
    names, lines, notes = _risk_table(report)
    return [DataTable(names, lines, LEARN), *(Words(note, "note") for note in notes)]


LEARN = "What readers could learn"


def _risk_table(report: Any) -> tuple[list[str], list[tuple[str, ...]], list[str]]:
    """Names of columns, lines and notes of the table of risks."""
    mine: BucketRisks = report.release
    columns = {"this release": mine}
    if report.method != "anatomy" and report.anatomy is not None:
        columns["Anatomy"] = report.anatomy
    told = [
        lines(FIGURES, RISKS, {RISKS: asdict(one), "promise": {"l": mine.l}}, baselines=False)
        for one in columns.values()
    ]
    rows = [(each[0][0], *(text for _, text in each)) for each in zip(*told, strict=True)]
    rows += _surest_lines(list(columns.values()))
    notes = [
        f"The reader knows {count(mine.rules)} rules, one who knows longer ones {count(mine.longer_rules)}."
    ]
    if report.method != "anatomy" and report.anatomy is None:
        notes.append(f"Anatomy cannot bucketize this table at ℓ = {mine.l}: a value is too frequent.")
    if mine.learning is not None:
        several = len(report.sensitive) > 1
        commonest = f"the commonest {'combination' if several else 'value'} of all"
        notes.append(
            f"Guessing {commonest} is right for {share(mine.learning.majority)} of the rows,"
            f" guessing at random in the bucket for {share(mine.learning.baseline)}."
        )
        if several:
            all_of = f"{', '.join(report.sensitive[:-1])} and {report.sensitive[-1]}"
            notes.append(
                f"A guess is of a combination of values, and right where all of them are: {all_of}."
                " Each value alone is guessed right at least as often."
            )
        if mine.learning.rows < mine.rows:
            notes.append(
                f"Software was let learn and guess on {count(mine.learning.rows)} of the rows: the standard"
                f" error of a share is at most {0.5 / mine.learning.rows**0.5:.2%}."
            )
    if report.left_out is not None:
        out = report.left_out
        notes.append(
            f"A reader who takes each of the {count(out.rows)} rows left out for a holder of the commonest"
            f" value possible is right for {share(out.right / out.rows)}; no value is held by more than"
            f" {share(out.frequent)} of those that cannot have the same values."
        )
    if report.aware is not None:
        notes += _aware(report.aware)
    if mine.posterior.sampled_buckets:
        large, error = mine.posterior.sampled_buckets, mine.posterior.error
        most = (
            f"standard error of the largest is {error:.4f}" if error else "largest is of another, and counted"
        )
        notes.append(
            f"Posteriors of {count(large)} large bucket{'s' * (large != 1)} are sampled; the {most}."
        )
    return ["", *columns], rows, notes


def _aware(aware: Any) -> list[str]:
    """Whom a reader can name who knows the tool: for the owner."""
    notes = []
    if aware.grouping is not None and aware.grouping.people and aware.grouping.right is not None:
        found = aware.grouping
        notes.append(
            f"A reader who knows how Tacit groups rows is sure of {count(found.people)} people and right for"
            f" {share(found.right)}; software that only learns from the buckets is right for"
            f" {share(found.learner)} of the same people."
        )
    if aware.silence is not None and aware.silence.people:
        found = aware.silence
        notes.append(
            f"A reader who asks which rules are not listed can name {count(found.people)} people,"
            f" and is right for {share(found.right)}."
        )
    return notes


def utility(report: Any) -> str:
    """The errors of counting queries and of association rules."""
    tables = [grid(header, rows, right=range(1, len(header))) for header, rows in _utility_tables(report)]
    return "\n\n".join([f"What it is good for ({count(report.figures.rows)} rows measured):", *tables])


def utility_blocks(report: Any) -> list[Block]:
    """The errors of counting queries and of association rules, for a notebook."""
    return [DataTable(header, rows) for header, rows in _utility_tables(report)]


def _utility_tables(report: Any) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """The header and the rows of each table of errors."""
    figures = report.figures
    tables: list[tuple[tuple[str, ...], list[tuple[str, ...]]]] = [
        (
            ("counting queries", "selectivity", "error, uniform", "error, valid only", "skipped"),
            [
                (
                    f"{query.dimensions} quasi-identifiers",
                    f"{query.selectivity:g}",
                    share(query.uniform),
                    share(query.valid),
                    count(query.skipped),
                )
                for query in figures.queries
            ],
        )
    ]
    if figures.rules_uniform is not None and figures.rules_valid is not None:
        pairs = (("uniform", figures.rules_uniform), ("valid only", figures.rules_valid))
        first = f"{count(figures.rules_uniform.rules)} association rules"
        tables.append(
            (
                (first, "confidence off", "false", "lost"),
                [
                    (name, share(one.confidence), share(one.false_positives), share(one.false_negatives))
                    for name, one in pairs
                ],
            )
        )
    return tables


def _surest_lines(columns: list[BucketRisks]) -> list[tuple[str, ...]]:
    """How often the learner is right about the people it is surest of; small shares of few people are one."""
    learned = columns[0].learning
    places = {} if learned is None else {one.people: place for place, one in enumerate(learned.surest)}

    def right(one: BucketRisks, place: int) -> str:
        return "–" if one.learning is None else share(one.learning.surest[place].right)

    return [
        (
            f"Right guesses for the {count(people)} people it is surest about",
            *(right(one, place) for one in columns),
        )
        for people, place in places.items()
    ]


TEXTS = {"BucketizedRelease": release, "RiskReport": risk, "UtilityReport": utility}
BLOCKS = {"RiskReport": risk_blocks, "UtilityReport": utility_blocks}
