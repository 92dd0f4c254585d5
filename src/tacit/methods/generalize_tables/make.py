"""Making a generalized table: count, solve, apply and judge put together into a release."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import process_time
from typing import Any

import numpy as np

from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.data.spelling import refuse_look_alikes
from tacit.data.table import Table
from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError, Place, ResourceError, UsageError, option
from tacit.io.hierarchies.amnesia import exact_number
from tacit.io.hierarchies.automatic import spans
from tacit.judging.people import one_row_per_person
from tacit.methods.generalize_tables import attacks, judge, release, series
from tacit.methods.generalize_tables.cohorts import who_is_here
from tacit.methods.generalize_tables.series_silence import check_unlisted
from tacit.methods.generalize_tables.silence import Counted, Divisions, joined_rows, silenced
from tacit.methods.generalize_tables.verb import HIERARCHICAL, ORDERED, RULES, about_values, recursion_of
from tacit.mining.knowledge import NegativeRules
from tacit.mining.verbs import known_rules, longer_rules, mine_negative_rules
from tacit.options import EPSILON, Asked
from tacit.random.key import Key, load_key
from tacit.ranges import exactly
from tacit.recoding import CELLS, GLOBAL, LOCAL, NORMAL, QUICK, SUBTREE, THOROUGH, promises
from tacit.recoding.clustering import MANY, MOST_COLUMNS
from tacit.recoding.coarser import kept_trees, too_few, with_hierarchies
from tacit.recoding.problem import Fails, Problem, drawn_by, problem_of
from tacit.recoding.promises import Held, OfCounts, Promise
from tacit.recoding.solve import solve
from tacit.release.readers import rules_on_record
from tacit.typing import Counts, Floats

MOST_HERE = 50_000_000
"""So many rows of a table on Spark are brought into this process, as distinct rows with counts."""
BYTES_PER_CELL = 24
"""Held for each cell at the peak: its code twice, its node, its share of the text written."""
BYTES_PER_COMBINATION = 120
BASE = 300 << 20
"""The process itself, with its libraries and compiled kernels."""
SECONDS_PER_COMBINATION = {QUICK: 3e-5, NORMAL: 1.5e-4, THOROUGH: 3e-4}
"""Of classes as fine as they can be; of levels as of quick ones."""


def make(asked: Asked) -> release.GeneralizedTable:
    """Make the release that was asked for: the checked arguments of the verb."""
    _check_table(asked.table, asked)
    table = rows_here(asked.table, asked.person)
    numbered = table.source is asked.table.source
    key = load_key() if asked.key is None else asked.key
    table = one_row_per_person(table, asked.person, key)
    started = process_time()
    asked.report("Counting")
    begun = series.earlier_tables(asked, table, key)
    if begun is None:
        table, trees, costs = with_hierarchies(table, asked.recoding)
    else:
        table, trees, costs = series.kept_hierarchies(table, begun)
    rules = _rules(asked, table)
    by_level = asked.recoding in (GLOBAL, SUBTREE)
    here = who_is_here(table, asked.person, rules, key) if by_level and asked.person is not None else None
    going_on = fails = divisions = None
    if begun is None or here is None:
        problem, fails, entries = counted(asked, table, trees, costs, rules, key)
    else:
        going_on = series.continuing(asked, table, trees, costs, here, begun)
        problem, entries = going_on.problem, going_on.entries(table)
    if fails is not None and not by_level:
        divisions = Divisions(fails)
        fails = divisions.fails
    asked.report("Looking for the least loss")
    epsilon = None if by_level or not about_values(vars(asked)) else float(asked.epsilon or EPSILON)
    solution = solve(
        problem,
        asked.recoding,
        most_suppressed=int(exactly(asked.max_suppressed) * len(table)),
        epsilon=epsilon or EPSILON,
        fails=fails,
        effort=asked.effort,
    )
    if solution is None:
        raise _infeasible(asked, problem, table, rules)
    solution = solution if going_on is None else going_on.settled(solution, asked)
    joined = None
    if rules is not None and entries is not None:
        before = solution.recoded
        solution = silenced(solution, problem, entries, rules, asked, divisions, alone=here is None)
        joined = joined_rows(before, solution.recoded, problem.counts)
    asked.report("Carrying the plan out")
    combination_of = None if going_on is None else going_on.combination_of
    recoded = release.carry_out(solution.recoded, problem, table, combination_of)
    everybody = None
    if here is not None:
        earlier = None if going_on is None else going_on.earlier
        everybody = series.lived(table, recoded, here, rules, begun, earlier)
        if asked.l is not None:
            check_unlisted(everybody.lives, everybody.pairs, asked.l)
    seconds = process_time() - started
    asked.report("Judging the release")
    classes = judge.classes_of(recoded.known, recoded.times)[0]
    known = longer = None
    if asked.l is not None:
        covered = mine_negative_rules(table) if rules is None else rules
        known, longer = (
            judge.vulnerable_rows(table, recoded.rows, classes, some, asked.l, asked.flag)
            for some in (covered, longer_rules(table, covered))
        )
    plan = solution.recoded
    risks = replace(
        judge.judge_table(recoded.known, recoded.sensitive, asked.k, recoded.times),
        unique=int((judge.classes_of(table.known, table.times)[1] == 1).sum()),
        vulnerable=known,
        vulnerable_longer=longer,
        joined=joined,
        learning=attacks.learn(table, recoded.rows, classes),
        refinement=None if by_level else attacks.refine(plan, problem, asked.k),
        minimality=attacks.explain(plan, problem, solution.levels, asked.l) if by_level else None,
    )
    kept = judge.measure_table(
        table,
        recoded.known,
        recoded.rows,
        trees | kept_trees(table),
        plan.column_losses(problem).tolist(),
        seed=key.subkey("figures: counting queries").words,
    )
    shown = trees | _sensitive_trees(asked, table)
    told = None if begun is None else series.series_terms(begun, recoded, trees, asked.k)
    private = release.private_files(
        table, recoded, solution, shown | kept_trees(table), risks, kept, seconds, key, numbered=numbered
    ) | rules_on_record(rules)
    if everybody is not None:
        private |= series.series_files(everybody, recoded, solution, key, begun)
    return release.GeneralizedTable(
        manifest=release.manifest_of(
            asked,
            recoded,
            risks,
            _told(kept, recoded, {name: trees[name] for name in costs}),
            table=table,
            promise=_terms(asked, table),
            rules=rules,
            more={"epsilon": epsilon, "series": told},
            experimental=key.experimental,
        ),
        files=release.published_files(recoded, shown),
        private=private,
        before=() if begun is None else begun.chain,
        origin=table.origin,
        original=table,
        recoding=asked.recoding,
        solution=solution,
        recoded=recoded,
        seconds=seconds,
        risks=risks,
        kept=kept,
        knowledge=rules,
    )


def _told(
    kept: judge.TableUtility, recoded: release.Recoding, numbers: Mapping[str, Hierarchy]
) -> judge.TableUtility:
    """The utility as it is published: losses by the width of intervals are of a range that is rounded.

    A reader who sees the intervals would else conclude from the loss how wide the range is, and so the
    largest value, which is somebody's.
    """
    columns, gone = [], recoded.n_suppressed
    for one, shown in zip(kept.columns, recoded.quasi, strict=True):
        tree = numbers.get(one.column)
        if tree is not None and (widths := spans(tree, rounded=True)) is not None:
            nodes = [tree.index[NULL_LABEL if text is None else text] for text in shown.texts]
            lost = float(shown.counts @ widths[nodes]) + gone
            one = replace(one, loss=lost / (recoded.n_rows + gone))
        columns.append(one)
    return replace(kept, loss=sum(one.loss for one in columns) / len(columns), columns=tuple(columns))


def rows_here(table: Table, person: str | None) -> Table:
    """The table in this process: of rows on Spark the distinct ones come, each standing for so many."""
    names = (*table.roles.known, *table.roles.sensitive, *([] if person is None else [person]))
    found = table.distinct(names, MOST_HERE) if person is None else table.in_memory(names, MOST_HERE)
    if found is None:
        raise ResourceError(
            f"Generalizing would bring more than {MOST_HERE:,} rows into this process.",
            code="spark-too-many",
            where=Place(file=table.origin),
            hint="Publish a sample of the rows, or parts of the table as releases of their own.",
        )
    return found


def counted(
    asked: Asked,
    table: Table,
    trees: Mapping[str, Hierarchy],
    costs: Mapping[str, Floats],
    rules: NegativeRules | None,
    key: Key,
) -> tuple[Problem, Fails | None, Counted | None]:
    """The table as its solver gets it, what decides its tests, and what rows hold where that matters."""
    roles = table.roles
    valued = about_values(vars(asked))
    names = (*roles.known, *(roles.sensitive if valued else ()))
    combinations = engine_for(table).combinations(table, names)

    def promise(held: Held | None) -> Promise:
        parts = () if held is None else tuple(_parts(asked, table, held))
        return Promise(asked.k, held, parts, asked.l if rules is not None else None, asked.flag)

    problem = problem_of(
        combinations,
        roles.quasi,
        {**trees, **kept_trees(table)},
        promise,
        costs=costs,
        kept=roles.keep,
        sensitive=roles.sensitive if valued else (),
        rules=rules,
    )
    fails = drawn_by(combinations.key(key), combinations, roles.known) if valued else None
    held = problem.promise.held
    if held is None:
        return problem, fails, None
    every = np.arange(len(combinations))
    return problem, fails, Counted(combinations, every, held.combinations, combinations.counts)


def _parts(asked: Asked, table: Table, held: Held) -> list[tuple[int, OfCounts]]:
    """What is promised of each sensitive column."""
    found: list[tuple[int, OfCounts]] = []
    for attribute, name in enumerate(table.roles.sensitive):
        if asked.l is not None:
            found.append((attribute, promises.Distinct(asked.l)))
        if asked.entropy_l is not None:
            found.append((attribute, promises.EntropyDiversity(asked.entropy_l)))
        if asked.recursive is not None:
            found.append((attribute, promises.Recursive(*recursion_of(asked.recursive))))
        if asked.t is not None:
            found.append((attribute, _closeness(asked, table, name, held.totals(attribute))))
    return found


def _closeness(asked: Asked, table: Table, name: str, totals: Counts) -> promises.Closeness:
    if asked.distance == ORDERED:
        texts = table.column(name).texts
        places = {text: place for place, text in enumerate(_line(texts))}
        return promises.ordered_distance(exactly(asked.t), totals, np.array([places[text] for text in texts]))
    if asked.distance == HIERARCHICAL:
        tree = _sensitive_trees(asked, table)[name]
        leaves = tree.leaves_of(table.column(name).texts)
        return promises.hierarchical_distance(exactly(asked.t), totals, tree, leaves)
    return promises.equal_distance(exactly(asked.t), totals)


def _line(texts: Sequence[str | None]) -> list[str | None]:
    """Values in their order: by size where all are numbers, by their texts otherwise; a missing one last."""
    numbers = [exact_number("0" if text is None else text) for text in texts]
    if None in numbers:
        return list(texts)
    places = sorted(range(len(texts)), key=lambda place: (texts[place] is None, numbers[place]))
    return [texts[place] for place in places]


def _sensitive_trees(asked: Asked, table: Table) -> dict[str, Hierarchy]:
    """Where distances follow hierarchies: those of the sensitive columns, as far as their values occur."""
    if asked.t is None or asked.distance != HIERARCHICAL:
        return {}
    missing = [name for name in table.roles.sensitive if name not in table.hierarchies]
    if missing:
        raise UsageError(
            f"The hierarchical distance needs a hierarchy of the sensitive column {missing[0]!r}.",
            code="hierarchy-needed",
            option="distance",
            hint=f"Give one with {option('hierarchies')}, or use another distance.",
        )
    return {
        name: table.hierarchies[name].restricted(table.column(name).texts) for name in table.roles.sensitive
    }


def _terms(asked: Asked, table: Table) -> dict[str, Any]:
    """The terms of the promise."""
    terms = {name: vars(asked)[name] for name in ("k", "l", "entropy_l") if vars(asked)[name] is not None}
    if asked.recursive is not None:
        c, l = recursion_of(asked.recursive)
        terms["recursive"] = {"c": f"{c.numerator}/{c.denominator}", "l": l}
    if asked.t is not None:
        t = exactly(asked.t)
        terms |= {"t": f"{t.numerator}/{t.denominator}", "distance": asked.distance}
        if asked.distance == ORDERED:
            terms["order"] = {name: _line(table.column(name).texts) for name in table.roles.sensitive}
    return terms


def _rules(asked: Asked, table: Table) -> NegativeRules | None:
    """The rules that readers are taken to know: as given, or mined as the options say."""
    if asked.l is None or asked.readers != RULES:
        return None
    return known_rules(table, asked.knowledge, coarser=True, progress=asked.progress)


def _check_table(table: Table, asked: Asked) -> None:
    """Raise unless the table has the roles that its release needs."""
    roles = table.roles
    if not roles.quasi:
        raise UsageError(
            "Generalizing a table needs quasi-identifiers.",
            code="roles-missing",
            hint=f"Name them with {option('quasi')}.",
        )
    if about_values(vars(asked)) and not roles.sensitive:
        raise UsageError(
            "A promise about sensitive values needs a sensitive column.",
            code="roles-missing",
            hint=f"Name one with {option('sensitive')}.",
        )
    for name in roles.sensitive:
        refuse_look_alikes(name, table.column(name).texts)


def _infeasible(asked: Asked, problem: Problem, table: Table, rules: NegativeRules | None) -> InfeasibleError:
    narrowed = _narrowed(asked, table, rules, asked.l) if asked.l is not None else 0
    by_kept = problem.kept and (not narrowed or asked.recoding in (LOCAL, CELLS))
    if problem.n_rows < asked.k or by_kept:
        return too_few(asked.k, problem.n_rows)
    fewest = min(table.sensitive, key=lambda column: len(column.values))
    if not narrowed:
        found = "Even with all rows in one class the promise about sensitive values is not kept."
        ways = ["Ask for less (l, entropy_l, recursive, t), or join values of the sensitive column first."]
    elif asked.l > len(fewest.values):
        found = f"{fewest.name!r} has {len(fewest.values)} different values, fewer than ℓ = {asked.l}."
        ways = [_largest_l(asked, table, rules, len(fewest.values))]
    else:
        assert rules is not None, "as many values as asked for are narrowed by rules alone"
        found = (
            f"Readers who know the {len(rules):,} negative rules of the table narrow {narrowed:,} rows to"
            f" fewer than {asked.l} values, whatever their class."
        )
        ways = [_largest_l(asked, table, rules, asked.l - 1), *_fewer_rules(asked, table, rules)]
    return InfeasibleError(found, code="infeasible-values", hint=" ".join(ways))


def _largest_l(asked: Asked, table: Table, rules: NegativeRules | None, most: int) -> str:
    """The largest ℓ up to ``most`` that all rows in one class keep."""
    first = bisect_left(range(2, most + 1), 1, key=lambda l: _narrowed(asked, table, rules, l))
    return f"The largest feasible ℓ is {first + 1}." if first else "No ℓ of 2 or more is feasible."


def _fewer_rules(asked: Asked, table: Table, rules: NegativeRules) -> Iterator[str]:
    """Readers who know fewer rules, as far as ℓ is feasible against them: each was tried."""
    if rules.settings.get("correction") == "none":
        fewer = mine_negative_rules(table, **{**rules.settings, "correction": "alike"})
        if not _narrowed(asked, table, fewer, asked.l):
            yield (
                f"With {option('correction', 'alike')} {len(fewer):,} rules are left, and ℓ = {asked.l} is"
                " feasible."
            )
    yield f"Against readers who know no rules it is feasible: {option('readers', 'nothing')}."


def _narrowed(asked: Asked, table: Table, rules: NegativeRules | None, l: int) -> int:
    """How many rows keep fewer than ℓ values of a sensitive column with all rows in one class."""
    if rules is None:
        return len(table) * any(len(column.values) < l for column in table.sensitive)
    n_rows = len(table.sensitive[0].codes)
    one = np.zeros(n_rows, dtype=np.int32)
    return judge.vulnerable_rows(table, np.arange(n_rows), one, rules, l, asked.flag)


@dataclass(frozen=True, slots=True)
class TableEstimate:
    """The size of a job."""

    rows: int
    combinations: int
    states: float
    """Ways to choose a level for each column."""
    seconds: float
    bytes: int

    def __str__(self) -> str:
        return (
            f"{self.rows:,} rows, {self.combinations:,} combinations of quasi-identifiers,"
            f" {self.states:,.0f} ways to choose a level for each column."
            f" About {self.seconds:.0f} s and {self.bytes / (1 << 20):,.0f} MB. Nothing was done."
        )


def expected(asked: Asked) -> TableEstimate:
    """How large the job is that the checked arguments of the verb ask for."""
    table = rows_here(asked.table, asked.person)
    if asked.person is not None:
        table = one_row_per_person(table, asked.person, load_key() if asked.key is None else asked.key)
    table, trees, _ = with_hierarchies(table, asked.recoding)
    combinations = len(engine_for(table).combinations(table, table.roles.quasi))
    effort = asked.effort if asked.recoding in (LOCAL, CELLS) else QUICK
    if asked.recoding == CELLS and combinations > MANY and len(trees) <= MOST_COLUMNS:
        effort = QUICK
    columns = len(table.roles.quasi) + len(table.roles.sensitive)
    here = len(table) if table.times is None else len(table.times)
    return TableEstimate(
        rows=len(table),
        combinations=combinations,
        states=math.prod(float(tree.heights[tree.root]) + 1 for tree in trees.values()),
        seconds=2.0 + combinations * SECONDS_PER_COMBINATION[effort],
        bytes=BASE + here * columns * BYTES_PER_CELL + combinations * BYTES_PER_COMBINATION,
    )
