"""``tacit risk``: what a table or a release gives away, against a named standard."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tacit.methods import TABLE
from tacit.options import check_options, options_of
from tacit.surface.cli.common import Shown, say_notes
from tacit.surface.cli.data import DataFlags, load_table
from tacit.surface.cli.verbs import DATA, command_of
from tacit.surface.risk import risk as verb


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class RiskFlags:
    """How the risks are told."""

    markdown: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Print Markdown, for a pull request."


def _risk(data: str, typed: dict[str, Any], told: RiskFlags, flags: DataFlags, shown: Shown) -> Any:
    given = {name: value for name, value in typed.items() if value is not None}
    check_options("risk", options_of(verb), given)
    if _published_with_near_partners(data):
        from tacit.methods.bucketize.attacking import attack_release

        return attack_release(data)
    table = load_table(data, flags)
    found = verb(table, **given)
    say_notes(found, shown)
    return found.to_markdown() if told.markdown else found


def _published_with_near_partners(data: str) -> bool:
    """Whether a folder holds one of the old releases that name people by how their rows were grouped."""
    if not (Path(data) / "release.json").is_file():
        return False
    from tacit.release import read_manifest

    return read_manifest(Path(data)).parameters.get("partners") == "near"


risk = command_of(
    verb,
    _risk,
    options_of(verb).values(),
    name="risk",
    takes=DATA[TABLE] + " Or a folder with a release.",
    plumbing={"told": RiskFlags, "flags": DataFlags, "shown": Shown},
)
