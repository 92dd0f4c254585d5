"""A plan carried out on rows: the class of each, and its nodes as columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from tacit.arrays.groups import group_rows
from tacit.data.column import Column, frozen
from tacit.data.table import Table
from tacit.recoding.problem import Problem, Recoded
from tacit.typing import AnyArray, Codes


def row_classes(recoded: Recoded, table: Table) -> Codes:
    """The class of each row; the plan is about the combinations of its known columns."""
    columns = table.known
    combination, _ = group_rows(
        [column.codes for column in columns], [len(column.values) for column in columns]
    )
    return recoded.class_of[combination]


def node_columns(
    recoded: Recoded, problem: Problem, names: Sequence[str], class_of: AnyArray
) -> list[Column]:
    """The quasi-identifiers of rows of these classes, as they are published."""
    labels = np.array(problem.forest.labels, dtype=object)
    return [_labelled(name, recoded.nodes[class_of, place], labels) for place, name in enumerate(names)]


def _labelled(name: str, nodes: Codes, labels: np.ndarray) -> Column:
    """The labels of nodes as a column."""
    used, codes = np.unique(nodes, return_inverse=True)
    values, numbers = np.unique(labels[used].astype(str), return_inverse=True)
    return Column(name, frozen(numbers.reshape(-1)[codes.reshape(-1)]), pl.Series(name, values.tolist()))
