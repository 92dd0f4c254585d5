"""Releases about the same people, one after the other: the chain, and who is who in it.

The private record of a release in a series has two files more. ``people.csv`` says who is where, by a keyed
digest of their identifier; ``series.json`` by which key, which releases came before, and what a method needs
to go on. Only the owner has them: without them nobody can tell who is who, and the series has ended.

Of tables and sets a third, ``lives.csv``, says what everybody was in every release so far, so that the next
one reads the last record alone.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.arrays.groups import group_rows
from tacit.data.column import Column, folded
from tacit.data.table import Table
from tacit.errors import InputError, Place, UsageError, option
from tacit.random.digests import value_digests
from tacit.random.key import Key
from tacit.release import Content, Manifest, private_record, read_manifest
from tacit.release.composing import identity
from tacit.release.disk import sha256, write_durably
from tacit.release.manifest import MANIFEST_NAME
from tacit.showing.layout import count
from tacit.typing import AnyArray, Codes, Counts, Words

PEOPLE, SERIES, LIVES = "people.csv", "series.json", "lives.csv"
ABSENT = -1
Link = Mapping[str, str]
"""A release of a chain: its identity, the digest of its manifest, and its folder."""


@dataclass(frozen=True, eq=False)
class Begun:
    """The last release of a series so far, with its private record."""

    folder: Path
    manifest: Manifest
    record: Path
    kept: Mapping[str, Any]
    """What ``series.json`` says."""
    chain: tuple[Link, ...]
    """Every release of the series so far, this one included."""

    @property
    def number(self) -> int:
        return len(self.chain)

    @property
    def terms(self) -> dict[str, Any]:
        """What the manifest of the next release states of its place in the series."""
        return {"number": self.number + 1, "after": self.chain[-1]["manifest"]}

    def terms_with(self, before: Mapping[Any, int], now: Mapping[Any, int], k: int) -> dict[str, Any]:
        """The terms, and how many parts have changed by fewer than k people from its release to the next.

        If people only came, or only left, these would be named so closely. Anybody can count it; that it was
        not so shows in the private records.
        """
        changes = (abs(now.get(part, 0) - before.get(part, 0)) for part in {*before, *now})
        return {**self.terms, "small_changes": sum(0 < change < k for change in changes)}

    def lives(self, told: Callable[[Path], Told], people: pl.Series) -> Lives:
        """Everybody up to this release; an error where none of the people of the next one is among them."""
        found = lives_of(self.folder, told)
        if (found.of(people) == ABSENT).all():
            raise nobody(self.folder)
        return found


def begun_in(
    folder: str | Path, key: Key, begins: Callable[[Manifest], bool], how: str, lost: str = "who is who"
) -> Begun:
    """The series up to the release in a folder; an error where it cannot be continued.

    ``begins`` tells whether a release is of such a series, ``how`` how its first one is made, and ``lost``
    what nobody can tell without its record.
    """
    place, where = Path(folder), Place(file=str(folder))
    manifest = read_manifest(place)
    if not begins(manifest):
        message = "This release does not begin a series that can be continued so."
        raise InputError(message, code="series-not-begun", where=where, hint=f"{how}.")
    record, kept = record_of(place, lost), kept_of(place)
    check_key(place, key)
    folders = chain_of(place)
    for earlier in folders:
        record_of(earlier, lost)
        check_files(earlier)
    last = {"id": identity(manifest), "manifest": sha256(place / MANIFEST_NAME)}
    chain = [
        {**link, "folder": str(folder.absolute())}
        for link, folder in zip((*kept["chain"], last), folders, strict=True)
    ]
    return Begun(place, manifest, record, kept, tuple(chain))


def check_key(folder: Path, key: Key) -> None:
    """Raise unless a key is that of the series of a release."""
    if kept_of(folder)["key"] != key.id:
        raise UsageError(
            "The series was begun with another key, by which its people are known.",
            code="series-other-key",
            where=Place(file=str(folder)),
            hint=f"Name that key with {option('key_file')}. If it is lost, restore it from a backup. Without"
            " it the series has ended: people who were in it must not be published again.",
        )


def record_of(folder: Path, lost: str = "who is who") -> Path:
    """The private record of a release of a series; an error where it is missing."""
    record = private_record(folder)
    if record is None or not ((record / PEOPLE).is_file() and (record / SERIES).is_file()):
        raise InputError(
            f"The private record of an earlier release is missing: nobody can tell {lost}.",
            code="series-record-missing",
            where=Place(file=f"{folder}.private"),
            hint="Restore it from a backup, beside the release. Without it the series has ended: people"
            " who were in it must not be published again.",
        )
    return record


def check_files(folder: Path) -> None:
    """Raise unless a release is what was published."""
    for name, file in read_manifest(folder).files.items():
        if not (folder / name).is_file() or sha256(folder / name) != file.sha256:
            raise InputError(
                f"The chain is broken: {name} of the earlier release is not what was published.",
                code="series-broken",
                where=Place(file=str(folder / name)),
                hint="Restore the published files. What readers have is what the series must be safe with.",
            )


def check_roles(manifest: Manifest, table: Table, where: Path) -> None:
    """Raise unless a table has the roles that the tables of its series have."""
    for name in ("quasi", "keep", "sensitive"):
        stated, columns = manifest.parameters[name], getattr(table.roles, name)
        if tuple(stated) != columns:
            raise UsageError(
                f"The earlier release is of another table: its {name} columns are"
                f" {', '.join(stated) or 'none'}, here {', '.join(columns) or 'none'}.",
                code="series-other-table",
                where=Place(file=str(where)),
                hint="Give the columns the same roles in every release of a series.",
            )


def repeated(rows: int, origin: str | None, column: str | None) -> InputError:
    """The error where somebody is in a table of a series several times."""
    return InputError(
        f"{rows:,} rows are further rows of people who are there already.",
        code="series-person-repeats",
        where=Place(file=origin, column=column),
        hint="In a series everybody has one row a release: keep the one that counts.",
    )


def nobody(folder: Path) -> InputError:
    """The error where the people of two releases are all others."""
    return InputError(
        "Nobody in this table is in the earlier release.",
        code="series-nobody",
        where=Place(file=str(folder)),
        hint=f"The column of {option('person')} must hold the same identifiers in every release. If these"
        f" are other people, make a release of its own, without {option('after')}.",
    )


def chain_of(folder: str | Path) -> list[Path]:
    """The releases up to the one in a folder, the oldest first, as its private record names them."""
    place = Path(folder)
    read_manifest(place)
    record = private_record(place)
    if record is None or not (record / SERIES).is_file():
        raise InputError(
            "There is no private record of a series beside this release.",
            code="series-record-missing",
            where=Place(file=f"{place}.private"),
            hint="Only the owner's record names the releases before it. Readers name them themselves:"
            " tacit series verify DIR EARLIER ...",
        )
    found = []
    for one in json.loads((record / SERIES).read_text(encoding="utf-8"))["chain"]:
        was = Path(one["folder"])
        # Somebody who moves a series moves all of it: then it lies beside the last release.
        for earlier in (was, place.absolute().parent / was.name):
            manifest = earlier / MANIFEST_NAME
            if manifest.is_file() and sha256(manifest) == one["manifest"]:
                found.append(earlier)
                break
        else:
            raise InputError(
                "The chain is broken: an earlier release is not where it was, or is another one now.",
                code="series-broken",
                where=Place(file=str(was)),
                hint=f"Put it back, or beside {place}, with its private record beside it.",
            )
    return [*found, place]


def people_of(folder: Path, columns: Mapping[str, Any]) -> pl.DataFrame:
    """Who is where in a release, by the digest of the person; ``columns`` are the others and their types."""
    types = {"person": pl.String, **columns}
    return pl.read_csv(record_of(folder) / PEOPLE, columns=list(types), schema_overrides=types)


def kept_of(folder: Path) -> dict[str, Any]:
    """What ``series.json`` of a release says."""
    found: dict[str, Any] = json.loads((record_of(folder) / SERIES).read_text(encoding="utf-8"))
    return found


Form = tuple[Any, ...]
"""What somebody is in a release, as the room of its kind has it: texts, numbers, tuples of them."""
Told = tuple[pl.Series, Codes, Sequence[Form]]
"""The people of a release, the form of each as a number, and the forms."""


@dataclass(frozen=True, eq=False)
class Lives:
    """Everybody who was ever in a series; whoever had the same form in each of its releases has one *life*.

    From one release to the next lives are only ever divided: by the form that their people have in it.
    """

    people: pl.Series
    life_of: Codes
    paths: Codes  # (lives, releases)
    """The form in each release, as a number; ABSENT where they were not there."""
    forms: tuple[Form, ...]

    @property
    def counts(self) -> Counts:
        """How many people have each life."""
        return np.bincount(self.life_of, minlength=len(self.paths))

    def of(self, people: pl.Series) -> Codes:
        """The life of some people; ABSENT for those who are new."""
        known = pl.DataFrame({"person": self.people, "life": self.life_of})
        found = pl.DataFrame({"person": people}).join(known, on="person", how="left", maintain_order="left")
        return found["life"].fill_null(ABSENT).to_numpy().astype(np.int32)

    def then(self, people: pl.Series, form_of: Codes, forms: Sequence[Form]) -> Lives:
        """Everybody, after one more release."""
        number = {form: place for place, form in enumerate(self.forms)}
        codes = np.array([number.setdefault(form, len(number)) for form in forms], dtype=np.int32)
        here = pl.DataFrame({"person": people, "form": codes[form_of]})
        both = (
            pl.DataFrame({"person": self.people, "life": self.life_of})
            .join(here, on="person", how="full", coalesce=True)
            .sort("person")
        )
        before, now = (both[name].fill_null(ABSENT).to_numpy() for name in ("life", "form"))
        life_of, first = group_rows([before + 1, now + 1], [len(self.paths) + 1, len(number) + 1])
        nowhere = np.full((1, self.paths.shape[1]), ABSENT, dtype=np.int32)
        paths = np.column_stack([np.vstack([self.paths, nowhere])[before[first]], now[first]])
        return Lives(both["person"], life_of, paths, tuple(number))


def nobody_yet() -> Lives:
    """The lives before the first release."""
    none = np.zeros(0, dtype=np.int32)
    return Lives(pl.Series("person", [], dtype=pl.String), none, none.reshape(0, 0), ())


def hands_on(folder: Path) -> bool:
    """Whether the record of a release says what everybody was in all releases so far."""
    return (record_of(folder) / LIVES).is_file()


def lives_of(folder: Path, told: Callable[[Path], Told]) -> Lives:
    """Everybody up to a release: as its record has it, or an older one by those of the whole chain."""
    if not hands_on(folder):
        return [lives for _, _, lives in along(chain_of(folder), told)][-1]
    people = people_of(folder, {"life": pl.Int32})
    paths = pl.read_csv(record_of(folder) / LIVES, infer_schema=False).cast(pl.Int32).fill_null(ABSENT)
    forms = tuple(frozen(form) for form in kept_of(folder)["forms"])
    return Lives(people["person"], people["life"].to_numpy(), paths.to_numpy(), forms)


def along(folders: Iterable[Path], told: Callable[[Path], Told]) -> Iterator[tuple[Manifest, Told, Lives]]:
    """The releases of a chain, the oldest first: each with its people, and everybody up to it."""
    lives = nobody_yet()
    for folder in folders:
        now = told(folder)
        lives = lives.then(*now)
        yield read_manifest(folder), now, lives


def frozen(value: Any) -> Any:
    """Lists as tuples, which can be told apart in a table."""
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def records_of(
    people: pl.DataFrame, key: Key, chain: Sequence[Link], more: Mapping[str, Any], lives: Lives | None = None
) -> dict[str, Content]:
    """The files of the private record."""
    kept = {"key": key.id, "chain": list(chain), **more}
    found: dict[str, Content] = {}
    if lives is not None:
        everybody = pl.DataFrame({"person": lives.people, "life": lives.life_of})
        people = people.join(everybody, on="person", how="full", coalesce=True).fill_null(0)
        names = [str(number + 1) for number in range(lives.paths.shape[1])]
        paths = pl.from_numpy(lives.paths, schema=names, orient="row")
        found[LIVES] = paths.with_columns(pl.all().replace(ABSENT, None)).write_csv().encode()
        kept["forms"] = lives.forms
    return found | {
        SERIES: (json.dumps(kept, ensure_ascii=False) + "\n").encode(),
        PEOPLE: people.sort("person").write_csv().encode(),
    }


def person_digests(names: Iterable[str], key: Key) -> Words:
    """What people are known by in the private records of a series."""
    return value_digests(key.subkey("series: person"), "", [folded(name) for name in names])


def digests_in(column: Column, key: Key) -> pl.Series:
    """The people that a column names, as the records have them."""
    names = in_hex(person_digests([str(text) for text in column.texts], key))
    return pl.Series("person", np.array(names, dtype=np.str_)[column.codes])


def in_hex(digests: AnyArray) -> list[str]:
    """Digests as the records have them."""
    return [f"{one:016x}{other:016x}" for one, other in digests.tolist()]


def forget_person(folders: Iterable[Path], name: str, key: Key) -> int:
    """Take a person off the private records of releases; on how many they were.

    Their lines stay under a random digest, the same on all, so that the records still are of the people
    published.
    """
    (digest,) = in_hex(person_digests([name], key))
    other, found = secrets.token_hex(16), 0
    for folder in folders:
        record = private_record(folder)
        if record is None or not (record / PEOPLE).is_file():
            continue
        before = (record / PEOPLE).read_text(encoding="utf-8")
        after = before.replace(f"{digest},", f"{other},")
        if after != before:
            new = record / f"{PEOPLE}.new"
            write_durably(new, after.encode(), mode=0o600)
            new.replace(record / PEOPLE)
            found += 1
    return found


def there(folder: Path, place: str) -> pl.DataFrame:
    """Who is in a release, and where; its record may name everybody who ever was in the series."""
    return people_of(folder, {place: pl.Int64}).filter(pl.col(place) > 0)


@dataclass(frozen=True)
class Turn:
    """One release of a series."""

    folder: str
    number: int
    people: int
    came: int
    returned: int
    left: int
    promise: Mapping[str, Any]
    measured: Mapping[str, Any]
    """What readers of all releases so far are left with, and what the release costs, by name."""

    @property
    def stayed(self) -> int:
        return self.people - self.came - self.returned

    def to_dict(self) -> dict[str, Any]:
        found = {name: value for name, value in asdict(self).items() if name not in ("promise", "measured")}
        return found | {"stayed": self.stayed} | dict(self.measured)


@dataclass(frozen=True)
class Shown:
    """What is told of the releases of a kind: columns of a table, facts, and what they mean."""

    measure: Callable[[Sequence[Path]], Iterator[dict[str, Any]]]
    """What is measured of every release of a chain, the oldest first."""
    place: str
    """The column of ``people.csv`` that says where somebody is, above 0 in the release itself."""
    columns: tuple[tuple[str, Callable[[Turn], str]], ...]
    means: str
    compared: tuple[str, tuple[tuple[str, str], ...]]
    """What is drawn over the releases: a title, and names for some of what is measured."""
    facts: tuple[tuple[str, str], ...] = ()
    """Titles and names of what is measured of every release."""


def measured_as(name: str, words: Callable[[Any], str] = count) -> Callable[[Turn], str]:
    """A column that words one of the measures."""
    return lambda turn: "" if turn.measured[name] is None else words(turn.measured[name])
