"""Buckets of rows with coarser quasi-identifiers: k rows look alike, and which of them is which.

Rules are about exact values, and so is what a reader could exclude who knows which row is somebody's. The
private record says how each original row is published, and holds the whole hierarchies and mined rules.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from tacit_verify.nodes import barred_by, check_trees, coarser_problems, known_columns, known_rules, trees_of
from tacit_verify.reading import Row, rows
from tacit_verify.release import Check, Release, judged, required


def check_nodes(release: Release, classes: Counter[Row]) -> Iterator[Check]:
    """Every quasi-identifier is a node, and at least k rows have the same."""
    quasi = enumerate(release.parameters["quasi"])
    yield from check_trees(release, {name: {str(row[at]) for row in classes} for at, name in quasi})
    k, smallest = release.promise["k"], min(classes.values())
    yield Check("k", smallest >= k, f"{len(classes)} classes, the smallest of {smallest} rows")


class Exact:
    """The exact rows of every group, from the private record, and what rules forbid to them."""

    def __init__(self, release: Release, before: Sequence[Row]) -> None:
        self.release, self.before = release, before
        self.groups: dict[int, list[Row]] = {}

    def checks(self, published: Counter[tuple[Row, int]]) -> Iterator[Check]:
        """The published rows are those of the record, and each is above its original."""
        row_map, hierarchies = self.release.private("rows.csv"), self.release.private("hierarchies.csv")
        name, rules = "rows and the original", known_rules(self.release)
        if row_map is None or hierarchies is None or rules is None:
            yield Check(name, None, "which is which, and mined rules, are on the private record")
            return
        whole, known = trees_of(hierarchies, published=False), known_columns(self.release)
        quasi = self.release.parameters["quasi"]
        pairs, stated = list[tuple[Row, Row]](), Counter[tuple[Row, int]]()
        for number, group, *cells in rows(row_map, ("row", "group", *quasi)):
            exact = self.before[int(number or "") - 1][: len(known)]
            shown = (*cells, *exact[len(quasi) :])
            pairs.append((shown, exact))
            stated[shown, int(group or "")] += 1
            self.groups.setdefault(int(group or ""), []).append(exact)
        problems = [*coarser_problems(self.release, whole, pairs)]
        if any(label not in whole[name] for rule in rules for name, label in rule["when"].items()):
            problems.append("a rule is about a node that no hierarchy has")
        if stated != published:
            problems.append("the row map is of other rows than the published ones")
        yield from required(judged(name, problems, "every row is above its original"))
        self.barred = barred_by(self.release, rules, whole)
