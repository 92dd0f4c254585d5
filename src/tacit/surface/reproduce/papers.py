"""The papers that can be reproduced, by the word a person types."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from tacit.errors import UsageError, shorten
from tacit.surface.reproduce.experiment import Reproduction
from tacit.surface.reproduce.sources import check_folder
from tacit.typing import Progress

PAPERS = {
    "injector": "Li and Li 2008: tables in buckets, against a reader who knows who cannot have what",
    "km": "Terrovitis, Mamoulis and Kalnis 2008: sets of items, k^m-anonymous",
    "hiding": "Wang, Lee and Lin 2005: patterns hidden by a sanitization matrix",
    "disclosure": "Zhu, Wang and Du 2009: what published rules give away",
}
"""The modules of this package that are papers, in the order of the methods."""
ALL = "all"


class Experiment(Protocol):
    """What the module of a paper offers as ``reproduce``."""

    def __call__(self, *, data: Path | None, quick: bool, progress: Progress) -> Reproduction:
        """Make the paper's figures; ``data`` is the folder of the public data sets, where there is one."""
        ...


def papers(name: str) -> tuple[str, ...]:
    """The papers a word asks for: one, or all of them."""
    if name == ALL:
        return tuple(PAPERS)
    if name not in PAPERS:
        raise UsageError(
            f"There is no paper {shorten(name)!r} to reproduce.",
            code="unknown-paper",
            hint=f"Say {', '.join(PAPERS)} or {ALL}.",
        )
    return (name,)


def reproduce(
    names: Iterable[str], *, data: Path | None = None, quick: bool = False, progress: Progress | None = None
) -> tuple[Reproduction, ...]:
    """Make the figures of papers, in order, with the published data where they are at hand."""
    folder = check_folder(data)
    found = []
    for name in names:
        experiment = cast(Experiment, import_module(f"tacit.surface.reproduce.{name}").reproduce)
        found.append(experiment(data=folder, quick=quick, progress=_named(name, progress)))
    return tuple(found)


def _named(name: str, progress: Progress | None) -> Progress:
    """Progress that says which paper is being made."""
    if progress is None:
        return lambda what, share: None
    return lambda what, share: progress(f"{name}: {what}", share)
