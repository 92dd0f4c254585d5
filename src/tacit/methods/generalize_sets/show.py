"""A generalized release as text: the promise, what it costs, what it does not cover."""

from __future__ import annotations

from typing import Any

from tacit.errors import Said, option
from tacit.judging.figures import RISKS, UTILITY, lines, named
from tacit.judging.sets import SetRisks
from tacit.methods.generalize_sets.figures import FIGURES
from tacit.methods.generalize_sets.page import levels_chart, narrowed_chart
from tacit.methods.generalize_sets.utility import SetUtility
from tacit.showing.layout import count, facts, grid, heading, prose, share, told
from tacit.showing.page import Block, Facts, Words


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
                *lines(FIGURES, UTILITY, made.parts),
                (
                    "The cut",
                    f"{count(figures['items'])} items below {count(figures['cut_size'])} nodes, {cost}",
                ),
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
    opening = f"What the promise does not cover ({count(found.records)} records):"
    told = facts(_risk_lines(found))
    return "\n".join([opening, told, "", table, *(prose(note, indent=2) for note in _notes(found))])


def risk_blocks(found: SetRisks) -> list[Block]:
    """What readers who know more than the promise covers can do, for a notebook."""
    return [
        Facts(_risk_lines(found)),
        narrowed_chart(found.to_dict()["narrowed"], found.k, found.m),
        *(Words(note) for note in _notes(found)),
    ]


def utility_blocks(kept: SetUtility) -> list[Block]:
    """What detail is left, for a notebook."""
    figures = kept.to_dict()
    loss = named(FIGURES, "ncp", "items", "length")
    return [Facts(lines(loss, UTILITY, {UTILITY: figures})), levels_chart(figures["levels"])]


def _risk_lines(found: SetRisks) -> list[tuple[str, str]]:
    parts = {RISKS: found.to_dict(), "promise": {"k": found.k, "m": found.m}}
    return lines(FIGURES, RISKS, parts)


def _notes(found: SetRisks) -> list[str]:
    return [*_sampled(found), *_diversity(found)]


def _sampled(found: SetRisks) -> list[str]:
    error = max(reader.error(found.records) for reader in found.narrowed)
    if not error:
        return []
    fewest = min(reader.records for reader in found.narrowed)
    words = (
        f"Judged by a sample: at least {count(fewest)} records were looked at for each reader, and compared"
        f" with all. The shares may be off by about {share(error)} (the standard error, and records"
        f" with too many items to try them all);"
        f" {option('judge', 'full')} looks at all."
    )
    return [Said(words)]


def _diversity(found: SetRisks) -> list[str]:
    if found.diversity is None:
        return []
    return [
        f"Behind any {found.m} known items stand at least {found.diversity.fewest} values of "
        f"{found.diversity.column!r}; they give {count(found.diversity.given_away)} records' values away."
    ]


TEXTS = {"GeneralizedRelease": release, "SetUtility": utility, "Estimate": told}
BLOCKS = {"SetUtility": utility_blocks}
