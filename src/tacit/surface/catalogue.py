"""The texts of the page and of the dossier, in one catalogue for each language.

A catalogue is a TOML file in ``texts``; all of them have the same keys. Which language is spoken is said
once, around what is made, and not to everybody who makes a part of it:

>>> with speaking("de"):
...     print(catalogue()["summary"]["title"])
Zu unterschreiben

Numbers and lists of names are written as that language has them: 1,000 and 0.5 %, or 1.000 and 0,5 %.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

from tacit.showing import layout

Language = Literal["en", "de"]
ENGLISH, GERMAN = get_args(Language)
LANGUAGES = {ENGLISH: "English", GERMAN: "Deutsch"}
"""What each language calls itself."""
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


def spelled(number: str) -> str:
    """A number with the marks of the language.

    >>> with speaking("de"):
    ...     print(spelled("1,234.5"))
    1.234,5
    """
    return number.translate(str.maketrans(",.", catalogue()["page"]["marks"]))


def count(number: int) -> str:
    return spelled(layout.count(number))


def share(number: float) -> str:
    return spelled(layout.share(number))


def few(names: Sequence[str], most: int) -> str:
    """The first names, and how many are left out."""
    more = str(catalogue()["page"]["more"]).format(count=count(len(names) - most))
    return ", ".join(names[:most]) + (more if len(names) > most else "")


def named(names: Sequence[str], last: str = "both") -> str:
    """Names as a sentence has them: with "and" before the last, or with "or" (``either``)."""
    return layout.joined(names, catalogue()["page"][last])
