"""A generalized table: every class has k rows, and of its sensitive values what is promised.

A class is the rows with the same published quasi-identifiers. These are nodes of hierarchies, which are
published as far as they occur. Everything about classes can be counted by anybody. What readers with rules
could exclude follows from the exact values, so it is checked with the original and the private record,
which says which row is which and holds the whole hierarchies.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from tacit_verify.distances import MISSING, Tree, distance, edges_of, entropy_diverse, guess_problems
from tacit_verify.nodes import check_trees, known_columns, trees_of
from tacit_verify.reading import Cell, Row, agrees, check_order, header, rows
from tacit_verify.release import Check, Release, judged, required
from tacit_verify.row_originals import check_original
from tacit_verify.twins import check_values, looks

Classes = dict[Row, Counter[Row]]  # what is known of the people of a class, and how often it has each value


def checks(release: Release, original: Path | None) -> Iterator[Check]:
    """The terms, the hierarchies, the table and its classes, what is promised of them; and the original."""
    promise, parameters, reader = release.promise, release.parameters, release.manifest["reader"]
    known, sensitive, k = known_columns(release), parameters["sensitive"], promise["k"]
    yield from required(judged("terms", _term_problems(release), f"at least {k} rows look alike"))
    read = header(release.path("table.csv"))
    yield from required(Check("columns", read == (*known, *sensitive), ", ".join(map(str, read))))
    trees = trees_of(release.path("hierarchies.csv"), published=True)
    classes: Classes = {}
    yield check_order("order of the table", _collected(release, classes))
    yield from check_trees(release, _cells(release, classes))
    yield check_values(sensitive, (value for held in classes.values() for value in held))
    yield judged("figures", _figure_problems(release, classes), "as the table has them")
    smallest = min((held.total() for held in classes.values()), default=0)
    yield Check("k", smallest >= k, f"{len(classes)} classes, the smallest of {smallest} rows")
    for at, name in enumerate(sensitive):
        yield from _check_values(release, classes, trees, at, name)
    if original is not None:
        yield from check_original(release, original)
    elif "mined" in reader or reader["rules"]:
        yield Check("ℓ with rules", None, "what rules exclude shows in the original only")


def _term_problems(release: Release) -> dict[str, bool]:
    promise, parameters = release.promise, release.parameters
    names = (*known_columns(release), *parameters["sensitive"])
    recursive = promise.get("recursive", {"c": "1/1", "l": 2})
    about_values = {"l", "entropy_l", "recursive", "t"} & promise.keys()
    return {
        "k or an ℓ is not at least 2": min(
            promise["k"], promise.get("l", 2), promise.get("entropy_l", 2), recursive["l"]
        ) < 2,
        "c is not above 0": Fraction(recursive["c"]) <= 0,
        "t is not below 1": not 0 < Fraction(promise.get("t", "1/2")) < 1,
        "t has no distance, or a distance no t": ("t" in promise) != ("distance" in promise),
        "an order is not given, or not needed": {*promise.get("order", ())}
        != {*(parameters["sensitive"] if promise.get("distance") == "ordered" else ())},
        "a column has two roles": len(set(names)) != len(names),
        "there is no quasi-identifier": not parameters["quasi"],
        "something is promised of values, and there are none": bool(about_values)
        and not parameters["sensitive"],
        "rows are left out although something is promised of values": bool(about_values)
        and parameters["suppressed"] > 0,
        "a rule is about columns that are not there": any(
            not rule["when"] or rule["when"].keys() - {*known_columns(release)}
            or rule["attribute"] not in parameters["sensitive"]
            for rule in release.manifest["reader"]["rules"]
        ),
        "rules are known without ℓ": release.manifest["reader"] != {"rules": []} and "l" not in promise,
        "the method is another": release.manifest["method"]
        != f"k-anonymity by {parameters['recoding']} recoding",
    }  # fmt: skip


def _collected(release: Release, classes: Classes) -> Iterator[object]:
    """Put the rows of the table into their classes, and give what each of them sorts by."""
    known, sensitive = known_columns(release), release.parameters["sensitive"]
    for row in rows(release.path("table.csv"), (*known, *sensitive), published=True):
        classes.setdefault(row[: len(known)], Counter())[row[len(known) :]] += 1
        yield [cell or ("" if cell is None else "\0") for cell in row]


def _cells(release: Release, classes: Classes) -> dict[str, set[str]]:
    """The cells of every column that has a hierarchy."""
    quasi, sensitive = release.parameters["quasi"], release.parameters["sensitive"]
    found = {name: {str(cells[at]) for cells in classes} for at, name in enumerate(quasi)}
    if release.promise.get("distance") == "hierarchical":
        found |= {name: {one or MISSING for one in _values(classes, at)} for at, name in enumerate(sensitive)}
    return found


def _values(classes: Classes, at: int) -> list[Cell]:
    """The different values of a sensitive column."""
    return list({value[at]: None for held in classes.values() for value in held})


def _figure_problems(release: Release, classes: Classes) -> Iterator[str]:
    """Figures that everybody can count."""
    risks, utility, parameters = release.manifest["risks"], release.manifest["utility"], release.parameters
    sizes = [held.total() for held in classes.values()]
    n_rows, n_classes = sum(sizes), len(sizes)
    if (parameters["rows"], parameters["classes"]) != (n_rows, n_classes):
        yield f"there are {n_rows} rows in {n_classes} classes"
    counted = {
        "k": release.promise["k"], "rows": n_rows, "classes": n_classes, "smallest": min(sizes, default=0),
        "prosecutor": 1 / max(1, min(sizes, default=1)), "marketer": n_classes / max(1, n_rows),
        "average_class": n_rows / max(1, n_classes),
        "discernibility": sum(size**2 for size in sizes)
        + parameters["suppressed"] * (n_rows + parameters["suppressed"]),
    }  # fmt: skip
    for name, number in counted.items():
        if not all(agrees(part[name], number) for part in (risks, utility) if name in part):
            yield f"{name} is stated as {(utility | risks)[name]}, counted {number:g}"
    by_column = [[_counts(one, at) for one in classes.values()] for at in range(len(parameters["sensitive"]))]
    guesses = ([*guess_problems(risks, held)] for held in by_column)
    yield from min(guesses, key=len, default=["nothing can be guessed"][: bool(risks.get("learning"))])
    if (utility["count_queries"] is None) != (n_rows < 1_000):
        yield "errors of counting queries are not stated, or stated of few rows"
    for rule in release.manifest["reader"]["rules"]:
        if rule["value"] not in _values(classes, parameters["sensitive"].index(rule["attribute"])):
            yield "a rule is about a value that is not published"
    shown = [(name, len({cells[at] for cells in classes})) for at, name in enumerate(parameters["quasi"])]
    if [(one["column"], one["published_values"]) for one in utility["columns"]] != shown:
        yield "the utility is of other columns, or of other numbers of published values"
    if [one["column"] for one in risks["values"]] != parameters["sensitive"]:
        yield "the columns of the risks are not the sensitive ones"
    for stated, classed in zip(risks["values"], by_column, strict=False):
        held = [[*one.values()] for one in classed]
        found = {
            "fewest": min(map(len, held)), "homogeneous": sum(sum(one) for one in held if len(one) == 1),
            "largest_share": max(max(one) / sum(one) for one in held),
        }  # fmt: skip
        for name, number in found.items():
            if not agrees(stated[name], number):
                yield f"{name} of {stated['column']} is stated as {stated[name]}, counted {number:g}"


def _counts(held: Counter[Row], at: int) -> Counter[str]:
    """How often a class has each value of a sensitive column; values that look alike are one."""
    found: Counter[str] = Counter()
    for value, count in held.items():
        found[looks(value[at])] += count
    return found


def _check_values(
    release: Release, classes: Classes, trees: dict[str, Tree], at: int, name: str
) -> Iterator[Check]:
    """What is promised of one sensitive column, class by class."""
    promise, counted = release.promise, [_counts(held, at) for held in classes.values()]
    if "l" in promise:
        fewest = min(map(len, counted))
        yield Check(f"ℓ of {name}", fewest >= promise["l"], f"at least {fewest} values in a class")
    if "entropy_l" in promise:
        bad = sum(not entropy_diverse([*one.values()], promise["entropy_l"]) for one in counted)
        yield Check(f"entropy of {name}", bad == 0, f"{bad} classes have less")
    if "recursive" in promise:
        c, l = Fraction(promise["recursive"]["c"]), promise["recursive"]["l"]
        ordered = [sorted(one.values(), reverse=True) for one in counted]
        bad = sum(not one[0] < c * sum(one[l - 1 :]) for one in ordered)
        yield Check(f"recursive diversity of {name}", bad == 0, f"{bad} classes are not ({c}, {l})-diverse")
    if "t" in promise:
        everybody, t = sum(counted, Counter[str]()), Fraction(promise["t"])
        edges = edges_of(release.promise, trees.get(name, {}), name, list(everybody))
        largest = max(distance(one, everybody, edges) for one in counted)
        yield Check(f"t of {name}", largest <= t, f"at most {float(largest):.6g}, promised {float(t):g}")
