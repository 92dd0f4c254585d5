"""The papers reproduced: each figure made again, with what the paper prints beside what is found here.

Each paper is a module with one function, ``reproduce(*, data, quick, progress) -> Reproduction``,
and stands in :data:`tacit.reproduce.papers.PAPERS` under its name.
"""

from tacit.reproduce.experiment import Figure, Finding, Reproduction, Rows
from tacit.reproduce.papers import ALL, PAPERS, papers, reproduce
from tacit.reproduce.writing import Written, write

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
