"""What a key of a recipe may hold: the verbs' own ranges, and a few for text and lists.

A parameter's range is declared once, where its verb is. It gives the error sentence and the JSON Schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from tacit.ranges import ListOf, Optional, Range, Switch, Words

OUT_OF_RANGE = "out_of_range"
"""The type of the errors that :class:`Within` raises."""
FILE, TABLE, ONE, SEVERAL = TAGS = ("(file)", "(table)", "(one)", "(several)")
"""How pydantic calls what a key may hold where it may hold two things: names that no key has."""


class Section(BaseModel):
    """A table of a recipe: frozen, and without keys that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


@dataclass(frozen=True)
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
            allowed = str(self.range.schema())
            about = {"words": "'enum'" in allowed, "list": "'array'" in allowed}
            raise PydanticCustomError(OUT_OF_RANGE, "{wanted}", {"wanted": _wording(self.range), **about})
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return self.range.schema()


Text = Annotated[str, Within(Words())]
OptionalText = Annotated[str | None, Within(Optional(Words()))]
Flag = Annotated[bool, Within(Switch())]
Names = Annotated[tuple[str, ...], Within(ListOf(Words(), '["age", "sex"]'))]


def _wording(range: Range) -> str:
    """What is wanted, in words; that nothing may be given goes without saying."""
    wanted = str(range.inner if isinstance(range, Optional) else range)
    return "text in quotation marks" if isinstance(range, Words) or wanted == str(Words()) else wanted
