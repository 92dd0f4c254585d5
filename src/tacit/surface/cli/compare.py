"""``tacit compare``: several releases of one source side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tacit.surface.cli.common import Shown
from tacit.surface.compare import Comparison


def compare(
    *folders: Path,
    plot: Path | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    shown: Shown | None = None,
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
    from tacit.io.output import absolute, check_file, refused, whole_file
    from tacit.surface.compare import compare as run

    if plot is None and overwrite:
        raise UsageError(
            "Nothing is replaced without a plot.",
            code="flag-not-used",
            hint="Name its file with --plot, or leave --overwrite out.",
        )
    if plot is not None:
        if plot.suffix.lower() not in (".svg", ".html"):
            raise UsageError(
                f"A plot is a picture (.svg) or a page (.html), which {plot.name!r} is not.",
                code="plot-format",
                hint="Name a file that ends in .svg or .html.",
            )
        for folder in folders:
            if absolute(folder) in absolute(plot).parents:
                raise refused(
                    plot,
                    "The plot would lie in the folder of a release, which holds nothing but the release.",
                    code="output-in-release",
                    hint="Choose a file beside it.",
                )
        check_file(plot, overwrite=overwrite, sources=folders)
    found = run(*folders)
    if plot is not None:
        drawn = found.plane().to_svg() if plot.suffix.lower() == ".svg" else found.page().to_html()
        with whole_file(plot, overwrite=overwrite, sources=folders) as file:
            file.write_text(drawn, encoding="utf-8")
    return found
