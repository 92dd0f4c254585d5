"""A series of releases as its owner sees it: who came, stayed and left, and what readers are left with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.errors import InputError, Place
from tacit.methods import BY_KIND
from tacit.notebook import InNotebook
from tacit.random.key import Key
from tacit.release import read_manifest
from tacit.release.series import Shown, Turn, chain_of, check_key, forget_person, there
from tacit.release.verification import Verification, verify
from tacit.showing.chart import bar_chart, line_chart
from tacit.showing.layout import count, facts, grid, heading, prose, share
from tacit.showing.page import Block, DataTable, Facts, Words

BAR = 30
"""A bar of all people of the largest release has so many letters."""


@dataclass(frozen=True)
class SeriesShown(InNotebook):
    """A series, the oldest release first."""

    kind: str
    turns: tuple[Turn, ...]

    def to_dict(self) -> dict[str, Any]:
        promise = {name: self.turns[-1].promise.get(name) for name in ("k", "l", "m")}
        return promise | {"kind": self.kind, "releases": [turn.to_dict() for turn in self.turns]}

    @property
    def title(self) -> str:
        promise = self.turns[-1].promise
        terms = [f"{sign} = {promise[name]}" for name, sign in SIGNS.items() if promise.get(name)]
        return f"A series of {len(self.turns)} releases, {', '.join(terms)}"

    @property
    def columns(self) -> list[tuple[str, list[str]]]:
        """What the room of this kind tells: names of columns, and a text for each release."""
        found = [(name, [words(turn) for turn in self.turns]) for name, words in shown_of(self.kind).columns]
        return [(name, texts) for name, texts in found if any(texts)]

    @property
    def told(self) -> list[tuple[str, str]]:
        shown = shown_of(self.kind).facts
        told = [(title, [turn.measured[name] for turn in self.turns]) for title, name in shown]
        return [
            (title, ", ".join((count if isinstance(value, int) else share)(value) for value in values))
            for title, values in told
            if None not in values
        ]

    def __str__(self) -> str:
        most = max(turn.people for turn in self.turns)
        bars = [
            "".join(
                letter * round(BAR * part / most)
                for letter, part in (("■", turn.stayed), ("▒", turn.returned), ("□", turn.came))
            )
            for turn in self.turns
        ]
        columns = [
            ("", [str(turn.number) for turn in self.turns]),
            ("people", [count(turn.people) for turn in self.turns]),
            ("stayed ■ returned ▒ came □", bars),
            ("left", [count(turn.left) for turn in self.turns]),
            *self.columns,
        ]
        rows = list(zip(*(texts for _, texts in columns), strict=True))
        return "\n\n".join(
            [
                heading(self.title),
                grid([name for name, _ in columns], rows, right=(0, 1, *range(3, len(columns)))),
                facts([("folder", self.turns[-1].folder), *self.told]),
                prose(shown_of(self.kind).means),
            ]
        )


def blocks(series: SeriesShown) -> list[Block]:
    """A series on a page: who was there, what readers are left with, and the figures of every release."""
    shown = shown_of(series.kind)
    title, names = shown.compared
    people = ("people", "stayed", "returned", "came", "left")
    who = [
        {"release": str(turn.number), "people": getattr(turn, what), "who": what}
        for turn in series.turns
        for what in people[1:]
    ]
    left = [
        {"release": str(turn.number), "left": turn.measured[name], "reader": reader}
        for reader, name in names
        for turn in series.turns
    ]
    are_shares = all(isinstance(row["left"], float) for row in left)
    return [
        Words(series.title, "lead"),
        bar_chart(
            who,
            x="release",
            y="people",
            series="who",
            x_title="release",
            title="Who stayed, returned, came and left",
            caption="People of each release; those who left were in the one before it.",
        ),
        line_chart(
            left,
            x="release",
            y="left",
            series="reader",
            x_title="release",
            title=title,
            caption=f"{title}, {' and '.join(reader for reader, _ in names)}.",
            y_title="share" if are_shares else "people",
            y_format=".0%" if are_shares else "",
        ),
        DataTable(
            ("release", *people, *(name for name, _ in series.columns)),
            zip(
                (str(turn.number) for turn in series.turns),
                *([count(getattr(turn, name)) for turn in series.turns] for name in people),
                *(texts for _, texts in series.columns),
                strict=True,
            ),
        ),
        *([Facts(series.told)] if series.told else []),
        Words(shown.means, "note"),
    ]


SIGNS = {"k": "k", "l": "ℓ", "m": "m"}


def verify_series(folder: str | Path, earlier: Sequence[str | Path] = ()) -> Verification:
    """Have a chain checked: from the private records, or from published files where there are none.

    ``earlier`` are the releases before it, the last first; by default those that its private record names.
    """
    before = [Path(one) for one in earlier] if earlier else chain_of(folder)[:-1][::-1]
    return verify(folder, after=before)


def forget_in_series(folder: str | Path, person: str, key: Key) -> int:
    """Take a person off the private records of a series: how many; an error where they are on none."""
    chain = chain_of(folder)
    check_key(chain[-1], key)
    found = forget_person(chain, person, key)
    if not found:
        raise InputError(
            "Nobody with this identifier is on the private records of the series.",
            code="series-nobody",
            where=Place(file=f"{folder}.private"),
            hint="Write the identifier as the tables have it.",
        )
    return found


def show_series(folder: str | Path) -> SeriesShown:
    """The series up to the release in a folder."""
    folders = chain_of(folder)
    kind = read_manifest(folders[-1]).kind
    shown = shown_of(kind)
    turns: list[Turn] = []
    seen: set[str] = set()
    here: set[str] = set()
    for number, (place, measured) in enumerate(zip(folders, shown.measure(folders), strict=True), 1):
        before, here = here, set(there(place, shown.place)["person"])
        turns.append(
            Turn(
                folder=str(place),
                number=number,
                people=len(here),
                came=len(here - seen),
                returned=len((here & seen) - before),
                left=len(before - here),
                promise=read_manifest(place).promise,
                measured=measured,
            )
        )
        seen |= here
    return SeriesShown(kind, tuple(turns))


def shown_of(kind: str) -> Shown:
    """What the room of a kind of release tells of a series."""
    found: Shown = BY_KIND[kind].part("series").SHOWN
    return found
