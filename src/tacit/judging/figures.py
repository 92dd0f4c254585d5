"""Figures, declared once: what is measured on a release, what it means and how it is told.

    Figure("unique", "Rows alone with their columns", "Whoever knows these people finds them.", SHARE, RISKS)

The ``figures.py`` of a room is a list of them. From it come the lines of the text, the figures of the
manifest, of ``--json`` and of the owner's record, the report, ``compare``, a recipe's limits and the page. A
new figure is a new line there, and whatever measures it.

What only the original can give is stated in a manifest rounded, or as a class. A figure of sixteen digits is
an oracle: a reader who knows how it is computed tries every table that fits the published files and keeps
those that give the same digits; of 1,679,616 tables of 24 rows one was left. So what does not follow from the
published files alone is rounded when it is published, random choices behind it are drawn with the key, and
the exact figures are in the private record. Every manifest says under ``grid`` how each of its figures was
rounded; a figure that is not named there is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tacit.ranges import Range, Share, Whole
from tacit.showing.layout import count, guessed, share
from tacit.showing.page import Figure as Card

RISKS, UTILITY = "risks", "utility"
"""The two parts of a manifest, and of the owner's record, that hold figures."""
GRID = "grid"
"""The name of a manifest's list of rounded figures."""
STANDARD_ERRORS = 3
"""Where a figure was sampled, a limit is held against so many standard errors more."""

Parts = Mapping[str, Any]
"""What is known of a release: its ``risks``, ``utility``, ``parameters``, ``promise`` and ``method``."""
Value = int | float | str | None
"""A figure: a number, the range that it is in, or none where it was not measured or is not stated."""


@dataclass(frozen=True)
class Unit:
    """What a figure may be, and how it is written."""

    range: Range
    text: Callable[[Any], str]


COUNT = Unit(Whole(0), lambda value: count(int(value)))
SHARE = Unit(Share(open_low=False), share)
ERROR = Unit(Share(high=math.inf, open_low=False), share)
"""A share of something that it may be larger than."""
CHANCE = Unit(Share(open_low=False), lambda value: f"{value:.3f}")
NUMBER = Unit(Share(high=math.inf, open_low=False), lambda value: f"{value:.3g}")


@dataclass(frozen=True)
class Rounding:
    """What is done to a figure before everybody is told it."""

    name: str
    """What the manifest calls it."""
    round: Callable[[Any, Parts], Value]
    """The figure as it is stated, given the exact figures of its part."""
    when: Callable[[Parts], bool] = lambda exact: True
    """Whether it is rounded at all."""
    up: bool = False
    """Whether what is stated is never less than what was measured."""


@dataclass(frozen=True)
class Figure:
    """A figure of a method. Braces in its words stand for a term of the promise: ``{l}``."""

    name: str
    title: str
    says: str
    """What it means, in one sentence."""
    unit: Unit
    part: str
    at: str = ""
    """Where in its part it is, where that is not under its name: ``learning.accuracy``."""
    of: Callable[[Parts], Value] | None = None
    """How it follows from what else is known of a release, where it has no place of its own."""
    baseline: str | Callable[[Parts], str] = ""
    """What it is to be held against."""
    rounded: Rounding | None = None
    """How it is rounded when it is published, where it is."""
    less: bool = True
    """Whether less of it is better."""
    public: bool = True
    """Whether everybody is told it; else it is the owner's."""
    error: str = ""
    """Where its standard error is, where it may be sampled."""
    needs: str | None = None
    """The option without which it is not measured, where there is one."""

    @property
    def place(self) -> str:
        return self.at or self.name

    @property
    def limit(self) -> str:
        """What a recipe calls the limit on it."""
        return f"{'max' if self.less else 'min'}_{self.name}"

    def value(self, parts: Parts) -> Any:
        """The figure of a release: a :data:`Value`."""
        return self.of(parts) if self.of is not None else _found(parts[self.part], self.place)

    def held(self, parts: Parts) -> Any:
        """The figure as limits are held against it: a sampled one with its possible error."""
        value = self.value(parts)
        error = _found(parts[self.part], self.error) if self.error and value is not None else 0
        return min(1.0, value + STANDARD_ERRORS * error) if error else value

    def text(self, value: Value, *, none: str = "not measured") -> str:
        """A value as people read it."""
        if value is None:
            return none
        return guessed(value) if isinstance(value, str) else self.unit.text(value)

    def called(self, parts: Parts | None = None) -> str:
        """Its title, about one release or about any."""
        return _worded(self.title, parts)

    def meaning(self, parts: Parts | None = None) -> str:
        """What it means, for one release or for any."""
        return _worded(self.says, parts)

    def compared_with(self, parts: Parts) -> str:
        """What the figure of a release is to be held against."""
        return self.baseline(parts) if callable(self.baseline) else _worded(self.baseline, parts)

    def card(self, parts: Parts, rounded: Mapping[str, str]) -> Card:
        """The figure in a report; ``rounded`` are the places of figures that are not exact there."""
        value = self.value(parts)
        up = self.rounded is not None and self.rounded.up and self.place in rounded and bool(value)
        text = ("at most " if up else "") + self.text(value, none="not stated")
        return Card(self.called(parts), text, self.compared_with(parts), self.meaning(parts))


RISK, USE = (partial(Figure, unit=SHARE, part=part) for part in (RISKS, UTILITY))
"""A risk and a utility: a share, where nothing else is said."""


def lines(
    figures: Iterable[Figure], part: str, parts: Parts, *, baselines: bool = True
) -> list[tuple[str, str]]:
    """Title and value of every figure of a part, for its owner; with what each is to be held against.

    Those that were not measured, mostly because what they are about is not there, share the last line;
    without baselines, where several releases stand side by side, each keeps its own.
    """
    found, missing = [], []
    for figure in figures:
        if figure.part != part:
            continue
        value, title = figure.value(parts), figure.called(parts)
        if value is None and baselines:
            missing.append(title)
            continue
        beside = figure.compared_with(parts) if baselines else ""
        found.append((title, figure.text(value) + (f" ({beside})" if beside else "")))
    return [*found, ("Not measured", "; ".join(missing))] if missing else found


def cards(figures: Iterable[Figure], told: Any, *, part: str | None = None) -> list[Card]:
    """Figures for a report, those of the owner only where it is the owner's; ``told`` is what it is told."""
    return [
        one.card(told.parts, told.rounded)
        for one in figures
        if part in (None, one.part) and (one.public or told.for_owner)
    ]


def named(figures: Iterable[Figure], *names: str) -> list[Figure]:
    """Some figures by name, in this order."""
    by_name = {figure.name: figure for figure in figures}
    return [by_name[name] for name in names]


def stated(
    figures: Iterable[Figure],
    part: str,
    exact: Parts,
    *,
    beside: Mapping[str, Any],
    rounded: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """A part of the manifest: its public figures, rounded as declared, and how each was rounded.

    ``beside`` is what else is stated, with None for what may not be; ``rounded`` says how that was rounded.
    """
    found, grid = dict(beside), dict(rounded or {})
    for figure in figures:
        if figure.part != part or not figure.public or figure.of is not None:
            continue
        value, how = _found(exact, figure.place), figure.rounded
        if how is not None and how.when(exact):
            if figure.place.partition(".")[0] not in grid:
                grid[figure.place] = how.name
            value = None if value is None else how.round(value, exact)
        above, _, name = figure.place.rpartition(".")
        owner = _found(found, above) if above else found
        if owner is not None:  # else nothing is stated about what it belongs to
            owner[name] = value
    return found | ({GRID: grid} if grid else {})


def _found(part: Any, place: str) -> Any:
    for name in place.split("."):
        if part is None:
            return None
        part = part[int(name)] if isinstance(part, list | tuple) else part[name]
    return part


def _worded(text: str, parts: Parts | None) -> str:
    known = {} if parts is None else {**parts.get("parameters", {}), **parts.get("promise", {})}
    return text.format_map({"l": "ℓ", "k": "k", "m": "m", **known})


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
