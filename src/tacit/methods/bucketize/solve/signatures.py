"""Buckets of a series: a person's signature, the values of their bucket, stays the same in all releases.

After Xiao and Tao [1], with rules. Every bucket holds each value of its signature equally often, and
everybody in it may hold each of them; where people are missing, counterfeits stand in. Renaming the values of
a signature for all who have it then gives another possible world, over all releases, so that everybody
keeps each value of their signature with the same chance. That holds against a reader who knows this
code, because every choice below is the same in the renamed world:

- who returns with a value of a signature of theirs goes to its buckets, as many as its commonest value needs;
- who brings a value outside all signatures of theirs, or comes from a group too uneven to be dealt, joins one
  signature of a family without common values that the key draws, whatever value they have;
- newcomers are dealt as Anatomy does, by counts of values, among those who may hold the same values. They
  never fill what a signature lacks: whether they could would tell what it lacks, in every release again.

The people of a signature may be divided into parts, by the key, which never share a bucket. Then each part is
renamed by itself (:mod:`tacit.methods.bucketize.solve.renaming` has the reason).

[1] X. Xiao, Y. Tao. m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets. SIGMOD 2007.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.errors import InfeasibleError, listed
from tacit.random.digests import value_digests
from tacit.random.key import Key
from tacit.random.keyed import digest_of_all, draws
from tacit.typing import AnyArray, Bools, Codes, Counts, Words

Signature = tuple[int, ...]
"""Codes of values, in order."""
Home = tuple[Signature, int]
"""A signature, and the number of one of its parts."""


@dataclass(frozen=True, eq=False)
class People:
    """Row r is a person with ``values[r]`` who cannot have ``barred[barred_of[r]]``.

    ``family_of[r]`` are their signatures so far, which have no value in common; -1 for a newcomer.
    """

    values: Codes
    barred_of: Codes
    barred: Bools  # (sets, values)
    family_of: Codes
    families: tuple[tuple[Home, ...], ...]
    digests: Words
    """Of the person, not of the values."""
    names: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_values(self) -> int:
        return len(self.names)

    def earlier(self) -> list[Home]:
        """The parts of signatures of earlier releases, in an order of their own."""
        return sorted({home for family in self.families for home in family})

    def homes(self) -> Codes:
        """The part of a signature that everybody keeps, as its place among the earlier ones; -1 for none."""
        number = {home: place for place, home in enumerate(self.earlier())}
        found = np.full(
            (len(self.families) + 1, self.n_values), -1, dtype=np.int32
        )  # the last is a newcomer's
        for place, family in enumerate(self.families):
            for home in family:
                found[place, list(home[0])] = number[home]
        return np.asarray(found[self.family_of, self.values])

    def key(self, key: Key) -> Key:
        """What drives the choices about these people with these values, and about no others."""
        values = value_digests(key.subkey("series: values"), "", self.names)[self.values]
        once = np.zeros(len(self), dtype=np.int64)
        return key.branch(
            f"people {digest_of_all(key.subkey('series: people'), self.digests + values, once)}"
        )

    def kept(self) -> Bools:
        """Shape (rows, values): the values of the signature that everybody keeps."""
        known = self.earlier()
        has = np.zeros((len(known) + 1, self.n_values), dtype=np.bool_)
        for place, (signature, _) in enumerate(known):
            has[place, list(signature)] = True
        return np.asarray(has[self.homes()])


@dataclass(frozen=True, eq=False)
class Signed:
    """The bucket of each row, and of each bucket the signature and the part."""

    buckets: Codes
    homes: tuple[Home, ...]

    @cached_property
    def signatures(self) -> tuple[Signature, ...]:
        return tuple(signature for signature, _ in self.homes)

    def counterfeits(self, values: Codes) -> tuple[Codes, Codes]:
        """The bucket and the value of every counterfeit."""
        sizes = [len(signature) for signature in self.signatures]
        owners = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        wanted = np.array([value for one in self.signatures for value in one], dtype=np.int32)
        width = int(max(values.max(initial=0), wanted.max(initial=0))) + 1
        held = np.isin(
            owners.astype(np.int64) * width + wanted, self.buckets.astype(np.int64) * width + values
        )
        return owners[~held], wanted[~held]


def signed(
    people: People, l: int, key: Key, *, label: str = "", parts: Mapping[Signature, int] | None = None
) -> Signed:
    """Buckets for everybody; another ``label`` draws others. Signatures have one part, or so many."""
    return _Making(people, l, key, label, parts or {}).made()


class _Making:
    """The signature of each row that has one, then the buckets."""

    def __init__(self, people: People, l: int, key: Key, label: str, parts: Mapping[Signature, int]) -> None:
        self.people, self.l, self.key, self.drawn = people, l, key, people.key(key).branch(label)
        self.parts = parts
        self.words = self._words("places")
        self.known: list[Home] = people.earlier()
        self.number = {home: place for place, home in enumerate(self.known)}
        self.home = people.homes()
        self.usual = Counter(self.known[place][0] for place in self.home[self.home >= 0])
        self.buckets = np.full(len(people), -1, dtype=np.int32)
        self.made_of: list[Home] = []

    def made(self) -> Signed:
        people = self.people
        moved = np.flatnonzero((people.family_of >= 0) & (self.home < 0))
        for rows in _parts(moved, people.barred_of[moved], people.family_of[moved]):
            avoid = people.barred[people.barred_of[rows[0]]].copy()
            avoid[[value for one, _ in people.families[people.family_of[rows[0]]] for value in one]] = True
            self._join(rows, avoid)
        new = np.flatnonzero(people.family_of < 0)
        for rows in sorted(_parts(new, people.barred_of[new]), key=len, reverse=True):
            self._settle(rows, people.barred[people.barred_of[rows[0]]])
        self._check_first_shown()
        self._balance()
        return Signed(self.buckets, tuple(self.made_of))

    def _settle(self, rows: Counts, avoid: Bools) -> None:
        """Deal newcomers by counts of values; where these are too uneven, let them join signatures."""
        if not len(rows):
            return
        n_buckets = len(rows) // self.l
        if n_buckets and np.bincount(self.people.values[rows]).max() <= n_buckets:
            self._deal(rows, n_buckets)
        else:
            self._join(rows, avoid)

    def _deal(self, rows: Counts, n_buckets: int) -> None:
        """Values one after the other, dealt round: nobody in a bucket has the same value.

        Releases of like people so get like signatures.
        """
        values = self.people.values
        rank = np.empty(self.people.n_values, dtype=np.int64)
        rank[sorted(range(len(rank)), key=lambda value: self._fixed(self._texts((value,))))] = np.arange(
            len(rank)
        )
        rows = rows[np.lexsort((self.words[rows], rank[values[rows]]))]
        places = np.arange(len(rows)) % n_buckets
        self.buckets[rows] = len(self.made_of) + places
        by_bucket = values[rows[np.argsort(places, kind="stable")]]
        dealt = [
            tuple(sorted(one.tolist())) for one in np.split(by_bucket, np.cumsum(np.bincount(places))[:-1])
        ]
        words = self.words[rows[:n_buckets]].tolist()  # one of each bucket, drawn by the key
        self.made_of += [(one, word % self.parts.get(one, 1)) for one, word in zip(dealt, words, strict=True)]
        self.usual.update(dealt)

    def _join(self, rows: Counts, avoid: Bools) -> None:
        """Give everybody the signature that has their value, out of a family that does not depend on it."""
        values = self.people.values[rows]
        for signature in self._family(avoid):
            mine = rows[np.isin(values, signature)]
            parts = self.words[mine] % self.parts.get(signature, 1)
            for part in range(self.parts.get(signature, 1)):
                self.home[mine[parts == part]] = self._numbered((signature, part))

    def _family(self, avoid: Bools) -> list[Signature]:
        """Signatures without common values that have every value but those to avoid."""
        free = {int(value) for value in np.flatnonzero(~avoid)}
        if len(free) < self.l:
            raise too_few_values(len(free), self.l)
        weights: Counter[int] = Counter()
        for signature, times in self.usual.items():
            weights.update(dict.fromkeys(signature, times))
        # About equally common values together: there are partners for the one that many hold.
        order = sorted(free, key=lambda value: (-weights[value], self._fixed(self._texts((value,)))))
        starts = range(0, len(order) - self.l + 1, self.l)
        ends = [*starts[1:], len(order)]
        return [tuple(sorted(order[start:end])) for start, end in zip(starts, ends, strict=True)]

    def _check_first_shown(self) -> None:
        """Raise where a signature shows a value first that nobody might have in a renamed world.

        Values are those that somebody has, now or before. So readers who see a new one know that it is no
        counterfeit everywhere. Dealt buckets have no counterfeits, and renaming a signature of which every
        value is held leaves every value held.
        """
        earlier = self.people.earlier()
        shown = {value for one, _ in (*earlier, *self.made_of) for value in one}
        for place in range(len(earlier), len(self.known)):
            held = set(self.people.values[self.home == place].tolist())
            first = set(self.known[place][0]) - shown
            if first and held and held != set(self.known[place][0]):
                raise _first_shown([self.people.names[value] for value in sorted(first)])

    def _balance(self) -> None:
        """The buckets of every signature: as many as its commonest value needs, others spread over them."""
        people = self.people
        rows = np.flatnonzero(self.home >= 0)
        rows = rows[np.lexsort((self.words[rows], people.values[rows], self.home[rows]))]
        for mine in _runs(rows, self.home[rows]):
            home = self.known[int(self.home[mine[0]])]
            n_buckets = int(np.bincount(people.values[mine]).max())
            part = f" {home[1]}" if home[1] else ""
            seed = self.drawn.subkey(f"series: spread {self._texts(home[0])}{part}").words
            generator = np.random.Generator(np.random.PCG64(seed))
            for alike in _runs(mine, people.values[mine]):
                places = generator.permutation(n_buckets)[: len(alike)]
                self.buckets[alike] = len(self.made_of) + places
            self.made_of += [home] * n_buckets

    def _numbered(self, home: Home) -> int:
        if home not in self.number:
            self.number[home] = len(self.known)
            self.known.append(home)
        return self.number[home]

    def _texts(self, values: Iterable[int]) -> str:
        return repr(sorted(map(repr, (self.people.names[value] for value in values))))

    def _words(self, purpose: str) -> Words:
        """A word for everybody."""
        once = np.zeros(len(self.people), dtype=np.int64)
        return draws(self.drawn.subkey(f"series: {purpose}"), self.people.digests, once)

    def _fixed(self, what: str) -> int:
        """A word that is the same in every release of a series."""
        return self.key.subkey(f"series: order {what}").words[0]


def too_few_values(free: int, l: int) -> InfeasibleError:
    """The error where somebody has fewer than ℓ values left to choose a signature from."""
    return InfeasibleError(
        f"Somebody has {free} possible values that neither rules nor earlier signatures exclude, and needs"
        f" {l}.",
        code="infeasible-l",
        hint="Choose a smaller ℓ for the whole series, drop rules knowingly when you begin it, or leave those"
        " whose value changes so often out of this release.",
    )


def _first_shown(values: list[str | None]) -> InfeasibleError:
    """The error where values that no release has shown would be somebody's for certain, or nearly."""
    return InfeasibleError(
        f"Too few people could have what no release of the series has shown yet: {listed(map(str, values))}.",
        code="series-new-values",
        hint="Join them with commoner values for everybody, or wait until more people have them. Where a"
        " series begins, a smaller ℓ or a larger min_expectation help too.",
    )


def _parts(rows: Counts, *keys: AnyArray) -> list[Counts]:
    """The rows by equal keys."""
    if not len(rows):
        return []
    order = np.lexsort(keys[::-1])
    changes = np.logical_or.reduce([np.diff(key[order]) != 0 for key in keys])
    return np.split(rows[order], np.flatnonzero(changes) + 1)


def _runs(rows: Counts, keys: AnyArray) -> list[Counts]:
    """Sorted rows, split where a key changes."""
    return np.split(rows, np.flatnonzero(np.diff(keys)) + 1) if len(rows) else []
