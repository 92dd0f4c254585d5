"""Codes put in order, by numpy and inside kernels, where numpy's sort is far more to compile."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.typing import AnyArray, Codes, Counts


def stable_order(codes: AnyArray) -> Counts:
    """The places in the order of their codes, equal ones as they were; in linear time below 2^16."""
    short = len(codes) > 0 and codes.min() >= 0 and codes.max() <= np.iinfo(np.uint16).max
    return np.argsort(codes.astype(np.uint16) if short else codes, kind="stable")


@kernel
def sort_codes(codes: Codes, begin: int, end: int) -> None:
    """Sort the codes from ``begin`` to ``end`` (Shell's method: short, and fast on short lists)."""
    gap = 1
    while 9 * gap < end - begin:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(begin + gap, end):
            code, place = codes[at], at
            while place - gap >= begin and codes[place - gap] > code:
                codes[place] = codes[place - gap]
                place -= gap
            codes[place] = code
        gap //= 3


@kernel
def sort_by(keys: Counts, order: Counts) -> None:
    """Sort the numbers of ``order`` by their keys, equal ones by themselves (Shell's method)."""
    gap = 1
    while 9 * gap < len(order):
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(gap, len(order)):
            number, place = order[at], at
            while place >= gap and (
                keys[order[place - gap]] > keys[number]
                or (keys[order[place - gap]] == keys[number] and order[place - gap] > number)
            ):
                order[place] = order[place - gap]
                place -= gap
            order[place] = number
        gap //= 3
