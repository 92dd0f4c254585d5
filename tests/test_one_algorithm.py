"""Above the engine a step is written once: nobody asks which engine there is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

PACKAGE = REPOSITORY / "src" / "tacit"
ENGINES = ("engine/local", "engine/spark", "io/spark")
"""Where the classes stand that differ from engine to engine."""
MARKS = {"session", "sparkSession", "frame"}
"""What only things on Spark have."""


@cache
def engine_classes() -> frozenset[str]:
    """The names of all classes that belong to one engine."""
    files = (file for folder in ENGINES for file in (PACKAGE / folder).rglob("*.py"))
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    return frozenset(node.name for node in nodes if isinstance(node, ast.ClassDef))


def questions(text: str) -> Iterator[str]:
    """The places of some code that ask which engine there is."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, asked, *_]):
                found = bool(_names(asked) & engine_classes())
            case ast.Call(func=ast.Name(id="hasattr" | "getattr"), args=[owner, attribute, *_]):
                mark = isinstance(attribute, ast.Constant) and attribute.value in MARKS
                found = mark or "engine" in ast.unparse(owner)
            case ast.Compare(left=left, comparators=others):
                found = any(bool(_names(side) & engine_classes()) for side in (left, *others))
            case ast.MatchClass(cls=asked):
                found = bool(_names(asked) & engine_classes())
            case _:
                found = False
        if found:
            yield f"{getattr(node, 'lineno', 0)}: {ast.unparse(node)}"


def _names(node: ast.AST) -> set[str]:
    """The last part of every name in an expression."""
    inside = list(ast.walk(node))
    named = {one.id for one in inside if isinstance(one, ast.Name)}
    return named | {one.attr for one in inside if isinstance(one, ast.Attribute)}


def outside() -> list[Path]:
    """The modules that are not an engine's own."""
    return [
        file
        for file in sorted(PACKAGE.rglob("*.py"))
        if not file.relative_to(PACKAGE).as_posix().startswith(("engine/", "io/spark/"))
    ]


def test_nobody_outside_asks_which_engine_there_is() -> None:
    modules = outside()
    assert len(modules) > 200 and {"LocalEngine", "SparkEngine", "SparkSource"} <= engine_classes()
    asked = [
        f"{file.relative_to(REPOSITORY)}:{place}"
        for file in modules
        for place in questions(file.read_text(encoding="utf-8"))
    ]
    assert asked == []


@pytest.mark.parametrize(
    "question",
    [
        "isinstance(engine, SparkEngine)",
        "isinstance(table.source, FrameSource | source.SparkSource)",
        "isinstance(data, (Table, SparkTransactions))",
        "issubclass(kind, LocalEngine)",
        "type(engine) is LocalEngine",
        "type(made) == buckets.SparkBucketized",
        "hasattr(engine, 'deal')",
        "getattr(self.engine, 'range_rows', None)",
        "getattr(chosen, 'session', None)",
        "match engine:\n    case SparkEngine():\n        pass",
    ],
)
def test_every_way_of_asking_is_seen(question: str) -> None:
    assert list(questions(question))
