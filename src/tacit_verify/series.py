"""A series of bucketized releases about the same people: the same set of values for everybody in each.

The signature of a bucket is the set of its values. While a person's value stays in it, their signature stays
the same, and otherwise the new one has no value in common with the old; every bucket holds each value of its
signature equally often, counterfeits included; and everybody in it may hold every one. Then renaming the
values of a signature for all who have it gives another possible world, over all releases, and everybody keeps
every value with the same chance. That the values of a person in all releases have ℓ in common is not enough.

Who is who shows in the private records. Without them rows are taken for the same person that nobody else
looks like, in any two releases; that shows what is wrong, and never that all is well.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain, combinations, pairwise, repeat, starmap
from typing import Any

from tacit_verify.cohorts import check_cohorts, lines_of
from tacit_verify.nodes import Barred, known_columns
from tacit_verify.reading import Row, rows
from tacit_verify.release import Check, Release, judged, required
from tacit_verify.twins import looks

Signature = frozenset[str]
SAME = {  # what the releases of a series have in common
    "bucketized": ("quasi", "keep", "sensitive", "l"),
    "generalized_table": ("quasi", "keep", "sensitive", "recoding"),
    "generalized": (),
}


def check_signatures(release: Release, groups: Sequence[Any], barred: Barred) -> Iterator[Check]:
    """Every group holds each value equally often, and each may be any row's."""
    l, stated = release.promise["l"], release.parameters["series"]["counterfeits"]
    sets = [frozenset(looks(value[0]) for value in group.values) for group in groups]
    fewest = min(map(len, sets))
    yield Check("ℓ", fewest >= l, f"every group, at least {fewest} values in a signature")
    uneven = (
        f"group {number} holds its values {sorted(set(group.values.values()))} times"
        for number, group in enumerate(groups, 1)
        if len(set(group.values.values())) > 1
    )
    yield judged("signatures", uneven, "every group holds each of its values equally often")
    kept = (
        f"a rule excludes a value of group {number} for one of its rows"
        for number, (group, held) in enumerate(zip(groups, sets, strict=True), 1)
        if any(not held.isdisjoint(value for _, value in barred(row)) for row in group.rows)
    )
    yield judged("signatures and rules", kept, "everybody may have every value of their group")
    found = sum(sum(group.values.values()) - len(group.rows) for group in groups)
    yield Check("counterfeits", found == stated, f"{found} values more than rows, stated {stated}")


def check_chain(releases: Sequence[Release]) -> Iterator[Check]:
    """The promise over releases of a series, the oldest first."""
    yield from required(judged("chain", _links(releases), f"{len(releases)} releases, one after the other"))
    if missing := releases[0].number - 1:
        yield Check("whole series", None, f"it is about all releases, and the first {missing} are not given")
    if releases[-1].manifest["kind"] != "bucketized":
        yield from check_cohorts(releases)
        return
    signatures, shown = [_signatures(release) for release in releases], set[str]()
    if not missing:
        first = chain.from_iterable(map(_first_shown, releases, signatures, repeat(shown)))
        yield judged("values shown first", first, "beside counterfeits, none that few could have")
    if all(release.private("people.csv") for release in releases):
        had, problems = dict[str, list[Signature]](), list[str]()
        for release, found in zip(releases, signatures, strict=True):
            problems.extend(_placed(release, had, found))
        problems.extend(_crossing(had))
        yield judged("people and signatures", problems, f"{len(had)} people, by the private records")
        return
    alone = list(map(_alone, releases, signatures))
    near = sum(starmap(_crossings, pairwise(alone)))
    stated = sum(release.parameters["series"]["look_alikes"] for release in releases[1:])
    far = sum(starmap(_crossings, combinations(alone, 2))) - near
    detail = f"{near} rows look like one row of the release before, stated {stated}, and {far} like one of"
    detail += " those before that, and their signatures cross; who is who shows in the private records"
    yield Check("people and signatures", None if near == stated else False, detail)


def _links(releases: Sequence[Release]) -> Iterator[str]:
    """Each release names the one before, is of its kind, and is about the same columns."""
    for before, after in pairwise(releases):
        one, other, kind = before.parameters, after.parameters, before.manifest["kind"]
        # The first release of tables does not say that others will follow.
        first = one.get("series", {"number": 1} if kind == "generalized_table" else None)
        if kind != after.manifest["kind"]:
            yield "two releases are of different kinds"
        elif first is None or "series" not in other:
            yield "a release is none of a series"
        else:
            second = other["series"]
            if second.get("after") != sha256(before.text.encode()).hexdigest():
                yield f"release {second['number']} is not after the one that is given before it"
            if second["number"] != first["number"] + 1:
                yield f"release {second['number']} comes after {first['number']}"
            yield from (f"two releases differ in {name}" for name in SAME[kind] if one[name] != other[name])


def _signatures(release: Release) -> dict[str, Signature]:
    """The signature of every group."""
    found: dict[str, set[str]] = {}
    for group, value, _ in _listed(release):
        found.setdefault(str(group), set()).add(looks(value))
    return {group: frozenset(values) for group, values in found.items()}


def _listed(release: Release) -> Iterator[Row]:
    return rows(release.path("st.csv"), ("group", *release.parameters["sensitive"], "count"), published=True)


def _first_shown(release: Release, signatures: dict[str, Signature], shown: set[str]) -> Iterator[str]:
    """Values that no release before shows, in signatures with counterfeits and fewer rows than values.

    Counterfeits have values that somebody has, or had: a new one is not a counterfeit everywhere.
    """
    members = Counter(group for groups in _alike(release).values() for group in groups)
    spare = Counter({group: -number for group, number in members.items()})
    for group, _, count in _listed(release):
        spare[str(group)] += int(str(count))
    held = Counter[Signature]()
    for group, signature in signatures.items():
        held[signature] += members[group] if spare[group] else len(signature)
    shown.update(*(signature for signature, number in held.items() if number >= len(signature)))
    for signature in held:
        if new := signature - shown:
            yield f"release {release.number} shows {min(new)!r} first, where few could have it"
    shown.update(*held)


def _placed(release: Release, had: dict[str, list[Signature]], signatures: Any) -> Iterator[str]:
    """Add the signature that everybody has in a release; its record must be of its rows."""
    members: Counter[str] = Counter()
    for line in lines_of(release, "people.csv"):
        if line["group"] != "0":
            members[line["group"]] += 1
            had.setdefault(line["person"], []).append(signatures.get(line["group"], frozenset()))
    if members != Counter(group for groups in _alike(release).values() for group in groups):
        yield "a private record is of other people than those published"


def _crossing(had: dict[str, list[Signature]]) -> Iterator[str]:
    """Two signatures of a person are the same, or have no value in common."""
    sets = map(set, had.values())
    crossing = sum(any(one != other and one & other for one in mine for other in mine) for mine in sets)
    if crossing:
        yield f"{crossing} people have two signatures with some values in common"


def _alone(release: Release, signatures: dict[str, Signature]) -> dict[Row, Signature]:
    """The signatures of the rows that nobody else looks like."""
    return {row: signatures[groups[0]] for row, groups in _alike(release).items() if len(groups) == 1}


def _crossings(one: dict[Row, Signature], other: dict[Row, Signature]) -> int:
    """How many rows are alone in two releases, with signatures that cross."""
    pairs = ((one[row], other[row]) for row in one.keys() & other.keys())
    return sum(first != second and not first.isdisjoint(second) for first, second in pairs)


def _alike(release: Release) -> dict[Row, list[str]]:
    """The groups of the rows that look alike."""
    found: dict[Row, list[str]] = {}
    for row in rows(release.path("qit.csv"), (*known_columns(release), "group"), published=True):
        found.setdefault(row[:-1], []).append(str(row[-1]))
    return found
