"""Columns that tell a sensitive value by themselves: twins, near-determining columns, free text.

A column published as it is beside the buckets may undo them. It *predicts* a sensitive column where a
value is guessed from it alone, out of sample, clearly more often than the promise of one in ℓ allows; it
is *certain* for a group of people who share one of its values and, nearly all, one sensitive value; it is
a *twin* where it is the sensitive column under other names. Each is looked for in the column as it is and
in readings of it: without digits, without letters, its first and last characters and words, in steps of
its numbers, because ``J45-0017`` tells as much as ``J45``.

Guesses are counted leaving one out: a row is guessed from all other rows with the same reading. A column
whose values are all different is therefore no good guesser, and needs no exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from tacit.data.column import folded
from tacit.engine.base import Combinations
from tacit.typing import AnyArray, Codes, Counts

ABOVE = 0.1
"""A column predicts where its guesses are right by this share more often than promised."""
DETERMINES = 0.9
"""A quasi-identifier may predict, which is measured; from this share on it is the sensitive column itself."""
CERTAIN = 0.9
"""A group knows its value where this share of it holds one."""
SMALLEST_GROUP = 5
CHANCE = 1e-3
"""What is likelier than this by chance alone is not held against a column."""
SAMPLE = 2_000
STEPS = 20


@dataclass(frozen=True, slots=True)
class Telling:
    """Why a column cannot stand beside a promise: ``code`` names the kind, ``why`` says it in a sentence."""

    column: str
    code: str
    why: str


def telling(pairs: Combinations, l: int, *, kept: bool) -> Telling | None:
    """What is wrong with the column ``pairs.names[0]`` beside the sensitive column ``pairs.names[1]``.

    A kept column is refused for all of it; a quasi-identifier only where it is the sensitive column.
    """
    column, sensitive = pairs.names
    texts, values = pairs.texts
    same = _twin(pairs)
    if same is not None:
        return Telling(column, "column-twin", f"it is {sensitive} under another name: {same}")
    most = int(np.bincount(pairs.codes[:, 1], weights=pairs.counts).max())
    promised = max(1 / l, most / pairs.n_rows)
    groups = 0
    for how, codes in _readings(texts):
        table = _Guesses.of(codes[pairs.codes[:, 0]], pairs.codes[:, 1], pairs.counts)
        right = table.right_share
        by = f"{column}{how}"
        clear = right - 3 * sqrt(right * (1 - right) / pairs.n_rows) > promised
        if right >= DETERMINES and clear:
            return Telling(
                column,
                "column-twin",
                f"it determines {sensitive}: from {by} alone {right:.0%} of the rows are guessed right",
            )
        if not kept:
            continue
        if right > promised + ABOVE and clear:
            return Telling(
                column,
                "column-predicts",
                f"it predicts {sensitive}: from {by} alone {right:.0%} of the rows are guessed right,"
                f" and the promise is 1 in {l}",
            )
        groups += len(table.first)
        group = table.surest(groups)
        if group is not None and table.top[group] / table.sizes[group] > promised + ABOVE:
            value = values[int(table.value[group])]
            return Telling(
                column,
                "column-predicts",
                f"it tells {sensitive}: {table.top[group]:,} of the {table.sizes[group]:,} people with one"
                f" value of {by} have {'no value' if value is None else repr(value)}",
            )
    if not kept:
        return None
    text = free_text(texts, pairs.n_rows)
    return None if text is None else Telling(column, "column-free-text", text)


@dataclass(frozen=True, eq=False)
class _Guesses:
    """The sensitive values beside each reading of a column: group g begins at ``first[g]``, largest first."""

    first: Counts
    sizes: Counts
    top: Counts
    value: Codes
    """The commonest value of each group."""
    shares: AnyArray
    """The share of all rows that hold each value."""
    right_share: float

    @classmethod
    def of(cls, groups: Codes, values: Codes, counts: Counts) -> _Guesses:
        width = int(values.max()) + 1
        pairs, which = np.unique(groups.astype(np.int64) * width + values, return_inverse=True)
        held = np.bincount(which, weights=counts).astype(np.int64)
        group, value = pairs // width, pairs % width
        order = np.lexsort((-held, group))
        group, value, held = group[order], value[order], held[order]
        first = np.flatnonzero(np.diff(group, prepend=-1))
        number = np.cumsum(np.diff(group, prepend=-1) > 0) - 1
        sizes = np.add.reduceat(held, first)
        ends = np.append(first[1:], len(held))
        second = np.where(ends - first > 1, held[np.minimum(first + 1, len(held) - 1)], 0)
        rival = np.where(np.arange(len(held)) == first[number], second[number], held[first][number])
        whole = np.bincount(values, weights=counts, minlength=width)
        # A row alone with its reading is guessed by the commonest value of all.
        right = np.where(sizes[number] == 1, value == whole.argmax(), held - 1 > rival)
        return cls(
            first=first,
            sizes=sizes,
            top=held[first],
            value=value[first].astype(np.int32),
            shares=whole / whole.sum(),
            right_share=float(held[right].sum() / held.sum()),
        )

    def surest(self, tried: int) -> int | None:
        """The largest group that nearly all hold one value, where that is not chance; None without one."""
        sure = np.flatnonzero((self.sizes >= SMALLEST_GROUP) & (self.top >= CERTAIN * self.sizes))
        if not len(sure):
            return None
        from scipy.special import bdtrc

        chance = bdtrc(
            self.top[sure] - 1.0, self.sizes[sure], self.shares[self.value[sure]]
        )  # so many or more
        found = sure[chance * tried < CHANCE]
        return int(found[self.sizes[found].argmax()]) if len(found) else None


def _twin(pairs: Combinations) -> str | None:
    """How a column and a sensitive one are the same, value by value; None where they are not."""
    texts, values = pairs.texts
    together = len(pairs)
    kinds = [len(np.unique(pairs.codes[:, place])) for place in (0, 1)]
    held = np.bincount(pairs.codes[:, 1], weights=pairs.counts)
    if [together, together] == kinds and _chance_of_twins(held[held > 0]) < CHANCE:
        return "their values go together one to one"
    numbers, amounts = _numbers(texts), _numbers(values)
    if numbers is not None and amounts is not None and min(kinds) > STEPS:
        order = rank_correlation(numbers[pairs.codes[:, 0]], amounts[pairs.codes[:, 1]])
        if abs(order) > DETERMINES:
            return f"their numbers rise and fall together (rank correlation {order:.2f})"
    # Pairs of equal rank in a sample against pairs drawn apart: does the text name the value?
    step = max(1, together // SAMPLE)
    chosen = pairs.codes[::step]
    shown = [_folded(texts[code]) for code in chosen[:, 0]]
    beside = [_folded(values[code]) for code in chosen[:, 1]]
    named = _named(shown, beside)
    apart = sum(_named(shown, beside[shift:] + beside[:shift]) for shift in (1, 2, 3)) / 3
    if named - apart > max(ABOVE, 3 * sqrt(0.25 / len(chosen))):
        return f"its text names the value in {named:.0%} of the cases"
    return None


def rank_correlation(one: AnyArray, other: AnyArray) -> float:
    """Spearman's: equal numbers share the mean of their ranks, and pairs with a missing number are left out.

    Importing it from scipy.stats takes as long as reading a hundred thousand rows.
    """
    there = ~(np.isnan(one) | np.isnan(other))
    ranks = []
    for numbers in (one[there], other[there]):
        _, place, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        ranks.append((np.cumsum(counts) - (counts - 1) / 2)[place])
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _chance_of_twins(counts: AnyArray) -> float:
    """How likely a column with the same counts, shuffled, goes together with the other one to one."""
    from scipy.special import gammaln

    _, alike = np.unique(counts, return_counts=True)
    ways = gammaln(counts + 1).sum() + gammaln(alike + 1).sum() - gammaln(counts.sum() + 1)
    return float(np.exp(min(0.0, ways)))


def _named(shown: Sequence[str], held: Sequence[str]) -> float:
    """The share of texts that have the value beside them in them."""
    found = [len(value) > 2 and value in text for text, value in zip(shown, held, strict=True)]
    return sum(found) / len(found)


def _readings(texts: Sequence[str | None]) -> Iterator[tuple[str, Codes]]:
    """The column read in several ways, each as a code per value: those that put some values together."""
    plain = [_folded(text) for text in texts]
    seen = set()
    numbers = _numbers(texts)
    ways: list[tuple[str, list[str]]] = [
        ("", plain),
        (" without digits", [re.sub(r"\d+", "", text) for text in plain]),
        (" without letters", [re.sub(r"[^\d]+", "", text) for text in plain]),
        (" by its first word", [re.split(r"[\W_]+", text.strip(), maxsplit=1)[0] for text in plain]),
        (" by its last word", [re.split(r"[\W_]+", text.strip())[-1] for text in plain]),
    ]
    for width in (1, 2, 3, 4, 7):
        ways.append((f" by its first {width} characters", [text[:width] for text in plain]))
        ways.append((f" by its last {width} characters", [text[-width:] for text in plain]))
    if numbers is not None and len(texts) > STEPS:
        ranks = numbers.argsort(kind="stable").argsort(kind="stable")
        ways += [
            (f" in {steps} steps", [str(rank * steps // len(texts)) for rank in ranks.tolist()])
            for steps in (STEPS, 5 * STEPS)
        ]
    for how, read in ways:
        number = np.unique(np.array(read, dtype=object), return_inverse=True)[1]
        codes: Codes = number.reshape(-1).astype(np.int32)
        if codes.tobytes() not in seen:
            seen.add(codes.tobytes())
            yield how, codes


def _folded(text: str | None) -> str:
    """The text without case, width and needless blanks."""
    return "" if text is None else folded(text)


def _numbers(texts: Sequence[str | None]) -> AnyArray | None:
    """The values as numbers; None where one is no number."""
    try:
        return np.array([np.nan if text is None else float(text) for text in texts])
    except ValueError:
        return None


FEWEST = 8
"""Of fewer different texts nothing is said."""
MOSTLY_DIFFERENT = 0.5
LONG_WORDS, LONG_CHARACTERS = 3.0, 25.0
SENTENCE_WORDS = 6.0
SENTENCES_DIFFERENT = 0.05
_DATE = re.compile(
    r"(19|20)\d\d([-./ ]?\d\d){1,2}([T ]\d\d(:?\d\d){0,2}(\.\d+)?Z?)?|\d\d?[-./]\d\d?[-./](19|20)\d\d"
)
_NUMBER = re.compile(r"[-+]?\d{0,6}([.,]\d+)?(e[-+]?\d+)?", re.IGNORECASE)


def free_text(texts: Sequence[str | None], n_rows: int) -> str | None:
    """What makes the values of a column free text, in words; None for categories, numbers and dates.

    >>> free_text(["Saw Dr Meyer on Monday", *(f"call {n}, asked for Ann" for n in range(9))], 10)
    'it holds free text: 10 different texts in 10 rows, 5 words each'
    >>> free_text([str(2000 + n) for n in range(50)], 50), free_text(["day", "night"], 50)
    (None, None)
    """
    given = [text for text in texts if text is not None and text.strip()]
    if len(given) < FEWEST:
        return None
    plain = sum(bool(_NUMBER.fullmatch(text.strip()) or _DATE.fullmatch(text.strip())) for text in given)
    if plain >= 0.9 * len(given):
        return None
    words = sum(len(text.split()) for text in given) / len(given)
    length = sum(map(len, given)) / len(given)
    different = len(given) / max(1, n_rows)
    each = "a word each" if words < 1.5 else f"{words:.0f} words each"
    found = f"{len(given):,} different texts in {n_rows:,} rows, {each}"
    if different > MOSTLY_DIFFERENT and (words >= LONG_WORDS or length >= LONG_CHARACTERS):
        return f"it holds free text: {found}"
    if words >= SENTENCE_WORDS and different > SENTENCES_DIFFERENT and len(given) > 2 * FEWEST:
        return f"it holds free text: {found}"
    if different > MOSTLY_DIFFERENT:
        return f"it may name people: {found}"
    return None
