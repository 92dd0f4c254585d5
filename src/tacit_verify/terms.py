"""What a manifest may hold, kind by kind: closed lists, and nothing beside them.

To add a parameter, a term or a figure to a kind of release, add its name here: one line. What a field may
be is a type (``int``: a count; ``float``: a number; ``str``: a name out of the data), a set of words, a
pattern of a text or of a number on its grid, a list of one such thing, several such things in a tuple, or a
map of names to them: ``?`` marks a name that may be missing and ``*`` any name. A frozenset holds the names
of figures: they stand in maps and lists of any depth, and are numbers, true, false or null; those that are
something else are in ``WORDS``.
"""

import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

SHARE, FRACTION = re.compile(r"\d+(\.\d+)?"), re.compile(r"\d+/\d+")
VERSION, DIGEST = re.compile(r"\d[\w.+!-]{0,30}", re.ASCII), re.compile(r"[0-9a-f]{64}")
CLASS = re.compile(r"(above|below) [\d.]+|[\d.]+ to [\d.]+")
TENS, PERCENTS = re.compile(r"0|\d\d?0+"), re.compile(r"0\.\d\d?|1\.0")
GRIDS = {TENS: int, PERCENTS: float}  # patterns of numbers
LATER = {"number": int, "after?": DIGEST, "small_changes?": int}  # a place in a series of tables or sets
MINED = {  # how the rules were found that readers are taken to know
    "min_expectation": SHARE, "max_length": (int, None), "correction": {"none", "alike", "bonferroni", "bh"},
}  # fmt: skip
SETS = {"transactions.dat", "transactions.csv", "transactions.jsonl"}
EVERY = {
    "format": {"tacit-release"}, "format_version": {2}, "not_for_publication": bool,
    "kind": {"bucketized", "generalized", "generalized_table", "hidden", "rules"},
    "files": {"*": {"bytes": int, "sha256": DIGEST}},
    "versions": {f"{name}?": VERSION for name in ("tacit", "python", "numba", "numpy", "polars", "scipy")},
    "verification": {"extent": {"full"}},
}  # fmt: skip


def _figures(names: str) -> frozenset[str]:
    return frozenset({"grid", *names.split()})


KINDS: dict[str, dict[str, Any]] = {
    "bucketized": {
        "method": {"injector", "anatomy"},
        "parameters": {
            "l": int, "k?": int, "form": {"qit", "permuted"}, "quasi": [str], "keep": [str],
            "sensitive": [str], "group": {"group"}, "rows": int, "buckets": int, "suppressed": int,
            "nulls": {"own", "reject", "suppress"}, "null_values": [str],
            "partners?": {"near", "any", "paper", "areas", "signatures"},
            "series?": {
                "number": int, "counterfeits": int, "after?": DIGEST, "fallen?": int, "look_alikes?": int,
            },
            "epsilon?": float, "max_learned?": SHARE, "other_rows?": int,
            "joined?": {"*": {"*": [(str, None)]}},
            "accepted?": {"*": str},  # the publisher's reason for publishing a column; the one free text
        },
        "verification": (
            {"extent": {"full"}}, {"extent": {"sample"}, "one_in": int, "seed": re.compile("[0-9a-f]{16}")},
        ),
        "promise": {"l": int, "k?": int, "max_posterior?": FRACTION, "max_posterior_suppressed?": FRACTION},
        "reader": {
            "rules": [{"when": {"*": str}, "attribute": str, "value": (str, None), "given": bool}],
            "nodes": {"*": {"*": [(str, None)]}},
            "mined?": MINED,
        },
        "risks": _figures(
            "composition rows buckets error l rules longer_rules vulnerable vulnerable_longer unique learning"
            " accuracy baseline majority surest share people right rule_guesses posterior largest above "
            "sampled_buckets valid_values values or_more posteriors low high judged_buckets one_in"
        ),
        "utility": _figures(
            "count_queries count_queries_by_dimensions dimensions queries selectivity skipped uniform "
            "valid"
        ),
    },
    "generalized": {
        "method": {"k^m-anonymity by global recoding"},
        "parameters": {
            "k": int, "m": int, "suppressed": int, "transactions": SETS, "sensitive?": str,
            "algorithm": {"apriori", "direct", "optimal", "best", "mapping"}, "series?": LATER,
        },
        "promise": {"k": int, "m": int, "records": int},
        "reader": {"known_items": int},
        "risks": _figures(
            "composition records error narrowed knows below_k to_one diversity column fewest given_away "
            "leaf_guessing accuracy at_random baseline guesses judged_records one_in"
        ),
        "utility": _figures(
            "ncp items published_items average_length published_average_length levels steps "
            "occurrences cut node parent in_cut published_as"
        ),
    },
    "generalized_table": {
        "method": {f"k-anonymity by {how} recoding" for how in ("local", "global", "subtree", "cells")},
        "parameters": {
            "recoding": {"local", "global", "subtree", "cells"}, "quasi": [str], "keep": [str],
            "sensitive": [str],
            "rows": int, "classes": int, "suppressed": int, "nulls": {"own", "reject", "suppress"},
            "null_values": [str], "effort?": {"quick", "thorough"}, "epsilon?": float, "other_rows?": int,
            "series?": LATER,
        },
        "promise": {
            "k": int, "l?": int, "entropy_l?": int, "recursive?": {"c": FRACTION, "l": int}, "t?": FRACTION,
            "distance?": {"equal", "ordered", "hierarchical"}, "order?": {"*": [(str, None)]},
        },
        "reader": {"rules": [{"when": {"*": str}, "attribute": str, "value": (str, None)}], "mined?": MINED},
        "risks": _figures(
            "composition k rows classes error smallest prosecutor marketer values column fewest homogeneous "
            "largest_share learning accuracy baseline majority surest share people right"
        ),
        "utility": _figures(
            "loss classes average_class discernibility entropy columns column published_values count_queries"
            " dimensions selectivity queries mean median"
        ),
    },
    "hidden": {
        "method": {"sanitization matrix", "sliding windows"},
        "parameters": {
            "min_count": int, "min_confidence": (SHARE, FRACTION, None), "transactions": SETS,
            "sensitive?": str, "window?": int, "disclosure?": (SHARE, FRACTION, None),
            "policy?": {"certified", "exact", "paper"}, "confidence?": (SHARE, FRACTION),
            "targets?": {"drawn", "limit"}, "decoys?": int,
        },
        "promise": {
            "min_count": int, "patterns": int, "rules": int, "transactions": int, "items": int, "cells": int,
            "empty": int,
        },
        "reader": {"min_count": int},
        "risks": _figures("composition hiding_failure weakness rare_items"),
        "utility": _figures("misses_cost artificial_patterns dissimilarity"),
    },
    "rules": {
        "method": {"association rules within a limit on the maximum-entropy posterior"},
        "parameters": {
            "min_support": SHARE, "min_confidence": SHARE, "max_length": (int, None), "distribution": bool,
            "k": (int, None), "scores?": {"exact", "thresholds"},
        },
        "promise": {"max_posterior?": float, "min_divergence?": float, "min_group?": int},
        "reader": {"quasi": [str], "silence": {"both"}},
        "risks": _figures("composition max_posterior residual_below channels missing_scores"),
        "utility": _figures("published with_scores"),
    },
}  # fmt: skip
RULES_FILE = {  # in the order of the file
    "rows": int, "quasi": [str], "sensitive": str, "values": [str], "min_support": SHARE,
    "min_support_count": int, "min_confidence": SHARE, "max_length": (int, None), "complete": bool,
    "whole_columns?": [str],
    "rules": [{"antecedent": {"*": str}, "value": str, "matching?": int, "support?": int}],
    "distribution?": {"*": int},
}  # fmt: skip
WORDS: dict[str, Any] = {
    "composition": {
        "unit": {"people", "transactions"}, "records": int, "shared?": TENS, "looked_at?": TENS,
        "earlier": [{"kind": EVERY["kind"], "records": TENS, "measured": bool, "error?": TENS}],
        "one_candidate_at_least?": TENS, "one_candidate_share_at_least?": PERCENTS, "not_matched?": TENS,
        "one_candidate?": TENS, "one_candidate_share?": PERCENTS,  # as an earlier version called them
    },
    "column": str, "node": str,
    "parent": (str, None), "accuracy": (CLASS, float, None), "right": (CLASS, None),
    "grid": {"*": {"two digits", "tens, up", "percents, up", "class"}},
    "missing_scores": {"tell nothing", "stay within the limit", "pass the limit"},
    "knows": re.compile(
        r"\d+ items?( and one absence)?|the whole record|what is in the record and what is not"
    ),
}  # fmt: skip
COMPOSITION = {name.rstrip("?") for name in (*WORDS["composition"], *WORDS["composition"]["earlier"][0])}


def misfits(value: Any, wanted: Any, place: str) -> Iterator[str]:
    """What a value holds that it may not, or lacks."""
    if isinstance(wanted, dict) and type(value) is dict:
        names = {name.rstrip("?"): inner for name, inner in wanted.items()}
        yield from (f"{place} lacks {name}" for name in wanted if name[-1] not in "?*" and name not in value)
        for name, inner in value.items():
            if name in names or "*" in names:
                yield from misfits(inner, names.get(name, names.get("*")), f"{place}: {name}")
            else:
                yield f"{place} holds {name!a}, which does not belong there"
    elif isinstance(wanted, list) and type(value) is list:
        for inner in value:
            yield from misfits(inner, wanted[0], place)
    elif isinstance(wanted, frozenset) and type(value) in (dict, list):
        for name, inner in value.items() if type(value) is dict else ((None, one) for one in value):
            if name not in wanted if name is not None else type(inner) is not dict:
                yield f"{place} holds {name or inner!a}, which does not belong there"
            yield from misfits(inner, WORDS.get(name or "", wanted), place)
    elif not any(_is(value, one) for one in (wanted if isinstance(wanted, tuple) else (wanted,))):
        yield f"{place} is {value!a}, which it may not be"


def _is(value: Any, wanted: Any) -> bool:
    """Whether a value is one of the kind wanted."""
    if isinstance(wanted, set):
        return type(value) in (str, int) and value in wanted
    if isinstance(wanted, re.Pattern):
        return type(value) is GRIDS.get(wanted, str) and wanted.fullmatch(str(value)) is not None
    if isinstance(wanted, frozenset):
        return value is None or type(value) is bool or _is(value, float)
    if isinstance(wanted, dict | list):
        return type(value) is type(wanted) and not any(misfits(value, wanted, ""))
    if wanted is float:
        return type(value) in (int, float) and isfinite(value)
    return value is None if wanted is None else type(value) is wanted and (wanted is not int or value >= 0)
