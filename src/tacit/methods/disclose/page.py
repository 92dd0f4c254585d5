"""What the figures of a release of association rules mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.judging.figures import RISKS, UTILITY, cards, named
from tacit.methods.disclose.figures import FIGURES
from tacit.release.verification import Told
from tacit.showing.chart import bar_chart, line_chart, scatter_chart
from tacit.showing.page import Block, Figure, Figures, Words
from tacit.showing.wording import plural


def what(told: Told) -> str:
    return f"{plural(told.manifest.utility['published'], 'association rule')} from a table"


def files(told: Told) -> str:
    parameters = told.manifest.parameters
    return (
        "rules.json holds the rules: what a person's quasi-identifiers are, and the sensitive value that "
        "follows, with their scores where these are published. A rule is in the list at a support of "
        f"{parameters['min_support']} and a confidence of {parameters['min_confidence']} or more."
    )


def key_figures(told: Told) -> list[Figure]:
    return cards(named(FIGURES, "posterior", "channels", "rules"), told)


def plainly(told: Told) -> list[str]:
    return []


def reader(told: Told) -> list[Block]:
    quasi = told.manifest.reader.get("quasi", [])
    return [Words(f"Known of everybody: {', '.join(quasi)}.")] if quasi else []


def risks(told: Told) -> list[Block]:
    risk = told.risks
    return [
        Figures(cards(FIGURES, told, part=RISKS)),
        Words(
            "Posteriors come from a computation that is certified: what the reader knows is met within "
            f"{risk['residual_below']:.0e} of all people.",
            "note",
        ),
    ]


def utility(told: Told) -> list[Block]:
    blocks: list[Block] = [Figures(cards(FIGURES, told, part=UTILITY))]
    if told.points:
        blocks.append(
            scatter_chart(
                told.points,
                x="support",
                y="confidence",
                title="Published rules with scores",
                caption="Each point is a rule: how many people it is about, and how often it holds.",
                x_title="support, people",
                y_title="confidence",
                y_format=".3~%",
            )
        )
    return blocks


def owner(told: Told) -> list[Block]:
    record = told.record or {}
    blocks: list[Block] = []
    if record.get("missing_scores"):
        missing = record["missing_scores"]
        blocks.append(
            Words(
                "Missing scores tell a reader who knows the procedure more of "
                f"{plural(missing['told'], 'rule')}."
            )
        )
    if record.get("posteriors"):
        blocks.append(posteriors_chart(record["posteriors"]))
    if record.get("divergence"):
        blocks.append(divergence_chart(record["divergence"]))
    return blocks


def posteriors_chart(readers: Mapping[str, Sequence[Mapping[str, Any]]]) -> Block:
    """People by the posterior of their likeliest value, for each reader."""
    rows = [
        {"posterior": f"{step['low']:.0%}", "people": step["people"], "reader": name}
        for name, counted in readers.items()
        for step in counted
    ]
    return bar_chart(
        rows,
        x="posterior",
        y="people",
        series="reader",
        title="How sure a reader can be",
        caption="People by the posterior of their likeliest value.",
        x_title="posterior of the likeliest value, from … up, in steps of 5 %",
        y_title="people",
    )


def divergence_chart(readers: Mapping[str, Sequence[Mapping[str, Any]]]) -> Block:
    """D_individual over the people, the most disclosed first."""
    rows = [
        {"share": point["share"], "D": point["d_individual"], "reader": name}
        for name, curve in readers.items()
        for point in curve
    ]
    return line_chart(
        rows,
        x="share",
        y="D",
        series="reader",
        title="Divergence from the truth, person by person",
        caption="People sorted by how far the reader's posterior is from the truth about them, the most "
        "disclosed first. At 0 the reader knows what the data know.",
        x_title="share of people",
        y_title="D_individual, nats",
        x_format=".3~%",
    )
