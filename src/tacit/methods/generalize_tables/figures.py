"""The figures of a generalized table: what its files tell, exactly; what only the original tells, rounded.

Classes and what they hold are counted on the published table. How much detail was lost follows from the
whole hierarchies, of which only the nodes in use are published.
"""

from __future__ import annotations

from typing import Any

from tacit.judging.figures import (
    CLASS,
    COUNT,
    DIGITS,
    ERROR,
    NUMBER,
    RISK,
    RISKS,
    TWO_DIGITS,
    USE,
    UTILITY,
    Parts,
    Rounding,
    counting_error,
    guess_class,
    stated,
    two_digits,
)
from tacit.mining.verbs import LOW_EXPECTATION
from tacit.recoding import CELLS, LOCAL
from tacit.showing.layout import share


def _left_out(parts: Parts) -> float:
    out = parts["parameters"]["suppressed"]
    return float(out / max(1, out + parts["parameters"]["rows"]))


def _worst(name: str, parts: Parts) -> float | None:
    """The largest of a figure over the sensitive columns; None where there is none."""
    return max((float(one[name]) for one in parts[RISKS]["values"]), default=None)


def _share(part: float | None, whole: float) -> float | None:
    """A part of some rows or cells; None where it was not measured."""
    return None if part is None else part / max(1, whole)


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
    return _share(parts[RISKS].get("unique"), parts[RISKS]["rows"] + parts["parameters"]["suppressed"])


def _right(name: str, parts: Parts) -> float | None:
    """The share that an attack is right about, of the coarse cells or of the rows."""
    found = parts[RISKS].get(name)
    return None if found is None else _share(found["right"], found.get("coarse", parts[RISKS]["rows"]))


def _explained(parts: Parts) -> float | None:
    """The share of rows that minimality is right about: none of classes that do not follow from values."""
    by_likeness = parts["parameters"]["recoding"] in (LOCAL, CELLS) and parts["promise"].get("l") is not None
    return 0.0 if by_likeness else _right("minimality", parts)


FIGURES = (
    RISK(
        "prosecutor",
        "Largest chance to find somebody's row",
        "How sure a reader can be which row is that of somebody known to be in the table.",
        baseline="1 in {k} at most: the promise",
    ),
    RISK(
        "journalist",
        "Largest chance to find somebody of the population",
        "The same where nobody knows who is in the table: never more, because those of the table who look"
        " alike are in the population as well. How much less, the risk against a population tells.",
        at="prosecutor",
        baseline="1 in {k} at most: the promise",
    ),
    RISK(
        "marketer",
        "Rows that a reader of everybody finds",
        "The share of rows that a reader who knows everybody's quasi-identifiers finds right, on average.",
        baseline="100 % where every row is alone",
    ),
    RISK(
        "unique",
        "Rows that were alone in the original",
        "Whoever knows the exact quasi-identifiers of these people would have found them there.",
        of=_alone,
        baseline="0 % in the release: at least {k} rows look alike",
        public=False,
    ),
    RISK(
        "homogeneous",
        "Rows whose class has one sensitive value",
        "Whoever knows that somebody is among these rows knows the value as well.",
        of=lambda parts: _share(_worst("homogeneous", parts), parts[RISKS]["rows"]),
        baseline="0 % with a promise about values",
    ),
    RISK(
        "largest_share",
        "Largest share of a value in a class",
        "How sure a reader can be of somebody's value who knows the class and nothing else.",
        of=lambda parts: _worst("largest_share", parts),
        baseline="its share in the whole table, where the classes tell nothing",
    ),
    RISK(
        "vulnerable",
        "Rows with fewer possible values than promised",
        "Rows left with fewer values than ℓ for a reader who knows the rules: those of the promise, or where"
        " it is about readers without rules, those that can be mined.",
        unit=COUNT,
        baseline="0 where the promise is about readers who know the rules",
        public=False,
        needs="l",
    ),
    RISK(
        "vulnerable_longer",
        "Rows with fewer possible values, longer rules known",
        "The same count for a reader whom the promise does not cover, who knows rules one attribute longer,"
        f" from an expectation of {LOW_EXPECTATION:g} on.",
        unit=COUNT,
        public=False,
        needs="l",
    ),
    RISK(
        "joined",
        "Rows in classes put together for unlisted rules",
        "Somebody would have kept fewer than ℓ values for what rules leave out, had these classes been"
        " divided. How likely that is depends on who has which value: no ε holds for these rows.",
        unit=COUNT,
        baseline="0 where all classes could stay divided",
        public=False,
        needs="l",
    ),
    RISK(
        "learning",
        "Right guesses of a learner",
        "The share of rows whose sensitive value software guesses right which knows everybody's exact"
        " quasi-identifiers and learns from all classes together; of several columns, the one of which it"
        " learns most.",
        at="learning.accuracy",
        baseline=_at_random,
        rounded=Rounding(CLASS, lambda right, exact: _guessed(right, exact, exact["learning"]["rows"])),
    ),
    RISK(
        "refined",
        "Coarse cells placed one step finer",
        "Of the coarser cells, the share that a reader places rightly below a finer value, without knowing"
        " whose they are, because classes are made as fine as they can be.",
        of=lambda parts: _right("refinement", parts),
        public=False,
    ),
    RISK(
        "explained",
        "Rows narrowed by why nothing finer was published",
        "The share of rows that are rightly concluded to have fewer than ℓ values among them, because one"
        " step finer was not published although k rows would still be alike.",
        of=_explained,
        baseline="0 % with the recodings 'local' and 'cells'",
        public=False,
        needs="l",
    ),
    USE(
        "loss",
        "Loss of detail",
        "The mean loss of a cell; a row left out loses everything.",
        baseline="0 % as they were, 100 % with nothing left",
        rounded=TWO_DIGITS,
    ),
    USE(
        "classes",
        "Classes",
        "How many different combinations of quasi-identifiers are published.",
        unit=COUNT,
        baseline=lambda parts: f"{parts['parameters']['rows']:,} rows",
        less=False,
    ),
    USE(
        "average_class",
        "Rows of a class, on average",
        "How many rows look alike, on average.",
        unit=NUMBER,
        baseline="{k} would be the least",
        rounded=TWO_DIGITS,
    ),
    USE(
        "discernibility",
        "Discernibility",
        "The sum over rows of how many rows look alike; a row left out counts as all of them.",
        unit=COUNT,
        baseline="{k} for each row would be the least",
    ),
    USE(
        "entropy",
        "Information lost",
        "Non-uniform entropy: of what the quasi-identifiers told in bits, the share that is lost.",
        baseline="0 % as they were, 100 % with nothing left",
        rounded=TWO_DIGITS,
    ),
    USE(
        "query_error",
        "Error of counting queries",
        "How far counts over the release are off on average; a coarser value stands for each below it alike.",
        unit=ERROR,
        at="count_queries.mean",
        baseline="0 % from the original table",
        rounded=TWO_DIGITS,
    ),
    USE(
        "query_error_median",
        "Error of counting queries, median",
        "Half of the counts over the release are off by no more than this.",
        unit=ERROR,
        at="count_queries.median",
        baseline="0 % from the original table",
        rounded=TWO_DIGITS,
    ),
    USE(
        "suppressed",
        "Rows left out for the promise",
        "The share of rows that are not published, so that the others keep more detail.",
        of=_left_out,
    ),
)


OWNERS = ("unique", "vulnerable", "vulnerable_longer", "joined", "refinement", "minimality")
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


def stated_utility(exact: Parts, *, rows: int) -> dict[str, Any]:
    """The utility of the manifest."""
    columns = [
        one | {name: two_digits(one[name]) for name in ("loss", "entropy")} for one in exact["columns"]
    ]
    queries = counting_error(exact["count_queries"], rows=rows, measured=("mean", "median"))
    beside = {"columns": columns, "count_queries": queries}
    return stated(FIGURES, UTILITY, exact, beside=beside, rounded=dict.fromkeys(beside, DIGITS))
