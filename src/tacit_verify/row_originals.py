"""A generalized table beside its original: which row is which, and what rules leave open of each.

The private record says which original row each published row is, and holds the whole hierarchies. Rules are
about exact values, so which sensitive values a row could have in its class is counted with them.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tacit_verify.assignments import fewest_valid
from tacit_verify.distances import Tree
from tacit_verify.nodes import Pairs, coarser_problems, known_columns, rules_of_nodes, trees_of
from tacit_verify.reading import Row, rows
from tacit_verify.release import Check, Release, judged, required
from tacit_verify.twins import looks


def check_original(release: Release, original: Path) -> Iterator[Check]:
    """With the private record, row by row; without it, only that the values are the original's."""
    parameters, missing = release.parameters, set(release.parameters["null_values"])
    known, sensitive = known_columns(release), parameters["sensitive"]
    columns = (*known, *sensitive)
    read = ([None if cell in missing else cell for cell in row] for row in rows(original, columns))
    before = [tuple(row) for row in read if None not in row or parameters["nulls"] != "suppress"]
    now = list(rows(release.path("table.csv"), columns, published=True))
    gone = parameters["suppressed"] + parameters.get("other_rows", 0)
    detail = f"{len(now)} of {len(before)} rows are published, {gone} are stated to be left out"
    yield Check("rows of the original", len(before) == len(now) + gone, detail)
    ours, theirs = (Counter(row[len(known) :] for row in some) for some in (now, before))
    yield Check("values of the original", not ours - theirs, f"{(ours - theirs).total()} are not of it")
    row_map, whole = release.private("rows.txt"), release.private("hierarchies.csv")
    if row_map is None or whole is None:
        yield Check("rows and the original", None, "which row is which is in the private record, not here")
        return
    numbers = [int(line) for line in row_map.read_text(encoding="ascii").splitlines()]
    trees = trees_of(whole, published=False)
    once = len(set(numbers)) == len(numbers) == len(now)
    pairs = ((row, before[number]) for row, number in zip(now, numbers, strict=True))
    problems = coarser_problems(release, trees, pairs) if once else ["rows do not have one original each"]
    yield from required(judged("rows and the original", problems, "as stated"))
    if release.manifest["reader"]["rules"]:
        nodes = trees_of(release.private("knowledge.csv") or whole, published=False)
        yield from _check_rules(release, now, [before[number] for number in numbers], nodes)


def _check_rules(release: Release, now: list[Row], was: list[Row], trees: dict[str, Tree]) -> Iterator[Check]:
    """Every row has ℓ valid values in its class, for a reader who knows the rules and its exact values."""
    about = {pair for rule in release.manifest["reader"]["rules"] for pair in rule["when"].items()}
    if unknown := sorted(f"{name} = {label}" for name, label in about if label not in trees[name]):
        yield Check("ℓ with rules", None, f"a rule is about {unknown[0]}, which no hierarchy on record has")
        return
    width, classes = len(known_columns(release)), dict[Row, list[tuple[Pairs, Row]]]()
    barred, groups = rules_of_nodes(release, trees, (exact[:width] for exact in was))
    yield groups
    for row, exact in zip(now, was, strict=True):
        known, value = barred(exact[:width]), exact[width:]
        if not known.isdisjoint(enumerate(map(looks, value))):
            yield Check("ℓ with rules", False, "a row contradicts a stated rule")
            return
        classes.setdefault(row[:width], []).append((known, value))
    held = (zip(*members, strict=True) for members in classes.values())
    fewest = min(fewest_valid(known, Counter(values).items()) for known, values in held)
    yield Check("ℓ with rules", fewest >= release.promise["l"], f"at least {fewest} valid values")
