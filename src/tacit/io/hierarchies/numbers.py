"""Numbers as people write them in data and in hierarchy files, read exactly."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

MOST_DIGITS = 400
"""Beyond this size a text such as 1e999999999 is no measurement, and exact arithmetic would drown in it."""


def exact_number(text: str) -> Decimal | None:
    """The finite number a text stands for, or None.

    >>> exact_number("-0.5"), exact_number("1_000"), exact_number("inf")
    (Decimal('-0.5'), None, None)
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number.adjusted()) > MOST_DIGITS or "_" in text:
        return None
    return number
