"""Parameter ranges declared as data, and thresholds turned into whole counts exactly.

A verb declares what each of its parameters may be and calls :func:`check`; the library, the
command line and recipes then share one rule and one error sentence:

>>> check("generalize", {"k": Whole(2)}, k=1)
Traceback (most recent call last):
    ...
tacit.errors.ParameterError: The 'k' parameter of generalize must be an int in the range [2, inf). \
Got 1 instead.

A threshold is a count when it is an int and a share of the records when it is a float or a
Decimal; a share becomes the smallest whole count that reaches it, in decimal arithmetic:

>>> support_count(0.07, 100)  # ceil(0.07 * 100) is 8 in binary floating point
7
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tacit.errors import ParameterError

if TYPE_CHECKING:  # it brings numpy, which the help of a command does not need
    from tacit.typing import Threshold


@dataclass(frozen=True)
class Range:
    """What a parameter may be: a sentence for people, a test for the code, how text becomes a value.

    A range without numbers of its own says its ``sentence`` and its ``json`` once.
    """

    sentence: ClassVar[str] = "text"
    json: ClassVar[Mapping[str, Any]] = {"type": "string"}

    def __str__(self) -> str:
        return self.sentence

    def holds(self, value: object) -> bool:
        raise NotImplementedError

    def typed(self, text: str) -> object:
        """The value of a text; an error where it has none."""
        return text

    def read(self, text: str) -> object:
        """The value that a person typed; text that is none stays as it is, for the range to refuse."""
        try:
            return self.typed(text)
        except (ValueError, InvalidOperation):
            return text

    def schema(self) -> dict[str, Any]:
        """The range as JSON Schema."""
        return dict(self.json)


@dataclass(frozen=True)
class Whole(Range):
    """A whole number in ``[low, high]``; True and False are not numbers here."""

    low: int
    high: int | None = None

    def __str__(self) -> str:
        return f"an int in the range [{self.low}, {'inf)' if self.high is None else f'{self.high}]'}"

    def holds(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int):
            return False
        return value >= self.low and (self.high is None or value <= self.high)

    def typed(self, text: str) -> object:
        return int(text)

    def schema(self) -> dict[str, Any]:
        bounds = {"minimum": self.low, "maximum": self.high}
        return {"type": "integer"} | {name: bound for name, bound in bounds.items() if bound is not None}


@dataclass(frozen=True)
class Share(Range):
    """A number in an interval, by default a share in ``(0, 1]``; a whole number is accepted as well."""

    low: float = 0.0
    high: float = 1.0
    open_low: bool = True
    open_high: bool = False

    def __str__(self) -> str:
        left, right = "(" if self.open_low else "[", ")" if self.open_high else "]"
        high = "inf" if math.isinf(self.high) else f"{self.high:g}"
        return f"a number in the range {left}{self.low:g}, {high}{right}"

    def holds(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            return False
        exact = as_fraction(value)
        if exact is None:
            return False
        above = exact > Fraction(self.low) if self.open_low else exact >= Fraction(self.low)
        if math.isinf(self.high):
            return above
        return above and (exact < Fraction(self.high) if self.open_high else exact <= Fraction(self.high))

    def typed(self, text: str) -> object:
        return Decimal(text)

    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "number"}
        found["exclusiveMinimum" if self.open_low else "minimum"] = self.low
        if not math.isinf(self.high):
            found["exclusiveMaximum" if self.open_high else "maximum"] = self.high
        return found


class Support(Range):
    """A minimum support: a count (int) of at least 1, or a share (float, Decimal) in ``(0, 1]``."""

    sentence = "a count (an int in the range [1, inf)) or a share (a float or Decimal in the range (0, 1])"
    json: ClassVar[Mapping[str, Any]] = {"anyOf": [Whole(1).schema(), Share().schema()]}

    def holds(self, value: object) -> bool:
        return Whole(1).holds(value) if isinstance(value, int) else Share().holds(value)

    def typed(self, text: str) -> object:
        return parse_threshold(text)


@dataclass(frozen=True)
class OneOf(Range):
    """One of a few words."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        named = ", ".join(repr(word) for word in self.words)
        return f"one of {named}" if len(self.words) > 1 else named

    def holds(self, value: object) -> bool:
        return isinstance(value, str) and value in self.words

    def read(self, text: str) -> object:
        typed = Letters().read(text)
        return typed if self.holds(typed) else text

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words)}


class Words(Range):
    """Text that is not blank."""

    sentence = "text that is not blank"
    json: ClassVar[Mapping[str, Any]] = {"type": "string", "minLength": 1}

    def holds(self, value: object) -> bool:
        return isinstance(value, str) and bool(value.strip())


class Letters(Range):
    """Any text, a blank or a tab as well: a delimiter, a quotation mark.

    A tab, which shells and forms take for something else, may be typed as a word.
    """

    def holds(self, value: object) -> bool:
        return isinstance(value, str)

    def read(self, text: str) -> object:
        return {r"\t": "\t", "tab": "\t", "blank": " "}.get(text.lower(), text)


class File(Range):
    """The name of a file."""

    sentence = "the name of a file"
    json: ClassVar[Mapping[str, Any]] = Words.json

    def holds(self, value: object) -> bool:
        return isinstance(value, Path) or Words().holds(value)


class Folder(File):
    """The name of a folder."""

    sentence = "the name of a folder"


class FileOrObject(File):
    """The name of a file or folder, or what a program has of it; a verb says itself what else it refuses."""

    sentence = "the name of a file or folder"

    def holds(self, value: object) -> bool:
        return not isinstance(value, str) or Words().holds(value)


class Switch(Range):
    """True or false."""

    sentence = "true or false"
    json: ClassVar[Mapping[str, Any]] = {"type": "boolean"}

    def holds(self, value: object) -> bool:
        return isinstance(value, bool)

    def read(self, text: str) -> object:
        return {"yes": True, "true": True, "no": False, "false": False}.get(text.lower(), text)


@dataclass(frozen=True)
class ListOf(Range):
    """A list, each of whose entries is in a range."""

    inner: Range
    example: str

    def __str__(self) -> str:
        return f"a list such as {self.example}"

    def holds(self, value: object) -> bool:
        return isinstance(value, tuple | list) and all(self.inner.holds(entry) for entry in value)

    def read(self, text: str) -> object:
        return tuple(self.inner.read(part.strip()) for part in text.split(",") if part.strip())

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.inner.schema()}


class Strings(Range):
    """Any collection of names."""

    sentence = "a collection of names"
    json: ClassVar[Mapping[str, Any]] = ListOf(Words(), "").schema()

    def holds(self, value: object) -> bool:
        return isinstance(value, Iterable) and not isinstance(value, str | bytes)

    def read(self, text: str) -> object:
        return tuple(part.strip() for part in text.split(",") if part.strip())


class Names(Strings):
    """Names in a list, or in one text with commas between them."""

    sentence = 'a list such as ["age", "sex"]'

    def holds(self, value: object) -> bool:
        return isinstance(value, str) or super().holds(value)


class Lines(Range):
    """The name of a file, or its lines written out; a verb says itself what else it takes and refuses."""

    sentence = 'the name of a file or a list such as ["first line", "second line"]'
    json: ClassVar[Mapping[str, Any]] = {"anyOf": [Words().schema(), Strings().schema()]}

    def holds(self, value: object) -> bool:
        if File().holds(value):
            return True
        if isinstance(value, tuple | list) and any(isinstance(entry, int | float) for entry in value):
            return False
        return isinstance(value, Iterable) and not isinstance(value, str | bytes)

    def read(self, text: str) -> object:
        return tuple(line.strip() for line in text.splitlines() if line.strip())


@dataclass(frozen=True)
class Either(Range):
    """In one of two ranges."""

    one: Range
    other: Range

    def __str__(self) -> str:
        return f"{self.one} or {self.other}"

    def holds(self, value: object) -> bool:
        return self.one.holds(value) or self.other.holds(value)

    def read(self, text: str) -> object:
        found = self.one.read(text)
        return found if self.one.holds(found) else self.other.read(text)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.one.schema(), self.other.schema()]}


@dataclass(frozen=True)
class Optional(Range):
    """Nothing (None), or what the inner range allows."""

    inner: Range

    def __str__(self) -> str:
        return f"None or {self.inner}"

    def holds(self, value: object) -> bool:
        return value is None or self.inner.holds(value)

    def read(self, text: str) -> object:
        return self.inner.read(text)

    def schema(self) -> dict[str, Any]:
        return self.inner.schema()


@dataclass(frozen=True)
class Unlimited(Range):
    """What the inner range allows, or no limit: None, or the word ``unlimited``."""

    inner: Range

    def __str__(self) -> str:
        return f"{self.inner} or 'unlimited'"

    def holds(self, value: object) -> bool:
        return value is None or value == "unlimited" or self.inner.holds(value)

    def read(self, text: str) -> object:
        return self.inner.read(text)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.inner.schema(), OneOf(("unlimited",)).schema()]}


def check(verb: str, ranges: Mapping[str, Range], /, **values: object) -> None:
    """Raise :class:`ParameterError` for the first value outside its declared range."""
    for name, value in values.items():
        if not ranges[name].holds(value):
            raise ParameterError(name, verb, str(ranges[name]), value)


def as_fraction(value: Threshold) -> Fraction | None:
    """The exact number a person wrote: 0.07 is seven hundredths; None for NaN and infinities."""
    if isinstance(value, float):
        value = Decimal(repr(float(value)))  # a numpy float prints its type as well
    if isinstance(value, Decimal) and not value.is_finite():
        return None
    return Fraction(value)


def exactly(value: Threshold) -> Fraction:
    """The exact number of a value that its range has found finite."""
    found = as_fraction(value)
    if found is None:
        raise ValueError("a threshold must be finite; check it with its range first")
    return found


def support_count(threshold: Threshold, total: int) -> int:
    """The smallest support that reaches ``threshold`` among ``total`` records, at least 1."""
    if isinstance(threshold, int):
        return threshold
    return max(1, math.ceil(exactly(threshold) * total))


def parse_threshold(text: str) -> int | Decimal:
    """A threshold as typed: ``1`` is a count, ``1.0`` a share.

    >>> parse_threshold("25"), parse_threshold("0.01")
    (25, Decimal('0.01'))
    """
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"expected a count such as 25 or a share such as 0.01, got {text!r}") from None
