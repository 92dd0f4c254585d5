"""Generalized tables beside anjana, anonypy and anonypyx: seconds, loss, errors of counts, in one run.

Run ``python benchmarks/tables_peers.py`` (``make .venv-peers/peers`` installs the tools). Adult, eight
quasi-identifiers, k = 5. Every published cell stands for a set of values: those below a node, those of a set,
those of an interval; its loss is (values - 1) / (values of the column - 1). A set of just the values that
occur loses less than the node above them, and says more; "as nodes" is the loss with the lowest node above
each cell.
Counts over two columns and occupation, selectivity .05, take each value of a cell as equally likely.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from table import ask_peer
from tables import DATA, QUASI, adult

import tacit
from tacit.arrays.groups import group_rows
from tacit.data.hierarchy import Hierarchy
from tacit.data.table import Table
from tacit.random.key import Key
from tacit.typing import AnyArray, Bools, Codes

NAMES = [name for name in QUASI if name != "occupation"]
K, QUERIES, SELECTIVITY, LEFT_OUT = 5, 1000, 0.05, 5


@dataclass(frozen=True)
class Published:
    """The class of each row (-1 for rows left out), and per column which values a class's cell stands for."""

    class_of: Codes
    cells: list[Bools]  # each (classes, values)


def by_labels(table: Table, rows: AnyArray, labels: list[list[str]]) -> Published:
    """Rows of the table with nodes of its hierarchies instead of values."""
    codes = [np.unique(np.array(column), return_inverse=True) for column in labels]
    number, first = group_rows([one[1].astype(np.int32) for one in codes], [len(names) for names, _ in codes])
    class_of = np.full(len(table), -1, dtype=np.int32)
    class_of[rows] = number
    cells = []
    for name, column in zip(NAMES, labels, strict=True):
        tree, texts = table.hierarchies[name], table.column(name).texts
        cells.append(np.array([_below(tree, column[row], texts) for row in first]))
    return Published(class_of, cells)


def _below(tree: Hierarchy, label: str, texts: list[str]) -> list[bool]:
    first, last = tree.leaf_ranges[tree.index[label]]
    return [bool(first <= leaf < last) for leaf in tree.leaves_of(texts)]


def by_classes(table: Table, class_of: Codes) -> Published:
    """Classes whose cells are the values that occur in them, of ages the interval from the least on."""
    cells = []
    for name in NAMES:
        column = table.column(name)
        there = np.zeros((int(class_of.max()) + 1, len(column.values)), dtype=np.bool_)
        there[class_of, column.codes] = True
        if name == "age":
            order = np.argsort([int(text) for text in column.texts])
            sorted_ = there[:, order]
            inside = np.logical_or.accumulate(sorted_, axis=1)
            inside &= np.logical_or.accumulate(sorted_[:, ::-1], axis=1)[:, ::-1]
            there[:, order] = inside
        cells.append(there)
    return Published(class_of, cells)


def loss(published: Published) -> float:
    """The mean loss of a cell; those of rows left out lose everything."""
    there = published.class_of >= 0
    lost = [
        np.where(there, ((one.sum(axis=1) - 1) / (one.shape[1] - 1))[published.class_of], 1.0)
        for one in published.cells
    ]
    return float(np.mean(lost))


def as_nodes(table: Table, published: Published) -> Published:
    """The same classes with the lowest node above each cell."""
    cells = []
    for name, cell in zip(NAMES, published.cells, strict=True):
        tree = table.hierarchies[name]
        leaves = tree.leaves_of(table.column(name).texts)
        first, last = tree.leaf_ranges.T
        wide = []
        for there in cell:
            low, high = leaves[there].min(), leaves[there].max()
            above = np.flatnonzero((first <= low) & (high < last))
            node = above[np.argmin(last[above] - first[above])]
            wide.append((first[node] <= leaves) & (leaves < last[node]))
        cells.append(np.array(wide))
    return Published(published.class_of, cells)


def count_errors(table: Table, published: Published) -> tuple[float, float]:
    """The median and the mean of the relative errors of counts."""
    draw = np.random.default_rng(0)
    sensitive = table.column("occupation")
    there = published.class_of >= 0
    held = np.zeros((len(published.cells[0]), len(sensitive.values)))
    np.add.at(held, (published.class_of[there], sensitive.codes[there]), 1)
    share = SELECTIVITY ** (1 / 3)
    errors = []
    for _ in range(QUERIES):
        values = _some(draw, len(sensitive.values), share)
        answer, true = held @ values, values[sensitive.codes].astype(np.bool_)
        for place in draw.choice(len(NAMES), 2, replace=False):
            cells, column = published.cells[place], table.column(NAMES[place])
            wanted = _some(draw, cells.shape[1], share)
            answer = answer * (cells @ wanted) / cells.sum(axis=1)
            true &= wanted[column.codes].astype(np.bool_)
        if true.any():
            errors.append(abs(answer.sum() - true.sum()) / true.sum())
    return float(np.median(errors)), float(np.mean(errors))


def _some(draw: np.random.Generator, size: int, share: float) -> AnyArray:
    wanted = np.zeros(size)
    wanted[draw.choice(size, max(1, round(share * size)), replace=False)] = 1
    return wanted


def ours(recoding: str, **asked: object) -> Callable[[Table, Path], tuple[float, Published] | str]:
    def publish(table: Table, place: Path) -> tuple[float, Published]:
        started = time.process_time()
        release = tacit.generalize(table, k=K, recoding=recoding, key=Key.from_seed(1), **asked)  # type: ignore[arg-type]
        seconds = time.process_time() - started
        shown = release.table
        return seconds, by_labels(
            table, release.recoded.rows, [shown.get_column(name).to_list() for name in NAMES]
        )

    return publish


def mondrian(tool: str) -> Callable[[Table, Path], tuple[float, Published] | str]:
    def publish(table: Table, place: Path) -> tuple[float, Published] | str:
        out = place / "classes.txt"
        words = (tool, str(place / "table.csv"), ",".join(NAMES), "occupation", str(K), str(out))
        answer = ask_peer("tables_mondrian.py", *words, patience=300)
        if isinstance(answer, str):
            return answer
        return answer["seconds"], by_classes(table, np.loadtxt(out, dtype=np.int32))

    return publish


def anjana(table: Table, place: Path) -> tuple[float, Published] | str:
    out = place / "anjana.csv"
    words = (str(place / "table.csv"), str(DATA / "adult" / "hierarchies"), ",".join(NAMES), "occupation")
    answer = ask_peer("bucketize_anjana.py", *words, str(K), "1", str(LEFT_OUT), str(out), patience=300)
    if isinstance(answer, str):
        return answer
    shown = pl.read_csv(out, infer_schema=False)
    # Which rows are left out is not said: of those with a value, the last.
    value = table.column("occupation")
    rows = np.argsort(value.codes, kind="stable")
    wanted = np.argsort([value.texts.index(text) for text in shown.get_column("occupation")], kind="stable")
    starts = np.concatenate([[0], np.cumsum(value.counts)])
    mine = np.array([value.texts.index(text) for text in shown.get_column("occupation")])[wanted]
    rank = np.arange(len(mine)) - np.searchsorted(mine, mine)
    places = np.empty(len(mine), dtype=np.int64)
    places[wanted] = rows[starts[mine] + rank]
    return answer["seconds"], by_labels(table, places, [shown.get_column(name).to_list() for name in NAMES])


TOOLS: dict[str, Callable[[Table, Path], tuple[float, Published] | str]] = {
    "Tacit, local": ours("local"),
    "Tacit, global, 5 % left out": ours("global", max_suppressed=LEFT_OUT / 100),
    "anjana, 5 % left out": anjana,
    "anonypy": mondrian("anonypy"),
    "anonypyx": mondrian("anonypyx"),
}


def main() -> None:
    table = adult(NAMES, "occupation")
    head = ["tool", "CPU seconds", "loss", "as nodes", "smallest class", "rows left out", "COUNT", "mean"]
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        table.to_polars().select(*NAMES, "occupation").write_csv(place / "table.csv")
        for tool, publish in TOOLS.items():
            made = publish(table, place)
            if isinstance(made, str):
                print(f"| {tool} | {made} | | | | | | |", flush=True)
                continue
            seconds, published = made
            median, mean = count_errors(table, published)
            there = published.class_of >= 0
            figures = [
                f"{seconds:.1f}",
                f"{loss(published):.4f}",
                f"{loss(as_nodes(table, published)):.4f}",
                f"{np.bincount(published.class_of[there]).min()}",
                f"{(~there).sum():,}",
                f"{median:.3f}",
                f"{mean:.3f}",
            ]
            print(f"| {tool} | {' | '.join(figures)} |", flush=True)


if __name__ == "__main__":
    main()
