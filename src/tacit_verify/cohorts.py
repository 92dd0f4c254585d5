"""A series of generalized tables or sets: who cannot be told apart in any of the releases.

Of tables, a cohort is the people who are in the same releases and share their class in each of them. Every
cohort has k people; with ℓ, of the histories of their values, handed out among them so that nobody gets what
a rule of any release excludes for them, everybody could have ℓ values in each release. Of sets, whoever knows
m items of a person, in all releases in which the person has them, faces k people who are in the same releases
and have them there too.

Who is who shows in the private records. Without them it is counted how many parts changed by fewer than k
rows: if nobody came where somebody left, so few would be named, which is the worst that a reader can know.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

from tacit_verify.assignments import diversity, kinds_of, valid_values
from tacit_verify.distances import way
from tacit_verify.nodes import Pairs, known_columns, trees_of
from tacit_verify.reading import Row, rows, transactions
from tacit_verify.release import Check, Release, judged
from tacit_verify.twins import looks

Place = tuple[int, int]  # a release of the chain, and a row of it


def check_cohorts(releases: Sequence[Release]) -> Iterator[Check]:
    """The promise over a chain, the oldest release first."""
    tables = releases[-1].manifest["kind"] == "generalized_table"
    yield judged("only coarser", _finer(releases) if tables else _moved(releases), "the recoding is kept")
    records = [release.private("people.csv") for release in releases]
    if not all(records):
        yield _check_changes(releases, tables)
        return
    people: dict[str, list[Place]] = {}
    problems = list[str]()
    for number, (release, path) in enumerate(zip(releases, records, strict=True)):
        assert path is not None
        problems.extend(_placed(release, number, people, path, tables))
    yield judged("people and rows", problems, f"{len(people)} people, by the private records")
    if not problems:
        yield from (_check_tables if tables else _check_sets)(releases, people)


def _placed(
    release: Release, number: int, people: dict[str, list[Place]], path: Path, tables: bool
) -> Iterator[str]:
    """Add which row of a release everybody is; its record must be of its rows, one of each person."""
    found = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    n_rows = release.parameters["rows"] if tables else release.promise["records"]
    if sorted(int(line["row"]) for line in found) != [*range(1, n_rows + 1)]:
        yield "a private record does not say of every row whose it is"
    if len({line["person"] for line in found}) != len(found):
        yield "somebody is two rows of one release"
    for line in found:
        people.setdefault(line["person"], []).append((number, int(line["row"]) - 1))


def _check_tables(releases: Sequence[Release], people: dict[str, list[Place]]) -> Iterator[Check]:
    """Every cohort has k people, and leaves everybody ℓ values."""
    k, l = releases[-1].promise["k"], releases[-1].promise.get("l")
    width = len(known_columns(releases[0]))
    columns = (*known_columns(releases[0]), *releases[0].parameters["sensitive"])
    tables = [list(rows(one.path("table.csv"), columns, published=True)) for one in releases]
    barred = [_barred(one) for one in releases]
    cohorts: dict[tuple[tuple[int, Row], ...], list[list[Place]]] = {}
    for places in people.values():
        classes = tuple((number, tables[number][row][:width]) for number, row in places)
        cohorts.setdefault(classes, []).append(places)
    smallest = min(map(len, cohorts.values()))
    detail = f"{len(cohorts)} cohorts, the smallest of {smallest} people"
    yield Check("k over the series", smallest >= k, detail)
    if l is None:
        return
    fewest = l
    for members in cohorts.values():
        kept: list[tuple[Pairs, Row]] = []
        for places in members:
            values = [tables[number][row][width:] for number, row in places]
            each = len(values[0])
            excluded = [barred[number][row] for number, row in places]
            pairs = ((place * each + at, text) for place, own in enumerate(excluded) for at, text in own)
            kept.append((frozenset(pairs), tuple(cell for one in values for cell in one)))
        if any(not known.isdisjoint(enumerate(map(looks, history))) for known, history in kept):
            yield Check("ℓ over the series", False, "a row contradicts a rule of its release")
            return
        kinds = kinds_of([known for known, _ in kept], Counter(history for _, history in kept).items())
        fewest = min(fewest, diversity(kinds, valid_values(kinds) or [0]))
    yield Check("ℓ over the series", fewest >= l, f"everybody could have {fewest} values or more")


def _barred(release: Release) -> list[Pairs]:
    """What rules exclude for each row, as the private record has it."""
    people, series = release.private("people.csv"), release.private("series.json")
    assert people is not None and series is not None
    sets = [
        frozenset((place, looks(text)) for place, text in one)
        for one in json.loads(series.read_text(encoding="utf-8"))["barred"]
    ]
    found = list(csv.DictReader(people.read_text(encoding="utf-8").splitlines()))
    return [sets[int(line["barred"])] for line in sorted(found, key=lambda line: int(line["row"]))]


def _check_sets(releases: Sequence[Release], people: dict[str, list[Place]]) -> Iterator[Check]:
    """Whoever knows m items of a person faces k people, over all releases."""
    k, m = releases[-1].promise["k"], releases[-1].promise["m"]
    sets = [list(transactions(one.path(one.parameters["transactions"]))) for one in releases]
    alike: dict[tuple[int, ...], list[dict[str, int]]] = {}
    for places in people.values():
        held: dict[str, int] = {}  # of every item, the releases in which the person has it, as bits
        for number, row in places:
            for item in sets[number][row]:
                held[item] = held.get(item, 0) | 1 << number
        alike.setdefault(tuple(number for number, _ in places), []).append(held)
    smallest = min(map(len, alike.values()))
    yield Check("people in the same releases", smallest >= k, f"at least {smallest}")
    fewest = smallest
    for members in alike.values():
        having: dict[str, dict[int, int]] = {}  # the people, as bits, by item and by releases
        for place, held in enumerate(members):
            for item, when in held.items():
                having.setdefault(item, {})[when] = having.setdefault(item, {}).get(when, 0) | 1 << place
        with_ = {
            (item, when): _either(others for other, others in by.items() if other & when == when)
            for item, by in having.items()
            for when in by
        }
        done = set[tuple[tuple[str, int], ...]]()
        for held in members:
            known = sorted(held.items())
            for size in range(1, min(m, len(known)) + 1):
                for some in combinations(known, size):
                    if some not in done:
                        done.add(some)
                        who = with_[some[0]]
                        for one in some[1:]:
                            who &= with_[one]
                        fewest = min(fewest, who.bit_count())
    yield Check("k^m over the series", fewest >= k, f"whoever knows {m} items faces {fewest} people or more")


def _either(masks: Iterator[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found


def _finer(releases: Sequence[Release]) -> Iterator[str]:
    """No hierarchy changes, and no cell is published below one of an earlier release."""
    used: dict[str, set[str]] = {}
    links: dict[str, dict[str, str | None]] = {}
    for release in releases:
        trees = trees_of(release.path("hierarchies.csv"), published=True)
        quasi = release.parameters["quasi"]
        cells = _cells(release)
        for at, name in enumerate(quasi):
            tree, known = trees[name], links.setdefault(name, {})
            if any(known.get(node, parent) != parent for node, parent in tree.items()):
                yield f"the hierarchy of {name} is another in a later release"
                return
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
    trees, width = trees_of(before.path("hierarchies.csv"), published=True), len(before.parameters["quasi"])
    there = [{str(row[at]) for row in _cells(after)} for at in range(width)]
    found: Counter[Row] = Counter()
    for row, count in _cells(before).items():
        ways = [
            way(trees[name], str(cell)) for name, cell in zip(before.parameters["quasi"], row, strict=False)
        ]
        cells = [
            next((one for one in up if one in here), up[0]) for up, here in zip(ways, there, strict=True)
        ]
        found[*cells, *row[width:]] += count
    return found


def _items(release: Release) -> Counter[str]:
    path = release.path(release.parameters["transactions"])
    return Counter(item for items in transactions(path) for item in items)
