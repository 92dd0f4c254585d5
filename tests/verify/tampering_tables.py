"""Tampering with generalized tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.verify.forgery import Forgery
from tests.verify.tampering_kinds import listed, writing

Cells = list[list[str]]


def table(change: Callable[[Cells], object], *, ordered: bool = True) -> Callable[[Forgery], object]:
    """Change the rows of the table; the row map follows their order."""

    def do(f: Forgery) -> None:
        header, *lines = f.lines("table.csv")
        rows = [line.split(",") for line in lines]
        numbers = (f.record() / "rows.txt").read_text().split()
        marked = [[*row, number] for row, number in zip(rows, numbers, strict=True)]
        changed = change(marked)
        marked = marked if changed is None else changed  # type: ignore[assignment]
        if ordered:
            marked.sort(key=lambda row: row[:-1])
        f.put("table.csv", [header, *(",".join(row[:-1]) for row in marked)])
        (f.record() / "rows.txt").write_text("".join(f"{row[-1]}\n" for row in marked))

    return do


def links(change: Callable[[list[str]], list[str]], *, ordered: bool = True) -> Callable[[Forgery], object]:
    def do(f: Forgery) -> None:
        header, *lines = f.lines("hierarchies.csv")
        changed = change(lines)
        f.put("hierarchies.csv", [header, *(sorted(changed) if ordered else changed)])

    return do


def _cell(column: int, text: str) -> Callable[[Cells], object]:
    def do(rows: Cells) -> None:
        rows[0][column] = text

    return do


def _other_class(rows: Cells) -> None:
    """A row of the smallest class gets the quasi-identifiers of another."""
    sizes = Counter(tuple(row[:3]) for row in rows)
    smallest = min(sizes, key=lambda cells: sizes[cells])
    other = next(list(cells) for cells in sizes if cells != smallest)
    next(row for row in rows if tuple(row[:3]) == smallest)[:3] = other


def _swapped(rows: Cells) -> None:
    """Two rows of different classes exchange their sensitive values."""
    other = next(row for row in rows if row[:3] != rows[0][:3] and row[3] != rows[0][3])
    rows[0][3], other[3] = other[3], rows[0][3]


def _one_value(rows: Cells) -> None:
    """All rows of the first class have the same value."""
    first = rows[0][:4]
    for row in rows:
        if row[:3] == first[:3]:
            row[3] = first[3]


def _spelled(rows: Cells) -> None:
    """All rows of the first class have one value in two spellings."""
    first = rows[0][:4]
    for number, row in enumerate(row for row in rows if row[:3] == first[:3]):
        row[3] = first[3] if number % 2 else first[3].swapcase()


def _dropped(rows: Cells) -> Cells:
    return rows[1:]


def _twice(rows: Cells) -> Cells:
    return [rows[0], *rows]


def _counted(f: Forgery, more: int) -> None:
    f.m["parameters"]["rows"] += more
    f.m["risks"]["rows"] += more


def _promise(**terms: Any) -> Callable[[Forgery], object]:
    return lambda f: f.m["promise"].update(terms)


def _chained(f: Forgery) -> None:
    """All values below thirty nodes, one above the other: near each other beside the height of the root."""
    values = sorted({line.split(",")[3] for line in f.lines("table.csv")[1:]})
    chain = [f"all {number:03}" for number in range(30)]
    above = [*((value, chain[0]) for value in values), *zip(chain, [*chain[1:], ""], strict=True)]
    links(lambda lines: [*lines, *(f"disease,{node},{parent}" for node, parent in above)])(f)
    _promise(t="1/100", distance="hierarchical")(f)


def _parameter(**terms: Any) -> Callable[[Forgery], object]:
    return lambda f: f.m["parameters"].update(terms)


def _risk(name: str, value: Any) -> Callable[[Forgery], object]:
    return lambda f: f.m["risks"].update({name: value})


def _value_risk(name: str, value: Any) -> Callable[[Forgery], object]:
    return lambda f: f.m["risks"]["values"][0].update({name: value})


def _k(value: int) -> Callable[[Forgery], object]:
    return lambda f: [f.m["promise"].update(k=value), f.m["risks"].update(k=value)]


def _map(change: Callable[[list[str]], list[str]]) -> Callable[[Forgery], object]:
    """Change the row map of the private record."""

    def do(f: Forgery) -> None:
        path = f.record() / "rows.txt"
        path.write_text("".join(f"{number}\n" for number in change(path.read_text().split())))

    return do


def _unclassed(f: Forgery) -> None:
    """A row published exactly, its values listed as nodes."""
    exact = f.original.read_text().splitlines()[1].split(",")
    header, *lines = f.lines("hierarchies.csv")
    above = {line.split(",")[0]: line for line in lines if line.endswith(",")}
    new = [f"{name},{value},*" for name, value in zip(("zip", "age", "sex"), exact, strict=False)]
    assert set(above) == {"zip", "age", "sex"}
    f.put("hierarchies.csv", [header, *sorted({*lines, *new})])
    table(_exact(exact))(f)


def _tower(lines: list[str]) -> list[str]:
    """Rows written down as nodes, one above the other."""
    below = next(line for line in lines if line.endswith(",*"))
    names = [f"row {number} has something" for number in range(40)]
    column = below.split(",")[0]
    tower = [f"{column},{one},{above}" for one, above in zip(names, [*names[1:], "*"], strict=True)]
    return [line if line != below else below.removesuffix("*") + names[0] for line in lines] + tower


def _exact(cells: list[str]) -> Callable[[Cells], object]:
    def do(rows: Cells) -> None:
        next(row for row in rows if row[-1] == "0")[:3] = cells[:3]

    return do


def _never(f: Forgery) -> dict[str, Any]:
    """A rule that forbids everybody the value of the first row."""
    return {"when": {"sex": "*"}, "attribute": "disease", "value": f.lines("table.csv")[1].split(",")[3]}


def _income(f: Forgery) -> dict[str, Any]:
    """A rule about a column that is not there."""
    return {"when": {"income": "*"}, "attribute": "disease", "value": "x"}


def _stated(rule: Callable[[Forgery], dict[str, Any]]) -> Callable[[Forgery], object]:
    return lambda f: f.m["reader"]["rules"].append(rule(f) | {"given": True})


def _on_record(rule: Callable[[Forgery], dict[str, Any]]) -> Callable[[Forgery], object]:
    return lambda f: f.edit_record(
        "rules.json", lambda kept: kept["rules"].append(rule(f) | {"given": False})
    )


def _given(mark: bool | None) -> Callable[[Forgery], object]:
    """A rule of the record is stated, as what it is or without a word."""

    def do(f: Forgery) -> None:
        rule = json.loads((f.record() / "rules.json").read_text())["rules"][0]
        f.m["reader"]["rules"].append(rule | {"given": mark})
        if mark is None:
            del f.m["reader"]["rules"][-1]["given"]

    return do


GENERALIZED_TABLE = [
    *writing("table.csv", empty="columns", blank="values"),
    *writing("hierarchies.csv"),
    *listed({
        "a row less": (table(_dropped), "figures"),
        "a row twice": (table(_twice), "figures"),
        "a row in another class": (table(_other_class), "k"),
        "a row published exactly": (_unclassed, "k"),
        "rows in another order": (table(lambda rows: rows[::-1], ordered=False), "order of the table"),
        "a cell that is no node": (table(_cell(1, "Zaphod")), "nodes"),
        "an empty cell": (table(_cell(2, "")), "nodes"),
        "a cell with a blank": (table(_cell(2, "f ")), "nodes"),
        "a class with one value": (table(_one_value), "ℓ of disease"),
        "a value in two spellings": (table(_spelled), "values"),
        "columns exchanged": (lambda f: f.edit("table.csv", lambda t: t.replace("zip,age", "age,zip", 1)), "columns"),
        "a column more": (lambda f: f.edit("table.csv", lambda t: t.replace("\n", ",x\n")), "columns"),
        "needless quotes": (lambda f: f.edit("table.csv", lambda t: t.replace("\n1", '\n"1', 1)), "promise"),
        "a node less": (links(lambda lines: lines[1:]), "nodes"),
        "a node that does not occur": (links(lambda lines: [*lines, "sex,Zaphod,*"]), "nodes"),
        "a node listed twice": (links(lambda lines: [*lines, lines[-1]]), "promise"),
        "a node under two parents": (links(lambda lines: [*lines, lines[0] + "x"]), "promise"),
        "rows written down as nodes": (links(_tower), "nodes"),
        "a node with a long name": (links(lambda lines: [line.replace("*", "all " * 200) for line in lines]), "nodes"),
        "a second root": (links(lambda lines: [*lines, "sex,all,"]), "nodes"),
        "a hierarchy that goes round": (links(lambda lines: [line + "*" if line == "sex,*," else line for line in lines]), "promise"),
        "a hierarchy of another column": (links(lambda lines: [*lines, "disease,*,"]), "nodes"),
        "no hierarchy of a column": (links(lambda lines: [line for line in lines if not line.startswith("sex")]), "nodes"),
        "hierarchies in another order": (links(lambda lines: lines[::-1], ordered=False), "order of hierarchies"),
        "k raised by one": (lambda f: _k(f.m["risks"]["smallest"] + 1)(f), "k"),
        "k of one": (_k(1), "terms"),
        "k raised in the promise alone": (lambda f: f.m["promise"].update(k=4), "figures"),
        "a mined rule": (_given(False), "manifest fields"),
        "a rule that is not marked": (_given(None), "manifest fields"),
        "a least group of rules": (lambda f: f.m["reader"]["mined"].update(min_group=3), "manifest fields"),
        "ℓ raised": (lambda f: _promise(l=f.m["risks"]["values"][0]["fewest"] + 1)(f), "ℓ of disease"),
        "ℓ of one": (_promise(l=1), "terms"),
        "an entropy that is not there": (_promise(entropy_l=9), "entropy of disease"),
        "a recursive diversity that is not there": (_promise(recursive={"c": "1/9", "l": 3}), "recursive diversity of disease"),
        "a c of nought": (_promise(recursive={"c": "0/1", "l": 2}), "terms"),
        "a distance that is not kept": (_promise(t="1/100", distance="equal"), "t of disease"),
        "t without a distance": (_promise(t="1/2"), "terms"),
        "a distance without t": (_promise(distance="equal"), "terms"),
        "an order without values": (_promise(t="99/100", distance="ordered", order={"disease": []}), "promise"),
        "a hierarchical distance without a hierarchy": (_promise(t="99/100", distance="hierarchical"), "nodes"),
        "a distance made small by a chain of nodes": (_chained, "t of disease"),
        "t of one": (_promise(t="1/1", distance="equal"), "terms"),
        "rows said to be left out beside ℓ": (_parameter(suppressed=1), "terms"),
        "a quasi-identifier called sensitive": (_parameter(quasi=["zip", "age"], sensitive=["sex", "disease"]), "terms"),
        "a column with two roles": (_parameter(sensitive=["disease", "zip"]), "terms"),
        "a quasi-identifier called kept": (_parameter(quasi=["zip", "age"], keep=["sex"]), "nodes"),
        "a column that is not there called kept": (_parameter(keep=["name"]), "columns"),
        "no quasi-identifier": (lambda f: [_parameter(quasi=[])(f), f.m["utility"].update(columns=[])], "terms"),
        "another recoding in the method": (lambda f: f.m.update(method="k-anonymity by global recoding"), "terms"),
        "a recoding nobody knows": (_parameter(recoding="secret"), "manifest fields"),
        "rows counted wrongly": (lambda f: _counted(f, 1), "figures"),
        "classes counted wrongly": (_parameter(classes=1), "figures"),
        "forged classes in the risks": (_risk("classes", 1), "figures"),
        "a forged smallest class": (_risk("smallest", 99), "figures"),
        "a forged prosecutor": (_risk("prosecutor", 0.001), "figures"),
        "a forged marketer": (_risk("marketer", 0.001), "figures"),
        "a forged average class": (lambda f: f.m["utility"].update(average_class=99.0), "figures"),
        "a forged fewest values": (_value_risk("fewest", 9), "figures"),
        "a forged largest share": (_value_risk("largest_share", 0.01), "figures"),
        "forged rows of classes with one value": (_value_risk("homogeneous", 7), "figures"),
        "a rule about a value that is not there": (lambda f: f.m["reader"]["rules"][0].update(value="Jane Doe"), "figures"),
        "a forged commonest value": (lambda f: f.m["risks"]["learning"].update(majority=0.5), "figures"),
        "a forged number of published values": (lambda f: f.m["utility"]["columns"][0].update(published_values=1), "figures"),
        "a column in the columns": (lambda f: f.m["utility"].update(columns=[f.m["utility"]["columns"][0]] * 60), "figures"),
        "a column in the values": (lambda f: f.m["risks"].update(values=f.m["risks"]["values"] * 60), "figures"),
        "a loss of many digits": (lambda f: f.m["utility"].update(loss=0.123456), "manifest fields"),
        "an order of another column": (_promise(t="99/100", distance="ordered", order={"disease": [], "name": ["Jane"]}), "terms"),
        "rules in another order": (lambda f: [setattr(f, "in_order", False), f.m["reader"]["rules"].reverse()], "manifest fields"),
        "a figure nobody knows": (_risk("secret", 1), "manifest fields"),
        "figures without names": (lambda f: f.m["utility"].update(columns=[34, 10115]), "manifest fields"),
        "prose as the column of a figure": (_value_risk("column", "Jane Doe has it"), "figures"),
        "prose as the figure of a grid": (_risk("grid", {"Jane Doe has it": "class"}), "manifest fields"),
        "prose in the promise": (_promise(word="private"), "manifest fields"),
        "prose in a parameter": (_parameter(note="differentially private"), "manifest fields"),
        "rules without ℓ": (lambda f: [f.m["promise"].pop("l"), f.m["parameters"].pop("epsilon")], "terms"),
    }),
    *listed({
        "sensitive values exchanged between classes": (table(_swapped), "rows and the original"),
        "a value made up": (table(_cell(3, "Zaphod")), "values of the original"),
        "rows exchanged in the row map": (_map(lambda rows: [rows[-1], *rows[1:-1], rows[0]]), "rows and the original"),
        "a row twice in the row map": (_map(lambda rows: [rows[1], *rows[1:]]), "rows and the original"),
        "a row less in the row map": (_map(lambda rows: rows[1:]), "rows and the original"),
        "rows of people said to be left out": (_parameter(other_rows=3), "rows of the original"),
        "a rule that is not true": (_stated(_never), "ℓ with rules"),
        "a rule on record that is not true": (_on_record(_never), "ℓ with rules"),
        "a rule on record about another column": (_on_record(_income), "promise"),
        "a rule about another column": (_stated(_income), "terms"),
    }, with_original=True),
    *listed({"k lowered": (_k(2), "ℓ with rules")}, harmless="a weaker promise is stated, and kept"),
    *listed({"ℓ lowered": (_promise(l=2), "ℓ with rules")}, harmless="a weaker promise is stated, and kept"),
]  # fmt: skip
