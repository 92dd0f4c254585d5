"""Working out what a reader of published rules infers about each person.

The reader is assumed to know everybody's quasi-identifiers, and reads the rules, their scores or
the thresholds they reached, and the silence about every pattern that is not among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from tacit.arrays.interrupt import Flag, interruptible
from tacit.errors import UsageError
from tacit.methods.disclose.result import Disclosure
from tacit.methods.disclose.rules_file import read_facts, read_rules, rules_as_published
from tacit.methods.disclose.solve.constraints import joined, presolve
from tacit.methods.disclose.solve.inference import Inference, infer
from tacit.methods.disclose.solve.joint import joint_population
from tacit.methods.disclose.solve.knowledge import Distribution, Fact, Facts, Knowledge, RuleScores, Silence
from tacit.methods.disclose.solve.population import (
    Population,
    Thresholds,
    count_patterns,
    population_of,
    thresholds_of,
)
from tacit.methods.disclose.solve.published import PublishedRules, published_rules
from tacit.methods.disclose.solve.solve import DENSE, expected_seconds
from tacit.methods.disclose.verb import disclose
from tacit.mining.rules import TableRules
from tacit.mining.tables import mine_table_rules
from tacit.options import asked_of
from tacit.typing import Progress


@dataclass(frozen=True)
class DisclosureSize:
    """How large a problem would be: what ``--dry-run`` prints."""

    rows: int
    combinations: int
    patterns: int | None
    rules: int
    nar: int
    nar_variables: int
    other: int
    """Constraints from the distribution, from facts and from the buckets of a table."""
    other_variables: int
    seconds_estimate: float
    memory_mb_estimate: float

    def __str__(self) -> str:
        known = "very many" if self.patterns is None else f"{self.patterns:,}"
        others = (
            f"{self.other:,} other constraints with {self.other_variables:,} variables\n"
            if self.other
            else ""
        )
        return (
            f"{self.rows:,} rows, {self.combinations:,} combinations, {known} patterns\n"
            f"{self.rules:,} rules and {self.nar:,} constraints from silence with {self.nar_variables:,} "
            f"variables\n{others}about {self.seconds_estimate:.0f} s and {self.memory_mb_estimate:.0f} MB"
        )


def make(asked: Any) -> Disclosure:
    """Carry out what was asked for: the checked arguments of :func:`tacit.disclose`."""
    progress: Progress | None = asked.progress
    started = process_time()
    say = progress or (lambda what, share: None)
    say("Counting combinations and patterns", 0.0)
    problem, others = _with_others(_prepare(asked), asked)
    population = problem.population
    sources: list[Knowledge] = [RuleScores(problem.rules), *others]
    n_nar, nar_variables = _silence_size(problem)
    counted = process_time()
    without = None
    if problem.silence is not None and asked.compare_nar:
        say("Maximizing entropy without the silence", 0.3)
        without = _infer(population, sources)
    started_whole = process_time()
    say("Maximizing entropy", 0.7 if without is not None else 0.3)
    everything = [*sources, *([problem.silence] if problem.silence is not None else [])]
    inference = _infer(population, everything, less=without)
    solved = process_time()
    say("Done", 1.0)
    return Disclosure(
        inference=inference,
        without_nar=without,
        n_rules=len(problem.rules),
        n_patterns=count_patterns(population) or 0,
        n_nar=n_nar,
        nar_variables=nar_variables,
        n_withheld=problem.n_withheld,
        scores=asked.scores,
        notes=problem.notes,
        seconds={"count": counted - started, "solve": solved - started_whole},
    )


def disclosure_size(asked: Any) -> DisclosureSize:
    """How many constraints and variables :func:`make` would have, and what it would cost."""
    problem, others = _with_others(_prepare(asked), asked)
    n_nar, nar_variables = _silence_size(problem)
    population = problem.population
    besides = [source.constraints(population) for source in others]
    known: list[Knowledge] = [
        RuleScores(problem.rules),
        *([] if problem.silence is None else [problem.silence]),
    ]
    everything = joined([*(source.constraints(population) for source in known), *besides])
    left = presolve(everything, population.counts, population.n_values)
    return DisclosureSize(
        rows=population.n_rows,
        combinations=len(population),
        patterns=count_patterns(population),
        rules=len(problem.rules),
        nar=n_nar,
        nar_variables=nar_variables,
        other=sum(map(len, besides)),
        other_variables=sum(each.n_variables for each in besides),
        seconds_estimate=2.0 + expected_seconds(left),
        memory_mb_estimate=150 + 40e-6 * everything.n_variables + 24e-6 * min(len(left.values), DENSE) ** 2,
    )


def _with_others(problem: _Problem, asked: Any) -> tuple[_Problem, list[Knowledge]]:
    """What the reader knows beside rules and silence, and the problem over the units it needs."""
    others: list[Knowledge] = [Distribution()] if asked.distribution else []
    facts: Iterable[Fact] = (
        read_facts(Path(asked.facts)) if isinstance(asked.facts, str | Path) else asked.facts
    )
    if given := list(facts or ()):
        others.append(Facts(given))
    bucketized = asked.bucketized
    if bucketized is not None:
        population, buckets, told = joint_population(problem.population, Path(bucketized))
        over = problem.over(population)
        problem = replace(over, notes=(*over.notes, *told))
        others.append(buckets)
    return problem, others


def _silence_size(problem: _Problem) -> tuple[int, int]:
    """The constraints from silence, and the variables in them."""
    if problem.silence is None:
        return 0, 0
    about, _ = problem.silence.about
    return len(about), int(np.diff(problem.silence.patterns.offsets)[about].sum())


@dataclass(frozen=True, eq=False)
class _Problem:
    """Rules and silence over a population."""

    population: Population
    rules: PublishedRules
    silence: Silence | None
    thresholds: Thresholds | None
    n_withheld: int
    notes: tuple[str, ...]

    def over(self, population: Population) -> _Problem:
        """The same rules and silence over other units of the same people."""
        from tacit.methods.disclose.solve.published import with_extents

        rules = with_extents(
            population, self.rules.nodes, self.rules.values,
            lowest=self.rules.lowest, highest=self.rules.highest,
        )  # fmt: skip
        silence = self.silence
        if silence is not None:
            silence = Silence(population, rules, silence.thresholds, believed=silence.believed)
        return replace(self, population=population, rules=rules, silence=silence)


def _prepare(asked: Any) -> _Problem:
    table, rules, engine, nar, complete = asked.table, asked.rules, asked.engine, asked.nar, asked.complete
    min_support, min_confidence, max_length = asked.min_support, asked.min_confidence, asked.max_length
    if rules is None:
        if min_support is None or min_confidence is None:
            raise _thresholds_missing("Rules are mined")
        rules = mine_table_rules(
            table,
            min_support=min_support,
            min_confidence=min_confidence,
            max_length=max_length,
            engine=engine,
        )
    hierarchies = isinstance(rules, TableRules) and any(len(a.levels) > 1 for a in rules.attributes)
    population = population_of(table, hierarchies=hierarchies, engine=engine)
    unscored = None
    if isinstance(rules, TableRules):
        if rules.mined_at is not None and min_support is None and min_confidence is None:
            min_support, min_confidence = rules.mined_at.min_support, rules.mined_at.min_confidence
            max_length = rules.mined_at.max_length if max_length is None else max_length
        published = published_rules(population, rules)
    else:
        written = read_rules(Path(rules)) if isinstance(rules, str | Path) else rules
        published = rules_as_published(population, written)
        unscored = np.array(
            [rule.support is None and rule.confidence is None for rule in written], dtype=bool
        )
    thresholds = None
    if min_support is not None and min_confidence is not None:
        thresholds = thresholds_of(min_support, min_confidence, population.n_rows, max_length=max_length)
    if unscored is not None and thresholds is not None:
        published = published.without_scores(thresholds, unscored)
    if asked.scores == "thresholds":
        if thresholds is None:
            raise _thresholds_missing("Rules without scores are known by their thresholds, which are needed")
        published = published.without_scores(thresholds)
    if nar and thresholds is None:
        raise _thresholds_missing("Silence is known by the thresholds")
    silence = None
    n_withheld = 0
    notes = []
    if nar is not False and thresholds is not None:
        silence = Silence(population, published, thresholds, believed=complete)
        n_withheld = silence.n_withheld
        if n_withheld:
            notes.append(
                f"{n_withheld:,} patterns reach the thresholds and are not among the rules: "
                + (
                    "the reader is assumed to take the list as complete all the same."
                    if complete
                    else "the list is incomplete, and the silence about them is assumed to tell nothing."
                )
            )
    return _Problem(population, published, silence, thresholds, n_withheld, tuple(notes))


def _infer(
    population: Population, sources: Sequence[Knowledge], *, less: Inference | None = None
) -> Inference:
    """The inference, in a thread that Ctrl-C can stop."""

    def work(flag: Flag) -> Inference:
        return infer(population, sources, flag=flag, less=less)

    found: Any = interruptible(work)
    return found  # type: ignore[no-any-return]


def _thresholds_missing(what: str) -> UsageError:
    return UsageError(
        f"{what} at a minimum support and a minimum confidence, and they are not given.",
        code="thresholds-missing",
        hint="Give min_support and min_confidence (--min-support, --min-confidence).",
    )


ASKED = ("min_support", "min_confidence", "max_length", "scores")
"""The options that :func:`tacit.safe_rules` and :func:`tacit.disclose` have in common."""


def expected(asked: Any) -> DisclosureSize:
    """How large the problem is that the checked arguments of :func:`tacit.safe_rules` ask for."""
    return disclosure_size(asked_of(disclose, asked.table, {name: getattr(asked, name) for name in ASKED}))
