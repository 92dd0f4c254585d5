"""A recipe as TOML text: what was said, and nothing that goes without saying."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from tacit.surface.recipe.model import Recipe

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}
FIRST = ("method", "by", "path", "output", "source")
"""The keys that a table begins with."""


def to_toml(recipe: Recipe) -> str:
    """The recipe as text; loading it gives an equal recipe. Values at their defaults are left out."""
    parts = {name: getattr(recipe, name) for name in ("source", "knowledge", "key", "dossier")}
    blocks: list[str] = []
    for name, part in parts.items():
        if isinstance(part, Mapping):
            for source, model in part.items():
                blocks += _blocks(f"{name}.{key_text(source)}", said(model))
        elif said(part):
            blocks += _blocks(name, said(part))
    for release in recipe.release:
        blocks += _blocks("release", said(release), array=True)
    return "\n".join(blocks)


def said(model: BaseModel) -> dict[str, Any]:
    """The keys of a table that are not at their defaults, those that tell tables apart first."""
    values = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if name in ("method", "by") or value != field.default or type(value) is not type(field.default):
            values[name] = value
    first = [name for name in FIRST if name in values]
    return {name: values[name] for name in (*first, *(name for name in values if name not in first))}


def value_text(value: Any) -> str:
    """A value as TOML writes it; a whole share such as 1.0 keeps its point, because 1 is a count."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        text = str(value)
        return text if any(sign in text for sign in ".E") else f"{text}.0"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, BaseModel):
        pairs = ", ".join(f"{key_text(name)} = {value_text(part)}" for name, part in said(value).items())
        return f"{{ {pairs} }}"
    return quoted(str(value))


def key_text(name: str) -> str:
    """A key, in quotation marks where it needs them."""
    return name if _BARE.fullmatch(name) else quoted(name)


def quoted(text: str) -> str:
    """Text in quotation marks, with what TOML wants escaped."""
    return '"' + "".join(_escaped(letter) for letter in text) + '"'


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x20 or letter == "\x7f" else letter


def _blocks(name: str, values: Mapping[str, Any], *, array: bool = False) -> Iterator[str]:
    """A table, and below it the tables inside it, each as a block of lines."""
    inner = {key: value for key, value in values.items() if _is_table(value)}
    lines = [f"[[{name}]]" if array else f"[{name}]"]
    lines += [f"{key_text(key)} = {value_text(value)}" for key, value in values.items() if key not in inner]
    yield "\n".join(lines) + "\n"
    for key, value in inner.items():
        below = value if isinstance(value, Mapping) else said(value)
        yield (
            "\n".join(
                [
                    f"[{name}.{key_text(key)}]",
                    *(f"{key_text(part)} = {value_text(entry)}" for part, entry in below.items()),
                ]
            )
            + "\n"
        )


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping | BaseModel)
