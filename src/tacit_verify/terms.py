"""What a manifest may hold, kind by kind: closed lists, and nothing beside them.

To add a parameter, a term or a figure to a kind of release, add its name here: one line. What a field may
be is a type (``int``: a count; ``float``: a number; ``str``: a name out of the data), a set of words, a
pattern of a text, a function that tells, a list of one such thing and perhaps how many it may have, several
such things in a tuple, or a map of names to them: ``?`` marks a name that may be missing and ``*`` any name.
"""

import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

SHARE, FRACTION = re.compile(r"\d{1,20}(\.\d{1,20})?", re.ASCII), re.compile(r"\d{1,20}/\d{1,20}", re.ASCII)
YEAR = "(0001|1[6-9]00|1753|1899|1901|1970|2[0-9]99|9999)"
CODE = re.compile(  # a code, signs or a date that stands for a missing value
    r"[+-]?((\d)\2{0,8}|9{1,8}\d)([.,][09]{1,3})?|[\W_]{0,4}|#DIV/0!"
    rf"|({YEAR}-(01-01|12-3[01])|(01[./]01|3[01][./]12|12/3[01])[./]{YEAR})([ T]00:00(:00)?)?", re.ASCII
)  # fmt: skip
WORDS = (  # of which what usually means a missing value is made
    "a an answer answered applicable available blank c d data declined determined disclosed don dont"
    " empty entered error given i info information k know known m missing n na name nan nd ni nil no non"
    " none not null num o p provided recorded ref refused reported response s specified stated t tbd to"
    " undefined unk unknown unspecified value void was withheld x angabe angaben bekannt erhoben fehlend"
    " fehlt kein keine leer nicht unbekannt inconnu inconnue manquant pas renseigné réponse sans vide"
    " aplica contesta dato datos desconocido sabe sin mancante sconosciuto geen niet onbekend brak saknas"
)
VERSION = re.compile(r"\d{1,9}(\.\d{1,9}){0,3}((a|b|rc|\.dev|\.post)\d{1,9}){0,3}", re.ASCII)
DIGEST, LINE = re.compile(r"[0-9a-f]{64}"), re.compile("[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,200}")
CLASS = re.compile(r"(above|below) [01]\.\d\d?|[01]\.\d\d? to [01]\.\d\d?", re.ASCII)


def two_digits(value: Any) -> bool:
    """Whether this is a number of two significant digits, not below 0."""
    return _is(value, float) and value >= 0 and float(f"{value:.2g}") == value


def usual(word: str) -> bool:
    """Whether a word usually means a missing value."""
    parts = re.findall(r"[^\W\d_]+", word.casefold())
    told = 0 < len(parts) <= 4 and {*parts} <= {*WORDS.split()} and len(word) <= 30
    return word.isprintable() and bool(CODE.fullmatch(word) or (told and not re.search(r"\d", word)))


def missing(word: Any) -> bool:
    """Whether this can mean a missing value: usual, or short and without digits and blanks."""
    if type(word) is not str:
        return False
    return usual(word) or (len(word) <= 12 and word.isprintable() and not re.search(r"[\d\s]", word))


def gain(value: Any) -> bool:
    """Whether this is an ε."""
    return _is(value, float) and 0 < value <= 10


def tens(value: Any) -> bool:
    """Whether this is a count by tens, of two significant digits."""
    return type(value) is int and two_digits(value) and value % 10 == 0


def share(value: Any) -> bool:
    """Whether this is a share of something."""
    return type(value) is float and 0 <= value <= 1


def percents(value: Any) -> bool:
    """Whether this is a share in whole percents."""
    return share(value) and round(value, 2) == value


LATER = {"number": int, "after?": DIGEST, "small_changes?": int}  # a place in a series of tables or sets
MINED = {  # how the rules were found that readers are taken to know
    "min_expectation": SHARE, "max_length": (int, None), "dropped?": bool,
    "correction": {"none", "alike", "bonferroni", "bh"},
}  # fmt: skip
RULE = {"when": {"*": str}, "attribute": str, "value": (str, None)}
SETS = {"transactions.dat", "transactions.csv", "transactions.jsonl"}
EVERY = {
    "format": {"tacit-release"}, "format_version": {2}, "not_for_publication": bool,
    "kind": {"bucketized", "generalized", "generalized_table", "hidden", "rules"},
    "files": {"*": {"bytes": int, "sha256": DIGEST}},
    "versions": {f"{name}?": VERSION for name in ("tacit", "python", "numba", "numpy", "polars", "scipy")},
    "verification": {"extent": {"full"}},
}  # fmt: skip
GUESSED = {  # of those that a reader is surest about, how many are guessed right
    "accuracy": (CLASS, None), "surest": [{"share": share, "people": int, "right": (CLASS, None)}, 3],
}  # fmt: skip
LEARNING = GUESSED | {"baseline": float, "majority": float, "rows": int}
QUERIES = dict.fromkeys(("dimensions", "queries", "selectivity"), two_digits)
COMPOSITION = {
    "unit": {"people", "transactions"}, "records": int, "shared?": tens, "looked_at?": tens,
    "earlier": [{"kind": EVERY["kind"], "records": tens, "measured": bool, "error?": tens}, 100],
    "one_candidate_at_least?": tens, "one_candidate_share_at_least?": percents, "not_matched?": tens,
    "one_candidate?": tens, "one_candidate_share?": percents,  # as an earlier version called them
}  # fmt: skip


def _grid(two_digits: str = "", tens: str = "", percents: str = "", classes: str = "") -> dict[str, Any]:
    """The places of the figures that are rounded, and how; a figure that is not named is exact."""
    words = {"two digits": two_digits, "tens, up": tens, "percents, up": percents, "class": classes}
    return {place: {word} for word, places in words.items() for place in places.split()}


COMPOSED = _grid("", "composition?", "composition.one_candidate_share_at_least?")
LEARNED = "learning.accuracy learning.surest.right"
ROUGH = ("rules", "valid_values", "vulnerable", "posteriors", "posterior.sampled_buckets")
KINDS: dict[str, dict[str, Any]] = {
    "bucketized": {
        "method": {"injector", "anatomy"},
        "parameters": {
            "l": int, "k?": int, "form": {"qit", "permuted"}, "quasi": [str], "keep": [str],
            "sensitive": [str], "group": {"group"}, "rows": int, "buckets": int, "suppressed": int,
            "nulls": {"own", "reject", "suppress"}, "null_values": [missing, 20],
            "partners?": {"near", "any", "paper", "areas", "signatures"},
            "series?": {
                "number": int, "counterfeits": int, "after?": DIGEST, "fallen?": int, "look_alikes?": int,
            },
            "epsilon?": gain, "max_learned?": SHARE, "other_rows?": int, "several_rows?": bool,
            "joined?": {"*": {"*": [(str, None)]}},
            "accepted?": {"*": LINE},  # the publisher's reason for publishing a column; the one free text
        },
        "verification": (
            {"extent": {"full"}}, {"extent": {"sample"}, "one_in": int, "seed": re.compile("[0-9a-f]{16}")},
        ),
        "promise": {"l": int, "k?": int, "max_posterior?": FRACTION, "max_posterior_suppressed?": FRACTION},
        "reader": {"rules": [RULE | {"given": bool}], "nodes": {"*": {"*": [(str, None)]}}, "mined?": MINED},
        "risks": {
            "grid": COMPOSED | _grid(
                "posterior?", f"vulnerable_longer {'? '.join(ROUGH)}?", "",
                f"{LEARNED} rule_guesses.accuracy rule_guesses.surest.right",
            ),
            "composition?": COMPOSITION, "rows": int, "buckets": int, "l": int, "unique": float,
            "rules": (int, None), "vulnerable": (int, None), "vulnerable_longer": (int, None),
            "learning": (LEARNING, None), "rule_guesses": GUESSED,
            "posterior": ({"above": share, "error": share, "largest": share, "sampled_buckets": int}, None),
            "valid_values?": [{"values": int, "or_more": bool, "rows": int}, 12],
            "posteriors?": [{"low": share, "high": share, "rows": int}, 20],
            "judged_buckets?": {"one_in": int},
        },
        "utility": {
            "grid": _grid("count_queries"),
            "count_queries": (QUERIES | {"uniform": two_digits, "valid": two_digits}, None),
        },
    },
    "generalized": {
        "method": {"k^m-anonymity by global recoding"},
        "parameters": {
            "k": int, "m": int, "suppressed": int, "transactions": SETS, "sensitive?": str,
            "algorithm": {"apriori", "direct", "optimal", "best", "mapping"}, "series?": LATER,
        },
        "promise": {"k": int, "m": int, "records": int},
        "reader": {"known_items": int},
        "risks": {
            "grid": COMPOSED | _grid(
                "leaf_guessing.at_random leaf_guessing.baseline", "leaf_guessing.guesses", "",
                "leaf_guessing.accuracy",
            ),
            "composition?": COMPOSITION, "records": int, "judged_records?": {"one_in": int},
            "narrowed": [
                {"knows": str, "below_k": share, "to_one": share, "records": int, "error": float}, 6,
            ],
            "diversity": ({"column": str, "fewest": int, "given_away": int}, None),
            "leaf_guessing": ({
                "accuracy": (CLASS, None), "at_random": two_digits, "baseline": two_digits, "guesses": tens,
            }, None),
        },
        "utility": {
            "grid": _grid("average_length ncp published_average_length", "items levels"), "ncp": two_digits,
            "items": tens, "published_items": int, "average_length": two_digits,
            "published_average_length": two_digits,
            "levels": [{"steps": int, "items": tens, "occurrences": tens}, 100],
            "cut": [
                {"node": str, "parent": (str, None), "items": int, "published_as": int, "in_cut": bool}, 300,
            ],
        },
    },
    "generalized_table": {
        "method": {f"k-anonymity by {how} recoding" for how in ("local", "global", "subtree", "cells")},
        "parameters": {
            "recoding": {"local", "global", "subtree", "cells"}, "quasi": [str], "keep": [str],
            "sensitive": [str], "rows": int, "classes": int, "suppressed": int, "other_rows?": int,
            "nulls": {"own", "reject", "suppress"}, "null_values": [missing, 20], "series?": LATER,
            "effort?": {"quick", "thorough"}, "epsilon?": gain, "several_rows?": bool,
        },
        "promise": {
            "k": int, "l?": int, "entropy_l?": int, "recursive?": {"c": FRACTION, "l": int}, "t?": FRACTION,
            "distance?": {"equal", "ordered", "hierarchical"}, "order?": {"*": [(str, None)]},
        },
        "reader": {"rules": [RULE | {"given?": bool}], "mined?": MINED},
        "risks": {
            "grid": COMPOSED | _grid("", "", "", f"{LEARNED}?"), "composition?": COMPOSITION,
            "k": int, "rows": int, "classes": int, "smallest": int, "prosecutor": float,
            "marketer": float, "learning": (LEARNING, None),
            "values": [{"column": str, "fewest": int, "homogeneous": int, "largest_share": float}],
        },
        "utility": {
            "grid": _grid("average_class columns count_queries entropy loss"), "loss": two_digits,
            "classes": int, "average_class": two_digits, "discernibility": int, "entropy": two_digits,
            "columns": [{"column": str, "published_values": int, "loss": two_digits, "entropy": two_digits}],
            "count_queries": (QUERIES | {"mean": two_digits, "median": two_digits}, None),
        },
    },
    "hidden": {
        "method": {"sanitization matrix", "sliding windows"},
        "parameters": {
            "min_count": int, "min_confidence": (SHARE, FRACTION, None), "transactions": SETS,
            "sensitive?": str, "window?": int, "disclosure?": (SHARE, FRACTION, None),
            "policy?": {"certified", "exact", "paper"}, "confidence?": (SHARE, FRACTION),
            "targets?": {"drawn", "limit"}, "decoys": int,
        },
        "promise": {
            "min_count": int, "patterns": int, "rules": int, "transactions": int, "items": int, "cells": int,
            "empty": int,
        },
        "reader": {"min_count": int},
        "risks": {
            "grid": COMPOSED | _grid("", "", "weakness"), "composition?": COMPOSITION,
            "hiding_failure": float, "weakness": percents, "rare_items": int,
        },
        "utility": {
            "grid": _grid("", "", "misses_cost dissimilarity"), "misses_cost": percents,
            "artificial_patterns": float, "dissimilarity": percents,
        },
    },
    "rules": {
        "method": {"association rules within a limit on the maximum-entropy posterior"},
        "parameters": {
            "min_support": SHARE, "min_confidence": SHARE, "max_length": (int, None), "distribution": bool,
            "k": (int, None), "scores": {"exact", "thresholds"},
        },
        "promise": {"max_posterior?": float, "min_divergence?": float, "min_group?": int},
        "reader": {"quasi": [str], "silence": {"both"}},
        "risks": {
            "grid": COMPOSED | _grid("max_posterior", "", "", "missing_scores"), "composition?": COMPOSITION,
            "max_posterior": float, "residual_below": share, "channels": (int, None),
            "missing_scores": {"tell nothing", "stay within the limit", "pass the limit"},
        },
        "utility": {"published": int, "with_scores": int},
    },
}  # fmt: skip
COUNTED = {  # figures that are counted again; of all others the publisher alone knows that they are right
    "grid", "rows", "buckets", "l", "k", "unique", "classes", "smallest", "prosecutor", "marketer", "values",
    "average_class", "discernibility", "records", "published_items", "published_average_length", "cut",
    "rare_items", "hiding_failure", "artificial_patterns", "channels", "published", "with_scores",
}  # fmt: skip
COUNTED_WITH_RULES = {"rules", "vulnerable", "valid_values"}  # where rows and rules tell them
RULES_FILE = {  # in the order of the file
    "rows": int, "quasi": [str], "sensitive": str, "values": [str], "min_support": SHARE,
    "min_support_count": int, "min_confidence": SHARE, "max_length": (int, None), "complete": bool,
    "whole_columns?": [str],
    "rules": [{"antecedent": {"*": str}, "value": str, "matching?": int, "support?": int}],
    "distribution?": {"*": int},
}  # fmt: skip


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
        if len(wanted) > 1 and len(value) > wanted[1]:
            yield f"{place} holds {len(value)} entries, and may hold {wanted[1]}"
        for inner in value:
            yield from misfits(inner, wanted[0], place)
    elif not any(_is(value, one) for one in (wanted if isinstance(wanted, tuple) else (wanted,))):
        yield f"{place} is {value!a}, which it may not be"


def _is(value: Any, wanted: Any) -> bool:
    """Whether a value is one of the kind wanted."""
    if isinstance(wanted, set):
        return type(value) in (str, int) and value in wanted
    if isinstance(wanted, re.Pattern):
        return type(value) is str and wanted.fullmatch(value) is not None
    if isinstance(wanted, dict | list):
        return type(value) is type(wanted) and not any(misfits(value, wanted, ""))
    if wanted is float:
        return (type(value) is float and isfinite(value)) or _is(value, int)
    if wanted in (None, bool, str):
        return value is None if wanted is None else type(value) is wanted
    return type(value) is int and 0 <= value < 1 << 53 if wanted is int else bool(wanted(value))
