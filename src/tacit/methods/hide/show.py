"""Hidden patterns as text: what cannot be mined any more, what that cost, what could still give it away."""

from __future__ import annotations

from typing import Any

from tacit.judging.figures import RISKS, UTILITY, lines
from tacit.methods.hide.figures import FIGURES
from tacit.methods.hide.judge.figures import HidingRisks, HidingUtility
from tacit.showing.layout import count, facts, grid, heading, prose, share
from tacit.showing.page import Block, Facts


def release(release: Any) -> str:
    """A release with hidden patterns, for its owner."""
    figures = release.to_dict()
    what = " and ".join(
        f"{count(number)} {word if number == 1 else word + 's'}"
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
            ("marked", f"{count(figures['marked'])} pairs broken, by the policy {figures['policy']!r}")
        )
        done.append(("draws", count(figures["draws"])))
    if figures["decoys"]:
        done.append(("decoys", f"{count(figures['decoys'])} more hidden in the same way"))
    parts = [heading(title), facts(done), risks(release.risk()), utility(release.utility())]
    if figures["remarks"]:
        parts.append("\n".join(map(prose, figures["remarks"])))
    return "\n\n".join([*parts, prose(release.manifest.limits)])


def risks(found: HidingRisks) -> str:
    """What a reader could still find, infer or suspect."""
    return "What a reader could find:\n" + facts(_lines(found))


def utility(found: HidingUtility) -> str:
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
    title = f"{count(len(plan['patterns']))} patterns to break in {count(plan['transactions'])} transactions"
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
        told.append(("decoys", f"{count(len(plan['decoys']))} more patterns to break in the same way"))
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


TEXTS = {
    "HiddenRelease": release,
    "HidingRisks": risks,
    "HidingUtility": utility,
    "Proposal": proposal,
}
BLOCKS = {"HidingRisks": fact_blocks, "HidingUtility": fact_blocks}
