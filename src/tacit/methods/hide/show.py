"""Hidden patterns, shown: what cannot be mined any more, what that cost, what could still give it away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from tacit.judging.figures import RISKS, UTILITY, lines, named
from tacit.methods.hide.figures import FIGURES
from tacit.methods.hide.judge import HidingRisks, HidingUtility
from tacit.release.verification import Told
from tacit.showing.chart import bar_chart
from tacit.showing.layout import count, facts, grid, heading, plural, prose, share
from tacit.showing.page import Block, DataTable, Facts


def release(release: Any) -> str:
    """A release with hidden patterns, for its owner."""
    figures = release.to_dict()
    what = " and ".join(
        plural(number, word)
        for number, word in ((figures["patterns"], "pattern"), (figures["rules"], "rule"))
        if number
    )
    title = f"{what[:1].upper()}{what[1:]} hidden in {count(figures['transactions'])} transactions"
    done = [
        ("least support", f"{count(figures['min_count'])} transactions"),
        ("sensitive", f"{count(figures['sensitive'])} frequent patterns: those named and their supersets"),
    ]
    if figures["policy"] is not None:
        done.append(
            ("marked", f"{plural(figures['marked'], 'pair')} broken, by the policy {figures['policy']!r}")
        )
        done.append(("draws", count(figures["draws"])))
    if figures["decoys"]:
        done.append(("decoys", f"{count(figures['decoys'])} more hidden in the same way"))
    parts = [heading(title), facts(done), risks_text(release.risk()), utility_text(release.utility())]
    if figures["remarks"]:
        parts.append("\n".join(map(prose, figures["remarks"])))
    return "\n\n".join([*parts, prose(release.manifest.limits)])


def risks_text(found: HidingRisks) -> str:
    """What a reader could still find, infer or suspect."""
    return "What a reader could find:\n" + facts(_lines(found))


def utility_text(found: HidingUtility) -> str:
    """What the release kept."""
    return "What it cost:\n" + facts(_lines(found))


def fact_blocks(found: HidingRisks | HidingUtility) -> list[Block]:
    """The figures with their names, for a notebook."""
    title = "What a reader could find" if isinstance(found, HidingRisks) else "What it cost"
    return [Facts(_lines(found), title)]


def _lines(found: HidingRisks | HidingUtility) -> list[tuple[str, str]]:
    if isinstance(found, HidingUtility):
        return lines(FIGURES, UTILITY, {UTILITY: found.to_dict()})
    disguise = () if found.disguise is None else found.disguise.facts()
    return [*lines(FIGURES, RISKS, {RISKS: found.to_dict()}), *disguise]


def proposal(proposal: Any) -> str:
    """What hiding would do, for the owner: it names the secret."""
    plan = proposal.to_dict()
    what = plural(len(plan["patterns"]), "pattern")
    title = f"{what} to break in {count(plan['transactions'])} transactions"
    told = [
        ("least support", f"{count(plan['min_count'])} transactions"),
        (
            "frequent patterns",
            f"{count(plan['frequent'])}, of which {count(plan['sensitive'])} are sensitive",
        ),
        (
            "items to take out",
            f"about {count(plan['expected_removed'])}, {share(plan['expected_dissimilarity'])}",
        ),
    ]
    if plan["decoys"]:
        told.append(("decoys", f"{plural(len(plan['decoys']), 'more pattern')} to break in the same way"))
    told.append(
        ("the rest takes", f"about {plan['expected_seconds']:.1f} s and {plan['expected_megabytes']:,.0f} MB")
    )
    parts = [heading(title), facts(told)]
    if plan["marked"]:
        parts.append(
            grid(
                ("marked pair", "support", "goes", "stays in about"),
                [
                    (
                        ", ".join(mark["pair"]),
                        count(mark["support"]),
                        mark["victim"],
                        count(round(mark["expected"])),
                    )
                    for mark in plan["marked"]
                ],
                right=(1, 3),
            )
        )
        if proposal.plan.limits is None:
            parts.append(str(proposal.plan.matrix))
    return "\n\n".join(
        [*parts, *map(prose, plan["remarks"]), "This names what is secret. Nothing was written."]
    )


MOST_PATTERNS = 30


KEY_FIGURES = ("hiding_failure", "weakness", "misses_cost")


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


def utility(told: Told) -> list[Block]:
    costs = named(FIGURES, "misses_cost", "artificial_patterns", "dissimilarity")
    rows = [{"cost": one.title, "share": one.value(told.parts)} for one in costs]
    return [
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


TEXTS = {
    "HiddenRelease": release,
    "HidingRisks": risks_text,
    "HidingUtility": utility_text,
    "Proposal": proposal,
}
BLOCKS = {"HidingRisks": fact_blocks, "HidingUtility": fact_blocks}
