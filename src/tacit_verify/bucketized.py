"""A bucketized release: every row could have ℓ sensitive values, also for a reader who knows the rules.

A group holds rows and, apart from them, values; an assignment hands the values to the rows one to one
so that no row gets what a stated rule says it cannot have. A value is valid for a row when some
assignment gives it to that row.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from tacit_verify.assignments import Kinds, bits, diversity, kinds_of, likeliest, valid_values
from tacit_verify.coarser_buckets import Exact, check_nodes
from tacit_verify.distances import guess_problems
from tacit_verify.nodes import Barred, Pairs
from tacit_verify.nodes import known_columns as _shown
from tacit_verify.reading import Cell, Row, agrees, apart, check_order, header, rows
from tacit_verify.release import Check, Release, judged, required
from tacit_verify.series import check_signatures
from tacit_verify.terms import tens, two_digits
from tacit_verify.twins import check_values, looks

LEFT_OUT = "max_posterior_suppressed"
FEW = 100  # of fewer people nothing is said that follows from the original alone
Listed = tuple[Row, Cell]  # a value as a table lists it: with a count, or as that of one row


class Group(NamedTuple):
    """One bucket: its rows, how often it holds each value, and how its values sort."""

    rows: list[Row]
    values: dict[Row, int]
    texts: list[Any]


def checks(release: Release, original: Path | None) -> Iterator[Check]:
    """The promise as stated, the tables and their groups, ℓ and the posterior; and the original."""
    promise, parameters, reader = release.promise, release.parameters, release.manifest["reader"]
    rules, l, shown, sensitive = reader["rules"], promise["l"], _shown(release), (*parameters["sensitive"],)
    suppressed, names = parameters["suppressed"], (*shown, *sensitive, "group", "count")
    problems = {
        "ℓ is not at least 2": l < 2,
        "the promise and the parameters differ in ℓ": l != parameters["l"],
        "the promise and the parameters differ in k": promise.get("k") != parameters.get("k"),
        "k is not at least 2": promise.get("k", 2) < 2,
        "rows are left out of coarser ones": suppressed > 0 and "k" in promise,
        "rows are left out, and nothing is promised of them": (suppressed > 0) != (LEFT_OUT in promise),
        "a bound is not below 1": Fraction(promise.get("max_posterior", "1/2")) >= 1,
        "a column has two roles": len(set(names)) != len(names),
        "there is no sensitive column": not sensitive,
        "a reason is given for a column that is not there": not {*parameters.get("accepted", ())} <= {*shown},
        "a series is of one sensitive column, in two tables, of everybody, with ℓ alone": "series"
        in parameters
        and (len(sensitive) > 1 or parameters["form"] != "qit" or suppressed > 0 or len(promise) > 1),
    }
    bound = f", none with a chance above {promise['max_posterior']}" if "max_posterior" in promise else ""
    yield judged("promise", problems, f"every row could have {l} values of {', '.join(sensitive)}{bound}")
    tables = {"qit.csv": (*shown, "group"), "st.csv": ("group", *sensitive, "count")}
    if parameters["form"] == "permuted":
        tables = {"table.csv": (*shown, "group", *sensitive)}
    members, listed = defaultdict[int, list[Row]](list), defaultdict[int, list[Listed]](list)
    for name, columns in tables.items():
        read = header(release.path(name))
        yield from required(Check(f"columns of {name}", read == columns, ", ".join(map(str, read))))
        unsorted = _collected(release.path(name), columns, members, listed)
        yield Check(f"order of {name}", not unsorted, unsorted or "sorted")
    groups = [Group(members[one], *_held((*listed[one],))) for one in sorted({*members, *listed})]
    uneven = _group_problems([*members], groups, "series" in parameters)
    yield from required(judged("groups", uneven, f"{len(groups)}, each with rows and values"))
    different, seen = Counter(chain.from_iterable(group.rows for group in groups)), Counter[Row]()
    for row, count in different.items():
        seen[row[: len(shown)]] += count
    # Groups are numbered by what they hold: their rows, which are sorted already, and then their values.
    plain = all(map(all, different))
    keys = ((group.rows if plain else [*map(_text, group.rows)], group.texts) for group in groups)
    yield check_order("numbers of groups", keys)
    yield check_values(sensitive, (value for group in groups for value in group.values))
    strange = _figure_problems(release, groups, seen)
    yield judged("figures", strange, f"as the {len(groups)} groups have them")
    yield from required(judged("stated rules", _rule_problems(release, groups, seen), f"{len(rules)}"))
    if "k" in promise:
        yield from check_nodes(release, seen)
        yield from _check_promise(release, groups, lambda row: frozenset())
        yield from _check_exact(release, groups, original)
    else:
        barred = _barred(release)
        check_promise = check_signatures if "series" in parameters else _check_promise
        yield from check_promise(release, groups, barred)
        if original is not None:
            yield from _check_original(release, groups, barred, Counter(_rows_of(release, original)))
    if suppressed and original is None:
        yield Check("rows left out", None, f"{suppressed} rows; the original shows what they hold")
    if rules or {"k", "mined"} <= promise.keys() | reader.keys():
        shows = "shows in the original only" if original is None else "is not checked: it needs hierarchies"
        yield Check("silence", None, f"that no rule is missing, and what its absence tells, {shows}")


def _collected(path: Path, columns: Sequence[str], members: Any, listed: Any) -> str:
    """Put the rows and values of a table into their groups; says if one is not in order."""
    place, of_values, above, unsorted = columns.index("group"), "count" in columns, ((), 0, ()), ""

    def parts(row: Row) -> Any:  # rows of a permuted table keep the values beside them
        before, behind = row[:place], row[place:]
        value = behind and (behind[: len(behind) - of_values], (behind[-1] or "") if of_values else None)
        return () if of_values else row, value, _text(before), _text(behind)

    for number, (row, value, before, behind) in apart(path, columns, place, parts):
        if row:
            members[number].append(row)
        if value:
            listed[number].append(value)
        here = (before, number, behind)
        if here < above:
            unsorted = f"a row of group {number} sorts before the one above it"
        above = here
    return unsorted


@cache
def _held(listed: tuple[Listed, ...]) -> tuple[dict[Row, int], list[Any]]:
    """How often a group holds each value, and how its values sort; to list one twice is as bad as none."""
    values: dict[Row, int] = {}
    for value, text in listed:
        n = 1 if text is None else int(text)
        if text not in (None, str(n)):
            raise ValueError(f"{text!a} is not a plain whole number")
        values[value] = n if value not in values else values[value] + 1 if text is None else 0
    return values, sorted((_text(value), -n) for value, n in values.items())


def _text(row: Row) -> tuple[Any, ...]:
    """How a row sorts: a missing value before the empty text, that before any other."""
    return row if all(row) else tuple([cell or ("" if cell is None else "\0") for cell in row])


def _group_problems(numbers: list[int], groups: Sequence[Group], series: bool) -> Iterator[str]:
    if sorted(numbers) != list(range(1, len(groups) + 1)):
        yield "groups are not numbered from 1 without gaps"
    for number, group in enumerate(groups, 1):
        if min(group.values.values(), default=0) < 1:
            yield f"group {number} has no value, or one that is listed twice or with a count below 1"
        if not group.rows or (len(group.rows) != sum(group.values.values()) and not series):
            yield f"group {number} has {len(group.rows)} rows and {sum(group.values.values())} values"


def _figure_problems(release: Release, groups: Sequence[Group], seen: Counter[Row]) -> Iterator[str]:
    """Figures that everybody can count, and others that are rounded."""
    parameters, risks, n_rows = release.parameters, release.manifest["risks"], seen.total()
    if (parameters["rows"], parameters["buckets"]) != (n_rows, len(groups)):
        yield f"there are {n_rows} rows in {len(groups)} groups"
    unique = sum(1 for count in seen.values() if count == 1) / n_rows
    counted = {"rows": n_rows, "buckets": len(groups), "l": release.promise["l"], "unique": unique}
    if _recountable(release):
        counted["rules"] = len(release.manifest["reader"]["rules"])
    for name, number in counted.items() if "judged_buckets" not in risks else ():
        if risks[name] is not None and not agrees(risks[name], number):
            yield f"the risks state {name} as {risks[name]}, counted {number:g}"
    if "judged_buckets" not in risks and "series" not in parameters:
        yield from guess_problems(risks, (group.values for group in groups))
    posterior, steps = risks["posterior"] or {}, risks.get("posteriors", [])
    bars, rough, people = [one["rows"] for one in steps], ["vulnerable_longer"], risks["rows"]
    widths = risks.get("valid_values", ())
    if not _recountable(release):
        bars += [one["rows"] for one in widths]
        rough += ["vulnerable", "rules", "posterior"]
        exact = [n for n in (*posterior.values(), risks["rules"] or 0) if not two_digits(n)]
        if exact or posterior.get("sampled_buckets", 0) > len(groups) + 10:
            yield "the posterior or the number of rules is not rounded"
    elif posterior:
        last = max(at for at, n in enumerate(bars) if n or not at)
        if last != min(19, int(posterior["largest"] * 20 + 1e-9)) or sum(bars) != people:
            yield "posteriors are not of all rows, or the largest is another"
    untold = rough if people < FEW else ["rules"] * ("k" in release.promise)
    for name in ("vulnerable_longer", "vulnerable", "rules", "posterior"):
        if (risks[name] is None) != (name in untold):
            yield f"{name} is not stated, or may not be"
    if any((one["values"], one["or_more"]) != (at, at == 12) for at, one in enumerate(widths, 1)):
        yield "valid values are not counted from one to twelve"
    counts = [risks[name] for name in rough[:2]] + (bars if rough[1:] else [])
    if not all(n in (None, people) or (tens(n) and n < people) for n in counts):
        yield "a figure that follows from the original alone is not rounded"
    edges = [(at / 20, (at + 1) / 20) for at in range(20)]
    if steps and [(one["low"], one["high"]) for one in steps] != edges:
        yield "posteriors are not counted in steps of one in twenty"
    if (release.manifest["utility"]["count_queries"] is None) != (release.parameters["rows"] < 1_000):
        yield "errors of counting queries are not stated, or stated of few rows"


def _recountable(release: Release) -> bool:
    """Whether valid values and posteriors follow from the files and the stated rules."""
    return release.manifest["method"] == "injector" and "k" not in release.promise


def _spread_problems(release: Release, valid: Counter[int]) -> Iterator[str]:
    """How many rows have how many valid values, 12 or more counted together."""
    risks, counted = release.manifest["risks"], Counter[int]()
    for values, count in valid.items():
        counted[min(12, values)] += count
    bars = [{"values": n, "or_more": n == 12, "rows": counted[n]} for n in range(1, max(counted) + 1)]
    if risks["valid_values"] != bars:
        yield "valid values are stated otherwise than counted"
    few = sum(count for values, count in valid.items() if values < release.promise["l"])
    if risks["vulnerable"] != few:
        yield f"{few} rows have fewer values than promised, stated {risks['vulnerable']}"


def _rule_problems(release: Release, groups: Sequence[Group], seen: Counter[Row]) -> Iterator[str]:
    """A stated rule is about published columns and values, and each node is of values that occur."""
    reader, shown, sensitive = release.manifest["reader"], _shown(release), release.parameters["sensitive"]
    cells = {name: {row[at] for row in seen} for at, name in enumerate(shown)}
    values = {value for group in groups for value in group.values}
    held = {pair for value in values for pair in zip(sensitive, value, strict=True)}
    used = {(name, label) for rule in reader["rules"] for name, label in rule["when"].items()}
    if "k" in release.promise:  # the values below a node are those of the original
        if reader["nodes"] or any(name not in shown for name, _ in used):
            yield "a rule is about a column that is not there, or the values of its nodes are listed"
    elif used != {(name, label) for name, nodes in reader["nodes"].items() for label in nodes or [""]}:
        yield "a rule is about a node that is not given, or a node is in no rule"
    for name, label in used if "k" not in release.promise else ():
        node = reader["nodes"][name][label]
        if not node or not cells[name].issuperset(node) or len(set(node)) != len(node):
            yield f"the node {label!a} of {name} is empty, or holds what does not occur"
    for name, labels in release.parameters.get("joined", {}).items():
        others = {(name, one) for label, below in labels.items() for one in below if one != label}
        gone = {(name, label) for label in labels if not release.parameters["suppressed"]} - held
        there = labels and all(labels.values()) and not gone
        if name not in sensitive or not there or not held.isdisjoint(others):
            yield f"values of {name!a} are said to be joined, and are published, or not there"
    for rule in reader["rules"]:
        if not rule["when"] or (rule["attribute"], rule["value"]) not in held:
            yield f"a rule about {rule['value']!a} says nothing about what is published"


def _barred(release: Release) -> Barred:
    """What the rules that the reader is stated to know forbid to a row.

    Rules are bits: each column of a row leaves some, by its value, and those that all columns leave apply.
    """
    reader, names, pairs = release.manifest["reader"], _shown(release), list[tuple[int, str]]()
    asking, asked = [0] * len(names), [dict[Cell, int]() for _ in names]
    for bit, rule in enumerate(reader["rules"]):
        pairs.append((release.parameters["sensitive"].index(rule["attribute"]), looks(rule["value"])))
        for name, label in rule["when"].items():
            place = names.index(name)
            asking[place] |= 1 << bit
            for cell in set(reader["nodes"][name][label]):
                asked[place][cell] = asked[place].get(cell, 0) | 1 << bit
    used = [(place, asked[place], ~rules) for place, rules in enumerate(asking) if rules]
    every, known = (1 << len(pairs)) - 1, dict[int, Pairs]()

    @cache
    def barred(row: Row) -> Pairs:
        apply = every
        for place, asked, silent in used:
            apply &= asked.get(row[place], 0) | silent
        if apply not in known:
            known[apply] = frozenset(pairs[bit] for bit in bits(apply))
        return known[apply]

    return barred


def _check_promise(release: Release, groups: Sequence[Group], barred: Barred) -> Iterator[Check]:
    """Every row of every group, or of a sample, has ℓ valid values and none is too likely."""
    chosen = _sample(release, len(groups))
    shapes: dict[Kinds, list[int]] = {}  # each with the groups that have it
    seen: dict[Any, list[int]] = {}
    for number in chosen:
        group = groups[number - 1]
        what = (tuple(map(barred, group.rows)), tuple(group.values.items()))
        if what not in seen:
            seen[what] = shapes.setdefault(kinds_of(*what), [])
        seen[what].append(number)
    valid = {kinds: valid_values(kinds) or [0] for kinds in shapes}  # no assignment: no value is valid
    spread = Counter[int]()
    for kinds, numbers in shapes.items():
        for mask, (_, count) in zip(valid[kinds], kinds.rows, strict=False):
            spread[diversity(kinds, [mask])] += count * len(numbers)
    fewest = min(spread)
    worst = next(numbers[0] for kinds, numbers in shapes.items() if diversity(kinds, valid[kinds]) == fewest)
    ok, whole = fewest >= release.promise["l"], len(chosen) == len(groups)
    extent = "every group" if whole else f"{len(chosen)} of {len(groups)} groups"
    n_rows = sum(len(groups[number - 1].rows) for number in chosen)
    detail = f"{extent}, {n_rows} rows: at least {fewest} valid values"
    sampled = True if whole else None  # what was looked at in part is not shown
    if whole and ok and _recountable(release) and "judged_buckets" not in release.manifest["risks"]:
        yield judged("valid values", _spread_problems(release, spread), "as stated")
    yield Check("ℓ", ok and sampled, detail if ok else f"{detail} (group {worst})")
    bound = release.promise.get("max_posterior")
    if ok and bound is not None:
        shares = {numbers[0]: likeliest(kinds, valid[kinds]) for kinds, numbers in shapes.items()}
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
    draws = (blake2b(number.to_bytes(8, "little"), key=seed, digest_size=8).digest() for number in numbers)
    return [at for at, draw in enumerate(draws, start=1) if int.from_bytes(draw, "little") % one_in == 0]


def _check_exact(release: Release, groups: list[Group], original: Path | None) -> Iterator[Check]:
    """Of coarser rows: the promise for a reader who knows the exact ones, which the private record gives."""
    if original is None:
        if "mined" in release.manifest["reader"] or release.manifest["reader"]["rules"]:
            yield Check("ℓ with rules", None, "what rules exclude shows in the original only")
        return
    width, before = len(_shown(release)), _rows_of(release, original)
    exact = Exact(release, before)
    published = Counter((row[:width], number) for number, group in enumerate(groups, 1) for row in group.rows)
    yield from exact.checks(published)
    if not exact.groups:
        return
    whole = [group._replace(rows=exact.groups[number]) for number, group in enumerate(groups, 1)]
    for check in _check_promise(release, whole, exact.barred):
        yield Check(f"{check.name} with rules", check.ok, check.detail)
    yield from _check_original(release, whole, exact.barred, Counter(before))


def _check_original(
    release: Release, groups: list[Group], barred: Barred, people: Counter[Row]
) -> Iterator[Check]:
    """The release holds the original's rows and values, and the stated rules are true of them."""
    parameters, width = release.parameters, len(_shown(release))
    suppressed, other = parameters["suppressed"], parameters.get("other_rows", 0)  # of people there already
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
        more = published.total() - ours[0].total()  # counterfeits: they may stand for values left out
        as_stated = added <= more and gone - added == suppressed + other - more
        yield Check(f"{name} of the original", as_stated, detail)
    if suppressed and other:
        yield Check("rows left out", None, "they are not told apart from other rows of people")
    elif suppressed:
        share = _share_left_out(people, theirs[1] - ours[1], {barred(row) for row in ours[0]}, barred, width)
        bound = release.promise[LEFT_OUT]
        yield Check("rows left out", share <= Fraction(bound), f"no value above {share}, promised {bound}")
    held = ((barred(row), enumerate(map(looks, row[width:])), count) for row, count in people.items())
    broken = sum(count for cannot, has, count in held if not cannot.isdisjoint(has))
    detail = f"{broken} rows contradict a stated rule; {other} may: other rows of people there already"
    yield Check("rules and the original", broken <= other, detail)
    homeless, out = (people - homes).total(), suppressed + other
    detail = f"{homeless} rows have no group with their columns and value; {out} need none: they are left out"
    yield Check("groups and the original", homeless <= out, detail)


def _rows_of(release: Release, original: Path) -> list[Row]:
    """The rows of the original as they are published: missing values, and values joined under a label."""
    parameters, missing = release.parameters, set(release.parameters["null_values"])
    joined, shown, found = parameters.get("joined", {}), _shown(release), list[Row]()
    stated = [joined.get(name, {}) for name in parameters["sensitive"]]
    labels = [{value: label for label, values in one.items() for value in values} for one in stated]
    for cells in rows(original, (*shown, *parameters["sensitive"])):
        row = [None if cell in missing else cell for cell in cells]
        if None not in row or parameters["nulls"] != "suppress":
            held = (label.get(cell, cell) for label, cell in zip(labels, row[len(shown) :], strict=True))
            found.append((*row[: len(shown)], *held))
    return found


def _share_left_out(
    people: Counter[Row], left_out: Counter[Row], published: set[Pairs], barred: Barred, width: int
) -> Fraction:
    """The largest share of a value among all rows left out, and among those that cannot have the same values.

    The files tell who is left out and which values are, not who of them has which: a set of rows that
    cannot have the same values is looked at where all of its rows are left out.
    """
    parts: dict[object, Counter[Row]] = {None: left_out}
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
