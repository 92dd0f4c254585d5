"""Over a series everybody keeps ℓ values for a reader who knows which rules would have been listed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.hierarchy import from_parents
from tacit.errors import InfeasibleError
from tacit.methods.bucketize.release import BucketizedRelease
from tacit.methods.bucketize.series_rules import UNBOUND
from tacit.methods.bucketize.series_silence import _follows, contradicted
from tacit.methods.bucketize.solve.renaming import Pair, Unlisted, narrowed
from tacit.methods.bucketize.solve.signatures import Signed
from tacit.methods.bucketize.verb import bucketize
from tacit.random.key import Key
from tests.cases import cases
from tests.methods.bucketize.series import next_of, people, published, put, table
from tests.oracles.series import Bucket, worlds
from tests.oracles.unlisted import Mined, fewest_values, mined

MANY = 30_000
"""Series with more worlds are not looked at."""
Rule = tuple[str, str, str]
"""The column and the value of those whom a rule is about, and what they do not have."""


class Reader:
    """Who knows who is who, the method, and that nobody's value changes."""

    def __init__(self) -> None:
        self.chain: list[list[Bucket]] = []
        self.rules: set[Rule] = set()
        self.barred: dict[str, set[str]] = {}
        self.had: dict[str, frozenset[str]] = {}
        self.first: Mined | None = None
        self.contradicted: list[tuple[frozenset[str], str]] = []

    def reads(self, release: BucketizedRelease, frame: pl.DataFrame) -> None:
        names = frame["id"].to_list()
        rules = set[Rule]()
        for stated in release.manifest.reader["rules"]:
            ((column, text),) = stated["when"].items()
            rules.add((column, text, stated["value"]))
        if self.first is None:
            assert release.knowledge is not None
            self.first = mined(table(frame), names, release.knowledge)
        for rule in self.rules - rules:
            self._misses(rule, frame)
        self.rules = rules | {rule for rule in self.rules if rule[1] not in frame[rule[0]]}
        self.chain.append(published(release, frame))
        self.had |= {one: frozenset(values) for members, values in self.chain[-1] for one in members}
        for column, text, value in rules:
            for one in frame.filter(pl.col(column) == text)["id"]:
                self.barred.setdefault(one, set()).add(value)

    def _misses(self, rule: Rule, frame: pl.DataFrame) -> None:
        """A rule is gone: somebody contradicts it, if it was not dropped for what everybody knows."""
        column, text, value = rule
        inside = frozenset(frame.filter(pl.col(column) == text)["id"])
        new = frozenset(frame["id"]) - self.had.keys()
        kept = any(value in self.had.get(one, ()) for one in inside)
        if inside and not kept and not 0 < len(inside & new) < UNBOUND * len(new):
            self.contradicted.append((inside, value))

    def worlds(self) -> Iterator[dict[str, str]] | None:
        """All that are possible; None where they are too many."""
        assert self.first is not None
        found = list(islice(worlds(self.chain, self.barred), MANY))
        if len(found) == MANY:
            return None
        first = self.first
        return (
            world
            for world in found
            if first.allows(world)
            and all(any(world[one] == value for one in inside) for inside, value in self.contradicted)
        )


def series(seed: int, place: Path) -> Iterator[tuple[int, int]]:
    """After every release of a small series: ℓ, and the fewest values that anybody could have."""
    generator = np.random.default_rng(seed)
    l = int(generator.integers(2, 4))
    n = int(generator.integers(8, 22 if l == 2 else 16))
    everybody = people(generator, n, values=int(generator.integers(4, 7)), ages=int(generator.integers(2, 5)))
    now = everybody.filter(generator.random(n) < 0.7)
    known = {"min_expectation": float(generator.choice([0.5, 0.7, 0.9]))}
    reader, last = Reader(), None
    asked = {"l": l, "key": Key.from_seed(seed), "person": "id", "partners": "signatures"}
    for number in range(int(generator.integers(2, 4))):
        now = now if last is None else next_of(generator, now, everybody, changing=0)
        try:
            made = bucketize(table(now), after=last, knowledge=known if last is None else None, **asked)
        except InfeasibleError:
            return
        last = put(made, place / f"{seed}-{number}")
        reader.reads(made, now)
        possible = reader.worlds()
        if possible is None:
            return
        yield l, fewest_values(possible)


@pytest.mark.parametrize("seed", [47, 57, 91, 118, 131, 135])
def test_series_that_left_somebody_fewer_values(seed: int, tmp_path: Path) -> None:
    """Of 300 random series these left somebody ℓ - 1 values or fewer, or others did that are refused now."""
    assert all(values >= l for l, values in series(seed, tmp_path))


@pytest.mark.ci
def test_everybody_keeps_l_values_over_a_series(tmp_path: Path) -> None:
    releases = 0
    for seed in range(cases(300)):
        for l, values in series(seed, tmp_path):
            assert values >= l, seed
            releases += 1
    assert releases > cases(200)


A, B, C = range(3)


def test_a_rule_that_falls_tells_of_those_whom_it_was_about() -> None:
    """One of the second signature cannot be who contradicts it: nobody there can have a."""
    homes = (((A, B), 0), ((B, C), 0), ((A, C), 1))
    found = Signed(np.array([0, 0, 1, 1, 2, 2], dtype=np.int32), homes)
    held = np.array([A, B, B, C, A, C], dtype=np.int32)
    inside = np.array([True, True, True, False, False, True])
    (pair,) = contradicted([(inside, A)], found, held)
    assert (pair.value, pair.least) == (A, 0)
    assert dict(pair.held) == {homes[0]: {A, B}, homes[2]: {C}}


def test_candidates_who_are_renamed_together_count_as_one() -> None:
    """Two people of X have the same value of one signature: both have what somebody of X must have."""
    one, other = ((A, B), 0), ((A, B), 1)
    assert narrowed(Unlisted((Pair(A, 0, ((one, frozenset([A])),)),)), 2) == [one]
    assert narrowed(Unlisted((Pair(A, 0, ((one, frozenset([A])), (other, frozenset([B])))),)), 2) == []


def test_who_is_not_in_x_cannot_have_what_somebody_of_x_has() -> None:
    home = ((A, B, C), 0)
    assert narrowed(Unlisted((Pair(A, 0, ((home, frozenset([A, B])),)),)), 3) == [home]
    assert narrowed(Unlisted((Pair(A, 0, ((home, frozenset([A, B])),)),)), 2) == []
    assert narrowed(Unlisted((Pair(A, 0, ((home, frozenset([A, B, C])),)),)), 3) == []


def test_what_several_pairs_leave_together() -> None:
    """Somebody of X has a, and somebody of Y, of which one signature alone has people in common."""
    one, other = ((A, B), 0), ((A, C), 0)
    x = Pair(A, 0, ((one, frozenset([A])), (other, frozenset([C]))))
    y = Pair(C, 0, ((other, frozenset([C])),))
    assert narrowed(Unlisted((x,)), 2) == []
    assert narrowed(Unlisted((x, y)), 2) == [one, other]


def test_a_listed_rule_tells_that_its_value_is_not_rare() -> None:
    """One person has a, beside a counterfeit with b: a rule about a is listed because somebody has it."""
    home = ((A, B), 0)
    counts, uneven = {A: (5, 5), B: (5, 0)}, {home: {A: 1, B: 0}}
    assert narrowed(Unlisted((), counts, uneven), 2) == [home]
    other = ((A, B), 1)
    assert narrowed(Unlisted((), counts, uneven | {other: {A: 0, B: 1}}), 2) == []


AGES = {"20": "young", "21": "young", "22": "old", "23": "old", "young": "*", "old": "*"}


@pytest.mark.parametrize(
    ("rule", "follows"),
    [
        ("age=20", {"20"}),
        ("age=21", {"21"}),
        ("age=young", {"20", "21", "young"}),
        ("sex=f & age=20", set[str]()),
        ("sex=f", set[str]()),
    ],
)
def test_what_follows_from_a_rule_needs_no_holder(rule: str, follows: set[str]) -> None:
    """Of one column: whoever is below the node of a rule is among those whom it is about."""
    rows = [(sex, age, "gout" if sex + age == "m23" else "flu") for sex in "fm" for age in list(AGES)[:4]]
    frame = pl.DataFrame(rows, schema=["sex", "age", "disease"], orient="row")
    both = table(frame).with_hierarchies({"age": from_parents(AGES, name="age")})
    given = [f"{rule} => not disease=gout"]
    rules = tacit.mine_negative_rules(both, min_expectation=0.9999, rules=given)
    (code,) = rules.values.tolist()
    age = next(place for place, one in enumerate(rules.attributes) if one.name == "age")
    nodes, found = np.full(2, -1, dtype=np.int32), set[str]()
    assert not _follows(rules, nodes, code)
    for node in range(len(AGES)):
        nodes[age] = node
        assert not _follows(rules, nodes, 1 - code)
        if _follows(rules, nodes, code):
            found.add(rules.attributes[age].label(node))
    assert found == follows
