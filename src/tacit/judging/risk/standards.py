"""Named standards: what each asks, as data with its source, and how a table is held against it.

A standard is a TOML file: here, in the user's own folder, or wherever its path says.

    title, source, url, date    what it is, who says so, where and when
    checked, seen, note         when the source was looked at, and how much of it: whole, part or no
    does_not_ask                what a pass does not mean
    [[asks]]                    a figure with at_least, at_most or below_value, and a sentence
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from tacit.errors import InputError, Place, UsageError, nearest
from tacit.ranges import as_fraction

WORDS = ("title", "source", "url", "date", "checked", "seen", "note")
KEYS = (*WORDS[:-1], "does_not_ask", "asks")
BOUNDS = {"at_least": "at least", "at_most": "at most", "below_value": "below"}
SEEN = {
    "whole": "The text was seen.",
    "part": "The text was seen in part.",
    "no": "The text could not be seen.",
}


@dataclass(frozen=True)
class Ask:
    """One figure that a standard asks for."""

    figure: str
    bound: str
    limit: int | float
    says: str
    more: Mapping[str, Any] = field(default_factory=dict)
    """What else says which figure is meant: columns, a size."""

    @property
    def text(self) -> str:
        """What is asked, in a few words."""
        return f"{BOUNDS[self.bound]} {self.limit:,}"

    def holds(self, found: int | float) -> bool:
        """Whether a figure is as asked, as the exact numbers that both are written as."""
        value, limit = as_fraction(found), Fraction(str(self.limit))
        if value is None:
            return False
        held = {"at_least": value >= limit, "at_most": value <= limit, "below_value": value < limit}
        return held[self.bound]


@dataclass(frozen=True)
class Standard:
    """A named set of thresholds, with its source."""

    name: str
    title: str
    source: str
    url: str
    date: str
    checked: str
    seen: str
    note: str
    asks: tuple[Ask, ...]
    does_not_ask: tuple[str, ...]
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def source_words(self) -> str:
        """The source with its date, and how far it was seen."""
        return f"{self.source} ({self.date}). {SEEN[self.seen]} {self.note}".strip()

    def to_dict(self) -> dict[str, Any]:
        asks = [{"figure": ask.figure, "asked": ask.text, "says": ask.says, **ask.more} for ask in self.asks]
        told = vars(self) | {"asks": asks, "does_not_ask": list(self.does_not_ask)}
        return {name: value for name, value in told.items() if name != "more"}


@dataclass(frozen=True)
class Found:
    """What was found where a standard asks for something."""

    ask: Ask
    value: int | float | None
    why: str = ""

    @property
    def ok(self) -> bool | None:
        """Whether it is as asked; None where it could not be judged."""
        return None if self.value is None else self.ask.holds(self.value)

    def to_dict(self) -> dict[str, Any]:
        return {
            "figure": self.ask.figure,
            "asked": self.ask.text,
            "found": self.value,
            "ok": self.ok,
            "says": self.ask.says,
            **({"why": self.why} if self.why else {}),
        }


@dataclass(frozen=True)
class Judged:
    """A table held against a standard."""

    standard: Standard
    found: tuple[Found, ...]
    of_rows: bool = False
    """Whether rows were counted where the standard speaks of people."""

    @property
    def ok(self) -> bool:
        """Whether everything that the standard asks was judged and holds."""
        return all(one.ok for one in self.found)

    @property
    def outcome(self) -> bool | None:
        """Pass or fail; None where nothing fails and something could not be judged."""
        return False if any(one.ok is False for one in self.found) else True if self.ok else None

    @property
    def verdict(self) -> str:
        said = {True: "passes", False: "fails", None: "not judged"}[self.outcome]
        condition = " if every row is another person's" if self.of_rows and self.ok else ""
        return f"{said} against {self.standard.name}{condition}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.standard.name,
            "title": self.standard.title,
            "source": self.standard.source_words,
            "url": self.standard.url,
            "asked": "; ".join(f"{one.ask.figure} {one.ask.text}" for one in self.found),
            "found": [one.to_dict() for one in self.found],
            "ok": self.ok,
            "verdict": self.verdict,
            "does_not_ask": list(self.standard.does_not_ask),
        }


def judge(standard: Standard, measured: Callable[[Ask, Standard], tuple[int | float | None, str]]) -> Judged:
    """A table held against a standard; ``measured`` gives the figure asked for, or why there is none."""
    answers = [(ask, *measured(ask, standard)) for ask in standard.asks]
    return Judged(standard, tuple(Found(ask, value, why) for ask, value, why in answers))


def find_standards(names: Iterable[str]) -> tuple[Standard, ...]:
    """Standards by name, or by the path of their file."""
    return tuple(_one(name) for name in names)


def all_standards() -> tuple[Standard, ...]:
    """Every standard that is known by name: ours, then the user's own, which may replace ours."""
    known = {**_built_in(), **_own()}
    return tuple(known[name] for name in sorted(known))


def own_folder() -> Path:
    """Where a user keeps standards of their own."""
    root = os.environ.get("XDG_CONFIG_HOME")
    return (Path(root) if root else Path.home() / ".config") / "tacit" / "standards"


def _one(name: str) -> Standard:
    if name.endswith(".toml"):
        path = Path(name)
        try:
            return parse(path.stem, path.read_text(encoding="utf-8"), where=name)
        except (OSError, UnicodeDecodeError):
            raise InputError(
                "The standard cannot be read.", code="standard-unreadable", where=Place(file=name)
            ) from None
    known = {standard.name: standard for standard in all_standards()}
    if name not in known:
        near = nearest(name, known)
        raise UsageError(
            f"There is no standard {name!r}.",
            code="unknown-standard",
            option="standard",
            value=name,
            hint=(f"Did you mean {near!r}? " if near else "")
            + f"The standards are {', '.join(known)}; a file of your own is named by its path (.toml).",
        )
    return known[name]


@cache
def _built_in() -> dict[str, Standard]:
    folder = files("tacit.judging.risk") / "standards"
    named = {file.name.removesuffix(".toml"): file for file in folder.iterdir() if ".toml" in file.name}
    return {name: parse(name, file.read_text(encoding="utf-8")) for name, file in named.items()}


def _own() -> dict[str, Standard]:
    folder = own_folder()
    paths = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    return {path.stem: parse(path.stem, path.read_text(encoding="utf-8"), where=str(path)) for path in paths}


def parse(name: str, text: str, *, where: str | None = None) -> Standard:
    """A standard from its file."""
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _wrong(where or name, f"This is no TOML: {error}.") from None
    missing = [key for key in KEYS if key not in told]
    if missing:
        raise _wrong(where or name, f"The key {missing[0]!r} is missing.")
    if told["seen"] not in SEEN:
        raise _wrong(where or name, f"The key 'seen' is one of {', '.join(SEEN)}.")
    return Standard(
        name=name,
        **{key: str(told.get(key, "")) for key in WORDS},
        asks=tuple(_ask(one, where or name) for one in told["asks"]),
        does_not_ask=tuple(map(str, told["does_not_ask"])),
        more={key: value for key, value in told.items() if key not in (*KEYS, "note")},
    )


def _ask(told: Mapping[str, Any], where: str) -> Ask:
    from tacit.judging.risk.asked import ASKABLE

    bounds = [bound for bound in BOUNDS if bound in told]
    if len(bounds) != 1 or isinstance(told[bounds[0]], bool) or not isinstance(told[bounds[0]], int | float):
        raise _wrong(
            where, "Every [[asks]] has one of at_least, at_most and below_value, and it is a number."
        )
    if told.get("figure") not in ASKABLE:
        raise _wrong(where, f"The figure {told.get('figure')!r} is none of {', '.join(ASKABLE)}.")
    if not isinstance(told.get("says"), str):
        raise _wrong(where, "Every [[asks]] has a sentence, 'says'.")
    more = {key: value for key, value in told.items() if key not in ("figure", "says", bounds[0])}
    return Ask(told["figure"], bounds[0], told[bounds[0]], told["says"], more)


def _wrong(where: str, message: str) -> InputError:
    return InputError(
        message,
        code="standard-wrong",
        where=Place(file=where),
        hint="'tacit risk --standards' lists those that are there; each of their files is an example.",
    )
