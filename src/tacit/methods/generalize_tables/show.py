"""A generalized table as text: the promise, what it costs, what readers learn."""

from __future__ import annotations

from typing import Any

from tacit.judging.figures import RISKS, UTILITY, lines
from tacit.methods.generalize_tables.figures import FIGURES
from tacit.methods.generalize_tables.judge import TableRisks, TableUtility
from tacit.methods.generalize_tables.page import columns_table, values_table
from tacit.showing.layout import count, facts, grid, heading, prose, share, told
from tacit.showing.page import Block


def release(made: Any) -> str:
    """A release of a table; ``made`` is the release object of the verb."""
    figures = made.to_dict()
    title = f"{count(figures['rows'])} rows, {figures['k']}-anonymous"
    best = [("The levels", "proven to lose the least")] if figures["proven"] else []
    if not figures["proven"] and figures["bound"] is not None:
        best = [("The levels", f"none lose less than {share(figures['bound'])}")]
    return "\n\n".join(
        [
            heading(title),
            prose(made.manifest.promise_words),
            facts([*lines(FIGURES, UTILITY, made.parts), *best]),
            utility(made.kept),
            "What readers can do:\n" + facts(lines(FIGURES, RISKS, made.parts)),
            prose(made.manifest.limits),
        ]
    )


def risks(found: TableRisks) -> str:
    """What readers could learn."""
    rows = [
        (one.column, count(one.fewest), count(one.homogeneous), share(one.largest_share))
        for one in found.values
    ]
    opening = f"{count(found.classes)} classes, the smallest of {count(found.smallest)} rows."
    table = grid(("sensitive", "fewest values", "rows given away", "largest share"), rows, right=(1, 2, 3))
    return f"{opening}\n{table}" if rows else opening


def utility(kept: TableUtility) -> str:
    """What detail is left, column by column."""
    rows = [
        (one.column, share(one.loss), share(one.entropy), count(one.published_values)) for one in kept.columns
    ]
    return "What is lost:\n" + grid(
        ("column", "loss", "information", "different values left"), rows, right=(1, 2, 3)
    )


def risk_blocks(found: TableRisks) -> list[Block]:
    """What readers could learn, for a notebook."""
    return [values_table(found.to_dict()["values"])]


def utility_blocks(kept: TableUtility) -> list[Block]:
    """What detail is left, for a notebook."""
    return [columns_table(kept.to_dict()["columns"])]


TEXTS = {
    "GeneralizedTable": release,
    "TableRisks": risks,
    "TableUtility": utility,
    "TableEstimate": told,
}
BLOCKS = {"TableRisks": risk_blocks, "TableUtility": utility_blocks}
