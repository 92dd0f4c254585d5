"""Every figure of every method, through text, manifest, --json, record, report, compare, limits and page.

A figure is written down once, in its room, so that all of them have its title, its meaning and its value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

import tacit
from tacit.judging.figures import (
    CLASS,
    DIGITS,
    GRID,
    PERCENTS,
    TENS,
    Figure,
    percents_up,
    tens_up,
    two_digits,
)
from tacit.methods import BY_KIND, METHODS, Method
from tacit.release.published import Release
from tacit.showing.layout import as_text, to_plain
from tacit.surface.compare import Comparison
from tacit.surface.page.outcome_view import _compared
from tacit.surface.recipe.model import SECTIONS
from tacit.surface.recipe.run import ReleaseResult, judge_limits
from tacit.surface.recipe.text import recipe_schema
from tacit.surface.reporting import SavedRelease
from tests.surface.report.markup import assert_inert
from tests.surface.report.releases import plain_baskets


def every_figure() -> list[Any]:
    return [
        pytest.param(method, figure, id=f"{method.name}: {figure.name}")
        for method in METHODS.values()
        for figure in method.figures
    ]


FIGURES = pytest.mark.parametrize(("method", "figure"), every_figure())


@dataclass(frozen=True)
class Told:
    """A release as each surface tells it."""

    release: Release
    saved: SavedRelease
    record: dict[str, Any]
    public: str
    owners: str
    compared: Comparison


def makers() -> Iterator[tuple[str, Release]]:
    patients = tacit.load_sample("hospital:400")
    yield "bucketize", tacit.bucketize(patients, l=3, algorithm="anatomy")
    yield "generalize", tacit.generalize(tacit.load_sample("supermarket:400"), k=4, m=1)
    yield "generalize_table", tacit.generalize(patients, k=4)
    yield "hide", tacit.hide(plain_baskets(), patterns=[{"bread", "wine"}], min_support=10)
    yield "rules", tacit.safe_rules(patients, min_support=5, min_confidence=0.05, max_posterior=0.3, k=2)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    found = {}
    for name, made in makers():
        folder, release = tmp_path_factory.mktemp(name), made.complete()
        for place in ("one", "other"):
            published = release.save(folder / place, acknowledge_composition=True)
        assert published.private is not None
        record: dict[str, Any] = {}
        for file in published.private.glob("*.json"):
            record |= json.loads(file.read_text())
        saved = tacit.open_release(folder / "one")
        pages = [assert_inert(saved.report(owner=owner).to_html()).text for owner in (False, True)]
        both = tacit.compare(folder / "one", folder / "other")
        found[name] = Told(release, saved, record, *pages, both)
    return found


def exact(told: Told, figure: Figure) -> Any:
    return figure.value(told.release.parts)


@FIGURES
def test_json_and_the_owners_record_are_exact(told: dict[str, Told], method: Method, figure: Figure) -> None:
    one = told[method.name]
    printed = to_plain(one.release)["figures"]
    assert printed[figure.name] == to_plain(exact(one, figure))
    kept = {**one.saved.manifest.parts, **one.record["figures"]}
    assert figure.value(kept) == printed[figure.name]


@FIGURES
def test_the_manifest_is_rounded_as_declared(told: dict[str, Told], method: Method, figure: Figure) -> None:
    manifest, value = told[method.name].saved.manifest, exact(told[method.name], figure)
    if figure.of is not None:
        return
    if not figure.public:
        with pytest.raises(KeyError):
            figure.value(manifest.parts)
        return
    stated = figure.value(manifest.parts)
    grid = getattr(manifest, figure.part).get(GRID, {})
    how = grid.get(figure.place) or grid.get(figure.place.partition(".")[0])
    assert (how is None) == (figure.rounded is None)
    if how is None or stated is None:
        assert stated in (None, to_plain(value))
    elif how == CLASS:
        assert isinstance(stated, str)
    elif method.name != "hide":  # whose manifest counts decoys and secrets alike
        rounded = {DIGITS: two_digits, TENS: tens_up, PERCENTS: percents_up}[how]
        assert stated == rounded(value)


@FIGURES
def test_text_report_and_page_say_the_same_of_it(
    told: dict[str, Told], method: Method, figure: Figure
) -> None:
    one = told[method.name]
    title, meaning = figure.called(one.release.parts), figure.meaning(one.release.parts)
    value = figure.text(exact(one, figure))
    shown = " ".join(as_text(one.release).split())
    if exact(one, figure) is None:
        assert title in shown.partition("Not measured ")[2] or f"{title} {value}" in shown
    else:
        assert f"{title} {value}" in shown or f"{title}: {value}" in shown
    for page, seen in ((one.public, figure.public), (one.owners, True)):
        assert (f"{title} " in page) == seen
        assert (meaning in page) == seen
    about = {"method": method.name, "parameters": {}}
    run: Any = SimpleNamespace(about=about, result={"figures": one.release.measured()})
    lines = {line["name"]: line for line in _compared(run, [run])}
    if exact(one, figure) is not None:
        line = lines[figure.called()]
        assert (line["value"], line["meaning"]) == (value, figure.meaning())


@FIGURES
def test_compare_tells_what_is_public(told: dict[str, Told], method: Method, figure: Figure) -> None:
    one = told[method.name]
    for compared in one.compared.releases:
        stated = {"risks": compared.risk, "utility": compared.utility}[figure.part]
        assert (figure.name in stated) == figure.public
        if figure.public:
            assert stated[figure.name] == figure.value(one.saved.manifest.parts)
    assert (f"  {figure.called()}  " in str(one.compared)) == figure.public


@FIGURES
def test_a_recipe_may_limit_it(told: dict[str, Told], method: Method, figure: Figure) -> None:
    assert figure.limit == f"{'max' if figure.less else 'min'}_{figure.name}"
    schema = recipe_schema()["$defs"][f"{method.name.title()}Limits"]["properties"]
    assert schema[figure.limit]["description"] == figure.meaning()
    value = exact(told[method.name], figure)
    if value is None:
        return
    parts = told[method.name].release.parts
    limits = SimpleNamespace(**vars(SECTIONS[method.name].keys["limits"].default) | {figure.limit: value})
    (kept,) = judge_limits(limits, method.figures, parts)
    assert kept.met
    less = SimpleNamespace(**vars(limits) | {figure.limit: value - 1 if figure.less else value + 1})
    (missed,) = judge_limits(less, method.figures, parts)
    assert not missed.met


@pytest.mark.parametrize("method", list(METHODS.values()), ids=list(METHODS))
def test_a_recipes_result_lists_every_figure(told: dict[str, Told], method: Method) -> None:
    one = told[method.name]
    result = ReleaseResult(
        method.name, method.kind, "source", "", None, one.release.measured(), (), 0.0, False
    )
    said = " ".join(str(result).split())
    for figure in method.figures:
        assert figure.name in said and figure.text(exact(one, figure)) in said


def test_names_are_told_apart_and_every_kind_has_figures() -> None:
    for method in BY_KIND.values():
        names = [figure.name for figure in method.figures]
        titles = [figure.title for figure in method.figures]
        assert len(set(names)) == len(names) and len(set(titles)) == len(titles)
        assert {figure.part for figure in method.figures} == {"risks", "utility"}
        for figure in method.figures:
            assert figure.says.endswith(".") and "\n" not in figure.says
