"""The papers that can be reproduced, by the word a person types."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from time import process_time

from papers.experiment import Made, Reproduction, Tell
from papers.sources import check_folder

PAPERS = {
    "injector": "Li and Li 2008: tables in buckets, against a reader who knows who cannot have what",
    "km": "Terrovitis, Mamoulis and Kalnis 2008: sets of items, k^m-anonymous",
    "hiding": "Wang, Lee and Lin 2005: patterns hidden by a sanitization matrix",
    "disclosure": "Zhu, Wang and Du 2009: what published rules give away",
}
"""The modules of this package that are papers, in the order of the methods."""
ALL = "all"


def reproduce(
    names: Iterable[str], *, data: Path | None = None, quick: bool = False, tell: Tell = lambda words: None
) -> tuple[Reproduction, ...]:
    """Make the figures of papers, in order, with the published data where they are at hand."""
    folder = check_folder(data)
    return tuple(_one(name, folder, quick=quick, tell=tell) for name in names)


def _one(name: str, folder: Path | None, *, quick: bool, tell: Tell) -> Reproduction:
    started = process_time()
    paper = import_module(f"papers.{name}")
    made: Made = paper.reproduce(data=folder, quick=quick, tell=lambda words: tell(f"{name}: {words}"))
    seconds = process_time() - started
    return Reproduction(name, paper.TITLE, paper.CITATION, made.data, made.figures, quick, seconds)
