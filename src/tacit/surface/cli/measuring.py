"""Data measured, and nothing published: ``tacit risk``, ``profile`` and ``sweep``."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter, Token

from tacit.errors import UsageError
from tacit.io.output import check_file
from tacit.judging.profile import FOLD, TableProfile, TransactionsProfile
from tacit.judging.risk.figures import Risk
from tacit.judging.risk.standards import Standard
from tacit.methods import TABLE
from tacit.surface.cli.common import Flag, Shown, Source, as_whole, misused, progress_bar, say, split_commas
from tacit.surface.cli.data import DataFlags, load
from tacit.surface.cli.reports import FactFlags
from tacit.surface.cli.verbs import DATA, command_of
from tacit.surface.dossier.facts import facts_from
from tacit.surface.reporting import risk_report
from tacit.surface.risk import WITH_TOTALS, is_release
from tacit.surface.risk import risk as verb
from tacit.surface.sweep import K, L, M, Sweep
from tacit.surface.sweep import sweep as try_all

REFUSED = 9
"""The exit code where a gate does not open."""


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class RiskFlags:
    """How the risks are told."""

    gate: Flag = False
    "Exit with 9 unless everything that the standards ask was measured and holds, for use in a pipeline."
    markdown: Flag = False
    "Print Markdown, for a pull request."
    report: Annotated[Path | None, Parameter(name=["--report"])] = None
    "Write a dossier to sign beside what is printed: an .html or a .pdf file."
    overwrite: Flag = False
    "Write over a file that is there."
    standards: Flag = False
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
    _check_call(data, typed, told)
    if told.report is not None:
        check_file(told.report, overwrite=told.overwrite)
    if is_release(data):
        found = _with_attack(verb(data, **typed), data)
    else:
        if "counts" in typed and flags.skip_last is None:
            flags = replace(flags, **WITH_TOTALS)
        found = verb(load(data, flags, Shown(quiet=True)), **typed)
    say(found.notes, shown)
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
        raise misused(
            "The flag --gate needs a standard or a control group.",
            "Name one with --standard; --standards lists them.",
            option="standard",
        )


def _with_attack(found: Risk, folder: str) -> Risk:
    """What was found, and whom a release names that was made with near partners."""
    from tacit.release import read_manifest

    if read_manifest(Path(folder)).parameters.get("partners") != "near":
        return found
    from tacit.methods.bucketize.attacks import attack_release

    return replace(found, warnings=(str(attack_release(folder)),))


risk = command_of(
    verb,
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
    data: Source, /, *, flags: DataFlags = DataFlags(), shown: Shown = Shown()
) -> TableProfile | TransactionsProfile:
    """Show what is in a data set, what is at risk as it stands, and which method fits.

    Roles that are not given are guessed. Nothing is written.

    Parameters
    ----------
    data
        A file, - for standard input, a database address, or sample:NAME.
    """
    from tacit.judging.profile import profile as judge

    found = judge(load(data, flags, Shown(quiet=True)))
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


def _numbers(type_: Any, tokens: Sequence[Token]) -> tuple[int, ...]:
    """Whole numbers, comma-separated or repeated: ``-k 5,11 -k 20``."""
    return tuple(
        as_whole(int, [Token(keyword=tokens[0].keyword, value=part)]) for part in split_commas(str, tokens)
    )


Numbers = Annotated[tuple[int, ...], Parameter(converter=_numbers, n_tokens=1, accepts_keys=False)]


def sweep(
    data: Source,
    /,
    *,
    k: Annotated[Numbers, Parameter(name=("-k", "--k"))] = K,
    l: Annotated[Numbers, Parameter(name=("-l", "--l"))] = L,
    m: Annotated[Numbers, Parameter(name=("-m", "--m"))] = M,
    flags: DataFlags = DataFlags(),
    shown: Shown = Shown(),
) -> Sweep:
    """Try a range of settings and methods, and show what each risks and loses; nothing is published.

    Risk is measured on thresholds that never move, so that all tries can be compared.

    Parameters
    ----------
    data
        A file, - for standard input, a database address, or sample:NAME.
    k
        The fewest rows or records that look alike, as generalize takes it.
    l
        The possible values that everybody keeps, as bucketize takes them.
    m
        The items that a reader may know of a person, as generalize takes them for sets.
    """
    loaded = load(data, flags, shown)
    with progress_bar(shown) as progress:
        return try_all(loaded, k=k, l=l, m=m, progress=progress)
