"""Association rules, of transactions and of tables, with every measure from whole counts.

Both kinds behave alike: a sequence of :class:`Rule`, sortable, filterable, exported as a frame.

What a rule A ⇒ B is worth, all from whole-number counts.

With n records, a = support(A), b = support(B) and ab = support(A ∪ B):

    confidence = ab / a                     lift       = ab·n / (a·b)
    leverage   = ab/n − a·b/n²              conviction = a·(n − b) / (n·(a − ab))
    Jaccard    = ab / (a + b − ab)

Conviction is infinite for a rule without exception.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
import polars as pl

from tacit.arrays.groups import take_rows
from tacit.data.hierarchy import NULL_LABEL
from tacit.errors import ParameterError, UsageError
from tacit.io.output import whole_file
from tacit.mining.conjunctions import Attribute, conditions
from tacit.notebook import InNotebook
from tacit.ranges import as_fraction
from tacit.typing import AnyArray, Codes, Counts, Floats, Offsets, Threshold


@dataclass(frozen=True, slots=True)
class Rule:
    """``antecedent ⇒ consequent``, with its counts."""

    antecedent: tuple[str, ...]
    consequent: tuple[str, ...]
    support: int
    antecedent_support: int
    consequent_support: int
    n_rows: int

    @property
    def confidence(self) -> float:
        return self.support / self.antecedent_support

    def __str__(self) -> str:
        return f"{' & '.join(self.antecedent)} ⇒ {' & '.join(self.consequent)}"


@dataclass(frozen=True, eq=False)
class Rules(InNotebook, ABC):
    """What rules of both kinds share: their counts, and how they are listed."""

    counts: RuleCounts

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,} of {self.counts.n_rows:,} rows>"

    def __iter__(self) -> Iterator[Rule]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: int) -> Rule:
        place = range(len(self))[place]
        left, right = self.sides(place)
        return Rule(
            left,
            right,
            int(self.counts.support[place]),
            int(self.counts.antecedent[place]),
            int(self.counts.consequent[place]),
            self.counts.n_rows,
        )

    @abstractmethod
    def sides(self, place: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The items of a rule's two sides, by name."""

    def both_sides(self) -> tuple[pl.Series, pl.Series]:
        """The items of every rule's two sides, as lists of names."""
        sides = [self.sides(place) for place in range(len(self))]
        left, right = (
            ([list(side) for side in each] for each in zip(*sides, strict=True)) if sides else ([], [])
        )
        return pl.Series(left, dtype=pl.List(pl.String)), pl.Series(right, dtype=pl.List(pl.String))

    @abstractmethod
    def select(self, places: AnyArray) -> Self:
        """The rules named by an index or a mask."""

    def sorted_by(self, measure: str, *, descending: bool = True) -> Self:
        """The rules in the order of a measure; equal ones keep their order."""
        values = self.measure(measure)
        return self.select(np.argsort(-values if descending else values, kind="stable"))

    def where(self, **least: float) -> Self:
        """The rules that reach every measure named: ``rules.where(lift=1.5, confidence=0.8)``."""
        keep = np.ones(len(self), dtype=bool)
        for name, value in least.items():
            keep &= self.measure(name) >= value
        return self.select(keep)

    def measure(self, name: str) -> AnyArray:
        """A measure of every rule."""
        if name not in MEASURES:
            raise ParameterError("measure", "rules", "one of " + ", ".join(map(repr, MEASURES)), name)
        return self.counts.measure(name)

    def to_frame(self) -> pl.DataFrame:
        """One row per rule: both sides, the counts, every measure."""
        left, right = self.both_sides()
        columns: dict[str, Any] = {
            "antecedent": left,
            "consequent": right,
            "count": self.counts.support,
            "antecedent_count": self.counts.antecedent,
            "consequent_count": self.counts.consequent,
        }
        columns |= {name: self.counts.measure(name) for name in MEASURES}
        return pl.DataFrame(columns)


@dataclass(frozen=True, eq=False)
class ItemRules(Rules):
    """Rules between sets of items; side ``i`` is ``items[offsets[i] : offsets[i + 1]]``."""

    vocabulary: tuple[str, ...]
    left_offsets: Offsets
    left_items: Codes
    right_offsets: Offsets
    right_items: Codes

    def sides(self, place: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        left = self.left_items[self.left_offsets[place] : self.left_offsets[place + 1]]
        right = self.right_items[self.right_offsets[place] : self.right_offsets[place + 1]]
        return tuple(self.vocabulary[item] for item in left), tuple(self.vocabulary[item] for item in right)

    def both_sides(self) -> tuple[pl.Series, pl.Series]:
        left = list_column(self.vocabulary, self.left_offsets, self.left_items)
        return left, list_column(self.vocabulary, self.right_offsets, self.right_items)

    def select(self, places: AnyArray) -> Self:
        places = np.flatnonzero(places) if places.dtype == bool else places
        left_offsets, left_items = take_rows(self.left_offsets, self.left_items, places)
        right_offsets, right_items = take_rows(self.right_offsets, self.right_items, places)
        return replace(
            self,
            counts=self.counts.select(places),
            left_offsets=left_offsets,
            left_items=left_items,
            right_offsets=right_offsets,
            right_items=right_items,
        )


@dataclass(frozen=True, slots=True)
class MinedAt:
    """The thresholds that rules were mined at, as they were given."""

    min_support: Threshold
    min_confidence: Threshold
    max_length: int | None


@dataclass(frozen=True, eq=False)
class TableRules(Rules):
    """Rules ``Q ⇒ x``: a conjunction over quasi-identifiers, and one sensitive value."""

    attributes: tuple[Attribute, ...]
    sensitive: str
    texts: tuple[str | None, ...]
    nodes: Codes  # (rules, attributes), -1 where an attribute takes no part
    values: Codes
    mined_at: MinedAt | None = None
    """What a reader may know of how they were found; a selection keeps it."""

    def sides(self, place: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        left = tuple(f"{name} = {label}" for name, label in conditions(self.attributes, self.nodes[place]))
        text = self.texts[self.values[place]]
        return left, (f"{self.sensitive} = {NULL_LABEL if text is None else text}",)

    def select(self, places: AnyArray) -> Self:
        return replace(
            self, counts=self.counts.select(places), nodes=self.nodes[places], values=self.values[places]
        )


def list_column(vocabulary: Sequence[str], offsets: Offsets, items: Codes) -> pl.Series:
    """The lists of a CSR layout, by name. Lists of one length are one matrix, and no loop goes over them."""
    names = pl.Series(vocabulary, dtype=pl.String)
    lengths = np.diff(offsets)
    parts, places = [], []
    for length in np.unique(lengths).tolist():
        places.append(np.flatnonzero(lengths == length))
        inside = items[offsets[places[-1]][:, None] + np.arange(length)]
        lists = names.gather(inside.ravel()).reshape((len(inside), length)).arr.to_list() if length else None
        parts.append(pl.Series([[]] * len(inside), dtype=pl.List(pl.String)) if lists is None else lists)
    if not parts:
        return pl.Series(dtype=pl.List(pl.String))
    return parts[0] if len(parts) == 1 else pl.concat(parts).gather(np.argsort(np.concatenate(places)))


def confident(support: AnyArray, antecedent: AnyArray, min_confidence: Threshold) -> AnyArray:
    """Where support / antecedent reaches the confidence, decided in whole numbers."""
    least = as_fraction(min_confidence) or Fraction(0)
    if max(least.denominator, least.numerator) * int(antecedent.max(initial=0)) < 1 << 62:
        return np.asarray(support * least.denominator >= antecedent * least.numerator)
    exact = zip(
        support.ravel().tolist(), np.broadcast_to(antecedent, support.shape).ravel().tolist(), strict=True
    )
    reached = [Fraction(both, left) >= least if left else False for both, left in exact]
    return np.array(reached, dtype=bool).reshape(support.shape)


def canonical(nodes: Codes, values: AnyArray) -> AnyArray:
    """The order of table rules: by length, then items, then value."""
    length = (nodes >= 0).sum(axis=1)
    return np.lexsort([values, *reversed(list(nodes.T)), length])


def _conviction(n: float, both: Floats, left: Floats, right: Floats) -> Floats:
    misses = left - both
    with np.errstate(divide="ignore"):
        return np.where(misses > 0, left * (n - right) / (n * np.maximum(misses, 1.0)), np.inf)


MEASURES: dict[str, Callable[[float, Floats, Floats, Floats], Floats]] = {
    "support": lambda n, both, left, right: both / n,
    "confidence": lambda n, both, left, right: both / left,
    "lift": lambda n, both, left, right: both * n / (left * right),
    "leverage": lambda n, both, left, right: both / n - (left / n) * (right / n),
    "conviction": _conviction,
    "jaccard": lambda n, both, left, right: both / (left + right - both),
}


@dataclass(frozen=True, eq=False)
class RuleCounts:
    """The counts behind a list of rules."""

    n_rows: int
    support: Counts
    antecedent: Counts
    consequent: Counts

    def __len__(self) -> int:
        return len(self.support)

    def select(self, places: np.ndarray) -> RuleCounts:
        """The rules named by an index or a mask."""
        return RuleCounts(self.n_rows, self.support[places], self.antecedent[places], self.consequent[places])

    def measure(self, name: str) -> Floats:
        """One of :data:`MEASURES` for every rule; ``support`` as a share of the records."""
        counts = (array.astype(np.float64) for array in (self.support, self.antecedent, self.consequent))
        return MEASURES[name](float(self.n_rows), *counts)


FORMATS = (".csv", ".json", ".parquet")
PIECE = 1 << 17
"""So many itemsets or rules are turned into text at a time."""


class Mined(Protocol):
    """Itemsets or rules."""

    def __len__(self) -> int: ...
    def select(self, places: Any) -> Self: ...
    def to_frame(self) -> pl.DataFrame: ...


def in_pieces(mined: Mined) -> Iterator[pl.DataFrame]:
    """The listing of what was mined, a piece at a time; at least one, so that there are always columns."""
    for start in range(0, max(1, len(mined)), PIECE):
        yield mined.select(np.arange(start, min(start + PIECE, len(mined)))).to_frame()


def write_listing(frames: Iterable[pl.DataFrame], path: Path, *, overwrite: bool = False) -> None:
    """Write the pieces of a listing, all or none; lists of items become text in a CSV."""
    if path.suffix not in FORMATS:
        raise UsageError(
            f"A listing is written as one of {', '.join(FORMATS)}; {str(path)!r} ends in none of them.",
            code="listing-format",
            hint="Give the output file one of these suffixes.",
        )
    write = {".csv": _write_csv, ".json": _write_json, ".parquet": _write_parquet}[path.suffix]
    with whole_file(path, overwrite=overwrite) as file:
        write(frames, file)


def _write_csv(frames: Iterable[pl.DataFrame], path: Path) -> None:
    with path.open("wb") as file:
        for place, frame in enumerate(frames):
            lists = [name for name, kind in frame.schema.items() if kind == pl.List(pl.String)]
            frame.with_columns(pl.col(lists).list.join(" & ")).write_csv(file, include_header=place == 0)


def _write_json(frames: Iterable[pl.DataFrame], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        between = "[\n"
        for frame in frames:
            finite = frame.with_columns(
                pl.when(pl.col(pl.Float64).is_finite()).then(pl.col(pl.Float64))  # JSON has no infinity
            )
            if len(finite):
                text = json.dumps(finite.to_dicts(), ensure_ascii=False, indent=1)
                file.write(between + text.removeprefix("[\n").removesuffix("\n]"))
                between = ",\n"
        file.write("[]\n" if between == "[\n" else "\n]\n")


def _write_parquet(frames: Iterable[pl.DataFrame], path: Path) -> None:
    pieces = []
    for place, frame in enumerate(frames):  # beside the file, in the folder that goes once it is in place
        pieces.append(path.with_name(f"piece-{place}.parquet"))
        frame.write_parquet(pieces[-1])
    pl.scan_parquet(pieces).sink_parquet(path)
