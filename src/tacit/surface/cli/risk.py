"""``tacit risk``: what a table or a release gives away, against a named standard."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.io.output import check_file
from tacit.judging.risk.result import Risk
from tacit.judging.risk.standards import Standard
from tacit.methods import TABLE
from tacit.options import check_options, options_of
from tacit.surface.cli.common import Shown, say_notes
from tacit.surface.cli.data import DataFlags, is_transactions, load_table, load_transactions
from tacit.surface.cli.report import FactFlags
from tacit.surface.cli.verbs import DATA, command_of
from tacit.surface.dossier.facts import facts_from
from tacit.surface.reporting import risk_report
from tacit.surface.risk import risk as verb
from tacit.surface.risk_data import WITH_TOTALS, is_release

REFUSED = 9
"""The exit code where a gate does not open."""


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class RiskFlags:
    """How the risks are told."""

    gate: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Exit with 9 unless everything that the standards ask was measured and holds, for use in a pipeline."
    markdown: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Print Markdown, for a pull request."
    report: Annotated[Path | None, Parameter(name=["--report"])] = None
    "Write a dossier to sign beside what is printed: an .html or a .pdf file."
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Write over a file that is there."
    standards: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "List the standards with their sources, and measure nothing."


@dataclass(frozen=True)
class Told:
    """Risks, as asked for at the command line."""

    risk: Risk
    flags: RiskFlags

    @property
    def exit_code(self) -> int:
        return REFUSED if self.flags.gate and not self.risk.ok else 0

    def to_dict(self) -> dict[str, Any]:
        return self.risk.to_dict()

    def __str__(self) -> str:
        return self.risk.to_markdown() if self.flags.markdown else str(self.risk)


@dataclass(frozen=True)
class Listed:
    """The standards that are known."""

    standards: tuple[Standard, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"standards": [one.to_dict() for one in self.standards]}

    def __str__(self) -> str:
        from tacit.judging.risk.show import standards_text

        return standards_text(self.standards)


def _risk(
    data: str, typed: dict[str, Any], told: RiskFlags, stated: FactFlags, flags: DataFlags, shown: Shown
) -> Any:
    if told.standards:
        from tacit.judging.risk.standards import all_standards

        return Listed(all_standards())
    given = {name: value for name, value in typed.items() if value is not None}
    check_options("risk", options_of(verb), given)
    _check_call(data, given, told)
    if told.report is not None:
        check_file(told.report, overwrite=told.overwrite)
    if is_release(data):
        found = _with_attack(verb(data, **given), data)
    elif is_transactions(data, flags):
        found = verb(load_transactions(data, flags), **given)
    else:
        if "counts" in given and flags.skip_last is None:
            flags = replace(flags, **WITH_TOTALS)
        found = verb(load_table(data, flags), **given)
    say_notes(found, shown)
    if told.report is not None:
        made = risk_report(found, facts=facts_from(stated), source=data)
        made.save(told.report, overwrite=told.overwrite)
    return Told(found, told)


def _check_call(data: str, given: dict[str, Any], told: RiskFlags) -> None:
    if not data:
        raise UsageError(
            "There is nothing to measure.",
            code="parameter-missing",
            option="data",
            hint="Name a table or a folder with a release; --standards lists the standards.",
        )
    if told.gate and not given.get("standard") and not given.get("control"):
        raise UsageError(
            "The flag --gate needs a standard or a control group.",
            code="flag-not-used",
            option="standard",
            hint="Name one with --standard; --standards lists them.",
        )


def _with_attack(found: Risk, folder: str) -> Risk:
    """What was found, and whom a release names that was made with near partners."""
    from tacit.release import read_manifest

    if read_manifest(Path(folder)).parameters.get("partners") != "near":
        return found
    from tacit.methods.bucketize.attacking import attack_release

    return replace(found, warnings=(str(attack_release(folder)),))


risk = command_of(
    verb,
    _risk,
    options_of(verb).values(),
    name="risk",
    takes=DATA[TABLE] + " Or a folder with a release.",
    plumbing={"told": RiskFlags, "stated": FactFlags, "flags": DataFlags, "shown": Shown},
)
_data, *_flags = inspect.signature(risk).parameters.values()
risk.__signature__ = inspect.Signature([_data.replace(default=""), *_flags])  # type: ignore[attr-defined]
