"""A series of generalized tables: the recoding of the release before, only ever coarser.

A *cohort* is the people who are in the same releases and share their class in each of them. That is what a
reader of all releases is left with who knows where everybody is: inside a cohort the people can be exchanged,
with all that they have had, and every release stays as it is. So every cohort has at least k people, and
with ℓ every one of them could have at least ℓ values in each release: of the histories of the cohort's
values, handed out so that nobody gets what a rule of any of the releases excludes.

How coarse a release is only matters for people who are in it. Those who left a class of an earlier release
are a cohort whatever is published now: a class of which few leave cannot be kept. How coarse a column becomes
follows from who came, left and changed, never from sensitive values: exchanging values inside a cohort leaves
the choice as it is, and where that choice leaves somebody fewer than ℓ values the release is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.arrays.bitmaps import pack
from tacit.arrays.groups import group_rows
from tacit.arrays.interrupt import Flag
from tacit.data.column import Column, encode
from tacit.data.hierarchy import NULL_LABEL, Hierarchy, from_parents
from tacit.data.table import Table
from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError, InputError, Place, UsageError, listed, option
from tacit.io.hierarchies.amnesia import exact_number
from tacit.io.hierarchies.automatic import INTERVAL, spans
from tacit.io.hierarchies.build import build_flat
from tacit.knowledge.row_classes import RowClasses
from tacit.methods.generalize_tables.apply import Recoding
from tacit.mining.knowledge import NegativeRules
from tacit.random.key import Key
from tacit.recoding import GLOBAL, SUBTREE
from tacit.recoding.forest import forest_of, leaf_costs
from tacit.recoding.held import Held
from tacit.recoding.levels import levels
from tacit.recoding.problem import Problem
from tacit.recoding.promises import Distinct, Promise
from tacit.recoding.solve import Solution
from tacit.recoding.trees import HIERARCHIES_FILE, kept_trees
from tacit.release import Content, Manifest, read_manifest
from tacit.release.reading import cells
from tacit.release.series import (
    ABSENT,
    Begun,
    Lives,
    Shown,
    Told,
    begun_in,
    check_roles,
    frozen,
    in_hex,
    kept_of,
    lives_of,
    measured_as,
    nobody,
    nobody_yet,
    people_of,
    person_digests,
    records_of,
    repeated,
    small_changes,
)
from tacit.showing.layout import share
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats

TABLE_FILE = "table.csv"
Barred = tuple[tuple[int, str | None], ...]
"""What rules exclude for somebody: places of sensitive columns, and values."""
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


def earlier_tables(asked: Any, table: Table, key: Key) -> Begun | None:
    """The series that a table continues, checked; None where it continues none."""
    if asked.after is None:
        return None
    how = f"Make the first release with {option('person')}, and {option('recoding', SUBTREE)} or 'global'"
    begun = begun_in(asked.after, key, begins, how)
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
        raise repeated(table.drawn.left_out, table.origin, asked.person)
    check_roles(begun.manifest, table, begun.folder)
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


class Cohorts:
    """Everybody of some releases by their lives: in which class they were, with which values.

    Shape (lives, releases) where nothing else is said; who is not there is ABSENT.
    """

    def __init__(self, lives: Lives) -> None:
        looks, values, barred = zip(*lives.forms, strict=True)
        self.rows = lives.counts
        self.classes, _ = _along(looks, lives.paths)
        columns = [_along(texts, lives.paths) for texts in zip(*values, strict=True)]
        self.values, self.texts = [codes for codes, _ in columns], [texts for _, texts in columns]
        self.barred_of, self.barred = _along(barred, lives.paths)

    def parts(self, releases: slice = slice(None)) -> tuple[Codes, int]:
        """The cohort of each life in some releases, and how many there are."""
        found, first = _grouped(list(self.classes[:, releases].T + 1))
        return found, len(first)

    def held(self, of: Codes, chosen: AnyArray, rows: Counts) -> Held:
        """What ``rows`` people of some lives hold, as parts ``of`` them: the histories of their values."""
        there = self.classes[chosen] != ABSENT
        # Whoever is not there is so together with their cohort: any value of theirs stands in.
        last = there.shape[1] - 1 - np.argmax(there[:, ::-1], axis=1)
        columns, texts = [], []
        for release in range(there.shape[1]):
            source = np.where(there[:, release], release, last)
            for values, names in zip(self.values, self.texts, strict=True):
                # A value that stands in is of another release: its numbers begin behind this one's.
                offset = np.where(source == release, 0, len(names))
                codes, _ = _grouped([values[chosen, source] + offset])
                columns.append(codes)
                texts.append((None,) * (int(codes.max(initial=-1)) + 1))
        value_of, first = _grouped(columns)
        parts = np.ascontiguousarray(np.column_stack([codes[first] for codes in columns]), dtype=np.int32)
        barred_of, shown = _grouped(list(self.barred_of[chosen].T + 1))
        marks = self._forbidden(self.barred_of[chosen][shown], chosen[first])
        kind_of, by = _grouped([value_of, barred_of])
        # A bit for any two histories: where no rule excludes anything, one row stands for all of them.
        sets = pack(marks)
        each = sets[barred_of[by]] if self.ruled else np.broadcast_to(sets[:1], (len(by), sets.shape[1]))
        kinds = RowClasses(
            attributes=tuple(str(place) for place in range(parts.shape[1])),
            texts=tuple(texts),
            parts=parts,
            values=value_of[by],
            forbidden=each,
            counts=np.bincount(kind_of, weights=rows, minlength=len(by)).astype(np.int64),
        )
        return Held(of, kind_of, rows, kinds)

    def _forbidden(self, sets: Codes, holders: AnyArray) -> Bools:
        """Shape (sets, histories): what nobody can have had for whom a release excludes one of its values."""
        marks = np.zeros((len(sets), len(holders)), dtype=np.bool_)
        for release in range(sets.shape[1]):
            for number in set(sets[:, release].tolist()) - {ABSENT}:
                mine = sets[:, release] == number
                for column, text in self.barred[number]:
                    if text in self.texts[column]:
                        code = self.texts[column].index(text)
                        marks[np.ix_(mine, self.values[column][holders, release] == code)] = True
        return marks

    @property
    def ruled(self) -> bool:
        """Whether rules exclude anything."""
        return any(self.barred)


def _along(parts: Sequence[Any], paths: Codes) -> tuple[Codes, list[Any]]:
    """A part of every form, as a number, along the lives; and what the numbers are."""
    number: dict[Any, int] = {}
    codes = [number.setdefault(part, len(number)) for part in parts]
    return np.array([*codes, ABSENT], dtype=np.int32)[paths], list(number)


@dataclass(frozen=True, eq=False)
class Here:
    """The people of a release, and what rules exclude for them."""

    people: pl.Series
    barred_of: Codes
    barred: tuple[Barred, ...]

    def told(self, known: Sequence[Column], sensitive: Sequence[Column]) -> Told:
        """Them as they are where these columns are published: their class, values and what is excluded."""
        form_of, first = _grouped([*(column.codes for column in (*known, *sensitive)), self.barred_of])
        cells = [
            [[column.texts[code] for code in column.codes[first]] for column in columns]
            for columns in (known, sensitive)
        ]
        looks, values = (zip(*texts, strict=True) if texts else [()] * len(first) for texts in cells)
        return (
            self.people,
            form_of,
            list(zip(looks, values, [self.barred[one] for one in self.barred_of[first]], strict=True)),
        )


def _told(folder: Path) -> Told:
    """A release, by its private record."""
    parameters = read_manifest(folder).parameters
    people = people_of(folder, {"row": pl.Int64, "barred": pl.Int32}).filter(pl.col("row") > 0)
    table = cells(folder / TABLE_FILE)[(people["row"] - 1).to_list()]
    known, sensitive = (
        [encode(table[name]) for name in names]
        for names in ((*parameters["quasi"], *parameters["keep"]), parameters["sensitive"])
    )
    barred = tuple(frozen(one) for one in kept_of(folder)["barred"])
    return Here(people["person"], people["barred"].to_numpy(), barred).told(known, sensitive)


def who_is_here(table: Table, person: str, rules: NegativeRules | None, key: Key) -> Here:
    """The people of a table."""
    column = table.column(person)
    people = in_hex(person_digests([str(text) for text in column.texts], key)[column.codes])
    return Here(pl.Series("person", people), *_barred(table, rules))


def _barred(table: Table, rules: NegativeRules | None) -> tuple[Codes, tuple[Barred, ...]]:
    """What rules exclude for each row: as a number, and by number."""
    if rules is None or not len(rules):
        return np.zeros(len(table), dtype=np.int32), ((),)
    columns = [table.column(name) for name in (*table.roles.known, *table.roles.sensitive)]
    row_of, _ = _grouped([column.codes for column in columns])
    combinations = engine_for(table).combinations(table, [column.name for column in columns])
    marks = [rules.forbidden(combinations, name) for name in table.roles.sensitive]
    sets, of = np.unique(np.hstack(marks), axis=0, return_inverse=True)
    pairs = [(place, text) for place, column in enumerate(table.sensitive) for text in column.texts]
    barred = tuple(tuple(pairs[at] for at in np.flatnonzero(marked)) for marked in sets)
    return of.reshape(-1)[row_of].astype(np.int32), barred


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

    def promise(self, asked: Any) -> Promise:
        """What must hold of the classes of its combinations, over the whole series."""
        pairs, of = _grouped([self.combination_of, self.life_of])
        parts = self.combination_of[of], self.life_of[of], np.bincount(pairs, minlength=len(of))
        return _promise(self.cohorts, *parts, asked.k, asked.l, asked.flag)

    def settled(self, solution: Solution, asked: Any) -> Solution:
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
    asked: Any,
    table: Table,
    trees: Mapping[str, Hierarchy],
    costs: Mapping[str, Floats],
    here: Here,
    begun: Begun,
) -> Continuing:
    """What a solver is given; an error where not even the coarsest table would keep the promise."""
    earlier = lives_of(begun.folder, _told)
    if (earlier.of(here.people) == ABSENT).all():
        raise nobody(begun.folder)
    kept = [table.column(name) for name in table.roles.keep]
    lives = earlier.then(*here.told(kept, table.sensitive))
    cohorts, life_of = Cohorts(lives), lives.of(here.people)
    _check_coarsest(cohorts, asked)
    used = list(zip(*(looks for looks, _, _ in earlier.forms), strict=True))
    before, n_before = cohorts.parts(slice(-1))
    columns, forest_trees, spent, leaves, floors = [], [], [], [], []
    for place, name in enumerate(table.roles.quasi):
        tree, column = trees[name], table.column(name)
        level = (begun.kept["levels"] or {}).get(name)
        cut, floor = _cut(tree, level, sorted(set(used[place])))
        nodes, codes = np.unique(cut[tree.leaves_of(column.texts)], return_inverse=True)
        columns.append(codes.reshape(-1).astype(np.int32)[column.codes])
        lower = _above(tree, np.unique(cut))
        forest_trees.append(lower)
        cost = costs.get(name, leaf_costs(tree))
        spent.append(np.array([cost[tree.index[label]] for label in lower.labels]))
        leaves.append(np.array([lower.index[tree.labels[node]] for node in nodes], dtype=np.int32))
        floors.append(floor)
    for name, tree in kept_trees(table).items():
        columns.append(table.column(name).codes)
        forest_trees.append(tree)
        spent.append(leaf_costs(tree))
        leaves.append(tree.leaves_of(table.column(name).texts))
    # What somebody shares with others so far belongs to their class, as a kept column does.
    hidden = build_flat([str(number) for number in range(n_before)])
    columns.append(before[life_of])
    forest_trees.append(hidden)
    spent.append(leaf_costs(hidden))
    leaves.append(hidden.leaves_of([str(number) for number in range(n_before)]))
    forest = forest_of(forest_trees, spent)
    number, first = group_rows(columns, [len(one) for one in leaves])
    problem = Problem(
        forest,
        np.ascontiguousarray(np.column_stack(columns)[first]),
        tuple(numbers[one] for numbers, one in zip(forest.numbers, leaves, strict=True)),
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


def _promise(
    cohorts: Cohorts,
    of: Codes,
    chosen: AnyArray,
    rows: Counts,
    k: int,
    l: int | None,
    flag: Flag | None = None,
) -> Promise:
    """What is promised of parts of the people: k of them, and ℓ values of each in every release."""
    if l is None:
        return Promise(k, flag=flag)
    held = cohorts.held(of, chosen, rows)
    parts = tuple((place, Distinct(l)) for place in range(held.kinds.parts.shape[1]))
    return Promise(k, held, parts, l if cohorts.ruled else None, flag)


def _check_coarsest(cohorts: Cohorts, asked: Any) -> None:
    """Raise unless the promise is kept where this release is as coarse as can be."""
    found = smallest(cohorts, asked.l)
    largest = f"The largest k is {found.people}. " if found.people > 1 else "No k can be kept. "
    if found.people < asked.k:
        raise InfeasibleError(
            f"However coarse this release is, somebody is one of {found.people:,} who share their class in"
            " every release that holds either of them.",
            code="infeasible-series",
            option="k",
            value=asked.k,
            hint=largest + BUCKETS,
        )
    if found.values is not None and found.values < asked.l:
        raise _too_few_values(f"The largest ℓ is {found.values}. " if found.values > 1 else "", asked)


def _too_few_values(way_out: str, asked: Any) -> InfeasibleError:
    return InfeasibleError(
        "Those who share somebody's class in every release that holds either of them leave fewer than"
        f" {asked.l} possible values.",
        code="infeasible-series",
        option="l",
        value=asked.l,
        hint=way_out + BUCKETS,
    )


@dataclass(frozen=True)
class Smallest:
    """The fewest people of any cohort, and the fewest values that any of them could have."""

    people: int
    values: int | None


def smallest(cohorts: Cohorts, l: int | None) -> Smallest:
    """The smallest cohort; up to ℓ values are counted."""
    of, n_cohorts = cohorts.parts()
    sizes = np.bincount(of, weights=cohorts.rows, minlength=n_cohorts).astype(np.int64)
    values = l
    if l is not None:
        every, each = np.arange(len(of)), np.arange(n_cohorts, dtype=np.int32)
        values = next(
            (
                some
                for some in range(l, 1, -1)
                if not _promise(cohorts, of, every, cohorts.rows, 1, some).failing(each, sizes)[0].any()
            ),
            1,
        )
    return Smallest(int(sizes.min()), values)


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
    return {**begun.terms, "small_changes": small_changes(_counted(before), _counted(now), k)}


def _counted(frame: pl.DataFrame) -> dict[tuple[Any, ...], int]:
    return {row[:-1]: row[-1] for row in frame.group_by(frame.columns).len().iter_rows()}


def series_files(
    here: Here, recoded: Recoding, solution: Solution, key: Key, begun: Begun | None, earlier: Lives | None
) -> dict[str, Content]:
    """Who is which published row, for the owner and for the next release."""
    people, barred_of = here.people.gather(recoded.rows), here.barred_of[recoded.rows]
    rows = np.arange(1, len(people) + 1)
    frame = pl.DataFrame({"person": people, "row": rows, "barred": barred_of})
    names = [column.name for column in recoded.quasi]
    chosen = None if solution.levels is None else dict(zip(names, solution.levels, strict=False))
    more = {"levels": chosen, "barred": here.barred}
    lives = (earlier or nobody_yet()).then(
        *Here(people, barred_of, here.barred).told(recoded.known, recoded.sensitive)
    )
    return records_of(frame, key, () if begun is None else begun.chain, more, lives)


def _grouped(columns: Sequence[Codes]) -> tuple[Codes, Counts]:
    """The group of each row, and the first row of each group."""
    return group_rows(
        [np.ascontiguousarray(codes, dtype=np.int32) for codes in columns],
        [int(codes.max(initial=-1)) + 1 for codes in columns],
    )


def _measured(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    lives = nobody_yet()
    for place in folders:
        manifest, lives = read_manifest(place), lives.then(*_told(place))
        found = smallest(Cohorts(lives), manifest.promise.get("l"))
        yield {
            "cohort": found.people,
            "values": found.values,
            "smallest": manifest.risks["smallest"],
            "loss": manifest.utility["loss"],
        }


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
