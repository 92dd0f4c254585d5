"""What manifests state: what needs the original is on the stated grid, and exact for the owner alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import tacit
from tacit.judging.figures import (
    CLASS,
    DIGITS,
    PERCENTS,
    TENS,
    guess_class,
    percents_up,
    tens_up,
    two_digits,
)
from tacit.random.key import Key
from tacit.release.published import Release

KEY = Key(bytes(range(32)))


def made(kind: str) -> Release:
    if kind == "generalized":
        return tacit.generalize(tacit.load_sample("supermarket:500"), k=5, m=2)
    if kind == "hidden":
        baskets = tacit.load_sample("supermarket:500")
        return tacit.hide(baskets, patterns=[{"beer", "diapers"}], min_support=0.02, key=KEY)
    table = tacit.load_sample("hospital:400")
    if kind == "rules":
        return tacit.safe_rules(table, min_support=10, min_confidence=0.1, max_posterior=0.4)
    return tacit.bucketize(table, l=3, algorithm=kind, key=KEY).complete()


KINDS = ("injector", "anatomy", "generalized", "hidden", "rules")


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_that_is_not_exact_is_on_its_grid(kind: str) -> None:
    release = made(kind)
    exact = _record(release)["figures"]
    for part in ("risks", "utility"):
        stated = json.loads(release.manifest.to_json())[part]
        for name, step in stated.pop("grid", {}).items():
            values = list(_values(stated, name))
            assert values, f"{part}.{name} has a grid and is not stated"
            for value in values:
                assert _on_grid(value, step), (name, value)
        told = list(_floats(stated))
        rounded = [number for number in told if number != two_digits(number)]
        if part == "utility":
            assert not rounded, "what a release is good for is known from the original alone"
    assert exact["risks"]


def test_the_owner_sees_the_exact_figures_and_nobody_else() -> None:
    release = made("injector")
    assert isinstance(release, tacit.methods.bucketize.release.BucketizedRelease)
    exact = release.figures["utility"]["count_queries"]["uniform"]
    accuracy = release.figures["risks"]["learning"]["accuracy"]
    assert f"{accuracy:.1%}".replace("%", " %") in release.report(owner=True).to_html()
    public = release.report().to_html()
    assert f"{accuracy:.1%}".replace("%", " %") not in public
    assert str(exact) not in release.manifest.to_json()
    assert "longer_rules" not in release.manifest.risks


def test_queries_are_drawn_with_the_key() -> None:
    table = tacit.load_sample("hospital:400")
    found = [
        tacit.bucketize(table, l=3, algorithm="anatomy", key=key).figures["utility"]["count_queries"]
        for key in (KEY, KEY, Key(bytes(32)))
    ]
    assert found[0] == found[1] != found[2]


def test_rounding() -> None:
    assert [tens_up(count) for count in (0, 1, 10, 11, 99, 100, 101, 1_000, 1_001)] == [
        *(0, 10, 10, 20, 100, 100, 110, 1_000, 1_100)
    ]
    assert [percents_up(share) for share in (0.0, 1e-6, 0.01, 0.29, 0.291, 1.0)] == [
        *(0.0, 0.01, 0.01, 0.29, 0.3, 1.0)
    ]
    classes = [guess_class(right, chance=0.5, guesses=100) for right in (0.59, 0.6, 0.9, 0.91)]
    assert classes == ["below 0.6", "0.6 to 0.9", "0.6 to 0.9", "above 0.9"]
    assert guess_class(1.0, chance=0.5, guesses=99) is None


def _record(release: Release) -> Any:
    found: dict[str, Any] = {}
    for name in ("record.json", "plan.json"):
        content = release.private.get(name)
        if isinstance(content, bytes):
            found |= json.loads(content)
    return found


def _on_grid(value: Any, step: str) -> bool:
    if value is None:
        return True
    checks = {
        DIGITS: lambda: value == two_digits(value),
        TENS: lambda: value == tens_up(value) or value == 400,
        PERCENTS: lambda: value == percents_up(value),
        CLASS: lambda: isinstance(value, str),
    }
    return bool(checks[step]())


def _values(stated: Any, name: str) -> Iterator[Any]:
    """The figures under a dotted name; in lists of counts those that are counts of people or items."""
    if isinstance(stated, list):
        for one in stated:
            yield from _values(one, name)
        return
    first, _, rest = name.partition(".")
    inside = stated.get(first)
    if inside is None:
        yield None
    elif rest:
        yield from _values(inside, rest)
    elif isinstance(inside, list):
        counted = ("rows", "items", "occurrences", "uniform", "valid")
        yield from (one[field] for one in inside for field in counted if field in one)
    elif isinstance(inside, dict):
        yield from _floats(inside)
    else:
        yield inside


def _floats(stated: Any) -> Iterator[float]:
    if isinstance(stated, dict):
        for value in stated.values():
            yield from _floats(value)
    elif isinstance(stated, list):
        for value in stated:
            yield from _floats(value)
    elif isinstance(stated, float):
        yield stated
