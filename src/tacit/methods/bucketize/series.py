"""A series of bucketized releases: what the next one takes from the one before it, and hands on.

The private record of a release says who is in the series, by a keyed digest of their identifier, and which
signatures they have had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.errors import InfeasibleError, Place, UsageError, option
from tacit.methods.bucketize.asked import Asked
from tacit.methods.bucketize.series_rules import carried_rules, portable, standing
from tacit.methods.bucketize.series_silence import carried_pairs, contradicted, portable_pairs, unlisted
from tacit.methods.bucketize.solve.renaming import Unlisted, narrowed
from tacit.methods.bucketize.solve.signatures import Home, People, Signature, Signed, signed
from tacit.mining.knowledge import NegativeRules
from tacit.mining.silence import unlisted_pairs
from tacit.random.key import Key
from tacit.release import Content, read_manifest
from tacit.release.reading import cells
from tacit.release.series import (
    Begun,
    Shown,
    begun_in,
    check_roles,
    in_hex,
    measured_as,
    nobody,
    people_of,
    person_digests,
    records_of,
    there,
)
from tacit.showing.layout import count, share
from tacit.typing import AnyArray, Bools, Codes

MOST, SMALL = 4, 50
"""There may be one counterfeit for so many people, and so many more, which only matter in small tables."""
ATTEMPTS = 16
"""So many deals are drawn to have enough people who could be an exception to a rule that is not stated."""
DIVIDED = 5
"""So often are signatures divided into twice as many parts, where such rules tell too much about them."""

Text = str | None


@dataclass(frozen=True, eq=False)
class Earlier:
    """The release before this one."""

    begun: Begun
    people: pl.DataFrame
    """Everybody who was ever in the series: a keyed digest, and the numbers of their signatures."""

    @cached_property
    def signatures(self) -> tuple[tuple[Text, ...], ...]:
        return tuple(tuple(one) for one in self.begun.kept["signatures"])

    def coded(self, names: tuple[Text, ...]) -> list[Home]:
        """The signatures as codes of values, with their parts."""
        code, kept = {text: value for value, text in enumerate(names)}, self.begun.kept
        parts = kept.get("parts", [0] * len(self.signatures))
        both = zip(self.signatures, parts, strict=True)
        return [(tuple(sorted(code[text] for text in one)), part) for one, part in both]


def earlier_release(folder: str | Path, table: Table, l: int, key: Key) -> Earlier:
    """The release that a table continues, with its private record; an error where it cannot be continued."""
    begun = begun_in(
        folder,
        key,
        lambda manifest: manifest.kind == "bucketized" and "series" in manifest.parameters,
        f"Make the first release with {option('person')} and {option('partners', 'signatures')}",
        "who had which signature",
    )
    check_roles(begun.manifest, table, begun.folder)
    stated = begun.manifest.parameters["l"]
    if stated != l:
        raise UsageError(
            f"The series promises {stated} values, and {l} are asked for.",
            code="series-other-l",
            option="l",
            value=l,
            where=Place(file=str(folder)),
            hint=f"Ask for {stated}: a signature stays what it is.",
        )
    return Earlier(begun, people_of(begun.folder, {"group": pl.Int64, "signatures": pl.String}))


@dataclass(frozen=True, eq=False)
class Continued:
    """The buckets of a release of a series, and what it says of the series."""

    signed: Signed
    people: People
    knowledge: NegativeRules | None
    dormant: tuple[Mapping[str, Any], ...]
    """Rules of the series that say nothing about this table."""
    earlier: Earlier | None
    fallen: int
    told: Unlisted
    """What all rules of the series tell by being all there are."""
    names: tuple[Text, ...]
    groups: Codes
    """The published number of everybody's bucket."""

    @property
    def counterfeits(self) -> tuple[Codes, pl.Series]:
        """The bucket and the text of every counterfeit."""
        buckets, values = self.signed.counterfeits(self.people.values)
        return buckets, pl.Series([self.names[value] for value in values], dtype=pl.String)

    def terms(self, table: Table) -> dict[str, Any]:
        """What the manifest states."""
        stated: dict[str, Any] = {"number": 1, "counterfeits": len(self.counterfeits[0])}
        if self.earlier is not None:
            stated |= self.earlier.begun.terms
            stated |= {"fallen": self.fallen, "look_alikes": self._look_alikes(table)}
        return stated

    def private(self, key: Key) -> dict[str, Content]:
        """Who is in the series and what they have had, for the owner and for the next release."""
        families = self._families()
        number: dict[Home, int] = {}
        for family in families.values():
            for one in family:
                number.setdefault(one, len(number))
        kept = {
            "signatures": [[self.names[value] for value in one] for one, _ in number],
            "parts": [part for _, part in number],
            "rules": [*(() if self.knowledge is None else portable(self.knowledge)), *self.dormant],
            "unlisted": portable_pairs(self.told, number, self.names),
        }
        here = dict(zip(in_hex(self.people.digests), self.groups.tolist(), strict=True))
        frame = pl.DataFrame(
            {
                "person": list(families),
                "group": [here.get(person, 0) for person in families],
                "signatures": [" ".join(str(number[one]) for one in family) for family in families.values()],
            },
            schema={"person": pl.String, "group": pl.Int64, "signatures": pl.String},
        )
        return records_of(frame, key, () if self.earlier is None else self.earlier.begun.chain, kept)

    def _families(self) -> dict[str, tuple[Home, ...]]:
        """The signatures of everybody, those who are not here included."""
        found: dict[str, tuple[Home, ...]] = {}
        if self.earlier is not None:
            had = self.earlier.coded(self.names)
            for person, numbers in self.earlier.people.select("person", "signatures").iter_rows():
                found[person] = tuple(had[int(one)] for one in numbers.split())
        now = [self.signed.homes[bucket] for bucket in self.signed.buckets.tolist()]
        for person, home in zip(in_hex(self.people.digests), now, strict=True):
            family = found.get(person, ())
            found[person] = family if home in family else (*family, home)
        return found

    def _look_alikes(self, table: Table) -> int:
        """How many look like one person of the release before and have a signature that crosses theirs."""
        assert self.earlier is not None
        known = list(table.roles.known)
        texts = [pl.Series(name, table.column(name).texts, dtype=pl.String) for name in known]
        rows = pl.DataFrame(
            [text.gather(table.column(text.name).codes) for text in texts]
            + [pl.Series("\0group", self.groups)]
        )
        buckets = dict(zip(self.groups.tolist(), self.signed.buckets.tolist(), strict=True))
        number = {group: self.signed.signatures[bucket] for group, bucket in buckets.items()}
        now = {row[:-1]: {self.names[value] for value in number[row[-1]]} for row in _alone(rows, known)}
        before = cells(self.earlier.begun.folder / "qit.csv").select(*known, "group")
        held = _held(self.earlier.begun.folder, table.roles.sensitive[0])
        pairs = ((now[row[:-1]], held[row[-1]]) for row in _alone(before, known) if row[:-1] in now)
        return sum(one != other and not one.isdisjoint(other) for one, other in pairs)


def _held(folder: Path, sensitive: str) -> dict[str, set[Text]]:
    """The values of each bucket of a release."""
    held: dict[str, set[Text]] = {}
    for group, value in cells(folder / "st.csv").select("group", sensitive).iter_rows():
        held.setdefault(group, set()).add(value)
    return held


def _alone(rows: pl.DataFrame, known: list[str]) -> Iterator[tuple[Any, ...]]:
    """The rows that nobody shares the known columns with."""
    return rows.filter(pl.struct(known).is_unique()).iter_rows()


def continued(
    table: Table,
    combinations: Combinations,
    row_of: Codes,
    knowledge: NegativeRules | None,
    earlier: Earlier | None,
    asked: Asked,
) -> Continued:
    """The buckets of a table with one row of each person; ``row_of`` is the combination of each row."""
    assert asked.person is not None
    (column,), who = table.sensitive, table.column(asked.person)
    had = () if earlier is None else earlier.signatures
    names = (*column.texts, *sorted({text for one in had for text in one} - {*column.texts}, key=str))
    digests = person_digests([str(text) for text in who.texts], asked.key)[who.codes]
    family_of, families = _families(digests, names, earlier)
    people = People(
        values=column.codes,
        barred_of=np.zeros(len(table), dtype=np.int32),
        barred=np.zeros((1, len(names)), dtype=np.bool_),
        family_of=family_of,
        families=families,
        digests=digests,
        names=names,
    )
    silent: list[tuple[Bools, int]] = []
    fallen = 0
    dormant: tuple[Mapping[str, Any], ...] = ()
    if earlier is not None:
        carried, dormant = carried_rules(earlier.begun.kept["rules"], table, names)
        knowledge, silent = standing(carried, combinations, row_of, people)
        fallen = len(carried) - len(knowledge)
    elif knowledge is not None:
        matching = knowledge.matching(combinations)
        silent = [
            (matching(pairs.nodes[number])[row_of], int(pairs.values[number]))
            for pairs in unlisted_pairs(combinations, knowledge, fewer_than=asked.l)
            for number in range(len(pairs))
        ]
    if knowledge is not None and len(knowledge):
        sets, of = knowledge.barred(combinations, column.name)
        sets = np.pad(sets, ((0, 0), (0, len(names) - sets.shape[1])))
        people = replace(people, barred=sets, barred_of=of[row_of])
    turn = 1 if earlier is None else earlier.begun.number + 1

    def told(found: Signed) -> Unlisted:
        if earlier is None:
            return Unlisted() if knowledge is None else unlisted(table, knowledge, found)
        kept = earlier.begun.kept.get("unlisted")
        before = Unlisted() if kept is None else carried_pairs(kept, earlier.coded(names), names)
        return replace(before, pairs=(*before.pairs, *contradicted(silent, found, people.values)))

    found, unstated = _with_candidates(people, silent, told, asked, turn)
    counterfeits = len(found.counterfeits(people.values)[0])
    if counterfeits > len(people) / MOST + SMALL:
        raise InfeasibleError(
            f"The release would need {counterfeits:,} counterfeits for {len(people):,} people.",
            code="series-counterfeits",
            hint="In the first release, choose a smaller ℓ, or fewer rules with a larger min_expectation or a"
            " correction; or join rare values. A release of its own, which needs none, is made with"
            f" other {option('partners')}.",
        )
    return Continued(found, people, knowledge, dormant, earlier, fallen, unstated, names, found.buckets)


def _families(
    digests: AnyArray, names: tuple[Text, ...], earlier: Earlier | None
) -> tuple[Codes, tuple[tuple[Home, ...], ...]]:
    """The signatures that each person has had: as a place among families, -1 for a newcomer."""
    if earlier is None:
        return np.full(len(digests), -1, dtype=np.int32), ()
    had = earlier.coded(names)
    texts = earlier.people["signatures"].unique().sort()
    families = tuple(tuple(had[int(one)] for one in text.split()) for text in texts)
    known = earlier.people.join(
        pl.DataFrame({"signatures": texts, "family": np.arange(len(texts), dtype=np.int32)}), on="signatures"
    )
    here = pl.DataFrame({"person": in_hex(digests)}).join(
        known.select("person", "family"), on="person", how="left", maintain_order="left"
    )
    family_of = here["family"].fill_null(-1).to_numpy().astype(np.int32)
    if (family_of < 0).all():
        raise nobody(earlier.begun.folder)
    return family_of, families


def _with_candidates(
    people: People,
    silent: list[tuple[Bools, int]],
    told: Callable[[Signed], Unlisted],
    asked: Asked,
    turn: int,
) -> tuple[Signed, Unlisted]:
    """A deal in which everybody keeps ℓ values, whatever rules are not stated; and what these tell.

    The first in which every such rule has ℓ people who could be why, or the one in which they are most.
    """
    best, most = None, 1
    for attempt in range(ATTEMPTS):
        parts, short = {signature: 1 + part for signature, part in people.earlier()}, set[Signature]()
        for _ in range(DIVIDED):
            try:
                found = signed(people, asked.l, asked.key, label=f"{turn}.{attempt}", parts=parts)
            except InfeasibleError:
                if short:  # it is for the parts that there are too few people
                    break
                raise
            fewest = _fewest_candidates(found, silent, asked.l)
            if fewest <= most:
                break
            unstated = told(found)
            new = turn == 1 or silent  # what was told before leaves everybody enough
            short = {signature for signature, _ in narrowed(unstated, asked.l)} if new else set()
            if not short:
                best, most = (found, unstated), fewest
                break
            parts |= {signature: 2 * parts.get(signature, 1) for signature in short}
        if most >= asked.l:
            break
    if best is None:
        raise InfeasibleError(
            "Rules that the release does not state would leave somebody fewer than"
            f" {asked.l} values: too few people could be the reason that they do not hold.",
            code="silence-names",
            hint="In the first release, mine rules with a larger min_expectation or a correction; later,"
            " leave out those who contradict a rule of the series, until there are several like them.",
        )
    return best


def _fewest_candidates(found: Signed, silent: list[tuple[Bools, int]], l: int) -> int:
    """The fewest people, up to ℓ, whose signature has the value of a pair and whom it is about."""
    if not silent:
        return l
    having = np.zeros((len(found.signatures), 1 + max(value for _, value in silent)), dtype=np.bool_)
    for bucket, signature in enumerate(found.signatures):
        having[bucket, [value for value in signature if value < having.shape[1]]] = True
    return min(l, *(int(having[found.buckets[inside], value].sum()) for inside, value in silent))


def _measured(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Beside the candidates that everybody keeps stand those that releases made one by one would leave.

    For these a world that the releases allow is drawn, and its people are dealt anew for every release.
    """
    generator = np.random.default_rng(0)  # of a simulation that decides nothing
    held: dict[str, str | None] = {}
    common: dict[str, frozenset[Any]] = {}
    alone: dict[str, frozenset[Any]] = {}
    seen: set[str] = set()
    for place in folders:
        manifest = read_manifest(place)
        signed = _people(place)
        for person, signature in signed.items():
            if person not in held or held[person] not in signature:
                held[person] = sorted(signature, key=str)[generator.integers(len(signature))]
                common.pop(person, None)  # another value: it has candidates of its own
                alone.pop(person, None)
            common[person] = common.get(person, signature) & signature
        for person, dealt in _dealt(list(signed), held, manifest.parameters["l"], generator).items():
            alone[person] = alone.get(person, dealt) & dealt
        again = [person for person in signed if person in seen]
        yield {
            "buckets": manifest.parameters["buckets"],
            "counterfeits": manifest.parameters["series"]["counterfeits"],
            "rules": len(manifest.reader["rules"]),
            "query_error": (manifest.utility.get("count_queries") or {}).get("uniform"),
            "candidates": min(len(common[person]) for person in signed),
            **{
                name: sum(len(left[person]) == 1 for person in again) / max(1, len(again))
                for name, left in (("one_candidate", common), ("one_candidate_alone", alone))
            },
        }
        seen |= set(signed)


def _people(folder: Path) -> dict[str, frozenset[Any]]:
    """The signature of everybody in a release, by the digest of the person."""
    held = _held(folder, read_manifest(folder).parameters["sensitive"][0])
    return {person: frozenset(held[str(group)]) for person, group in there(folder, "group").iter_rows()}


def _dealt(
    people: list[str], held: dict[str, Any], l: int, generator: np.random.Generator
) -> dict[str, frozenset[Any]]:
    """Everybody's values if a release were dealt by itself: values one after the other, round the buckets."""
    n_buckets = max(1, len(people) // l)
    texts = sorted({held[person] for person in people}, key=str)
    rank = dict(zip(texts, generator.permutation(len(texts)).tolist(), strict=True))
    order = np.lexsort((generator.random(len(people)), [rank[held[person]] for person in people]))
    buckets: list[set[Any]] = [set() for _ in range(n_buckets)]
    for place, row in enumerate(order.tolist()):
        buckets[place % n_buckets].add(held[people[row]])
    kept = [frozenset(bucket) for bucket in buckets]
    return {people[row]: kept[place % n_buckets] for place, row in enumerate(order.tolist())}


SHOWN = Shown(
    _measured,
    "group",
    (
        (
            "counterfeits",
            lambda turn: (
                f"{count(turn.measured['counterfeits'])}"
                f" ({share(turn.measured['counterfeits'] / max(1, turn.people))})"
            ),
        ),
        ("candidates", measured_as("candidates")),
        ("named one by one", measured_as("one_candidate_alone", share)),
    ),
    "Candidates are the values that everybody keeps, at least, over all releases so far. Named one by"
    " one: of those in several releases, the share that would be left with one value if every"
    " release had been made by itself; simulated in a world that the releases allow.",
    (
        "The share of people left with one value",
        (("in this series", "one_candidate"), ("in releases made one by one", "one_candidate_alone")),
    ),
    (("rules stated", "rules"), ("error of counting queries", "query_error")),
)
