"""A generalized table: the plan carried out, what is published of it, promised, and for its owner alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import Column
from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.data.table import Table
from tacit.io.writers import write_csv
from tacit.judging.people import several_rows
from tacit.methods.generalize_tables.figures import FIGURES, stated_risks, stated_utility
from tacit.methods.generalize_tables.judge import TableRisks, TableUtility
from tacit.methods.generalize_tables.kind import TABLE_FILE
from tacit.mining.knowledge import NegativeRules
from tacit.options import Asked
from tacit.random.key import Key
from tacit.recoding import NORMAL
from tacit.recoding.coarser import HIERARCHIES_FILE, hierarchies_file
from tacit.recoding.problem import Problem, Recoded, node_columns, published_order, row_classes
from tacit.recoding.solve import Solution
from tacit.release import Content, Manifest
from tacit.release.published import Release, json_file
from tacit.release.readers import coarser_reader
from tacit.release.records import MOST_COUNTED, Records
from tacit.typing import Codes, Counts

KIND = "generalized_table"


@dataclass(frozen=True, eq=False)
class Recoding:
    """The published table, and which row of the original each of its rows is."""

    quasi: tuple[Column, ...]
    kept: tuple[Column, ...]
    sensitive: tuple[Column, ...]
    rows: Counts
    """Of each published row, its number in the table."""
    suppressed: Counts
    """The rows left out."""
    times: Counts | None = None
    """For how many rows each published one stands; None where for itself alone."""
    n_suppressed: int = 0
    """How many rows are left out."""

    @property
    def n_rows(self) -> int:
        """How many rows are published."""
        return len(self.rows) if self.times is None else int(self.times.sum())

    @property
    def known(self) -> tuple[Column, ...]:
        """The columns by which readers tell classes apart."""
        return self.quasi + self.kept


def carry_out(
    recoded: Recoded, problem: Problem, table: Table, combination_of: Codes | None = None
) -> Recoding:
    """Replace the quasi-identifiers of every row, leave out what the plan leaves out, and sort.

    ``combination_of`` is the combination of each row, where the plan is about others than of known columns.
    """
    class_of = row_classes(recoded, table) if combination_of is None else recoded.class_of[combination_of]
    out = recoded.left_out[class_of]
    rows = np.flatnonzero(~out)
    shown = node_columns(recoded, problem, table.roles.quasi, class_of[rows])
    kept = [table.column(name).take(rows) for name in table.roles.keep]
    held = [column.take(rows) for column in table.sensitive]
    order = published_order(shown, [*kept, *held], class_of[rows])
    times = None if table.times is None else table.times[rows[order]]
    gone = np.flatnonzero(out)
    n_gone = len(gone) if table.times is None else int(table.times[gone].sum())
    quasi, keep, sensitive = (
        tuple(_taken(column, order, times) for column in some) for some in (shown, kept, held)
    )
    return Recoding(quasi, keep, sensitive, rows[order], gone, times, n_gone)


def _taken(column: Column, order: Counts, times: Counts | None) -> Column:
    taken = column.take(order)
    return taken if times is None else taken.standing_for(times)


@dataclass(frozen=True, eq=False, repr=False)
class GeneralizedTable(Release):
    """A table in which at least k rows look alike."""

    original: Table
    """The private table that it was made from."""
    recoding: str
    solution: Solution
    recoded: Recoding
    seconds: float
    risks: TableRisks
    kept: TableUtility
    knowledge: NegativeRules | None
    """The rules that readers are taken to know."""

    declared = FIGURES

    @property
    def figures(self) -> dict[str, dict[str, Any]]:
        return exact_figures(self.risks, self.kept)

    def risk(self) -> TableRisks:
        """What readers could learn from the release."""
        return self.risks

    def utility(self) -> TableUtility:
        """What detail the release keeps."""
        return self.kept

    @property
    def table(self) -> pl.DataFrame:
        """The published table."""
        shown = (*self.recoded.known, *self.recoded.sensitive)
        frame = pl.DataFrame([column.to_series() for column in shown])
        times = self.recoded.times
        return frame if times is None else frame[np.repeat(np.arange(len(times)), times)]

    def records(self) -> Records | None:
        quasi, times = self.original.roles.quasi, self.original.times
        if times is None:
            return Records(self.original, self.recoded.rows, quasi)
        if len(self.original) > MOST_COUNTED:
            return None
        ends, own = np.cumsum(times), times[self.recoded.rows]
        rows = np.repeat(ends[self.recoded.rows] - np.cumsum(own), own) + np.arange(int(own.sum()))
        return Records(self.original.take(np.repeat(np.arange(len(times)), times)), rows, quasi)

    def to_dict(self) -> dict[str, Any]:
        promise = self.manifest.promise
        return super().to_dict() | {
            "rows": self.recoded.n_rows,
            "k": promise["k"],
            "l": promise.get("l"),
            "t": promise.get("t"),
            "recoding": self.recoding,
            "loss": self.solution.loss,
            "bound": self.solution.bound,
            "proven": self.solution.proven,
            "levels": None if self.solution.levels is None else list(self.solution.levels),
            "rules": 0 if self.knowledge is None else len(self.knowledge),
            "series": self.manifest.parameters.get("series"),
            "classes": self.risks.classes,
            "suppressed": self.recoded.n_suppressed,
            "seconds": self.seconds,
            "risk": self.risks.to_dict(),
            "utility": self.kept.to_dict(),
        }


def exact_figures(risks: TableRisks, kept: TableUtility) -> dict[str, dict[str, Any]]:
    """What is measured on a release, exactly."""
    return {"risks": risks.to_dict(), "utility": kept.to_dict()}


def manifest_of(
    asked: Asked,
    made: Recoding,
    risks: TableRisks,
    kept: TableUtility,
    *,
    table: Table,
    promise: Mapping[str, Any],
    rules: NegativeRules | None,
    more: Mapping[str, Any],
    experimental: bool,
) -> Manifest:
    """The manifest of a release; ``more`` are parameters, of which those that are None are left out."""
    more = {
        "effort": None if asked.effort == NORMAL else asked.effort,
        "other_rows": None if table.drawn is None else table.drawn.left_out,
        "several_rows": several_rows(table),
        **more,
    }
    return Manifest(
        kind=KIND,
        method=f"k-anonymity by {asked.recoding} recoding",
        parameters={
            "recoding": asked.recoding,
            "quasi": list(table.roles.quasi),
            "keep": list(table.roles.keep),
            "sensitive": list(table.roles.sensitive),
            "rows": made.n_rows,
            "classes": risks.classes,
            "suppressed": made.n_suppressed,
            "nulls": table.nulls,
            "null_values": sorted({*table.null_values}),
            **{name: value for name, value in more.items() if value is not None},
        },
        promise=promise,
        reader=coarser_reader(rules),
        risks=stated_risks(risks.to_dict()),
        utility=stated_utility(kept.to_dict(), rows=made.n_rows),
        not_for_publication=experimental,
    )


def published_files(recoded: Recoding, trees: Mapping[str, Hierarchy]) -> dict[str, Content]:
    """The table, and of each hierarchy the nodes that occur in it with all above them.

    Leaves that do not occur are not listed: of a hierarchy made from the data they would say which values
    somebody has.
    """
    used = {
        column.name: {NULL_LABEL if text is None else text for text in column.texts}
        for column in (*recoded.quasi, *recoded.sensitive)
    }
    columns = (*recoded.known, *recoded.sensitive)
    return {
        TABLE_FILE: lambda path: write_csv(
            columns, path, separator=",", spreadsheet_safe=False, times=recoded.times
        ),
        HIERARCHIES_FILE: hierarchies_file(trees, used),
    }


KNOWLEDGE_FILE = "knowledge.csv"
"""The hierarchies whose nodes rules are about, where other ones are published."""


def private_files(
    table: Table,
    recoded: Recoding,
    solution: Solution,
    trees: Mapping[str, Hierarchy],
    risks: TableRisks,
    kept: TableUtility,
    seconds: float,
    key: Key,
    *,
    numbered: bool,
) -> dict[str, Content]:
    """What only the owner may see; rows that came from Spark have no numbers."""
    record = {
        "key": key.id,
        "loss": solution.loss,
        "bound": solution.bound,
        "levels": solution.levels,
        "space": None if solution.lattice is None else solution.lattice.by_height(),
        "figures": exact_figures(risks, kept),
        "seconds": seconds,
    }
    rows = recoded.rows if table.drawn is None else table.drawn.rows[recoded.rows]
    files: dict[str, Content] = {
        "plan.json": json_file(record),
        HIERARCHIES_FILE: hierarchies_file(trees),
    }
    used = {name: table.hierarchies[name] for name in table.roles.quasi}
    if any(trees[name] is not used[name] for name in used):  # cells that are kept or empty
        files[KNOWLEDGE_FILE] = hierarchies_file({**trees, **used})
    if numbered:
        files["rows.txt"] = lambda path: path.write_text("".join(f"{row}\n" for row in rows.tolist()))
    return files
