"""Every field of a manifest is changed: it is caught, or it is known as what the publisher alone can state.

Numbers grow, truth values are turned, texts become others, and everything is left out once. What is then
still not broken, although the verifier has the original and the private record, must be in ``STATED``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit_verify import verify
from tests.keys import secret_key
from tests.soak.random_releases import write
from tests.tally import Tally
from tests.verify.forgery import Forgery
from tests.verify.tampering_ground import composed
from tests.verify.test_tampering import make

KEY = secret_key(5)
KINDS = (
    "bucketized",
    "anatomy",
    "coarser",
    "generalized_table",
    "subtree",
    "generalized",
    "hidden",
    "windows",
    "rules",
)

ROWS = ("bucketized", "coarser", "generalized_table")
STATED = {
    "not_for_publication turned": (KINDS, "that the key was drawn, and is no seed, is seen by nobody"),
    "versions.* left out": (KINDS, "they say with what it was made, and promise nothing"),
    "parameters.epsilon *": (ROWS[1:], "how groups were drawn is seen by nobody"),
    "parameters.decoys *": (("hidden", "windows"), "decoys are like the secret in every file"),
    "parameters.window *": (("windows",), "a window leaves no trace in what was taken out"),
    "reader.mined.max_length *": (ROWS, "how far was looked, not what was found"),
    "reader.mined left out": (ROWS[1:], "the reader stated knows less: a weaker promise"),
    "reader.nodes.*.# left out": (ROWS[:1], "the reader stated knows less; what no rule says is left open"),
    "reader.rules.# left out": (ROWS[1:], "the reader stated knows less: a weaker promise"),
    "reader.rules.#.given turned": (ROWS[:1], "whether a rule was given or mined is seen by nobody"),
    "reader.rules.#.when.* text": (ROWS[2:], "left open: a node that no hierarchy on record has"),
    "promise.min_group left out": (("rules",), "a weaker promise"),
}
"""What no file shows: a place and a change, the kinds that have it, and why it is left to the publisher. The
figures that the verifier names as the publisher's need not be here, as long as they are stated."""


def made(kind: str, place: Path) -> None:
    """A good release with its record, its original beside it, and figures of an earlier release."""
    people = tacit.load_sample("hospital:150")
    if kind == "anatomy":
        release: Any = tacit.bucketize(people, l=3, algorithm="anatomy", key=KEY)
    elif kind == "coarser":
        given = [str(rule) for rule in tacit.mine_negative_rules(people)][:2]
        release = tacit.bucketize(people, l=3, k=4, knowledge={"rules": given}, key=KEY)
    elif kind == "subtree":
        release = tacit.generalize(people, k=4, recoding="subtree", max_suppressed=0.1, key=KEY)
    elif kind == "windows":
        baskets = tacit.load_sample("supermarket:300")
        tacit.write_transactions(baskets, place / "original.dat")
        pattern = tacit.mine_itemsets(baskets, min_support=6, min_length=2)[3].items
        release = tacit.hide(baskets, patterns=[pattern], min_support=6, algorithm="swa", key=KEY)
    else:
        make(kind, place)
        return
    if kind != "windows":
        tacit.write_table(people, place / "original.csv")
    write(release, place / "out")


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every place in a manifest and what stands there; of lists and of maps of the data the ends alone."""
    if above:
        yield above, value
    if isinstance(value, dict):
        names = list(value) if above[:2] != ("reader", "nodes") else [*value][:1] + [*value][-1:]
        for name in dict.fromkeys(names):
            yield from places(value[name], (*above, name))
    elif isinstance(value, list):
        for at in sorted({0, len(value) - 1}) if value else ():
            yield from places(value[at], (*above, at))


def changes(value: Any) -> Iterator[tuple[str, Any]]:
    """Other values for a place."""
    yield "withheld", None
    if isinstance(value, bool):
        yield "turned", not value
    elif isinstance(value, int):
        yield "one more", value + 1
        yield "ten more", value + 10
    elif isinstance(value, float):
        yield "one more", value + 1
        yield "half", float(f"{value / 2 + 0.03:.2g}")
        yield "in percents", round(value / 2 + 0.1, 2)
    elif isinstance(value, str):
        yield "text", value + "x"
    elif value is None:
        yield "a number", 1
        yield "a text", "x"
    elif isinstance(value, list) and value:
        yield "one twice", [*value, value[-1]]


def forged(manifest: dict[str, Any], place: tuple[Any, ...], *new: Any) -> dict[str, Any]:
    found = copy.deepcopy(manifest)
    part: Any = found
    for name in place[:-1]:
        part = part[name]
    if new:
        part[place[-1]] = new[0]
    else:
        del part[place[-1]]
    return found


def not_caught(kind: str, place: Path) -> tuple[dict[str, str], int]:
    """The changes that leave the promise kept or open, each with the figures that are the publisher's."""
    made(kind, place)
    original = next(path for path in place.iterdir() if path.name.startswith("original"))
    forgery = Forgery(place / "out", original)
    forgery.in_order = False
    composed(forgery)
    forgery.seal()
    good, found, tried = forgery.m, dict[str, str](), 0
    assert [check for check in verify(place / "out", original) if check.ok is False] == []
    for where, value in places(good):
        new = [("left out", ()), *((name, (other,)) for name, other in changes(value) if other != value)]
        for name, other in new if where[0] not in ("format", "files") else ():
            forgery.m = forged(good, where, *other)
            forgery.seal()
            checks = {check.name: check for check in verify(place / "out", original)}
            tried += 1
            if all(check.ok is not False for check in checks.values()):
                said = checks["figures of the publisher"].detail if where[0] in ("risks", "utility") else ""
                path = ".".join("#" if isinstance(one, int) else one for one in where)
                found[f"{path} {name}"] = said
    return found, tried


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_checked_or_stated_by_the_publisher(kind: str, tmp_path: Path, tally: Tally) -> None:
    found, tried = not_caught(kind, tmp_path)
    tally("planted faults", f"fields, {kind}", tried=tried)
    left, used = [], set()
    for change, figures in found.items():
        place, _, how = change.partition(" ")
        stated = how != "left out" or place.count(".") > 1
        if stated and place.split(".")[1:2] and place.split(".")[1] in figures.partition(": ")[2].split(", "):
            continue
        reasons = {pattern for pattern in STATED if fnmatch(change, pattern)}
        used |= reasons
        left += [] if reasons else [change]
    assert left == []
    assert used == {pattern for pattern, (kinds, _) in STATED.items() if kind in kinds}


def test_earlier_releases_are_listed_by_their_size(tmp_path: Path) -> None:
    made("generalized_table", tmp_path)
    forgery = Forgery(tmp_path / "out", tmp_path / "original.csv")
    found = []
    for sizes in ((60, 20), (20, 60)):
        earlier = [{"kind": "bucketized", "records": size, "measured": True} for size in sizes]
        composed(forgery, earlier=earlier)
        forgery.seal()
        found.append([check.detail for check in verify(tmp_path / "out") if check.ok is False])
    assert found[0] == []
    assert len(found[1]) == 1 and "earlier releases are not listed by their size" in found[1][0]


def test_a_missing_value_is_the_first_below_a_node(tmp_path: Path) -> None:
    """In the order in which the tool writes it: a release of columns with missing values is not refused."""
    made("bucketized", tmp_path)
    forgery = Forgery(tmp_path / "out", tmp_path / "original.csv")
    nodes = next(iter(forgery.m["reader"]["nodes"].values()))
    label = next(iter(nodes))
    below = sorted(nodes[label])
    for listed, in_order in (([None, *below], True), ([*below, None], False)):
        nodes[label] = listed
        forgery.seal()
        checks = {check.name: check.ok for check in verify(tmp_path / "out")}
        assert checks["manifest fields"] is in_order
