"""Who has how many valid values in a generalized table, counted from its files, in plain Python.

The classes are those of ``table.csv``; ``rows.txt`` of the private record says which row of the original each
published row is, its ``hierarchies.csv`` or ``knowledge.csv`` which values are below a node that a rule
names. The rules are those of ``release.json`` and of ``rules.json``, or others in the same form.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

Rules = Sequence[Mapping[str, Any]]


def fewest_values(
    folder: Path, original: Sequence[Mapping[str, str]], rules: Rules | None = None
) -> list[int]:
    """For every published row, how many values it could have of the sensitive column with the fewest."""
    stated = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    (private,) = folder.with_name(folder.name + ".private").iterdir()
    published = _read(folder / "table.csv")
    people = [original[int(line)] for line in (private / "rows.txt").read_text().split()]
    sensitive = stated["parameters"]["sensitive"]
    for row, person in zip(published, people, strict=True):
        assert all(row[name] == person[name] for name in sensitive)
    classes = [tuple(row[name] for name in stated["parameters"]["quasi"]) for row in published]
    known = known_rules(folder) if rules is None else rules
    nodes = private / "knowledge.csv"  # where the published hierarchies are not those of the rules
    above = ancestors(nodes if nodes.exists() else private / "hierarchies.csv")
    return fewest_in_classes(classes, people, sensitive, known, above)


def known_rules(folder: Path) -> list[dict[str, Any]]:
    """The rules that a release states, and those that were mined for it."""
    (private,) = folder.with_name(folder.name + ".private").iterdir()
    files = folder / "release.json", private / "rules.json"
    stated, mined = (json.loads(file.read_text()) if file.exists() else {"rules": []} for file in files)
    return [*stated["reader"]["rules"], *mined["rules"]]


def fewest_in_classes(
    classes: Sequence[Hashable],
    people: Sequence[Mapping[str, str]],
    sensitive: Sequence[str],
    rules: Rules,
    above: Mapping[str, Mapping[str, set[str]]],
) -> list[int]:
    """The same of rows whose classes are given; ``above`` are the nodes above each value, itself included."""
    members = defaultdict(list)
    for place, label in enumerate(classes):
        members[label].append(place)
    found = [len(people)] * len(people)
    for places in members.values():
        for name in sensitive:
            barred = [
                frozenset(
                    rule["value"]
                    for rule in rules
                    if rule["attribute"] == name
                    and all(node in above[at][people[place][at]] for at, node in rule["when"].items())
                )
                for place in places
            ]
            values = [people[place][name] for place in places]
            for place, valid in zip(places, valid_values(values, barred), strict=True):
                found[place] = min(found[place], len(valid))
    return found


def valid_values(values: Sequence[str], barred: Sequence[frozenset[str]]) -> list[set[str]]:
    """The values of each row in some exchange of the rows' values in which nobody gets what is barred.

    A row gets another's value where the other takes a third's, and so on, until one takes the row's own.
    """
    takes = defaultdict(set)  # what somebody who has a value could have instead
    for value, excluded in zip(values, barred, strict=True):
        takes[value] |= set(values) - excluded
    found: dict[tuple[str, frozenset[str]], set[str]] = {}
    for own, excluded in zip(values, barred, strict=True):
        if (own, excluded) in found:
            continue
        valid = set()
        for other in set(values) - excluded:
            reached, waiting = {other}, [other]
            while waiting and own not in reached:
                more = takes[waiting.pop()] - reached
                reached |= more
                waiting += more
            if own in reached:
                valid.add(other)
        found[own, excluded] = valid
    return [found[kind] for kind in zip(values, barred, strict=True)]


def _read(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def ancestors(file: Path) -> dict[str, dict[str, set[str]]]:
    """Per column, every node with itself and all that are above it."""
    parents: dict[str, dict[str, str]] = defaultdict(dict)
    for link in _read(file):
        parents[link["attribute"]][link["node"]] = link["parent"]
    found: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for column, links in parents.items():
        for node in links:
            way, at = {node}, links[node]
            while at:
                way.add(at)
                at = links[at]
            found[column][node] = way
    return found
