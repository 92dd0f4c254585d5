"""The figures of a release with hidden patterns.

What is hidden is what must not be known: no figure is published that would tell where to look, and those
that count hidden patterns or removed items are rounded up to whole percents.
"""

from __future__ import annotations

from tacit.judging.figures import COUNT, PERCENTS_UP, RISK, USE, UTILITY
from tacit.showing.layout import count

RARE = 5
"""Items in fewer transactions than this are counted as rare: they single people out."""
NOTHING_HIDDEN = "0 % where nothing is hidden"

FIGURES = (
    RISK(
        "weakness",
        "Hidden patterns that follow from their pairs",
        "The share of hidden patterns that a reader would suspect, because all their pairs can be mined.",
        baseline="0 % is the best possible",
        rounded=PERCENTS_UP,
    ),
    RISK(
        "hiding_failure",
        "Secret patterns that can be mined",
        "The share of secret patterns, and of those that contain them, that can still be mined.",
        baseline="100 % in the original",
    ),
    RISK(
        "rare_items",
        f"Items left in fewer than {RARE} transactions",
        "A rare item singles its buyer out; hiding does not change that.",
        unit=COUNT,
    ),
    USE(
        "misses_cost",
        "Frequent patterns lost",
        "The share of frequent patterns that can no longer be mined; a manifest counts the secret ones too.",
        baseline=NOTHING_HIDDEN,
        rounded=PERCENTS_UP,
    ),
    USE(
        "artificial_patterns",
        "Patterns that were none before",
        "The share of what can be mined now that could not be mined from the original.",
        baseline=NOTHING_HIDDEN,
    ),
    USE(
        "dissimilarity",
        "Items taken out",
        "The share of all items in all transactions that is gone.",
        baseline=NOTHING_HIDDEN,
        rounded=PERCENTS_UP,
    ),
    USE(
        "items_lost",
        "Items not frequent any more",
        "How many items were frequent by themselves and are not any more.",
        unit=COUNT,
        baseline=lambda parts: f"of {count(parts[UTILITY]['items'])} frequent items",
        public=False,
    ),
)
