"""What a key of a recipe may hold: the verbs' own ranges, and a few for text and lists.

A parameter's range is declared once, where its verb is; a recipe names it by place and looks it up
when a value is checked, so that reading a recipe's models loads no verb. The same range gives the
error sentence and the JSON Schema.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from importlib import import_module
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from tacit.ranges import OneOf, Optional, Range, Share, Support, Whole

OUT_OF_RANGE = "out_of_range"
"""The type of the errors that :class:`Within` and :class:`Declared` raise."""
FILE, TABLE, ONE, SEVERAL = TAGS = ("(file)", "(table)", "(one)", "(several)")
"""How pydantic calls what a key may hold where it may hold two things: names that no key has."""


class Section(BaseModel):
    """A table of a recipe: frozen, and without keys that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


@dataclass(frozen=True, eq=False)  # to compare them would look up the range, and so load the verb
class Within:
    """Annotates a field with the range its value must be in."""

    range: Range

    def check(self, value: Any) -> Any:
        """The value as the recipe keeps it: exact decimals, tuples."""
        if isinstance(value, float):
            value = Decimal(repr(value))
        if isinstance(value, list):
            value = tuple(value)
        if not self.range.holds(value):
            raise PydanticCustomError(OUT_OF_RANGE, "{wanted}", {"wanted": _wording(self.range)})
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return as_schema(self.range)


class Declared(Within):
    """Annotates a field with the range that a verb declares."""

    module: str
    parameter: str

    def __init__(self, module: str, parameter: str) -> None:
        object.__setattr__(self, "module", module)
        object.__setattr__(self, "parameter", parameter)

    @cached_property
    def range(self) -> Range:
        ranges: dict[str, Range] = import_module(self.module).RANGES
        return ranges[self.parameter]


@dataclass(frozen=True, slots=True)
class Words:
    """Text that is not blank."""

    def __str__(self) -> str:
        return "text in quotation marks"

    def holds(self, value: object) -> bool:
        return isinstance(value, str) and bool(value.strip())


@dataclass(frozen=True, slots=True)
class Letters:
    """Any text, a blank or a tab as well: a delimiter, a quotation mark."""

    def __str__(self) -> str:
        return "text in quotation marks"

    def holds(self, value: object) -> bool:
        return isinstance(value, str)


@dataclass(frozen=True, slots=True)
class TrueOrFalse:
    """A choice between two."""

    def __str__(self) -> str:
        return "true or false"

    def holds(self, value: object) -> bool:
        return isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list, each of whose entries is in a range."""

    inner: Range
    example: str

    def __str__(self) -> str:
        return f"a list such as {self.example}"

    def holds(self, value: object) -> bool:
        return isinstance(value, tuple) and all(self.inner.holds(entry) for entry in value)


@dataclass(frozen=True, slots=True)
class Either:
    """In one of two ranges."""

    one: Range
    other: Range

    def __str__(self) -> str:
        return f"{self.one} or {self.other}"

    def holds(self, value: object) -> bool:
        return self.one.holds(value) or self.other.holds(value)


Text = Annotated[str, Within(Words())]
OptionalText = Annotated[str | None, Within(Optional(Words()))]
Symbol = Annotated[str | None, Within(Optional(Letters()))]
Flag = Annotated[bool, Within(TrueOrFalse())]
OptionalFlag = Annotated[bool | None, Within(Optional(TrueOrFalse()))]
Names = Annotated[tuple[str, ...], Within(ListOf(Words(), '["age", "sex"]'))]
Reasons = Annotated[tuple[str, ...], Within(ListOf(Words(), '["ward=the reason"]'))]
Lines = Annotated[
    str | tuple[str, ...], Within(Either(Words(), ListOf(Words(), '["first line", "second line"]')))
]
"""The name of a file, or its lines written out as a list."""


def as_schema(range: Range) -> dict[str, Any]:
    """A range as JSON Schema."""
    if isinstance(range, Optional):
        return as_schema(range.inner)
    if isinstance(range, Whole):
        bounds = {"minimum": range.low, "maximum": range.high}
        return {"type": "integer"} | {name: bound for name, bound in bounds.items() if bound is not None}
    if isinstance(range, Share):
        schema: dict[str, Any] = {"type": "number"}
        schema["exclusiveMinimum" if range.open_low else "minimum"] = range.low
        if not math.isinf(range.high):
            schema["exclusiveMaximum" if range.open_high else "maximum"] = range.high
        return schema
    if isinstance(range, Support):
        return {"anyOf": [as_schema(Whole(1)), as_schema(Share())]}
    if isinstance(range, OneOf):
        return {"type": "string", "enum": list(range.words)}
    if isinstance(range, Words):
        return {"type": "string", "minLength": 1}
    if isinstance(range, Letters):
        return {"type": "string"}
    if isinstance(range, TrueOrFalse):
        return {"type": "boolean"}
    if isinstance(range, ListOf):
        return {"type": "array", "items": as_schema(range.inner)}
    if isinstance(range, Either):
        return {"anyOf": [as_schema(range.one), as_schema(range.other)]}
    from tacit.methods.generalize_sets.solve.solve import KnownItems

    assert isinstance(range, KnownItems)  # the last of them: a number of items, or auto
    return as_schema(Either(Whole(1), OneOf(("auto",))))


def _wording(range: Range) -> str:
    """What is wanted, in words; that nothing may be given goes without saying."""
    return str(range.inner if isinstance(range, Optional) else range)
