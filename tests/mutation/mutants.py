"""Small faults put into a module's source: each changes one decision that the code makes.

Comparisons, ``and`` and ``or``, ``not``, sums and differences, whole numbers, conditions and truth
values inside functions are changed one at a time; texts, messages of errors, annotations and defaults
of parameters are left alone.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
SUMS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    line: int
    column: int
    change: str
    """What was done, and what became of the expression."""
    source: str


def shuffled(source: str, seed: int) -> list[Mutant]:
    """The mutants of a source, in an order whose beginning is a fixed sample of them."""
    found = list(mutants(source))
    random.Random(seed).shuffle(found)
    return found


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a source, in the order of the text."""
    tree = ast.parse(source)
    places = sorted(
        (node.lineno, node.col_offset, place, change)
        for place, node in enumerate(ast.walk(tree))
        if isinstance(node, ast.expr | ast.If | ast.While)
        for change in range(len(list(_changes(node))))
        if place in _places_in_functions(tree)
    )
    for line, column, place, change in places:
        changed = copy.deepcopy(tree)
        node = _nth(changed, place)
        name, apply = list(_changes(node))[change]
        apply()
        became = ast.unparse(node.test if isinstance(node, ast.If | ast.While) else node)
        text = f"{name}: {became if len(became) < 80 else became[:76] + ' ...'}"
        yield Mutant(line, column, text, ast.unparse(ast.fix_missing_locations(changed)))


def _nth(tree: ast.AST, place: int) -> ast.AST:
    for number, node in enumerate(ast.walk(tree)):
        if number == place:
            return node
    raise IndexError(place)


def _places_in_functions(tree: ast.AST) -> set[int]:
    """The places of what decides something: in the bodies of functions, outside texts and errors."""
    if not hasattr(tree, "places"):
        kept: set[int] = set()
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                for statement in function.body:
                    kept |= {id(node) for node in _deciding(statement)}
        numbers = {number for number, node in enumerate(ast.walk(tree)) if id(node) in kept}
        tree.places = numbers  # type: ignore[attr-defined]
    return tree.places  # type: ignore[attr-defined, no-any-return]


def _deciding(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.arguments | ast.Import | ast.ImportFrom):
        return
    yield node
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST):
                yield from _deciding(child)


def _changes(node: ast.AST) -> Iterator[tuple[str, object]]:
    """The changes that a node allows: a name, and a function that makes the change in the tree."""
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            other = COMPARISONS[type(operator)]
            yield _named(operator, other), lambda p=place, o=other: node.ops.__setitem__(p, o())
    elif isinstance(node, ast.BoolOp):
        other_word = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield _named(node.op, other_word), lambda: setattr(node, "op", other_word())
    elif isinstance(node, ast.BinOp) and type(node.op) in SUMS and not _is_text(node):
        other_sum = SUMS[type(node.op)]
        yield _named(node.op, other_sum), lambda: setattr(node, "op", other_sum())
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield "flip", lambda: setattr(node, "value", not node.value)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield "one more", lambda: setattr(node, "value", node.value + 1)  # type: ignore[operator]
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "not", lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))


def _named(old: ast.AST, new: type[ast.AST]) -> str:
    return f"{type(old).__name__} to {new.__name__}"


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )
