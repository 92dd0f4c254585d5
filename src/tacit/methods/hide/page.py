"""What the figures of a release with hidden patterns mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from tacit.release.told import Told
from tacit.showing.chart import bar_chart
from tacit.showing.layout import count, share
from tacit.showing.page import Block, DataTable, Facts, Figure, Figures
from tacit.showing.wording import plural

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
    return [*_risk_figures(told)[:2], _utility_figures(told)[0]]


def plainly(told: Told) -> list[str]:
    return []


def reader(told: Told) -> list[Block]:
    return []


def risks(told: Told) -> list[Block]:
    return [Figures(_risk_figures(told))]


def utility(told: Told) -> list[Block]:
    kept = told.utility
    rows = [
        {"cost": "frequent patterns lost", "share": kept["misses_cost"]},
        {"cost": "patterns that were none", "share": kept["artificial_patterns"]},
        {"cost": "items taken out", "share": kept["dissimilarity"]},
    ]
    return [
        Figures(_utility_figures(told)),
        bar_chart(
            rows,
            x="cost",
            y="share",
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
        x="pattern",
        y="support",
        series="in",
        horizontal=True,
        baseline=least,
        baseline_label=f"least support {count(least)}",
        title="Supports of the secret patterns, before and after",
        caption=f"Each must stay below {count(least)}, where mining would find it.{rest}",
        y_title="transactions",
        width=460,
    )


def _risk_figures(told: Told) -> list[Figure]:
    risk, terms = told.risks, told.manifest.promise
    least = count(terms["min_count"])
    return [
        Figure(
            "Secret patterns that can be mined",
            share(risk["hiding_failure"]),
            "100 % in the original",
            f"Mining at a support of {least} finds so many of the patterns that must stay secret, and of "
            "those that contain them.",
        ),
        Figure(
            "Hidden patterns that follow from their pairs",
            share(risk["weakness"]),
            "0 % is the best possible",
            "A reader who sees that all pairs of a pattern are frequent would suspect the pattern as well.",
        ),
        Figure(
            "Items left in fewer than 5 transactions",
            count(risk["rare_items"]),
            f"of {count(terms['items'])} items",
            "A rare item singles its buyer out; hiding does not change that.",
        ),
    ]


def _utility_figures(told: Told) -> list[Figure]:
    kept = told.utility
    return [
        Figure(
            "Frequent patterns lost",
            share(kept["misses_cost"]),
            "0 % where nothing is hidden",
            "Frequent patterns that can no longer be mined, the secret ones and their decoys among them.",
        ),
        Figure(
            "Patterns that were none before",
            share(kept["artificial_patterns"]),
            "0 % where nothing is hidden",
            "What can be mined now and could not be mined from the original.",
        ),
        Figure(
            "Items taken out",
            share(kept["dissimilarity"]),
            "0 % where nothing is hidden",
            "The share of all items in all transactions that is gone.",
        ),
    ]
