"""Counters that several threads advance at once inside kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import tacit.arrays.compiled  # noqa: F401 - sets numba's cache folder before numba is imported
from tacit.typing import Counts

# isort: split
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _fetch_add(_context: Any, counters: Any, place: Any, amount: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        item_pointer: Any = cgutils.get_item_pointer
        pointer = item_pointer(context, builder, signature.args[0], array, [arguments[1]])
        return builder.atomic_rmw("add", pointer, arguments[2], "seq_cst")

    return types.int64(counters, types.int64, types.int64), generate


fetch_add = cast(Callable[[Counts, int, int], int], intrinsic(_fetch_add))
"""``fetch_add(counters, place, amount)``: add to one counter, return what it was before."""
