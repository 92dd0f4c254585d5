"""The reference page of recipes; ``python -m tests.surface.recipe.reference`` writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacit.options import REQUIRED
from tacit.ranges import Optional, Range
from tacit.surface.recipe.model import (
    MEASURES,
    RULES,
    SECTIONS,
    Dossier,
    KeyChoice,
    Knowledge,
    Recipe,
    Source,
)
from tacit.surface.recipe.section import Key, Section
from tacit.surface.recipe.text import value_text

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "recipe.md"

HEAD = """\
# Recipes

A recipe is a [TOML](https://toml.io) file. It is run with `tacit run recipe.toml` and begun with
`tacit init DATA`; [how to write one](../how-to/recipes.md) shows it at work. `tacit run --schema` prints a
JSON Schema by which editors complete and check it.

- Relative paths are relative to the folder of the recipe.
- A whole number such as `25` is a count, a number with a point such as `0.01` a share.
- A key that is unknown, misspelt or would do nothing is an error that names the line.
- Errors name the line and column of the key. For a key that is missing, and for what the data do not have (a
  column, an item), it is the line of the table that should have it.

This page is made from the models that read recipes, and a test compares it with them.
"""
LIMITS_SAY = (
    "A limit is judged by the figure that was measured on the release; a figure that could not be measured "
    "keeps no limit."
)
SAMPLED = " A posterior that was sampled counts with three standard errors more."
SOURCES_SAY = (
    "Several sources have names, and each release says which one it is made from. Options that say nothing "
    "about a table, or nothing about transactions, are refused."
)


def page() -> str:
    """The page as Markdown."""
    parts = [HEAD, _section("The tables", Recipe, "")]
    parts.append(
        _section(
            "`[source]`, `[source.NAME]`",
            Source,
            SOURCES_SAY,
        )
    )
    parts.append(
        "### Rules for hierarchies\n\n"
        + "In place of the file of a hierarchy, a rule builds it from the values that are there, as\n"
        + '`tacit hierarchy build` does: `age = { by = "intervals", width = 5 }`.\n'
    )
    parts += [_section(f'`by = "{name}"`', model, "", level=4) for name, model in RULES.items()]
    parts.append(_section("`[knowledge]`, `[release.knowledge]`", Knowledge, ""))
    parts.append(_section("`[key]`", KeyChoice, ""))
    parts.append(_section("`[dossier]`", Dossier, ""))
    for method, model in SECTIONS.items():
        parts.append(_section(f'`[[release]]` with `method = "{method}"`', model, ""))
        parts.append(
            _section(
                f"`[release.limits]` of {method}",
                SECTIONS[method].keys["limits"].kind,
                LIMITS_SAY + (SAMPLED if method == "bucketize" else ""),
                level=3,
            )
        )
    for verb, model in MEASURES.items():
        parts.append(_section(f'`[[measure]]` with `verb = "{verb}"`', model, ""))
    return "\n".join(parts)


def _section(title: str, model: type[Section], more: str, *, level: int = 2) -> str:
    lines = [f"{'#' * level} {title}", "", str(model.__doc__).strip()]
    if more:
        lines[-1] += f" {more}"
    rows = [
        f"| `{name}` | {_type(key)} | {_default(key)} | {_cell(key.says)} |"
        for name, key in model.keys.items()
    ]
    return "\n".join([*lines, "", "| key | value | default | meaning |", "|---|---|---|---|", *rows, ""])


def _type(key: Key) -> str:
    if isinstance(key.kind, Range):
        return _cell(key.kind.inner if isinstance(key.kind, Optional) else key.kind)
    if isinstance(key.kind, str):
        return f"`{value_text(key.kind)}`"
    if isinstance(key.kind, list):
        return "tables"
    return "a file or folder, or a table" if key.kind in FILES else "a table"


FILES = [Source.keys["hierarchies"].kind, Source.keys["hierarchy"].kind]


def _default(key: Key) -> str:
    if key.default is REQUIRED or isinstance(key.kind, str):
        return "required"
    if key.default is None or isinstance(key.default, Section) or key.default == ():
        return ""
    return f"`{value_text(key.default)}`"


def _cell(text: Any) -> str:
    return str(text or "").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
