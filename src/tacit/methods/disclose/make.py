"""Working out what a reader of published rules infers about each person.

The reader is assumed to know everybody's quasi-identifiers, and reads the rules, their scores or
the thresholds they reached, and the silence about every pattern that is not among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np

from tacit.arrays.compiled import interruptible
from tacit.errors import UsageError
from tacit.judging.people import counted_rows_notes
from tacit.methods.disclose.result import Disclosure
from tacit.methods.disclose.rules_file import read_facts, read_rules, rules_as_published
from tacit.methods.disclose.solve.constraints import joined, presolve
from tacit.methods.disclose.solve.inference import infer
from tacit.methods.disclose.solve.knowledge import (
    Distribution,
    Facts,
    Knowledge,
    RuleScores,
    Silence,
    joint_population,
)
from tacit.methods.disclose.solve.population import (
    Population,
    Thresholds,
    count_patterns,
    population_of,
    thresholds_of,
)
from tacit.methods.disclose.solve.published import PublishedRules, published_rules, with_extents
from tacit.methods.disclose.solve.solve import DENSE, expected_seconds
from tacit.methods.disclose.verb import disclose
from tacit.mining.mine import mine_table_rules
from tacit.mining.rules import TableRules
from tacit.options import Asked, asked_of

START_UP = 2.0
"""Seconds until a command has loaded what it needs and read a small table."""


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


def make(asked: Asked) -> Disclosure:
    """Carry out what was asked for: the checked arguments of :func:`tacit.disclose`."""
    started = process_time()
    asked.report("Counting combinations and patterns", 0.0)
    problem = _problem(asked)
    population = problem.population
    n_nar, nar_variables = problem.silence_size
    counted = process_time()
    without = None
    if problem.silence is not None and asked.compare_nar:
        asked.report("Maximizing entropy without the silence", 0.3)
        without = interruptible(lambda flag: infer(population, problem.stated, flag=flag))
    started_whole = process_time()
    asked.report("Maximizing entropy", 0.7 if without is not None else 0.3)
    inference = interruptible(lambda flag: infer(population, problem.sources, flag=flag, less=without))
    solved = process_time()
    asked.report("Done", 1.0)
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


def disclosure_size(asked: Asked) -> DisclosureSize:
    """How many constraints and variables :func:`make` would have, and what it would cost."""
    problem = _problem(asked)
    population = problem.population
    n_nar, nar_variables = problem.silence_size
    besides = [source.constraints(population) for source in problem.others]
    everything = joined([source.constraints(population) for source in problem.sources])
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
        seconds_estimate=START_UP + expected_seconds(left),
        memory_mb_estimate=150 + 40e-6 * everything.n_variables + 24e-6 * min(len(left.values), DENSE) ** 2,
    )


@dataclass(frozen=True, eq=False)
class _Problem:
    """What a reader knows of a population."""

    population: Population
    rules: PublishedRules
    silence: Silence | None
    others: tuple[Knowledge, ...]
    n_withheld: int
    notes: tuple[str, ...]

    @property
    def stated(self) -> list[Knowledge]:
        """The sources but for silence."""
        return [RuleScores(self.rules), *self.others]

    @property
    def sources(self) -> list[Knowledge]:
        return self.stated if self.silence is None else [*self.stated, self.silence]

    @property
    def silence_size(self) -> tuple[int, int]:
        """The constraints from silence, and the variables in them."""
        if self.silence is None:
            return 0, 0
        about, _ = self.silence.about
        return len(about), int(np.diff(self.silence.patterns.offsets)[about].sum())


def _problem(asked: Asked) -> _Problem:
    population, rules, thresholds = _published(asked)
    if asked.nar and thresholds is None:
        raise _thresholds_missing("Silence is known by the thresholds")
    silence, n_withheld, notes = None, 0, [*counted_rows_notes(asked.table)]
    if asked.nar is not False and thresholds is not None:
        silence = Silence(population, rules, thresholds, believed=asked.complete)
        n_withheld = silence.n_withheld
    if n_withheld:
        notes.append(
            f"{n_withheld:,} patterns reach the thresholds and are not among the rules: "
            + (
                "the reader is assumed to take the list as complete all the same."
                if asked.complete
                else "the list is incomplete, and the silence about them is assumed to tell nothing."
            )
        )
    others: list[Knowledge] = [Distribution()] if asked.distribution else []
    named = isinstance(asked.facts, str | Path)
    if facts := list((read_facts(Path(asked.facts)) if named else asked.facts) or ()):
        others.append(Facts(facts))
    if asked.bucketized is not None:
        population, buckets, told = joint_population(population, Path(asked.bucketized))
        others.append(buckets)
        notes += told
        rules = with_extents(population, rules.nodes, rules.values, rules.lowest, rules.highest)
        if silence is not None:
            silence = Silence(population, rules, silence.thresholds, believed=silence.believed)
    return _Problem(population, rules, silence, tuple(others), n_withheld, tuple(notes))


def _published(asked: Asked) -> tuple[Population, PublishedRules, Thresholds | None]:
    """The people, the rules as they are published, and the thresholds, where they are known."""
    rules, least, max_length = asked.rules, (asked.min_support, asked.min_confidence), asked.max_length
    if rules is None:
        if None in least:
            raise _thresholds_missing("Rules are mined")
        rules = mine_table_rules(
            asked.table,
            min_support=asked.min_support,
            min_confidence=asked.min_confidence,
            max_length=max_length,
            engine=asked.engine,
        )
    hierarchies = isinstance(rules, TableRules) and any(len(a.levels) > 1 for a in rules.attributes)
    population = population_of(asked.table, hierarchies=hierarchies, engine=asked.engine)
    unscored = None
    if isinstance(rules, TableRules):
        if rules.mined_at is not None and least == (None, None):
            least = rules.mined_at.min_support, rules.mined_at.min_confidence
            max_length = rules.mined_at.max_length if max_length is None else max_length
        published = published_rules(population, rules)
    else:
        written = read_rules(Path(rules)) if isinstance(rules, str | Path) else rules
        published = rules_as_published(population, written)
        unscored = np.array(
            [rule.support is None and rule.confidence is None for rule in written], dtype=bool
        )
    thresholds = None if None in least else thresholds_of(*least, population.n_rows, max_length=max_length)
    if unscored is not None and thresholds is not None:
        published = published.without_scores(thresholds, unscored)
    if asked.scores == "thresholds":
        if thresholds is None:
            raise _thresholds_missing("Rules without scores are known by their thresholds, which are needed")
        published = published.without_scores(thresholds)
    return population, published, thresholds


def _thresholds_missing(what: str) -> UsageError:
    return UsageError(
        f"{what} at a minimum support and a minimum confidence, and they are not given.",
        code="thresholds-missing",
        hint="Give min_support and min_confidence (--min-support, --min-confidence).",
    )


ASKED = ("min_support", "min_confidence", "max_length", "scores")
"""The options that :func:`tacit.safe_rules` and :func:`tacit.disclose` have in common."""


def expected(asked: Asked) -> DisclosureSize:
    """How large the problem is that the checked arguments of :func:`tacit.safe_rules` ask for."""
    return disclosure_size(asked_of(disclose, asked.table, {name: getattr(asked, name) for name in ASKED}))
