"""The sanitization matrix as the text has it: a table of -1, 0 and 1, and transactions times it."""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import new_flag
from tacit.engine.kernels.sanitizing import ALWAYS, Draws, drawn_removals
from tacit.methods.hide.solve.matrix import SanitizationMatrix


def dense(matrix: SanitizationMatrix) -> np.ndarray:
    """S itself, for small vocabularies."""
    table = np.eye(len(matrix.vocabulary), dtype=np.int64)
    for victim, kept_by in matrix.keepers.items():
        table[list(kept_by), victim] = 1
    for mark in matrix.marks:
        table[mark.cause, mark.victim] = 0 if mark.cause == mark.victim else -1
    return table


def taken_out(matrix: SanitizationMatrix, indptr: np.ndarray, items: np.ndarray) -> np.ndarray:
    """D × S with the text's rules for 0/1 tables and no probabilities: which cells of D become 0."""
    always = np.full(len(matrix.marks), ALWAYS, dtype=np.uint64)
    words, nothing = np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
    draws = Draws(np.uint64(0), np.uint64(0), words.reshape(0, 2), nothing, words)
    return drawn_removals(indptr, items, matrix.columns, always, np.zeros_like(always), draws, new_flag())
