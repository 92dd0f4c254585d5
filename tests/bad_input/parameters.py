"""Parameters and rules as people write them: out of range, out of reach, malformed, contradicted."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import tacit
from tests.bad_input.case import Case

VALUES = ("flu", "cold", "ulcer", "flu")
TABLE = (
    "zip,sex,disease\n" + "".join(f"{'ab'[n % 2]},{'mf'[n // 4 % 2]},{VALUES[n % 4]}\n" for n in range(16))
).encode()
BASKETS = b"1 2 3\n1 2\n1 3\n2 3\n1 2 3\n4\n"
TREE = b"1;A;*\n2;A;*\n3;B;*\n4;B;*\n"
FILES = {"t.csv": TABLE, "b.dat": BASKETS, "h.csv": TREE, "s.txt": b"1 2\n"}
ROLES = ("--quasi", "zip,sex", "--sensitive", "disease")


def table(folder: Path) -> tacit.Table:
    return tacit.read_table(folder / "t.csv", quasi="zip, sex", sensitive="disease")


def baskets(folder: Path) -> tacit.Transactions:
    return tacit.read_transactions(folder / "b.dat", hierarchy=folder / "h.csv")


VERBS: dict[str, tuple[Callable[..., Any], Callable[[Path], Any], tuple[str, ...], dict[str, Any]]] = {
    "bucketize": (tacit.bucketize, table, ("bucketize", "t.csv", *ROLES), {"l": 2}),
    "generalize": (
        tacit.generalize,
        baskets,
        ("generalize", "b.dat", "--hierarchy", "h.csv"),
        {"k": 2, "m": 1},
    ),
    "hide": (
        tacit.hide,
        baskets,
        ("hide", "b.dat"),
        {"patterns": Path("s.txt"), "min_support": 3},
    ),
    "disclose": (
        tacit.disclose,
        table,
        ("disclose", "t.csv", *ROLES),
        {"min_support": 2, "min_confidence": Decimal("0.1")},
    ),
    "mine itemsets": (tacit.mine_itemsets, baskets, ("mine", "itemsets", "b.dat"), {"min_support": 2}),
    "mine rules": (
        tacit.mine_rules,
        table,
        ("mine", "rules", "t.csv", *ROLES),
        {"min_support": 2, "min_confidence": Decimal("0.1")},
    ),
    "mine negative": (tacit.mine_negative_rules, table, ("mine", "negative", "t.csv", *ROLES), {}),
}
FLAGS = {"l": "-l", "k": "-k", "m": "-m", "format": "--publish-as"}
"""How parameters are called on the command line where it is not as in the library."""


def asked(
    verb: str,
    code: str | None,
    *,
    exit_code: int = 2,
    says: tuple[str, ...] = (),
    files: dict[str, bytes] | None = None,
    typed: dict[str, str] | None = None,
    spoken: bool = True,
    case: str | None = None,
    **parameters: Any,
) -> Case:
    """A case that calls a verb and its command with the same parameters.

    ``typed`` says how a value is typed where that differs; ``spoken`` is False where it cannot be typed.
    """
    function, load, command, usual = VERBS[verb]
    given = usual | parameters
    texts = {name: str(value) for name, value in given.items() if value is not None} | (typed or {})
    flags = [f"{FLAGS.get(name, '--' + name.replace('_', '-'))}={text}" for name, text in texts.items()]
    flags = [flag.replace("=", " ", 1) if flag[1] != "-" else flag for flag in flags]
    tokens = [part for flag in flags for part in (flag.split(" ", 1) if flag[1] != "-" else [flag])]
    shown = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return Case(
        f"parameters of {verb}: {case or shown}",
        call=lambda folder: function(load(folder), **given),
        command=(*command, *tokens) if spoken else None,
        code=code,
        exit_code=0 if code is None else exit_code,
        files=FILES | (files or {}),
        says=says,
    )


def out_of_range(verb: str, name: str, values: list[Any], *, unspoken: tuple[Any, ...] = ()) -> list[Case]:
    """Values outside the range that a parameter declares: one code for all of them."""
    return [
        asked(
            verb,
            "parameter-range",
            says=(name.rpartition("_")[2],),
            spoken=value not in unspoken,
            **{name: value},
        )
        for value in values
    ]


def secret(content: bytes, code: str | None, *, case: str, **more: Any) -> Case:
    """A file of patterns to hide."""
    return asked(
        "hide", code, files={"s.txt": content}, case=case, exit_code=more.pop("exit_code", 3), **more
    )


def known(content: str, code: str | None, *, case: str, verb: str = "mine negative", **more: Any) -> Case:
    """A file of rules: negative rules that readers know, or rules that are to be published."""
    files = {"r.txt": content.encode()}
    return asked(verb, code, files=files, case=case, exit_code=3, rules=Path("r.txt"), **more)


COUNTS: list[Any] = [0, -3, Decimal("2.5"), True, math.nan, math.inf]
SHARES: list[Any] = [0, -1, math.nan, math.inf]

CASES = (
    known("[" * 100_000, "rules-json", case="brackets without end", verb="disclose"),
    # Counts: neither zero, negative, broken, boolean nor not a number.
    *out_of_range("bucketize", "l", [1, *COUNTS]),
    *out_of_range("bucketize", "k", [1, *COUNTS]),
    *out_of_range("generalize", "k", [1, *COUNTS]),
    *out_of_range("generalize", "m", COUNTS),
    *out_of_range("mine itemsets", "max_length", COUNTS),
    *out_of_range("mine negative", "max_length", [0, -1, 1.5]),
    *out_of_range("disclose", "max_length", [0, -1, 1.5]),
    *out_of_range("hide", "window", [0, -1, 1.5], unspoken=(0, -1)),  # of another method than the usual
    # Thresholds: a count of at least 1, or a share above 0 and up to 1.
    *out_of_range("hide", "min_support", [0, -3, 1.5, math.nan, math.inf]),
    *out_of_range("mine itemsets", "min_support", [0, -3, 1.5, math.nan, math.inf]),
    *out_of_range("disclose", "min_support", [0, -3, 1.5, math.nan, math.inf]),
    asked("mine itemsets", "parameter-range", min_support=True, spoken=False),
    # Shares.
    *out_of_range("mine rules", "min_confidence", [*SHARES, 2]),
    *out_of_range("disclose", "min_confidence", [*SHARES, 2]),
    *out_of_range("mine negative", "min_expectation", [*SHARES, 1]),
    *out_of_range("bucketize", "max_posterior", [*SHARES, 1]),
    *out_of_range("bucketize", "max_posterior_suppressed", [*SHARES, 1]),
    *out_of_range("bucketize", "max_learned", [*SHARES, 1]),
    *out_of_range("hide", "confidence", [*SHARES, 1]),
    *out_of_range("generalize", "max_suppressed", [-1, math.nan, 1]),
    # Words.
    *out_of_range("bucketize", "algorithm", ["bogus", ""]),
    *out_of_range("bucketize", "form", ["bogus"]),
    *out_of_range("generalize", "algorithm", ["bogus"]),
    *out_of_range("hide", "policy", ["bogus"]),
    *out_of_range("disclose", "scores", ["bogus"]),
    # What would do nothing is refused.
    asked("generalize", "parameter-unused", restarts=3, says=("best",)),
    asked("generalize", "parameter-unused", time_budget=3, says=("optimal",)),
    asked("generalize", "parameter-unused", max_narrowed=0.1, says=("auto",)),
    # Two spellings of one sensitive value would promise a choice that is none.
    asked(
        "bucketize",
        "sensitive-twins",
        exit_code=3,
        files={"t.csv": b"zip,sex,disease\n1,f,7\n2,m,7.0\n3,f,8\n"},
        says=("'7'", "'7.0'"),
        case="one number spelled twice in the sensitive column",
    ),
    asked(
        "bucketize",
        "sensitive-twins",
        exit_code=3,
        files={"t.csv": "zip,sex,disease\n1,f,cancer\n2,m,c\u0430ncer\n3,f,flu\n".encode()},
        says=("'cancer'", "\\u0430"),
        case="a Cyrillic letter in a sensitive value",
    ),
    asked(
        "bucketize", "hierarchy-needed", join_values=True, typed={"join_values": "true"}, says=("disease",)
    ),
    asked("bucketize", "parameter-unused", max_posterior_suppressed=0.5, says=("suppress",)),
    asked("bucketize", "suppression-unbounded", on_infeasible="suppress", says=("max-posterior-suppressed",)),
    asked("bucketize", "accept-reason", accept="ward", says=("why",)),
    asked("bucketize", "accept-reason", accept=f"ward={'why ' * 51}", says=("200 characters",)),
    asked("bucketize", "accept-unused", accept="ward=because", says=("not published",)),
    asked("bucketize", "unknown-column", person="nobody", says=("'nobody'",)),
    asked("bucketize", "person-published", person="sex", says=("cannot be published",)),
    # What the data cannot meet is infeasible, and says what they can.
    asked(
        "bucketize",
        "infeasible-l",
        exit_code=4,
        l=4,
        says=("largest feasible", "3"),
        case="l above the values",
    ),
    asked(
        "generalize", "infeasible-k", exit_code=4, k=7, says=("largest feasible k is 6",), case="k above n"
    ),
    asked("generalize", None, m=99, case="m above the longest record is met by the longest"),
    asked("hide", None, min_support=99, case="a support above n: everything is infrequent already"),
    # Patterns to hide.
    secret(b"", "pattern-malformed", case="an empty file of patterns"),
    secret(b"# only a comment\n\n", "pattern-malformed", case="a file without a pattern"),
    secret(b"1 99\n", "unknown-item", case="an unknown item", says=("99", "line 1")),
    secret(b"1 => \n", "pattern-empty", case="a rule without a right side", says=("line 1",)),
    secret(b"1 => 1\n", "rule-sides", case="a rule with one item on both sides", says=("line 1",)),
    secret(b"\xff\xfe\n", "patterns-unreadable", case="patterns that are no text", says=("UTF-8",)),
    secret(b"1 2\n2 1\n1 2\n", None, case="a pattern named twice is one"),
    secret(b"1 4\n", None, case="a pattern that is infrequent already is left"),
    # Rules that readers know.
    known("this is no rule\n", "rule-malformed", case="not a rule", says=("line 1", "=> not")),
    known("sex=m => disease=flu\n", "rule-malformed", case="a rule that is not negative", says=("line 1",)),
    known("age=4 => not disease=flu\n", "rule-unknown", case="an unknown attribute", says=("age",)),
    known("sex=x => not disease=flu\n", "rule-unknown", case="an unknown value", says=("x",)),
    known("sex=m => not disease=gout\n", "rule-unknown", case="an unknown sensitive value", says=("gout",)),
    known("=> not disease=flu\n", "rule-empty", case="an empty left side", says=("line 1",)),
    known("zip=a => not disease=cold\n" * 2, "rule-duplicate", case="a rule given twice", says=("line 2",)),
    known("sex=m => not disease=flu\n", "rule-contradicted", case="a rule that a row contradicts"),
    # Rules that are to be published.
    known("sex=m -> disease=flu\n", "rule-malformed", case="no arrow", verb="disclose", says=("line 1",)),
    known(
        "age=4 => disease=flu\n", "rule-unknown", case="an unknown attribute", verb="disclose", says=("age",)
    ),
    known(
        "sex=m => disease=gout\n", "rule-unknown", case="an unknown value", verb="disclose", says=("gout",)
    ),
    known(
        "sex=m => disease=flu support=4 confidence=1.5\n",
        "rule-confidence",
        case="a confidence above 1",
        verb="disclose",
    ),
    known(
        "sex=m => disease=flu support=99 confidence=0.5\n",
        "rule-scores",
        case="a support above n",
        verb="disclose",
    ),
)
