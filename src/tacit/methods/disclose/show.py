"""What published rules disclose, as text: the figures, the people most exposed, and to what they owe it."""

from __future__ import annotations

from tacit.methods.disclose.page import divergence_chart, posteriors_chart
from tacit.methods.disclose.result import LIMITS, Disclosure, DisclosureReport, Exposed
from tacit.showing.layout import count, facts, grid, heading, prose, share
from tacit.showing.page import Block, DataTable, Facts, Words
from tacit.showing.text import to_plain

LIMITATION = (
    "The expected reader maximizes entropy; bounds are the worst case, computed without using that counts "
    "are whole numbers, so that certainty is understated. It is not differential privacy."
)


def disclosure(found: Disclosure) -> str:
    """A disclosure with the people it names."""
    return report(found.report())


def report(made: DisclosureReport) -> str:
    """The report of a disclosure."""
    found = made.disclosure
    title = f"{count(found.n_rules)} rules about {count(found.population.n_rows)} people"
    parts = [heading(title), facts(_figures(found)), "Most exposed:\n" + _people(made.most_exposed)]
    first = made.most_exposed[0] if made.most_exposed else None
    if first is not None and first.responsible:
        lines = [f"  {_effect(cause.effect)}{cause.statement}" for cause in first.responsible]
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


def disclosure_blocks(found: Disclosure) -> list[Block]:
    """A disclosure with the people it names, for a notebook."""
    return report_blocks(found.report())


def report_blocks(made: DisclosureReport) -> list[Block]:
    """The report of a disclosure, for a notebook."""
    found = made.disclosure
    title = f"{count(found.n_rules)} rules about {count(found.population.n_rows)} people"
    return [
        Facts(_figures(found), title),
        DataTable(PEOPLE, _people_rows(made.most_exposed), "Most exposed"),
        posteriors_chart(to_plain(found.posterior_counts())),
        divergence_chart(to_plain(found.divergence_curves())),
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


def _people(exposed: tuple[Exposed, ...]) -> str:
    return grid(PEOPLE, _people_rows(exposed), right=(1, 3, 4, 5, 6))


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


def _effect(effect: float) -> str:
    return f"{effect:+.3f}  " if effect else ""


TEXTS = {"Disclosure": disclosure, "DisclosureReport": report}
BLOCKS = {"Disclosure": disclosure_blocks, "DisclosureReport": report_blocks}
