"""Taking out cells of transactions on Spark so that marks stay within limits.

Which cells go is decided over all transactions that a mark hits. Workers send those, the items that matter
and nothing else of them; what goes returns as a list of cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.engine.sanitizing import Valued
from tacit.engine.spark.blocks import Blocks, Rows
from tacit.engine.spark.removal import Content
from tacit.errors import ResourceError
from tacit.io.spark.transactions_coding import as_lists, as_rows
from tacit.random.key import Subkey
from tacit.typing import Codes, Counts

if TYPE_CHECKING:
    from tacit.arrays.csr import CellList
    from tacit.engine.kernels.keeping import Marks

MOST_CELLS = 10_000_000
"""The most cells of transactions that are hit that are brought into this process."""
_WORDS = ("one", "two", "draw")


def listed_to_go(
    blocks: Blocks, content: Content, marks: Marks, limits: Counts, valued: Valued, subkey: Subkey
) -> CellList:
    """The cells that go so that no mark exceeds its limit."""
    from tacit.arrays.csr import cell_list
    from tacit.arrays.groups import places_of_rows
    from tacit.engine.kernels.keeping import cells_to_go
    from tacit.random.keyed import keyed_order

    shown = np.zeros(len(valued.walks.columns), dtype=np.bool_)
    shown[valued.walks.codes] = True
    shown[valued.walks.columns >= 0] = True

    def hit(rows: Rows) -> tuple[Counts, tuple[Counts, Codes]]:
        from tacit.arrays.interrupt import new_flag
        from tacit.engine.kernels.keeping import rows_hit

        found = rows_hit(rows.indptr, rows.items, marks, new_flag())
        indptr, places = places_of_rows(rows.indptr, found)
        seen = shown[rows.items[places]]
        ends = np.concatenate([[0], np.cumsum(seen)])[indptr]
        return found, (ends, rows.items[places[seen]])

    counted = int(blocks.summed(1, lambda rows: np.array([len(hit(rows)[1][1])]))[0])
    if counted > MOST_CELLS:
        raise ResourceError(
            f"The policy 'exact' would bring {counted:,} items of transactions that are hit into this"
            f" process, and takes at most {MOST_CELLS:,}.",
            code="spark-too-many",
            hint="Use the policy 'certified', which brings none, or hide fewer patterns.",
        )

    def send(rows: Rows) -> dict[str, Any]:
        from tacit.random.keyed import draws

        found, lists = hit(rows)
        digests, ranks = np.ascontiguousarray(content.of(rows).digests[found]), rows.ranks[found]
        words = (digests[:, 0], digests[:, 1], draws(subkey, digests, ranks))
        return {
            **{name: word.copy().view(np.int64) for name, word in zip(_WORDS, words, strict=True)},
            "rank": ranks,
            "codes": as_lists(*lists),
        }

    schema = "one bigint, two bigint, draw bigint, rank bigint, codes array<int>"
    found = blocks.mapped(send, schema).toArrow()
    one, two, draw = (np.asarray(found.column(name)).view(np.uint64) for name in _WORDS)
    digests, ranks = np.column_stack([one, two]), np.asarray(found.column("rank"))
    indptr, codes = as_rows(found.column("codes").combine_chunks())
    order = keyed_order(draw, digests, ranks)
    ends, places = places_of_rows(np.asarray(indptr, dtype=np.int64), order)
    items = np.asarray(codes, dtype=np.int32)[places]
    going = np.flatnonzero(cells_to_go(ends, items, marks, limits, valued))
    rows = order[np.searchsorted(ends, going, side="right") - 1]
    return cell_list(digests[rows], ranks[rows], items[going])
