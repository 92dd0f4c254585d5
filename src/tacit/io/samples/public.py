"""Public data sets that research on private publishing is measured on.

They are not part of Tacit: the files are looked for in a folder (``path``, else the environment
variable ``TACIT_DATA``) and checked by their SHA-256, so that figures from one machine can be
compared with those from another. Adult [1] is a table; Groceries [2] and the two click-streams of
KDD Cup 2000 [3] are transactions.

[1] B. Becker, R. Kohavi. Adult. UCI Machine Learning Repository, 1996 (CC BY 4.0).
[2] M. Hahsler, K. Hornik, T. Reutterer. Implications of probabilistic data modeling for mining
    association rules. GfKl 2005.
[3] R. Kohavi et al. KDD-Cup 2000 organizers' report. SIGKDD Explorations 2(2), 2000.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

from tacit.data.hierarchy import Hierarchy, from_parents
from tacit.data.table import Table, table_from_frame
from tacit.data.transactions import Transactions, from_pairs
from tacit.errors import InputError, Place
from tacit.io.hierarchies import read_hierarchy
from tacit.io.readers.opening import read_whole
from tacit.io.samples import without_gaps
from tacit.ranges import OneOf, Whole, check

DATA_VARIABLE = "TACIT_DATA"
"""The environment variable that names the folder of the public data sets."""

ADULT_COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country",
    "salary",
)  # fmt: skip
ADULT_QUASI = ("age", "workclass", "education", "marital-status", "race", "sex")
ADULT_SENSITIVE = ("occupation",)
_ADULT_NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
_ADULT_FILES = {"train": ("adult.data",), "test": ("adult.test",), "all": ("adult.data", "adult.test")}
# The hierarchy of the salary was published under another name.
_ADULT_HIERARCHY_FILES = {name: f"{name}.csv" for name in ADULT_COLUMNS} | {"salary": "salary-class.csv"}

SHA256 = {
    "adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    "adult.test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
    "Groceries.dat": "423bb0434e496ce6a14747e5fbdc4ea2a1c73716571e70c41cca0dddd556aa2f",
    "Groceries_items.csv": "6ea017b06097aa589e24c887d81d55e709e8a016a6e99ce98075a7b4ea5ec4f1",
    "BMS-WebView-1.dat": "ea5189346c5f719204508c0ba3cd53a34d01181f2aebbcf65ff4ef57acaadea2",
    "BMS-WebView-2.dat": "4cd78d2d07a0ae3ee4b471b19260c1a2d5252301657d7e9dd33335e4c10f39df",
}
"""The digest of each file as it was published."""

_BELOW = {"adult": "adult", "groceries": "groceries", "webview": ""}
_PUBLISHERS = {
    "adult": "the data set 'Adult' of the UCI Machine Learning Repository",
    "groceries": "the data set 'Groceries' of the R package arules, as Groceries.dat and Groceries_items.csv",
    "webview": "the click-streams BMS-WebView-1 and BMS-WebView-2 of KDD Cup 2000, as FIMI files",
}


def adult(*, part: str = "all", path: str | Path | None = None, drop_missing: bool = True) -> Table:
    """UCI Adult with the roles that the literature gives it: who earns a living how.

    ``part`` is ``"train"``, ``"test"`` or ``"all"``. A row with a missing value (``?``) in any of
    the 15 columns is dropped; with ``drop_missing=False`` it is kept, and the value is null.
    Hierarchies are attached from the folder ``hierarchies`` beside the files, where it is.
    """
    check("adult", {"part": OneOf(("all", "train", "test"))}, part=part)
    files = [_checked(path, "adult", name) for name in _ADULT_FILES[part]]
    frame = pl.concat([_adult_frame(file.read_bytes()) for file in files])
    hierarchies = files[0].parent / "hierarchies"
    notes: tuple[str, ...] = ()
    if drop_missing:
        kept = frame.drop_nulls()
        notes = (f"{frame.height - kept.height} rows with a missing value were dropped.",)
        frame = kept
    return table_from_frame(
        frame,
        quasi=ADULT_QUASI,
        sensitive=ADULT_SENSITIVE,
        hierarchies={
            name: read_hierarchy(hierarchies / file, name=name)
            for name, file in _ADULT_HIERARCHY_FILES.items()
            if (hierarchies / file).is_file()
        },
        origin="sample:adult",
        notes=notes,
    )


def groceries(*, path: str | Path | None = None) -> Transactions:
    """One month of a grocery, with its own hierarchy item → level 2 → level 1 → root."""
    products = pl.read_csv(_checked(path, "groceries", "Groceries_items.csv"))
    numbered = _fimi(_checked(path, "groceries", "Groceries.dat"), "sample:groceries")
    labels = dict(zip(products["item"].cast(pl.String), products["labels"], strict=True))
    names = [labels[number] for number in numbered.vocabulary]
    order = sorted(range(len(names)), key=lambda code: names[code].encode())
    records = np.repeat(np.arange(len(numbered)), numbered.lengths)
    renumbered, _ = without_gaps(np.argsort(order)[numbered.items], len(names))
    named = from_pairs(records, renumbered, len(numbered), tuple(names[code] for code in order))
    return replace(
        named, hierarchy=_grocery_hierarchy(products), origin="sample:groceries", notes=numbered.notes
    )


def webview(number: int = 1, *, path: str | Path | None = None) -> Transactions:
    """A click-stream of KDD Cup 2000: the pages of a shop that each visitor looked at; 1 or 2."""
    check("webview", {"number": Whole(1, 2)}, number=number)
    return _fimi(_checked(path, "webview", f"BMS-WebView-{number}.dat"), f"sample:webview{number}")


def _checked(path: str | Path | None, sample: str, name: str) -> Path:
    """The file in the folder asked for, else below ``$TACIT_DATA``, once known to be the published one."""
    root = os.environ.get(DATA_VARIABLE)
    below = _BELOW[sample]
    publisher = _PUBLISHERS[sample]
    folder = Path(path) if path is not None else Path(root) / below if root else None
    if folder is None or not (folder / name).is_file():
        looked = (
            f"the environment variable {DATA_VARIABLE} is not set"
            if folder is None
            else f"{str(folder)!r} holds none"
        )
        raise InputError(
            f"The sample {sample!r} needs the file {name!r}, and {looked}.",
            code="sample-missing",
            where=None if folder is None else Place(file=str(folder / name)),
            hint=f"Get {publisher}. Put it into a folder '{Path('DIR') / below}' and set {DATA_VARIABLE}=DIR,"
            " or give that folder as path.",
        )
    file = folder / name
    found = hashlib.sha256(read_whole(file)).hexdigest()
    if found != SHA256[name]:
        raise InputError(
            f"The file {name!r} is not the published one: its SHA-256 begins with {found[:12]},"
            f" expected {SHA256[name][:12]}.",
            code="sample-changed",
            where=Place(file=str(file)),
            hint=f"Get it again, unchanged: {publisher}. A file of your own is read by read_table or"
            " read_transactions.",
        )
    return file


def _adult_frame(content: bytes) -> pl.DataFrame:
    """The rows of one of the two files; missing values are null."""
    # The test file begins with a line that is no row, and its labels end in a full stop.
    lines = content[content.index(b"\n") + 1 :] if content.startswith(b"|") else content
    frame = pl.read_csv(
        BytesIO(lines.rstrip(b"\n")),
        has_header=False,
        new_columns=list(ADULT_COLUMNS),
        infer_schema=False,
    )
    cells = pl.all().str.strip_chars(" ")
    return (
        frame.select(cells)
        .with_columns(pl.col("salary").str.strip_suffix("."))
        .with_columns(pl.when(pl.all() != "?").then(pl.all()))
        .with_columns(pl.col(_ADULT_NUMBERS).cast(pl.Int64))
    )


def _fimi(file: Path, origin: str) -> Transactions:
    """The transactions of a FIMI file."""
    from tacit.io.readers.transactions import read_transactions

    return replace(read_transactions(file, format="dat"), origin=origin)


def _grocery_hierarchy(products: pl.DataFrame) -> Hierarchy:
    """item → level 2 → level 1 → root; a label that stands on two levels says on the upper which it is."""
    items = products["labels"].to_list()
    groups = {label: f"{label} (group)" if label in items else label for label in products["level2"]}
    taken = {*items, *groups.values()}
    departments = {
        label: f"{label} (department)" if label in taken else label for label in products["level1"]
    }
    parents = {item: groups[group] for item, group in zip(items, products["level2"], strict=True)}
    for group, department in zip(products["level2"], products["level1"], strict=True):
        parents[groups[group]] = departments[department]
        parents[departments[department]] = _GROCERY_ROOT
    return from_parents(parents, name="groceries", root=_GROCERY_ROOT)


_GROCERY_ROOT = "*"
