"""Figures that only the original can give, as a manifest may state them: rounded, or as a class.

A figure of sixteen digits is an oracle. A reader who knows how it is computed tries every table that fits
the published files and keeps those that give the same digits: of 1,679,616 tables of 24 rows one was left.
So what does not follow from the published files alone is rounded when it is published, random choices
behind it are drawn with the key, and the exact figures are in the private record. Every manifest says
under ``grid`` how each of its figures was rounded; a figure that is not named there is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tacit.judging.figures import Rounding

DIGITS = "two digits"
TENS = "tens, up"
PERCENTS = "percents, up"
CLASS = "class"

FEWEST = 100
"""About fewer people or guesses than this nothing is said: a class of few would confirm each of them."""
FEWEST_COUNTED = 1_000
"""About fewer rows the error of counting queries is not stated. An exchange of two values changes what it is
expected to be: of 100 rows by up to half a standard deviation of what the drawn queries do to it, of 1,000
by .03. Of 8 or 16 rows, a reader told from two digits who holds what."""
HIGH = 0.9


def two_digits(value: float) -> float:
    """A figure rounded to two significant digits.

    >>> two_digits(0.061234), two_digits(0.0)
    (0.061, 0.0)
    """
    return float(f"{value:.2g}")


def counting_error(error: Any, *, rows: int, measured: Sequence[str]) -> dict[str, Any] | None:
    """An error of counting queries as it may be stated, to two digits; None where rows are too few.

    How many queries had no true answer is a fact about the original.
    """
    if rows < FEWEST_COUNTED:
        return None
    stated = {name: error[name] for name in ("dimensions", "selectivity")}
    stated["queries"] = error["queries"] + error["skipped"]
    return stated | {name: two_digits(error[name]) for name in measured}


def tens_up(count: int) -> int:
    """A count rounded up to tens and two significant digits: a few people at risk are never none.

    >>> tens_up(0), tens_up(3), tens_up(1_041)
    (0, 10, 1100)
    """
    step = int(10 ** max(1, len(str(count)) - 2))
    return -(-count // step) * step


def people_up(count: int, *, of: int) -> int | None:
    """A count of people at risk, by tens; None where there are too few people to say anything of.

    >>> people_up(45_221, of=45_222), people_up(3, of=24)
    (45222, None)
    """
    return None if of < FEWEST else min(of, tens_up(count))


def percents_up(share: float) -> float:
    """A share rounded up to whole percents.

    >>> percents_up(0.0012), percents_up(0.07)
    (0.01, 0.07)
    """
    return math.ceil(share * 100 - 1e-9) / 100  # 0.07 * 100 is a little more than 7


def guess_class(right: float, *, chance: float, guesses: int) -> str | None:
    """The range that a share of right guesses lies in; None where there were too few guesses.

    ``chance`` is what a guess is right by anyway: one in ℓ.

    >>> guess_class(0.449, chance=1 / 3, guesses=45_222), guess_class(0.5, chance=1 / 3, guesses=24)
    ('0.43 to 0.9', None)
    """
    if guesses < FEWEST:
        return None
    low = min(HIGH, two_digits(chance + 0.1))
    if right > HIGH:
        return f"above {HIGH:g}"
    return f"{low:g} to {HIGH:g}" if right >= low else f"below {low:g}"


PERCENTS_UP = Rounding(PERCENTS, lambda value, exact: percents_up(value), up=True)
TWO_DIGITS = Rounding(DIGITS, lambda value, exact: two_digits(value))
