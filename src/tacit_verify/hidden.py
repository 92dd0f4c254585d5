"""Hidden patterns: published transactions in which a secret cannot be mined.

Anybody can check that the transactions are as many as stated, each a set in one order, and sorted. What is
hidden is known to the publisher alone: with the private record beside the release it is shown that every
secret pattern, every pair that was marked to break one and every secret rule is too rare to be mined. With
the original as well, that nothing was added to any transaction: the record says which original each
published one came from; without it only what follows for the counts can be checked.
"""

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from sys import intern

from tacit_verify.reading import agrees, count_sets, transactions
from tacit_verify.release import Check, Release, judged


def checks(release: Release, original: Path | None) -> Iterator[Check]:
    """The promise, as deep as what is at hand allows. The file is read once for each check, never kept."""
    promise, manifest, parameters = release.promise, release.manifest, release.parameters
    least, reader = promise["min_count"], manifest["reader"]
    problems = {
        "the least support is not at least 1": least < 1,
        "the parameters state another least support": least != parameters["min_count"],
        "the reader mines at another least support": least != reader["min_count"],
        "nothing is hidden": promise["patterns"] + promise["rules"] < 1,
        "a sensitive pattern is stated to be frequent still": manifest["risks"]["hiding_failure"] != 0,
        "patterns are stated to be new": manifest["utility"]["artificial_patterns"] != 0,
    }
    hidden = f"{promise['patterns']} secret patterns and {promise['rules']} rules"
    yield judged("terms", problems, f"{hidden} cannot be mined at a support of {least}; nothing was added")
    published = release.path(parameters["transactions"])
    record = release.private("secret.json")
    nothing = '{"patterns": [], "marked": [], "rules": []}'
    secret = json.loads(record.read_text(encoding="utf-8") if record else nothing)
    patterns, marked = (list(map(frozenset, secret[name])) for name in ("patterns", "marked"))
    rules = [(frozenset(left), frozenset(left + right)) for left, right in secret["rules"]]
    wanted = {*patterns, *marked, *(side for rule in rules for side in rule)}
    names, lengths, supports, ordered = count_sets(published, parameters, wanted)
    seen = {"transactions": lengths.total(), "items": len(names), "cells": names.total(), "empty": lengths[0]}
    wrong = {f"{n} {name}, stated {promise[name]}": n != promise[name] for name, n in seen.items()}
    rare = sum(1 for n in names.values() if n < 5)
    wrong |= {f"{rare} items are rare": manifest["risks"]["rare_items"] != rare}
    yield judged("counts", wrong, f"{lengths.total()} transactions")
    yield from ordered
    if record is None:
        yield Check("secret", None, "what is hidden is in the private record, which is not here")
    else:
        same = (len(patterns), len(rules)) == (promise["patterns"], promise["rules"])
        yield Check("secret", same, f"patterns in the record: {len(patterns)}, rules: {len(rules)}")
        for name, group in (("hidden patterns", patterns), ("marked pairs", marked)):
            frequent = sum(supports[items] >= least for items in group)
            yield Check(name, frequent == 0, f"{len(group)}, of which {frequent} are frequent")
        sure = Fraction(parameters["min_confidence"] or 0)
        mined = sum(supports[both] >= max(least, sure * supports[left]) for left, both in rules)
        yield Check("hidden rules", mined == 0, f"{len(rules)}, of which {mined} can be mined")
    if original is None:
        yield Check("nothing added", None, "that nothing else was done shows in the original only")
    else:
        yield from _check_original(published, names, original, release)


def _check_original(published: Path, now: Counter[str], original: Path, release: Release) -> Iterator[Check]:
    """Nothing was added: each published transaction is part of the original it came from."""
    before = [tuple(map(intern, set(items))) for items in transactions(original)]  # equal texts are kept once
    then = Counter(item for items in before for item in items)
    same = len(before) == release.promise["transactions"]
    yield Check("original size", same, f"{len(before)} original transactions")
    stated = release.manifest["utility"]["dissimilarity"]
    gone = (then.total() - now.total()) / max(1, then.total())
    yield Check("dissimilarity", agrees(stated, gone), f"{gone:.6g} of the cells, stated {stated:.6g}")
    row_map = release.private("rows.txt")
    if row_map is not None:
        yield judged("nothing added", _row_problems(published, before, row_map), "each part of its original")
        return
    lengths = (sorted(map(len, some)) for some in (transactions(published), before))
    longer = any(map(int.__gt__, *lengths))
    wrong = {
        f"{len(now - then)} items are in more transactions than before": bool(now - then),
        "there are other transactions than before, or longer ones": not same or longer,
    }
    found = judged("nothing added", wrong, "no item is more frequent, no length grew; the record shows all")
    yield Check(found.name, found.ok and None, found.detail)


def _row_problems(published: Path, before: list[tuple[str, ...]], row_map: Path) -> Iterator[str]:
    """By the row map every published transaction is part of an original of its own, and each has one."""
    used = bytearray(len(before))
    with row_map.open(encoding="ascii") as lines:
        pairs = zip(map(int, lines), transactions(published), strict=True)
        for number, (row, items) in enumerate(pairs, start=1):
            if not 0 <= row < len(before) or used[row]:
                yield "the row map does not give each original once"
            if not set(items) <= set(before[row]):
                yield f"transaction {number} holds more than its original"
            used[row] = 1
    if not all(used):
        yield "rows are missing"
