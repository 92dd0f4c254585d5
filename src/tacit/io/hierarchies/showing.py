"""A hierarchy as a person looks at it: a tree in a few lines, its shape, and whether it fits the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tacit.data.hierarchy import Hierarchy
from tacit.errors import Place, shorten
from tacit.io.hierarchies.amnesia import fill_ranges
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


@dataclass(frozen=True, slots=True)
class HierarchyCheck:
    """The shape of a hierarchy, and how it fits the data."""

    file: str | None
    name: str | None
    root: str
    leaves: int
    nodes: int
    depth: int
    """Levels above the deepest leaf."""
    shallowest: int
    """Levels above the leaf nearest to the root; uneven depth is allowed."""
    values: int | None
    """How many distinct values the data hold; None where it was not checked against data."""
    unused: tuple[str, ...]
    """Leaves that no value of the data needs; harmless."""

    def __str__(self) -> str:
        levels = f"{self.depth}" if self.depth == self.shallowest else f"{self.shallowest} to {self.depth}"
        said = [
            f"{self.file or self.name or 'hierarchy'}: a tree of {self.nodes} nodes under {self.root!r}",
            f"leaves: {self.leaves}, levels above them: {levels}",
        ]
        if self.values is not None:
            said.append(
                f"values of the data: {self.values}, each with a leaf; unused leaves: {len(self.unused)}"
            )
        return "\n".join(said)

    def to_dict(self) -> dict[str, Any]:
        """What ``--json`` prints; of the unused leaves the first twenty."""
        unused = {"unused": len(self.unused), "unused_leaves": list(self.unused[:20])}
        plain = {"ok": True, **asdict(self), **unused}
        if self.values is None:
            del plain["values"], plain["unused"], plain["unused_leaves"]
        return plain


def check_hierarchy(
    hierarchy: Hierarchy, values: Sequence[str | None] | None = None, *, file: str | None = None
) -> HierarchyCheck:
    """The shape of a hierarchy; values without a leaf are an error that names the first twenty."""
    unused: tuple[str, ...] = ()
    if values is not None:
        hierarchy = fill_ranges(hierarchy, values)
        used = set(hierarchy.leaves_of(values, where=Place(file=file)).tolist())
        leaves = enumerate(hierarchy.labels[: hierarchy.n_leaves])
        unused = tuple(label for leaf, label in leaves if leaf not in used)
    depths = hierarchy.depths[: hierarchy.n_leaves]
    return HierarchyCheck(
        file=file,
        name=hierarchy.name,
        root=hierarchy.labels[hierarchy.root],
        leaves=hierarchy.n_leaves,
        nodes=hierarchy.n_nodes,
        depth=int(depths.max()),
        shallowest=int(depths.min()),
        values=None if values is None else len(values),
        unused=unused,
    )
