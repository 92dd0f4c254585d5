"""What a hierarchy is like, and whether every value of the data has a leaf in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tacit.data.hierarchy import Hierarchy
from tacit.errors import Place
from tacit.io.hierarchies.ranges import fill_ranges


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
        plain: dict[str, Any] = {"ok": True, "file": self.file, "name": self.name, "root": self.root}
        plain |= {
            "leaves": self.leaves,
            "nodes": self.nodes,
            "depth": self.depth,
            "shallowest": self.shallowest,
        }
        if self.values is not None:
            plain |= {
                "values": self.values,
                "unused": len(self.unused),
                "unused_leaves": list(self.unused[:20]),
            }
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
