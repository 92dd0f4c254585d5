"""Names for the arrays and callbacks that cross module borders."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # the help of a command needs no numpy
    import numpy as np
    import numpy.typing as npt

Codes: TypeAlias = "npt.NDArray[np.int32]"
"""Dictionary codes, item numbers or node numbers."""
Offsets: TypeAlias = "npt.NDArray[np.int64]"
"""Row pointers of a CSR layout: entry i spans ``[offsets[i], offsets[i + 1])``."""
Counts: TypeAlias = "npt.NDArray[np.int64]"
"""Supports and other whole-number counts."""
Words: TypeAlias = "npt.NDArray[np.uint64]"
"""Bitmaps, or keyed 64-bit draws."""
Floats: TypeAlias = "npt.NDArray[np.float64]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"
Bytes: TypeAlias = "npt.NDArray[np.uint8]"
AnyArray: TypeAlias = "npt.NDArray[Any]"

Threshold = int | float | Decimal
"""A minimum: an int is a count of records, a float or Decimal a share of them."""

Progress = Callable[[str, float | None], None]
"""Called with what is going on and the share done (None where it cannot be known)."""
