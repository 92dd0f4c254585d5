"""A generalized table: what is published of it, what it promises, what only its owner may see."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import Column
from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.data.table import Table
from tacit.io.writers.tables import write_csv
from tacit.methods.generalize_tables.apply import Recoding
from tacit.methods.generalize_tables.figures import FIGURES, stated_risks, stated_utility
from tacit.methods.generalize_tables.judge import TableRisks, TableUtility
from tacit.methods.generalize_tables.kind import TABLE_FILE
from tacit.mining.knowledge import NegativeRules
from tacit.random.key import Key
from tacit.recoding import NORMAL
from tacit.recoding.solve import Solution
from tacit.recoding.trees import HIERARCHIES_FILE, hierarchies_file
from tacit.release import Content, Manifest
from tacit.release.published import Release
from tacit.release.records import MOST_COUNTED, Records
from tacit.typing import Counts

KIND = "generalized_table"


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

    declared = FIGURES

    @property
    def figures(self) -> dict[str, dict[str, Any]]:
        return {"risks": self.risks.to_dict(), "utility": self.kept.to_dict()}

    def risk(self) -> TableRisks:
        """What readers could learn from the release."""
        return self.risks

    def utility(self) -> TableUtility:
        """What detail the release keeps."""
        return self.kept

    @property
    def table(self) -> pl.DataFrame:
        """The published table."""
        frame = pl.DataFrame([column.to_series() for column in self.recoded.columns])
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
            "series": self.manifest.parameters.get("series"),
            "classes": self.risks.classes,
            "suppressed": self.recoded.n_suppressed,
            "seconds": self.seconds,
            "figures": self.measured(),
            "risk": self.risks.to_dict(),
            "utility": self.kept.to_dict(),
        }


def manifest_of(
    *,
    table: Table,
    recoding: str,
    effort: str,
    promise: Mapping[str, Any],
    epsilon: float | None,
    rules: NegativeRules | None,
    recoded: Recoding,
    risks: TableRisks,
    kept: TableUtility,
    experimental: bool,
    series: Mapping[str, Any] | None = None,
) -> Manifest:
    """The manifest of a release."""
    return Manifest(
        kind=KIND,
        method=f"k-anonymity by {recoding} recoding",
        parameters={
            "recoding": recoding,
            "quasi": list(table.roles.quasi),
            "keep": list(table.roles.keep),
            "sensitive": list(table.roles.sensitive),
            "rows": recoded.n_rows,
            "classes": risks.classes,
            "suppressed": recoded.n_suppressed,
            "nulls": table.nulls,
            "null_values": list(table.null_values),
            **({} if effort == NORMAL else {"effort": effort}),
            **({} if epsilon is None else {"epsilon": epsilon}),
            **({} if table.drawn is None else {"other_rows": table.drawn.left_out}),
            **({} if series is None else {"series": series}),
        },
        promise=promise,
        reader={
            "rules": [] if rules is None else stated_rules(rules),
            **({} if rules is None else _mined(rules)),
        },
        risks=stated_risks(risks.to_dict()),
        utility=stated_utility(kept.to_dict()),
        not_for_publication=experimental,
    )


def stated_rules(rules: NegativeRules) -> list[dict[str, Any]]:
    """The rules that readers are taken to know, with the labels of their nodes."""
    names = list(rules.sensitive)
    return [
        {
            "when": dict(rules[place].when),
            "attribute": names[rules.about[place]],
            "value": rules.sensitive[names[rules.about[place]]][rules.values[place]],
        }
        for place in range(len(rules))
    ]


def _mined(rules: NegativeRules) -> dict[str, Any]:
    settings = rules.settings
    if not settings:
        return {}
    named = {name: settings[name] for name in ("max_length", "correction")}
    return {"mined": {"min_expectation": f"{float(settings['min_expectation']):g}", **named}}


def published_files(recoded: Recoding, trees: Mapping[str, Hierarchy]) -> dict[str, Content]:
    """The table, and of each hierarchy the nodes that occur in it with all above them.

    Leaves that do not occur are not listed: of a hierarchy made from the data they would say which values
    somebody has.
    """
    used = {
        column.name: {NULL_LABEL if text is None else text for text in column.texts}
        for column in (*recoded.quasi, *recoded.sensitive)
    }
    return {
        TABLE_FILE: _csv(recoded.columns, recoded.times),
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
    """What only the owner may see: the whole hierarchies, the solution space, which row is which.

    Rows that came from Spark have no numbers.
    """
    record = {
        "key": key.id,
        "loss": solution.loss,
        "bound": solution.bound,
        "levels": solution.levels,
        "space": None if solution.lattice is None else solution.lattice.by_height(),
        "figures": {"risks": risks.to_dict(), "utility": kept.to_dict()},
        "seconds": seconds,
    }
    rows = recoded.rows if table.drawn is None else table.drawn.rows[recoded.rows]
    files: dict[str, Content] = {
        "plan.json": (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode(),
        HIERARCHIES_FILE: hierarchies_file(trees),
    }
    used = {name: table.hierarchies[name] for name in table.roles.quasi}
    if any(trees[name] is not used[name] for name in used):  # cells that are kept or empty
        files[KNOWLEDGE_FILE] = hierarchies_file({**trees, **used})
    if numbered:
        files["rows.txt"] = lambda path: path.write_text("".join(f"{row}\n" for row in rows.tolist()))
    return files


def _csv(columns: Sequence[Column], times: Counts | None) -> Content:
    def write(path: Path) -> None:
        write_csv(columns, path, separator=",", spreadsheet_safe=False, times=times)

    return write
