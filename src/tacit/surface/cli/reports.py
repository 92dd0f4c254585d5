"""Releases for others to look at: ``tacit report``, ``compare`` and ``export``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tacit.options import options_of
from tacit.surface.cli.common import Flag, OutputFlag, Shown, misused, split_commas
from tacit.surface.cli.data import group_of
from tacit.surface.compare import Comparison
from tacit.surface.dossier.facts import Facts, facts, facts_from
from tacit.surface.export import Exported
from tacit.surface.export import export as export_release


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
    from tacit.surface.recipe.load import load_recipe

    told = load_recipe(recipe).dossier
    given = {name: value for name, value in vars(stated).items() if value is not None}
    return replace(facts_from(told), **given)


def report(
    folder: Path,
    /,
    *others: Path,
    output: OutputFlag = None,
    overwrite: Flag = False,
    owner: Flag = False,
    standard: Annotated[
        tuple[str, ...], Parameter(consume_multiple=False, negative="", converter=split_commas)
    ] = (),
    original: Path | None = None,
    recipe: Path | None = None,
    stated: FactFlags = FactFlags(),
    shown: Shown = Shown(),
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
        raise misused(
            "Releases side by side have no part for the owner only.",
            "Leave --owner out, or name one release.",
        )
    if others and (standard or original or recipe or stated != FactFlags()):
        raise misused(
            "Releases side by side have no page to sign, and no facts and standards on it.",
            "Leave these flags out, or name one release.",
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


def compare(
    *folders: Path,
    plot: Path | None = None,
    overwrite: Flag = False,
    shown: Shown = Shown(),
) -> Comparison:
    """Compare releases: promise, risk, utility, size and time; exit code 7 where one is refused.

    Every release is verified again. Times are known to the owner alone, from the private record.

    Parameters
    ----------
    folders
        The releases, two or more.
    plot
        File for the plane of risk and utility: a picture (.svg) or a page with the whole comparison (.html).
    overwrite
        Write over a file that is there.
    """
    from tacit.errors import UsageError
    from tacit.io.output import check_file, whole_file
    from tacit.release.store import check_beside
    from tacit.surface.compare import compare as run

    if plot is None and overwrite:
        raise misused(
            "Nothing is replaced without a plot.", "Name its file with --plot, or leave --overwrite out."
        )
    if plot is not None:
        if plot.suffix.lower() not in (".svg", ".html"):
            raise UsageError(
                f"A plot is a picture (.svg) or a page (.html), which {plot.name!r} is not.",
                code="plot-format",
                hint="Name a file that ends in .svg or .html.",
            )
        for folder in folders:
            check_beside(plot, folder, "A plot", hint="Choose a file beside it.")
        check_file(plot, overwrite=overwrite, sources=folders)
    found = run(*folders)
    if plot is not None:
        drawn = found.plane().to_svg() if plot.suffix.lower() == ".svg" else found.page().to_html()
        with whole_file(plot, overwrite=overwrite, sources=folders) as file:
            file.write_text(drawn, encoding="utf-8")
    return found


_Copy: Any = group_of("_Copy", options_of(export_release).values(), group="Copy")


class CopyFlags(_Copy):  # type: ignore[misc]
    """How a copy of a release is written."""


def export(
    folder: Path,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    copy: CopyFlags,
    overwrite: Flag = False,
    shown: Shown = Shown(),
) -> Exported:
    """Write a published table, transactions or rules in another format, beside the release.

    A release itself holds plain text alone, because the verifier reads all of it.

    Parameters
    ----------
    folder
        The release.
    output
        The file to write.
    overwrite
        Replace the file if it is there.
    """
    return export_release(folder, output, **vars(copy), overwrite=overwrite)
