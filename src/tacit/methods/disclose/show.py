"""Released and disclosed rules, shown: what their figures mean, who is exposed most, and by what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.methods.disclose.result import LIMITS, Disclosure, DisclosureReport, Exposed
from tacit.release.verification import Told
from tacit.showing.chart import bar_chart, line_chart, scatter_chart
from tacit.showing.layout import count, facts, grid, heading, plural, prose, share
from tacit.showing.page import Block, DataTable, Facts, Words

KEY_FIGURES = ("posterior", "channels", "rules")


def what(told: Told) -> str:
    return f"{plural(told.manifest.utility['published'], 'association rule')} from a table"


def files(told: Told) -> str:
    parameters = told.manifest.parameters
    return (
        "rules.json holds the rules: what a person's quasi-identifiers are, and the sensitive value that "
        "follows, with their scores where these are published. A rule is in the list at a support of "
        f"{parameters['min_support']} and a confidence of {parameters['min_confidence']} or more."
    )


def reader(told: Told) -> list[Block]:
    quasi = told.manifest.reader.get("quasi", [])
    return [Words(f"Known of everybody: {', '.join(quasi)}.")] if quasi else []


def risks(told: Told) -> list[Block]:
    risk = told.risks
    return [
        Words(
            "Posteriors come from a computation that is certified: what the reader knows is met within "
            f"{risk['residual_below']:.0e} of all people.",
            "note",
        ),
    ]


def utility(told: Told) -> list[Block]:
    blocks: list[Block] = []
    if told.points:
        blocks.append(
            scatter_chart(
                told.points,
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
    return blocks + _curves(record)


def _curves(told: Mapping[str, Any]) -> list[Block]:
    charts = {"posteriors": posteriors_chart, "divergence": divergence_chart}
    return [chart(told[name]) for name, chart in charts.items() if told.get(name)]


def posteriors_chart(readers: Mapping[str, Sequence[Mapping[str, Any]]]) -> Block:
    """People by the posterior of their likeliest value, for each reader."""
    rows = [
        {"posterior": f"{step['low']:.0%}", "people": step["people"], "reader": name}
        for name, counted in readers.items()
        for step in counted
    ]
    return bar_chart(
        rows,
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
        title="Divergence from the truth, person by person",
        caption="People sorted by how far the reader's posterior is from the truth about them, the most "
        "disclosed first. At 0 the reader knows what the data know.",
        x_title="share of people",
        y_title="D_individual, nats",
        x_format=".3~%",
    )


LIMITATION = (
    "The expected reader maximizes entropy; bounds are the worst case, computed without using that counts "
    "are whole numbers, so that certainty is understated. It is not differential privacy."
)


def report(made: DisclosureReport) -> str:
    """The report of a disclosure."""
    found = made.disclosure
    title = f"{count(found.n_rules)} rules about {count(found.population.n_rows)} people"
    people = grid(PEOPLE, _people_rows(made.most_exposed), right=(1, 3, 4, 5, 6))
    parts = [heading(title), facts(_figures(found)), "Most exposed:\n" + people]
    first = made.most_exposed[0] if made.most_exposed else None
    if first is not None and first.responsible:
        lines = [
            (f"  {cause.effect:+.3f}  " if cause.effect else "  ") + cause.statement
            for cause in first.responsible
        ]
        certain = first.lower is not None and first.lower > 1 - 1e-6
        opening = (
            "Of the first of them a reader is certain, because:"
            if certain
            else "The first of them owe it to:"
        )
        parts.append("\n".join([opening, *lines]))
    if made.nar_effect and made.nar_effect[0].difference > 1e-9:
        most = made.nar_effect[0]
        parts.append(
            prose(
                f"Silence about unpublished patterns changes D_individual by up to {most.difference:.3f}"
                f" nats ({most.d_without:.3f} without it, {most.d_with:.3f} with it)."
            )
        )
    return "\n\n".join([*parts, *(prose(f"note: {note}") for note in found.notes), prose(LIMITATION)])


def report_blocks(made: DisclosureReport) -> list[Block]:
    """The report of a disclosure, for a notebook."""
    found = made.disclosure
    title = f"{count(found.n_rules)} rules about {count(found.population.n_rows)} people"
    return [
        Facts(_figures(found), title),
        DataTable(PEOPLE, _people_rows(made.most_exposed), "Most exposed"),
        *_curves(found.curves()),
        *(Words(note, "note") for note in (*found.notes, LIMITATION)),
    ]


def _figures(found: Disclosure) -> list[tuple[str, str]]:
    figures = [
        ("combinations of quasi-identifiers", count(len(found.population))),
        ("patterns a reader could think of", count(found.n_patterns) if found.n_patterns else "very many"),
        ("scores", "published" if found.scores == "exact" else "withheld; the thresholds are known"),
        ("constraints from silence", f"{count(found.n_nar)} with {count(found.nar_variables)} variables"),
        ("D_overall", f"{found.d_overall:.4f} nats: the smaller, the more is disclosed"),
        ("entropy left", f"{found.entropy:.4f} nats a person"),
        ("largest posterior", f"{found.max_posterior:.4f}"),
        ("people known for certain", share(found.share_above(1 - 1e-9))),
    ]
    figures += [(f"people above {limit:g}", share(found.share_above(limit))) for limit in LIMITS]
    return [*figures, ("residual", f"{found.certificate.residual:.1e}")]


PEOPLE = ("who", "people", "value", "posterior", "no silence", "bounds", "D")


def _people_rows(exposed: tuple[Exposed, ...]) -> list[tuple[str, ...]]:
    return [
        (
            ", ".join(person.combination.values()),
            count(person.people),
            person.value,
            f"{person.posterior:.3f}",
            "" if person.posterior_without_nar is None else f"{person.posterior_without_nar:.3f}",
            "" if person.lower is None else f"{person.lower:.3f}–{person.upper:.3f}",
            f"{person.d_individual:.3f}",
        )
        for person in exposed
    ]


TEXTS = {"Disclosure": lambda found: report(found.report()), "DisclosureReport": report}
BLOCKS = {"Disclosure": lambda found: report_blocks(found.report()), "DisclosureReport": report_blocks}
