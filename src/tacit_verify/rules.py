"""Checks of a release of association rules (``rules.json``).

From the file alone: its form, scores that agree with the thresholds and with each other, and small
groups that follow from the supports by subtraction. With the original: every support recounted,
and the list compared with all patterns that reach the thresholds. With the owner's private record
beside the release as well: each reader's posterior is computed from its multipliers, shown to meet
every constraint and the conditions of optimality, and compared with the promised limit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import ceil, log
from pathlib import Path
from typing import Any

from tacit_verify.posterior import Cells, count_cells, patterns_above, posterior, reader_problems
from tacit_verify.release import Check, Release

FIELDS = {
    "rows", "quasi", "sensitive", "values", "min_support", "min_support_count", "min_confidence",
    "max_length", "complete", "rules",
}  # fmt: skip
_NEGATED = 3
_TOLERANCE = 1e-6

Pattern = tuple[frozenset[tuple[str, str]], str]


def checks(release: Release, original: Path | None) -> Iterator[Check]:
    """Every check of a rules release."""
    content = json.loads(release.path("rules.json").read_text(encoding="utf-8"))
    problem = form_problem(content)
    yield Check("rules form", problem is None, problem or f"{len(content['rules'])} rules")
    if problem is not None:
        return
    problem = agreement_problem(release, content)
    yield Check(
        "rules as stated", problem is None, problem or "thresholds and figures agree with the manifest"
    )
    problem = score_problem(content)
    yield Check("scores", problem is None, problem or "they reach the thresholds and agree with each other")
    yield channel_check(release, content)
    if original is not None:
        cells = count_cells(original, content["quasi"], content["sensitive"])
        problem = support_problem(content, cells)
        yield Check("supports", problem is None, problem or "as counted in the original")
        eligible = eligible_patterns(content, cells)
        problem = list_problem(content, eligible)
        yield Check(
            "list of rules", problem is None, problem or f"{len(eligible)} patterns reach the thresholds"
        )
        record = private_certificate(release)
        if record is not None:
            yield from posterior_checks(release, content, cells, eligible, record)


def pattern_of(entry: dict[str, Any]) -> Pattern:
    return frozenset(entry["antecedent"].items()), entry["value"]


def form_problem(content: Any) -> str | None:
    """What is wrong with the file's form, or None."""
    if not isinstance(content, dict) or not FIELDS <= content.keys() <= FIELDS | {"distribution"}:
        return "it has other fields than a list of rules has"
    keys, seen = [], set()
    for entry in content["rules"]:
        if not {"antecedent", "value"} <= entry.keys() <= {"antecedent", "value", "matching", "support"}:
            return "a rule has other fields than its pattern and its scores"
        if ("support" in entry) != ("matching" in entry):
            return "a rule has one score without the other"
        if not entry["antecedent"] or not set(entry["antecedent"]) <= set(content["quasi"]):
            return "a rule is not about quasi-identifiers"
        if entry["value"] not in content["values"]:
            return f"a rule names the unknown value {entry['value']!r}"
        if content["max_length"] is not None and len(entry["antecedent"]) > content["max_length"]:
            return "a rule is longer than the longest that was mined"
        keys.append(json.dumps([sorted(entry["antecedent"].items()), entry["value"]], ensure_ascii=False))
        seen.add(pattern_of(entry))
    if len(seen) != len(keys):
        return "a rule is there twice"
    if keys != sorted(keys):
        return "the rules are not in the order of their text, so that their order may carry something"
    return None


def agreement_problem(release: Release, content: dict[str, Any]) -> str | None:
    """What the manifest and the file say differently, or None."""
    for name in ("min_support", "min_confidence", "max_length"):
        if release.parameters.get(name) != content[name]:
            return f"the manifest states another {name}"
    if least_support(content) != content["min_support_count"]:
        return f"the minimum support is {least_support(content)}, not {content['min_support_count']}"
    risks, utility = release.manifest["risks"], release.manifest["utility"]
    if utility.get("published") != len(content["rules"]):
        return f"the manifest states {utility.get('published')} rules"
    if utility.get("with_scores") != sum("support" in entry for entry in content["rules"]):
        return "the manifest states another number of rules with scores"
    if bool(content.get("distribution")) != release.parameters.get("distribution"):
        return "the distribution is published against what the manifest says"
    limit = release.promise.get("max_posterior")
    if limit is not None and not 0 < risks["max_posterior"] <= limit:
        return f"the stated largest posterior {risks['max_posterior']} is not within {limit}"
    if not 0 <= risks["residual_below"] <= _TOLERANCE:
        return "the posterior is stated with too large a residual"
    if content["complete"] == any("incomplete" in note for note in release.manifest["notes"]):
        return "the manifest and the file disagree on whether the list is complete"
    return None


def score_problem(content: dict[str, Any]) -> str | None:
    """A score below the thresholds, or two that cannot both be true; None where all is well."""
    scored = [entry for entry in content["rules"] if "support" in entry]
    places = {pattern_of(entry): entry for entry in scored}
    totals: dict[frozenset[tuple[str, str]], int] = {}
    for entry in scored:
        items, value = pattern_of(entry)
        support, matching = entry["support"], entry["matching"]
        if not (
            type(support) is int and type(matching) is int and 0 < support <= matching <= content["rows"]
        ):
            return f"the scores of {_text(items, value)} are no counts"
        if support < least(content, matching):
            return f"{_text(items, value)} does not reach the thresholds"
        totals[items] = totals.get(items, 0) + support
        if totals[items] > matching:
            return f"more people hold a value than match {_text(items, value)}"
        for count in range(1, len(items)):
            for part in combinations(sorted(items), count):
                other = places.get((frozenset(part), value))
                if other is None:
                    continue
                fewer = other["matching"] - other["support"] - matching + support
                if other["support"] < support or other["matching"] < matching or fewer < 0:
                    return f"{_text(items, value)} holds for more people than a more general rule"
    return None


def channel_check(release: Release, content: dict[str, Any]) -> Check:
    """Groups of fewer than k people that follow from the supports: as many as stated, or none if promised."""
    k = release.parameters.get("k")
    stated = release.manifest["risks"]["channels"]
    if k is None:
        return Check("channels", stated is None, "no smallest group was asked for")
    scored = {pattern_of(entry): entry for entry in content["rules"] if "support" in entry}
    found = 0
    for items, value in scored:
        for count in range(min(_NEGATED, len(items) - 1) + 1):
            for negated in combinations(sorted(items), count):
                parts = [frozenset(part) for size in range(count + 1) for part in combinations(negated, size)]
                rules = [
                    (scored.get((items - frozenset(negated) | part, value)), len(part)) for part in parts
                ]
                if any(rule is None for rule, _ in rules):
                    continue
                holding = sum((-1) ** size * rule["support"] for rule, size in rules if rule)
                matching = sum((-1) ** size * rule["matching"] for rule, size in rules if rule)
                found += (bool(negated) and 0 < holding < k) + (0 < matching - holding < k)
    if found != stated:
        return Check(
            "channels", False, f"{found} groups below {k} follow from the supports, {stated} are stated"
        )
    kept = "min_group" not in release.promise or found == 0
    return Check("channels", kept, f"{found} groups of fewer than {k} people follow from the supports")


def least_support(content: dict[str, Any]) -> int:
    """The smallest support that reaches the threshold: a count as it is, a share of the rows rounded up."""
    text = content["min_support"]
    return int(text) if "." not in text else max(1, ceil(Fraction(text) * content["rows"]))


def least(content: dict[str, Any], matching: int) -> int:
    """The smallest support of a rule that so many people match."""
    text = content["min_support"]
    share = Fraction(int(text)) if "." not in text else Fraction(text) * content["rows"]
    return ceil(max(Fraction(1), share, Fraction(content["min_confidence"]) * matching))


def support_problem(content: dict[str, Any], cells: Cells) -> str | None:
    """A score that is not what the original has, or None."""
    if cells.n_rows != content["rows"]:
        return f"the original has {cells.n_rows} rows, not {content['rows']}"
    if sorted(cells.values) != content["values"]:
        return "the original has other sensitive values"
    for entry in content["rules"]:
        matching, held = cells.count(entry["antecedent"], entry["value"])
        if "support" in entry and (matching, held) != (entry["matching"], entry["support"]):
            return f"{_text(*pattern_of(entry))} holds for {held} of {matching} people"
        if held < least(content, matching):
            return f"{_text(*pattern_of(entry))} does not reach the thresholds in the original"
    for value, count in content.get("distribution", {}).items():
        if cells.count({}, value)[1] != count:
            return f"{value} occurs {cells.count({}, value)[1]} times"
    return None


def eligible_patterns(content: dict[str, Any], cells: Cells) -> set[Pattern]:
    """Every pattern of the original that reaches both thresholds."""
    found = set()
    for items, matching, held in patterns_above(cells, least_support(content), content["max_length"]):
        for value, count in held.items():
            if count >= least(content, matching):
                found.add((items, value))
    return found


def list_problem(content: dict[str, Any], eligible: set[Pattern]) -> str | None:
    """Whether the list is what it says it is: complete, or known to be incomplete."""
    listed = {pattern_of(entry) for entry in content["rules"]}
    if content["complete"] and listed != eligible:
        return f"it is said to be complete, but {len(eligible - listed)} patterns are missing"
    if not content["complete"] and listed == eligible:
        return "it is said to be incomplete, but nothing is missing"
    return None


def private_certificate(release: Release) -> dict[str, Any] | None:
    """The owner's record of this release, beside it; None for anybody else."""
    digest = hashlib.sha256(release.path("rules.json").read_bytes()).hexdigest()
    folder = release.folder
    for path in sorted(folder.parent.glob(f"{folder.name}.private/*/certificate.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(record, dict) and record.get("rules_sha256") == digest:
            return record
    return None


def posterior_checks(
    release: Release, content: dict[str, Any], cells: Cells, eligible: set[Pattern], record: dict[str, Any]
) -> Iterator[Check]:
    """For each reader: the posterior meets every constraint, is optimal, and keeps the promise."""
    if sorted(reader["silence"] for reader in record["readers"]) != [False, True]:
        yield Check("readers", False, "the record has not one reader with silence and one without")
        return
    frequent = patterns_above(cells, least_support(content), content["max_length"])
    for reader in record["readers"]:
        name = f"posterior {'with' if reader['silence'] else 'without'} silence"
        shares = posterior(cells, reader)
        bounds = reader_bounds(content, cells, eligible, frequent if reader["silence"] else [])
        problem = reader_problems(cells, shares, bounds, reader, _TOLERANCE)
        yield Check(
            name, problem is None, problem or "meets every constraint and the conditions of optimality"
        )
        yield limit_check(release, cells, shares, name)


def reader_bounds(
    content: dict[str, Any],
    cells: Cells,
    eligible: set[Pattern],
    frequent: list[tuple[frozenset[tuple[str, str]], int, dict[str, int]]],
) -> dict[Pattern, tuple[float, float]]:
    """What the reader knows of each pattern: the fewest and the most people."""
    bounds: dict[Pattern, tuple[float, float]] = {}
    for items, matching, _ in frequent:
        for value in cells.values:
            if (items, value) not in eligible:
                bounds[(items, value)] = (0.0, least(content, matching) - 1.0)
    for entry in content["rules"]:
        items, value = pattern_of(entry)
        matching = cells.count(entry["antecedent"], value)[0]
        exact = float(entry["support"]) if "support" in entry else None
        low = float(least(content, matching)) if exact is None else exact
        bounds[(items, value)] = (low, float(matching) if exact is None else exact)
    for value, count in content.get("distribution", {}).items():
        bounds[(frozenset(), value)] = (float(count), float(count))
    return bounds


def limit_check(release: Release, cells: Cells, shares: list[dict[str, float]], name: str) -> Check:
    """The promised limit, on the posterior recomputed here."""
    limit = release.promise.get("max_posterior")
    if limit is not None:
        most = max(max(share.values()) for share in shares)
        return Check(
            f"limit, {name}", most <= limit + 1e-9, f"the largest posterior is {most:.6f}, promised {limit}"
        )
    wanted = release.promise["min_divergence"]
    before = log(len(cells.values))
    for (_, people, held), share in zip(cells.rows, shares, strict=True):
        truth = {value: count / people for value, count in held.items() if count}
        found = sum(p * log(p / share[value]) if share[value] else float("inf") for value, p in truth.items())
        unknown = sum(p * log(p) for p in truth.values()) + before
        if found < min(wanted, unknown) - 1e-6:
            return Check(f"limit, {name}", False, f"a divergence is {found:.6f}, below {wanted}")
    return Check(f"limit, {name}", True, f"no divergence below {wanted}")


def _text(items: frozenset[tuple[str, str]], value: str) -> str:
    return " & ".join(f"{name} = {label}" for name, label in sorted(items)) + f" ⇒ {value}"
