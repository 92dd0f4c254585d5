"""``tacit mine itemsets|rules|negative``: what a reader could mine from the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.surface.cli.common import (
    DataFlags,
    Names,
    ShareText,
    Shown,
    Source,
    ThresholdText,
    WholeText,
    is_transactions,
    load_table,
    load_transactions,
    progress_bar,
    refuse_unused,
    say_notes,
)
from tacit.surface.cli.rules_release import PublishingFlags, publish_rules

if TYPE_CHECKING:
    import polars as pl

    from tacit.data.table import Table
    from tacit.data.transactions import Transactions

LISTED = 25
"""How many lines a terminal is shown; the rest is counted, and written with --output."""


@Parameter(name="*", group="Mining")
@dataclass(frozen=True)
class SearchFlags:
    """How far the search goes."""

    max_itemsets: WholeText = 10_000_000
    "Stop with an error, and a threshold that would fit, when there are more."
    threads: WholeText | None = None
    "How many threads to mine with (transactions)."


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class ListingFlags:
    """Where the whole listing goes."""

    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None
    "File for the whole listing: .csv, .json or .parquet."
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Write over a file that is there."


@dataclass(frozen=True, eq=False)
class Listing:
    """What was mined: shown in short on a terminal, in full as JSON or in the file written."""

    what: str
    n_rows: int
    count: int
    lines: Callable[[int], list[str]]
    records: Callable[[], list[dict[str, Any]]]
    file: str | None
    extra: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        name = "items" if self.what == "itemsets" else "rules"
        return {
            "n_rows": self.n_rows,
            "count": self.count,
            name: self.file if self.file is not None else self.records(),
            **self.extra,
        }

    def __str__(self) -> str:
        text = [f"{self.count:,} {self.what} in {self.n_rows:,} records"]
        if self.file is not None:
            return "\n".join([*text, f"written to {self.file}"])
        text += [f"  {line}" for line in self.lines(LISTED)]
        if self.count > LISTED:
            text.append(f"  … and {self.count - LISTED:,} more; write them all with --output FILE")
        return "\n".join(text)


def itemsets(
    data: Source,
    /,
    *,
    min_support: ThresholdText,
    kind: str = "complete",
    min_length: WholeText = 1,
    max_length: WholeText | None = None,
    items: Names = (),
    containing: Names = (),
    search: SearchFlags = SearchFlags(),
    listing: ListingFlags = ListingFlags(),
    flags: DataFlags = DataFlags(),
    shown: Shown = Shown(),
) -> Listing:
    """List the sets of items that enough records hold.

    Parameters
    ----------
    data
        A file, - for standard input, a database address, or sample:NAME.
    min_support
        A count such as 25, or a share such as 0.01.
    kind
        complete, closed or maximal (transactions).
    min_length
        The fewest items.
    max_length
        The most items.
    items
        Only these items may occur (transactions).
    containing
        Items that every set must hold (transactions).
    """
    from tacit.mining.verbs import mine_itemsets

    loaded = _load(data, flags, shown)
    _check_flags(loaded, search, listing)
    with progress_bar(shown) as progress:
        found = mine_itemsets(
            loaded,
            min_support=min_support,
            kind=kind,
            min_length=min_length,
            max_length=max_length,
            items=items or None,
            containing=containing,
            max_itemsets=search.max_itemsets,
            threads=search.threads,
            progress=progress,
        )
    by_support = (-found.supports).argsort(kind="stable")
    return _listing(
        "itemsets",
        found.n_rows,
        len(found),
        lambda most: [str(found[int(place)]) for place in by_support[:most]],
        found.to_frame,
        listing,
    )


def rules(
    data: Source,
    /,
    *,
    min_support: ThresholdText,
    min_confidence: ShareText,
    max_length: WholeText | None = None,
    max_consequent: WholeText | None = 1,
    antecedent: Names = (),
    consequent: Names = (),
    sort_by: str = "confidence",
    search: SearchFlags = SearchFlags(),
    listing: ListingFlags = ListingFlags(),
    publishing: PublishingFlags = PublishingFlags(),
    flags: DataFlags = DataFlags(),
    shown: Shown = Shown(),
) -> Any:
    """List the association rules that reach a support and a confidence.

    With --publish and --max-posterior, the rules of a table that stay within that limit become a
    release: with their scores, with their thresholds only, or withheld.

    Parameters
    ----------
    data
        A file, - for standard input, a database address, or sample:NAME.
    min_support
        A count such as 25, or a share such as 0.01.
    min_confidence
        A share such as 0.8.
    max_length
        The most items of both sides together (for a table: of the left side).
    max_consequent
        The most items on the right side (transactions).
    antecedent
        The only items allowed on the left side (transactions).
    consequent
        The only items allowed on the right side (transactions).
    sort_by
        support, confidence, lift, leverage, conviction or jaccard.
    """
    from tacit.mining.verbs import mine_rules

    loaded = _load(data, flags, shown)
    if publishing.asked:
        _refuse_listing_flags(
            search,
            listing,
            antecedent=antecedent,
            consequent=consequent,
            sort_by=sort_by,
            other=max_consequent,
        )
        return publish_rules(
            loaded,
            publishing,
            shown,
            min_support=min_support,
            min_confidence=min_confidence,
            max_length=max_length,
            overwrite=listing.overwrite,
        )
    refuse_unused(
        publishing,
        ("scores", "min_group", "channels", "acknowledge_composition"),
        "belongs to a release of rules",
        "Give --publish, too.",
    )
    _check_flags(loaded, search, listing)
    with progress_bar(shown) as progress:
        found = mine_rules(
            loaded,
            min_support=min_support,
            min_confidence=min_confidence,
            max_length=max_length,
            max_consequent=max_consequent,
            antecedent=antecedent or None,
            consequent=consequent or None,
            max_itemsets=search.max_itemsets,
            threads=search.threads,
            progress=progress,
        ).sorted_by(sort_by)

    def lines(most: int) -> list[str]:
        lift = found.measure("lift")
        return [
            f"{rule}  (support {rule.support:,}, confidence {rule.confidence:.3f}, lift {lift[place]:.2f})"
            for place, rule in zip(range(most), found, strict=False)
        ]

    return _listing("rules", found.counts.n_rows, len(found), lines, found.to_frame, listing)


def negative(
    data: Source,
    /,
    *,
    min_expectation: ShareText = Decimal("0.9"),
    min_confidence: ShareText = Decimal(1),
    max_length: WholeText | None = 1,
    no_limit: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    correction: str = "none",
    spread: float = 0.0,
    rules: Path | None = None,
    drop_rules: Path | None = None,
    listing: ListingFlags = ListingFlags(),
    flags: DataFlags = DataFlags(),
    shown: Shown = Shown(),
) -> Listing:
    """List what people who share some quasi-identifiers never have: negative rules.

    Parameters
    ----------
    data
        A table: a file, - for standard input, a database address, or sample:NAME.
    min_expectation
        How surely an unrelated value would have shown up among the rows that match.
    min_confidence
        1 for rules without exception; lower to look around.
    max_length
        The most attributes in a rule.
    no_limit
        Rules of any length.
    correction
        none, bonferroni or bh: correct for the many pairs tested.
    spread
        Fuzzy edges of numeric intervals, as a share of their width.
    rules
        File of further rules, one a line: age=40-49 & sex=male => not disease=flu
    drop_rules
        File of rules to leave out.
    """
    from tacit.engine.choice import engine_for
    from tacit.mining.negative import mine_negative_rules

    if no_limit and max_length != 1:
        raise UsageError(
            "A length is given, and no limit as well.",
            code="flag-not-used",
            hint="Leave out --no-limit or --max-length.",
        )
    table = load_table(data, flags)
    say_notes(table, shown)
    _check_flags(table, SearchFlags(), listing)
    with progress_bar(shown) as progress:
        found = mine_negative_rules(
            table,
            min_expectation=min_expectation,
            min_confidence=min_confidence,
            max_length=None if no_limit else max_length,
            correction=correction,
            spread=spread,
            added=rules or (),
            dropped=drop_rules or (),
            progress=progress,
        )
    histogram = found.histogram(engine_for(table).combinations(table, table.roles.quasi))
    return _listing(
        "negative rules",
        len(table),
        len(found),
        lambda most: [
            f"{rule}  (expectation {rule.expectation:.4f})"
            for rule, _ in zip(found, range(most), strict=False)
        ],
        found.to_frame,
        listing,
        extra={"invalid_histogram": histogram.tolist()},
    )


def _load(data: str, flags: DataFlags, shown: Shown) -> Table | Transactions:
    refuse_unused(flags, ("hierarchy",), "says nothing about itemsets and rules")
    loaded = load_transactions(data, flags) if is_transactions(data, flags) else load_table(data, flags)
    say_notes(loaded, shown)
    return loaded


def _check_flags(loaded: Table | Transactions, search: SearchFlags, listing: ListingFlags) -> None:
    """Refuse flags of a listing that would do nothing."""
    if listing.output is None:
        refuse_unused(listing, ("overwrite",), "says nothing without --output")
    if hasattr(loaded, "roles"):
        refuse_unused(search, ("threads",), "says nothing about a table")


def _refuse_listing_flags(
    search: SearchFlags,
    listing: ListingFlags,
    *,
    antecedent: tuple[str, ...],
    consequent: tuple[str, ...],
    sort_by: str,
    other: int | None,
) -> None:
    """Refuse flags of a listing where a release is asked for."""
    because, hint = "belongs to a listing, not to a release", "Leave it out, or leave out --max-posterior."
    refuse_unused(listing, ("output",), because, "The folder of the release is named with --publish.")
    refuse_unused(search, ("max_itemsets", "threads"), because, hint)
    if antecedent or consequent or sort_by != "confidence" or other != 1:
        raise UsageError(
            "Which rules a release holds, and in which order, is not for flags of a listing to say.",
            code="flag-not-used",
            hint="Leave out --antecedent, --consequent, --max-consequent and --sort-by.",
        )


def _listing(
    what: str,
    n_rows: int,
    count: int,
    lines: Callable[[int], list[str]],
    frame: Callable[[], pl.DataFrame],
    flags: ListingFlags,
    *,
    extra: dict[str, Any] | None = None,
) -> Listing:
    if flags.output is not None:
        from tacit.mining.export import write_listing

        write_listing(frame(), flags.output, overwrite=flags.overwrite)
    file = None if flags.output is None else str(flags.output)
    return Listing(what, n_rows, count, lines, lambda: frame().to_dicts(), file, extra or {})
