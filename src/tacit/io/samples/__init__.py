"""Samples: data sets to try things on, made up here or published by others.

A sample is asked for by name, ``load_sample("hospital")``, with its size after a colon where it is
made up, ``load_sample("hospital:20000")``; wherever a file is read, ``sample:NAME`` names it.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from tacit.errors import UsageError, shorten

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.data.transactions import Transactions

__all__ = [
    "SAMPLES",
    "SAMPLE_PREFIX",
    "Sample",
    "find_sample",
    "is_sample",
    "is_sample_table",
    "load_sample",
    "sample_table",
    "sample_transactions",
]

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


def sample_table(name: str) -> Table:
    """The sample of this name, which must be a table."""
    _check_kind(name, "table")
    return cast("Table", load_sample(name))


def sample_transactions(name: str) -> Transactions:
    """The sample of this name, which must be transactions."""
    _check_kind(name, "transactions")
    return cast("Transactions", load_sample(name))


def _check_kind(name: str, kind: str) -> None:
    sample, _ = find_sample(name)
    if sample.kind != kind:
        fitting = ", ".join(other.name for other in SAMPLES if other.kind == kind)
        raise UsageError(
            f"The sample {sample.name!r} is of the kind {sample.kind!r}, and {kind!r} is wanted here.",
            code="sample-kind",
            hint=f"Samples of that kind are {fitting}.",
        )


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
