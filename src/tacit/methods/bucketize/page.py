"""What the figures of a bucketized release mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.judging.figures import RISKS
from tacit.methods.bucketize.figures import FIGURES
from tacit.mining.verbs import LOW_EXPECTATION
from tacit.release.kinds import rule_blocks
from tacit.release.verification import Told
from tacit.showing.chart import bar_chart, line_chart
from tacit.showing.layout import about, left_out, plural, share, surest_words
from tacit.showing.page import Block, DataTable, Words

NEAR = (
    "Warning: rows are grouped by near partners. A reader who knows Tacit can tell from the groups whom a"
    " cell could not place, and so what they hold. Leave partners out to group by areas instead."
)


KEY_FIGURES = ("vulnerable", "posterior", "learning")


def what(told: Told) -> str:
    parameters = told.manifest.parameters
    rows, buckets = plural(parameters["rows"], "row"), plural(parameters["buckets"], "bucket")
    return f"A table of {rows} in {buckets}"


def files(told: Told) -> str:
    parameters = told.manifest.parameters
    quasi, sensitive = ", ".join(parameters["quasi"]), ", ".join(parameters["sensitive"])
    kept = f" and {', '.join(parameters['keep'])}" if parameters["keep"] else ""
    out = "".join(f" {sentence}" for sentence in (*left_out(parameters), *joined(parameters)))
    shown = f"{quasi}{kept}, as they are"
    if "k" in parameters:
        shown = f"{quasi}, made coarser{kept}"
        out += " hierarchies.csv says what stands above each of the coarser values."
    if parameters["form"] == "qit":
        return (
            f"qit.csv holds a line for each person with {shown}, and the number of a "
            f"bucket. st.csv says which values of {sensitive} each bucket holds, and how often. Who in a "
            f"bucket has which value is not said.{out}"
        )
    return (
        f"table.csv holds a line for each person with {shown}, the number of a bucket, "
        f"and a value of {sensitive} that has changed places within the bucket.{out}"
    )


def joined(parameters: Mapping[str, Any]) -> list[str]:
    """Which values were joined, a sentence for each label."""
    return [
        f"{name} {label} stands for {', '.join('a missing value' if one is None else one for one in values)}."
        for name, labels in parameters.get("joined", {}).items()
        for label, values in labels.items()
    ]


def plainly(told: Told) -> list[str]:
    risk = told.risks
    l, rows = risk["l"], risk["rows"]
    stated = "the rules of the promise" if told.manifest.method == "injector" else "no rule"
    longer = about(risk["vulnerable_longer"], rows, rounded="vulnerable_longer" in told.rounded)
    found = [
        f"The promise is about a reader who knows {stated}, no other rules. For one who knows rules one "
        f"attribute longer, and from an expectation of {LOW_EXPECTATION:g} on, rows with fewer than {l} "
        f"possible values: {longer}.",
        f"{share(risk['unique'])} of the rows are alone with the columns that are published as they are: "
        "whoever knows these people finds their row, and what it could hold."
        if "k" not in told.manifest.parameters
        else f"At least {told.manifest.parameters['k']} rows look alike; whoever nevertheless learns which "
        f"row is somebody's still faces {l} possible values.",
    ]
    learned = surest_words(risk["learning"], "Software that learns from the release")
    counted = surest_words(risk.get("rule_guesses"), "A reader who counts by the rules alone")
    if told.manifest.method == "injector":
        found.append(_aware(told.manifest.parameters))
    return [found[0], *learned, *counted, *found[1:]]


def _aware(parameters: Mapping[str, Any]) -> str:
    """What a reader may gain who knows how groups are made."""
    if parameters.get("partners") == "near":
        return NEAR
    if parameters.get("partners") == "signatures" and "epsilon" not in parameters:
        return (
            "How groups are made tells a reader who knows Tacit nothing more than is stated, in all releases "
            "of the series together; not counted are deals drawn again because of rules that are not listed."
        )
    if "epsilon" in parameters:
        return (
            "Where no rule matters inside an area, a reader who knows how Tacit makes groups has at most "
            f"{math.exp(parameters['epsilon']):.2f} times the odds stated (ε = {parameters['epsilon']:g})."
        )
    return "What a reader may gain who knows how Tacit makes groups is not bounded."


def reader(told: Told) -> list[Block]:
    return rule_blocks(told)


def risks(told: Told) -> list[Block]:
    risk = told.risks
    blocks: list[Block] = []
    if "valid_values" in risk:
        blocks.append(valid_values_chart(risk["valid_values"], risk["l"]))
    if "posteriors" in risk:
        blocks.append(posteriors_chart(risk["posteriors"], risk["l"]))
    return blocks


def utility(told: Told) -> list[Block]:
    by_dimensions = told.utility.get("count_queries_by_dimensions")
    return [] if by_dimensions is None else [queries_chart(by_dimensions)]


def owner(told: Told) -> list[Block]:
    figures = (told.record or {}).get("figures")
    if not figures or told.manifest.method == "anatomy":
        return []
    other = figures["anatomy"]
    if other is None:
        return [Words("Anatomy cannot bucketize this table at the same ℓ: a value is too frequent.")]
    beside = {**told.parts, RISKS: other}
    rows = [
        (one.called(told.parts), one.text(one.value(told.parts)), one.text(one.value(beside)))
        for one in FIGURES
        if one.part == RISKS
    ]
    blocks: list[Block] = [
        Words("The same table published by Anatomy, which does not think of rules, would have done this:"),
        DataTable(["", "this release", "Anatomy"], rows, "This release beside Anatomy"),
    ]
    if "anatomy_valid_values" in figures:
        both = [row | {"release": "this release"} for row in _bars(told.risks.get("valid_values", ()))]
        both += [row | {"release": "Anatomy"} for row in _bars(figures["anatomy_valid_values"])]
        blocks.append(
            bar_chart(
                sorted(both, key=lambda row: row["order"]),
                x="valid values",
                y="rows",
                series="release",
                title="Valid values per row, beside Anatomy",
                caption="How many sensitive values each row could have for a reader who knows the rules.",
                x_title="values that a row could have",
                y_title="rows",
            )
        )
    return blocks


def valid_values_chart(histogram: Sequence[Mapping[str, Any]], l: int) -> Block:
    """Rows by the number of values that each could have."""
    return bar_chart(
        [{"valid values": row["valid values"], "rows": row["rows"]} for row in _bars(histogram)],
        title="Valid values per row",
        caption="How many sensitive values each row could have for the assumed reader. Rows with fewer "
        f"than {l} would be against the promise.",
        x_title="values that a row could have",
        y_title="rows",
    )


def posteriors_chart(histogram: Sequence[Mapping[str, Any]], l: int) -> Block:
    """Rows by the chance of their likeliest value."""
    return bar_chart(
        [{"chance": f"{step['low']:.0%}", "rows": step["rows"]} for step in histogram],
        title="How sure a reader can be",
        caption="The chance of each row's likeliest value, all assignments that agree with the rules "
        f"counting alike. Were all values of a bucket alike for everybody, it would be one in {l} at most.",
        x_title="chance of the likeliest value, from … up, in steps of 5 %",
        y_title="rows",
    )


def queries_chart(errors: Sequence[Mapping[str, Any]]) -> Block:
    """The error of counts by the number of quasi-identifiers asked about."""
    rows = [
        {"quasi-identifiers": str(error["dimensions"]), "error": error[field], "answered": name}
        for field, name in (("uniform", "all values alike"), ("valid", "what the rules allow"))
        for error in errors
    ]
    return line_chart(
        rows,
        title="Error of counts against the original",
        caption="The mean relative error of random counting queries, by how many quasi-identifiers they "
        "ask about.",
        x_title="quasi-identifiers in the query",
        y_title="mean relative error",
        y_format=".3~%",
    )


def _bars(histogram: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "order": bar["values"],
            "valid values": f"{bar['values']} or more" if bar["or_more"] else str(bar["values"]),
            "rows": bar["rows"],
        }
        for bar in histogram
    ]
