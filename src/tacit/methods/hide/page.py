"""What the figures of a release with hidden patterns mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from tacit.judging.figures import RISKS, UTILITY, cards, named
from tacit.methods.hide.figures import FIGURES
from tacit.release.verification import Told
from tacit.showing.chart import bar_chart
from tacit.showing.layout import count, plural
from tacit.showing.page import Block, DataTable, Facts, Figure, Figures

MOST_PATTERNS = 30


def what(told: Told) -> str:
    terms = told.manifest.promise
    secrets = " and ".join(
        plural(terms[key], word) for key, word in (("patterns", "pattern"), ("rules", "rule")) if terms[key]
    )
    return f"{plural(terms['transactions'], 'transaction')} in which {secrets} cannot be mined"


def files(told: Told) -> str:
    terms = told.manifest.promise
    empty = f" {plural(terms['empty'], 'transaction')} hold nothing." if terms["empty"] else ""
    return (
        f"{told.manifest.parameters['transactions']} holds the transactions. Some items were taken out of "
        f"some of them; nothing was added or changed.{empty}"
    )


def key_figures(told: Told) -> list[Figure]:
    return cards(named(FIGURES, "hiding_failure", "weakness", "misses_cost"), told)


def risks(told: Told) -> list[Block]:
    return [Figures(cards(FIGURES, told, part=RISKS))]


def utility(told: Told) -> list[Block]:
    costs = named(FIGURES, "misses_cost", "artificial_patterns", "dissimilarity")
    rows = [{"cost": one.title, "share": one.value(told.parts)} for one in costs]
    return [
        Figures(cards(FIGURES, told, part=UTILITY)),
        bar_chart(
            rows,
            horizontal=True,
            title="What hiding cost",
            caption="Each as a share of what there was before; shorter is better.",
            y_format=".3~%",
            width=480,
        ),
    ]


def owner(told: Told) -> list[Block]:
    record = told.record or {}
    blocks: list[Block] = []
    if record.get("supports"):
        blocks.append(supports_chart(record["supports"], record["min_count"]))
    if record.get("marked"):
        rows = [
            (", ".join(mark["pair"]), count(mark["support"]), mark["victim"]) for mark in record["marked"]
        ]
        blocks.append(DataTable(["pair that was broken", "support before", "item taken out"], rows))
    blocks += _standing_out(record)
    if record.get("decoys"):
        alike = [(", ".join(pattern),) for pattern in record["decoys"][:MOST_PATTERNS]]
        blocks.append(DataTable([f"hidden alike: {plural(len(record['decoys']), 'decoy')}"], alike))
    return blocks


def _standing_out(record: Mapping[str, Any]) -> list[Block]:
    """The places of the hidden patterns in the lists of readers who look for them."""
    risk = record.get("risks") or {}
    blocks: list[Block] = []
    for what, ranked in (("pattern", risk), ("rule", risk.get("rules") or {})):
        if ranked.get("best_place") is None:
            continue
        rows = [
            (name, *(count(place) for place in (min(found), round(median(found)))))
            for name, places in ranked["places"].items()
            if (found := [place for place in places if place is not None])
        ]
        best = count(ranked["best_place"]), count(round(ranked["median_best_place"]))
        blocks.append(
            DataTable(
                [f"who looks for a hidden {what}", "finds the first at place", "half of them by place"],
                [*rows, ("the best of them for each", *best)],
                f"Does a hidden {what} stand out among {count(ranked['candidates'])} candidates?",
            )
        )
    if risk.get("never_occurring"):
        never = plural(risk["never_occurring"], "hidden pattern")
        blocks.append(Facts([("never occurring, which shows", never)], "Hidden too well"))
    return blocks


def supports_chart(supports: Sequence[Mapping[str, Any]], least: int) -> Block:
    """Every secret pattern's support, in the original and as published."""
    rows = [
        {"pattern": ", ".join(one["pattern"]), "support": one[when], "in": where}
        for one in supports[:MOST_PATTERNS]
        for when, where in (("before", "the original"), ("after", "the release"))
    ]
    more = len(supports) - MOST_PATTERNS
    rest = f" {plural(more, 'more pattern')} are not shown." if more > 0 else ""
    return bar_chart(
        rows,
        horizontal=True,
        baseline=least,
        baseline_label=f"least support {count(least)}",
        title="Supports of the secret patterns, before and after",
        caption=f"Each must stay below {count(least)}, where mining would find it.{rest}",
        y_title="transactions",
        width=460,
    )
