"""The texts of the dossier, in one catalogue for each language."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

ENGLISH = "en"


@cache
def catalogue(language: str = ENGLISH) -> dict[str, Any]:
    """Every text of the dossier, by its place in the file of a language."""
    file = files("tacit.surface.dossier") / "texts" / f"{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
