"""The figures that every manifest states, for releases that are written by hand."""

from __future__ import annotations

from typing import Any

from tacit_verify.terms import KINDS


def of_buckets(rows: int, buckets: int, *, l: int, unique: float) -> dict[str, Any]:
    """The risks and the utility of a few people in buckets, without rules: little may be said of them."""
    shares = (0.01, 0.05, 0.1)
    guesses = {
        "accuracy": None,
        "surest": [{"share": share, "people": min(100, rows), "right": None} for share in shares],
    }
    silent = dict.fromkeys(("rules", "vulnerable", "vulnerable_longer", "learning", "posterior"))
    return {
        "risks": {
            "rows": rows,
            "buckets": buckets,
            "l": l,
            "unique": unique,
            "rule_guesses": guesses,
            "grid": grid("bucketized", "risks"),
            **silent,
        },
        "utility": {
            "count_queries": None,
            "grid": grid("bucketized", "utility"),
        },
    }


def grid(kind: str, part: str) -> dict[str, str]:
    """How the figures of a part are rounded, those of earlier releases apart."""
    places = {place.rstrip("?"): min(word) for place, word in KINDS[kind][part]["grid"].items()}
    return {place: word for place, word in places.items() if not place.startswith("composition")}
