"""What a reader could mine from the data, and infer from rules: ``tacit mine`` and ``tacit disclose``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cyclopts import Parameter

from tacit.methods import TABLE
from tacit.methods.disclose.result import Disclosure
from tacit.methods.disclose.verb import disclose as verb
from tacit.mining.verbs import mine_itemsets, mine_negative_rules, mine_rules
from tacit.options import asked_of, check_options, options_of
from tacit.surface.cli.common import Flag, OutputFlag, Shown, misused, progress_bar, refuse_unused, say
from tacit.surface.cli.data import DataFlags, group_of, is_transactions, load, load_table
from tacit.surface.cli.verbs import DATA, command_of

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.data.transactions import Transactions
    from tacit.mining.rules import Mined


LISTED = 25
"""How many lines a terminal is shown; the rest is counted, and written with --output."""


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class ListingFlags:
    """Where the whole listing goes."""

    output: OutputFlag = None
    "File for the whole listing: .csv, .json or .parquet."
    overwrite: Flag = False
    "Write over a file that is there."


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class OrderFlags:
    """In which order rules are listed."""

    sort_by: str = "confidence"
    "support, confidence, lift, leverage, conviction or jaccard."


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


def _itemsets(
    data: str, typed: dict[str, Any], listing: ListingFlags, flags: DataFlags, shown: Shown
) -> Listing:
    loaded = _load(data, flags, listing, shown, threads=typed.get("threads"))
    with progress_bar(shown) as progress:
        found = mine_itemsets(loaded, **typed, progress=progress)

    def lines(most: int) -> list[str]:
        return [str(found[int(place)]) for place in (-found.supports).argsort(kind="stable")[:most]]

    return _listing("itemsets", found.n_rows, found, lines, listing)


def _rules(
    data: str,
    typed: dict[str, Any],
    order: OrderFlags,
    listing: ListingFlags,
    flags: DataFlags,
    shown: Shown,
) -> Listing:
    loaded = _load(data, flags, listing, shown, threads=typed.get("threads"))
    with progress_bar(shown) as progress:
        found = mine_rules(loaded, **typed, progress=progress).sorted_by(order.sort_by)

    def lines(most: int) -> list[str]:
        lift = found.measure("lift")
        return [
            f"{rule}  (support {rule.support:,}, confidence {rule.confidence:.3f}, lift {lift[place]:.2f})"
            for place, rule in zip(range(most), found, strict=False)
        ]

    return _listing("rules", found.counts.n_rows, found, lines, listing)


def _negative(
    data: str, typed: dict[str, Any], listing: ListingFlags, flags: DataFlags, shown: Shown
) -> Listing:
    from tacit.engine.choice import engine_for

    table = load_table(data, flags)
    say(table.notes, shown)
    _check_listing(listing)
    with progress_bar(shown) as progress:
        found = mine_negative_rules(table, **typed, progress=progress)
    histogram = found.histogram(engine_for(table).combinations(table, table.roles.quasi))
    return _listing(
        "negative rules",
        len(table),
        found,
        lambda most: [
            f"{rule}  (expectation {rule.expectation:.4f}{', may be chance' * rule.may_be_chance})"
            for rule in (found[place] for place in found.firm_first[:most])
        ],
        listing,
        extra={"invalid_histogram": histogram.tolist()},
    )


def _load(
    data: str, flags: DataFlags, listing: ListingFlags, shown: Shown, *, threads: int | None
) -> Table | Transactions:
    refuse_unused(flags, ("hierarchy",), "says nothing about itemsets and rules")
    _check_listing(listing)
    if threads is not None and not is_transactions(data, flags):
        raise misused("The flag --threads says nothing about a table.", "Leave it out.")
    return load(data, flags, shown)


def _check_listing(listing: ListingFlags) -> None:
    if listing.output is None:
        refuse_unused(listing, ("overwrite",), "says nothing without --output")


def _listing(
    what: str,
    n_rows: int,
    found: Mined,
    lines: Callable[[int], list[str]],
    flags: ListingFlags,
    *,
    extra: dict[str, Any] | None = None,
) -> Listing:
    if flags.output is not None:
        from tacit.mining.rules import in_pieces, write_listing

        write_listing(in_pieces(found), flags.output, overwrite=flags.overwrite)
    file = None if flags.output is None else str(flags.output)
    return Listing(what, n_rows, len(found), lines, lambda: found.to_frame().to_dicts(), file, extra or {})


_SOURCE = "A file, - for standard input, a database address, or sample:NAME."
_SHOWN: dict[str, Any] = {"listing": ListingFlags, "flags": DataFlags, "shown": Shown}
itemsets = command_of(mine_itemsets, _itemsets, _SOURCE, **_SHOWN)
rules = command_of(mine_rules, _rules, _SOURCE, order=OrderFlags, **_SHOWN)
negative = command_of(mine_negative_rules, _negative, DATA[TABLE], **_SHOWN)


_TOLD = options_of(Disclosure.report)
_TOLD = _TOLD | {"bounds": replace(_TOLD["bounds"], default=3)}
_Flags: Any = group_of("_Flags", _TOLD.values(), group="Output")


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class ToldFlags(_Flags):  # type: ignore[misc]
    """What is told of the people."""

    dry_run: Flag = False
    "Say how many constraints and variables there would be, with an estimate of time and memory."


def _disclose(data: str, typed: dict[str, Any], told: ToldFlags, flags: DataFlags, shown: Shown) -> Any:
    people = {name: getattr(told, name) for name in _TOLD}
    check_options("disclose", _TOLD, people)
    table = load_table(data, flags)
    say(table.notes, shown)
    if told.dry_run:
        from tacit.methods.disclose.make import disclosure_size

        return disclosure_size(asked_of(verb, table, typed))
    with progress_bar(shown) as progress:
        return verb(table, **typed, progress=progress).report(**people)


disclose = command_of(verb, _disclose, DATA[TABLE], told=ToldFlags, flags=DataFlags, shown=Shown)
