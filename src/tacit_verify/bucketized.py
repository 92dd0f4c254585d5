"""A bucketized release: every row could have ℓ sensitive values, also for a reader who knows the rules.

A group holds rows and, apart from them, values; an assignment hands the values to the rows one to one
so that no row gets what a stated rule says it cannot have. A value is valid for a row when some
assignment gives it to that row. Assignments are found here as a flow from kinds of rows (those
that cannot have the same values) to values, and all others from that one: a further pair is in some
assignment exactly when it closes a cycle in what the flow leaves open.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tacit_verify.assignments import Kinds, largest_share, valid_values
from tacit_verify.reading import cells, header
from tacit_verify.release import Check, Release

Cell = str | None
"""A value as published; None is a missing value, unlike the empty text."""
Row = tuple[Cell, ...]
Line = tuple[Row, int, Row]


@dataclass(frozen=True)
class Layout:
    """Which columns the release publishes."""

    shown: tuple[str, ...]
    sensitive: tuple[str, ...]
    quasi: tuple[str, ...]
    group: str
    permuted: bool

    @property
    def files(self) -> dict[str, tuple[str, ...]]:
        """Every published table with its columns, in order."""
        if self.permuted:
            return {"table.csv": (*self.shown, self.group, *self.sensitive)}
        return {
            "qit.csv": (*self.shown, self.group),
            "st.csv": (self.group, *self.sensitive, "count"),
        }


@dataclass(frozen=True)
class Group:
    """One bucket: its rows, and its values with how often each occurs."""

    rows: tuple[Row, ...]
    values: tuple[tuple[Row, int], ...]


def checks(release: Release, original: Path | None) -> Iterator[Check]:
    """Columns, order, groups, the numbering of groups, ℓ and the posterior; and the original."""
    layout = _layout(release.parameters)
    yield _check_terms(release)
    yield _check_files(release, layout)
    tables: dict[str, list[Line]] = {}
    for name, columns in layout.files.items():
        found = header(release.path(name))
        yield Check(f"columns of {name}", tuple(found) == columns, ", ".join(found))
        if tuple(found) != columns:
            return
        tables[name] = _lines(release.path(name), columns, columns.index(layout.group))
        yield _check_order(name, tables[name])
    groups, problem = _groups(tables, layout)
    yield Check("groups", problem is None, problem or f"{len(groups)} groups, each with its rows and values")
    if problem is not None:
        return
    yield _check_figures(release, groups)
    yield _check_numbering(groups)
    yield from _check_promise(release, layout, groups)
    if original is not None:
        yield from _check_original(release, layout, groups, original)


def _layout(parameters: dict[str, Any]) -> Layout:
    quasi, keep = tuple(parameters["quasi"]), tuple(parameters["keep"])
    return Layout(
        shown=quasi + keep,
        sensitive=tuple(parameters["sensitive"]),
        quasi=quasi,
        group=parameters["group"],
        permuted=parameters["form"] == "permuted",
    )


def _check_terms(release: Release) -> Check:
    """The promise says what the parameters say, and promises something."""
    promise, parameters = release.promise, release.parameters
    problems = []
    if set(promise) - {"l", "max_posterior"}:
        problems.append("the promise has a term that this verifier does not know")
    if type(promise.get("l")) is not int or promise["l"] < 2:
        problems.append("ℓ is not a whole number of at least 2")
    elif promise["l"] != parameters["l"]:
        problems.append(f"the promise says ℓ = {promise['l']}, the parameters {parameters['l']}")
    elif f" {promise['l']} " not in release.manifest["promise"]["sentence"]:
        problems.append("the sentence of the promise does not name its ℓ")
    if parameters["form"] not in ("qit", "permuted"):
        problems.append("the form is unknown")
    return Check("promise", not problems, "; ".join(problems) or f"ℓ = {promise['l']}")


def _check_files(release: Release, layout: Layout) -> Check:
    """The plain tables of this form are there."""
    missing = [name for name in layout.files if name not in release.manifest["files"]]
    return Check(
        "tables", not missing, f"missing: {', '.join(missing)}" if missing else ", ".join(layout.files)
    )


def _lines(path: Path, columns: Sequence[str], place: int) -> list[Line]:
    """The rows of a published table, each as what stands before the group, the group, what stands behind."""
    same: dict[Row, Row] = {}  # equal parts are kept once
    lines = []
    for row in cells(path, columns):
        before, behind = row[:place], row[place + 1 :]
        lines.append((same.setdefault(before, before), int(str(row[place])), same.setdefault(behind, behind)))
    return lines


def _check_order(name: str, lines: Sequence[Line]) -> Check:
    """Rows are sorted by their text, group numbers by size, so that their order says nothing."""
    last: tuple[tuple[str, ...], int, tuple[str, ...]] = ((), 0, ())
    for number, (before, group, behind) in enumerate(lines, start=1):
        key = _text_key(before), group, _text_key(behind)
        if key < last:
            return Check(f"order of {name}", False, f"row {number} sorts before the row above it")
        last = key
    return Check(f"order of {name}", True, f"{len(lines)} rows in the order of their text")


def _groups(tables: dict[str, list[Line]], layout: Layout) -> tuple[list[Group], str | None]:
    """The groups in the order of their numbers, and what is wrong with them if anything is."""
    members: dict[int, list[Row]] = {}
    held: dict[int, Counter[Row]] = {}
    if layout.permuted:
        for before, number, behind in tables["table.csv"]:
            # The rows keep their permuted values: a group's content is what is published of it.
            members.setdefault(number, []).append(before + behind)
            held.setdefault(number, Counter())[behind] += 1
    else:
        for before, number, _ in tables["qit.csv"]:
            members.setdefault(number, []).append(before)
        for _, number, behind in tables["st.csv"]:
            values = held.setdefault(number, Counter())
            count = int(str(behind[-1]))
            if count < 1 or behind[:-1] in values:
                return [], f"group {number} lists a value twice, or a count below 1"
            values[behind[:-1]] = count
    if sorted(members) != list(range(1, len(members) + 1)):
        return [], "groups are not numbered from 1 without gaps"
    if members.keys() != held.keys():
        return [], "the two tables do not name the same groups"
    for number, mine in members.items():
        if len(mine) != held[number].total():
            return [], f"group {number} has {len(mine)} rows and {held[number].total()} values"
    return [
        Group(tuple(members[number]), tuple(sorted(held[number].items(), key=_value_key)))
        for number in range(1, len(members) + 1)
    ], None


def _check_figures(release: Release, groups: Sequence[Group]) -> Check:
    """The manifest counts rows and groups rightly."""
    said = release.parameters
    found = sum(len(group.rows) for group in groups)
    right = said["rows"] == found and said["buckets"] == len(groups)
    return Check("figures", right, f"{found} rows in {len(groups)} groups")


def _check_numbering(groups: Sequence[Group]) -> Check:
    """Groups are numbered by what they hold: their sorted rows, then their sorted values."""
    last: tuple[Any, ...] = ()
    for number, group in enumerate(groups, start=1):
        content = (
            sorted(map(_text_key, group.rows)),
            [_text_key(value) for value, count in group.values for _ in range(count)],
        )
        if content < last:
            return Check("numbers of groups", False, f"group {number} sorts before the group above it")
        last = content
    return Check("numbers of groups", True, "in the order of their content")


def _check_promise(release: Release, layout: Layout, groups: Sequence[Group]) -> Iterator[Check]:
    """Every row of every group, or of a sample, has ℓ valid values and none is too likely."""
    l = release.promise["l"]
    bound = release.promise.get("max_posterior")
    barred = _forbidden(release, layout)
    chosen = _sample(release, len(groups))
    checked = worst = 0
    fewest: int | None = None
    likeliest = Fraction(0)
    for number in chosen:
        kinds = _kinds(groups[number - 1], layout, barred)
        found = _diversity(kinds)
        if found is None:
            yield Check("ℓ", False, f"group {number}: the rules leave no way to hand its values out")
            return
        checked += len(groups[number - 1].rows)
        if fewest is None or found < fewest:
            fewest, worst = found, number
        if bound is not None:
            likeliest = max(likeliest, _posterior(kinds))
    extent = "every group" if len(chosen) == len(groups) else f"{len(chosen)} of {len(groups)} groups"
    ok = fewest is not None and fewest >= l
    detail = f"{extent}, {checked} rows: at least {fewest} valid values" + ("" if ok else f" (group {worst})")
    yield Check("ℓ", ok, detail)
    if bound is not None:
        yield Check("posterior", likeliest <= Fraction(bound), f"at most {likeliest}, promised {bound}")


def _sample(release: Release, n_groups: int) -> Sequence[int]:
    """The numbers of the groups to check: all, or those a stated number draws."""
    verification = release.manifest["verification"]
    if verification == {"extent": "full"}:
        return range(1, n_groups + 1)
    if verification.keys() != {"extent", "one_in", "seed"} or verification["extent"] != "sample":
        raise ValueError("the manifest does not say how much is to be checked")
    seed, one_in = bytes.fromhex(verification["seed"]), int(verification["one_in"])
    if one_in > -(-release.parameters["rows"] // 1_000_000):
        raise ValueError("the sample to be checked is too small")
    numbers = array("q")
    for number in range(1, n_groups + 1):
        draw = blake2b(number.to_bytes(8, "little"), key=seed, digest_size=8).digest()
        if int.from_bytes(draw, "little") % one_in == 0:
            numbers.append(number)
    return numbers


class Forbidden:
    """Which sensitive values the stated rules forbid to a row, by its quasi-identifiers."""

    def __init__(self, rules: Sequence[dict[str, Any]], nodes: dict[str, Any], layout: Layout) -> None:
        self._layout = layout
        self._rules = []
        for rule in rules:
            places = [
                (layout.quasi.index(name), frozenset(nodes[name][label]))
                for name, label in rule["when"].items()
            ]
            self._rules.append((places, layout.sensitive.index(rule["attribute"]), rule["value"]))
        self._used = sorted({place for places, _, _ in self._rules for place, _ in places})
        self._known: dict[Row, frozenset[tuple[int, Cell]]] = {}

    def __call__(self, row: Row) -> frozenset[tuple[int, Cell]]:
        """The pairs (place of the attribute, value) that the row cannot have."""
        key = tuple(row[place] for place in self._used)
        if key not in self._known:
            self._known[key] = frozenset(
                (about, value)
                for places, about, value in self._rules
                if all(row[place] in values for place, values in places)
            )
        return self._known[key]


def _forbidden(release: Release, layout: Layout) -> Forbidden:
    terms = release.manifest["reader"]["terms"]
    return Forbidden(terms["rules"], terms["nodes"], layout)


def _kinds(group: Group, layout: Layout, barred: Forbidden) -> Kinds:
    """The group in a form that groups of the same shape share: kinds of rows, counts, parts of values.

    Values are numbered; what is left of them is which of their parts agree.
    """
    values = [value for value, _ in group.values]
    parts = tuple(
        tuple({cell: number for number, cell in enumerate(dict.fromkeys(column))}[cell] for cell in column)
        for column in zip(*values, strict=True)
    )
    kinds: Counter[tuple[bool, ...]] = Counter()
    for forbidden, count in Counter(map(barred, group.rows)).items():
        kinds[tuple(forbidden.isdisjoint(enumerate(value)) for value in values)] += count
    return Kinds(tuple(sorted(kinds.items())), tuple(count for _, count in group.values), parts)


@cache
def _diversity(kinds: Kinds) -> int | None:
    """The fewest distinct values, of any sensitive attribute, that a row could have; None: no assignment."""
    valid = valid_values(kinds)
    if valid is None:
        return None
    return min(len({part[value] for value in mine}) for mine in valid for part in kinds.parts)


_posterior = cache(largest_share)


def _check_original(
    release: Release, layout: Layout, groups: Sequence[Group], original: Path
) -> Iterator[Check]:
    """The release holds the original's rows and values, and the stated rules are true of them."""
    columns = (*layout.shown, *layout.sensitive)
    width = len(layout.shown)
    people: Counter[Row] = Counter()
    missing_words = set(release.parameters["null_values"])
    for cell_row in cells(original, columns):
        row = tuple(None if cell in missing_words else cell for cell in cell_row)
        if release.parameters["nulls"] == "suppress" and None in row:
            continue
        people[row] += 1
    shown: Counter[Row] = Counter()
    held: Counter[Row] = Counter()
    for row, count in people.items():
        shown[row[:width]] += count
        held[row[width:]] += count
    published = Counter(row[:width] for group in groups for row in group.rows)
    values: Counter[Row] = Counter()
    for group in groups:
        values.update(dict(group.values))
    suppressed = release.parameters["suppressed"]
    for name, ours, theirs in (("rows", published, shown), ("values", values, held)):
        extra = ours - theirs
        missing = (theirs - ours).total()
        ok = not extra and missing == suppressed
        detail = f"{missing} of the original's are not published, {suppressed} were said to be suppressed"
        yield Check(
            f"{name} of the original", ok, f"{extra.total()} are not the original's" if extra else detail
        )
    barred = _forbidden(release, layout)
    broken = sum(
        count for row, count in people.items() if any(pair in barred(row) for pair in enumerate(row[width:]))
    )
    yield Check(
        "rules and the original", not broken, f"{broken} rows of the original contradict a stated rule"
    )
    yield _check_homes(groups, people, suppressed, width)


def _check_homes(groups: Sequence[Group], people: Counter[Row], suppressed: int, width: int) -> Check:
    """Every row of the original has a group with its quasi-identifiers that also holds its value."""
    homes: Counter[Row] = Counter()
    for group in groups:
        rows_here = Counter(row[:width] for row in group.rows)
        for row, count in rows_here.items():
            for value, times in group.values:
                homes[(*row, *value)] += min(count, times)
    homeless = sum(max(0, count - homes[row]) for row, count in people.items())
    return Check(
        "groups and the original", homeless <= suppressed, f"{homeless} rows have no group of their own"
    )


def _text_key(row: Row) -> tuple[str, ...]:
    """How a row sorts: a missing value before the empty text, that before any other."""
    return tuple(cell or ("" if cell is None else "\0") for cell in row)


def _value_key(item: tuple[Row, int]) -> tuple[str, ...]:
    value, _ = item
    return _text_key(value)
