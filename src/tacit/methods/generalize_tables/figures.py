"""The figures of a generalized table: what its files tell, exactly; what only the original tells, rounded.

Classes and what they hold are counted on the published table. How much detail was lost follows from the
whole hierarchies, of which only the nodes in use are published.
"""

from __future__ import annotations

from typing import Any

from tacit.judging.figures import (
    COUNT,
    ERROR,
    NUMBER,
    RISKS,
    SHARE,
    UTILITY,
    Figure,
    Parts,
    Rounding,
    stated,
)
from tacit.mining.verbs import LOW_EXPECTATION
from tacit.release.rounding import CLASS, DIGITS, TWO_DIGITS, guess_class, two_digits
from tacit.showing.layout import share


def _left_out(parts: Parts) -> float:
    out = parts["parameters"]["suppressed"]
    return float(out / max(1, out + parts["parameters"]["rows"]))


def _worst(name: str, parts: Parts) -> float | None:
    """The largest of a figure over the sensitive columns; None where there is none."""
    return max((float(one[name]) for one in parts[RISKS]["values"]), default=None)


def _homogeneous(parts: Parts) -> float | None:
    found = _worst("homogeneous", parts)
    return None if found is None else found / max(1, parts[RISKS]["rows"])


def _guessed(right: float, exact: Parts, guesses: int) -> str | None:
    """A share of right guesses as a class: everybody can guess the commonest value of all."""
    return guess_class(right, chance=exact["learning"]["majority"], guesses=guesses)


def _at_random(parts: Parts) -> str:
    learning = parts[RISKS].get("learning")
    if learning is None:
        return ""
    return (
        f"{share(learning['baseline'])} at random inside the class, {share(learning['majority'])} by naming"
        " the commonest of all"
    )


def _alone(parts: Parts) -> float | None:
    out = parts["parameters"]["suppressed"]
    found = parts[RISKS].get("unique")
    return None if found is None else found / max(1, parts[RISKS]["rows"] + out)


def _placed(parts: Parts) -> float | None:
    found = parts[RISKS].get("refinement")
    return None if found is None else found["right"] / max(1, found["coarse"])


def _explained(parts: Parts) -> float | None:
    found = parts[RISKS].get("minimality")
    return None if found is None else found["right"] / max(1, parts[RISKS]["rows"])


FIGURES = (
    Figure(
        "prosecutor",
        "Largest chance to find somebody's row",
        "How sure a reader can be which row is that of somebody known to be in the table.",
        SHARE,
        RISKS,
        baseline="1 in {k} at most: the promise",
    ),
    Figure(
        "journalist",
        "Largest chance to find somebody of the population",
        "The same where nobody knows who is in the table: never more, because those of the table who look"
        " alike are in the population as well. How much less, the risk against a population tells.",
        SHARE,
        RISKS,
        at="prosecutor",
        baseline="1 in {k} at most: the promise",
    ),
    Figure(
        "marketer",
        "Rows that a reader of everybody finds",
        "The share of rows that a reader who knows everybody's quasi-identifiers finds right, on average.",
        SHARE,
        RISKS,
        baseline="100 % where every row is alone",
    ),
    Figure(
        "unique",
        "Rows that were alone in the original",
        "Whoever knows the exact quasi-identifiers of these people would have found them there.",
        SHARE,
        RISKS,
        of=_alone,
        baseline="0 % in the release: at least {k} rows look alike",
        public=False,
    ),
    Figure(
        "homogeneous",
        "Rows whose class has one sensitive value",
        "Whoever knows that somebody is among these rows knows the value as well.",
        SHARE,
        RISKS,
        of=_homogeneous,
        baseline="0 % with a promise about values",
    ),
    Figure(
        "largest_share",
        "Largest share of a value in a class",
        "How sure a reader can be of somebody's value who knows the class and nothing else.",
        SHARE,
        RISKS,
        of=lambda parts: _worst("largest_share", parts),
        baseline="its share in the whole table, where the classes tell nothing",
    ),
    Figure(
        "vulnerable",
        "Rows with fewer possible values than promised",
        "Rows left with fewer values than ℓ for a reader who knows the rules: the stated ones, or those that"
        " can be mined where the promise is about readers without rules.",
        COUNT,
        RISKS,
        baseline="0 where the promise is about readers who know the rules",
        public=False,
        needs="l",
    ),
    Figure(
        "vulnerable_longer",
        "Rows with fewer possible values, longer rules known",
        "The same count for a reader whom the promise does not cover, who knows rules one attribute longer,"
        f" from an expectation of {LOW_EXPECTATION:g} on.",
        COUNT,
        RISKS,
        public=False,
        needs="l",
    ),
    Figure(
        "learning",
        "Right guesses of a learner",
        "The share of rows whose sensitive values software guesses right which knows everybody's exact"
        " quasi-identifiers and learns from all classes together.",
        SHARE,
        RISKS,
        at="learning.accuracy",
        baseline=_at_random,
        rounded=Rounding(CLASS, lambda right, exact: _guessed(right, exact, exact["learning"]["rows"])),
    ),
    Figure(
        "refined",
        "Coarse cells placed one step finer",
        "Of the coarser cells, the share that a reader places rightly below a finer value, without knowing"
        " whose they are, because classes are made as fine as they can be.",
        SHARE,
        RISKS,
        of=_placed,
        public=False,
    ),
    Figure(
        "explained",
        "Rows narrowed by why nothing finer was published",
        "The share of rows that are rightly concluded to have fewer than ℓ values among them, because one"
        " step finer was not published although k rows would still be alike.",
        SHARE,
        RISKS,
        of=_explained,
        baseline="0 % with the recodings 'local' and 'cells'",
        public=False,
        needs="l",
    ),
    Figure(
        "loss",
        "Loss of detail",
        "The mean loss of a cell; a row left out loses everything.",
        SHARE,
        UTILITY,
        baseline="0 % as they were, 100 % with nothing left",
        rounded=TWO_DIGITS,
    ),
    Figure(
        "classes",
        "Classes",
        "How many different combinations of quasi-identifiers are published.",
        COUNT,
        UTILITY,
        baseline=lambda parts: f"{parts['parameters']['rows']:,} rows",
        less=False,
    ),
    Figure(
        "average_class",
        "Rows of a class, on average",
        "How many rows look alike, on average.",
        NUMBER,
        UTILITY,
        baseline="{k} would be the least",
        rounded=TWO_DIGITS,
    ),
    Figure(
        "discernibility",
        "Discernibility",
        "The sum over rows of how many rows look alike; a row left out counts as all of them.",
        COUNT,
        UTILITY,
        baseline="{k} for each row would be the least",
    ),
    Figure(
        "entropy",
        "Information lost",
        "Non-uniform entropy: of what the quasi-identifiers told in bits, the share that is lost.",
        SHARE,
        UTILITY,
        baseline="0 % as they were, 100 % with nothing left",
        rounded=TWO_DIGITS,
    ),
    Figure(
        "query_error",
        "Error of counting queries",
        "How far counts over the release are off on average; a coarser value stands for each below it alike.",
        ERROR,
        UTILITY,
        at="count_queries.mean",
        baseline="0 % from the original table",
        rounded=TWO_DIGITS,
    ),
    Figure(
        "query_error_median",
        "Error of counting queries, median",
        "Half of the counts over the release are off by no more than this.",
        ERROR,
        UTILITY,
        at="count_queries.median",
        baseline="0 % from the original table",
        rounded=TWO_DIGITS,
    ),
    Figure(
        "suppressed",
        "Rows left out",
        "The share of rows that are not published, so that the others keep more detail.",
        SHARE,
        UTILITY,
        of=_left_out,
    ),
)


OWNERS = ("unique", "vulnerable", "vulnerable_longer", "refinement", "minimality")
"""The risks that follow from the original, or from knowing how the release was made."""


def stated_risks(exact: Parts) -> dict[str, Any]:
    """The risks of the manifest: those that can be counted in the published table, and guesses as classes."""
    beside = {name: value for name, value in exact.items() if name not in OWNERS}
    learning, grid = exact["learning"], {}
    if learning is not None:
        surest = [one | {"right": _guessed(one["right"], exact, one["people"])} for one in learning["surest"]]
        beside["learning"] = {name: learning[name] for name in ("baseline", "majority", "rows")}
        beside["learning"]["surest"] = surest
        grid = {"learning.surest.right": CLASS}
    return stated(FIGURES, RISKS, exact, beside=beside, rounded=grid)


def stated_utility(exact: Parts) -> dict[str, Any]:
    """The utility of the manifest."""
    columns = [
        one | {name: two_digits(one[name]) for name in ("loss", "entropy")} for one in exact["columns"]
    ]
    asked = exact["count_queries"]
    # How many queries had no true answer is a fact about the original.
    queries = {name: asked[name] for name in ("dimensions", "selectivity")}
    queries["queries"] = asked["queries"] + asked["skipped"]
    beside = {"columns": columns, "count_queries": queries}
    return stated(FIGURES, UTILITY, exact, beside=beside, rounded=dict.fromkeys(beside, DIGITS))
