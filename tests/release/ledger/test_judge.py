"""Releases read together, against trying everything on small cases."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import polars as pl

from tacit.arrays.bitmaps import unpack
from tacit.data.transactions import transactions_from_sets
from tacit.judging import composition
from tacit.judging.composition import COUNT, PublishedTable, Seen, StatedRule, people_narrowed
from tacit.judging.set_composition import PublishedSets, sets_narrowed
from tacit.knowledge.puzzles import solve
from tests.cases import cases
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


def published(release: oracle.Released) -> PublishedTable:
    buckets = release.buckets
    rows = [
        (*(row[name] for name in release.quasi), str(g))
        for g, (rows, _) in enumerate(buckets)
        for row in rows
    ]
    held = [(str(g), value, 1) for g, (_, values) in enumerate(buckets) for value in values]
    return PublishedTable(
        known=tuple(release.quasi),
        sensitive=("disease",),
        group="group",
        rows=pl.DataFrame(rows, schema=dict.fromkeys([*release.quasi, "group"], pl.String), orient="row"),
        held=pl.DataFrame(
            held, schema={"group": pl.String, "disease": pl.String, COUNT: pl.Int64}, orient="row"
        ),
        rules=tuple(
            StatedRule({name: frozenset(wanted) for name, wanted in when.items()}, "disease", value)
            for when, value in release.rules
        ),
        nodes=release.nodes,
    )


def seen(people: list, releases: list[oracle.Released]) -> list[Seen]:
    found = []
    for r, release in enumerate(releases):
        who = [number for number, looks in enumerate(people) if looks[r] is not None]
        looks = pl.DataFrame([people[number][r] for number in who], schema=dict.fromkeys(LOOKS, pl.String))
        found.append(Seen(published(release), np.array(who, dtype=np.int64), looks))
    return found


def chain(source: random.Random) -> tuple[list, list[oracle.Released], list]:
    """A few people with what they look like in each release, the releases, and the values they have."""
    n_people, n_releases = source.randint(1, 5), source.choice([2, 2, 3])
    apart = source.random() < 0.5
    truth = [source.choice(VALUES) for _ in range(n_people)]
    people: list[list] = [[] for _ in truth]
    releases = []
    for _ in range(n_releases):
        coarse = source.random() < 0.3
        quasi = [*LOOKS] if apart else source.sample([*LOOKS], source.randint(1, len(LOOKS)))
        buckets: list[tuple[list, list]] = [([], []) for _ in range(source.randint(1, 3))]
        for number, value in enumerate(truth):
            look = {name: source.choice(texts) for name, texts in LOOKS.items()}
            if apart:
                look["job"] = f"{look['job']} {number}"
            inside = source.random() < 0.85
            people[number].append(look if inside else None)
            if inside:
                rows, values = source.choice(buckets)
                shown = {
                    name: source.choice(sorted(NODES[name][text])) if coarse and name in NODES else text
                    for name, text in look.items()
                }
                rows.append(shown)
                values.append(value)
        if source.random() < 0.3:  # somebody else
            rows, values = source.choice(buckets)
            rows.append({name: source.choice(texts) for name, texts in LOOKS.items()})
            values.append(source.choice(VALUES))
        rules: list = []
        for name in quasi if source.random() < 0.5 else []:
            when, value = {name: {source.choice(LOOKS[name])}}, source.choice(VALUES)
            holders = [
                looks[-1]
                for looks, held in zip(people, truth, strict=True)
                if looks[-1] is not None and held == value
            ]
            if not any(look[name] in when[name] for look in holders):
                rules.append((when, value))
        releases.append(oracle.Released(quasi, buckets, rules, NODES if coarse else {}))
    return people, releases, truth


def test_nobody_is_said_to_be_named_who_is_not_and_most_who_are_named_are_found() -> None:
    """Against trying every value for everybody in all releases."""
    there = found = by_intersection = outside = 0
    for seed in range(cases(900)):
        people, releases, truth = chain(random.Random(seed))
        every = oracle.possible_values(people, releases, VALUES)
        assert all(value in values for value, values in zip(truth, every, strict=True))
        again = [sum(look is not None for look in looks) > 1 for looks in people]
        if not any(again):
            continue
        left = values_left(seen(people, releases), "disease", len(people))
        common = oracle.intersected(people, releases)
        for number, values in enumerate(every):
            if any(look is not None for look in people[number]):
                assert values <= left[number], (seed, number)
        narrowing = people_narrowed(seen(people, releases))
        assert narrowing is not None and narrowing.records == sum(again)
        assert narrowing.one_candidate == sum(
            len(left[number]) == 1 for number, two in enumerate(again) if two
        )
        named = sum(len(values) == 1 and not two for values, two in zip(every, again, strict=True))
        assert narrowing.joined + narrowing.left <= named, seed
        outside += narrowing.joined + narrowing.left
        there += sum(len(values) == 1 and two for values, two in zip(every, again, strict=True))
        by_intersection += sum(len(values) == 1 and two for values, two in zip(common, again, strict=True))
        found += narrowing.one_candidate
    assert found >= 0.95 * there > by_intersection > 100
    assert outside > 10


def test_buckets_are_looked_at_until_nothing_changes() -> None:
    for seed in range(cases(150)):
        source = random.Random(seed)
        n, values = source.randint(6, 24), [f"d{number}" for number in range(source.randint(3, 7))]
        truth = [source.choice(values) for _ in range(n)]
        people = [[{"zip": str(number), "sex": "f", "job": ""}] * 2 for number in range(n)]
        releases = []
        for _ in range(2):
            order, size = source.sample(range(n), n), source.randint(2, 4)
            parts = [order[at : at + size] for at in range(0, n, size)]
            buckets = [([people[one][0] for one in part], [truth[one] for one in part]) for part in parts]
            releases.append(oracle.Released(["zip", "sex"], buckets))
        expected = oracle.narrowed_by_turns(people, releases)
        assert values_left(seen(people, releases), "disease", n) == expected
        narrowing = people_narrowed(seen(people, releases))
        assert narrowing is not None
        assert narrowing.one_candidate == sum(len(one) == 1 for one in expected)


def values_left(released: list[Seen], attribute: str, n_people: int) -> list[set]:
    """The values that :mod:`tacit.judging.composition` leaves each person."""
    values = pl.concat([one.release.held[attribute] for one in released]).unique().sort()
    puzzles, differences, allowed = composition._puzzles(released, attribute, values, n_people)
    masks = unpack(solve([*puzzles, *differences], np.bitwise_and.reduce(allowed)), len(values))[:n_people]
    return [{value for value, may in zip(values, marks, strict=True) if may} for marks in masks]


def test_many_values_and_two_sensitive_attributes() -> None:
    values = [f"v{number}" for number in range(150)]
    schema = {"group": pl.String, "disease": pl.String, "pay": pl.String, COUNT: pl.Int64}
    rows = pl.DataFrame({"zip": ["1", "2"], "group": ["1", "1"]})
    one = pl.DataFrame([("1", value, "low", 1) for value in values], schema=schema, orient="row")
    other = pl.DataFrame([("1", value, "high", 2) for value in values[149:]], schema=schema, orient="row")
    who, looks = np.arange(3), pl.DataFrame({"zip": ["1", "2", "3"]})
    released = [
        Seen(PublishedTable(("zip",), ("disease", "pay"), "group", rows, held), who, looks)
        for held in (one, other)
    ]
    # 'v149' alone is in both; nobody in a release looks like the third person.
    found = people_narrowed(released)
    assert found is not None
    assert (found.records, found.one_candidate, found.alone) == (2, 2, 2)
    assert people_narrowed(released[:1]) is None
    # Whoever has another value now is not narrowed by both.
    nobody = {"disease": np.zeros(3, dtype=bool), "pay": np.zeros(3, dtype=bool)}
    assert people_narrowed([released[0], replace(released[1], same=nobody)]).records == 0  # type: ignore[union-attr]


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
        assert (found == 1).tolist() == expected


def test_a_hidden_release_shows_items_as_they_are() -> None:
    originals = transactions_from_sets([{"a", "b"}, {"a"}, {"a"}, {"c"}])
    hidden = PublishedSets(transactions_from_sets([{"b"}, {"a"}, {"a"}, {"c"}]))
    cut = PublishedSets(
        transactions_from_sets([{"ab"}, {"ab"}, {"ab"}, {"c"}]), {"a": "ab", "b": "ab", "c": "c"}
    )
    assert (sets_narrowed(originals, hidden, cut) == 1).tolist() == [False, False, False, True]
    again = PublishedSets(transactions_from_sets([{"a", "b"}, {"a"}, {"a"}, {"c"}]))
    assert (sets_narrowed(originals, hidden, again) == 1).tolist() == [False, False, False, True]
