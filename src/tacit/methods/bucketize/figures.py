"""The figures of a bucketized release, and what a manifest states of them.

The published files and the stated rules tell a reader valid values, posteriors and who is unique; where
anybody can count them again these figures are published as they are. Counts answered wrongly, guesses that
are right, rules that are not stated and quasi-identifiers that are published more coarsely need the original:
what follows from them is published on the grid of :mod:`tacit.judging.figures`. What Anatomy would have
given away is about a release that does not exist, and is the owner's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tacit.judging.figures import (
    CHANCE,
    CLASS,
    COUNT,
    DIGITS,
    ERROR,
    FEWEST,
    RISK,
    RISKS,
    TENS,
    TWO_DIGITS,
    USE,
    UTILITY,
    Parts,
    Rounding,
    counting_error,
    guess_class,
    people_up,
    stated,
    tens_up,
    two_digits,
)
from tacit.mining.verbs import LOW_EXPECTATION
from tacit.showing.layout import share


def _private(exact: Parts) -> bool:
    """Whether who is allowed which value is known from the original alone."""
    return not exact["recountable"]


def _class_of(right: float, exact: Parts, guesses: int) -> str | None:
    """Shares of right guesses as classes: "the surest 300 are right for 100 %" would confirm each of them."""
    return guess_class(right, chance=1 / exact["l"], guesses=guesses)


def _gain(parts: Parts) -> float | None:
    learning = parts[RISKS]["learning"]
    return None if learning is None else max(0.0, learning["accuracy"] - learning["baseline"])


def _left_out(parts: Parts) -> float:
    out, rows = parts["parameters"]["suppressed"], parts["parameters"]["rows"]
    return float(out / max(1, out + rows))


def _counterfeits(parts: Parts) -> float:
    parameters = parts["parameters"]
    return float(parameters.get("series", {}).get("counterfeits", 0) / max(1, parameters["rows"]))


def _at_random(parts: Parts) -> str:
    learning, several = parts[RISKS]["learning"], len(parts["parameters"]["sensitive"]) > 1
    if learning is None:
        return ""
    commonest = "combination of values, all of which must be right" if several else "value"
    return (
        f"{share(learning['baseline'])} at random inside the bucket, {share(learning['majority'])} by naming"
        f" the commonest {commonest}"
    )


def _as_promised(parts: Parts) -> str:
    covered = parts["method"] == "injector"
    return "0, as promised" if covered else "not covered: the promise is about readers without rules"


def _alone(parts: Parts) -> str:
    k = parts["parameters"].get("k")
    return "the same as in the original" if k is None else f"0 %: at least {k} rows look alike"


PEOPLE = Rounding(TENS, lambda value, exact: people_up(value, of=exact["rows"]), up=True)

FIGURES = (
    RISK(
        "learning",
        "Right guesses of a learner",
        "The share of rows that software guesses right which learns from all buckets together.",
        at="learning.accuracy",
        baseline=_at_random,
        rounded=Rounding(CLASS, lambda right, exact: _class_of(right, exact, exact["learning"]["rows"])),
    ),
    RISK(
        "posterior",
        "Largest posterior",
        "The surest that a reader who knows the rules can be of a value of anybody; 1 is certain.",
        unit=CHANCE,
        at="posterior.largest",
        error="posterior.error",
        baseline="1 in {l}",
        rounded=replace(TWO_DIGITS, when=_private),
    ),
    RISK(
        "vulnerable",
        "Rows with fewer than {l} values",
        "Rows left with fewer than {l} possible values for a reader who knows the rules.",
        unit=COUNT,
        baseline=_as_promised,
        rounded=replace(PEOPLE, when=_private),
    ),
    RISK(
        "vulnerable_longer",
        "Rows with fewer than {l} values, longer rules known",
        "The same for a reader whom the promise does not cover, who knows rules one attribute longer, from an"
        f" expectation of {LOW_EXPECTATION:g} on.",
        unit=COUNT,
        rounded=PEOPLE,
    ),
    RISK(
        "above",
        "Rows with a value above 1 in {l}",
        "The share of rows of which a reader who knows the rules can be surer of a value than one in {l}.",
        at="posterior.above",
        rounded=replace(TWO_DIGITS, when=_private),
    ),
    RISK(
        "learning_gain",
        "Gain of a learner",
        "By how much software that learns from the release guesses better than at random in a bucket.",
        of=_gain,
        public=False,
    ),
    RISK(
        "rule_guesses",
        "Right guesses by the rules alone",
        "The share of rows that a reader guesses right who counts by the rules and learns nothing.",
        at="rule_guesses.accuracy",
        rounded=Rounding(CLASS, lambda right, exact: _class_of(right, exact, exact["rows"])),
    ),
    RISK(
        "unique",
        "Rows alone with their quasi-identifiers",
        "Whoever knows these people finds their row; what they have is still one of several values.",
        baseline=_alone,
    ),
    USE(
        "query_error",
        "Error of counting queries",
        "How far counts over the release are off on average, answered with what the rules allow.",
        unit=ERROR,
        at="count_queries.valid",
        baseline="0 % from the original table",
        rounded=TWO_DIGITS,
    ),
    USE(
        "query_error_uniform",
        "Error of counting queries, no rules used",
        "How far counts over the release are off on average, all values of a bucket taken for alike.",
        unit=ERROR,
        at="count_queries.uniform",
        baseline="0 % from the original table",
        rounded=TWO_DIGITS,
    ),
    USE(
        "suppressed",
        "Rows left out for the promise",
        "The share of rows that are not published, so that the promise holds for the others.",
        of=_left_out,
    ),
    USE(
        "counterfeits",
        "Counterfeits",
        "The number of values that nobody has, for each row: they stand in for people of a series who left.",
        of=_counterfeits,
    ),
)


def stated_risks(exact: Parts, *, recountable: bool) -> dict[str, Any]:
    """The risks of the manifest: exact if the published rows and rules give them to anybody who counts."""
    rows, few = exact["rows"], exact["rows"] < FEWEST
    beside = {name: exact[name] for name in ("rows", "buckets", "l", "rules")}
    beside["posterior"] = {name: exact["posterior"][name] for name in ("error", "sampled_buckets")}
    spread = {name: exact[name] for name in ("valid_values", "posteriors")}
    grid = {"learning.surest.right": CLASS, "rule_guesses.surest.right": CLASS}
    if not recountable:
        beside["rules"] = None if few or exact["rules"] is None else tens_up(exact["rules"])
        beside["posterior"] = {
            "error": two_digits(exact["posterior"]["error"]),
            "sampled_buckets": tens_up(exact["posterior"]["sampled_buckets"]),
        }
        spread = {
            name: [bar | {"rows": people_up(bar["rows"], of=rows)} for bar in bars]
            for name, bars in spread.items()
            if not few
        }
        grid |= {"rules": TENS, "valid_values": TENS, "posteriors": TENS, "posterior": DIGITS}
        grid["posterior.sampled_buckets"] = TENS
    if few and not recountable:
        beside["posterior"] = None
    learning, by_rules = exact["learning"], exact["rule_guesses"]
    beside["rule_guesses"] = {"surest": _surest(by_rules, exact)}
    beside["learning"] = learning and {
        **{name: learning[name] for name in ("baseline", "majority", "rows")},
        "surest": _surest(learning, exact),
    }
    return stated(FIGURES, RISKS, {**exact, "recountable": recountable}, beside=beside | spread, rounded=grid)


def stated_utility(exact: Parts, *, rows: int) -> dict[str, Any]:
    """The utility of the manifest: the error of counting queries over two columns; others are the owner's."""
    error = counting_error(exact["count_queries"], rows=rows, measured=("uniform", "valid"))
    return stated(FIGURES, UTILITY, exact, beside={"count_queries": error}, rounded={"count_queries": DIGITS})


def _surest(guesses: Parts, exact: Parts) -> list[dict[str, Any]]:
    return [{**one, "right": _class_of(one["right"], exact, one["people"])} for one in guesses["surest"]]
