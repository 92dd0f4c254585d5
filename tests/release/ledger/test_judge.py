"""Releases read together, against trying everything on small cases."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.transactions import transactions_from_sets
from tacit.judging.composition import (
    PublishedSets,
    PublishedTable,
    StatedRule,
    people_narrowed,
    sets_narrowed,
)
from tests.oracles import composition as oracle

VALUES = ["flu", "ulcer", "angina", None]
NODES: dict[str, dict[str | None, frozenset[str | None]]] = {
    "zip": {
        "8010": frozenset({"8010", "80", "*"}),
        "8020": frozenset({"8020", "80", "*"}),
        None: frozenset("*"),
    },
    "sex": {"f": frozenset({"f", "*"}), "m": frozenset({"m", "*"})},
}
"""What the values of some columns may be published as."""
LOOKS = {"zip": ["8010", "8020", None], "sex": ["f", "m"], "job": ["cook", "clerk"]}


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[dict[str, str | None]], list, list[list[bool]]]:
    """A few people, and releases of some of them: quasi-identifiers, buckets, rules."""
    person = st.fixed_dictionaries({name: st.sampled_from(texts) for name, texts in LOOKS.items()})
    people = draw(st.lists(person, min_size=1, max_size=6))
    made, inside = [], []
    for _ in range(draw(st.sampled_from([2, 3]))):
        quasi = draw(st.lists(st.sampled_from(list(LOOKS)), min_size=1, unique=True))
        coarse = draw(st.booleans())
        buckets: dict[int, tuple[list, list]] = {}
        marks = [draw(st.sampled_from([True, True, False])) for _ in people]
        for person, mark in zip(people, marks, strict=True):
            if mark or draw(st.booleans()):  # somebody who looks the same may be in it as well
                rows, values = buckets.setdefault(draw(st.integers(0, 2)), ([], []))
                rows.append(
                    {
                        name: draw(st.sampled_from(sorted(NODES[name][value])))
                        if coarse and name in NODES
                        else value
                        for name, value in person.items()
                    }
                )
                values += draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=3))
        rules = [
            (
                {name: set(draw(st.lists(st.sampled_from(LOOKS[name]), min_size=1))) for name in names},
                draw(st.sampled_from(VALUES)),
            )
            for names in draw(st.lists(st.lists(st.sampled_from(quasi), min_size=1, unique=True), max_size=2))
        ]
        made.append((quasi, buckets, rules, NODES if coarse else {}))
        inside.append(marks)
    return people, made, inside


@given(releases())
def test_people_are_narrowed_as_defined(drawn: tuple) -> None:
    people, made, inside = drawn
    published = []
    for quasi, buckets, rules, nodes in made:
        rows = [(*(row[name] for name in quasi), str(g)) for g, (rows, _) in buckets.items() for row in rows]
        held = [(str(group), value) for group, (_, values) in buckets.items() for value in set(values)]
        texts = dict.fromkeys([*quasi, "group"], pl.String)
        published.append(
            PublishedTable(
                known=tuple(quasi),
                sensitive=("disease",),
                group="group",
                rows=pl.DataFrame(rows, schema=texts, orient="row"),
                held=pl.DataFrame(held, schema={"group": pl.String, "disease": pl.String}, orient="row"),
                rules=tuple(
                    StatedRule({name: frozenset(wanted) for name, wanted in when.items()}, "disease", value)
                    for when, value in rules
                ),
                nodes=nodes,
            )
        )
    frame = pl.DataFrame(people, schema=dict.fromkeys(LOOKS, pl.String))
    found = people_narrowed(frame, published, [np.array(marks) for marks in inside])

    expected = alone = 0
    for place, person in enumerate(people):
        each = [
            oracle.candidates(person, quasi, list(buckets.values()), rules, nodes)
            if inside[number][place]
            else None
            for number, (quasi, buckets, rules, nodes) in enumerate(made)
        ]
        if oracle.left_with_one(each):
            expected += 1
            alone += any(values is not None and len(values) == 1 for values in each)
    assert found is not None
    assert (found.records, found.one_candidate, found.alone) == (len(people), expected, alone)


def test_many_values_and_two_sensitive_attributes() -> None:
    values = [f"v{number}" for number in range(150)]
    schema = {"group": pl.String, "disease": pl.String, "pay": pl.String}
    rows = pl.DataFrame({"zip": ["1", "2"], "group": ["1", "1"]})
    one = pl.DataFrame([("1", value, "low") for value in values], schema=schema, orient="row")
    other = pl.DataFrame([("1", value, "high") for value in values[149:]], schema=schema, orient="row")
    released = [
        PublishedTable(("zip",), ("disease", "pay"), "group", rows, held) for held in (one, other, one)
    ]
    people = pl.DataFrame({"zip": ["1", "2", "3"]})
    everybody = np.ones(3, dtype=bool)
    found = people_narrowed(people, released, [everybody, everybody, ~everybody])
    # 'v149' alone is in both; nobody in a release looks like the third person.
    assert found is not None
    assert (found.one_candidate, found.alone) == (2, 2)
    assert people_narrowed(people, released[:1], [everybody]) is None


def test_sets_are_narrowed_as_defined() -> None:
    source = random.Random(4)
    leaves = [f"i{number}" for number in range(5)]
    for _ in range(150):
        originals = [
            frozenset(source.sample(leaves, source.randint(0, 4))) for _ in range(source.randint(1, 7))
        ]
        mappings = []
        for _ in range(2):
            # One tree for both: pairs below halves below the root.
            cut = source.choice([0, 1, 2])
            split = source.random() < 0.5
            mappings.append(
                {
                    leaf: [leaf, f"n{number // 2}" if split or number < 2 else leaf, "all"][cut]
                    for number, leaf in enumerate(leaves)
                }
            )
        others = [frozenset(source.sample(leaves, source.randint(0, 3))) for _ in range(source.randint(0, 3))]
        inside = [originals, originals + others]
        published = [
            [frozenset(mapping[leaf] for leaf in record) for record in records]
            for mapping, records in zip(mappings, inside, strict=True)
        ]
        found = sets_narrowed(
            transactions_from_sets(originals),
            *(
                PublishedSets(transactions_from_sets(records), mapping)
                for records, mapping in zip(published, mappings, strict=True)
            ),
        )
        expected = [oracle.has_one_candidate(original, published, mappings, leaves) for original in originals]
        assert found.tolist() == expected


def test_a_hidden_release_shows_items_as_they_are() -> None:
    originals = transactions_from_sets([{"a", "b"}, {"a"}, {"a"}, {"c"}])
    hidden = PublishedSets(transactions_from_sets([{"b"}, {"a"}, {"a"}, {"c"}]))
    cut = PublishedSets(
        transactions_from_sets([{"ab"}, {"ab"}, {"ab"}, {"c"}]), {"a": "ab", "b": "ab", "c": "c"}
    )
    assert sets_narrowed(originals, hidden, cut).tolist() == [False, False, False, True]
    again = PublishedSets(transactions_from_sets([{"a", "b"}, {"a"}, {"a"}, {"c"}]))
    assert sets_narrowed(originals, hidden, again).tolist() == [False, False, False, True]
