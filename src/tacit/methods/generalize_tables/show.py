"""A generalized table, shown: the promise, what it costs, what readers learn, what its figures mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.judging.figures import RISKS, UTILITY, lines, two_digits
from tacit.methods.generalize_tables.figures import FIGURES
from tacit.methods.generalize_tables.judge import TableRisks, TableUtility
from tacit.release.kinds import few_words, rule_blocks
from tacit.release.verification import Told
from tacit.showing.chart import bar_chart, line_chart
from tacit.showing.layout import (
    count,
    facts,
    grid,
    heading,
    left_out,
    plural,
    prose,
    share,
    surest_words,
    told,
)
from tacit.showing.page import Block, DataTable

KEY_FIGURES = ("prosecutor", "homogeneous", "loss")


def what(told: Told) -> str:
    parameters, promise = told.manifest.parameters, told.manifest.promise
    return f"A table of {plural(parameters['rows'], 'row')}, {promise['k']}-anonymous"


def files(told: Told) -> str:
    parameters = told.manifest.parameters
    quasi, sensitive = ", ".join(parameters["quasi"]), ", ".join(parameters["sensitive"])
    out = "".join(f" {sentence}" for sentence in left_out(parameters))
    held = f" and {sensitive}, as it is" if sensitive else ""
    return (
        f"table.csv holds a line for each person with {quasi}, made coarser{held}. hierarchies.csv says what"
        f" stands above each of the coarser values; NaN among them is a missing value.{out}"
    )


def plainly(told: Told) -> list[str]:
    learned = surest_words(told.risks.get("learning"), "Software that learns from the release")
    return [*_promised(told), *learned]


def _promised(told: Told) -> list[str]:
    """What the promise about sensitive values leaves open."""
    parameters, promise = told.manifest.parameters, told.manifest.promise
    if not {"l", "entropy_l", "recursive", "t"} & set(promise):
        if not parameters["sensitive"]:
            return []
        return [
            "Nothing is promised about sensitive values: where all rows of a class have the same, whoever"
            " knows that somebody is among them knows it."
        ]
    if "epsilon" not in parameters:  # the promise itself says so
        return []
    odds = f"{math.exp(parameters['epsilon']):.2f} times the odds stated (ε = {parameters['epsilon']:g})"
    if told.manifest.reader["rules"] or "mined" in told.manifest.reader:
        return [f"Where no rule matters, a reader who knows how Tacit makes classes has at most {odds}."]
    return [f"A reader who knows how Tacit makes classes has at most {odds}."]


def reader(told: Told) -> list[Block]:
    return rule_blocks(told)


def risks(told: Told) -> list[Block]:
    return [values_table(told.risks["values"])] if told.risks["values"] else []


def utility(told: Told) -> list[Block]:
    return [columns_chart(told.utility["columns"]), columns_table(told.utility["columns"])]


def owner(told: Told) -> list[Block]:
    record = told.record or {}
    blocks: list[Block] = []
    if record.get("levels") is not None:
        rows = list(zip(told.manifest.parameters["quasi"], record["levels"], strict=True))
        blocks.append(DataTable(["column", "level"], rows, "The level of each column"))
    if record.get("space"):
        blocks.append(space_chart(record["space"]))
    return blocks


def values_table(values: Sequence[Mapping[str, Any]]) -> Block:
    """What classes give away of each sensitive column."""
    names = [
        "column",
        "fewest values of a class",
        "rows of classes with one value",
        "largest share of a value",
    ]
    return DataTable(names, _value_rows(values), "What classes tell of sensitive columns")


def _value_rows(values: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (one["column"], count(one["fewest"]), count(one["homogeneous"]), share(one["largest_share"]))
        for one in values
    ]


def columns_table(columns: Sequence[Mapping[str, Any]]) -> Block:
    """What each quasi-identifier lost."""
    names = ["column", "loss", "information lost", "different values left"]
    return DataTable(names, _column_rows(columns), "What each column lost")


def _column_rows(columns: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (one["column"], share(one["loss"]), share(one["entropy"]), count(one["published_values"]))
        for one in columns
    ]


def columns_chart(columns: Sequence[Mapping[str, Any]]) -> Block:
    """The loss of each quasi-identifier."""
    return bar_chart(
        [{"column": one["column"], "loss": one["loss"]} for one in columns],
        horizontal=True,
        title="Loss of detail by column",
        caption="0 % is a column as it was, 100 % one of which nothing is left.",
        y_title="mean loss of a cell",
        y_format=".3~%",
        width=480,
    )


def space_chart(space: Sequence[Mapping[str, Any]]) -> Block:
    """The solution space of levels: what can be had at each height of the lattice."""
    rows = [
        {"levels": str(step["levels"]), "loss": step[name], "of the states": title}
        for step in space
        for name, title in (("least", "least loss found"), ("bound", "least loss possible"))
        if step[name] is not None
    ]
    looked = sum(step["evaluated"] for step in space)
    states = sum(step["states"] for step in space)
    return line_chart(
        rows,
        title="The solution space",
        caption=f"{count(states)} ways to choose a level for each column, by the sum of their levels;"
        f" {count(looked)} were evaluated, the others excluded by bounds.",
        x_title="levels above the values, all columns together",
        y_title="loss of detail",
        y_format=".3~%",
    )


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
            prose(
                " ".join([made.manifest.promise_words, *left_out(made.manifest.parameters), *_known(made)])
            ),
            facts([*lines(FIGURES, UTILITY, made.parts), *best]),
            utility_text(made.kept),
            *_rounded_ranges(made),
            "What readers can do:\n" + facts(lines(FIGURES, RISKS, made.parts)),
            prose(made.manifest.limits),
        ]
    )


def _known(made: Any) -> list[str]:
    """How many rules readers are taken to know, and which of them are published with the table."""
    if not made.knowledge:
        return []
    return [
        f"Readers are taken to know {plural(len(made.knowledge), 'rule')} of the data. release.json does not"
        " state those that were mined, which would tell of finer groups than the table shows, only how they"
        " were looked for.",
        *few_words(made.knowledge, made.manifest.promise["k"]),
    ]


def _rounded_ranges(made: Any) -> list[str]:
    """That the release states another loss than is shown here, where it does."""
    stated = made.manifest.utility
    losses = {one["column"]: one["loss"] for one in stated["columns"]}
    other = [
        f"{one.column} {share(losses[one.column])}"
        for one in made.kept.columns
        if losses[one.column] != two_digits(one.loss)
    ]
    if not other:
        return []
    return [
        prose(
            f"release.json states a loss of {share(stated['loss'])}: {', '.join(other)}. There the width of"
            " an interval is held against a range rounded up, because the range itself would tell the largest"
            " value."
        )
    ]


def risks_text(found: TableRisks) -> str:
    """What readers could learn."""
    rows = _value_rows(found.to_dict()["values"])
    opening = f"{count(found.classes)} classes, the smallest of {count(found.smallest)} rows."
    table = grid(("sensitive", "fewest values", "rows given away", "largest share"), rows, right=(1, 2, 3))
    return f"{opening}\n{table}" if rows else opening


def utility_text(kept: TableUtility) -> str:
    """What detail is left, column by column."""
    names = ("column", "loss", "information", "different values left")
    return "What is lost:\n" + grid(names, _column_rows(kept.to_dict()["columns"]), right=(1, 2, 3))


TEXTS = {
    "GeneralizedTable": release,
    "TableRisks": risks_text,
    "TableUtility": utility_text,
    "TableEstimate": told,
}
BLOCKS = {
    "TableRisks": lambda found: [values_table(found.to_dict()["values"])],
    "TableUtility": lambda kept: [columns_table(kept.to_dict()["columns"])],
}
