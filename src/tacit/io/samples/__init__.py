"""Samples: data sets to try things on, made up here or published by others.

A sample is asked for by name, ``load_sample("hospital")``, with its size after a colon where it is
made up, ``load_sample("hospital:20000")``; wherever a file is read, ``sample:NAME`` names it.

What is made up is drawn by :class:`Draws`, so that the same seed gives the same sample on every machine. Only
the raw 64-bit words of PCG64 are used, whose stream numpy promises to keep; everything is made of them by
whole-number arithmetic, and a logarithm is rounded to a coarse grid, so that the last bit of one machine's
arithmetic cannot change a sample. Samples are experiments; a release takes its randomness from the key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from tacit.errors import UsageError, shorten
from tacit.ranges import Range, Whole
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats, Words

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.data.transactions import Transactions

SAMPLE_PREFIX = "sample:"
"""How a source is written that is a sample and no file."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample: ``size`` is how many records it has unless told, None where others fixed it."""

    name: str
    kind: str
    size: int | None
    help: str


SAMPLES = (
    Sample(
        "hospital", "table", 1000, "Made-up admissions; some diagnoses are impossible for a sex or an age."
    ),
    Sample(
        "supermarket", "transactions", 5000, "Made-up baskets with a product hierarchy and planted patterns."
    ),
    Sample(
        "quest", "transactions", 100_000, "Made-up transactions in the manner of Agrawal and Srikant, 1994."
    ),
    Sample("adult", "table", None, "UCI Adult, 45,222 people without missing values; needs the files."),
    Sample("groceries", "transactions", None, "A month of a grocery, 9,835 baskets; needs the files."),
    Sample("webview1", "transactions", None, "Click-stream BMS-WebView-1, 59,602 visits; needs the file."),
    Sample("webview2", "transactions", None, "Click-stream BMS-WebView-2, 77,512 visits; needs the file."),
)
"""Every sample, with a line of help each."""


def load_sample(name: str, *, seed: int = 0) -> Table | Transactions:
    """The sample of this name, ``NAME`` or ``NAME:SIZE``; the prefix ``sample:`` may be there.

    ``seed`` gives another one of the samples that are made up, and says nothing to the others.

    >>> len(load_sample("hospital:200"))
    200
    """
    sample, size = find_sample(name)
    # Each sample is imported here, so that naming them costs nothing.
    if sample.size is not None:
        made = import_module(f"tacit.io.samples.{sample.name}")
        return cast("Table | Transactions", getattr(made, sample.name)(size, seed=seed))
    from tacit.io.samples import public

    if sample.name.startswith("webview"):
        return public.webview(int(sample.name[-1]))
    return public.adult() if sample.name == "adult" else public.groceries()


def is_sample(source: object) -> bool:
    """Whether a source is written as a sample, ``sample:NAME``, and so is no file."""
    return isinstance(source, str) and source.startswith(SAMPLE_PREFIX)


def is_sample_table(source: object) -> bool:
    """Whether a source is written as a sample that is a table."""
    name = source.removeprefix(SAMPLE_PREFIX).partition(":")[0] if isinstance(source, str) else ""
    return is_sample(source) and any(sample.name == name and sample.kind == "table" for sample in SAMPLES)


def sample_of_kind(name: str, kind: str) -> Any:
    """The sample of this name, which must be a ``"table"`` or ``"transactions"``."""
    sample, _ = find_sample(name)
    if sample.kind != kind:
        fitting = ", ".join(other.name for other in SAMPLES if other.kind == kind)
        raise UsageError(
            f"The sample {sample.name!r} is of the kind {sample.kind!r}, and {kind!r} is wanted here.",
            code="sample-kind",
            hint=f"Samples of that kind are {fitting}.",
        )
    return load_sample(name)


def find_sample(name: str) -> tuple[Sample, int | None]:
    """The sample a name asks for, and its size; None where it has no size to choose."""
    word, colon, text = name.removeprefix(SAMPLE_PREFIX).partition(":")
    known = {sample.name: sample for sample in SAMPLES}
    if word not in known:
        raise UsageError(
            f"There is no sample {shorten(word)!r}.",
            code="unknown-sample",
            hint=f"The samples are {', '.join(known)}.",
        )
    sample = known[word]
    if not colon:
        return sample, sample.size
    if sample.size is None:
        raise UsageError(
            f"The sample {word!r} was published as it is and has no size to choose, got {shorten(text)!r}.",
            code="sample-size",
            hint=f"Write it as {SAMPLE_PREFIX}{word}.",
        )
    if not (text.isascii() and text.isdigit()) or int(text) == 0:
        raise UsageError(
            f"The size of a sample must be a whole number of at least 1, got {shorten(text)!r}.",
            code="sample-size",
            hint=f"Write it as {SAMPLE_PREFIX}{word}:{sample.size}.",
        )
    return sample, int(text)


Halves = npt.NDArray[np.uint16]
"""Uniform 16-bit words: the index into a row of a :func:`choice_table`."""

Small = npt.NDArray[np.uint8]
"""Choices among at most 256."""

SEED: Range = Whole(0, 2**64 - 1)
"""What a seed may be."""
CHOICES = 1 << 16
"""The number of cells in a row of a :func:`choice_table`."""
SCALE = 1 << 32
"""Probabilities are whole numbers of 2^-32."""
_GRID = 1 << 20


class Draws:
    """A stream of draws; each purpose of a sample takes its own, so that they do not shift each other."""

    def __init__(self, seed: int, purpose: str) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence([seed, *purpose.encode()]))

    def words(self, count: int) -> Words:
        """Uniform 64-bit words."""
        return self._bits.random_raw(count)

    def halves(self, count: int) -> Halves:
        """Uniform 16-bit words, four to a 64-bit word."""
        return self.words((count + 3) // 4).astype("<u8", copy=False).view("<u2")[:count]

    def uniform(self, count: int) -> Floats:
        """Multiples of 2^-53 in [0, 1)."""
        return (self.words(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def below(self, bound: int, count: int) -> Counts:
        """Whole numbers in [0, bound), for a bound of at most 2^32."""
        return (((self.words(count) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32)).astype(np.int64)

    def exponential(self, count: int) -> Floats:
        """Exponential numbers of mean 1, on the grid."""
        return on_grid(-np.log(1.0 - self.uniform(count)))

    def normal(self, count: int) -> Floats:
        """Standard normal numbers (Box and Muller), on the grid."""
        radius = np.sqrt(-2.0 * np.log(1.0 - self.uniform(count)))
        return on_grid(radius * np.cos(2.0 * np.pi * self.uniform(count)))

    def poisson(self, mean: float, count: int) -> Counts:
        """Whole numbers of a Poisson distribution."""
        return np.searchsorted(poisson_table(mean), self.words(count) >> np.uint64(32), side="right")

    def choices(self, weights: AnyArray, groups: AnyArray) -> Small:
        """For each row a choice drawn by the weights of its group, ``weights[groups[row]]``."""
        cells = np.concatenate([choice_table(row) for row in weights])
        drawn: Small = cells[groups.astype(np.int32) * CHOICES + self.halves(len(groups))]
        return drawn


def on_grid(numbers: Floats) -> Floats:
    """The numbers rounded to multiples of 2^-20."""
    rounded: Floats = np.rint(numbers * _GRID) / _GRID
    return rounded


def choice_table(weights: Sequence[float] | AnyArray) -> Small:
    """A row of ``CHOICES`` cells that names choice i in a share of cells nearest to its weight.

    A uniform 16-bit word picks a cell, and so draws a choice. A choice of weight 0 is in no cell;
    there are at most 256 choices.
    """
    whole = np.rint(np.asarray(weights, dtype=np.float64) * _GRID).astype(np.int64)
    ends = np.cumsum(whole) * CHOICES // int(whole.sum())
    return np.repeat(np.arange(len(whole), dtype=np.uint8), np.diff(ends, prepend=0))


def poisson_table(mean: float) -> Words:
    """Cell i holds P(X <= i) on the scale of 2^32, up to where it is all but 1."""
    rate = Decimal(repr(mean))
    share = (-rate).exp()
    total = share
    table = [int(total * SCALE)]
    while 1 - total > Decimal(1) / SCALE:
        share = share * rate / len(table)
        total += share
        table.append(int(total * SCALE))
    return np.array(table, dtype=np.uint64)


def without_gaps(codes: AnyArray, count: int) -> tuple[Codes, Bools]:
    """The codes below ``count`` renumbered over those that occur, and which those are."""
    present = np.bincount(codes, minlength=count) > 0
    packed = (np.cumsum(present, dtype=np.int32) - np.int32(1))[codes]
    packed.flags.writeable = False
    return packed, present
