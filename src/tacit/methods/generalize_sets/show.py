"""A generalized release as text: the promise, what it costs, what it does not cover."""

from __future__ import annotations

from typing import Any

from tacit.judging.sets import SetRisks
from tacit.methods.generalize_sets.page import levels_chart, narrowed_chart
from tacit.methods.generalize_sets.utility import SetUtility
from tacit.showing.layout import count, facts, grid, heading, prose, share
from tacit.showing.page import Block, Figure, Figures, Words


def release(made: Any) -> str:
    """A release of transactions; ``made`` is the release object of the verb."""
    figures = made.to_dict()
    title = f"{count(figures['transactions'])} transactions, {figures['k']}^{figures['m']}-anonymous"
    cost = "proven to be the least" if figures["proven"] else f"by {figures['algorithm']}"
    parts = [
        heading(title),
        prose(made.manifest.promise_words),
        facts(
            [
                ("loss of detail (NCP)", f"{figures['ncp']:.4f} of 1, {cost}"),
                ("items", f"{count(figures['items'])} published as {count(figures['cut_size'])}"),
                ("suppressed transactions", count(figures["suppressed"])),
            ]
        ),
        *(prose(f"Note: {note}") for note in figures["notes"]),
        *map(prose, figures["held_up_by"]),
        utility(made.kept),
        risks(made.risks),
        prose(made.manifest.limits),
    ]
    return "\n\n".join(parts)


def utility(kept: SetUtility) -> str:
    """What detail is left."""
    rows = [
        (
            "as it is" if level.steps == 0 else f"{level.steps} level{'s' if level.steps > 1 else ''} up",
            count(level.items),
            count(level.occurrences),
        )
        for level in kept.levels
    ]
    return "What is kept:\n" + grid(("published", "items", "occurrences"), rows, right=(1, 2))


def risks(found: SetRisks) -> str:
    """What readers who know more than the promise covers can do."""
    rows = [
        (reader.knows, share(reader.share_below_k), share(reader.share_to_one)) for reader in found.narrowed
    ]
    table = grid(("a reader who knows", f"narrows below {found.k}", "to one record"), rows, right=(1, 2))
    opening = f"What the promise does not cover (share of {count(found.records)} records):"
    return "\n".join([opening, table, *(prose(note, indent=2) for note in _notes(found))])


def risk_blocks(found: SetRisks) -> list[Block]:
    """What readers who know more than the promise covers can do, for a notebook."""
    return [
        narrowed_chart(found.to_dict()["narrowed"], found.k, found.m),
        *(Words(note) for note in _notes(found)),
    ]


def utility_blocks(kept: SetUtility) -> list[Block]:
    """What detail is left, for a notebook."""
    loss = Figure("Loss of detail (NCP)", share(kept.ncp), "0 % as they were, 100 % with one group for all")
    return [Figures([loss]), levels_chart(kept.to_dict()["levels"])]


def _notes(found: SetRisks) -> list[str]:
    lines = []
    guessing = found.leaf_guessing
    if guessing is not None and guessing.guesses:
        lines.append(
            f"Guessing the item behind a generalized one succeeds in {share(guessing.accuracy)} of the "
            f"cases; always naming the most frequent one in {share(guessing.baseline)}, blindly in "
            f"{share(guessing.at_random)}."
        )
    if found.diversity is not None:
        lines.append(
            f"Behind any {found.m} known items stand at least {found.diversity.fewest} values of "
            f"{found.diversity.column!r}; they give {count(found.diversity.given_away)} records' values away."
        )
    return lines
