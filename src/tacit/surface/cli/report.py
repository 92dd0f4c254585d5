"""``tacit report``: what a release gives away and what it does not, as one HTML file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.options import options_of
from tacit.surface.cli.common import Shown, split_commas
from tacit.surface.cli.flags import group_of
from tacit.surface.dossier.facts import Facts, facts, facts_from


@dataclass(frozen=True)
class ReportWritten:
    """Where a report was written, and whether the verifier found nothing broken."""

    file: str
    releases: tuple[str, ...]
    ok: bool
    for_owner: bool
    bytes: int

    @property
    def exit_code(self) -> int:
        """A report of a release that is refused is written all the same, and says so in its exit code."""
        return 0 if self.ok else 7

    def to_dict(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "releases": list(self.releases),
            "ok": self.ok,
            "for_owner": self.for_owner,
            "bytes": self.bytes,
        }

    def __str__(self) -> str:
        several = len(self.releases) > 1
        refuses = "a release" if several else "the release"
        outcome = "The verifier found nothing broken." if self.ok else f"The verifier refuses {refuses}."
        closing = " It holds what only you may see: do not pass it on." if self.for_owner else ""
        return f"{outcome} The report is in {self.file}; open it in a browser or print it.{closing}"


_Facts: Any = group_of("_Facts", options_of(facts).values(), group="Dossier")


class FactFlags(_Facts):  # type: ignore[misc]
    """What only the owner can say of a release."""


def stated_facts(flags: Any, recipe: Path | None) -> Facts:
    """The facts of the flags; what they do not say is taken from a recipe."""
    stated = facts_from(flags)
    if recipe is None:
        return stated
    from tacit.surface.recipe import load_recipe

    told = load_recipe(recipe).dossier
    given = {name: value for name, value in vars(stated).items() if value is not None}
    return replace(facts_from(told), **given)


def report(
    folder: Path,
    /,
    *others: Path,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    owner: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    standard: Annotated[
        tuple[str, ...], Parameter(consume_multiple=False, negative="", converter=split_commas)
    ] = (),
    original: Path | None = None,
    recipe: Path | None = None,
    stated: FactFlags = FactFlags(),
    shown: Shown | None = None,
) -> ReportWritten:
    """Write a report of a release: one self-contained HTML file that works offline, on screen and on paper.

    It begins with a page to sign. The release is verified again for it; exit code 7 where it is refused.

    Parameters
    ----------
    folder
        The release.
    others
        More releases of the same source: the report then sets them all side by side.
    output
        The file to write; by default it is called like the release, or comparison.html, and lies beside it.
    overwrite
        Write over a file that is there.
    owner
        Add what only the owner of the release may see, from its private record; for nobody else.
    standard
        Named standards that the release is held against; 'tacit risk --standards' lists them.
    original
        The original table, whose columns say which were dropped.
    recipe
        A recipe whose table [dossier] states the owner's facts; flags go before it.
    """
    from tacit.release import read_manifest
    from tacit.surface.reporting import check_report, comparison_report, open_release, report_path

    if others and owner:
        raise UsageError(
            "Releases side by side have no part for the owner only.",
            code="flag-not-used",
            hint="Leave --owner out, or name one release.",
        )
    if others and (standard or original or recipe or stated != FactFlags()):
        raise UsageError(
            "Releases side by side have no page to sign, and no facts and standards on it.",
            code="flag-not-used",
            hint="Leave these flags out, or name one release.",
        )
    folders = (folder, *others)
    usual = folder.with_name("comparison.html") if others else report_path(folder, owner=owner)
    file = usual if output is None else output
    for one in folders:
        read_manifest(one)  # a folder without a release is the first thing to say
        check_report(file, one, overwrite=overwrite)
    made = (
        comparison_report(folders)
        if others
        else open_release(folder).report(
            owner=owner, standard=standard, original=original, facts=stated_facts(stated, recipe)
        )
    )
    place = made.save(file, overwrite=overwrite)
    names = tuple(str(one) for one in folders)
    return ReportWritten(str(file), names, made.ok, made.for_owner, place.stat().st_size)
