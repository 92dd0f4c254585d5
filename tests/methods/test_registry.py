"""A method is one entry of the registry and its room: nothing else names its kind, or asks which it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import tacit
from tacit.methods import METHODS

HOUSE = Path(tacit.__file__).parent
KINDS = {method.kind for method in METHODS.values()}
WORDS = {"rules", "generalized", "hidden"}
"""Kinds whose names are words of other things too: as such they may stand anywhere, but not be asked for."""
ROOMS = [HOUSE / "methods" / method.room for method in METHODS.values()]


def outside() -> Iterator[Path]:
    """Every module but the registry and the rooms."""
    for file in sorted(HOUSE.rglob("*.py")):
        if file != HOUSE / "methods" / "__init__.py" and not any(room in file.parents for room in ROOMS):
            yield file


def texts(node: ast.AST) -> set[str]:
    """The texts that a value, or a list of values, is."""
    inner = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return {one.value for one in inner if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def named(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Where kinds or methods are named to tell them apart."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in KINDS - WORDS:
            yield node.lineno, node.value
        elif isinstance(node, ast.Compare):
            asked = ast.unparse(node)
            found = set().union(*(texts(one) for one in (node.left, *node.comparators)))
            if "kind" in asked or "method" in asked:
                yield from ((node.lineno, name) for name in found & {*KINDS, *METHODS})
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            if len(texts(node) & KINDS) > 1:
                yield node.lineno, ", ".join(sorted(texts(node)))
        elif isinstance(node, ast.Dict):
            keys = set().union(*(texts(key) for key in node.keys if key is not None), set())
            if len(keys & {*KINDS, *METHODS}) > 2:
                yield node.lineno, ", ".join(sorted(keys))


# The chapters of the demo are modules of its own, told as a story.
STORY = HOUSE / "surface" / "demo" / "__init__.py"


def test_nothing_outside_the_rooms_tells_methods_apart() -> None:
    found = [
        f"{file.relative_to(HOUSE)}:{line}: {name}"
        for file in outside()
        if file != STORY
        for line, name in named(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert not found


def test_a_name_that_tells_methods_apart_is_found() -> None:
    code = (
        'if release.method == "hide": pass\nx = {"hide": 1, "rules": 2, "bucketize": 3}\ny = "bucketized"\n'
    )
    code += 'SETS = ("generalized", "hidden")\n'
    assert {line for line, _ in named(ast.parse(code))} == {1, 2, 3, 4}
