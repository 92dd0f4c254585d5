"""Inference channels: small groups that follow from published counts by addition and subtraction.

A list of rules publishes how many people match some patterns: everybody, each left side Q, each Q with its
value x. Everybody has exactly one value in every column, so the people who match X and have none of the
values S of a column are those of X, less those of X with each of these values. Doing so for several columns,
one after the other, is inclusion and exclusion over sets of values [1]: the people of X who have none of S in
one column and none of T in another are counted where the counts of X, of X with each value of S, with each of
T and with each pair of them are known. Such a choice of X and of sets is called a *box* here.

Of a *whole* column the reader knows all values: the sensitive column, and columns of which the rules name
every value. There the counts of X with each of the values add up to that of X, and any one of these counts
follows from the others. What follows so, count by count, is known as well.

A box is a channel if it holds at least one and fewer than k people. Only boxes whose sets cannot be made
larger are looked at. For a box is its larger box and one box with each of the added values, put together: if
it holds 1 to k − 1 people then so does one of these, and each of these has a larger set, or fewer sets. So
where no largest box is a channel, no box is. Nor is another group that is given by a set of values for each
column: as functions on people, patterns over columns that are not whole are linearly independent, so there is
one way only to write such a group as a sum of patterns, which makes it a box, or several put together. In
whole columns, sums that need several unknown counts at once are not followed.

[1] M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi. Anonymity Preserving Pattern Discovery.
    VLDB Journal 17, 2008.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from tacit.errors import ResourceError, option

Item = tuple[str, str]
"""A column and one of its values."""
Domains = Mapping[str, Collection[str]]
"""All values of some columns."""
Pattern = int
"""A bit for each item."""

MOST_SUMS = 20_000_000
"""More sums of counts are not tried: about 20 seconds here, and a minute in the verifier."""


@dataclass(frozen=True)
class Channel:
    """People who match some items and have none of some values of other columns."""

    items: tuple[Item, ...]
    none_of: tuple[tuple[str, tuple[str, ...]], ...]
    people: int

    def __str__(self) -> str:
        having = [f"{name} = {label}" for name, label in self.items]
        lacking = [f"{name} not {' or '.join(labels)}" for name, labels in self.none_of]
        return f"{' & '.join([*having, *lacking])}: {self.people}"


def inference_channels(
    counts: Mapping[frozenset[Item], int], *, whole: Domains, k: int
) -> tuple[Channel, ...]:
    """Every largest box of 1 to k − 1 people; of the columns ``whole`` all values are known.

    >>> women, near, far = ("sex", "f"), ("zip", "1"), ("zip", "2")
    >>> counts = {frozenset(): 90, frozenset([women]): 50}
    >>> counts |= {frozenset([women, near]): 28, frozenset([women, far]): 19}
    >>> [str(channel) for channel in inference_channels(counts, whole={}, k=5)]
    ['sex = f & zip not 1 or 2: 3']
    """
    return tuple(_Search(counts, whole).channels(k))


class _Search:
    """Patterns as bits: items of one column lie side by side, in the order of the names and labels."""

    def __init__(self, counts: Mapping[frozenset[Item], int], whole: Domains) -> None:
        all_values = [(name, label) for name, labels in whole.items() for label in labels]
        self.items = sorted({*all_values, *(item for pattern in counts for item in pattern)})
        bit_of = {item: 1 << place for place, item in enumerate(self.items)}
        self.columns = dict.fromkeys((name for name, _ in self.items), 0)
        for item, bit in bit_of.items():
            self.columns[item[0]] |= bit
        self.known = {sum(bit_of[item] for item in pattern): count for pattern, count in counts.items()}
        self.sums = 0
        self._add_up([column for name, column in self.columns.items() if name in whole])

    def _add_up(self, whole: list[Pattern]) -> None:
        """Add what follows where the values of a whole column add up to the people they are parts of."""
        waiting = list(self.known)
        while waiting:
            pattern = waiting.pop()
            self._spend(3 ** pattern.bit_count())  # as many if every set has one value
            for column in whole:
                rest = pattern & ~column
                parts = [rest | bit for bit in _bits(column)]
                missing = [member for member in (rest, *parts) if member not in self.known]
                if len(missing) == 1:
                    total = sum(self.known.get(part, 0) for part in parts)
                    self.known[missing[0]] = self.known[rest] - total if rest in self.known else total
                    waiting += missing

    def _spend(self, sums: int) -> None:
        self.sums += sums
        if self.sums > MOST_SUMS:
            raise ResourceError(
                "The rules are too many, or too long, to look for small groups that follow from them.",
                code="channels-too-many",
                hint=f"Set {option('max_length')}, ask for a larger support, or leave out {option('k')}.",
            )

    def channels(self, k: int) -> Iterator[Channel]:
        # By pattern: what other known patterns add to it, and their counts.
        above: dict[Pattern, dict[Pattern, int]] = {pattern: {} for pattern in self.known}
        for pattern, count in self.known.items():
            for part in _parts(pattern):
                if part in above:
                    above[part][pattern ^ part] = count
        for pattern, slices in above.items():
            for sets, people in self._boxes(slices, list(self.columns.values()), ()):
                if 0 < people < k and self._largest(slices, sets):
                    yield self._channel(pattern, sets, people)

    def _boxes(
        self, slices: dict[Pattern, int], columns: list[Pattern], sets: tuple[Pattern, ...]
    ) -> Iterator[tuple[tuple[Pattern, ...], int]]:
        """The box with these sets, and those with sets of these columns as well, with their counts.

        A slice is added to the pattern of the box: of how many people who have none of the sets is known.
        """
        yield sets, slices[0]
        for place, column in enumerate(columns if slices[0] else ()):  # nobody is not divided further
            values: dict[Pattern, Pattern] = {}
            for added in slices:
                if added & column:
                    rest = added & ~column
                    values[rest] = values.get(rest, 0) | added & column
            for chosen in self._meets(values.get(0, 0) & some for some in values.values()):
                self._spend(len(values))
                bits = list(_bits(chosen))
                fewer = {
                    rest: slices[rest] - sum(slices[rest | bit] for bit in bits)
                    for rest, some in values.items()
                    if rest in slices and not chosen & ~some
                }
                yield from self._boxes(fewer, columns[place + 1 :], (*sets, chosen))

    def _meets(self, sets: Iterable[Pattern]) -> set[Pattern]:
        """Every intersection of some of these sets that is not empty: as many as 2 to their number."""
        found: set[Pattern] = set()
        for some in set(sets):
            self._spend(len(found))
            found |= {some} | {some & other for other in found}
        return found - {0}

    def _largest(self, slices: dict[Pattern, int], sets: tuple[Pattern, ...]) -> bool:
        """Whether no value of a column can be added to its set."""
        for chosen in sets:
            terms = [
                sum(term) for term in product(*([0, *_bits(other)] for other in sets if other != chosen))
            ]
            column = next(column for column in self.columns.values() if column & chosen)
            if any(all(term | bit in slices for term in terms) for bit in _bits(column & ~chosen)):
                return False
        return True

    def _channel(self, pattern: Pattern, sets: tuple[Pattern, ...], people: int) -> Channel:
        named = [[self.items[bit.bit_length() - 1] for bit in _bits(chosen)] for chosen in (pattern, *sets)]
        none_of = tuple((some[0][0], tuple(label for _, label in some)) for some in named[1:])
        return Channel(tuple(named[0]), none_of, people)


def _bits(pattern: Pattern) -> Iterator[Pattern]:
    """The items of a pattern, one at a time."""
    while pattern:
        bit = pattern & -pattern
        yield bit
        pattern ^= bit


def _parts(pattern: Pattern) -> Iterator[Pattern]:
    """Every pattern that this one extends, itself and the empty one too."""
    part = pattern
    while part:
        yield part
        part = (part - 1) & pattern
    yield 0
