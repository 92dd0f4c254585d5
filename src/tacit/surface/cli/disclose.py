"""``tacit disclose``: what publishing association rules would tell about each person."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

from cyclopts import Parameter

from tacit.methods import TABLE
from tacit.methods.disclose.result import Disclosure
from tacit.methods.disclose.verb import disclose as verb
from tacit.options import asked_of, check_options, options_of
from tacit.surface.cli.common import Shown, progress_bar, say_notes
from tacit.surface.cli.data import DataFlags, load_table
from tacit.surface.cli.flags import group_of
from tacit.surface.cli.verbs import DATA, command_of

_TOLD = options_of(Disclosure.report)
_TOLD = _TOLD | {"bounds": replace(_TOLD["bounds"], default=3)}
_Flags: Any = group_of("_Flags", _TOLD.values(), group="Output")


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class ToldFlags(_Flags):  # type: ignore[misc]
    """What is told of the people."""

    dry_run: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Say how many constraints and variables there would be, with an estimate of time and memory."


def _disclose(data: str, typed: dict[str, Any], told: ToldFlags, flags: DataFlags, shown: Shown) -> Any:
    people = {name: getattr(told, name) for name in _TOLD}
    given = {name: value for name, value in typed.items() if value is not None}
    check_options("disclose", _TOLD, people)
    check_options("disclose", options_of(verb), given)
    table = load_table(data, flags)
    say_notes(table, shown)
    if told.dry_run:
        from tacit.methods.disclose.make import disclosure_size

        return disclosure_size(asked_of(verb, table, given))
    with progress_bar(shown) as progress:
        return verb(table, **given, progress=progress).report(**people)


disclose = command_of(
    verb,
    _disclose,
    options_of(verb).values(),
    name="disclose",
    takes=DATA[TABLE],
    plumbing={"told": ToldFlags, "flags": DataFlags, "shown": Shown},
)
