"""A series of generalized tables or sets: who cannot be told apart in any of the releases.

Of tables, a cohort is the people who are in the same releases and share their class in each of them. Every
cohort has k people; with ℓ, of the histories of their values, handed out among them so that nobody gets what
a rule of any release excludes for them, everybody could have ℓ values in each release. Of sets, whoever knows
m items of a person, in all releases in which the person has them, faces k people who are in the same releases
and have them there too.

Who is who shows in the private records. Where not all releases are given, those of the last two hand on what
everybody was in each release so far. Without records it is counted how many parts changed by fewer than k
rows: if nobody came where somebody left, so few would be named, which is the worst that a reader can know.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from tacit_verify.assignments import fewest_valid
from tacit_verify.distances import way
from tacit_verify.generalized import Sets
from tacit_verify.nodes import Pairs, known_columns, trees_of
from tacit_verify.reading import Row, rows, transactions
from tacit_verify.release import Check, Release, judged
from tacit_verify.twins import looks

Form = tuple[Any, ...]  # of a table somebody's class, values and what is excluded for them; of sets the items
Life = tuple[tuple[int, Form], ...]  # releases of the chain, and the form that somebody has in each


def check_cohorts(releases: Sequence[Release]) -> Iterator[Check]:
    """The promise over a chain, the oldest release first."""
    tables = releases[-1].manifest["kind"] == "generalized_table"
    yield judged("only coarser", _finer(releases) if tables else _moved(releases), "the recoding is kept")
    if not all(release.private("people.csv") for release in releases):
        yield _check_changes(releases, tables)
        return
    whole = releases[0].number == 1
    if not (whole or all(release.private("lives.csv") for release in releases[-2:])):
        yield Check("people and rows", None, "releases are missing, and older records name nobody's")
        return
    problems = [problem for release in releases for problem in _strange(release, tables)]
    people: dict[str, Life] = {}
    if not problems:
        people = _from_files(releases, tables) if whole else _handed_on(releases[-1], tables)
        problems += [] if whole else _other_lives(releases[-2], releases[-1], people, tables)
    yield judged("people and rows", problems, f"{len(people)} people, by the private records")
    if not problems:
        yield from (_check_tables if tables else _check_sets)(Counter(people.values()), releases[-1].promise)


def _strange(release: Release, tables: bool) -> Iterator[str]:
    """A private record must be of the rows of its release, one of each person."""
    found = _here(release)
    n_rows = release.parameters["rows"] if tables else release.promise["records"]
    if sorted(int(line["row"]) for line in found) != [*range(1, n_rows + 1)]:
        yield "a private record does not say of every row whose it is"
    if len({line["person"] for line in found}) != len(found):
        yield "somebody is two rows of one release"


def _here(release: Release) -> list[dict[str, str]]:
    """Those of a private record who are in its release, by row."""
    found = (line for line in lines_of(release, "people.csv") if line["row"] != "0")
    return sorted(found, key=lambda line: int(line["row"]))


def lines_of(release: Release, name: str) -> Iterator[dict[str, str]]:
    """The lines of a file of the private record."""
    path = release.private(name)
    assert path is not None
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _from_files(releases: Sequence[Release], tables: bool) -> dict[str, Life]:
    """Everybody, as the releases themselves have them."""
    people: dict[str, list[tuple[int, Form]]] = {}
    for number, release in enumerate(releases, 1):
        once: dict[Form, tuple[int, Form]] = {}
        for line, form in zip(_here(release), _published(release, tables), strict=True):
            people.setdefault(line["person"], []).append(once.setdefault(form, (number, form)))
    return {person: tuple(life) for person, life in people.items()}


def _published(release: Release, tables: bool) -> Iterator[Form]:
    """The form of every row."""
    if not tables:
        sets = transactions(release.path(release.parameters["transactions"]))
        yield from (tuple(sorted(items)) for items in sets)
        return
    known, sensitive = known_columns(release), release.parameters["sensitive"]
    excluded = [_pairs(one) for one in _kept(release)["barred"]]
    found = rows(release.path("table.csv"), (*known, *sensitive), published=True)
    for line, row in zip(_here(release), found, strict=True):
        yield row[: len(known)], row[len(known) :], excluded[int(line["barred"])]


def _kept(release: Release) -> dict[str, Any]:
    path = release.private("series.json")
    assert path is not None
    return dict(json.loads(path.read_text(encoding="utf-8")))


def _pairs(excluded: Sequence[Sequence[Any]]) -> Pairs:
    return frozenset((place, looks(text)) for place, text in excluded)


def _handed_on(release: Release, tables: bool) -> dict[str, Life]:
    """Everybody, as a private record hands them on."""
    forms = [
        (tuple(form[0]), tuple(form[1]), _pairs(form[2])) if tables else tuple(sorted(form))
        for form in _kept(release)["forms"]
    ]
    lives = [
        tuple((int(number), forms[int(form)]) for number, form in line.items() if form)
        for line in lines_of(release, "lives.csv")
    ]
    return {line["person"]: lives[int(line["life"])] for line in lines_of(release, "people.csv")}


def _other_lives(before: Release, last: Release, now: dict[str, Life], tables: bool) -> Iterator[str]:
    """What is handed on is what was handed on before, with what is published now."""
    was, number = _handed_on(before, tables), last.parameters["series"]["number"]
    forms = zip(_here(last), _published(last, tables), strict=True)
    expected = was | {line["person"]: (*was.get(line["person"], ()), (number, form)) for line, form in forms}
    if expected != now:
        yield "a private record hands on another past than the one before it"


def _check_tables(lives: Counter[Life], promise: dict[str, Any]) -> Iterator[Check]:
    """Every cohort has k people, and leaves everybody ℓ values."""
    k, l = promise["k"], promise.get("l")
    cohorts: dict[tuple[tuple[int, Row], ...], list[Life]] = {}
    for life in lives:
        cohorts.setdefault(tuple((number, form[0]) for number, form in life), []).append(life)
    smallest = min(sum(lives[life] for life in members) for members in cohorts.values())
    detail = f"{len(cohorts)} cohorts, the smallest of {smallest} people"
    yield Check("k over the series", smallest >= k, detail)
    if l is None:
        return
    fewest = l
    for members in cohorts.values():
        known, histories = Counter[Pairs](), Counter[Row]()
        for life in members:
            each = len(life[0][1][1])
            excluded = enumerate(form[2] for _, form in life)
            pairs = frozenset((place * each + at, text) for place, own in excluded for at, text in own)
            history = tuple(cell for _, form in life for cell in form[1])
            if not pairs.isdisjoint(enumerate(map(looks, history))):
                yield Check("ℓ over the series", False, "a row contradicts a rule of its release")
                return
            known[pairs] += lives[life]
            histories[history] += lives[life]
        fewest = min(fewest, fewest_valid(known.elements(), histories.items()))
    yield Check("ℓ over the series", fewest >= l, f"everybody could have {fewest} values or more")


def _check_sets(lives: Counter[Life], promise: dict[str, Any]) -> Iterator[Check]:
    """Whoever knows m items of a person faces k people, over all releases."""
    k, m = promise["k"], promise["m"]
    alike: dict[tuple[int, ...], list[tuple[dict[str, int], int]]] = {}
    for life, people in lives.items():
        held: dict[str, int] = {}  # of every item, the releases in which the person has it, as bits
        for number, items in life:
            for item in items:
                held[item] = held.get(item, 0) | 1 << number
        alike.setdefault(tuple(number for number, _ in life), []).append((held, people))
    smallest = min(sum(people for _, people in members) for members in alike.values())
    yield Check("people in the same releases", smallest >= k, f"at least {smallest}")
    fewest = min(k, smallest)
    for members in alike.values():
        every = sorted({one for held, _ in members for one in held.items()})
        sets, common = Sets((1 << len(every)) - 1, k), [0] * m
        known: dict[str, dict[int, int]] = {}
        for place, (item, when) in enumerate(every):
            known.setdefault(item, {})[when] = 1 << place
        for held, people in members:  # who has an item in some releases has it in fewer of them, too
            bits = [known[item][one] for item, own in held.items() for one in known[item] if not one & ~own]
            sets.add(sum(bits), people, common)
        fewest = min([fewest, *(few for size in range(m) for few in sets.rare(size))])
    yield Check("k^m over the series", fewest >= k, f"whoever knows {m} items faces {fewest} people or more")


def _finer(releases: Sequence[Release]) -> Iterator[str]:
    """No hierarchy changes, and no cell is published below one of an earlier release."""
    used, links = dict[str, set[str]](), dict[str, dict[str, str | None]]()
    for release in releases:
        trees = trees_of(release.path("hierarchies.csv"), published=True)
        cells = _cells(release)
        for at, name in enumerate(release.parameters["quasi"]):
            tree, known = trees[name], links.setdefault(name, {})
            if any(known.get(node, parent) != parent for node, parent in tree.items()):
                yield f"the hierarchy of {name} is another in a later release"
            known.update(tree)
            now = {str(row[at]) for row in cells}
            if any(not used.setdefault(name, set()).isdisjoint(way(known, cell)[1:]) for cell in now):
                yield f"{name} is finer than it was"
            used[name] |= now


def _moved(releases: Sequence[Release]) -> Iterator[str]:
    """Every item is published as it was."""
    mapping: dict[Any, Any] = {}
    for release in releases:
        for item, label in rows(release.path("mapping.csv"), ["item", "published_as"], published=True):
            if mapping.setdefault(item, label) != label:
                yield f"{item!a} is published as something else"


def _cells(release: Release) -> Counter[Row]:
    """The classes of a table."""
    known, sensitive = known_columns(release), release.parameters["sensitive"]
    found = rows(release.path("table.csv"), (*known, *sensitive), published=True)
    return Counter(row[: len(known)] for row in found)


def _check_changes(releases: Sequence[Release], tables: bool) -> Check:
    """How many classes or items changed by fewer than k, as each release states."""
    k, found, stated = releases[-1].promise["k"], 0, 0
    for one, other in pairwise(releases):
        before, now = (_onto(one, other), _cells(other)) if tables else (_items(one), _items(other))
        each = other.promise["k"]
        found += sum(0 < abs(now[part] - before[part]) < each for part in {*before, *now})
        stated += other.parameters["series"]["small_changes"]
    what = "classes" if tables else "items"
    detail = f"{found} {what} changed by fewer than {k} from one release to the next"
    if found != stated:
        return Check("people and classes", False, f"{detail}, stated {stated}")
    return Check("people and classes", None, f"{detail}; who came and left shows in the private records")


def _onto(before: Release, after: Release) -> Counter[Row]:
    """The classes of a table, as the next one has them."""
    trees, quasi = trees_of(before.path("hierarchies.csv"), published=True), before.parameters["quasi"]
    there = [{str(row[at]) for row in _cells(after)} for at in range(len(quasi))]
    found: Counter[Row] = Counter()
    for row, count in _cells(before).items():
        ways = [way(trees[name], str(cell)) for name, cell in zip(quasi, row, strict=False)]
        cells = [next(filter(here.__contains__, up), up[0]) for up, here in zip(ways, there, strict=True)]
        found[*cells, *row[len(quasi) :]] += count
    return found


def _items(release: Release) -> Counter[str]:
    path = release.path(release.parameters["transactions"])
    return Counter(item for items in transactions(path) for item in items)
