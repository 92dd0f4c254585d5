"""The figures of a generalized table: what its files tell, exactly; what only the original tells, rounded.

Classes and what they hold are counted on the published table. How much detail was lost follows from the
whole hierarchies, of which only the nodes in use are published.
"""

from __future__ import annotations

from typing import Any

from tacit.judging.figures import COUNT, NUMBER, RISKS, SHARE, UTILITY, Figure, Parts, stated
from tacit.release.rounding import DIGITS, TWO_DIGITS, two_digits


def _left_out(parts: Parts) -> float:
    out = parts["parameters"]["suppressed"]
    return float(out / max(1, out + parts["parameters"]["rows"]))


def _worst(name: str, parts: Parts) -> float | None:
    """The largest of a figure over the sensitive columns; None where there is none."""
    return max((float(one[name]) for one in parts[RISKS]["values"]), default=None)


def _homogeneous(parts: Parts) -> float | None:
    found = _worst("homogeneous", parts)
    return None if found is None else found / max(1, parts[RISKS]["rows"])


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
        "marketer",
        "Rows that a reader of everybody finds",
        "The share of rows that a reader who knows everybody's quasi-identifiers finds right, on average.",
        SHARE,
        RISKS,
        baseline="100 % where every row is alone",
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
        "suppressed",
        "Rows left out",
        "The share of rows that are not published, so that the others keep more detail.",
        SHARE,
        UTILITY,
        of=_left_out,
    ),
)


def stated_risks(exact: Parts) -> dict[str, Any]:
    """The risks of the manifest: all of them can be counted in the published table."""
    return stated(FIGURES, RISKS, exact, beside=exact)


def stated_utility(exact: Parts) -> dict[str, Any]:
    """The utility of the manifest."""
    columns = [one | {"loss": two_digits(one["loss"])} for one in exact["columns"]]
    return stated(FIGURES, UTILITY, exact, beside={"columns": columns}, rounded={"columns": DIGITS})
