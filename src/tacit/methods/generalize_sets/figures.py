"""The figures of a generalized release: what its files tell, exactly; what only the original tells, rounded.

How far readers narrow records is counted on the published records. How often items are guessed right, how
much detail is lost and how many items there were is known from the original.
"""

from __future__ import annotations

from typing import Any

from tacit.judging.figures import (
    CLASS,
    COUNT,
    DIGITS,
    FEWEST,
    NUMBER,
    RISK,
    RISKS,
    TENS,
    TWO_DIGITS,
    USE,
    UTILITY,
    Parts,
    Rounding,
    guess_class,
    stated,
    tens_up,
    two_digits,
)
from tacit.showing.layout import count, share

MOST_LEVELS = 100
"""So many levels of a hierarchy are told apart in a manifest."""


def _left_out(parts: Parts) -> float:
    out = parts["parameters"]["suppressed"]
    return float(out / max(1, out + parts["promise"]["records"]))


def _other_guesses(parts: Parts) -> str:
    guessing = parts[RISKS]["leaf_guessing"]
    if guessing is None:
        return ""
    commonest, blindly = share(guessing["baseline"]), share(guessing["at_random"])
    return f"{commonest} by always naming the commonest, {blindly} blindly"


def _guess_class(right: float, exact: Parts) -> str | None:
    guessing = exact["leaf_guessing"]
    return guess_class(right, chance=two_digits(guessing["at_random"]), guesses=guessing["guesses"])


FIGURES = (
    *(
        RISK(
            name,
            f"Records narrowed below {{k}} by {more} more",
            f"The share of records that {more} more than promised, the worst there are, narrow to fewer"
            " than {k}.",
            at=f"narrowed.{place}.below_k",
            baseline="0 % by as many as promised",
            error=f"narrowed.{place}.error",
        )
        for place, (name, more) in enumerate(
            (("narrowed", "1 item"), ("narrowed_by_two", "2 items"), ("narrowed_by_three", "3 items"))
        )
    ),
    RISK(
        "leaf_guessing",
        "Right guesses of the item behind a group",
        "The share of generalized items that a reader guesses right who knows what goes together.",
        at="leaf_guessing.accuracy",
        baseline=_other_guesses,
        rounded=Rounding(CLASS, _guess_class),
    ),
    USE(
        "ncp",
        "Loss of detail (NCP)",
        "The normalized certainty penalty: the share of detail lost.",
        baseline="0 % as they were, 100 % with one group for all items",
        rounded=TWO_DIGITS,
    ),
    USE(
        "items",
        "Different items left",
        "How many different items and groups are published.",
        unit=COUNT,
        at="published_items",
        baseline=lambda parts: f"{count(parts[UTILITY]['items'])} in the original",
        less=False,
    ),
    USE(
        "length",
        "Items per record, on average",
        "How many items and groups a record holds; those published as the same group have merged.",
        unit=NUMBER,
        at="published_average_length",
        baseline=lambda parts: f"{parts[UTILITY]['average_length']:.3g} in the original",
        rounded=TWO_DIGITS,
        less=False,
    ),
    USE(
        "suppressed",
        "Records left out",
        "The share of records that are not published, so that the others keep more detail.",
        of=_left_out,
    ),
)


def stated_risks(exact: Parts) -> dict[str, Any]:
    """The risks of the manifest."""
    guessing, beside = exact["leaf_guessing"], dict(exact)
    beside["leaf_guessing"] = None
    if guessing is not None and guessing["guesses"] >= FEWEST:
        beside["leaf_guessing"] = {
            "guesses": tens_up(guessing["guesses"]),
            "baseline": two_digits(guessing["baseline"]),
            "at_random": two_digits(guessing["at_random"]),
        }
    grid = {"guesses": TENS, "baseline": DIGITS, "at_random": DIGITS}
    rounded = {f"leaf_guessing.{name}": step for name, step in grid.items()}
    return stated(FIGURES, RISKS, exact, beside=beside, rounded=rounded)


def stated_utility(exact: Parts) -> dict[str, Any]:
    """The utility of the manifest."""
    beside = {
        "average_length": two_digits(exact["average_length"]),
        "items": tens_up(exact["items"]),
        "levels": [
            level | {"items": tens_up(level["items"]), "occurrences": tens_up(level["occurrences"])}
            for level in exact["levels"][:MOST_LEVELS]
        ],
    }
    rounded = {"average_length": DIGITS, "items": TENS, "levels": TENS}
    return stated(FIGURES, UTILITY, exact, beside=beside, rounded=rounded)
