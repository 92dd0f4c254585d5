"""The sketch of a release: what the ledger keeps to recognize its records, of bounded size.

A sketch is a sample of the records as :mod:`tacit.release.likeness` sees them, or all of them where they are
few. That is enough for a comparison, because its other side is whole: the data about to be released.
The ledger keeps it sealed: digests alone would show which cells are equal, and frequencies tell much about
common values.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from tacit.random.key import Key
from tacit.release.likeness import Cells, Likeness, SetsLikeness
from tacit.typing import Words

MOST_BYTES = 1 << 20
"""The cells or words of a sketch are no more than so many bytes."""


@dataclass(frozen=True, eq=False)
class Sketch:
    """A sample of a release's ``records``.

    ``cells`` are those of a table, a row for each record, or the words of transactions. ``columns`` and
    ``distinct`` are the names of a table's columns and how many values each has; both empty for transactions.
    """

    records: int
    columns: tuple[str, ...]
    distinct: tuple[int, ...]
    cells: Cells | Words

    @property
    def of_sets(self) -> bool:
        return self.cells.dtype == np.uint64

    def to_bytes(self) -> bytes:
        """The length of the description, the description as JSON, and the cells."""
        about = {
            "records": self.records,
            "columns": self.columns,
            "distinct": self.distinct,
            "shape": self.cells.shape,
            "of_sets": self.of_sets,
        }
        head = json.dumps(about).encode()
        body = self.cells.astype("<u8" if self.of_sets else "<u4").tobytes()
        return len(head).to_bytes(4, "little") + head + body


def sketch_of(likeness: Likeness, key: Key) -> Sketch:
    """The sketch of some records; which are sampled follows from the ledger's key."""
    width = 2 * 8 if isinstance(likeness, SetsLikeness) else 4 * max(1, len(likeness.columns))
    generator = np.random.Generator(np.random.PCG64(key.subkey("ledger: sample").words))
    rows = generator.permutation(likeness.n_records)[: MOST_BYTES // width]
    if isinstance(likeness, SetsLikeness):
        return Sketch(likeness.n_records, (), (), likeness.words[rows])
    names = tuple(column.name for column in likeness.columns)
    distinct = tuple(int((column.counts > 0).sum()) for column in likeness.columns)
    return Sketch(likeness.n_records, names, distinct, likeness.cells(rows))


def read_sketch(content: bytes) -> Sketch:
    """The sketch that was written as these bytes."""
    end = 4 + int.from_bytes(content[:4], "little")
    about = json.loads(content[4:end])
    stored, kind = ("<u8", np.uint64) if about["of_sets"] else ("<u4", np.uint32)
    cells = np.frombuffer(content[end:], dtype=stored).astype(kind, copy=False)
    return Sketch(
        about["records"], tuple(about["columns"]), tuple(about["distinct"]), cells.reshape(about["shape"])
    )
