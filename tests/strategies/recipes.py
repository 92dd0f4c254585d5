"""Recipes of every method, with any of their keys set."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tacit.methods import METHODS
from tacit.methods.bucketize.verb import Reasons
from tacit.methods.generalize_tables.verb import Recursion
from tacit.options import REQUIRED
from tacit.ranges import (
    Either,
    File,
    Letters,
    Lines,
    ListOf,
    OneOf,
    Optional,
    Range,
    Share,
    Strings,
    Support,
    Switch,
    Unlimited,
    Whole,
    Words,
)
from tacit.surface.recipe.model import (
    MEASURES,
    RULES,
    SECTIONS,
    Knowledge,
    Recipe,
    Source,
)
from tacit.surface.recipe.section import Section

words = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r"), min_size=1, max_size=12
).filter(str.strip)
"""Any text that a person could put into quotation marks, with quotes, backslashes and control signs."""


def within(range: Any) -> st.SearchStrategy[Any]:
    """Values of a range, at its edges as well."""
    if isinstance(range, Optional):
        return st.none() | within(range.inner)
    if isinstance(range, Whole):
        return st.integers(range.low, range.high or range.low + 1000)
    if isinstance(range, Share):
        high = 1 if range.high == float("inf") else int(range.high)
        shares = st.decimals(int(range.low), high, places=4, allow_nan=False)
        return shares.filter(range.holds)
    if isinstance(range, Support):
        return within(Whole(1)) | within(Share())
    if isinstance(range, OneOf):
        return st.sampled_from(range.words)
    if isinstance(range, Words | File):
        return words
    if isinstance(range, Letters):
        return st.sampled_from([",", ";", "\t", '"', "'", "|"])
    if isinstance(range, Switch):
        return st.booleans()
    if isinstance(range, ListOf):
        return st.lists(within(range.inner), max_size=3).map(tuple)
    if isinstance(range, Either):
        return within(range.one) | within(range.other)
    if isinstance(range, Unlimited):
        return within(range.inner) | st.just("unlimited")
    if isinstance(range, Strings):
        return st.lists(words, max_size=3).map(tuple)
    if isinstance(range, Lines):
        return words | st.lists(words, max_size=3).map(tuple)
    if isinstance(range, Recursion):
        return st.tuples(st.integers(1, 9), st.integers(2, 9)).map(lambda pair: f"{pair[0]},{pair[1]}")
    assert isinstance(range, Reasons)
    return st.lists(words, max_size=3).map(tuple)


def section(model: type[Section], **others: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A table of a recipe: what is required, and any of the rest."""
    required: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for name, key in model.keys.items():
        into = required if key.default is REQUIRED or name == "release" else optional
        if name in others:
            into[name] = others[name]
        elif isinstance(key.kind, Range):
            into[name] = within(key.kind)
        elif isinstance(key.default, Section):
            into[name] = section(type(key.default))
    return st.fixed_dictionaries(required, optional=optional).map(lambda given: model(**given))


rules = st.one_of(*map(section, RULES.values()))
entries = words | rules
sources = section(Source, hierarchies=words | st.dictionaries(words, entries, max_size=2), hierarchy=entries)
releases = st.one_of(
    *(
        section(model, knowledge=section(Knowledge)) if METHODS[name].knowledge else section(model)
        for name, model in SECTIONS.items()
    )
)
measures = st.one_of(*map(section, MEASURES.values()))
names = words.filter(lambda name: name not in Source.keys)
recipes = section(
    Recipe,
    source=sources | st.dictionaries(names, sources, min_size=1, max_size=2),
    release=st.lists(releases, min_size=1, max_size=3).map(tuple),
    measure=st.lists(measures, min_size=1, max_size=2).map(tuple),
)
"""Recipes whose every value is in its range; their files need not exist, nor their parts agree."""
