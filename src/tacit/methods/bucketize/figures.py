"""What is measured on a bucketized release when it is saved: for its owner, and what of it for everybody.

The published files and the stated rules tell a reader valid values, posteriors and who is unique; these
figures are published as they are. Counts answered wrongly, guesses that are right and rules that are not
stated need the original, and are published on the grid of :mod:`tacit.release.rounding`. What Anatomy
would have given away is about a release that does not exist, and is the owner's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.methods.bucketize.judge.histograms import (
    errors_by_dimensions,
    posterior_histogram,
    valid_value_histogram,
)
from tacit.methods.bucketize.judge.risks import BucketRisks
from tacit.methods.bucketize.judge.utility import quick_measure
from tacit.mining.knowledge import NegativeRules
from tacit.random.key import Key
from tacit.release.rounding import (
    CLASS,
    DIGITS,
    FEWEST,
    GRID,
    TENS,
    guess_class,
    people_up,
    tens_up,
    two_digits,
)

Figures = Mapping[str, Any]


def exact_risks(risks: BucketRisks, buckets: Buckets, rules: NegativeRules) -> dict[str, Any]:
    """The known attacks, and how valid values and posteriors spread over rows."""
    return asdict(risks) | {
        "valid_values": [asdict(bar) for bar in valid_value_histogram(buckets, rules)],
        "posteriors": [asdict(step) for step in posterior_histogram(buckets, rules)],
    }


def exact_utility(buckets: Buckets, rules: NegativeRules, key: Key) -> dict[str, Any]:
    """The error of counting queries, which are drawn with the key."""
    seed = key.subkey("figures: counting queries").words
    return {
        "count_queries": asdict(quick_measure(buckets, rules, seed=seed)),
        "count_queries_by_dimensions": [
            asdict(error) for error in errors_by_dimensions(buckets, rules, seed=seed)
        ],
    }


def stated_risks(exact: Figures, *, rules_stated: bool) -> dict[str, Any]:
    """The risks of the manifest; rules that it does not state are known from the original alone."""
    rows = exact["rows"]
    stated = {name: exact[name] for name in ("rows", "buckets", "l", "unique")}
    about_rules = {name: exact[name] for name in ("rules", "vulnerable", "posterior")}
    spread = {name: exact[name] for name in ("valid_values", "posteriors")}
    grid = {
        "vulnerable_longer": TENS,
        "learning.accuracy": CLASS,
        "learning.surest.right": CLASS,
        "rule_guesses.accuracy": CLASS,
        "rule_guesses.surest.right": CLASS,
    }
    if exact["posterior"]["sampled_buckets"]:
        # What is sampled follows the order of the rows' true values, so it is the owner's.
        about_rules["posterior"] = None
        del spread["posteriors"]
    if not rules_stated:
        about_rules = {
            "rules": None if rows < FEWEST else tens_up(exact["rules"]),
            "vulnerable": people_up(exact["vulnerable"], of=rows),
            "posterior": None
            if rows < FEWEST or about_rules["posterior"] is None
            else _stated_posterior(exact["posterior"]),
        }
        spread = {
            name: [bar | {"rows": people_up(bar["rows"], of=rows)} for bar in bars]
            for name, bars in spread.items()
            if rows >= FEWEST
        }
        grid |= dict.fromkeys(("rules", "vulnerable", "valid_values", "posteriors"), TENS)
        grid["posterior"] = DIGITS
    return {
        **stated,
        **about_rules,
        **spread,
        "vulnerable_longer": people_up(exact["vulnerable_longer"], of=rows),
        "rule_guesses": _stated_guesses(exact["rule_guesses"], exact["l"], rows),
        "learning": None if exact["learning"] is None else _stated_learning(exact["learning"], exact["l"]),
        GRID: grid,
    }


def stated_utility(exact: Figures) -> dict[str, Any]:
    """The utility of the manifest: the error of counting queries."""
    return {
        "count_queries": _stated_error(exact["count_queries"]),
        "count_queries_by_dimensions": [
            _stated_error(error) for error in exact["count_queries_by_dimensions"]
        ],
        GRID: {"count_queries": DIGITS, "count_queries_by_dimensions": DIGITS},
    }


def owner_figures(
    anatomy: BucketRisks | None, beside: Buckets | None, rules: NegativeRules
) -> dict[str, Any]:
    """What Anatomy would have done, for the private record."""
    figures: dict[str, Any] = {"anatomy": None if anatomy is None else asdict(anatomy)}
    if beside is not None:
        bars = valid_value_histogram(beside, rules)
        figures["anatomy_valid_values"] = [asdict(bar) for bar in bars]
    return figures


def _stated_learning(learning: Figures, l: int) -> dict[str, Any]:
    return {name: learning[name] for name in ("baseline", "majority", "rows")} | _stated_guesses(
        learning, l, learning["rows"]
    )


def _stated_guesses(guesses: Figures, l: int, rows: int) -> dict[str, Any]:
    """Shares of right guesses as classes: "the surest 300 are right for 100 %" would confirm each of them."""

    def stated(right: float, people: int) -> str | None:
        return guess_class(right, chance=1 / l, guesses=people)

    return {
        "accuracy": stated(guesses["accuracy"], rows),
        "surest": [{**one, "right": stated(one["right"], one["people"])} for one in guesses["surest"]],
    }


def _stated_posterior(posterior: Figures) -> dict[str, Any]:
    return {**posterior} | {name: two_digits(posterior[name]) for name in ("largest", "error", "above")}


def _stated_error(error: Figures) -> dict[str, Any]:
    """An error as it is published: how many queries had no true answer is a fact about the original."""
    return {
        "dimensions": error["dimensions"],
        "selectivity": error["selectivity"],
        "queries": error["queries"] + error["skipped"],
        "uniform": two_digits(error["uniform"]),
        "valid": two_digits(error["valid"]),
    }
