"""The figures of a generalized release: what its files tell, exactly; what only the original tells, rounded.

How far readers narrow records is counted on the published records. How often items are guessed right, how
much detail is lost and how many items there were is known from the original.
"""

from __future__ import annotations

from typing import Any

from tacit.judging.sets import SetRisks
from tacit.methods.generalize_sets.utility import SetUtility
from tacit.release.rounding import CLASS, DIGITS, FEWEST, GRID, TENS, guess_class, tens_up, two_digits


def stated_risks(risks: SetRisks) -> dict[str, Any]:
    """The risks of the manifest."""
    guessing = risks.leaf_guessing
    stated = None
    if guessing is not None and guessing.guesses >= FEWEST:
        stated = {
            "guesses": tens_up(guessing.guesses),
            "accuracy": guess_class(
                guessing.accuracy, chance=two_digits(guessing.at_random), guesses=guessing.guesses
            ),
            "baseline": two_digits(guessing.baseline),
            "at_random": two_digits(guessing.at_random),
        }
    grid = {"guesses": TENS, "accuracy": CLASS, "baseline": DIGITS, "at_random": DIGITS}
    return risks.to_dict() | {
        "leaf_guessing": stated,
        GRID: {f"leaf_guessing.{name}": step for name, step in grid.items()},
    }


def stated_utility(kept: SetUtility) -> dict[str, Any]:
    """The utility of the manifest."""
    digits = ("ncp", "average_length", "published_average_length")
    return {
        **{name: two_digits(getattr(kept, name)) for name in digits},
        "items": tens_up(kept.items),
        "published_items": kept.published_items,
        "levels": [
            {"steps": level.steps, "items": tens_up(level.items), "occurrences": tens_up(level.occurrences)}
            for level in kept.levels
        ],
        GRID: {**dict.fromkeys(digits, DIGITS), "items": TENS, "levels": TENS},
    }
