"""Trees by their definitions, recursively, from a child → parent mapping: slow and obvious."""

from __future__ import annotations

from collections.abc import Mapping


def children(parents: Mapping[str, str], node: str) -> list[str]:
    return [child for child, parent in parents.items() if parent == node]


def leaves(parents: Mapping[str, str], node: str) -> list[str]:
    below = children(parents, node)
    return [leaf for child in below for leaf in leaves(parents, child)] if below else [node]


def height(parents: Mapping[str, str], node: str) -> int:
    return max((1 + height(parents, child) for child in children(parents, node)), default=0)


def branching(parents: Mapping[str, str]) -> dict[str, str]:
    """The tree without its nodes of one child, which are taken for that child."""
    found = dict(parents)
    while lone := next((node for node in {*found.values()} if len(children(found, node)) == 1), None):
        (child,) = children(found, lone)
        above = found.pop(lone, None)
        if above is None:
            del found[child]
        else:
            found[child] = above
    return found


def depth(parents: Mapping[str, str], node: str) -> int:
    return 1 + depth(parents, parents[node]) if node in parents else 0


def ancestors(parents: Mapping[str, str], node: str) -> list[str]:
    return [parents[node], *ancestors(parents, parents[node])] if node in parents else []


def restricted(parents: Mapping[str, str], keep: set[str]) -> dict[str, str]:
    """The links on the ways from these leaves up to the root."""
    used = keep | {above for leaf in keep for above in ancestors(parents, leaf)}
    return {child: parent for child, parent in parents.items() if child in used}
