"""Cells that are nodes of hierarchies: which there are, what stands above them, what rules say of them."""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tacit_verify.distances import MISSING, Tree, way
from tacit_verify.reading import Row, check_order, rows
from tacit_verify.release import Check, Release, judged, required
from tacit_verify.twins import looks

LINKS = ("attribute", "node", "parent")
Pairs = frozenset[tuple[int, str]]  # places of sensitive attributes, with what values of them look like
Barred = Callable[[Row], Pairs]  # what a row cannot have


def known_columns(release: Release) -> tuple[str, ...]:
    """The columns that readers may know of a person."""
    return (*release.parameters["quasi"], *release.parameters["keep"])


def trees_of(path: Path, *, published: bool) -> dict[str, Tree]:
    """The hierarchies of a file: of each column, the parent of each node."""
    trees: dict[str, Tree] = {}
    for attribute, node, parent in rows(path, LINKS, published=published):
        if str(node) in trees.setdefault(str(attribute), {}):
            raise ValueError(f"the node {node!a} of {attribute} is listed twice")
        trees[str(attribute)][str(node)] = parent
    return trees


def check_trees(release: Release, cells: dict[str, set[str]]) -> Iterator[Check]:
    """Every cell is a node of the published hierarchies, which are sorted."""
    path = release.path("hierarchies.csv")
    problems = _tree_problems(trees_of(path, published=True), cells)
    yield from required(judged("nodes", problems, "every cell is a node"))
    links = ([cell or "" for cell in link] for link in rows(path, LINKS, published=True))
    yield check_order("order of hierarchies", links)


def _tree_problems(trees: dict[str, Tree], cells: dict[str, set[str]]) -> Iterator[str]:
    """Hierarchies are of these columns, hold the cells that occur and what is above them, and no more."""
    if set(trees) != set(cells):
        yield "the hierarchies are of other columns"
    for name in trees:
        for cell in sorted(cells[name] - trees[name].keys())[:1]:
            yield f"{cell!a} is no node of {name}"
        ways = [way(trees[name], cell) for cell in cells[name]]
        if {node for one in ways for node in one} != set(trees[name]) or len({one[-1] for one in ways}) > 1:
            yield f"the hierarchy of {name} has other nodes than those in use, or several roots"
        if max(map(len, [*ways, []])) > 32 or max(map(len, trees[name])) > 400:  # their names are free
            yield f"the hierarchy of {name} is a tower of more than 32 nodes, or has a long name"


def above(trees: dict[str, Tree], names: tuple[str, ...]) -> list[dict[str, set[str]]]:
    """Of each column, the nodes above each node, itself among them."""
    return [{node: set(way(trees[name], node)) for node in trees[name]} for name in names]


def coarser_problems(
    release: Release, whole: dict[str, Tree], pairs: Iterable[tuple[Row, Row]]
) -> Iterator[str]:
    """Every published row is above its original, by whole hierarchies of which the published are parts."""
    quasi = (*release.parameters["quasi"],)
    for name, links in trees_of(release.path("hierarchies.csv"), published=True).items():
        if links.items() - whole[name].items():
            yield f"the published hierarchy of {name} is not part of the whole"
    ways = above(whole, quasi)
    for place, (now, was) in enumerate(pairs, start=1):
        if now[len(quasi) :] != was[len(quasi) :]:
            yield f"row {place} has other sensitive values or kept columns than its original"
        cells = zip(ways, now, was, strict=False)  # of the quasi-identifiers, which come first
        if any(cell not in mine.get(exact or MISSING, ()) for mine, cell, exact in cells):
            yield f"row {place} is not above its original"


def known_rules(release: Release) -> list[dict[str, Any]] | None:
    """The rules that readers are taken to know: those stated, and of mined ones the record, if it is here."""
    reader, path = release.manifest["reader"], release.private("rules.json")
    mined: Any = path and json.loads(path.read_text(encoding="utf-8"))["rules"] if "mined" in reader else []
    return None if mined is None else [*reader["rules"], *mined]


def barred_by(release: Release, rules: list[dict[str, Any]], whole: dict[str, Tree]) -> Barred:
    """What rules, which are about nodes, forbid to exact rows."""
    known, of = known_columns(release), release.parameters["sensitive"]
    ways = above(whole, known)
    pairs = [(rule["when"].items(), (of.index(rule["attribute"]), looks(rule["value"]))) for rule in rules]

    @cache
    def barred(row: Row) -> Pairs:
        cells = zip(known, ways, row, strict=False)
        mine = {(name, node) for name, nodes, cell in cells for node in nodes[cell or MISSING]}
        return frozenset(pair for when, pair in pairs if when <= mine)

    return barred
