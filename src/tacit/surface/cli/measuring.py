"""Data measured, and nothing published: ``tacit profile``, ``risk``, ``sweep``, ``mine`` and ``disclose``.

Each command is a recipe of one measure.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.io.output import check_file
from tacit.judging.profile import FOLD, TableProfile, TransactionsProfile
from tacit.methods import TABLE
from tacit.methods.disclose.result import Disclosure
from tacit.methods.disclose.verb import disclose as disclose_rules
from tacit.mining.verbs import mine_itemsets, mine_negative_rules, mine_rules
from tacit.options import asked_of, check_options, options_of
from tacit.showing.layout import to_plain
from tacit.surface.cli.documents import FactFlags
from tacit.surface.cli.flags import (
    FROM,
    Data,
    DataFlags,
    Flag,
    Outcome,
    OutputFlag,
    Overwrite,
    Shown,
    group_of,
    misused,
    progress_bar,
    refuse_unused,
    say,
)
from tacit.surface.cli.verbs import DATA, command_of, given_of, source_of
from tacit.surface.dossier import Facts
from tacit.surface.reading import is_transactions, kind_of_data
from tacit.surface.reporting import risk_report
from tacit.surface.risk import is_release
from tacit.surface.risk import risk as measure_risk
from tacit.surface.sweep import Sweep
from tacit.surface.sweep import sweep as try_all

if TYPE_CHECKING:
    from tacit.judging.risk.figures import Risk
    from tacit.surface.recipe.prepare import Prepared

REFUSED = 9
"""The exit code where a standard or a limit is not met."""


def _prepared(verb: str, data: str, typed: dict[str, Any], flags: DataFlags, shown: Shown) -> Prepared:
    """The recipe of one measure, with its data read."""
    from tacit.surface.recipe.load import recipe_from
    from tacit.surface.recipe.model import options_measuring
    from tacit.surface.recipe.prepare import prepare_recipe

    asked = {"verb": verb, **given_of(options_measuring(verb), typed)}
    recipe = recipe_from({"source": source_of(data, flags, kind_of_data(data, flags)), "measure": [asked]})
    return prepare_recipe(recipe, existing=True, say=partial(say, shown=shown))


def _found(prepared: Prepared, shown: Shown) -> Any:
    """What the measure of a recipe finds."""
    from tacit.surface.recipe.measure import measure

    with progress_bar(shown) as progress:
        (one,) = measure(prepared, progress=progress)
    return one.found


QUIET = Shown(quiet=True)
"""What is noted of the data is said with what is found."""


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class RiskFlags:
    """How the risks are told."""

    gate: Flag = False
    "Exit with 9 also where something that the standards ask could not be judged, for use in a pipeline."
    markdown: Flag = False
    "Print Markdown, for a pull request."
    report: Annotated[Path | None, Parameter(name=["--report"])] = None
    "Write a dossier to sign beside what is printed: an .html or a .pdf file."
    overwrite: Overwrite = False
    standards: Flag = False
    "List the standards with their sources, and measure nothing."


def _risk(
    data: str, typed: dict[str, Any], told: RiskFlags, stated: FactFlags, flags: DataFlags, shown: Shown
) -> Any:
    if told.standards:
        from tacit.judging.risk.show import standards_text
        from tacit.judging.risk.standards import all_standards

        return Outcome(standards_text(all_standards()), {"standards": to_plain(all_standards())})
    if not data:
        raise UsageError(
            "There is nothing to measure.",
            code="parameter-missing",
            option="data",
            hint="Name a table or a folder with a release; --standards lists the standards.",
        )
    if told.gate and not typed.get("standard") and not typed.get("control"):
        raise misused(
            "The flag --gate needs a standard or a control group.",
            "Name one with --standard; --standards lists them.",
            option="standard",
        )
    if told.report is not None:
        check_file(told.report, overwrite=told.overwrite)
    found = _found(_prepared("risk", data, typed, flags, QUIET), shown)
    if is_release(data):
        found = _with_attack(found, data)
    say(found.notes, shown)
    if told.report is not None:
        made = risk_report(found, facts=Facts.told(stated), source=data)
        made.save(told.report, overwrite=told.overwrite)
    text = found.to_markdown() if told.markdown else str(found)
    return Outcome(text, found.to_dict(), REFUSED if found.fails or (told.gate and not found.ok) else 0)


def _with_attack(found: Risk, folder: str) -> Risk:
    """What was found, and whom a release names that was made with near partners."""
    from tacit.release import read_manifest

    if read_manifest(Path(folder)).parameters.get("partners") != "near":
        return found
    from tacit.methods.bucketize.attacks import attack_release

    return replace(found, warnings=(str(attack_release(folder)),))


risk = command_of(
    measure_risk,
    _risk,
    DATA[TABLE] + " Or a folder with a release.",
    told=RiskFlags,
    stated=FactFlags,
    flags=DataFlags,
    shown=Shown,
)
_data, *_flags = inspect.signature(risk).parameters.values()
risk.__signature__ = inspect.Signature([_data.replace(default=""), *_flags])  # type: ignore[attr-defined]


def profile(
    data: Data, /, *, flags: DataFlags = DataFlags(), shown: Shown = Shown()
) -> TableProfile | TransactionsProfile:
    """Show what is in a data set, what is at risk as it stands, and which method fits."""
    found: TableProfile | TransactionsProfile = _found(_prepared("profile", data, {}, flags, QUIET), shown)
    say(found.notes, shown)
    command = found.next_command
    if isinstance(found, TransactionsProfile):
        if flags.hierarchy is not None:
            command = command.replace("HIERARCHY", shlex.quote(str(flags.hierarchy)))
        elif found.hierarchy:  # a sample brings its own
            command = command.replace(" --hierarchy HIERARCHY", "")
        else:
            command = command.replace("--hierarchy HIERARCHY", "--propose")
        return replace(found, next_command=" ".join([command, *_reading_flags(flags, {"hierarchy"})]))
    more = " ".join(["", *_reading_flags(flags, {"quasi", "sensitive", "drop"})])
    fold = FOLD if flags.twins == DataFlags().twins else ""  # else what was asked for comes instead
    command = command.replace(FOLD, fold) + more
    bound = found.bound_command and found.bound_command.replace(FOLD, fold) + more
    return replace(found, next_command=command, bound_command=bound)


def _reading_flags(flags: DataFlags, said: set[str]) -> list[str]:
    """The flags that say how the data are read, as typed, but for those that the next command has already."""
    usual, words = DataFlags(), list[str]()
    for name in sorted({field.name for field in fields(flags)} - said):
        value = getattr(flags, name)
        if value == getattr(usual, name):
            continue
        flag = "--no-header" if name == "header" and value is False else f"--{name.replace('_', '-')}"
        text = ",".join(value) if isinstance(value, tuple) else str(value)
        words.append(flag if isinstance(value, bool) else f"{flag} {shlex.quote(text)}")
    return words


def _sweep(data: str, typed: dict[str, Any], flags: DataFlags, shown: Shown) -> Sweep:
    found: Sweep = _found(_prepared("sweep", data, typed, flags, shown), shown)
    return found


sweep = command_of(try_all, _sweep, FROM, flags=DataFlags, shown=Shown)


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class ListingFlags:
    """Where the whole listing goes."""

    output: OutputFlag = None
    "File for the whole listing: .csv, .json or .parquet."
    overwrite: Overwrite = False


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class OrderFlags:
    """In which order rules are listed."""

    sort_by: str = "confidence"
    "support, confidence, lift, leverage, conviction or jaccard."


def _mine(
    data: str,
    typed: dict[str, Any],
    *,
    verb: Callable[..., Any],
    listing: ListingFlags,
    flags: DataFlags,
    shown: Shown,
    order: OrderFlags | None = None,
) -> Outcome:
    """Mine data with a verb: what it finds is in the file asked for, all in JSON, or its first in words."""
    if listing.output is None:
        refuse_unused(listing, ("overwrite",), "says nothing without --output")
    if verb is not mine_negative_rules:
        refuse_unused(flags, ("hierarchy",), "says nothing about itemsets and rules")
        if typed.get("threads") is not None and not is_transactions(data, flags):
            raise misused("The flag --threads says nothing about a table.", "Leave it out.")
    mined = _found(_prepared(verb.__name__, data, typed, flags, shown), shown)
    if order is not None:
        mined = replace(mined, found=mined.found.sorted_by(order.sort_by))
    if listing.output is None:
        return Outcome("" if shown.json else str(mined), mined.to_dict() if shown.json else {})
    from tacit.mining.rules import in_pieces, write_listing

    write_listing(in_pieces(mined.found), listing.output, overwrite=listing.overwrite)
    plain = mined.to_dict(str(listing.output)) if shown.json else {}
    return Outcome(f"{mined.title}\nwritten to {listing.output}", plain)


_GROUPS: dict[str, Any] = {"listing": ListingFlags, "flags": DataFlags, "shown": Shown}
itemsets = command_of(mine_itemsets, partial(_mine, verb=mine_itemsets), FROM, **_GROUPS)
rules = command_of(mine_rules, partial(_mine, verb=mine_rules), FROM, order=OrderFlags, **_GROUPS)
negative = command_of(mine_negative_rules, partial(_mine, verb=mine_negative_rules), DATA[TABLE], **_GROUPS)
_TOLD = options_of(Disclosure.report)
_TOLD = _TOLD | {"bounds": replace(_TOLD["bounds"], default=3)}


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class ToldFlags(group_of(_TOLD, "Output")):  # type: ignore[misc]
    """What is told of the people."""

    dry_run: Flag = False
    "Say how many constraints and variables there would be, with an estimate of time and memory."


def _disclose(data: str, typed: dict[str, Any], told: ToldFlags, flags: DataFlags, shown: Shown) -> Any:
    people = {name: getattr(told, name) for name in _TOLD}
    check_options("disclose", _TOLD, people)
    prepared = _prepared("disclose", data, {**typed, **people}, flags, shown)
    if told.dry_run:
        from tacit.methods.disclose.make import disclosure_size

        return disclosure_size(asked_of(disclose_rules, next(iter(prepared.data.values())), typed))
    return _found(prepared, shown)


disclose = command_of(disclose_rules, _disclose, DATA[TABLE], told=ToldFlags, flags=DataFlags, shown=Shown)
