"""The papers reproduced: each figure made again, with what the paper prints beside what is found here.

Each paper is a module with one function, ``reproduce(*, data, quick, progress) -> Reproduction``,
and stands in :data:`tacit.surface.reproduce.papers.PAPERS` under its name.
"""

from tacit.surface.reproduce.experiment import Figure, Finding, Reproduction, Rows
from tacit.surface.reproduce.papers import ALL, PAPERS, papers, reproduce
from tacit.surface.reproduce.writing import Written, write

__all__ = [
    "ALL",
    "PAPERS",
    "Figure",
    "Finding",
    "Reproduction",
    "Rows",
    "Written",
    "papers",
    "reproduce",
    "write",
]
