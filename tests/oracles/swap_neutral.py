"""What a reader who knows the whole method makes of a bucketized release, by enumeration.

Small tables only. For a release R, Ω(R) are the tables that could stand behind it: values exchanged
inside buckets, the same rules mined. The reader who knows the method weighs each by P(R | T'), the
one the release speaks to weighs them alike. P(R | T') is made of four things: the tests of areas, whose
outcomes are enumerated with their probabilities; how the values of an area fall into buckets, exactly
(by running the solver under many keys, where it is Injector's); who is dealt where, by counting; and, where
bad deals are thrown away, how many of all deals are good, by enumerating them.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import numpy as np

from tacit.engine.base import Combinations
from tacit.knowledge.assignment_counts import ROUNDS
from tacit.methods.bucketize.solve.apart import whole_area
from tacit.methods.bucketize.solve.areas import Splitting, Test, Trial, areas_of
from tacit.methods.bucketize.solve.compatible import BALANCED, FEWEST_LOST
from tacit.methods.bucketize.solve.dealt import TRIES, numbers_of_buckets
from tacit.methods.bucketize.solve.feasibility import diversity_in_one_bucket
from tacit.methods.bucketize.solve.ground import Area, combination_digests, ground_of, keyed_companions
from tacit.methods.bucketize.solve.injector import Cells, injector_plan, middle, near_plan, value_ranks
from tacit.methods.bucketize.solve.plan import Classes, classes_of
from tacit.mining.negative import required_counts
from tacit.random.key import Key

Value = tuple[str, ...]
Rules = frozenset[tuple[int, str, int, str]]
"""(column, its value, sensitive attribute, the value nobody with it has)"""
Shape = tuple[object, ...]
"""The kinds of a bucket's rows, sorted."""
KEYS = 400


@dataclass(frozen=True)
class Small:
    """A table of a few rows: what readers know of each, and its sensitive values."""

    known: tuple[tuple[str, ...], ...]
    values: tuple[Value, ...]

    def __len__(self) -> int:
        return len(self.known)


@dataclass(frozen=True)
class Way:
    """How a table is bucketized."""

    name: str
    l: int = 2
    epsilon: float = 0.4
    min_expectation: float | None = None
    """None: no rules are mined."""
    stated: Rules = frozenset()
    """Rules that the reader knows whatever the table is."""
    max_posterior: Fraction | None = None
    """With areas: how likely a value may be at most."""
    accepting: bool = True
    """Whether it counts that bad deals are thrown away; without, there is what the areas' tests tell."""


@dataclass(frozen=True)
class Release:
    """Who shares a bucket, and which rules are stated."""

    buckets: frozenset[frozenset[int]]
    rules: Rules


def mined(table: Small, way: Way) -> Rules:
    """All single-attribute rules, from the definition; or those that are stated."""
    if way.min_expectation is None:
        return way.stated
    found = set()
    level = 1 - Fraction(str(way.min_expectation))
    for place in range(len(table.values[0])):
        held = Counter(value[place] for value in table.values)
        names = sorted(held)
        needed = required_counts(np.array([held[name] for name in names]), len(table), level)
        for column in range(len(table.known[0])):
            for what in {row[column] for row in table.known}:
                inside = [
                    value[place]
                    for row, value in zip(table.known, table.values, strict=True)
                    if row[column] == what
                ]
                for name, least in zip(names, needed, strict=True):
                    if len(inside) >= least and name not in inside:
                        found.add((column, what, place, name))
    return frozenset(found)


def may_have(row: tuple[str, ...], value: Value, rules: Rules) -> bool:
    return not any(row[column] == what and value[place] == name for column, what, place, name in rules)


class _Knowledge:
    """Rules in the form the classes of a table are made with."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def __len__(self) -> int:
        return len(self.rules)

    def forbidding(self, combinations: Combinations, sensitive: str) -> Iterator[tuple[int, np.ndarray]]:
        place = int(sensitive[1:])
        texts = combinations.texts[combinations.place(sensitive)]
        marks = np.zeros((len(combinations), len(texts)), dtype=bool)
        for column, what, about, name in self.rules:
            if about == place and name in texts and what in combinations.texts[column]:
                here = combinations.codes[:, column] == combinations.texts[column].index(what)
                marks[here, texts.index(name)] = True
        yield from enumerate(marks.T)


def combinations_of(table: Small) -> Combinations:
    rows = [known + value for known, value in zip(table.known, table.values, strict=True)]
    columns = [tuple(sorted({row[place] for row in rows})) for place in range(len(rows[0]))]
    counts = Counter(tuple(columns[place].index(text) for place, text in enumerate(row)) for row in rows)
    distinct = sorted(counts)
    names = [f"q{place}" for place in range(len(table.known[0]))]
    names += [f"s{place}" for place in range(len(table.values[0]))]
    return Combinations(
        tuple(names),
        tuple(columns),
        np.array(distinct, dtype=np.int32),
        np.array([counts[one] for one in distinct]),
    )


def combination_of_rows(table: Small, combinations: Combinations) -> list[int]:
    places = {tuple(codes): place for place, codes in enumerate(combinations.codes.tolist())}
    return [
        places[tuple(combinations.texts[at].index(text) for at, text in enumerate(known + value))]
        for known, value in zip(table.known, table.values, strict=True)
    ]


@dataclass(frozen=True)
class Part:
    """Rows that are bucketized together, the kind of each, and how likely their buckets have which shapes."""

    rows: frozenset[int]
    kinds: dict[int, object]
    chances: dict[frozenset[tuple[Shape, int]], float]

    def probability(self, buckets: Sequence[frozenset[int]]) -> float:
        """That exactly these buckets come out: shapes that the solver gives, and who is dealt where."""
        shapes = Counter(tuple(sorted((self.kinds[row] for row in bucket), key=told)) for bucket in buckets)
        chance = self.chances.get(frozenset(shapes.items()), 0.0)
        if not chance:
            return 0.0
        ways = math.prod(math.factorial(times) for times in shapes.values())
        for bucket in buckets:
            ways *= math.prod(map(math.factorial, Counter(self.kinds[row] for row in bucket).values()))
        deals = math.prod(math.factorial(n) for n in Counter(self.kinds.values()).values())
        return chance * ways / deals


Good = Callable[[Shape, bool], bool]
"""Whether a bucket of such rows keeps the promise; the second argument: whether it is the area's only one."""


@dataclass(frozen=True)
class DealtPart:
    """Rows that are dealt by values until a deal is good, into one number of buckets after another."""

    rows: frozenset[int]
    kinds: dict[int, object]
    """The value and the forbidden set of each row."""
    levels: list[tuple[float, Part, float]]
    """Per number of buckets: how likely it is tried, the deals by values, which share of them is good."""
    good: Good
    accepting: bool

    def probability(self, buckets: Sequence[frozenset[int]]) -> float:
        """That exactly these buckets come out."""
        if not all(self.good(self.shape(bucket), len(buckets) == 1) for bucket in buckets):
            return 0.0
        return sum(
            part.probability(buckets) * (tried * repeats(share) if self.accepting else 1.0)
            for tried, part, share in self.levels
        )

    def shape(self, bucket: frozenset[int]) -> Shape:
        return tuple(sorted((self.kinds[row] for row in bucket), key=told))


def repeats(share: float) -> float:
    """How many deals are drawn on average until one is good, of which so many are, or none is left to try."""
    return (1 - (1 - share) ** TRIES) / share if share else 0.0


@dataclass
class Method:
    """The method as its readers know it, on small tables, with what was worked out kept."""

    way: Way
    keys: int = KEYS
    _kept: dict[object, dict[frozenset[tuple[Shape, int]], float]] = field(default_factory=dict)
    _shares: dict[object, float] = field(default_factory=dict)
    _goods: dict[tuple[Shape, tuple[bool, ...], float], bool] = field(default_factory=dict)

    def probability(self, release: Release, table: Small) -> float:
        """P(R | T)."""
        if mined(table, self.way) != release.rules:
            return 0.0
        total = 0.0
        for chance, parts in self.traces(table, release.rules):
            for part in parts:
                mine = [bucket for bucket in release.buckets if bucket & part.rows]
                if any(not bucket <= part.rows for bucket in mine):
                    chance = 0.0
                    break
                chance *= part.probability(mine)
            total += chance
        return total

    def traces(self, table: Small, rules: Rules) -> Iterator[tuple[float, list[Part | DealtPart]]]:
        """The ways the areas can come out, with their probabilities."""
        combinations = combinations_of(table)
        rows = combination_of_rows(table, combinations)
        everybody = frozenset(range(len(table)))
        if self.way.name == "anatomy":
            kinds: dict[int, object] = dict(enumerate(table.values))
            yield 1.0, [Part(everybody, kinds, self._anatomy(Counter(kinds.values())))]
            return
        key = Key.from_seed(1)
        knowledge = _Knowledge(rules)
        names = combinations.names[len(table.known[0]) :]
        classes, class_of = classes_of(combinations, names, knowledge, key)  # type: ignore[arg-type]
        if diversity_in_one_bucket(classes, np.arange(len(classes))).min() < self.least:
            return  # refused
        forbidden = {row: self._forbidden(table, row, rules) for row in everybody}
        kinds = {row: (table.values[row], forbidden[row]) for row in everybody}
        if self.way.name in ("any", "paper"):
            yield (
                1.0,
                [Part(everybody, kinds, self._injected(table, sorted(everybody), rules, combinations.names))],
            )
            return
        if self.way.name == "near":
            cells = small_cells(combinations, combinations.names[: len(table.known[0])])
            kinds = {row: (*kinds[row], int(cells.of[rows[row]])) for row in everybody}  # type: ignore[misc]
            yield 1.0, [Part(everybody, kinds, self._near(table, rules, combinations, cells, rows))]
            return
        known = combinations.names[: len(table.known[0])]
        ground = ground_of(combinations, known, classes, class_of, keyed_companions(combinations, known, key))
        digests = combination_digests(combinations, key, combinations.names)
        whole = whole_area(ground, combinations, digests, key)
        for chance, areas in enumerated(lambda fails: areas_of(ground, whole, self.splitting, fails)):
            parts: list[Part | DealtPart] = []
            for area in areas:
                inside = [row for row in sorted(everybody) if rows[row] in set(area.combinations.tolist())]
                if ground.free(area) and self.least * ground.commonest(area) <= area.n_rows:
                    parts.append(self._free(table, inside, combinations.names))
                else:
                    present = {table.values[row] for row in inside}
                    mine = {row: (table.values[row], forbidden[row] & present) for row in inside}
                    parts.append(self._dealt(mine, list(numbers_of_buckets(ground, area, self.splitting))))
            yield chance, parts

    def _free(self, table: Small, inside: Sequence[int], names: Sequence[str]) -> Part:
        """Rows that are bucketized by their values alone."""
        if len(table.values[0]) == 1:
            values: dict[int, object] = {row: table.values[row] for row in inside}
            return Part(frozenset(inside), values, self._anatomy(Counter(values.values())))
        nothing: Rules = frozenset()
        kinds: dict[int, object] = {row: (table.values[row], frozenset()) for row in inside}
        return Part(frozenset(inside), kinds, self._injected(table, inside, nothing, names))

    @property
    def least(self) -> int:
        """How many valid values a row needs."""
        bound = self.way.max_posterior
        return self.way.l if bound is None else max(self.way.l, math.ceil(1 / bound))

    @property
    def splitting(self) -> Splitting:
        """Areas and buckets scaled down: two rows make an area, nine a large bucket."""
        return Splitting(
            self.least,
            self.way.epsilon,
            smallest=2,
            likely=1.0,
            holders=1,
            shared=4,
            rows=9,
            bad_rows=1.0,
            bad_row=0.2,
        )

    def _dealt(self, kinds: Mapping[int, object], numbers: Sequence[int]) -> DealtPart:
        """Rows dealt into each of these numbers of buckets until a deal is good."""
        counts = Counter(kinds.values())
        values = {row: kind[0] for row, kind in kinds.items()}  # type: ignore[index]
        often = [
            Counter(value[place] for value in values.values())
            for place in range(len(next(iter(values.values()))))
        ]
        capped = tuple(self.least * max(some.values()) <= len(kinds) for some in often)
        likely = likeliest(list(kinds.values()), self.least)

        def good(bucket: Shape, alone: bool) -> bool:
            most = 1.0 if alone else likely
            if (bucket, capped, most) not in self._goods:
                self._goods[bucket, capped, most] = is_good(
                    bucket, self.least, capped, most
                ) and self._within_bound(bucket)
            return self._goods[bucket, capped, most]

        levels, tried = [], 1.0
        for n_buckets in numbers:
            name = ("dealt", frozenset(Counter(values.values()).items()), n_buckets)
            if name not in self._kept:
                self._kept[name] = dealt_chances(Counter(values.values()), n_buckets)
            share = self._share(counts, n_buckets, good)
            levels.append((tried, Part(frozenset(kinds), values, self._kept[name]), share))
            tried *= (1 - share) ** TRIES
        return DealtPart(frozenset(kinds), dict(kinds), levels, good, self.way.accepting)

    def _within_bound(self, bucket: Shape) -> bool:
        return self.way.max_posterior is None or largest_counted(bucket) <= self.way.max_posterior

    def _share(self, counts: Counter[object], n_buckets: int, good: Good) -> float:
        """Which share of all deals is good."""
        name = (frozenset(counts.items()), n_buckets)
        if name not in self._shares:
            self._shares[name] = sum(
                chance
                for buckets, chance in all_deals(counts, n_buckets)
                if all(good(bucket, len(buckets) == 1) for bucket in buckets)
            )
        return self._shares[name]

    def _forbidden(self, table: Small, row: int, rules: Rules) -> frozenset[Value]:
        occurring = set(table.values)
        return frozenset(value for value in occurring if not may_have(table.known[row], value, rules))

    def _anatomy(self, counts: Counter[object]) -> dict[frozenset[tuple[Shape, int]], float]:
        key = ("anatomy", frozenset(counts.items()))
        if key not in self._kept:
            self._kept[key] = anatomy_chances(counts, self.least)
        return self._kept[key]

    def _injected(
        self, table: Small, inside: Sequence[int], rules: Rules, names: Sequence[str]
    ) -> dict[frozenset[tuple[Shape, int]], float]:
        """Shapes of Injector's buckets, from many keys."""
        part = Small(tuple(table.known[row] for row in inside), tuple(table.values[row] for row in inside))
        everything = set(table.values)
        kinds = Counter(
            (value, frozenset(one for one in everything if not may_have(known, one, rules)))
            for known, value in zip(part.known, part.values, strict=True)
        )
        key = ("injected", frozenset(kinds.items()))
        if key not in self._kept:
            way = FEWEST_LOST if self.way.name == "paper" else BALANCED
            combinations = combinations_of(part)
            sensitive = combinations.names[len(table.known[0]) :]

            def plan(seed: Key) -> Counter[Shape]:
                classes, _ = classes_of(combinations, sensitive, _Knowledge(rules), seed)  # type: ignore[arg-type]
                made = injector_plan(classes, self.way.l, seed, way=way)
                texts = [self._kind(classes, kind, everything, kinds) for kind in range(len(classes))]
                return Counter(
                    tuple(sorted((texts[kind] for kind in made.bucket(place)), key=told))
                    for place in range(len(made))
                )

            self._kept[key] = sampled(plan, self.keys)
        return self._kept[key]

    def _kind(self, classes: Classes, kind: int, everything: set[Value], kinds: Counter[object]) -> object:
        """A class in the words of the oracle."""
        value = tuple(
            str(texts[code])
            for texts, code in zip(classes.texts, classes.parts[classes.values[kind]], strict=True)
        )
        barred = frozenset(
            tuple(str(texts[code]) for texts, code in zip(classes.texts, parts, strict=True))
            for at, parts in enumerate(classes.parts.tolist())
            if classes.forbidden[kind, at >> 6] >> np.uint64(at & 63) & np.uint64(1)
        )
        present = {
            tuple(str(texts[code]) for texts, code in zip(classes.texts, parts, strict=True))
            for parts in classes.parts.tolist()
        }
        matches = [one for one in kinds if one[0] == value and one[1] & present == barred]  # type: ignore[index]
        return matches[0] if len(matches) == 1 else (value, barred)

    def _near(
        self, table: Small, rules: Rules, combinations: Combinations, cells: Cells, rows: list[int]
    ) -> dict[frozenset[tuple[Shape, int]], float]:
        key = ("near", table, rules)
        if key not in self._kept:
            names = combinations.names[len(table.known[0]) :]
            everything = set(table.values)
            kinds = Counter(
                (value, self._forbidden(table, row, rules)) for row, value in enumerate(table.values)
            )

            def plan(seed: Key) -> Counter[Shape]:
                classes, class_of = classes_of(combinations, names, _Knowledge(rules), seed)  # type: ignore[arg-type]
                none = np.zeros(len(classes), dtype=np.int64)
                made = near_plan(
                    classes,
                    self.way.l,
                    seed,
                    cells=cells,
                    class_of=class_of,
                    rows_of=combinations.counts,
                    suppressed=none,
                )
                texts = [self._kind(classes, kind, everything, kinds) for kind in range(len(classes))]
                assert made.places is not None
                found: Counter[Shape] = Counter()
                for place in range(len(made)):
                    span = slice(made.offsets[place], made.offsets[place + 1])
                    members = zip(made.members[span].tolist(), made.places[span].tolist(), strict=True)
                    found[tuple(sorted(((*texts[kind], cell) for kind, cell in members), key=told))] += 1  # type: ignore[misc]
                return found

            self._kept[key] = sampled(plan, self.keys)
        return self._kept[key]


class _Script:
    """Answers to the tests of a run: those that are prescribed, then each time the likely one."""

    def __init__(self, prescribed: tuple[bool, ...]) -> None:
        self.prescribed, self.said, self.chance = prescribed, (), 1.0
        self.others: list[tuple[bool, ...]] = []
        """Scripts that go another way from one of the free answers on."""

    def fails(self, trial: Trial) -> bool:
        answer = trial.failing > 0.0
        if len(self.said) < len(self.prescribed):
            answer = self.prescribed[len(self.said)]
        elif 0.0 < trial.failing < 1.0:
            self.others.append((*self.said, not answer))
        self.chance *= trial.failing if answer else 1 - trial.failing
        self.said: tuple[bool, ...] = (*self.said, answer)
        return answer


def enumerated(run: Callable[[Test], list[Area]]) -> Iterator[tuple[float, list[Area]]]:
    """Every outcome of a computation that asks for tests, with its probability."""
    waiting: list[tuple[bool, ...]] = [()]
    while waiting:
        script = _Script(waiting.pop())
        areas = run(script.fails)
        waiting += script.others
        yield script.chance, areas


def told(thing: object) -> str:
    """A text of it that orders things the same in every process; that of a set follows its hashes."""
    if isinstance(thing, frozenset):
        return "{" + ", ".join(sorted(map(told, thing))) + "}"
    if isinstance(thing, tuple):
        return "(" + ", ".join(map(told, thing)) + ")"
    return repr(thing)


def sampled(plan: Callable[[Key], Counter[Shape]], keys: int) -> dict[frozenset[tuple[Shape, int]], float]:
    found = Counter(frozenset(plan(Key.from_seed(seed)).items()) for seed in range(keys))
    return {shapes: times / keys for shapes, times in found.items()}


def all_deals(counts: Mapping[object, int], n_buckets: int) -> Iterator[tuple[tuple[Shape, ...], float]]:
    """Every deal of rows of these kinds, values in any order: the kinds of each bucket, its probability."""
    of_value: dict[object, list[object]] = {}
    for kind in sorted(counts, key=told):
        of_value.setdefault(kind[0], []).extend([kind] * counts[kind])  # type: ignore[index]
    for order in itertools.permutations(sorted(of_value, key=told)):
        ways = [sorted(set(itertools.permutations(of_value[value])), key=told) for value in order]
        chance = 1 / math.factorial(len(order)) / math.prod(map(len, ways))
        for chosen in itertools.product(*ways):
            rows = [kind for some in chosen for kind in some]
            yield (
                tuple(tuple(sorted(rows[at::n_buckets], key=told)) for at in range(n_buckets)),
                chance,
            )


def dealt_chances(counts: Counter[object], n_buckets: int) -> dict[frozenset[tuple[Shape, int]], float]:
    """How likely the buckets of a deal have which values."""
    found: dict[frozenset[tuple[Shape, int]], float] = {}
    for buckets, chance in all_deals({(value,): n for value, n in counts.items()}, n_buckets):
        shapes = Counter(tuple(kind[0] for kind in bucket) for bucket in buckets)  # type: ignore[index]
        key = frozenset(shapes.items())
        found[key] = found.get(key, 0.0) + chance
    return found


def likeliest(kinds: Sequence[object], l: int) -> float:
    """Three times the odds, as a chance: those of one in ℓ, or of a value among who may have it."""
    held = [kind[0] for kind in kinds]  # type: ignore[index]
    shares = [Fraction(1, l)]
    for place in range(len(held[0])):
        for text in {value[place] for value in held}:
            able = [
                kind
                for kind in kinds
                if any(value[place] == text and value not in kind[1] for value in held)  # type: ignore[index]
            ]
            shares.append(Fraction(sum(value[place] == text for value in held), len(able)))
    odds = 3 * max(share / (1 - share) if share < 1 else Fraction(10**9) for share in shares)
    return float(odds / (1 + odds))


def largest_scaled(bucket: Shape) -> float:
    """The largest chance of a value of one attribute, with who may have what scaled to rows and values."""
    held = Counter(kind[0] for kind in bucket)  # type: ignore[index]
    chances = [
        {value: float(value not in kind[1]) for value in held}  # type: ignore[index]
        for kind in bucket
    ]
    for _ in range(ROUNDS):
        for value, times in held.items():
            total = sum(mine[value] for mine in chances)
            for mine in chances:
                mine[value] *= times / total
        for mine in chances:
            total = sum(mine.values())
            for value in mine:
                mine[value] /= total
    return max(
        sum(chance for value, chance in mine.items() if value[place] == wanted[place])
        for mine in chances
        for wanted in held
        for place in range(len(wanted))
    )


def largest_counted(bucket: Shape) -> Fraction:
    """The largest share of a value of one attribute among all ways to hand a bucket's values out."""
    held = tuple(sorted(kind[0] for kind in bucket))  # type: ignore[index]

    @cache
    def ways(row: int, left: tuple[Value, ...]) -> int:
        if row == len(bucket):
            return 1
        return sum(
            left.count(value) * ways(row + 1, _without(left, value))
            for value in set(left)
            if value not in bucket[row][1]  # type: ignore[index]
        )

    largest = Fraction(0)
    for first in range(len(bucket)):
        bucket = (bucket[first], *bucket[:first], *bucket[first + 1 :])
        ways.cache_clear()
        total = ways(0, held)
        shares: Counter[tuple[int, str]] = Counter()
        for value in set(held):
            if value not in bucket[0][1]:  # type: ignore[index]
                for place, text in enumerate(value):
                    shares[place, text] += held.count(value) * ways(1, _without(held, value))
        largest = max(largest, Fraction(max(shares.values()), total))
    return largest


def is_good(bucket: Shape, l: int, capped: tuple[bool, ...], most: float) -> bool:
    """Whether a bucket is good, by definition: valid values, how likely one is, how often one occurs."""
    held = [kind[0] for kind in bucket]  # type: ignore[index]
    barred = [kind[1] for kind in bucket]  # type: ignore[index]

    @cache
    def assignable(row: int, left: tuple[Value, ...]) -> bool:
        """Whether the rows from this one on can have the values that are left."""
        return row == len(barred) or any(
            value not in barred[row] and assignable(row + 1, _without(left, value)) for value in set(left)
        )

    for row in range(len(held)):
        barred.insert(0, barred.pop(row))  # the row in question comes first
        assignable.cache_clear()
        valid = [
            value
            for value in set(held)
            if value not in barred[0] and assignable(1, _without(tuple(sorted(held)), value))
        ]
        barred.insert(row, barred.pop(0))
        if any(len({value[place] for value in valid}) < l for place in range(len(held[0]))):
            return False
    if most < 1 and largest_scaled(bucket) > most + 1e-9:
        return False
    return all(
        not capped[place] or l * max(Counter(value[place] for value in held).values()) <= len(held)
        for place in range(len(held[0]))
    )


def _without(left: tuple[Value, ...], value: Value) -> tuple[Value, ...]:
    at = left.index(value)
    return left[:at] + left[at + 1 :]


def anatomy_chances(counts: Counter[object], l: int) -> dict[frozenset[tuple[Shape, int]], float]:
    """How likely Anatomy's buckets have which values: ties and homes of the residue are drawn."""
    order = sorted(counts, key=told)

    @cache
    def filled(left: tuple[int, ...]) -> dict[tuple[tuple[int, ...], ...], float]:
        """Buckets as tuples of value numbers, sorted, with their probability."""
        there = [place for place, n in enumerate(left) if n]
        if len(there) < l:
            return {
                (tuple(place for place, n in enumerate(left) for _ in range(n)),): 1.0
            }  # the residue, first
        level = sorted((left[place] for place in there), reverse=True)[l - 1]
        above = [place for place in there if left[place] > level]
        ties = list(
            itertools.combinations([place for place in there if left[place] == level], l - len(above))
        )
        found: dict[tuple[tuple[int, ...], ...], float] = {}
        for tie in ties:
            chosen = {*above, *tie}
            rest = tuple(n - (place in chosen) for place, n in enumerate(left))
            for buckets, chance in filled(rest).items():
                made = (buckets[0], *sorted((*buckets[1:], tuple(sorted(chosen)))))
                found[made] = found.get(made, 0.0) + chance / len(ties)
        return found

    found: dict[frozenset[tuple[Shape, int]], float] = {}
    for (residue, *groups), chance in filled(tuple(counts[one] for one in order)).items():
        homes = [[at for at, group in enumerate(groups) if place not in group] for place in residue]
        deals = list(itertools.product(*homes))
        for deal in deals:
            buckets = [list(group) for group in groups]
            for place, home in zip(residue, deal, strict=True):
                buckets[home].append(place)
            shapes = Counter(
                tuple(sorted((order[place] for place in bucket), key=told)) for bucket in buckets
            )
            key = frozenset(shapes.items())
            found[key] = found.get(key, 0.0) + chance / len(deals)
    return found


def small_cells(combinations: Combinations, quasi: Sequence[str]) -> Cells:
    """Cells as small as two rows, made as those of the way ``near`` are."""
    ranks = [value_ranks(combinations, name) for name in quasi]
    by_values = sorted(range(len(ranks)), key=lambda place: (int(ranks[place].max()), place))
    parents: list[int] = []
    of = np.zeros(len(combinations), dtype=np.int32)
    waiting: list[tuple[np.ndarray, int]] = [(np.arange(len(combinations)), -1)]
    while waiting:
        inside, parent = waiting.pop()
        number = len(parents)
        parents.append(parent)
        of[inside] = number
        for place in by_values:
            rank = ranks[place][inside]
            cut = middle(rank, combinations.counts[inside], int(ranks[place].max()) + 1, 2)
            if cut is not None:
                waiting += [(inside[rank > cut], number), (inside[rank <= cut], number)]
                break
    return Cells(np.array(parents, dtype=np.int32), of)


def possible_tables(release: Release, table: Small) -> Iterator[Small]:
    """The tables with the same buckets in which the stated rules hold; the truth is one of them."""
    buckets = [sorted(bucket) for bucket in sorted(release.buckets, key=sorted)]
    choices = []
    for bucket in buckets:
        held = [table.values[row] for row in bucket]
        choices.append(
            [
                order
                for order in sorted(set(itertools.permutations(held)))
                if all(
                    may_have(table.known[row], value, release.rules)
                    for row, value in zip(bucket, order, strict=True)
                )
            ]
        )
    for chosen in itertools.product(*choices):
        values = list(table.values)
        for bucket, order in zip(buckets, chosen, strict=True):
            for row, value in zip(bucket, order, strict=True):
                values[row] = value
        yield Small(table.known, tuple(values))


@dataclass(frozen=True)
class Finding:
    """What the aware reader gains on the one the release speaks to, at the row where that is most."""

    excess: float
    """Beyond what the stated rules and those that are not listed say, all tables alike."""
    silence: float
    """What a reader gains who only knows that unlisted rules do not hold."""
    largest_ratio: float
    """The largest ratio of P(R | T') and P(R | T'') over one exchange inside a bucket."""
    rearranged: float
    """The largest such ratio over all ways to rearrange one bucket, the others being as they are."""
    tables: int


def aware(method: Method, release: Release, table: Small, most: int = 3000) -> Finding | None:
    """The reader's gain over all rows; None where there are too many tables, or R cannot come out."""
    candidates = list(itertools.islice(possible_tables(release, table), most + 1))
    if len(candidates) > most:
        return None
    weights = np.array([method.probability(release, one) for one in candidates])
    if not weights[[one == table for one in candidates]].sum():
        return None
    alike = np.array([mined(one, method.way) == release.rules for one in candidates], dtype=float)
    excess = silence = 0.0
    for row in range(len(table)):
        for place in range(len(table.values[0])):
            names = [one.values[row][place] for one in candidates]
            shares = []
            for weight in (weights, alike, np.ones(len(candidates))):
                of: Counter[str] = Counter()
                for name, share in zip(names, weight, strict=True):
                    of[name] += float(share)
                shares.append(max(of.values()) / weight.sum())
            excess = max(excess, shares[0] - shares[1])
            silence = max(silence, shares[1] - shares[2])
    by_values = {one.values: weight for one, weight in zip(candidates, weights, strict=True)}
    ratio = 1.0
    for one, weight in by_values.items():
        for bucket in release.buckets:
            for first, second in itertools.combinations(sorted(bucket), 2):
                other = list(one)
                other[first], other[second] = other[second], other[first]
                against = by_values.get(tuple(other), 0.0)
                if weight > 0 and against > 0:
                    ratio = max(ratio, weight / against)
    return Finding(excess, silence, ratio, _rearranged(release, by_values), int(alike.sum()))


def _rearranged(release: Release, by_values: Mapping[tuple[Value, ...], float]) -> float:
    largest = 1.0
    for bucket in release.buckets:
        weights: dict[tuple[Value, ...], list[float]] = {}
        for values, weight in by_values.items():
            others = tuple(value for row, value in enumerate(values) if row not in bucket)
            weights.setdefault(others, []).append(weight)
        for some in weights.values():
            if min(some) > 0:
                largest = max(largest, max(some) / min(some))
    return largest


def random_small(
    generator: np.random.Generator,
    *,
    rows: int = 8,
    columns: int = 2,
    attributes: int = 1,
    stated: Rules = frozenset(),
) -> Small:
    """A table of 7 or 8 rows in two towns; in half of the tables a value dominates one town.

    Values that a stated rule forbids are drawn again.
    """
    n = int(generator.integers(rows - 1, rows + 1))
    known = [[("A", "B")[row % 2] for row in range(n)], generator.choice(list("12"), n).tolist()][:columns]
    names = list("abcde")[: int(generator.integers(4, 6))]
    dominated = generator.random() < 0.5
    values = []
    for row in range(n):
        drawn = generator.choice(names, attributes).tolist()
        for place in range(attributes):
            if dominated and known[0][row] == "A" and generator.random() < 0.5:
                drawn[place] = "a"
        row_known = tuple(column[row] for column in known)
        while not may_have(row_known, tuple(drawn), stated):
            drawn = generator.choice(names, attributes).tolist()
        values.append(tuple(drawn))
    return Small(tuple(zip(*known, strict=True)), tuple(values))


def draw_release(method: Method, table: Small, generator: np.random.Generator) -> tuple[Release, int] | None:
    """A release, drawn as the method draws it, and its number of areas; None where it is refused."""
    rules = mined(table, method.way)
    traces = list(method.traces(table, rules))
    if not traces:
        return None
    _, parts = traces[_drawn([chance for chance, _ in traces], generator)]
    buckets: list[frozenset[int]] = []
    for part in parts:
        made = _drawn_buckets(part, generator)
        if made is None:
            return None
        buckets += made
    return Release(frozenset(buckets), rules), len(parts)


def _drawn_buckets(part: Part | DealtPart, generator: np.random.Generator) -> list[frozenset[int]] | None:
    if isinstance(part, DealtPart):
        chances = [tried * (1 - (1 - share) ** TRIES) for tried, _, share in part.levels]
        if not sum(chances):
            return None
        level = part.levels[_drawn(chances, generator)][1]
        while True:
            made = _drawn_buckets(level, generator)
            if made is not None and all(part.good(part.shape(bucket), len(made) == 1) for bucket in made):
                return made
    if not part.chances:
        return None
    outcomes = sorted(part.chances.items(), key=told)
    shapes, _ = outcomes[_drawn([chance for _, chance in outcomes], generator)]
    waiting: dict[object, list[int]] = {}
    for row, kind in part.kinds.items():
        waiting.setdefault(kind, []).append(row)
    for rows in waiting.values():
        generator.shuffle(rows)
    return [
        frozenset(waiting[kind].pop() for kind in shape)
        for shape, times in sorted(shapes, key=told)
        for _ in range(times)
    ]


def _drawn(chances: Sequence[float], generator: np.random.Generator) -> int:
    return int(generator.choice(len(chances), p=np.array(chances) / sum(chances)))
