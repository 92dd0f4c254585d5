"""A bucketized release: every row could have ℓ sensitive values, also for a reader who knows the rules.

A group holds rows and, apart from them, values; an assignment hands the values to the rows one to one
so that no row gets what a stated rule says it cannot have. A value is valid for a row when some
assignment gives it to that row.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from tacit_verify.assignments import Kinds, bits, likeliest, valid_values
from tacit_verify.reading import Cell, Row, agrees, check_order, header, rows
from tacit_verify.release import Check, Release, judged
from tacit_verify.twins import looks

LEFT_OUT = "max_posterior_suppressed"

# The pairs (place of the sensitive attribute, what the value looks like) that a row cannot have.
Barred = Callable[[Row], frozenset[tuple[int, str]]]


class Group(NamedTuple):
    """One bucket: its rows, and how often it holds each value."""

    rows: list[Row]
    values: Counter[Row]


def checks(release: Release, original: Path | None) -> Iterator[Check]:
    """The promise as stated, the tables and their groups, ℓ and the posterior; and the original."""
    promise, parameters = release.promise, release.parameters
    l, shown, sensitive = (
        promise["l"],
        (*parameters["quasi"], *parameters["keep"]),
        tuple(parameters["sensitive"]),
    )
    names = (*shown, *sensitive, group_name := parameters["group"], "count")
    problems = {
        "ℓ is not at least 2": l < 2,
        "the promise and the parameters differ in ℓ": l != parameters["l"],
        "rows are left out, and nothing is promised of them": bool(parameters["suppressed"])
        != (LEFT_OUT in promise),
        "a column has two roles, or there is no sensitive one": len(set(names)) != len(names)
        or not sensitive,
        "a reason is given for a column that is not published": not {*parameters.get("accepted", ())}
        <= {*shown},
    }
    bound = f", none with a chance above {promise['max_posterior']}" if "max_posterior" in promise else ""
    yield judged(
        "promise", problems, f"every row could have {l} different values of {', '.join(sensitive)}{bound}"
    )
    tables = {"qit.csv": (*shown, group_name), "st.csv": (group_name, *sensitive, "count")}
    if parameters["form"] == "permuted":
        tables = {"table.csv": (*shown, group_name, *sensitive)}
    found: dict[int, Group] = {}
    for name, columns in tables.items():
        read = header(release.path(name))
        yield Check(f"columns of {name}", read == columns, ", ".join(map(str, read)))
        if read != columns:
            return
        lines = _lines(release.path(name), columns, columns.index(group_name))
        keys = ((_text_key(before), number, _text_key(behind)) for before, number, behind in lines)
        yield check_order(f"order of {name}", keys)
        _collect(name, lines, found)
    sound = judged("groups", _group_problems(found), f"{len(found)}, each with its rows and values")
    yield sound
    if not sound.ok:
        return
    groups = [found[number] for number in sorted(found)]
    # Groups are numbered by what they hold: their rows, and then their values.
    parts = ((map(_text_key, group.rows), map(_text_key, group.values.elements())) for group in groups)
    yield check_order("numbers of groups", ((sorted(rows), sorted(held)) for rows, held in parts))
    yield judged(
        "figures", _figure_problems(release, groups, len(shown)), f"as the {len(groups)} groups have them"
    )
    stated = judged(
        "stated rules", _rule_problems(release, groups), f"{len(release.manifest['reader']['rules'])}"
    )
    yield stated
    if not stated.ok:
        return
    barred = _barred(release)
    yield from _check_promise(release, groups, barred)
    if original is not None:
        yield from _check_original(release, groups, barred, original)
    elif parameters["suppressed"]:
        yield Check(
            "rows left out",
            None,
            f"{parameters['suppressed']} rows; the original shows what they hold",
        )
    if "other_rows" in parameters:
        yield Check("people", None, "that no two rows are one person's is known to the publisher only")
    if release.manifest["reader"]["rules"]:
        shows = "shows in the original only" if original is None else "is not checked: it needs hierarchies"
        yield Check("silence", None, f"that no rule is missing, and what its absence tells, {shows}")


def _figure_problems(release: Release, groups: Sequence[Group], width: int) -> Iterator[str]:
    """Figures that everybody can count."""
    rows, parameters, risks = Counter[Row](), release.parameters, release.manifest["risks"]
    for group in groups:
        rows.update(row[:width] for row in group.rows)
    if (parameters["rows"], parameters["buckets"]) != (rows.total(), len(groups)):
        yield f"there are {rows.total()} rows in {len(groups)} groups"
    unique = sum(1 for count in rows.values() if count == 1) / rows.total()
    counted = {"rows": rows.total(), "buckets": len(groups), "l": release.promise["l"], "unique": unique}
    counted |= (
        {"rules": len(release.manifest["reader"]["rules"])}
        if release.manifest["method"] == "injector"
        else {}
    )
    for name in counted.keys() & risks.keys() if "judged_buckets" not in risks else ():
        if not agrees(risks[name], counted[name]):
            yield f"the risks state {name} as {risks[name]}, counted {counted[name]:g}"


def _rule_problems(release: Release, groups: Sequence[Group]) -> Iterator[str]:
    """A stated rule is about published columns and values, and each node is of values that occur."""
    parameters, reader = release.parameters, release.manifest["reader"]
    shown = (*parameters["quasi"], *parameters["keep"])
    cells = {name: {row[at] for group in groups for row in group.rows} for at, name in enumerate(shown)}
    held = {
        name: {value[at] for group in groups for value in group.values}
        for at, name in enumerate(parameters["sensitive"])
    }
    used = {(name, label) for rule in reader["rules"] for name, label in rule["when"].items()}
    if used != {(name, label) for name, nodes in reader["nodes"].items() for label in nodes}:
        yield "a rule is about a node that is not given, or a node is in no rule"
    for name, label in used:
        node = reader["nodes"][name][label]
        if not node or not cells[name].issuperset(node) or len(set(node)) != len(node):
            yield f"the node {label!a} of {name} is empty, or holds what does not occur"
    for rule in reader["rules"]:
        if not rule["when"] or rule["value"] not in held[rule["attribute"]]:
            yield f"a rule about {rule['value']!a} says nothing about what is published"


def _lines(path: Path, columns: Sequence[str], place: int) -> list[tuple[Row, int, Row]]:
    """The rows of a table: what stands before the group's number, the number, what stands behind."""
    same: dict[Row, Row] = {}  # equal parts are kept once
    lines = []
    for row in rows(path, columns, published=True):
        before, behind = row[:place], row[place + 1 :]
        lines.append((same.setdefault(before, before), _count(row[place]), same.setdefault(behind, behind)))
    return lines


def _count(cell: Cell) -> int:
    """A whole number, written in the one way."""
    if cell is None or str(int(cell)) != cell:
        raise ValueError(f"{cell!a} is not a plain whole number")
    return int(cell)


def _collect(name: str, lines: list[tuple[Row, int, Row]], groups: dict[int, Group]) -> None:
    """Put the rows of a table into their groups."""
    for before, number, behind in lines:
        group = groups.setdefault(number, Group([], Counter()))
        if name == "st.csv":
            value = behind[:-1]  # to list it twice is as bad as a count of 0
            group.values[value] = 0 if value in group.values else _count(behind[-1])
        else:
            group.rows.append(before + behind)  # rows of a permuted table keep the values beside them
            if name == "table.csv":
                group.values[behind] += 1


def _group_problems(groups: dict[int, Group]) -> Iterator[str]:
    if sorted(groups) != list(range(1, len(groups) + 1)):
        yield "groups are not numbered from 1 without gaps"
    for number, group in groups.items():
        if min(group.values.values(), default=0) < 1:
            yield f"group {number} has no value, or one that is listed twice or with a count below 1"
        if len(group.rows) != group.values.total():
            yield f"group {number} has {len(group.rows)} rows and {group.values.total()} values"


def _check_promise(release: Release, groups: Sequence[Group], barred: Barred) -> Iterator[Check]:
    """Every row of every group, or of a sample, has ℓ valid values and none is too likely."""
    chosen = _sample(release, len(groups))
    shapes: dict[Kinds, int] = {}  # each with a group that has it
    for number in chosen:
        shapes.setdefault(_kinds(groups[number - 1], barred), number)
    valid = {kinds: valid_values(kinds) or [0] for kinds in shapes}  # no assignment: no value is valid
    fewest, worst = min((_diversity(kinds, valid[kinds]), number) for kinds, number in shapes.items())
    ok = fewest >= release.promise["l"]
    checked = sum(len(groups[number - 1].rows) for number in chosen)
    extent = "every group" if len(chosen) == len(groups) else f"{len(chosen)} of {len(groups)} groups"
    detail = f"{extent}, {checked} rows: at least {fewest} valid values"
    sampled = None if len(chosen) < len(groups) else True  # what was looked at in part is not shown
    yield Check("ℓ", ok and sampled, detail if ok else f"{detail} (group {worst})")
    bound = release.promise.get("max_posterior")
    if ok and bound is not None:
        shares = {number: likeliest(kinds, valid[kinds]) for kinds, number in shapes.items()}
        uncounted = [number for number, share in shares.items() if share is None]
        most = max((share for share in shares.values() if share is not None), default=Fraction(0))
        detail = f"at most {most}, promised {bound}"
        if uncounted:
            detail += f"; group {uncounted[0]} has too many assignments to count"
        yield Check("posterior", most <= Fraction(bound) and (None if uncounted else sampled), detail)


def _sample(release: Release, n_groups: int) -> Sequence[int]:
    """The numbers of the groups to check: all, or those a stated number draws."""
    verification, numbers = release.manifest["verification"], range(1, n_groups + 1)
    if verification == {"extent": "full"}:
        return numbers
    seed, one_in = bytes.fromhex(verification["seed"]), verification["one_in"]
    if not 0 < one_in <= -(-release.parameters["rows"] // 1_000_000):
        raise ValueError("the manifest does not say how much is to be checked, or too little")

    def draw(number: int) -> int:
        digest = blake2b(number.to_bytes(8, "little"), key=seed, digest_size=8).digest()
        return int.from_bytes(digest, "little")

    return [number for number in numbers if draw(number) % one_in == 0]


def _barred(release: Release) -> Barred:
    """What the rules that the reader is stated to know forbid to a row.

    Rules are bits: each column of a row leaves some, by its value, and those that all columns leave apply.
    """
    terms, names = (
        release.manifest["reader"],
        [*release.parameters["quasi"], *release.parameters["keep"]],
    )
    pairs, columns = [], [(dict[Cell, int](), [0]) for _ in names]
    for bit, rule in enumerate(terms["rules"]):
        pairs.append((release.parameters["sensitive"].index(rule["attribute"]), looks(rule["value"])))
        for name, label in rule["when"].items():
            asked, asking = columns[names.index(name)]
            asking[0] |= 1 << bit
            for cell in set(terms["nodes"][name][label]):
                asked[cell] = asked.get(cell, 0) | 1 << bit
    used = [(place, asked, ~asking[0]) for place, (asked, asking) in enumerate(columns) if asking[0]]
    every, known = (1 << len(pairs)) - 1, dict[int, frozenset[tuple[int, str]]]()

    def barred(row: Row) -> frozenset[tuple[int, str]]:
        apply = every
        for place, asked, silent in used:
            apply &= asked.get(row[place], 0) | silent
        if apply not in known:
            known[apply] = frozenset(pairs[bit] for bit in bits(apply))
        return known[apply]

    return barred


def _kinds(group: Group, barred: Barred) -> Kinds:
    """The group in a form that groups of the same shape share: kinds of rows, counts, parts of values.

    Values are numbered; what is left of them is which of their parts look alike.
    """
    pairs = [tuple(enumerate(map(looks, value))) for value in group.values]
    kinds: Counter[int] = Counter()
    for forbidden, count in Counter(map(barred, group.rows)).items():
        kinds[sum(1 << at for at, pair in enumerate(pairs) if forbidden.isdisjoint(pair))] += count
    parts = []
    for column in zip(*pairs, strict=True):
        number = {pair: at for at, pair in enumerate(column)}
        parts.append(tuple([number[pair] for pair in column]))
    return Kinds(tuple(sorted(kinds.items())), tuple(group.values.values()), tuple(parts))


def _diversity(kinds: Kinds, valid: Sequence[int]) -> int:
    """The fewest values that do not look alike, of any sensitive attribute, that a row could have."""
    fewest = []
    for part in kinds.parts:
        alike: dict[int, int] = {}
        for value, number in enumerate(part):
            alike[number] = alike.get(number, 0) | 1 << value
        fewest.append(min(sum(map(bool, map(mask.__and__, alike.values()))) for mask in valid))
    return min(fewest)


def _check_original(release: Release, groups: list[Group], barred: Barred, original: Path) -> Iterator[Check]:
    """The release holds the original's rows and values, and the stated rules are true of them."""
    parameters = release.parameters
    shown, suppressed = (*parameters["quasi"], *parameters["keep"]), parameters["suppressed"]
    other = parameters.get("other_rows", 0)  # of people of whom another row is published
    width, missing = len(shown), set(parameters["null_values"])
    people: Counter[Row] = Counter()
    labels: list[dict[Cell, Cell]] = []  # of each sensitive attribute, what a value was joined under
    for name in parameters["sensitive"]:
        stated = parameters.get("joined", {}).get(name, {})
        labels.append({value: label for label, values in stated.items() for value in values})
    for cells in rows(original, (*shown, *parameters["sensitive"])):
        row = cells if missing.isdisjoint(cells) else tuple(None if one in missing else one for one in cells)
        if None not in row or parameters["nulls"] != "suppress":
            held = [label.get(one, one) for label, one in zip(labels, row[width:], strict=True)]
            people[(*row[:width], *held)] += 1
    ours, theirs = (Counter[Row](), Counter[Row]()), (Counter[Row](), Counter[Row]())  # rows and values
    homes: Counter[Row] = Counter()  # how many people could be in a group, by row and value
    for group in groups:
        here = Counter(row[:width] for row in group.rows)
        ours[0].update(here)
        ours[1].update(group.values)
        for row, count in here.items():
            for value, times in group.values.items():
                homes[row + value] += min(count, times)
    for row, count in people.items():
        theirs[0][row[:width]] += count
        theirs[1][row[width:]] += count
    for name, published, known in zip(("rows", "values"), ours, theirs, strict=True):
        added, gone = (published - known).total(), (known - published).total()
        detail = f"{added} are not the original's; {gone} of it are not published, {suppressed} suppressed"
        yield Check(f"{name} of the original", added == 0 and gone == suppressed + other, detail)
    if suppressed and other:
        yield Check("rows left out", None, "they are not told apart from other rows of people")
    elif suppressed:
        share, bound = _share_left_out(people, ours, theirs, barred, width), release.promise[LEFT_OUT]
        yield Check("rows left out", share <= Fraction(bound), f"no value above {share}, promised {bound}")
    broken = sum(
        count
        for row, count in people.items()
        if not barred(row).isdisjoint(enumerate(map(looks, row[width:])))
    )
    yield Check("rules and the original", broken <= other, f"{broken} rows contradict a stated rule")
    homeless = sum(max(0, count - homes[row]) for row, count in people.items())
    detail = f"{homeless} rows have no group with their quasi-identifiers and their value"
    yield Check("groups and the original", homeless <= suppressed + other, detail)


def _share_left_out(
    people: Counter[Row],
    ours: tuple[Counter[Row], Counter[Row]],
    theirs: tuple[Counter[Row], Counter[Row]],
    barred: Barred,
    width: int,
) -> Fraction:
    """The largest share of a value among all rows left out, and among those that cannot have the same values.

    The files tell who is left out and which values are, not who of them has which: a set of rows that
    cannot have the same values is looked at where all of its rows are left out.
    """
    parts: dict[object, Counter[Row]] = {None: theirs[1] - ours[1]}
    published = {barred(row) for row in ours[0]}
    for row, count in people.items():
        if (kind := barred(row)) not in published:
            parts.setdefault(kind, Counter())[row[width:]] += count
    largest = Fraction(0)
    for values in parts.values():
        for place in range(len(next(iter(values), ()))):
            held: Counter[str] = Counter()
            for value, count in values.items():
                held[looks(value[place])] += count
            largest = max(largest, Fraction(max(held.values()), held.total()))
    return largest


def _text_key(row: Row) -> tuple[str, ...]:
    """How a row sorts: a missing value before the empty text, that before any other."""
    return tuple([cell or ("" if cell is None else "\0") for cell in row])
