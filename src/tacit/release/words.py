"""Words that the manifests of several kinds of release share.

A manifest holds terms alone, so that nothing stands in it that nobody checks. The rooms of the methods put
the terms into sentences; the independent verifier has words of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Terms = Mapping[str, Any]

ALARMING = 0.8
"""From this chance of a value on, a release protects somebody hardly at all."""


def alarming_words(largest: float | None) -> list[str]:
    """A warning where somebody's value is nearly given away."""
    if largest is None or largest < ALARMING:
        return []
    return [f"Somebody's sensitive value is {largest:.0%} likely to the assumed reader."]


def left_out_words(suppressed: int, published: int, what: str) -> list[str]:
    """A note where records are not published."""
    return [f"{suppressed} of {published + suppressed} {what} are not published."] if suppressed else []


def looked_for_words(mined: Terms | None) -> str:
    """Which rules count as known: up to a length and from an expectation on."""
    if mined is None:
        return ""
    length = "" if mined["max_length"] is None else f"of at most {mined['max_length']} attributes, "
    if mined["max_length"] == 1:
        length = "of one attribute, "
    return f" ({length}from an expectation of {mined['min_expectation']} on)"


def fraction_words(text: str) -> str:
    """An exact fraction as people write it.

    >>> fraction_words("1/3")
    '0.333333'
    """
    upper, _, lower = text.partition("/")
    return f"{int(upper) / int(lower):g}"


def rule_words(rule: Terms) -> str:
    """A stated negative rule as a line.

    >>> rule_words({"when": {"sex": "male"}, "attribute": "disease", "value": "ovarian cancer"})
    'sex = male ⇒ ¬ disease = ovarian cancer'
    """
    when = " & ".join(f"{name} = {label}" for name, label in rule["when"].items())
    return f"{when} ⇒ ¬ {rule['attribute']} = {rule['value']}"
