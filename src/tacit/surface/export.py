"""A release in another format, written beside it.

The folder of a release holds plain text alone, all of which the verifier reads. Whoever works with Parquet,
Excel or another format takes a copy of one of its tables or of its transactions out of it here; it is read
from the published files, so that it holds what they hold.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import polars as pl

from tacit.data.column import encode
from tacit.data.hierarchy import NULL_LABEL, from_parents
from tacit.errors import UsageError
from tacit.io.hierarchies import hierarchy_text
from tacit.io.output import whole_file
from tacit.io.readers import read_transactions
from tacit.io.readers.csv import SEPARATORS
from tacit.io.readers.formats import SET_FORMATS
from tacit.io.writers import write_csv, write_table, write_transactions
from tacit.options import Says, check_options, options_of, verb
from tacit.ranges import OneOf, Optional, Words
from tacit.release import Manifest, read_manifest
from tacit.release.reading import READ_AS
from tacit.release.store import check_beside
from tacit.release.verification import refuse_broken, verify

TABLES = {name: f".{name}" for name in ("csv", "tsv", "parquet", "arrow", "xlsx", "json")}
SETS = (*SET_FORMATS, "csv", "parquet")
TO = OneOf(tuple(dict.fromkeys((*TABLES, *SETS, "hierarchy"))))
"""What a release can be exported to; which of them depends on its kind."""


TEXT = {"csv": ("delimiter", "encoding"), "tsv": ("encoding",)}
"""The formats of text, and which options say something to each."""
Written = dict[str, str]
"""What is asked of how text is written, and does not go without saying: its delimiter, its encoding."""


@dataclass(frozen=True)
class Exported:
    """A copy of one published file in another format."""

    folder: str
    of: str
    file: str
    to: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.file}: {self.of} of {self.folder} as {self.to}"


@verb
def export(
    folder: str | Path,
    file: str | Path,
    *,
    to: Annotated[
        str,
        TO,
        Says(
            "Format",
            "The format. A table: csv, tsv, parquet, arrow, xlsx or json (rows as objects). Transactions:"
            " dat, spmf, basket, csv, long (record, item), jsonl or parquet. The mapping of a"
            " generalized release also: hierarchy.",
            values=(
                ("csv", "CSV"),
                ("xlsx", "Excel workbook"),
                ("parquet", "Parquet"),
                ("tsv", "text with tabs"),
                ("json", "JSON"),
                ("arrow", "Arrow"),
                *((entry.name, entry.title) for entry in SET_FORMATS.values()),
            ),
        ),
    ],
    of: Annotated[
        str | None,
        Optional(Words()),
        Says(
            "File",
            "Which file, where the release has several: qit (the default) or st, table (the default) or"
            " hierarchies, transactions (the default) or mapping.",
        ),
    ] = None,
    delimiter: Annotated[
        str,
        OneOf(SEPARATORS),
        Says(
            "Between cells",
            "What separates the cells of a table as csv: ; for spreadsheets of most of Europe.",
            values=((",", "comma"), (";", "semicolon (Excel in most of Europe)"), ("|", "bar")),
        ),
    ] = ",",
    encoding: Annotated[
        str,
        Words(),
        Says(
            "Encoding",
            "Of a table as csv or tsv; utf-8-sig begins with the mark by which Excel knows UTF-8.",
            values=(
                ("utf-8", "UTF-8"),
                ("utf-8-sig", "UTF-8 with the mark for Excel"),
                ("cp1252", "Windows-1252"),
            ),
        ),
    ] = "utf-8",
    overwrite: bool = False,
) -> Exported:
    """Write a published table, transactions or rules in another format, beside the release.

    ``folder`` is the release, which the verifier must not refuse; it holds plain text alone, because the
    verifier reads all of it. ``file`` is where the copy goes: not into the folder of the release.

    {options}
    """
    asked = {"delimiter": delimiter, "encoding": encoding}
    written = {name: value for name, value in asked.items() if options_of(export)[name].given(value)}
    _refuse_unused(written, to)
    place, target = Path(folder), Path(file)
    manifest = _unbroken(place, target, to)
    name = _file_of(manifest, of)
    _write(place, manifest, name, target, to, written, overwrite=overwrite)
    return Exported(str(folder), name, str(file), to)


def export_all(folder: Path, target: Path, *, to: str, **written: str) -> tuple[str, ...]:
    """Write every file of a release in a format, into a folder that is there; the names of the copies.

    What the format has no place for, such as the mapping beside transactions, becomes ``csv``.
    """
    options = options_of(export)
    check_options("export", options, {"to": to, **written})
    manifest = _unbroken(folder, target, to)
    made = []
    for name in sorted(manifest.files, key=_first):
        sets = name.startswith("transactions")
        becomes = to if to in (SETS if sets else TABLES) else "csv"
        suffix = SET_FORMATS[becomes].suffixes[0] if becomes in SET_FORMATS else f".{becomes}"
        meant = () if sets else TEXT.get(becomes, ())
        own = {one: value for one, value in written.items() if one in meant and options[one].given(value)}
        made.append(f"{name.partition('.')[0]}{suffix}")
        _write(folder, manifest, name, target / made[-1], becomes, own, overwrite=True)
    return tuple(made)


def _refuse_unused(written: Written, to: str) -> None:
    """Raise for what says nothing to a format."""
    for option in written:
        if option not in TEXT.get(to, ()):
            raise UsageError(
                f"The option {option!r} says nothing to what is written here.",
                code="option-format",
                option=option,
                hint="It belongs to tables as csv; leave it out.",
            )


def _unbroken(place: Path, target: Path, to: str) -> Manifest:
    """What a release says of itself, once the verifier was asked."""
    manifest = read_manifest(place)
    check_beside(target, place, "A copy", hint=f"Name a file beside it, such as {place.name}.{to}.")
    refuse_broken(verify(place), hint="Nothing was exported.")
    return manifest


def _write(
    place: Path, manifest: Manifest, name: str, target: Path, to: str, written: Written, *, overwrite: bool
) -> None:
    if name.startswith("transactions"):
        _refuse_unused(written, "sets")
        _export_sets(place, manifest, name, target, to, overwrite=overwrite)
    elif to == "hierarchy" and name == "mapping.csv":
        with whole_file(target, overwrite=overwrite) as beside:
            beside.write_text(_cut_of(place, manifest), encoding="utf-8")
    elif to not in TABLES:
        raise _not_to(to, name, TABLES)
    else:
        frame = _frame(place / name)
        if "hierarchies.csv" in manifest.files and name != "hierarchies.csv":
            # A missing value is a node in the release; in a copy it is missing, as in every other column.
            coarser = [column for column in frame.columns if column in manifest.parameters["quasi"]]
            empty = (frame[column].replace({NULL_LABEL: None}) for column in coarser)
            frame = frame.with_columns(*empty)
        _export_table(frame, target, to, written, overwrite=overwrite)


def _file_of(manifest: Manifest, of: str | None) -> str:
    """The published file that is meant."""
    names = {name.partition(".")[0]: name for name in sorted(manifest.files, key=_first)}
    if of is None:
        return next(iter(names.values()))
    if of not in names:
        raise UsageError(
            f"The release has no {of!r}.",
            code="export-of-unknown",
            hint=f"Name one of these: {', '.join(names)}.",
        )
    return names[of]


def _first(name: str) -> bool:
    return name in ("st.csv", "mapping.csv", "hierarchies.csv")


def _frame(file: Path) -> pl.DataFrame:
    """A published table; the rules of a release as one row each."""
    if file.suffix == ".csv":
        return pl.read_csv(file, infer_schema=False)
    content = json.loads(file.read_text(encoding="utf-8"))
    rows = [
        {name: rule["antecedent"].get(name) for name in content["quasi"]}
        | {content["sensitive"]: rule["value"]}
        | {name: rule.get(name) for name in ("matching", "support")}
        for rule in content["rules"]
    ]
    texts = dict.fromkeys([*content["quasi"], content["sensitive"]], pl.String)
    return pl.DataFrame(rows, schema={**texts, "matching": pl.Int64, "support": pl.Int64})


def _export_table(frame: pl.DataFrame, target: Path, to: str, written: Written, *, overwrite: bool) -> None:
    if to == "json":
        with whole_file(target, overwrite=overwrite) as beside:
            beside.write_text(frame.write_json() + "\n", encoding="utf-8")
        return
    _check_suffix(target, TABLES[to])
    if not written:
        write_table(frame, target, overwrite=overwrite)
        return
    separator = "\t" if to == "tsv" else written.get("delimiter", ",")
    with whole_file(target, overwrite=overwrite) as beside:
        write_csv(list(map(encode, frame)), beside, separator=separator, spreadsheet_safe=False)
        beside.write_bytes(_encoded(beside.read_bytes().decode(), written.get("encoding", "utf-8")))


def _encoded(text: str, encoding: str) -> bytes:
    """A text in an encoding, unless a character of it has no place there."""
    try:
        return text.encode(encoding)
    except LookupError:
        code, found = "unknown-encoding", f"There is no text encoding {encoding!r}."
    except UnicodeEncodeError as error:
        code, found = "text-encoding", f"{text[error.start]!r} cannot be written as {encoding}."
    raise UsageError(found, code=code, option="encoding", hint="Write it as 'utf-8' or 'utf-8-sig'.")


def _export_sets(
    place: Path, manifest: Manifest, name: str, target: Path, to: str, *, overwrite: bool
) -> None:
    if to not in SETS:
        raise _not_to(to, name, SETS)
    sensitive = manifest.parameters.get("sensitive")
    records = read_transactions(
        place / name, format=READ_AS[Path(name).suffix], sensitive=sensitive, twins="keep"
    )
    if to == "parquet":
        _check_suffix(target, ".parquet")
    as_layout = {"csv": "basket", "parquet": "long"}.get(to, to)
    write_transactions(records, target, format=as_layout, overwrite=overwrite)


def _cut_of(place: Path, manifest: Manifest) -> str:
    """The cut in ARX form: leaf, published node, root."""
    mapping = dict(_frame(place / "mapping.csv").iter_rows())
    roots = [node["node"] for node in manifest.utility.get("cut", ()) if node["parent"] is None]
    root = roots[0] if roots else "*"
    parents = {leaf: node for leaf, node in mapping.items() if leaf != node}
    parents |= {node: root for node in mapping.values() if node != root}
    return hierarchy_text(from_parents(parents, root=root))


def _check_suffix(target: Path, suffix: str) -> None:
    if target.suffix.lower() != suffix:
        raise UsageError(
            f"The name of the file ends in {target.suffix!r}, not in {suffix!r}.",
            code="export-suffix",
            hint=f"Name a file such as {target.with_suffix(suffix)}.",
        )


def _not_to(to: str, name: str, formats: Any) -> UsageError:
    return UsageError(
        f"{name} cannot be exported to {to!r}.",
        code="export-format",
        hint=f"Choose one of these: {', '.join(formats)}.",
    )
