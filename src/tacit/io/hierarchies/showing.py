"""A hierarchy as a tree a person can read, in as many lines as a person reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tacit.data.hierarchy import Hierarchy
from tacit.errors import shorten
from tacit.ranges import Whole, check

DEEPEST = 100
RANGES = {"depth": Whole(1, DEEPEST), "most": Whole(1)}


@dataclass(frozen=True, slots=True)
class Branch:
    """A node as shown: its label, the leaves under it, the children shown and what is left out."""

    label: str
    leaves: int
    children: tuple[Branch, ...] = ()
    left_out: int = 0
    """Children that are not shown: beyond the depth or beyond the number asked for."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A hierarchy to be shown."""

    name: str | None
    nodes: int
    leaves: int
    depth: int
    root: Branch

    def __str__(self) -> str:
        return "\n".join(_lines(self.root))

    def to_dict(self) -> dict[str, Any]:
        """The tree as ``--json`` prints it."""
        head = {"name": self.name, "nodes": self.nodes, "leaves": self.leaves, "depth": self.depth}
        return {**head, "tree": _plain(self.root)}


def show_hierarchy(hierarchy: Hierarchy, *, depth: int = 20, most: int = 20) -> Tree:
    """The hierarchy down to ``depth`` levels below the root, at most ``most`` children of each node.

    >>> from tacit.data.hierarchy import from_parents
    >>> print(show_hierarchy(from_parents({"flu": "lung", "asthma": "lung", "lung": "*", "ulcer": "*"})))
    *  (3 leaves)
    ├── lung  (2 leaves)
    │   ├── flu
    │   └── asthma
    └── ulcer
    """
    check("show_hierarchy", RANGES, depth=depth, most=most)
    return Tree(
        name=hierarchy.name,
        nodes=hierarchy.n_nodes,
        leaves=hierarchy.n_leaves,
        depth=int(hierarchy.heights[hierarchy.root]),
        root=_branch(hierarchy, hierarchy.root, depth, most),
    )


def _branch(hierarchy: Hierarchy, node: int, depth: int, most: int) -> Branch:
    children = hierarchy.children[node]
    shown = children[:most] if depth else ()
    return Branch(
        label=hierarchy.labels[node],
        leaves=int(hierarchy.leaf_counts[node]),
        children=tuple(_branch(hierarchy, child, depth - 1, most) for child in shown),
        left_out=len(children) - len(shown),
    )


def _lines(branch: Branch, first: str = "", rest: str = "") -> Iterator[str]:
    below = bool(branch.children or branch.left_out)
    leaves = f"  ({branch.leaves} {'leaf' if branch.leaves == 1 else 'leaves'})" if below else ""
    # A label may hold a line end; shown raw it would break the tree.
    label = branch.label if branch.label.isprintable() else repr(branch.label)
    yield f"{first}{shorten(label)}{leaves}"
    for position, child in enumerate(branch.children):
        last = position == len(branch.children) - 1 and not branch.left_out
        yield from _lines(child, rest + ("└── " if last else "├── "), rest + ("    " if last else "│   "))
    if branch.left_out and branch.children:  # below the last level shown, the number of leaves says enough
        yield f"{rest}└── … and {branch.left_out} more"


def _plain(branch: Branch) -> dict[str, Any]:
    plain: dict[str, Any] = {"label": branch.label, "leaves": branch.leaves}
    if branch.children:
        plain["children"] = [_plain(child) for child in branch.children]
    if branch.left_out:
        plain["left_out"] = branch.left_out
    return plain
