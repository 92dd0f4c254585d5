"""Published files read back as their readers see them, for judges and for those who compare releases.

An earlier release is put into the words of this one, so that both can be read together: its columns get
the names of the columns that hold the same now, and every value its one spelling
(:mod:`tacit.io.canonical`). A column that has no name now is left out, with the rules about it:
whoever is left with one candidate without it is so with it, too.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tacit.data.hierarchy import NULL_LABEL, Hierarchy, from_parents
from tacit.data.table import Table, table_from_frame
from tacit.data.transactions import Transactions
from tacit.errors import InputError, Place
from tacit.io.canonical import canonical
from tacit.io.readers import read_transactions
from tacit.io.readers.formats import SetFormatName
from tacit.judging.composition import COUNT, PublishedTable, StatedRule
from tacit.judging.set_composition import PublishedSets
from tacit.release.kinds import kind_of
from tacit.release.manifest import Manifest

Spelling = Mapping[str | None, str | None]

_GROUP = "group\x00"
"""The column of the buckets: named as no column of a file can be."""


def aligned_table(
    release: PublishedTable, partners: Mapping[str, str], hierarchies: Mapping[str, Hierarchy]
) -> PublishedTable:
    """A release of a table under other names, in one spelling; ``partners`` are those of its columns.

    What is below a published node is told by the ``hierarchies`` of the columns now; a column that shows
    other nodes is left out.
    """
    nodes = {
        name: _nodes_above(hierarchies[partners[name]])
        for name in release.coarser
        if name in partners and partners[name] in hierarchies
    }
    unknown = {
        name
        for name in release.coarser
        if not set(release.rows[name]) <= set().union(*nodes.get(name, {None: ()}).values())
    }
    known = [name for name in release.known if name in partners and name not in unknown]
    sensitive = [name for name in release.sensitive if name in partners]
    told = [rule for rule in release.rules if {*rule.when, rule.attribute} <= {*known, *sensitive}]
    spelled: dict[str, Spelling] = {}
    for name in known:
        values = {value for rule in told for value in rule.when.get(name, ())}
        spelled[name] = _spelling([*release.rows[name].unique(), *values])
        if name in nodes:  # a node is spelled as it is
            spelled[name] = {label: label for label in release.rows[name].unique()}
    for name in sensitive:
        values = {rule.value for rule in told if rule.attribute == name}
        spelled[name] = _spelling([*release.held[name].unique(), *values])
    rules = [
        StatedRule(
            when={
                partners[name]: frozenset(spelled[name][value] for value in values)
                if name not in nodes
                else frozenset(leaf for leaf, above in nodes[name].items() if above & values)
                for name, values in rule.when.items()
            },
            attribute=partners[rule.attribute],
            value=spelled[rule.attribute][rule.value],
        )
        for rule in told
    ]
    return PublishedTable(
        known=tuple(partners[name] for name in known),
        sensitive=tuple(partners[name] for name in sensitive),
        group=_GROUP,
        rows=_respelled(release.rows, known, release.group, spelled, partners),
        held=_respelled(release.held, sensitive, release.group, spelled, partners).with_columns(
            release.held[COUNT]
        ),
        rules=tuple(rules),
        coarser=tuple(partners[name] for name in nodes if name in known),
        nodes={partners[name]: above for name, above in nodes.items() if name in known},
    )


def _nodes_above(tree: Hierarchy) -> dict[str | None, frozenset[str | None]]:
    """The labels at and above each leaf, which is in one spelling; an empty cell is above all."""
    leaves = canonical(pl.Series(tree.labels[: tree.n_leaves], dtype=pl.String)).to_list()
    top = {} if "*" in tree.labels[: tree.n_leaves] else {"*"}
    return {
        None if tree.labels[node] == NULL_LABEL else leaf: frozenset(
            {tree.labels[node], *(tree.labels[above] for above in tree.ancestors(node)), *top}
        )
        for node, leaf in enumerate(leaves)
    }


def aligned_sets(release: PublishedSets) -> PublishedSets:
    """Published sets with every item in one spelling."""
    spelled = _spelling([*release.records.vocabulary, *release.mapping, *release.mapping.values()])
    mapping = {_item(spelled, item): _item(spelled, label) for item, label in release.mapping.items()}
    return PublishedSets(aligned_transactions(release.records, spelled), mapping)


def aligned_transactions(transactions: Transactions, spelled: Spelling | None = None) -> Transactions:
    """Transactions with every item in one spelling."""
    if spelled is None:
        spelled = _spelling(transactions.vocabulary)
    return replace(transactions, vocabulary=tuple(_item(spelled, name) for name in transactions.vocabulary))


def _item(spelled: Spelling, item: str) -> str:
    found = spelled[item]
    return item if found is None else found  # an item called "none" is one, not a missing value


def _spelling(values: Iterable[str | None]) -> Spelling:
    texts = pl.Series(list(dict.fromkeys(values)), dtype=pl.String)
    return dict(zip(texts.to_list(), canonical(texts).to_list(), strict=True))


def _respelled(
    frame: pl.DataFrame,
    names: list[str],
    group: str,
    spelled: Mapping[str, Spelling],
    partners: Mapping[str, str],
) -> pl.DataFrame:
    columns = [respelled(frame[name], spelled[name]).alias(partners[name]) for name in names]
    return pl.DataFrame([frame[group].alias(_GROUP), *columns])


def respelled(values: pl.Series, spelling: Spelling) -> pl.Series:
    """Texts, those that a spelling has as it has them."""
    old, new = (pl.Series(side, dtype=pl.String) for side in (list(spelling), list(spelling.values())))
    return values.replace(old, new)


READ_AS: Mapping[str, SetFormatName] = {".dat": "dat", ".csv": "basket", ".jsonl": "jsonl"}
"""The format of published sets, by how the name of their file ends."""


def read_published_sets(folder: Path, manifest: Manifest) -> PublishedSets:
    """A release of transactions."""
    name = manifest.parameters["transactions"]
    return PublishedSets(read_transactions(folder / name, format=READ_AS[Path(name).suffix], twins="keep"))


def cells(file: Path) -> pl.DataFrame:
    """A published table as text."""
    with file.open(encoding="utf-8", newline="") as opened:
        names = next(csv.reader(opened))  # polars leaves quotation marks in a name doubled
    return pl.read_csv(file, infer_schema=False, new_columns=names)


@dataclass(frozen=True, eq=False)
class PublishedData:
    """What is in a release: rows or sets, and the column of a table that names its buckets."""

    table: Table | None = None
    transactions: Transactions | None = None
    group: str | None = None
    """The rows of a bucket share its sensitive values: which row has which is not published."""


def published_data(folder: Path, manifest: Manifest) -> PublishedData:
    """The published rows or sets.

    In a table of buckets the values of a bucket stand beside its rows in any order.
    """
    kind = kind_of(manifest.kind)
    if kind.read_sets is not None:
        return PublishedData(transactions=kind.read_sets(folder, manifest).records)
    if not kind.counts_records:
        raise InputError(
            "A release of rules has no rows to look at.",
            code="no-published-rows",
            where=Place(file=str(folder)),
            hint="'tacit report' and 'tacit verify' say what its readers can infer.",
        )
    parameters = manifest.parameters
    quasi, keep, sensitive = parameters["quasi"], parameters["keep"], parameters["sensitive"]
    group = parameters.get("group")
    frame = bucket_rows(folder, manifest) if group is not None else cells(folder / "table.csv")
    table = table_from_frame(
        frame,
        quasi=quasi,
        keep=keep,
        sensitive=sensitive,
        hierarchies=published_hierarchies(folder),
        twins="keep",
        origin=str(folder),
    )
    return PublishedData(table=table, group=group)


def bucket_rows(folder: Path, manifest: Manifest) -> pl.DataFrame:
    """The rows of a bucketized release with the values of their bucket, handed out in any order.

    Where there are more values than rows, some are handed out to nobody.
    """
    parameters = manifest.parameters
    group, sensitive = parameters["group"], list(parameters["sensitive"])
    if parameters["form"] == "permuted":
        return cells(folder / "table.csv")
    rows, held = cells(folder / "qit.csv").sort(group), cells(folder / "st.csv")
    values = held.select(pl.exclude("count").repeat_by(pl.col("count").cast(pl.Int64))).explode(
        group, *sensitive
    )
    place = pl.int_range(pl.len()).over(group)
    sizes = rows.group_by(group).len()
    values = (
        values.sort(group)
        .join(sizes, on=group, how="left", maintain_order="left")
        .filter(place < pl.col("len"))
    )
    return pl.concat([rows, values.select(sensitive)], how="horizontal")


def published_hierarchies(folder: Path) -> dict[str, Hierarchy]:
    """The hierarchies that a generalized table is published with, by attribute."""
    file = folder / "hierarchies.csv"
    if not file.is_file():
        return {}
    found: dict[str, Hierarchy] = {}
    for (name,), links in cells(file).group_by("attribute", maintain_order=True):
        below = links.filter(pl.col("parent").is_not_null())
        parents = dict(zip(below["node"].to_list(), below["parent"].to_list(), strict=True))
        if parents:
            found[str(name)] = from_parents(parents, name=str(name))
    return found
