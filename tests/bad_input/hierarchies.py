"""Hierarchy files that are wrong, or look wrong and are right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tacit.io.hierarchies import (
    build_intervals,
    build_levels,
    check_hierarchy,
    read_hierarchies,
    read_hierarchy,
)
from tests.bad_input.case import Case

CHECK = ("hierarchy", "check", "h.csv")
CHECK_DATA = (*CHECK, "--data", "d.csv", "--column", "ward")
DEEP = 100_000


def _read(folder: Path) -> object:
    return read_hierarchy(folder / "h.csv")


def _against(*values: str | None) -> Callable[[Path], object]:
    return lambda folder: check_hierarchy(read_hierarchy(folder / "h.csv"), values)


def _refused(name: str, content: str | bytes, code: str, *says: str) -> Case:
    data = content.encode() if isinstance(content, str) else content
    return Case(f"hierarchy: {name}", _read, CHECK, code, 3, {"h.csv": data}, says)


def _accepted(name: str, content: str | bytes) -> Case:
    data = content.encode() if isinstance(content, str) else content
    return Case(f"hierarchy: {name}", _read, CHECK, None, 0, {"h.csv": data})


DRINKS = ("ale", "stout", "rye")
LEVELS = ("hierarchy", "build", "d.csv", "--column", "ward", "--by", "levels", "--levels-file", "h.csv")


def _sheet(name: str, content: str, code: str | None, *says: str) -> Case:
    """A sheet of levels, as somebody pastes it: the values are ale, stout and rye."""

    def call(folder: Path) -> object:
        return build_levels(DRINKS, sheet=(folder / "h.csv").read_text(), file="h.csv")

    data = ("id,ward\n" + "".join(f"{n},{one}\n" for n, one in enumerate(DRINKS))).encode()
    files = {"h.csv": content.encode(), "d.csv": data}
    return Case(f"sheet of levels: {name}", call, LEVELS, code, 0 if code is None else 3, files, says)


AMNESIA = "distinct\nname ward\ntype string\nheight 3\n\n"
RANGE = "range\nname age\ntype int\nheight 2\n\n"

CASES = [
    # A tree that is none
    _refused("a cycle of three", "a,b\nb,c\nc,a\n", "hierarchy-cycle", "h.csv", "line", "'a'"),
    _refused("a cycle beside a tree", "x,*\na,b\nb,a\n", "hierarchy-cycle", "h.csv", "'b'"),
    _refused("a cycle in Amnesia text", AMNESIA + "a has b\n\nb has a\n", "hierarchy-cycle", "h.csv"),
    _refused("a cycle in Amnesia JSON", '{"level1":{"a":["b"]},"level2":{"b":["a"]}}', "hierarchy-cycle"),
    _refused(
        "a cycle a hundred thousand long",
        "".join(f"n{n},n{(n + 1) % DEEP}\n" for n in range(DEEP)),
        "hierarchy-cycle",
        "…",
    ),
    _refused("a self-loop", "a,*\nb,b\n", "hierarchy-self-loop", "line 2", "'b'"),
    _refused("a self-loop in Amnesia text", AMNESIA + "a has a\n", "hierarchy-self-loop", "line 6"),
    _refused(
        "two parents in an edge list", "a,x\nx,*\ny,*\na,y\n", "hierarchy-two-parents", "line 4", "'a'", "'x'"
    ),
    _refused("two parents in ARX", "1;0-4;0-9;*\n2;0-4;0-8;*\n", "hierarchy-two-parents", "line 2", "'0-4'"),
    _refused("two parents of a leaf in ARX", "1;a;*\n1;b;*\n", "hierarchy-two-parents", "line 2", "'1'"),
    _refused(
        "two parents in Amnesia JSON",
        '{"level1":{"r":["a","b"]},\n"level2":{"a":["c"],\n"b":["c"]}}',
        "hierarchy-two-parents",
        "line 3",
        "'c'",
    ),
    _refused("two roots in an edge list", "a,x\nb,y\n", "hierarchy-roots", "line 2", "'y'"),
    _refused("two roots in ARX", "a;x;all\nb;y;every\n", "hierarchy-roots", "'all'", "'every'"),
    _refused("a header line in ARX", "value;group;root\na;x;*\nb;x;*\n", "hierarchy-roots", "'root'"),
    _refused("two roots in Amnesia text", AMNESIA + "a has b c\nd has e\n", "hierarchy-roots", "'d'"),
    _refused("a node that nothing links", "a,*\nb,\n", "hierarchy-roots", "line 2", "'b'"),
    _refused(
        "a leaf called like its group",
        "sausage;sausage;meat;*\nham;sausage;meat;*\n",
        "hierarchy-label-levels",
        "line 1",
        "'sausage'",
        "(group)",
    ),
    _refused("a label on two levels", "a;x;y;*\nb;y;z;*\n", "hierarchy-label-levels", "line 2", "'y'"),
    _refused("a label twice in a line", "a;x;a;*\n", "hierarchy-label-levels", "line 1", "'a'"),
    # A file that is none
    _refused("an empty file", "", "hierarchy-empty", "h.csv"),
    _refused("blank lines only", "\n \r\n\n", "hierarchy-empty", "h.csv"),
    _refused("a header only", "child,parent\n", "hierarchy-empty", "h.csv"),
    _refused("Amnesia without levels", AMNESIA, "hierarchy-empty", "h.csv"),
    _refused("one column", "a\nb\n", "hierarchy-format", "line 1"),
    _refused("a short line in ARX", "a;x;*\nb;*\n", "hierarchy-width", "line 2", "'b'"),
    _refused("a long line in ARX", "a;x;*\n\nb;x;*;*\n", "hierarchy-width", "line 3", "4 labels"),
    _refused("three cells in an edge list", "child,parent\na,*\nb,c,*\n", "hierarchy-width", "line 3"),
    _refused("another delimiter half-way", "a;x;*\nb,x,*\n", "hierarchy-width", "line 2"),
    _refused("an unclosed quote", 'a;x;*\n"b;x;*\n', "hierarchy-quote", "line 2"),
    _refused("text after a closing quote", 'a;x;*\n"b"c;x;*\n', "hierarchy-quote", "line 2"),
    _refused("an empty label in ARX", "a;x;*\nb;;*\n", "hierarchy-empty-label", "line 2", "NaN"),
    _refused("an empty child", ",x\n", "hierarchy-empty-label", "line 1"),
    _refused("two spaces in Amnesia text", AMNESIA + "x has a  b\n", "hierarchy-empty-label", "line 6"),
    _refused("a line of Amnesia text without 'has'", AMNESIA + "x hath a b\n", "hierarchy-format", "line 6"),
    _refused("JSON cut short", '{"level1":{"a":["b"', "hierarchy-format", "line 1"),
    _refused("JSON with children that are no list", '{"level1":{"a":"b"}}', "hierarchy-format", "'a'"),
    _refused("JSON with a child that is an object", '{"level1":{"a":[{"b":1}]}}', "hierarchy-format", "'a'"),
    _refused(
        "JSON with half a character", '{"level1":{"a":["b",\n"\\ud800"]}}', "hierarchy-format", "line 2"
    ),
    _refused("JSON nested too deep", '{"level1":' + "[" * DEEP, "hierarchy-format"),
    _refused(
        "JSON of an unknown kind", '{"hierType":"mask","level1":{"a":["b"]}}', "hierarchy-format", "'mask'"
    ),
    _refused(
        "a range that ends before it begins",
        RANGE + "0,9 has 4,0 4,9\n",
        "hierarchy-range",
        "line 6",
        "'4,0'",
    ),
    _refused(
        "a range outside its parent", RANGE + "0,9 has 0,5 5,10\n", "hierarchy-range", "line 6", "'5,10'"
    ),
    _refused("ranges that overlap", RANGE + "0,9 has 0,5 4,9\n", "hierarchy-range", "'4,9'"),
    _refused("a range that is none", RANGE + "0,9 has low,high\n", "hierarchy-range", "'low,high'"),
    Case(
        "hierarchy: a range of too many numbers",
        _read,
        CHECK,
        "hierarchy-too-large",
        5,
        {"h.csv": (RANGE + "0,9999999999 has 0,99 99,9999999999\n").encode()},
        ("h.csv",),
    ),
    _refused("an encoding that is not told", b"caf\xff;*\n", "text-utf8", "line 1"),
    _refused("a NUL byte", b"a;x;*\nb\0;x;*\n", "text-nul", "line 2"),
    Case("hierarchy: no such file", _read, CHECK, "file-missing", 3, {}, ("h.csv",)),
    Case(
        "hierarchy: a folder of hierarchies that is not there",
        lambda folder: read_hierarchies(folder / "no", ["a"]),
        None,
        "folder-missing",
        3,
    ),
    Case(
        "hierarchy: two files for one attribute",
        lambda folder: read_hierarchies(folder / "h", ["age"]),
        None,
        "hierarchy-ambiguous",
        2,
        {"h/age.csv": b"1;*\n", "h/age.txt": b"1;*\n"},
        ("age.csv", "age.txt"),
    ),
    # Hierarchy and data
    Case(
        "hierarchy: values without a leaf",
        _against("a", *(f"v{n:02}" for n in range(25))),
        CHECK_DATA,
        "hierarchy-missing-leaf",
        3,
        {
            "h.csv": b"a;x;*\nb;x;*\n",
            "d.csv": ("ward\na\n" + "".join(f"v{n:02}\n" for n in range(25))).encode(),
        },
        ("25 of the values", "'v00'", "'v19'", "5 more"),
    ),
    Case(
        "hierarchy: a value that is an inner node",
        _against("a", "x"),
        CHECK_DATA,
        "hierarchy-missing-leaf",
        3,
        {"h.csv": b"a;x;*\nb;x;*\n", "d.csv": b"ward\na\nx\n"},
        ("'x'", "inner node"),
    ),
    Case(
        "hierarchy: a missing value without a leaf",
        _against("a", None),
        CHECK_DATA,
        "hierarchy-missing-leaf",
        3,
        {"h.csv": b"a;x;*\nb;x;*\n", "d.csv": b"id,ward\n1,a\n2,\n"},
        ("'NaN'",),
    ),
    Case(
        "hierarchy: intervals over words",
        lambda folder: build_intervals(["a", "1"], width=1),
        ("hierarchy", "build", "d.csv", "--column", "ward", "--by", "intervals", "--width", "1"),
        "hierarchy-not-numbers",
        3,
        {"d.csv": b"ward\na\n1\n"},
        ("'a'",),
    ),
    Case(
        "hierarchy: intervals of no width",
        lambda folder: build_intervals(["1"], width=0),
        ("hierarchy", "build", "d.csv", "--column", "ward", "--by", "intervals", "--width", "0"),
        "parameter-range",
        2,
        {"d.csv": b"ward\n2\n1\n"},
        ("'width'",),
    ),
    Case(
        "hierarchy: a label like 1,5 is no range",
        _against("1,5", "3"),
        CHECK_DATA,
        "hierarchy-missing-leaf",
        3,
        {"h.csv": b"1,5;*\n5,9;*\n", "d.csv": b'id,ward\n1,"1,5"\n2,3\n'},
        ("'3'",),
    ),
    # Surprising, and right
    Case(
        "hierarchy: unused leaves are fine",
        _against("a"),
        CHECK_DATA,
        None,
        0,
        {"h.csv": b"a;x;*\nb;x;*\nc;y;*\n", "d.csv": b"ward\na\na\n"},
    ),
    Case(
        "hierarchy: the leaf of missing values",
        _against("a", None),
        CHECK_DATA,
        None,
        0,
        {"h.csv": b"a;x;*\nNaN;NaN;*\n", "d.csv": b"id,ward\n1,a\n2,\n"},
    ),
    _accepted("uneven depth in an edge list", "a,x\nb,x\nx,*\nc,*\n"),
    _accepted("uneven depth in ARX", "a;a;*\nb;x;*\nc;*;*\n"),
    _accepted("a chain a hundred thousand deep", "".join(f"n{n},n{n + 1}\n" for n in range(DEEP))),
    _accepted("a chain a hundred thousand deep in ARX", ";".join(f"n{n}" for n in range(DEEP))),
    _accepted("a line told twice", "a;x;*\na;x;*\nb;x;*\n"),
    _accepted("a byte order mark and mixed line ends", b"\xef\xbb\xbfa;x;*\r\nb;x;*\nc;x;*\r"),
    _accepted("an only child", "a,x\nx,y\ny,*\n"),
    _accepted("a root told by an empty parent", "child,parent\n*,\na,*\n"),
    _accepted("trailing spaces in Amnesia text", AMNESIA + "x has a b \n\n* has x \n\n"),
    _accepted("case twins are two nodes", "Flu;x;*\nflu;x;*\n"),
    # Sheets of levels
    _sheet("nothing", "\n \t \n", "hierarchy-empty", "h.csv"),
    _sheet("one column", "ale\nstout\nrye\n", "hierarchy-format", "line 1", "one column"),
    _sheet("no value of the data", "a\tx\nb\tx\n", "hierarchy-missing-leaf", "'ale'"),
    _sheet(
        "values between their groups",
        "b,ale,drinks\nb,stout,drinks\nc,rye,food\n",
        "hierarchy-format",
        "column 2 of 3",
    ),
    _sheet("a value without a row", "ale,beer\nstout,beer\n", "hierarchy-missing-leaf", "'rye'"),
    _sheet(
        "a value that is misspelled",
        "ale,beer\nstuot,beer\nrye,bread\n",
        "hierarchy-missing-leaf",
        "'stout'",
        "'stuot'",
    ),
    _sheet(
        "a row without a value",
        "ale,beer\nstout,beer\nrye,bread\n,bread\n",
        "hierarchy-empty-label",
        "line 4",
    ),
    _sheet(
        "a value twice",
        "ale,beer\nstout,beer\nrye,bread\nale,bread\n",
        "hierarchy-two-parents",
        "line 4",
        "'ale'",
    ),
    _sheet(
        "a group in two groups",
        "ale,beer,drinks\nstout,beer,food\nrye,bread,food\n",
        "hierarchy-two-parents",
        "line 2",
        "'beer'",
    ),
    _sheet(
        "a group called like a value",
        "ale,rye\nstout,rye\nrye,bread\n",
        "hierarchy-label-levels",
        "line 3",
        "'rye'",
    ),
    _sheet("groups in a circle", "ale,a,b,a\nstout,a,b,a\nrye,a,b,a\n", "hierarchy-cycle", "'a'"),
    _sheet("an unclosed quote", 'ale,"beer\nstout,beer\n', "hierarchy-quote", "line 1"),
    _sheet("no root, uneven", "ale,beer,drinks\nstout,beer,drinks\nrye\n", None),
    _sheet("tabs and a header", "Name\tKind\nale\tbeer\nstout\tbeer\nrye\tbread\n", None),
    _sheet("merged cells, values last", "Drinks\tbeer\tale\n\t\tstout\nFood\tbread\trye\n", None),
    _sheet("a header over values that come last", "group,kind,item\nd,b,ale\nd,b,stout\nf,c,rye\n", None),
    _sheet(
        "a catalogue with more than the data have", "ale,beer\nporter,beer\nstout,beer\nrye,bread\n", None
    ),
]
