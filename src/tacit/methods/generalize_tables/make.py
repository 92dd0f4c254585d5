"""Making a generalized table: count, solve, apply and judge put together into a release."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from time import process_time
from typing import Any

import numpy as np

from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.data.spelling import refuse_look_alikes
from tacit.data.table import Table
from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError, Place, ResourceError, UsageError, option
from tacit.io.hierarchies.automatic import spans
from tacit.judging.people import one_row_per_person
from tacit.methods.generalize_tables.apply import Recoding, carry_out
from tacit.methods.generalize_tables.attacks import explain, learn, refine
from tacit.methods.generalize_tables.judge import (
    TableUtility,
    classes_of,
    judge_table,
    measure_table,
    vulnerable_rows,
)
from tacit.methods.generalize_tables.release import (
    GeneralizedTable,
    manifest_of,
    private_files,
    published_files,
)
from tacit.methods.generalize_tables.series import (
    continuing,
    earlier_tables,
    kept_hierarchies,
    series_files,
    series_terms,
    who_is_here,
)
from tacit.methods.generalize_tables.verb import (
    HIERARCHICAL,
    ORDERED,
    RULES,
    about_values,
    recursion_of,
)
from tacit.mining.knowledge import NegativeRules
from tacit.mining.verbs import longer_rules, mine_negative_rules
from tacit.options import EPSILON
from tacit.random.key_files import load_key
from tacit.ranges import as_fraction
from tacit.recoding import CELLS, GLOBAL, LOCAL, SUBTREE
from tacit.recoding.coarser import too_few
from tacit.recoding.count import problem_of
from tacit.recoding.held import Held
from tacit.recoding.problem import Problem
from tacit.recoding.promises import (
    Closeness,
    Distinct,
    EntropyDiversity,
    OfCounts,
    Promise,
    Recursive,
    equal_distance,
    hierarchical_distance,
    ordered_distance,
)
from tacit.recoding.solve import solve
from tacit.recoding.trees import kept_trees, with_hierarchies
from tacit.typing import Floats

MOST_HERE = 50_000_000
"""So many rows of a table on Spark are brought into this process, as distinct rows with counts."""


def make(asked: Any) -> GeneralizedTable:
    """Make the release that was asked for: the checked arguments of the verb."""
    _check_table(asked.table, asked)
    table = rows_here(asked.table, asked.person)
    numbered = table.source is asked.table.source
    valued = about_values(vars(asked))
    key = load_key() if asked.key is None else asked.key
    table = one_row_per_person(table, asked.person, key)
    report = asked.progress or (lambda what, share: None)
    started = process_time()
    report("Counting", None)
    begun = earlier_tables(asked, table, key)
    if begun is None:
        table, trees, costs = with_hierarchies(table, asked.recoding)
    else:
        table, trees, costs = kept_hierarchies(table, begun)
    rules = _rules(asked, table)
    here = None
    if asked.person is not None and asked.recoding in (GLOBAL, SUBTREE):
        here = who_is_here(table, asked.person, rules, key)
    going_on, earlier = None, None
    if begun is None or here is None:
        problem = counted(asked, table, trees, costs, rules)
    else:
        going_on = continuing(asked, table, trees, costs, here, begun)
        problem, earlier = going_on.problem, going_on.earlier
    report("Looking for the least loss", None)
    epsilon = float(asked.epsilon or EPSILON) if valued and asked.recoding in (LOCAL, CELLS) else None
    solution = solve(
        problem,
        asked.recoding,
        most_suppressed=int((as_fraction(asked.max_suppressed) or Fraction()) * len(table)),
        epsilon=epsilon or EPSILON,
        key=key,
        effort=asked.effort,
    )
    if solution is None:
        raise _infeasible(asked, problem, table, rules)
    solution = solution if going_on is None else going_on.settled(solution, asked)
    report("Carrying the plan out", None)
    combination_of = None if going_on is None else going_on.combination_of
    recoded = carry_out(solution.recoded, problem, table, combination_of)
    seconds = process_time() - started
    report("Judging the release", None)
    classes = classes_of(recoded.known, recoded.times)[0]
    known = longer = None
    if asked.l is not None:
        covered = mine_negative_rules(table) if rules is None else rules
        known, longer = (
            vulnerable_rows(table, recoded.rows, classes, some, asked.l, asked.flag)
            for some in (covered, longer_rules(table, covered))
        )
    risks = replace(
        judge_table(recoded.known, recoded.sensitive, asked.k, recoded.times),
        unique=int((classes_of(table.known, table.times)[1] == 1).sum()),
        vulnerable=known,
        vulnerable_longer=longer,
        learning=learn(table, recoded.rows, classes),
        refinement=refine(solution.recoded, problem, asked.k) if asked.recoding in (LOCAL, CELLS) else None,
        minimality=explain(solution.recoded, problem, solution.levels, asked.l)
        if asked.recoding in (GLOBAL, SUBTREE)
        else None,
    )
    losses = solution.recoded.column_losses(problem).tolist()
    seed = key.subkey("figures: counting queries").words
    kept = measure_table(table, recoded.known, recoded.rows, trees | kept_trees(table), losses, seed=seed)
    shown = trees | _sensitive_trees(asked, table)
    return GeneralizedTable(
        manifest=manifest_of(
            table=table,
            recoding=asked.recoding,
            effort=asked.effort,
            promise=_terms(asked, table),
            epsilon=epsilon,
            rules=rules,
            recoded=recoded,
            risks=risks,
            kept=_told(kept, recoded, {name: trees[name] for name in costs}),
            experimental=key.experimental,
            series=None if begun is None else series_terms(begun, recoded, trees, asked.k),
        ),
        files=published_files(recoded, shown),
        private=private_files(
            table,
            recoded,
            solution,
            shown | kept_trees(table),
            risks,
            kept,
            seconds,
            key,
            numbered=numbered,
        )
        | ({} if here is None else series_files(here, recoded, solution, key, begun, earlier)),
        before=() if begun is None else begun.chain,
        origin=table.origin,
        original=table,
        recoding=asked.recoding,
        solution=solution,
        recoded=recoded,
        seconds=seconds,
        risks=risks,
        kept=kept,
    )


def _told(kept: TableUtility, recoded: Recoding, numbers: Mapping[str, Hierarchy]) -> TableUtility:
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
    asked: Any,
    table: Table,
    trees: Mapping[str, Hierarchy],
    costs: Mapping[str, Floats],
    rules: NegativeRules | None,
) -> Problem:
    """The table as its solver gets it."""
    roles = table.roles
    valued = about_values(vars(asked))
    names = (*roles.known, *(roles.sensitive if valued else ()))
    combinations = engine_for(table).combinations(table, names)

    def promise(held: Held | None) -> Promise:
        parts = () if held is None else tuple(_parts(asked, table, held))
        return Promise(asked.k, held, parts, asked.l if rules is not None else None, asked.flag)

    return problem_of(
        combinations,
        roles.quasi,
        {**trees, **kept_trees(table)},
        promise,
        costs=costs,
        kept=roles.keep,
        sensitive=roles.sensitive if valued else (),
        rules=rules,
    )


def _parts(asked: Any, table: Table, held: Held) -> list[tuple[int, OfCounts]]:
    """What is promised of each sensitive column."""
    found: list[tuple[int, OfCounts]] = []
    for attribute, name in enumerate(table.roles.sensitive):
        if asked.l is not None:
            found.append((attribute, Distinct(asked.l)))
        if asked.entropy_l is not None:
            found.append((attribute, EntropyDiversity(asked.entropy_l)))
        if asked.recursive is not None:
            found.append((attribute, Recursive(*recursion_of(asked.recursive))))
        if asked.t is not None:
            found.append((attribute, _closeness(asked, table, name, held, attribute)))
    return found


def _closeness(asked: Any, table: Table, name: str, held: Held, attribute: int) -> Closeness:
    t = as_fraction(asked.t)
    assert t is not None, "the range has finite numbers only"
    totals = held.totals(attribute)
    if asked.distance == ORDERED:
        return ordered_distance(t, totals)
    if asked.distance == HIERARCHICAL:
        tree = _sensitive_trees(asked, table)[name]
        return hierarchical_distance(t, totals, tree, tree.leaves_of(table.column(name).texts))
    return equal_distance(t, totals)


def _sensitive_trees(asked: Any, table: Table) -> dict[str, Hierarchy]:
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


def _terms(asked: Any, table: Table) -> dict[str, Any]:
    """The terms of the promise."""
    terms: dict[str, Any] = {"k": asked.k}
    if asked.l is not None:
        terms["l"] = asked.l
    if asked.entropy_l is not None:
        terms["entropy_l"] = asked.entropy_l
    if asked.recursive is not None:
        c, l = recursion_of(asked.recursive)
        terms["recursive"] = {"c": f"{c.numerator}/{c.denominator}", "l": l}
    if asked.t is not None:
        t = as_fraction(asked.t)
        assert t is not None
        terms["t"] = f"{t.numerator}/{t.denominator}"
        terms["distance"] = asked.distance
        if asked.distance == ORDERED:
            terms["order"] = {name: list(table.column(name).texts) for name in table.roles.sensitive}
    return terms


def _rules(asked: Any, table: Table) -> NegativeRules | None:
    """The rules that readers are taken to know: as given, or mined as the options say."""
    if asked.l is None or asked.readers != RULES:
        return None
    if isinstance(asked.knowledge, NegativeRules):
        return asked.knowledge
    return mine_negative_rules(table, **(asked.knowledge or {}), progress=asked.progress)


def _check_table(table: Table, asked: Any) -> None:
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


def _infeasible(asked: Any, problem: Problem, table: Table, rules: NegativeRules | None) -> InfeasibleError:
    if problem.n_rows < asked.k or (problem.kept and asked.recoding in (LOCAL, CELLS)):
        return too_few(asked.k, problem.n_rows)
    fewest = min(table.sensitive, key=lambda column: len(column.values))
    narrowed = _narrowed(asked, table, rules, asked.l) if asked.l is not None else 0
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


def _largest_l(asked: Any, table: Table, rules: NegativeRules | None, most: int) -> str:
    """The largest ℓ up to ``most`` that all rows in one class keep."""
    first = bisect_left(range(2, most + 1), 1, key=lambda l: _narrowed(asked, table, rules, l))
    return f"The largest feasible ℓ is {first + 1}." if first else "No ℓ of 2 or more is feasible."


def _fewer_rules(asked: Any, table: Table, rules: NegativeRules) -> Iterator[str]:
    """Readers who know fewer rules, as far as ℓ is feasible against them: each was tried."""
    if rules.settings.get("correction") == "none":
        fewer = mine_negative_rules(table, **{**rules.settings, "correction": "alike"})
        if not _narrowed(asked, table, fewer, asked.l):
            yield (
                f"With {option('correction', 'alike')} {len(fewer):,} rules are left, and ℓ = {asked.l} is"
                " feasible."
            )
    yield f"Against readers who know no rules it is feasible: {option('readers', 'nothing')}."


def _narrowed(asked: Any, table: Table, rules: NegativeRules | None, l: int) -> int:
    """How many rows keep fewer than ℓ values of a sensitive column with all rows in one class."""
    if rules is None:
        return len(table) * any(len(column.values) < l for column in table.sensitive)
    n_rows = len(table.sensitive[0].codes)
    one = np.zeros(n_rows, dtype=np.int32)
    return vulnerable_rows(table, np.arange(n_rows), one, rules, l, asked.flag)
