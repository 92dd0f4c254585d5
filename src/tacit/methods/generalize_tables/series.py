"""A series of generalized tables: the recoding of the release before, only ever coarser.

What must hold is a promise about cohorts (:mod:`tacit.methods.generalize_tables.cohorts`). How coarse a
release is only matters for people who are in it. Those who left a class of an earlier release are a cohort
whatever is published now: a class of which few leave cannot be kept. How coarse a column becomes follows from
who came, left and changed, never from sensitive values: exchanging values inside a cohort leaves the choice
as it is, and where that choice leaves somebody fewer than ℓ values the release is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.arrays.groups import group_rows
from tacit.data.hierarchy import NULL_LABEL, Hierarchy, from_parents
from tacit.data.table import Table
from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError, InputError, Place, UsageError, listed, option
from tacit.io.hierarchies.amnesia import exact_number
from tacit.io.hierarchies.automatic import INTERVAL, OPEN, spans
from tacit.io.hierarchies.build import build_flat
from tacit.methods.generalize_tables.cohorts import Cohorts, Here, grouped, told_by
from tacit.methods.generalize_tables.kind import TABLE_FILE
from tacit.methods.generalize_tables.release import Recoding
from tacit.methods.generalize_tables.series_silence import Told, carried, portable, unlisted
from tacit.methods.generalize_tables.silence import Counted
from tacit.mining.knowledge import NegativeRules
from tacit.options import Asked
from tacit.random.key import Key
from tacit.recoding import GLOBAL, SUBTREE
from tacit.recoding.coarser import HIERARCHIES_FILE, kept_trees
from tacit.recoding.forest import forest_of, leaf_costs
from tacit.recoding.lattice import levels
from tacit.recoding.problem import Problem
from tacit.recoding.promises import Promise
from tacit.recoding.solve import Solution
from tacit.release import Content, Manifest
from tacit.release import series as chain
from tacit.release.reading import cells
from tacit.release.series import Begun, Lives, Shown, measured_as
from tacit.showing.layout import share
from tacit.typing import AnyArray, Codes, Floats

BUCKETS = (
    "A series of tables needs classes of which many leave and many stay: begin one with a larger k than you"
    " need. Where people change as they do here, publish them in buckets: tacit bucketize with"
    f" {option('partners', 'signatures')} keeps its promise whoever comes and goes."
)


def begins(manifest: Manifest) -> bool:
    """Whether a release can be continued: it says who is who, and every value is recoded in one way."""
    parameters = manifest.parameters
    return (
        manifest.kind == "generalized_table"
        and parameters["recoding"] in (GLOBAL, SUBTREE)
        and "other_rows" in parameters
    )


def earlier_tables(asked: Asked, table: Table, key: Key) -> Begun | None:
    """The series that a table continues, checked; None where it continues none."""
    if asked.after is None:
        return None
    how = f"Make the first release with {option('person')}, and {option('recoding', SUBTREE)} or 'global'"
    begun = chain.begun_in(asked.after, key, begins, how)
    if asked.recoding != begun.manifest.parameters["recoding"]:
        before = begun.manifest.parameters["recoding"]
        raise UsageError(
            f"The recoding of the series is {before!r}, and every release keeps it; here it is"
            f" {asked.recoding!r}.",
            code="series-recoding",
            option="recoding",
            value=asked.recoding,
            hint=f"Ask for {option('recoding', before)}.",
        )
    if table.drawn is not None and table.drawn.left_out:
        raise chain.repeated(table.drawn.left_out, table.origin, asked.person)
    chain.check_roles(begun.manifest, table, begun.folder)
    promised = begun.manifest.promise
    if "l" in promised and asked.l is None:
        raise UsageError(
            f"The series promises {promised['l']} values of everybody, and none are asked for.",
            code="series-other-l",
            option="l",
            where=Place(file=str(begun.folder)),
            hint=f"Ask for {option('l', promised['l'])}.",
        )
    return begun


def kept_hierarchies(table: Table, begun: Begun) -> tuple[Table, dict[str, Hierarchy], dict[str, Floats]]:
    """The table with the hierarchies of its series: those given again, and else those on record."""
    record = cells(begun.record / HIERARCHIES_FILE)
    published = cells(begun.folder / TABLE_FILE)
    trees: dict[str, Hierarchy] = {}
    costs: dict[str, Floats] = {}
    for name in table.roles.quasi:
        links = record.filter(pl.col("attribute") == name).select("node", "parent").rows()
        before = {node: parent for node, parent in links if parent is not None}
        (root,) = (node for node, parent in links if parent is None)
        if name in table.hierarchies:
            tree = table.hierarchies[name]
            _check_same(tree, {**before, root: None}, published[name].unique().to_list(), table.origin)
        else:
            tree = _with_values(from_parents(before, name=name, root=root), table, name)
            if (widths := spans(tree)) is not None:
                costs[name] = widths
        trees[name] = tree
    return table.with_hierarchies(trees), trees, costs


def _check_same(
    tree: Hierarchy, before: Mapping[str, str | None], used: Sequence[str], origin: str | None
) -> None:
    """Raise unless a hierarchy has the nodes that were published, and no node has another parent now."""
    gone = [node for node in used if node not in tree.index]
    moved = [
        label
        for place, label in enumerate(tree.labels)
        if label in before
        and before[label] != (None if place == tree.root else tree.labels[tree.parents[place]])
    ]
    if gone or moved:
        what = f"has no node {gone[0]!r} any more" if gone else f"has {moved[0]!r} in another place"
        raise InputError(
            f"The hierarchy of {tree.name!r} {what}, which the series has published.",
            code="series-hierarchies",
            where=Place(file=origin, column=tree.name),
            hint="Use the same hierarchies in every release of a series; new values may be added to them.",
        )


def _with_values(tree: Hierarchy, table: Table, name: str) -> Hierarchy:
    """A hierarchy that was made for the first table, with the numbers of this one in its intervals."""
    new = [
        text for text in table.column(name).texts if (NULL_LABEL if text is None else text) not in tree.index
    ]
    intervals = []
    for label in tree.labels[tree.n_leaves :]:
        found = next((found for form in INTERVAL if (found := form.fullmatch(label))), None)
        if found is not None:
            low, high = map(Decimal, found.groups())
            intervals.append((high - low, low, high + (not label.startswith("[")), label))
        elif (found := OPEN.fullmatch(label)) is not None:
            end, endless = Decimal(found["end"]), Decimal("Infinity")
            ends = (end, endless) if found["sign"] == "≥" else (-endless, end)
            intervals.append((endless, *ends, label))
    parents = {
        label: tree.labels[above]
        for label, above in zip(tree.labels, tree.parents.tolist(), strict=True)
        if above >= 0
    }
    missing = []
    for text in new:
        number = None if text is None else exact_number(text)
        around = [one for one in intervals if number is not None and one[1] <= number < one[2]]
        if around:
            parents[str(text)] = min(around)[-1]
        else:
            missing.append(NULL_LABEL if text is None else text)
    if missing:
        raise InputError(
            f"The series began without these values of {name!r}: {listed(missing)}.",
            code="series-hierarchies",
            where=Place(file=table.origin, column=name),
            hint=f"Give a hierarchy with {option('hierarchies')} that holds them, beside all nodes of the one"
            f" in {HIERARCHIES_FILE} of the private record.",
        )
    return from_parents(parents, name=name, root=tree.labels[tree.root]) if new else tree


@dataclass(frozen=True, eq=False)
class Continuing:
    """A table as its solver gets it: recoded as before, its people by what they share with others."""

    earlier: Lives
    cohorts: Cohorts
    """With this release as coarse as can be."""
    life_of: Codes
    """The life of each row."""
    problem: Problem
    combination_of: Codes
    """The combination of each row."""
    floors: tuple[int, ...]
    """With one level per column: those of the release before."""

    def promise(self, asked: Asked) -> Promise:
        """What must hold of the classes of its combinations, over the whole series."""
        pairs, of = grouped([self.combination_of, self.life_of])
        parts = self.combination_of[of], self.life_of[of], np.bincount(pairs, minlength=len(of))
        return self.cohorts.promise(*parts, asked.k, asked.l, asked.flag)

    def entries(self, table: Table) -> Counted:
        """Every row by itself: people of one combination may be of several cohorts."""
        combinations = engine_for(table).combinations(table, (*table.roles.known, *table.roles.sensitive))
        row_of, _ = grouped([table.column(name).codes for name in combinations.names])
        return Counted(combinations, row_of, self.combination_of, np.ones(len(row_of), dtype=np.int64))

    def settled(self, solution: Solution, asked: Asked) -> Solution:
        """The solution, its levels counted from the values on; an error where it leaves too few values."""
        class_of, n_classes = solution.recoded.class_of, len(solution.recoded.nodes)
        rows = np.bincount(class_of, weights=self.problem.counts, minlength=n_classes).astype(np.int64)
        if self.promise(asked).failing(class_of, rows)[0].any():
            raise _too_few_values(
                f"A larger {option('k')} makes this release coarser, without looking at values. ", asked
            )
        if solution.levels is None:
            return solution
        steps = zip(self.floors, solution.levels, strict=False)  # a hidden column has a level of its own
        return replace(solution, levels=tuple(floor + level for floor, level in steps))


def continuing(
    asked: Asked,
    table: Table,
    trees: Mapping[str, Hierarchy],
    costs: Mapping[str, Floats],
    here: Here,
    begun: Begun,
) -> Continuing:
    """What a solver is given; an error where not even the coarsest table would keep the promise."""
    earlier = begun.lives(told_by, here.people)
    lives = earlier.then(*here.told([table.column(name) for name in table.roles.keep], table.sensitive))
    cohorts, life_of = Cohorts(lives), lives.of(here.people)
    _check_coarsest(cohorts, asked)
    used = list(zip(*(looks for looks, _, _ in earlier.forms), strict=True))
    # Of each column: the code of every row, its tree, what the nodes lose, and the leaf of every code.
    parts, floors = [], []
    for place, name in enumerate(table.roles.quasi):
        tree, column = trees[name], table.column(name)
        level = (begun.kept["levels"] or {}).get(name)
        cut, floor = _cut(tree, level, sorted(set(used[place])))
        floors.append(floor)
        nodes, codes = np.unique(cut[tree.leaves_of(column.texts)], return_inverse=True)
        lower, cost = _above(tree, np.unique(cut)), costs.get(name, leaf_costs(tree))
        lost = np.array([cost[tree.index[label]] for label in lower.labels])
        leaves = np.array([lower.index[tree.labels[node]] for node in nodes], dtype=np.int32)
        parts.append((codes.reshape(-1).astype(np.int32)[column.codes], lower, lost, leaves))
    for name, tree in kept_trees(table).items():
        column = table.column(name)
        parts.append((column.codes, tree, leaf_costs(tree), tree.leaves_of(column.texts)))
    # What somebody shares with others so far belongs to their class, as a kept column does.
    before, n_before = cohorts.parts(slice(-1))
    numbers = [str(number) for number in range(n_before)]
    hidden = build_flat(numbers)
    parts.append((before[life_of], hidden, leaf_costs(hidden), hidden.leaves_of(numbers)))
    columns, forest_trees, spent, leaves_of = (list(one) for one in zip(*parts, strict=True))
    forest = forest_of(forest_trees, spent)
    number, first = group_rows(columns, [len(one) for one in leaves_of])
    problem = Problem(
        forest,
        np.ascontiguousarray(np.column_stack(columns)[first]),
        tuple(numbers[one] for numbers, one in zip(forest.numbers, leaves_of, strict=True)),
        np.bincount(number, minlength=len(first)),
        Promise(asked.k, flag=asked.flag),
        len(table.roles.keep) + 1,
    )
    return Continuing(earlier, cohorts, life_of, problem, number, tuple(floors))


def _cut(tree: Hierarchy, level: int | None, used: Sequence[str]) -> tuple[Codes, int]:
    """The node of every leaf as it was, or the next above that splits none in use; and the level."""
    nodes = sorted(tree.index[label] for label in used)
    if level is None:
        found = np.arange(tree.n_leaves, dtype=np.int32)
        for node in nodes:  # those above others later
            found[slice(*tree.leaf_ranges[node])] = node
        return found, 0
    every = levels(tree)
    for floor in range(min(level, len(every) - 1), len(every)):
        found = every[floor]
        if all((found[slice(*tree.leaf_ranges[node])] >= node).all() for node in nodes):
            return found, floor
    raise AssertionError("the root is above every node")


def _above(tree: Hierarchy, cut: AnyArray) -> Hierarchy:
    """The hierarchy from the nodes of a cut on."""
    nodes = {int(above) for node in cut for above in (node, *tree.ancestors(int(node)))}
    parents = {
        tree.labels[node]: tree.labels[tree.parents[node]] for node in sorted(nodes) if node != tree.root
    }
    return from_parents(parents, name=tree.name, root=tree.labels[tree.root])


def _check_coarsest(cohorts: Cohorts, asked: Asked) -> None:
    """Raise unless the promise is kept where this release is as coarse as can be."""
    people, values = cohorts.smallest(asked.l)
    largest = f"The largest k is {people}. " if people > 1 else "No k can be kept. "
    if people < asked.k:
        raise InfeasibleError(
            f"However coarse this release is, somebody is one of {people:,} who share their class in"
            " every release that holds either of them.",
            code="infeasible-series",
            option="k",
            value=asked.k,
            hint=largest + BUCKETS,
        )
    if values is not None and values < asked.l:
        raise _too_few_values(f"The largest ℓ is {values}. " if values > 1 else "", asked)


def _too_few_values(way_out: str, asked: Asked) -> InfeasibleError:
    return InfeasibleError(
        "Those who share somebody's class in every release that holds either of them leave fewer than"
        f" {asked.l} possible values.",
        code="infeasible-series",
        option="l",
        value=asked.l,
        hint=way_out + BUCKETS,
    )


def series_terms(begun: Begun, recoded: Recoding, trees: Mapping[str, Hierarchy], k: int) -> dict[str, Any]:
    """What the manifest states of the series."""
    known = [column.name for column in recoded.known]
    now = pl.DataFrame(
        [pl.Series(one.name, one.texts, dtype=pl.String).gather(one.codes) for one in recoded.known]
    )
    before = cells(begun.folder / TABLE_FILE).select(known)
    for name, tree in trees.items():
        there = set(now[name].unique())
        onto = {}
        for label in before[name].unique():
            way = [tree.labels[node] for node in (tree.index[label], *tree.ancestors(tree.index[label]))]
            onto[label] = next((above for above in way if above in there), label)
        before = before.with_columns(pl.col(name).replace(onto))
    return begun.terms_with(_counted(before), _counted(now), k)


def _counted(frame: pl.DataFrame) -> dict[tuple[Any, ...], int]:
    return {row[:-1]: row[-1] for row in frame.group_by(frame.columns).len().iter_rows()}


@dataclass(frozen=True, eq=False)
class Lived:
    """Everybody up to a release, who is which published row of it, and what all rules leave out."""

    here: Here
    """In the order of the published rows."""
    lives: Lives
    pairs: tuple[Told, ...]


def lived(
    table: Table,
    recoded: Recoding,
    here: Here,
    rules: NegativeRules | None,
    begun: Begun | None,
    earlier: Lives | None,
) -> Lived:
    """The people of a release as they are published, with those before it."""
    published = Here(here.people.gather(recoded.rows), here.barred_of[recoded.rows], here.barred)
    before = earlier or chain.nobody_yet()
    pairs = carried(() if begun is None else begun.kept.get("unlisted", ()), before)
    own = () if rules is None else unlisted(table, rules, recoded, here.people, before.paths.shape[1])
    lives = before.then(*published.told(recoded.known, recoded.sensitive))
    return Lived(published, lives, (*pairs, *own))


def series_files(
    found: Lived, recoded: Recoding, solution: Solution, key: Key, begun: Begun | None
) -> dict[str, Content]:
    """Who is which published row, for the owner and for the next release."""
    here = found.here
    rows = np.arange(1, len(here.people) + 1)
    frame = pl.DataFrame({"person": here.people, "row": rows, "barred": here.barred_of})
    names = [column.name for column in recoded.quasi]
    chosen = None if solution.levels is None else dict(zip(names, solution.levels, strict=False))
    more = {"levels": chosen, "barred": here.barred, "unlisted": portable(found.pairs, found.lives)}
    return chain.records_of(frame, key, () if begun is None else begun.chain, more, found.lives)


def _measured(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for manifest, _, lives in chain.along(folders, told_by):
        people, values = Cohorts(lives).smallest(manifest.promise.get("l"))
        told = {"smallest": manifest.risks["smallest"], "loss": manifest.utility["loss"]}
        yield {"cohort": people, "values": values, **told}


SHOWN = Shown(
    _measured,
    "row",
    (
        ("smallest class", measured_as("smallest")),
        ("smallest cohort", measured_as("cohort")),
        ("values", measured_as("values")),
        ("loss", measured_as("loss", share)),
    ),
    "The smallest class is what a reader of that release alone is left with. A cohort is the people who"
    " are in the same releases so far and share their class in each of them: what a reader of all releases is"
    " left with. Values are those that everybody keeps there, counted up to ℓ. Loss is the detail that"
    " generalizing took away.",
    (
        "The fewest people that a reader is left with",
        (("of this release alone", "smallest"), ("of all releases so far", "cohort")),
    ),
)
