"""Checks of a release of association rules (``rules.json``).

From the file alone: its form, scores that agree with the thresholds and with each other, and small groups
that follow from the supports by subtraction. With the original: every support recounted, and the list
compared with all patterns that reach the thresholds. With the private record beside the release as well:
each reader's posterior, from its multipliers, meets every constraint, is optimal, and keeps the limit.
"""

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import repeat
from math import ceil, inf, log
from pathlib import Path
from typing import Any

from tacit_verify import posterior
from tacit_verify.channels import small_groups, subsets
from tacit_verify.posterior import Bounds, Cells, Items, Pattern, Shares
from tacit_verify.release import Check, Release, judged, required
from tacit_verify.terms import RULES_FILE, misfits, two_digits
from tacit_verify.twins import twins

TOLERANCE = 1e-6  # how far a constraint may be missed, as a share of the rows

Content = dict[str, Any]
Scores = dict[Pattern, tuple[int, int] | None]  # rules: how many match and how many of them hold the value


def checks(release: Release, original: Path | None) -> Iterator[Check]:
    """Every check of a rules release."""
    text = release.path("rules.json").read_bytes().decode("utf-8")
    content = json.loads(text)
    wrong = list(misfits(content, RULES_FILE, "rules.json"))
    if text != json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n":
        wrong.append("it is not written in the one way of published files")
    form = judged("rules form", wrong or _form_problems(release, content), "rules, each in its place")
    yield from required(form)
    rules: Scores = {}
    for rule in content["rules"]:
        scores = (rule["matching"], rule["support"]) if "support" in rule else None
        rules[frozenset(rule["antecedent"].items()), rule["value"]] = scores
    yield _check_agreement(release, content, rules)
    yield judged("scores", _score_problems(content, rules), "they reach the thresholds and agree")
    yield judged("limit and scores", _likely_rules(release, content, rules), "none is surer than the limit")
    yield _check_channels(release, content, rules)
    if original is None:
        yield Check("posterior", None, "what a reader infers shows with the original and the record")
    else:
        yield from _check_original(release, content, rules, original)


def _form_problems(release: Release, content: Content) -> Iterator[str]:
    """The file holds its fields in the one way, and rules about values of quasi-identifiers, each once."""
    rules, quasi, values = content["rules"], content["quasi"], content["values"]
    longest, columns = content["max_length"] or len(quasi), [*quasi, content["sensitive"]]
    patterns = [[sorted(rule["antecedent"].items()), rule["value"]] for rule in rules]
    texts = [json.dumps(pattern, ensure_ascii=False) for pattern in patterns]
    whole = content.get("whole_columns", [])
    yield from twins(values)
    fields = [name for name in map(str.rstrip, RULES_FILE, repeat("?")) if name in content]
    ways = [["antecedent", "value", "matching", "support"][: len(rule)] for rule in rules]
    problems = {
        "fields stand in another order": [*content] != fields or [*map(list, rules)] != ways,
        "a rule names its columns in another order": any(
            [*rule["antecedent"]] != [name for name in quasi if name in rule["antecedent"]] for rule in rules
        ),
        "its quasi-identifiers are not those of the reader": quasi != release.manifest["reader"]["quasi"],
        "a column has two roles": len(set(columns)) != len(columns),
        "whole columns are not in the order of the columns": whole
        != [name for name in quasi if name in whole],
        "its values are not in order": values != sorted(set(values)),
        "the distribution is of other values": [*(content.get("distribution") or values)] != values,
        "a rule has one score of two": any(len(rule) == 3 for rule in rules),
        "a rule is empty or too long": any(not 0 < len(rule["antecedent"]) <= longest for rule in rules),
        "a rule names an unknown value": any(rule["value"] not in values for rule in rules),
        "a rule is there twice, or not in the order of the rules' text": texts != sorted(set(texts)),
    }
    yield from (problem for problem, is_there in problems.items() if is_there)


def _check_agreement(release: Release, content: Content, rules: Scores) -> Check:
    """The manifest and the file say the same."""
    stated, risks, utility = release.parameters, release.manifest["risks"], release.manifest["utility"]
    scored = sum(scores is not None for scores in rules.values())
    limit = release.promise.get("max_posterior", 1)
    names = ("min_support", "min_confidence", "max_length")
    problems = {f"the manifest states another {name}": stated[name] != content[name] for name in names} | {
        "the minimum support is another": content["min_support_count"] != _least(content, 0),
        "earlier releases are compared with another number of rows": risks.get(
            "composition", {"records": content["rows"]}
        )["records"]
        != content["rows"],
        "the scores are not as stated": bool(rules) and (stated["scores"] == "exact") != (scored > 0),
        "the manifest states another number of rules": utility["published"] != len(rules),
        "the manifest states another number of rules with scores": utility["with_scores"] != scored,
        "the distribution is not as stated": stated["distribution"] != ("distribution" in content),
        "whole columns are named though no k is stated, or not": (stated["k"] is None)
        == ("whole_columns" in content),
        "rules are withheld, or the scores of some": not content["complete"] or 0 < scored < len(rules),
        "a smallest group is promised that is not k": release.promise.get("min_group", stated["k"])
        != stated["k"],
        "not one limit is promised": len({"max_posterior", "min_divergence"} & release.promise.keys()) != 1,
        "the limit is not a share": not 0 < limit <= 1,
        "the stated largest posterior is not within the limit": not 0 < risks["max_posterior"] <= limit,
        "the largest posterior is not rounded": risks["max_posterior"] != limit
        and not two_digits(risks["max_posterior"]),
        "the posterior is stated with too large a residual": not 0 <= risks["residual_below"] <= TOLERANCE,
    }
    return judged("rules as stated", problems, "thresholds and figures agree with the manifest")


def _least(content: Content, matching: int) -> int:
    """The smallest support of a rule that so many people match: a count as it is, a share rounded up."""
    text = content["min_support"]
    share = Fraction(text) * content["rows"] if "." in text else Fraction(text)
    return ceil(max(Fraction(1), share, Fraction(content["min_confidence"]) * matching))


def _score_problems(content: Content, rules: Scores) -> Iterator[str]:
    """A score below the thresholds, or two that cannot both be true."""
    totals: dict[Items, int] = {}
    for (items, value), scores in rules.items():
        if scores is None:
            continue
        matching, support = scores
        if not 0 < support <= matching <= content["rows"]:
            yield f"the scores of {dict(items)} ⇒ {value} are no counts of its people"
        if support < _least(content, matching):
            yield f"{dict(items)} ⇒ {value} does not reach the thresholds"
        totals[items] = totals.get(items, 0) + support
        if totals[items] > matching:
            yield f"more people hold a value than match {dict(items)} ⇒ {value}"
        for part in subsets(items, len(items) - 1):
            # Where there is no rule with this part of the items, the rule is compared with itself.
            more, holding = rules.get((part, value)) or scores
            if more < matching or holding < support or more - holding < matching - support:
                yield f"{dict(items)} ⇒ {value} holds for more people than a more general rule"


def _likely_rules(release: Release, content: Content, rules: Scores) -> Iterator[str]:
    """A rule that alone breaks the limit: over its people a posterior is its confidence on average."""
    limit = Fraction(str(release.promise.get("max_posterior", 1)))
    for (items, value), scores in rules.items():
        surest = Fraction(content["min_confidence"]) if scores is None else Fraction(scores[1], scores[0])
        if surest > limit:
            yield f"{dict(items)} ⇒ {value} holds for {float(surest):g}, promised at most {float(limit):g}"
    if max(content.get("distribution", {}).values(), default=0) > limit * content["rows"]:
        yield "a value is more frequent than the limit"


def _check_channels(release: Release, content: Content, rules: Scores) -> Check:
    """Groups of fewer than k people that follow from the counts: as many as stated, or none if promised."""
    k, stated = release.parameters["k"], release.manifest["risks"]["channels"]
    if k is None:
        return Check("channels", stated is None, "no smallest group was asked for")
    column, named = content["sensitive"], {item for items, _ in rules for item in items}
    counts = {frozenset[tuple[str, str]](): content["rows"]}
    counts |= {frozenset([(column, value)]): n for value, n in content.get("distribution", {}).items()}
    for (items, value), scores in rules.items():
        if scores is not None:
            counts[items], counts[items | {(column, value)}] = scores
    whole = {name: {label for at, label in named if at == name} for name in content.get("whole_columns", [])}
    whole[column] = set(content["values"])
    found = small_groups(counts, whole, k)
    kept = found == stated and (found == 0 or "min_group" not in release.promise)
    return Check("channels", kept, f"groups of fewer than {k} people that follow: {found}, stated {stated}")


def _check_original(release: Release, content: Content, rules: Scores, original: Path) -> Iterator[Check]:
    """Supports and the list of rules as the original has them, and what follows for the readers."""
    cells = posterior.count_cells(original, (*content["quasi"], content["sensitive"]))
    longest = content["max_length"] or len(content["quasi"])
    found = posterior.conjunctions(cells, content["quasi"], _least(content, 0), longest)
    eligible = {
        (items, value)
        for items, matched in found.items()
        for value, count in matched.held.items()
        if items and count >= _least(content, matched.held.total())
    }
    everybody, listed = found[frozenset()].held, rules.keys() & eligible
    named = {item for items, _ in rules for item in items}
    columns = enumerate(content["quasi"])
    whole = [name for at, name in columns if all((name, labels[at]) in named for labels in cells)]
    counted = {rule: (found[rule[0]].held.total(), found[rule[0]].held[rule[1]]) for rule in listed}
    problems = {
        f"the original has {everybody.total()} rows": everybody.total() != content["rows"],
        "the original has other sensitive values": sorted(everybody) != content["values"],
        "the original has another distribution": content.get("distribution", everybody) != everybody,
        "a column has more values than the rules name, or not": content.get("whole_columns", whole) != whole,
        "a rule does not reach the thresholds in the original": rules.keys() != listed,
        "a rule has other scores": any(rules[rule] not in (None, counted[rule]) for rule in listed),
    }
    supports = judged("supports", problems, "as counted in the original")
    yield supports
    detail = f"{len(rules)} of {len(eligible)} patterns that reach the thresholds"
    yield Check("list of rules", content["complete"] == (rules.keys() == eligible), detail)
    record = release.private("certificate.json")
    if record is None or not supports.ok:
        yield Check("readers", None, "what they infer shows with the private record and right supports")
        return
    # What is published tells of a pattern exactly how many people, or that it reaches the thresholds.
    told: Bounds = {(frozenset(), value): (n, n) for value, n in content.get("distribution", {}).items()}
    for (items, value), scores in rules.items():
        people = found[items].held.total()
        told[items, value] = (_least(content, people), people) if scores is None else (scores[1], scores[1])
    silence: Bounds = {
        (items, value): (0, _least(content, matched.held.total()) - 1)
        for items, matched in found.items()
        for value in content["values"]
        if items and (items, value) not in eligible
    }
    readers = json.loads(record.read_text(encoding="utf-8"))["readers"]
    both = sorted(reader["silence"] for reader in readers) == [False, True]
    yield Check("readers", both, f"{len(readers)}: one reasons from silence and one does not")
    for reader in readers:
        name = f"posterior {'with' if reader['silence'] else 'without'} silence"
        shares = posterior.posterior(cells, found, reader)
        bounds, slack = silence | told if reader["silence"] else told, TOLERANCE * content["rows"]
        wrong = posterior.reader_problems(cells, found, shares, bounds, reader, slack)
        yield judged(name, wrong, "meets every constraint and the conditions of optimality")
        yield judged(f"limit, {name}", _limit_problems(release.promise, cells, shares), "kept")


def _limit_problems(promise: dict[str, Any], cells: Cells, shares: Shares) -> Iterator[str]:
    """The promised limit, on the posterior recomputed here."""
    for labels, share in shares.items():
        if max(share.values()) > promise.get("max_posterior", 1) + 1e-9:
            yield f"a posterior is {max(share.values()):.6f}, promised {promise['max_posterior']}"
        truth = {value: count / cells[labels].total() for value, count in cells[labels].items()}
        divergence = sum(p * log(p / share[value]) if share[value] else inf for value, p in truth.items())
        unknown = sum(p * log(p) for p in truth.values()) + log(len(share))  # nothing published diverges more
        if divergence < min(promise.get("min_divergence", 0), unknown) - 1e-6:
            yield f"a divergence is {divergence:.6f}, promised {promise['min_divergence']}"
