"""Result objects as plain values: what ``--json`` prints and what the manifest holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any


def to_plain(result: Any) -> Any:
    """The result as dictionaries, lists, numbers and text.

    An object with a ``to_dict`` says itself what it prints; other dataclasses print their fields.
    """
    if isinstance(result, float):
        return result if math.isfinite(result) else None  # JSON has no infinity
    if result is None or isinstance(result, bool | int | str):
        return result
    if hasattr(result, "to_dict"):
        return to_plain(result.to_dict())
    if is_dataclass(result) and not isinstance(result, type):
        return {field.name: to_plain(getattr(result, field.name)) for field in fields(result)}
    if isinstance(result, Mapping):
        return {str(name): to_plain(value) for name, value in result.items()}
    if isinstance(result, set | frozenset):
        return sorted(to_plain(value) for value in result)
    if isinstance(result, list | tuple):
        return [to_plain(value) for value in result]
    if isinstance(result, Decimal):
        return float(result)
    if isinstance(result, Path):
        return str(result)
    if hasattr(result, "tolist"):  # a numpy array or number
        return to_plain(result.tolist())
    raise TypeError(f"{type(result).__name__} has no plain form")
