"""Lines of tokens separated by blanks, in one pass over the bytes.

The layout of the FIMI repository [1] and of SPMF [2]: a line is a row, its tokens are separated by
spaces or tabs, an empty line is an empty row. ``\\n``, ``\\r\\n`` and a lone ``\\r`` end a line; the end
of the text ends a last line that holds anything.

[1] B. Goethals, M. J. Zaki. FIMI '03: Frequent Itemset Mining Implementations. ICDM workshop 2003.
[2] P. Fournier-Viger et al. The SPMF Open-Source Data Mining Library Version 2. PKDD 2016.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.io.kernels.tokens import Split
from tacit.typing import Bytes, Offsets

_PART, _BLANK, _END, _REMARK = 0, 1, 2, 3
_NEWLINE, _RETURN = 10, 13


def line_split(*, remarks: bytes = b"") -> Split:
    """The split (see ``tokens``) of lines; one that begins with a remark's byte is no row."""
    kinds = np.full(256, _PART, dtype=np.uint8)
    kinds[list(b" \t")] = _BLANK
    kinds[list(b"\n\r")] = _END
    first_kinds = kinds.copy()
    first_kinds[list(remarks)] = _REMARK
    return lambda data, at, starts, stops, ends: _split(data, at, starts, stops, ends, kinds, first_kinds)


@kernel
def _split(
    data: Bytes, at: int, starts: Offsets, stops: Offsets, ends: Offsets, kinds: Bytes, first_kinds: Bytes
) -> tuple[int, int, int]:
    end = len(data)
    n_rows = n_tokens = 0
    while at < end and n_rows < len(ends):
        line = at
        remark = first_kinds[data[at]] == _REMARK
        while at < end and kinds[data[at]] != _END:
            if remark or kinds[data[at]] == _BLANK:
                at += 1
                continue
            if n_tokens == len(starts):
                return line, n_rows, 0  # this line goes into the next block
            starts[n_tokens] = at
            while at < end and kinds[data[at]] == _PART:
                at += 1
            stops[n_tokens] = at
            n_tokens += 1
        if not remark:
            ends[n_rows] = n_tokens
            n_rows += 1
        at += 2 if at + 1 < end and data[at] == _RETURN and data[at + 1] == _NEWLINE else 1
    return at, n_rows, 0
