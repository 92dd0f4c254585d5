"""One small table and one set of baskets, and every release that Tacit makes of them."""

from __future__ import annotations

import random
from pathlib import Path

NAMES = ("Zaphod Beeblebrox", "Trillian Astra", "Slartibartfast")
"""People who are nowhere but in columns that are dropped or have no role."""
RARE = "zarniwoop"
"""An item of one record that generalizing leaves out."""
FILE = "quxford-hospital"
"""A part of the name of the input files."""

HEADER = "patient,note,zip,sex,disease"
KEY = ("--key-file", "key")
ROLES = ("--quasi", "zip,sex", "--sensitive", "disease", "--drop", "patient")
TABLE = f"{FILE}.csv"
BASKETS = f"{FILE}.dat"

RELEASES: dict[str, tuple[str, ...]] = {
    **{
        f"bucketize {method} {form}": (
            *("bucketize", TABLE, *ROLES, *KEY, "-l", "2", "--algorithm", method, "--form", form),
            *("--drop-rules", "dropped.txt"),
        )
        for method in ("injector", "anatomy")
        for form in ("qit", "permuted")
    },
    "bucketize suppressing": (
        *("bucketize", TABLE, *ROLES, *KEY, "-l", "2", "--max-posterior", "0.4", "--partners", "any"),
        *("--on-infeasible", "suppress", "--max-posterior-suppressed", "0.9"),
    ),
    "generalize": ("generalize", BASKETS, "--hierarchy", "tree.csv", "-k", "4", "-m", "2"),
    "generalize best": (
        *("generalize", BASKETS, "--hierarchy", "tree.csv", "-k", "4", "-m", "2", *KEY),
        *("--algorithm", "best", "--restarts", "2"),
    ),
    "generalize suppressing": (
        *("generalize", BASKETS, "--hierarchy", "tree.csv", "-k", "4", "-m", "1", "--max-suppressed", "0.01"),
    ),
    **{
        f"hide {policy}": (
            *("hide", BASKETS, *KEY, "--patterns", "secret.txt", "--min-support", "20", "--policy", policy),
        )
        for policy in ("certified", "exact")
    },
    "hide swa": (
        *("hide", BASKETS, *KEY, "--patterns", "secret.txt", "--min-support", "20", "--algorithm", "swa"),
    ),
    "rules": (
        *("rules", TABLE, *ROLES, "--min-support", "5", "--min-confidence", "0.1"),
        *("--max-posterior", "0.9"),
    ),
}
"""The command of each kind of release, without its output."""


def arguments(kind: str, folder: str) -> list[str]:
    """The command line that makes a release of this kind in a folder."""
    return [*RELEASES[kind], "--output", folder]


def write_inputs(folder: Path, *, order: int = 0) -> None:
    """The inputs of all the commands, their rows in an order of their own."""
    made = random.Random(42)
    people = []
    for number in range(240):
        sex = made.choice("mf")
        disease = made.choice(("flu", "cold", "ulcer", "gout", "asthma", "cyst" if sex == "f" else "gout"))
        name, note = NAMES[number % 2] + f" {number}", f"{NAMES[2]} {number}"
        people.append(f"{name},{note},{made.choice('abc')},{sex},{disease}")
    sets = [
        made.sample(["beer", "diapers", "milk", "bread", "wine", "eggs"], made.randint(1, 4))
        for _ in range(240)
    ]
    sets[7] = [RARE]
    rows = [" ".join(items) for items in sets]
    shuffled = random.Random(order)
    shuffled.shuffle(people)
    shuffled.shuffle(rows)
    (folder / TABLE).write_text("\n".join([HEADER, *people]) + "\n")
    (folder / BASKETS).write_text("\n".join(rows) + "\n")
    (folder / "secret.txt").write_text("beer diapers\nmilk => wine\n")
    (folder / "dropped.txt").write_text("sex=m => not disease=cyst\n")
    items = ["beer", "bread", "diapers", "eggs", "milk", "wine", RARE]
    tops = dict(zip(items, "ABABABA", strict=True))
    (folder / "tree.csv").write_text("".join(f"{item};{tops[item]};*\n" for item in items))
    (folder / "key").write_text("0b" * 32 + "\n")
    (folder / "key").chmod(0o600)
