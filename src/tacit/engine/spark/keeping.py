"""Taking out cells of transactions on Spark that are chosen over all of those that hold a secret.

Workers send those, the items that matter and nothing else of them; what goes returns as a list of cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.engine.sanitizing import Choice
from tacit.engine.spark.blocks import Blocks, Rows
from tacit.engine.spark.removal import Content, Known, Removal, go_through
from tacit.errors import ResourceError
from tacit.io.spark.transactions import as_lists, as_rows
from tacit.random.key import Subkey
from tacit.typing import Bools, Codes, Counts

if TYPE_CHECKING:
    from tacit.arrays.csr import CellList
    from tacit.engine.kernels.contained import Sets

MOST_CELLS = 10_000_000
"""The most cells of such transactions that are brought into this process."""
_WORDS = ("one", "two", "draw")


def listed_to_go(
    blocks: Blocks,
    content: Content,
    removed: Removal,
    sets: Sets,
    shown: Bools,
    choose: Choice,
    subkey: Subkey,
) -> CellList:
    """The cells that are chosen to go from the transactions left that hold one of the sets."""
    from tacit.arrays.csr import cell_list
    from tacit.arrays.groups import places_of_rows
    from tacit.random.keyed import keyed_order

    def hit(rows: Rows) -> tuple[Known, Counts, tuple[Counts, Codes]]:
        from tacit.arrays.interrupt import new_flag
        from tacit.engine.kernels.contained import holds_any

        known = content.of(rows)
        left, items = known.left(go_through(removed, known))
        found = np.flatnonzero(holds_any(left, items, sets, new_flag()))
        indptr, places = places_of_rows(left, found)
        seen = shown[items[places]]
        ends = np.concatenate([[0], np.cumsum(seen)])[indptr]
        return known, found, (ends, items[places[seen]])

    counted = int(blocks.summed(1, lambda rows: np.array([len(hit(rows)[2][1])]))[0])
    if counted > MOST_CELLS:
        raise ResourceError(
            f"Choosing what goes would bring {counted:,} items of transactions that hold a secret into this"
            f" process, and at most {MOST_CELLS:,} are brought.",
            code="spark-too-many",
            hint="Use the policy 'certified' and leave min_confidence out: then none are brought.",
        )

    def send(rows: Rows) -> dict[str, Any]:
        from tacit.random.keyed import draws

        known, found, lists = hit(rows)
        digests, ranks = np.ascontiguousarray(known.digests[found]), rows.ranks[found]
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
    going = np.flatnonzero(choose(ends, items))
    rows = order[np.searchsorted(ends, going, side="right") - 1]
    return cell_list(digests[rows], ranks[rows], items[going])
