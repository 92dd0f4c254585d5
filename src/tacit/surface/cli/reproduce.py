"""``tacit reproduce``: the papers' figures, with what they print beside what is found here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tacit.surface.cli.common import Shown, progress_bar
from tacit.surface.reproduce.writing import Written


def reproduce(
    paper: str,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("out/reproduce"),
    data: Path | None = None,
    quick: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    shown: Shown = Shown(),
) -> Written:
    """Make the figures of a paper again, and set what it prints beside what is found here.

    Writes the data of each figure (CSV), its plots (SVG) and one page (HTML). The papers' own data are
    used where they are at hand, samples made up here otherwise; the page says which.

    Parameters
    ----------
    paper
        injector, km, hiding, disclosure, or all of them: all.
    output
        Folder for what is written; what an earlier run wrote there is replaced.
    data
        Folder of the public data sets; TACIT_DATA names it otherwise.
    quick
        Fewer points and smaller data, in a minute or two.
    """
    from tacit.surface.reproduce.papers import papers
    from tacit.surface.reproduce.papers import reproduce as run
    from tacit.surface.reproduce.writing import check_output, write

    names = papers(paper)
    check_output(output, page=paper)
    with progress_bar(shown) as progress:
        found = run(names, data=data, quick=quick, progress=progress)
        return write(found, output, page=paper)
