"""A plan carried out on rows: the class of each, and its nodes as columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from tacit.arrays.groups import group_rows, group_sorted
from tacit.data.column import Column, frozen
from tacit.data.table import Table
from tacit.recoding.problem import Problem, Recoded
from tacit.typing import AnyArray, Codes, Counts


def row_classes(recoded: Recoded, table: Table) -> Codes:
    """The class of each row; the plan is about the combinations of its known columns."""
    columns = table.known
    cells = [column.codes for column in columns]
    if table.times is not None and table.names[: len(columns)] == table.roles.known:
        combination, _ = group_sorted(cells)
    else:
        combination, _ = group_rows(cells, [len(column.values) for column in columns])
    return recoded.class_of[combination]


def node_columns(
    recoded: Recoded, problem: Problem, names: Sequence[str], class_of: AnyArray
) -> list[Column]:
    """The quasi-identifiers of rows of these classes, as they are published."""
    labels = np.array(problem.forest.labels, dtype=object)
    there = np.bincount(class_of, minlength=len(recoded.nodes)) > 0
    number = np.cumsum(there, dtype=np.int32) - np.int32(1)  # of the classes that occur
    return [
        _labelled(name, recoded.nodes[there, place], labels, number[class_of])
        for place, name in enumerate(names)
    ]


def _labelled(name: str, nodes: Codes, labels: np.ndarray, class_of: Codes) -> Column:
    """The labels of the nodes of classes, as a column of rows of these classes."""
    used, codes = np.unique(nodes, return_inverse=True)
    values, numbers = np.unique(labels[used].astype(str), return_inverse=True)
    shown = numbers.reshape(-1)[codes.reshape(-1)].astype(np.int32)
    return Column(name, frozen(shown[class_of]), pl.Series(name, values.tolist()))


def published_order(shown: Sequence[Column], others: Sequence[Column], class_of: AnyArray) -> Counts:
    """The rows of these classes by the text of what is published of them: ``shown``, then the others."""
    n_classes = int(class_of.max(initial=-1)) + 1
    member = np.zeros(n_classes, dtype=np.int64)
    member[class_of] = np.arange(len(class_of))
    # Classes are few and rows many: the rank of a class, the same for two that are published alike.
    cells = [column.text_ranks[column.codes[member]] for column in shown]
    order = np.lexsort(cells[::-1])
    new = np.zeros(n_classes, dtype=np.bool_)
    for own in cells:
        new[1:] |= own[order][1:] != own[order][:-1]
    rank = np.empty(n_classes, dtype=np.int32)
    rank[order] = np.cumsum(new, dtype=np.int32)
    behind = [column.text_ranks[column.codes] for column in reversed(others)]
    return np.lexsort([*behind, rank[class_of]])
