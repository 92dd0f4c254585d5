"""Tampering with the published files and terms of each kind of release."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.verify.forgery import Forgery, Tampering

Faults = dict[str, tuple[Callable[[Forgery], object], str] | tuple[Callable[[Forgery], object], str, str]]


def listed(faults: Faults, *, with_original: bool = False, harmless: str = "") -> list[Tampering]:
    return [
        Tampering(name, fault[0], fault[1], with_original=with_original, harmless=harmless)
        for name, fault in faults.items()
    ]


# ---- any text file -----------------------------------------------------------------------------------------


def writing(name: str, **others: str) -> list[Tampering]:
    """Other ways to write the same file; most stop the checks, others are caught as named."""
    checks = (
        dict.fromkeys(("mark", "windows", "mac", "utf16", "page", "end", "blank", "empty"), "promise")
        | others
    )
    ways: dict[str, tuple[str, Callable[[Forgery], object]]] = {
        "mark": ("a byte order mark", lambda f: f.edit(name, lambda t: "\ufeff" + t)),
        "windows": ("Windows line ends", lambda f: f.edit(name, lambda t: t.replace("\n", "\r\n"))),
        "mac": ("old Mac line ends", lambda f: f.edit(name, lambda t: t.replace("\n", "\r"))),
        "utf16": ("UTF-16", lambda f: f.recode(name, "utf-16")),
        "page": (
            "another code page",
            lambda f: f.put(name, (f.folder / name).read_bytes().replace(b"\n", b"\xe9\n", 1)),
        ),
        "end": ("no line end at the end", lambda f: f.edit(name, lambda t: t[:-1])),
        "blank": ("a blank at the end of a line", lambda f: f.edit(name, lambda t: t[:-1] + " \n")),
        "empty": ("nothing at all", lambda f: f.put(name, "")),
    }
    return [
        Tampering(f"{name}: {what}", change, checks[way], with_original=way == "blank")
        for way, (what, change) in ways.items()
    ]


# ---- bucketized --------------------------------------------------------------------------------------------


def qit_key(line: str) -> tuple[list[str], int]:
    *rest, group = line.split(",")
    return rest, int(group)


def st_key(line: str) -> tuple[int, list[str]]:
    group, *rest = line.split(",")
    return int(group), rest


def qit(change: Callable[[list[str]], list[str]], *, ordered: bool = True) -> Callable[[Forgery], object]:
    def do(f: Forgery) -> None:
        header, *body = f.lines("qit.csv")
        body = change(body)
        f.put("qit.csv", [header, *(sorted(body, key=qit_key) if ordered else body)])

    return do


def st(
    change: Callable[[list[list[str]]], list[list[str]]], *, ordered: bool = True
) -> Callable[[Forgery], object]:
    def do(f: Forgery) -> None:
        header, *body = f.lines("st.csv")
        lines = [",".join(cells) for cells in change([line.split(",") for line in body])]
        f.put("st.csv", [header, *(sorted(lines, key=st_key) if ordered else lines)])

    return do


def _one_value(rows: list[list[str]]) -> list[list[str]]:
    first = [row for row in rows if row[0] == "1"]
    return [
        ["1", first[0][1], str(sum(int(row[2]) for row in first))],
        *(row for row in rows if row[0] != "1"),
    ]


def _twin(twin: Callable[[str], str]) -> Callable[[list[list[str]]], list[list[str]]]:
    """All values of the first group are one, in as many spellings."""

    def do(rows: list[list[str]]) -> list[list[str]]:
        first = [row for row in rows if row[0] == "1"]
        value, changed = first[0][1], []
        for row in first:
            changed.append(["1", value, row[2]])
            value = twin(value)
        return [*changed, *(row for row in rows if row[0] != "1")]

    return do


def _numbers(rows: list[list[str]]) -> list[list[str]]:
    spelled = ["1", "1.0", "01", "+1", "1e0"]
    first = [row for row in rows if row[0] == "1"]
    changed = [["1", spelling, row[2]] for spelling, row in zip(spelled, first, strict=False)]
    return [*changed, *(row for row in rows if row[0] != "1")]


def _moved(rows: list[list[str]]) -> list[list[str]]:
    """A value moves from the first group to the second, which has one row less."""
    rows[0][0] = "2"
    return rows


def _cell(place: int, text: str) -> Callable[[list[list[str]]], list[list[str]]]:
    def do(rows: list[list[str]]) -> list[list[str]]:
        rows[0][place] = text
        return rows

    return do


def _l(value: int) -> Callable[[Forgery], object]:
    return lambda f: [
        f.m["promise"].update(l=value),
        f.m["parameters"].update(l=value),
        f.m["risks"].update(l=value),
    ]


def _rules(change: Callable[[dict[str, Any]], object]) -> Callable[[Forgery], object]:
    return lambda f: change(f.m["reader"])


def _emptied(reader: dict[str, Any]) -> None:
    for nodes in reader["nodes"].values():
        for label in nodes:
            nodes[label] = []


def _shrunk(reader: dict[str, Any]) -> None:
    nodes = next(nodes for nodes in reader["nodes"].values() if any(len(node) > 1 for node in nodes.values()))
    next(node for node in nodes.values() if len(node) > 1).pop()


def _false_rule(f: Forgery) -> None:
    """A rule that nobody of the original keeps, about a value that is everywhere."""
    _, *body = f.lines("st.csv")
    sex = "female"
    value = body[0].split(",")[1]
    f.m["reader"]["rules"].append(
        {"when": {"sex": sex}, "attribute": "disease", "value": value, "given": True}
    )
    f.m["reader"]["nodes"].setdefault("sex", {})[sex] = [sex]
    f.m["risks"]["rules"] += 1


def _all_barred(f: Forgery) -> None:
    """The reader is said to know of everybody that they have none of the values of a group."""
    held = {line.split(",")[1] for line in f.lines("st.csv")[1:] if line.startswith("1,")}
    for value in sorted(held)[1:]:
        for sex in ("female", "male"):
            f.m["reader"]["rules"].append(
                {"when": {"sex": sex}, "attribute": "disease", "value": value, "given": True}
            )
            f.m["reader"]["nodes"].setdefault("sex", {})[sex] = [sex]
    f.m["risks"]["rules"] = len(f.m["reader"]["rules"])


def _swapped_rows(lines: list[str]) -> list[str]:
    """Two rows of different groups change places: everything adds up."""
    cells = [line.rsplit(",", 1) for line in lines]
    one = cells[0]
    other = next(row for row in cells if row[1] != one[1] and row[0] != one[0])
    one[1], other[1] = other[1], one[1]
    return [",".join(row) for row in cells]


def _renumbered(f: Forgery) -> None:
    swap = {"2": "5", "5": "2"}
    head, *rows = f.lines("qit.csv")
    rows = [
        ",".join([*line.split(",")[:-1], swap.get(line.split(",")[-1], line.split(",")[-1])]) for line in rows
    ]
    f.put("qit.csv", [head, *sorted(rows, key=qit_key)])
    head, *rows = f.lines("st.csv")
    rows = [
        ",".join([swap.get(line.split(",")[0], line.split(",")[0]), *line.split(",")[1:]]) for line in rows
    ]
    f.put("st.csv", [head, *sorted(rows, key=st_key)])


def _risk(name: str, change: Callable[[Any], Any]) -> Callable[[Forgery], object]:
    return lambda f: f.m["risks"].update({name: change(f.m["risks"][name])})


def _parameter(**values: Any) -> Callable[[Forgery], object]:
    return lambda f: f.m["parameters"].update(values)


BUCKETIZED = [
    *writing("st.csv", empty="columns of st.csv"),
    *writing("qit.csv", empty="columns of qit.csv"),
    *listed({
        "a column more": (lambda f: f.put("qit.csv", [f"{line},{n or 'row'}" for n, line in enumerate(f.lines("qit.csv"))]), "columns of qit.csv"),
        "a column of another name": (lambda f: f.edit("qit.csv", lambda t: t.replace("zip", "ZIP", 1)), "columns of qit.csv"),
        "columns in another order": (lambda f: f.edit("st.csv", lambda t: t.replace("group,disease", "disease,group", 1)), "columns of st.csv"),
        "a header twice": (lambda f: f.put("st.csv", [f.lines("st.csv")[0], *f.lines("st.csv")]), "promise"),
        "a row too short": (lambda f: f.put("st.csv", [*f.lines("st.csv"), "1"]), "promise"),
        "a cell in needless quotes": (lambda f: f.put("st.csv", [f.lines("st.csv")[0], '"1"' + f.lines("st.csv")[1][1:], *f.lines("st.csv")[2:]]), "promise"),
        "an empty line": (lambda f: f.put("st.csv", [*f.lines("st.csv"), ""]), "promise"),
        "a row twice": (qit(lambda rows: [*rows, rows[0]]), "groups"),
        "a row less": (qit(lambda rows: rows[1:]), "groups"),
        "rows in another order": (qit(lambda rows: rows[::-1], ordered=False), "order of qit.csv"),
        "values in another order": (st(lambda rows: [rows[1], rows[0], *rows[2:]], ordered=False), "order of st.csv"),
        "groups numbered otherwise": (_renumbered, "numbers of groups"),
        "a group number with a nought before": (st(_cell(0, "01"), ordered=False), "promise"),
        "a count with a point": (st(_cell(2, "1.0")), "promise"),
        "a count with a plus": (st(_cell(2, "+1")), "promise"),
        "a count in other digits": (st(_cell(2, "\u0661")), "promise"),
        "a count of nought": (st(_cell(2, "0")), "groups"),
        "a count of one more": (st(lambda rows: [[*rows[0][:2], str(int(rows[0][2]) + 1)], *rows[1:]]), "groups"),
        "a value moved to another group": (st(_moved), "groups"),
        "a value listed twice": (st(lambda rows: [rows[0], *rows]), "groups"),
        "a group of one value": (st(_one_value), "ℓ"),
        "twins by an invisible character": (st(_twin(lambda v: v + "\u200b")), "ℓ"),
        "twins by case": (st(_twin(lambda v: v.title() if v.islower() else v.upper() if v.istitle() else v.swapcase())), "ℓ"),
        "twins by a blank": (st(_twin(lambda v: v + " ")), "ℓ"),
        "twins by a no-break space": (st(_twin(lambda v: v + "\u00a0")), "ℓ"),
        "twins by a variation selector": (st(_twin(lambda v: v + "\ufe0f")), "ℓ"),
        "twins by spelling a number": (st(_numbers), "ℓ"),
        "ℓ raised by one": (_l(4), "ℓ"),
        "ℓ of one": (_l(1), "promise"),
        "ℓ of nought": (_l(0), "promise"),
        "ℓ raised in the promise alone": (lambda f: f.m["promise"].update(l=4), "promise"),
        "a bound below the posterior": (lambda f: f.m["promise"].update(max_posterior="1/4"), "posterior"),
        "a bound above one": (lambda f: f.m["promise"].update(max_posterior="7/5"), "promise"),
        "a bound as a decimal": (lambda f: f.m["promise"].update(max_posterior="0.5"), "manifest fields"),
        "a bound that is no number": (lambda f: f.m["promise"].update(max_posterior="1/0"), "promise"),
        "rows counted wrongly": (_parameter(rows=1), "figures"),
        "groups counted wrongly": (_parameter(buckets=1), "figures"),
        "a forged share of unique rows": (_risk("unique", lambda u: u / 2 + 0.01), "figures"),
        "no share of unique rows": (_risk("unique", lambda u: None), "manifest fields"),
        "a forged number of rows at risk": (_risk("rows", lambda n: n + 1), "figures"),
        "a forged number of rules": (_risk("rules", lambda n: n + 7), "figures"),
        "a column in the bars of valid values": (_risk("valid_values", lambda _: [{"values": 2, "or_more": False, "rows": n} for n in range(65)]), "manifest fields"),
        "a bar of valid values more": (_risk("valid_values", lambda bars: [*bars, bars[-1] | {"rows": 0}]), "valid values"),
        "forged valid values": (_risk("valid_values", lambda bars: [bar | {"rows": 7} for bar in bars]), "valid values"),
        "a forged number of vulnerable rows": (_risk("vulnerable", lambda n: n + 1), "valid values"),
        "an exact number of rows for longer rules": (_risk("vulnerable_longer", lambda n: 1_234_567), "figures"),
        "the posterior withheld": (_risk("posterior", lambda p: None), "figures"),
        "forged posteriors": (_risk("posteriors", lambda steps: [step | {"rows": 3} for step in steps]), "figures"),
        "posteriors in other steps": (_risk("posteriors", lambda steps: [step | {"low": 0.5} for step in steps]), "figures"),
        "a largest posterior that is not there": (_risk("posterior", lambda p: p | {"largest": 0.01}), "figures"),
        "a forged commonest value": (_risk("learning", lambda one: one | {"majority": 0.5}), "figures"),
        "a forged guess by chance": (_risk("learning", lambda one: one | {"baseline": one["baseline"] + 1e-9}), "figures"),
        "other people who are the surest": (_risk("rule_guesses", lambda one: one | {"surest": [part | {"people": 77} for part in one["surest"]]}), "figures"),
        "a column in the words for missing values": (_parameter(null_values=[f"{n:03}" for n in range(101)]), "manifest fields"),
        "prose as a word for missing values": (_parameter(null_values=["Zaphod has influenza"]), "manifest fields"),
        "a name and a number as a word for missing values": (_parameter(null_values=["Zaphod42"]), "manifest fields"),
        "a day as a word for missing values": (_parameter(null_values=["1987-03-12"]), "manifest fields"),
        "what is not seen as a word for missing values": (_parameter(null_values=["NA\u200b"]), "manifest fields"),
        "four names as words for missing values": (_parameter(null_values=["Arthur", "Ford", "Tricia", "Zaphod"]), "manifest fields"),
        "a word for missing values that is a number": (_parameter(null_values=[-9]), "manifest fields"),
        "words for missing values in another order": (_parameter(null_values=["b", "a"]), "manifest fields"),
        "rules in another order": (lambda f: [setattr(f, "in_order", False), f.m["reader"]["rules"].reverse()], "manifest fields"),
        "a rule twice": (_rules(lambda r: r["rules"].append(r["rules"][0])), "manifest fields"),
        "values below a node in another order": (_rules(lambda r: [node.reverse() for nodes in r["nodes"].values() for node in nodes.values()]), "manifest fields"),
        "values joined that are published": (lambda f: f.m["parameters"].update(joined={"disease": {"x": [f.lines("st.csv")[1].split(",")[1]]}}), "stated rules"),
        "values joined under prose": (_parameter(joined={"disease": {"Jane Doe has it": []}}), "stated rules"),
        "values joined under a name that is not there": (_parameter(joined={"disease": {"Jane Doe": ["x"]}}), "stated rules"),
        "an empty node": (_rules(lambda r: r["nodes"].update({"Jane Doe has it": {}})), "stated rules"),
        "a share above one": (_risk("posterior", lambda p: p | {"above": 7.5}), "manifest fields"),
        "a place before the first of a series": (_parameter(series={"number": 0, "counterfeits": 0}), "manifest fields"),
        "a place in no series": (_parameter(series={"number": 3, "counterfeits": 0}), "manifest fields"),
        "values joined of no column": (_parameter(joined={"name": {"x": ["Jane Doe"]}}), "stated rules"),
        "a bound of many digits": (lambda f: f.m["promise"].update(max_posterior=f"{'3' * 40}/{'7' * 40}"), "manifest fields"),
        "a bound in other digits": (lambda f: f.m["promise"].update(max_posterior="\u0661/\u0662"), "manifest fields"),
        "another group column": (_parameter(group="bucket"), "manifest fields"),
        "a form unheard of": (_parameter(form="raw"), "manifest fields"),
        "the other form": (_parameter(form="permuted"), "manifest fields"),
        "a column with two roles": (lambda f: f.m["parameters"]["keep"].append("zip"), "promise"),
        "no sensitive column": (_parameter(sensitive=[]), "promise"),
        "a reason for a column that is not there": (_parameter(accepted={"name": "as agreed"}), "promise"),
        "a table as a reason": (_parameter(accepted={"zip": "Jane Doe, 1987-03-12, influenza; " * 100}), "manifest fields"),
        "a reason of several lines": (_parameter(accepted={"zip": "as agreed\nJane Doe"}), "manifest fields"),
        "partners unheard of": (_parameter(partners="friends"), "manifest fields"),
        "a sample of a small release": (lambda f: f.m.update(verification={"extent": "sample", "one_in": 9, "seed": "0" * 16}), "promise"),
        "nodes emptied": (_rules(_emptied), "stated rules"),
        "a node of what does not occur": (_rules(lambda r: next(iter(r["nodes"]["age"].values())).append("999")), "stated rules"),
        "a node that no rule names": (_rules(lambda r: r["nodes"]["age"].update(x=["30"])), "stated rules"),
        "a node that is not given": (_rules(lambda r: r["rules"][0].update(when={"sex": "x"})), "stated rules"),
        "a rule about everybody": (_rules(lambda r: r["rules"].append(r["rules"][0] | {"when": {}})), "stated rules"),
        "a rule about a column that is not there": (_rules(lambda r: r["rules"][0].update(when={"name": "x"})), "stated rules"),
        "a rule about a value that is not there": (_rules(lambda r: r["rules"][0].update(value="plague")), "stated rules"),
        "a rule about another attribute": (_rules(lambda r: r["rules"][0].update(attribute="age")), "stated rules"),
        "a rule with a text": (_rules(lambda r: r["rules"][0].update(text="x")), "manifest fields"),
        "a rule given by words": (_rules(lambda r: r["rules"][0].update(given="yes")), "manifest fields"),
        "rules that bar a group's values": (_all_barred, "ℓ"),
    }),
    *listed({
        "two rows of different groups exchanged": (qit(_swapped_rows), "groups and the original"),
        "another person's row": (qit(lambda rows: [rows[0].replace("female", "x").replace("male", "female").replace("x", "male"), *rows[1:]]), "rows of the original"),
        "a value of nobody": (lambda f: f.edit("st.csv", lambda t: t.replace(",stroke,", ",strokes,")), "values of the original"),
        "a rule that is not true": (_false_rule, "rules and the original"),
        "rows said to be left out": (_parameter(suppressed=3), "rows of the original"),
    }, with_original=True),
    *listed({"a node made smaller": (_rules(_shrunk), "silence")}, harmless="the reader stated knows less, and what no rule says is not checked"),
    *listed({"rules left out everywhere": (lambda f: [f.m["reader"].update(rules=[], nodes={}), f.m["risks"].update(rules=0)], "")}, harmless="the reader stated knows no rule; that is a weaker promise, and it is kept"),
    *listed({"rules left out of the risks": (lambda f: f.m["reader"]["rules"].pop(), "figures")}),
    *listed({"rules left out": (_rules(lambda r: (r.update(rules=[r["rules"][0]]), r.update(nodes={n: {label: r["nodes"][n][label]} for n, label in r["rules"][0]["when"].items()}))), "figures")}),
    *listed({"values said to be joined": (lambda f: f.m["parameters"].update(joined={"disease": {f.lines("st.csv")[1].split(",")[1]: ["x"]}}), "silence")}, harmless="which values a published one stands for shows in the original"),
    *listed({"ℓ lowered everywhere": (_l(2), "silence")}, harmless="a weaker promise is stated, and kept"),
]  # fmt: skip


def table(
    change: Callable[[list[list[str]]], list[list[str]]], *, ordered: bool = True
) -> Callable[[Forgery], object]:
    def do(f: Forgery) -> None:
        header, *body = f.lines("table.csv")
        rows = change([line.split(",") for line in body])
        at = header.split(",").index("group")
        if ordered:
            rows.sort(key=lambda cells: (cells[:at], int(cells[at]), cells[at + 1 :]))
        f.put("table.csv", [header, *(",".join(row) for row in rows)])

    return do


PERMUTED = [
    *writing("table.csv", empty="columns of table.csv", blank="values of the original"),
    *listed({
        "a row more": (table(lambda rows: [*rows, rows[0]]), "figures"),
        "a row in another group": (table(lambda rows: [[*rows[0][:-2], "77", rows[0][-1]], *rows[1:]]), "groups"),
        "one value for a group": (table(lambda rows: [[*row[:-1], "flu"] if row[-2] == "1" else row for row in rows]), "ℓ"),
        "rows in another order": (table(lambda rows: rows[::-1], ordered=False), "order of table.csv"),
        "the tables of the other form": (lambda f: f.put("qit.csv", f.lines("table.csv")), "manifest fields"),
        "a group number in other digits": (table(lambda rows: [[*rows[0][:-2], "\u0661", rows[0][-1]], *rows[1:]], ordered=False), "promise"),
    }),
    *listed({
        "a value made up": (table(lambda rows: [[*rows[0][:-1], "plague"], *rows[1:]]), "values of the original"),
    }, with_original=True),
]  # fmt: skip

# ---- generalized -------------------------------------------------------------------------------------------


def sets(change: Callable[[list[str]], list[str]], *, counted: bool = False) -> Callable[[Forgery], object]:
    def do(f: Forgery) -> None:
        lines = change(f.lines("transactions.dat"))
        f.put("transactions.dat", lines)
        if counted:
            items = [line.split() for line in lines]
            names = {item for line in items for item in line}
            average = float(f"{sum(map(len, items)) / len(items):.2g}")
            f.m["promise"]["records"] = f.m["risks"]["records"] = len(lines)
            f.m["utility"] |= {"published_items": len(names), "published_average_length": average}

    return do


def _ordered(lines: list[str]) -> list[str]:
    return [" ".join(items) for items in sorted(sorted(set(line.split())) for line in lines)]


def _ungeneralized(f: Forgery) -> None:
    """An item of one record is published as it was."""
    pairs = [line.split(",") for line in f.lines("mapping.csv")[1:]]
    item, label = next((item, label) for item, label in pairs if item != label)
    f.put("mapping.csv", ["item,published_as", *(f"{i},{i if i == item else p}" for i, p in pairs)])
    lines = f.lines("transactions.dat")
    at = next(n for n, line in enumerate(lines) if label in line.split())
    lines[at] = " ".join(item if name == label else name for name in lines[at].split())
    sets(lambda _: _ordered(lines), counted=True)(f)
    nodes = {node["node"]: node for node in f.m["utility"]["cut"]}
    nodes[label]["items"] -= 1
    above = nodes[label]["parent"]
    while above is not None:
        nodes[above]["published_as"] += 1
        above = nodes[above]["parent"]


def _everywhere(name: str, value: int) -> Callable[[Forgery], object]:
    def do(f: Forgery) -> None:
        f.m["promise"][name] = f.m["parameters"][name] = value
        if name == "m":
            f.m["reader"]["known_items"] = value

    return do


def mapping(change: Callable[[list[str]], list[str]]) -> Callable[[Forgery], object]:
    return lambda f: f.put("mapping.csv", change(f.lines("mapping.csv")))


def _json_lines(change: Callable[[list[str]], str]) -> Callable[[Forgery], object]:
    """The transactions as JSON lines, each written so."""

    def do(f: Forgery) -> None:
        lines = [change(line.split()) for line in f.lines("transactions.dat")]
        (f.folder / "transactions.dat").unlink()
        f.m["files"].pop("transactions.dat")
        f.m["parameters"]["transactions"] = "transactions.jsonl"
        f.put("transactions.jsonl", lines)

    return do


def _node(
    change: Callable[[dict[str, Any]], object], *, in_cut: bool, root: bool = True
) -> Callable[[Forgery], object]:
    def do(f: Forgery) -> None:
        nodes = (node for node in f.m["utility"]["cut"] if root or node["parent"] is not None)
        change(next(node for node in nodes if node["in_cut"] == in_cut))

    return do


GENERALIZED = [
    *writing("transactions.dat", mark="mapping", empty="number"),
    *writing("mapping.csv", blank="original"),
    *listed({
        "two blanks between items": (sets(lambda lines: [lines[0].replace(" ", "  ", 1), *lines[1:]]), "promise"),
        "a tab between items": (sets(lambda lines: [line.replace(" ", "\t", 1) for line in lines]), "promise"),
        "a record less": (sets(lambda lines: lines[1:]), "number"),
        "a record twice": (sets(lambda lines: [lines[0], *lines]), "number"),
        "a record less, and said so": (lambda f: [sets(lambda lines: lines[1:])(f), f.m["promise"].update(records=f.m["promise"]["records"] - 1)], "figures"),
        "records in another order": (sets(lambda lines: lines[::-1]), "order of transactions"),
        "items in another order": (sets(lambda lines: [" ".join(line.split()[::-1]) for line in lines]), "sets"),
        "an item twice in a record": (sets(lambda lines: [f"{lines[0]} {lines[0].split()[-1]}", *lines[1:]]), "sets"),
        "an item that nothing is mapped to": (sets(lambda lines: _ordered([lines[0] + " Zaphod", *lines[1:]]), counted=True), "mapping"),
        "an item published as it was": (_ungeneralized, "sets of 1"),
        "k raised by one": (lambda f: _everywhere("k", f.m["promise"]["k"] * 50)(f), "sets of 1"),
        "k of one": (_everywhere("k", 1), "terms"),
        "m raised by two": (_everywhere("m", 4), "sets of 4"),
        "m of nought": (_everywhere("m", 0), "terms"),
        "m raised in the promise alone": (lambda f: f.m["promise"].update(m=3), "terms"),
        "the reader made weaker": (lambda f: f.m["reader"].update(known_items=1), "terms"),
        "records counted wrongly": (lambda f: f.m["promise"].update(records=7), "number"),
        "an item mapped twice": (mapping(lambda lines: [*lines[:2], *lines[1:]]), "mapping"),
        "an item published as another": (mapping(lambda lines: [lines[0], f"{lines[1].split(',')[0]},{lines[2].split(',')[0]}", *lines[2:]]), "mapping"),
        "the mapping in another order": (mapping(lambda lines: [lines[0], *lines[:0:-1]]), "order of mapping.csv"),
        "a column more in the mapping": (mapping(lambda lines: [f"{line},x" for line in lines]), "promise"),
        "columns of the mapping exchanged": (mapping(lambda lines: ["published_as,item", *lines[1:]]), "promise"),
        "needless quotes in the mapping": (mapping(lambda lines: [lines[0], '"' + lines[1].replace(",", '",', 1), *lines[2:]]), "promise"),
        "an item left out of the mapping": (mapping(lambda lines: [lines[0], *lines[2:]]), "figures"),
        "a forged number of items": (lambda f: f.m["utility"].update(published_items=f.m["utility"]["published_items"] + 1), "figures"),
        "a forged average length": (lambda f: f.m["utility"].update(published_average_length=1.0), "figures"),
        "a forged number of records at risk": (lambda f: f.m["risks"].update(records=3), "figures"),
        "a node of the cut published as other items": (_node(lambda n: n.update(published_as=n["published_as"] + 1), in_cut=False, root=False), "figures"),
        "a share of records that is none": (lambda f: f.m["risks"]["narrowed"][0].update(below_k=0.123456789), "figures"),
        "an error of no records": (lambda f: f.m["risks"]["narrowed"][0].update(error=0.123456789), "figures"),
        "readers without end": (lambda f: f.m["risks"]["narrowed"].extend(f.m["risks"]["narrowed"]), "manifest fields"),
        "levels without end": (lambda f: f.m["utility"].update(levels=[{"steps": n, "items": 10, "occurrences": 10} for n in range(101)]), "manifest fields"),
        "levels in another order": (lambda f: f.m["utility"]["levels"].reverse(), "figures"),
        "a loss of many digits": (lambda f: f.m["utility"].update(ncp=0.123456), "manifest fields"),
        "a root of another name": (_node(lambda n: n.update(node="Jane Doe has it"), in_cut=False), "figures"),
        "a forged node of the cut": (_node(lambda n: n.update(items=n["items"] + 1), in_cut=True), "figures"),
        "prose for a node of the cut": (_node(lambda n: n.update(node="It is private."), in_cut=True), "figures"),
        "a node of the cut twice": (lambda f: f.m["utility"]["cut"].append(f.m["utility"]["cut"][-1]), "figures"),
        "an empty node of the cut twice": (lambda f: f.m["utility"]["cut"].append(next(n for n in f.m["utility"]["cut"] if n["in_cut"]) | {"items": 0, "published_as": 0, "in_cut": False}), "figures"),
        "a node of the cut said to be above it": (_node(lambda n: n.update(in_cut=False), in_cut=True), "figures"),
        "a root with other items": (_node(lambda n: n.update(items=9_999), in_cut=False), "figures"),
        "prose for what a reader knows": (lambda f: f.m["risks"]["narrowed"][0].update(knows="nothing"), "figures"),
        "JSON with a further field": (_json_lines(lambda items: json.dumps({"items": items, "name": "Zaphod"})), "promise"),
        "JSON with a key twice": (_json_lines(lambda items: '{"items": [], "items": ' + json.dumps(items) + "}"), "promise"),
        "JSON with numbers": (_json_lines(lambda items: json.dumps([*items, 7])), "promise"),
        "JSON without blanks": (_json_lines(lambda items: json.dumps(items, separators=(",", ":"))), "promise"),
        "JSON with a list in a list": (_json_lines(lambda items: json.dumps([items])), "promise"),
        "JSON with a sensitive value that is not named": (_json_lines(lambda items: json.dumps({"items": items, "disease": "flu"})), "promise"),
        "transactions in a file of another name": (lambda f: f.m["parameters"].update(transactions="mapping.csv"), "manifest fields"),
        "a sensitive column that is not there": (lambda f: [_json_lines(json.dumps)(f), f.m["parameters"].update(sensitive="disease"), f.m["risks"].update(diversity={"column": "disease", "fewest": 2, "given_away": 0})], "promise"),
        "the diversity of a column that is not there": (lambda f: f.m["risks"].update(diversity={"column": "Bob has it", "fewest": 2, "given_away": 0}), "manifest fields"),
        "the cut left out": (lambda f: f.m["utility"].pop("cut"), "manifest fields"),
        "a sensitive column of plain sets": (_parameter(sensitive="Bob has it"), "manifest fields"),
    }),
    *listed({
        "a record made up": (sets(lambda lines: _ordered([lines[-1], *lines[1:]]), counted=True), "original"),
        "records said to be left out": (_parameter(suppressed=1), "original"),
        "a forged loss": (lambda f: f.m["utility"].update(ncp=0.001), "ncp"),
        "an item that was moved": (mapping(lambda lines: [lines[0], "aaa," + lines[1].split(",")[1], *lines[2:]]), "original items"),
    }, with_original=True),
    *listed({"JSON in its one form": (_json_lines(json.dumps), "")}, harmless="the same transactions in another dialect that the manifest names"),
    *listed({"k lowered everywhere": (_everywhere("k", 2), "")}, harmless="a weaker promise is stated, and kept"),
]  # fmt: skip

# ---- hidden ------------------------------------------------------------------------------------------------


def _counted(f: Forgery, lines: list[str]) -> None:
    items = [line.split() for line in lines]
    f.put("transactions.dat", lines)
    f.m["promise"] |= {
        "transactions": len(lines), "cells": sum(map(len, items)), "empty": sum(not line for line in lines),
        "items": len({item for line in items for item in line}),
    }  # fmt: skip


def _untouched(f: Forgery) -> None:
    """The original itself, in order, as if something had been hidden in it."""
    rows = sorted(enumerate(f.original.read_text().splitlines()), key=lambda row: sorted(row[1].split()))
    _counted(f, [" ".join(sorted(line.split())) for _, line in rows])
    (f.record() / "rows.txt").write_text("".join(f"{row}\n" for row, _ in rows))
    f.m["utility"]["dissimilarity"] = 0.0


def _hidden(change: Callable[[list[str]], list[str]]) -> Callable[[Forgery], object]:
    return lambda f: _counted(f, change(f.lines("transactions.dat")))


def _least(value: int) -> Callable[[Forgery], object]:
    return lambda f: [
        part.update(min_count=value) for part in (f.m["promise"], f.m["parameters"], f.m["reader"])
    ]


def _added(f: Forgery) -> None:
    """An item goes from one transaction to another that never held it."""
    lines = [line.split() for line in f.lines("transactions.dat")]
    rows = (f.record() / "rows.txt").read_text().split()
    item = next(name for name in lines[-1] if name not in lines[0])
    lines[0] = sorted([*lines[0], item])
    lines[-1].remove(item)
    together = sorted(zip(lines, rows, strict=True))
    (f.record() / "rows.txt").write_text("".join(f"{row}\n" for _, row in together))
    f.put("transactions.dat", [" ".join(items) for items, _ in together])


def _gone(f: Forgery) -> None:
    for path in f.record().iterdir():
        path.unlink()


HIDDEN = [
    *writing("transactions.dat", mark="counts", empty="counts"),
    *listed({
        "a transaction less": (lambda f: f.put("transactions.dat", f.lines("transactions.dat")[1:]), "counts"),
        "rare items counted wrongly": (lambda f: f.m["risks"].update(rare_items=99), "counts"),
        "a weakness of many digits": (lambda f: f.m["risks"].update(weakness=0.123456), "manifest fields"),
        "cells counted wrongly": (lambda f: f.m["promise"].update(cells=1), "counts"),
        "items counted wrongly": (lambda f: f.m["promise"].update(items=1), "counts"),
        "empty ones counted wrongly": (lambda f: f.m["promise"].update(empty=99), "counts"),
        "transactions in another order": (_hidden(lambda lines: lines[::-1]), "order of transactions"),
        "items in another order": (_hidden(lambda lines: [" ".join(line.split()[::-1]) for line in lines]), "sets"),
        "an item twice": (_hidden(lambda lines: [f"{lines[0]} {lines[0].split()[-1]}", *lines[1:]]), "sets"),
        "a least support of nought": (_least(0), "terms"),
        "a lower support in the promise alone": (lambda f: f.m["promise"].update(min_count=2), "terms"),
        "a reader who mines higher": (lambda f: f.m["reader"].update(min_count=99), "terms"),
        "nothing hidden": (lambda f: f.m["promise"].update(patterns=0, rules=0), "terms"),
        "more hidden than there is": (lambda f: f.m["promise"].update(patterns=9), "secret"),
        "a failure confessed": (lambda f: f.m["risks"].update(hiding_failure=0.5), "terms"),
        "new patterns confessed": (lambda f: f.m["utility"].update(artificial_patterns=0.5), "terms"),
        "the support lowered by much everywhere": (_least(1), "hidden patterns"),
        "the secret left in": (_untouched, "hidden patterns"),
        "a frequent pattern in the record": (lambda f: f.edit_record("secret.json", lambda s: s["patterns"].__setitem__(0, ["whole-milk"])), "hidden patterns"),
        "a frequent pair in the record": (lambda f: f.edit_record("secret.json", lambda s: s["marked"].append(["whole-milk"])), "marked pairs"),
        "a rule in the record": (lambda f: [f.edit_record("secret.json", lambda s: s["rules"].append([["whole-milk"], ["whole-milk"]])), f.m["promise"].update(rules=1)], "hidden rules"),
        "a record cut off": (lambda f: (f.record() / "secret.json").write_text("{"), "promise"),
        "the secret in the manifest": (lambda f: f.m["parameters"].update(patterns=[["beer", "diapers"]]), "manifest fields"),
        "targets unheard of": (_parameter(targets="none"), "manifest fields"),
    }),
    *listed({
        "an item moved to another transaction": (_added, "nothing added"),
        "rows of the map exchanged": (lambda f: (f.record() / "rows.txt").write_text("\n".join(reversed((f.record() / "rows.txt").read_text().split())) + "\n"), "nothing added"),
        "a row of the map twice": (lambda f: (f.record() / "rows.txt").write_text("0\n" * len(f.lines("transactions.dat"))), "nothing added"),
        "a transaction less, and said so": (_hidden(lambda lines: lines[1:]), "original size"),
        "a forged dissimilarity": (lambda f: f.m["utility"].update(dissimilarity=0.5), "dissimilarity"),
        "an item that nobody had": (_hidden(lambda lines: _ordered(["zaphod", *lines[1:]])), "nothing added"),
    }, with_original=True),
    *listed({"the untouched original without its record": (lambda f: [_untouched(f), _gone(f)], "secret")}, harmless="what is hidden is not checked without the record"),
    *listed({"no record": (_gone, "nothing added")}, harmless="what only the record shows is not checked"),
]  # fmt: skip

# ---- rules -------------------------------------------------------------------------------------------------


def content(
    change: Callable[[dict[str, Any]], object], *, indent: int = 1, **how: Any
) -> Callable[[Forgery], object]:
    def do(f: Forgery) -> None:
        values = json.loads((f.folder / "rules.json").read_text())
        change(values)
        f.put("rules.json", json.dumps(values, ensure_ascii=False, indent=indent, **how) + "\n")

    return do


def rule(change: Callable[[dict[str, Any]], object]) -> Callable[[Forgery], object]:
    return content(lambda c: change(next(rule for rule in c["rules"] if "support" in rule)))


def _same(values: dict[str, Any]) -> None:
    pass


RULES = [
    *writing("rules.json", windows="rules form", mac="rules form", end="rules form", blank="rules form"),
    *listed({
        "another indent": (content(_same, indent=2), "rules form"),
        "fields in another order": (content(_same, sort_keys=True), "rules form"),
        "a key twice": (lambda f: f.edit("rules.json", lambda t: t.replace('"rows":', '"rows": 7,\n "rows":', 1)), "rules form"),
        "a number with a point": (rule(lambda r: r.update(support=float(r["support"]))), "rules form"),
        "a number as text": (rule(lambda r: r.update(support=str(r["support"]))), "rules form"),
        "a further field": (content(lambda c: c.update(source="people.csv")), "rules form"),
        "a further field of a rule": (rule(lambda r: r.update(who="Zaphod")), "rules form"),
        "half of a score": (rule(lambda r: r.pop("matching")), "rules form"),
        "a rule twice": (content(lambda c: c["rules"].insert(0, c["rules"][0])), "rules form"),
        "rules in another order": (content(lambda c: c["rules"].reverse()), "rules form"),
        "a rule about nothing": (content(lambda c: c["rules"][0].update(antecedent={})), "rules form"),
        "a rule about a name": (content(lambda c: c["rules"][0].update(antecedent={"name": "Zaphod"})), "rules form"),
        "a rule about a value unheard of": (content(lambda c: c["rules"][-1].update(value="plague")), "rules form"),
        "a rule too long": (content(lambda c: c["rules"][0].update(antecedent=dict.fromkeys(["age", "sex", "town", "zip"], "x"))), "rules form"),
        "twins among the values": (content(lambda c: c["values"].append(c["values"][-1] + "\u200b")), "rules form"),
        "values in another order": (content(lambda c: c["values"].reverse()), "rules form"),
        "another sensitive column": (content(lambda c: c.update(sensitive="age")), "rules form"),
        "other quasi-identifiers": (content(lambda c: c["quasi"].reverse()), "rules form"),
        "the reader knows other columns": (lambda f: f.m["reader"].update(quasi=["age"]), "rules form"),
        "a distribution of other values": (content(lambda c: c["distribution"].pop("flu")), "rules form"),
        "a confidence of one": (rule(lambda r: r.update(support=r["matching"])), "limit and scores"),
        "a distribution above the limit": (content(lambda c: c["distribution"].update(flu=c["rows"])), "limit and scores"),
        "a support below the threshold": (rule(lambda r: r.update(support=1)), "scores"),
        "more people than there are": (rule(lambda r: r.update(matching=10**6, support=10**6 - 1)), "scores"),
        "a score of nought": (rule(lambda r: r.update(support=0)), "scores"),
        "a threshold of one more": (content(lambda c: c.update(min_support_count=c["min_support_count"] + 1)), "rules as stated"),
        "another confidence in the file": (content(lambda c: c.update(min_confidence="0.4")), "rules as stated"),
        "another confidence in the manifest": (_parameter(min_confidence="0.4"), "rules as stated"),
        "a list said to be incomplete": (content(lambda c: c.update(complete=False)), "rules as stated"),
        "the scores of one rule left out": (rule(lambda r: [r.pop("matching"), r.pop("support")]), "rules as stated"),
        "a rule less": (content(lambda c: c["rules"].pop()), "rules as stated"),
        "a limit that is none": (lambda f: f.m["promise"].update(max_posterior=7.0), "rules as stated"),
        "a largest posterior of many digits": (lambda f: f.m["risks"].update(max_posterior=0.123456), "rules as stated"),
        "rules counted wrongly": (lambda f: f.m["utility"].update(published=1), "rules as stated"),
        "scores counted wrongly": (lambda f: f.m["utility"].update(with_scores=1), "rules as stated"),
        "a largest posterior above the limit": (lambda f: f.m["risks"].update(max_posterior=0.99), "rules as stated"),
        "a residual that is large": (lambda f: f.m["risks"].update(residual_below=0.1), "rules as stated"),
        "a distribution denied": (_parameter(distribution=False), "rules as stated"),
        "two limits": (lambda f: f.m["promise"].update(min_divergence=0.1), "rules as stated"),
        "no limit": (lambda f: f.m["promise"].pop("max_posterior"), "rules as stated"),
        "a limit below a rule": (lambda f: [f.m["promise"].update(max_posterior=0.3), f.m["risks"].update(max_posterior=0.3)], "limit and scores"),
        "small groups counted wrongly": (lambda f: f.m["risks"].update(channels=(f.m["risks"]["channels"] or 0) + 1), "channels"),
        "no small groups asked for": (_parameter(k=None), "channels"),
        "whole columns left out": (content(lambda c: c.pop("whole_columns")), "rules as stated"),
        "whole columns in another order": (content(lambda c: c["whole_columns"].reverse()), "rules form"),
        "a name among the whole columns": (content(lambda c: c["whole_columns"].append("Zaphod")), "rules form"),
        "a larger smallest group": (_parameter(k=2_000), "channels"),
    }),
    *listed({
        "a support of one more": (rule(lambda r: r.update(support=r["support"] + 1)), "supports"),
        "people of one less": (rule(lambda r: r.update(matching=r["matching"] - 1)), "supports"),
        "rows of one more": (content(lambda c: c.update(rows=c["rows"] + 1)), "supports"),
        "a whole column denied": (content(lambda c: c["whole_columns"].pop()), "supports"),
        "a distribution of one more": (content(lambda c: c["distribution"].update(flu=c["distribution"]["flu"] + 1)), "supports"),
        "a value of nobody": (content(lambda c: [c["values"].append("zzz"), c["distribution"].update(zzz=0)]), "supports"),
        "a reader less": (lambda f: f.edit_record("certificate.json", lambda r: r["readers"].pop()), "readers"),
        "a multiplier of nothing known": (lambda f: f.edit_record("certificate.json", lambda r: r["readers"][0]["statements"].append({"antecedent": {"age": "a0", "sex": "m", "town": "t0"}, "value": "cold", "multiplier": -0.5})), "posterior with silence"),
    }, with_original=True),
    *listed({"another largest posterior within the limit": (lambda f: f.m["risks"].update(max_posterior=0.01), "posterior")}, harmless="the posterior is not checked without original and record"),
    *listed({"no record": (lambda f: [path.unlink() for path in f.record().iterdir()], "readers")}, with_original=True, harmless="what readers infer is not checked without the record"),
]  # fmt: skip
