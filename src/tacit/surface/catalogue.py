"""The texts of the page and of the dossier, in one catalogue for each language.

A catalogue is a TOML file in ``texts``; all of them have the same keys. Which language is spoken is said
once, around what is made, and not to everybody who makes a part of it:

>>> with speaking("de"):
...     print(catalogue()["summary"]["title"])
Zu unterschreiben
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

Language = Literal["en", "de"]
LANGUAGES = get_args(Language)
ENGLISH = LANGUAGES[0]
_SPOKEN: ContextVar[str] = ContextVar("language", default=ENGLISH)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Let everything that is made in the block be in this language."""
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def spoken() -> str:
    """The language that is spoken."""
    return _SPOKEN.get()


def catalogue() -> dict[str, Any]:
    """Every text, by its place in the file of the language that is spoken."""
    return catalogue_of(spoken())


@cache
def catalogue_of(language: str) -> dict[str, Any]:
    """Every text of a language."""
    file = files("tacit.surface") / "texts" / f"{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def glossary() -> dict[str, str]:
    """What each technical term means, in the order of the glossary."""
    return {term: says for term, says, *_ in catalogue()["glossary"]["words"].values()}
