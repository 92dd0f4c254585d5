"""A generalized table beside its original: which row is which, and what rules leave open of each.

The private record says which original row each published row is, and holds whole hierarchies and mined rules.
These are about exact values, so which sensitive values a row could have in its class is counted with them.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tacit_verify.assignments import fewest_valid
from tacit_verify.nodes import Pairs, barred_by, coarser_problems, known_columns, known_rules, trees_of
from tacit_verify.reading import Row, rows
from tacit_verify.release import Check, Release, judged, required
from tacit_verify.twins import looks


def check_original(release: Release, original: Path) -> Iterator[Check]:
    """With the private record, row by row; without it, only that the values are the original's."""
    parameters, missing = release.parameters, set(release.parameters["null_values"])
    known, columns = known_columns(release), (*known_columns(release), *parameters["sensitive"])
    read = ([None if cell in missing else cell for cell in row] for row in rows(original, columns))
    before = [tuple(row) for row in read if None not in row or parameters["nulls"] != "suppress"]
    now = list(rows(release.path("table.csv"), columns, published=True))
    gone = parameters["suppressed"] + parameters.get("other_rows", 0)
    detail = f"{len(now)} of {len(before)} rows are published, {gone} are stated to be left out"
    yield Check("rows of the original", len(before) == len(now) + gone, detail)
    ours, theirs = (Counter(row[len(known) :] for row in some) for some in (now, before))
    yield Check("values of the original", not ours - theirs, f"{(ours - theirs).total()} are not of it")
    row_map, whole = release.private("rows.txt"), release.private("hierarchies.csv")
    rules = known_rules(release)
    if row_map is None or whole is None or rules is None:
        yield Check(
            "rows and the original", None, "which is which, and mined rules, are on the private record"
        )
        return
    numbers = [int(line) for line in row_map.read_text(encoding="ascii").splitlines()]
    trees = trees_of(whole, published=False)
    once = len(set(numbers)) == len(numbers) == len(now)
    pairs = ((row, before[number]) for row, number in zip(now, numbers, strict=True))
    problems = coarser_problems(release, trees, pairs) if once else ["rows do not have one original each"]
    yield from required(judged("rows and the original", problems, "as stated"))
    if "mined" in release.manifest["reader"] or rules:
        nodes = trees_of(release.private("knowledge.csv") or whole, published=False)
        yield _check_rules(release, rules, now, [before[number] for number in numbers], nodes)


def _check_rules(release: Release, rules: Any, now: list[Row], was: list[Row], trees: Any) -> Check:
    """Every row has ℓ valid values in its class, for a reader who knows the rules and its exact values."""
    about = {pair for rule in rules for pair in rule["when"].items()}
    if unknown := sorted(f"{name} = {label}" for name, label in about if label not in trees[name]):
        return Check("ℓ with rules", None, f"a rule is about {unknown[0]}, which no hierarchy on record has")
    width, classes = len(known_columns(release)), dict[Row, list[tuple[Pairs, Row]]]()
    barred = barred_by(release, rules, trees)
    for row, exact in zip(now, was, strict=True):
        known, value = barred(exact[:width]), exact[width:]
        if not known.isdisjoint(enumerate(map(looks, value))):
            return Check("ℓ with rules", False, "a row contradicts a rule that readers are taken to know")
        classes.setdefault(row[:width], []).append((known, value))
    held = (zip(*members, strict=True) for members in classes.values())
    fewest = min(fewest_valid(known, Counter(values).items()) for known, values in held)
    return Check("ℓ with rules", fewest >= release.promise["l"], f"at least {fewest} valid values")
