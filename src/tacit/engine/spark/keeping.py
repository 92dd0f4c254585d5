"""Keeping as many cells of transactions on Spark as limits allow, the most valuable first.

Which cells stay is one walk over all cells that are hit, from the most valuable down. Workers say what each
is worth; the walk is done in this process, on the items that marks are about and nothing else of a
transaction. What stays goes back as a list of cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.engine.sanitizing import Valued
from tacit.engine.spark.blocks import Blocks, Rows
from tacit.engine.spark.removal import Content
from tacit.errors import ResourceError
from tacit.io.spark.session import spark_errors
from tacit.io.spark.transactions_coding import as_lists, as_rows
from tacit.random.key import Subkey
from tacit.typing import Counts

if TYPE_CHECKING:
    from tacit.arrays.cell_lists import CellList
    from tacit.engine.kernels.keeping import Marks
    from tacit.engine.kernels.sanitizing import Columns

MOST_CELLS = 10_000_000
"""The most cells that are hit that are brought into this process."""
_NOT_HIT = -1
_WORDS = ("one", "two", "draw")


def kept_cells(
    blocks: Blocks,
    content: Content,
    matrix: Columns,
    marks: Marks,
    limits: Counts,
    valued: Valued,
    subkey: Subkey,
    *,
    origin: str | None,
) -> CellList:
    """The cells that stay of those that a matrix hits, so that no mark exceeds its limit."""
    from tacit.engine.kernels.keeping import SCALE

    n_patterns = len(valued.slack)

    def lost(rows: Rows) -> Counts:
        from tacit.arrays.interrupt import new_flag
        from tacit.engine.kernels.keeping import lost_rows

        cells, owners = _hit(rows, matrix)
        where = (rows.indptr, rows.items, cells, owners, matrix.columns, valued.walks)
        return np.append(lost_rows(*where, n_patterns, new_flag()), len(cells))

    counted = blocks.summed(n_patterns + 1, lost)
    if counted[-1] > MOST_CELLS:
        raise ResourceError(
            f"The policy 'exact' would bring {counted[-1]:,} cells that are hit into this process, and takes"
            f" at most {MOST_CELLS:,}.",
            code="spark-too-many",
            hint="Use the policy 'certified', which brings none, or hide fewer patterns.",
        )
    lacking = counted[:-1] - valued.slack  # the transactions a pattern needs back
    worth = np.where(lacking > 0, SCALE // np.maximum(lacking, 1), 0)
    concerned = np.diff(marks.bounds) > 0

    def value(rows: Rows) -> dict[str, Any]:
        from tacit.arrays.interrupt import new_flag
        from tacit.engine.kernels.keeping import cell_values
        from tacit.random.keyed import draws

        cells, owners = _hit(rows, matrix)
        where = (rows.indptr, rows.items, cells, owners, matrix.columns, valued.walks)
        values = np.full(len(rows.items), _NOT_HIT, dtype=np.int64)
        values[cells] = cell_values(*where, worth, new_flag())
        hit = np.zeros(len(rows), dtype=np.bool_)
        hit[owners] = True
        lengths = np.diff(rows.indptr)
        shown = np.repeat(hit, lengths) & concerned[rows.items]
        ends = np.concatenate([[0], np.cumsum(shown)])[rows.indptr]  # of what is shown of each row
        indptr = np.append(ends[:-1][hit], ends[-1])
        digests, ranks = np.ascontiguousarray(content.of(rows).digests[hit]), rows.ranks[hit]
        words = (digests[:, 0], digests[:, 1], draws(subkey, digests, ranks))
        return {
            **{name: word.copy().view(np.int64) for name, word in zip(_WORDS, words, strict=True)},
            "rank": ranks,
            "codes": as_lists(indptr, rows.items[shown]),
            "worth": as_lists(indptr, values[shown]),
        }

    schema = "one bigint, two bigint, draw bigint, rank bigint, codes array<int>, worth array<bigint>"
    with spark_errors(origin):
        found = blocks.mapped(value, schema).toArrow()
    return _walk(found, marks, limits)


def _hit(rows: Rows, matrix: Columns) -> tuple[Counts, Counts]:
    """The cells that the matrix hits, and the row of each."""
    from tacit.arrays.interrupt import new_flag
    from tacit.engine.kernels.keeping import hit_cells, rows_of_cells

    cells = hit_cells(rows.indptr, rows.items, matrix, new_flag())
    return cells, rows_of_cells(rows.indptr, cells)


def _walk(found: Any, marks: Marks, limits: Counts) -> CellList:
    """Put cells back, the most valuable first; the cells that are back."""
    from tacit.arrays.cell_lists import cell_list
    from tacit.arrays.interrupt import interruptible
    from tacit.engine.kernels.keeping import keep_within
    from tacit.random.keyed import keyed_order

    indptr, cells = as_rows(found.column("codes").combine_chunks())
    items = np.asarray(cells, dtype=np.int32)
    values = np.asarray(as_rows(found.column("worth").combine_chunks())[1], dtype=np.int64)
    one, two, draw = (np.asarray(found.column(name)).view(np.uint64) for name in _WORDS)
    digests, ranks = np.column_stack([one, two]), np.asarray(found.column("rank"))
    hit = np.flatnonzero(values != _NOT_HIT)
    rows = np.repeat(np.arange(len(ranks)), np.diff(indptr))[hit]
    # The most valuable first; among equals the key decides, by content.
    order = keyed_order(draw[rows], digests[rows], ranks[rows])
    order = order[np.argsort(items[hit[order]], kind="stable")]
    order = order[np.argsort(-values[hit[order]], kind="stable")]
    removed = values != _NOT_HIT
    interruptible(keep_within, indptr, items, removed, hit[order], rows[order], marks, limits)
    back = ~removed[hit]
    return cell_list(digests[rows[back]], ranks[rows[back]], items[hit[back]])
