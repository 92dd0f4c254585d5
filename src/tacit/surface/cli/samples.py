"""Built-in data: ``tacit sample`` writes them to a file, ``tacit demo`` does everything on them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tacit.data.table import Table
from tacit.errors import UsageError
from tacit.io.output import check_file, check_path, writing_to
from tacit.io.samples import SAMPLES, Sample, find_sample, load_sample
from tacit.surface.cli.common import Flag, OutputFlag, Shown, WholeText, say

if TYPE_CHECKING:
    from tacit.data.hierarchy import Hierarchy
    from tacit.data.transactions import Transactions


@dataclass(frozen=True)
class SampleList:
    """The samples there are."""

    samples: tuple[Sample, ...]

    def __str__(self) -> str:
        return "\n".join(f"{sample.name:<12} {sample.help}" for sample in self.samples)


@dataclass(frozen=True)
class WrittenSample:
    """A sample that was written, and where to."""

    sample: str
    file: str
    records: int
    seed: int
    hierarchies: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{self.file}: the sample {self.sample!r}, {self.records:,} records"]
        return "\n".join([*lines, *(f"{file}: hierarchy" for file in self.hierarchies)])


def sample(
    name: str | None = None,
    /,
    *,
    output: OutputFlag = None,
    rows: WholeText | None = None,
    seed: WholeText = 0,
    hierarchies: Path | None = None,
    overwrite: Flag = False,
    list: Annotated[bool, Parameter(name="--list", negative="")] = False,
    shown: Shown = Shown(),
) -> SampleList | WrittenSample:
    """Write a built-in data set to a file.

    The hospital is written with its patients' names and numbers, as a hospital would hold it: name
    them with --drop when you read it.

    Parameters
    ----------
    name
        The sample, for example hospital, or hospital:20000; see --list.
    output
        The file to write; its suffix says the format (.csv, .parquet, .sqlite, .dat, .basket, .jsonl, …).
    rows
        How many rows or transactions, for the samples that are made up.
    seed
        Another seed gives another sample, the same seed the same one.
    hierarchies
        A folder to write the hierarchies into, one file per attribute.
    overwrite
        Write over files that are there.
    list
        List the samples and do nothing else.
    """
    if list:
        return SampleList(SAMPLES)
    if name is None or output is None:
        missing = "which sample" if name is None else "where to write the sample"
        raise UsageError(
            f"The command line does not say {missing}.",
            code="usage",
            hint="Write: tacit sample NAME -o FILE; the names are shown by: tacit sample --list",
        )
    asked = name if rows is None else f"{name}:{rows}"
    wanted, _ = find_sample(asked)
    check_file(output, overwrite=overwrite)
    data = load_sample(asked, seed=seed)
    trees = _hierarchies(data)
    if hierarchies is not None:
        for attribute in trees:
            check_file(hierarchies / f"{attribute}.csv", overwrite=overwrite)
    say(data.notes, shown)
    _write(wanted, data, output, seed=seed, overwrite=overwrite)
    written = () if hierarchies is None else _write_hierarchies(trees, hierarchies)
    return WrittenSample(wanted.name, str(output), len(data), seed, written)


def _hierarchies(data: Table | Transactions) -> dict[str, Hierarchy]:
    """The hierarchies of a sample by the name of their file."""
    if isinstance(data, Table):
        return dict(data.hierarchies)
    return {} if data.hierarchy is None else {data.hierarchy.name or "items": data.hierarchy}


def _write(wanted: Sample, data: Table | Transactions, output: Path, *, seed: int, overwrite: bool) -> None:
    """Write the data: a hospital with its identifiers, which its table leaves out."""
    from tacit.io import writers
    from tacit.io.readers.formats import DATABASES, named_format

    if not isinstance(data, Table):
        writers.write_transactions(data, output, overwrite=overwrite)
        return
    table: object = data
    if wanted.name == "hospital":
        from tacit.io.samples.hospital import hospital_frame

        table = hospital_frame(len(data), seed)
    # In a database the table is called like the sample.
    name = wanted.name if named_format(output, None) in DATABASES else None
    writers.write_table(table, output, table=name, overwrite=overwrite)


def _write_hierarchies(trees: dict[str, Hierarchy], folder: Path) -> tuple[str, ...]:
    from tacit.io.hierarchies import write_hierarchy
    from tacit.io.output import writing_to

    with writing_to(folder):
        folder.mkdir(parents=True, exist_ok=True)
    files = []
    for attribute, tree in trees.items():
        file = folder / f"{attribute}.csv"
        write_hierarchy(tree, file, overwrite=True)  # whether it may be is checked before anything is written
        files.append(str(file))
    return tuple(files)


@dataclass(frozen=True)
class DemoDone:
    """Where the demo wrote what it made."""

    folder: str
    files: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(
            ["", f"What the demo made is in {self.folder}:", *(f"  {file}" for file in self.files)]
        )


def demo(
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("out/demo"),
    shown: Shown = Shown(),
) -> DemoDone:
    """Run every part of Tacit on data it makes itself, and say what it sees.

    Parameters
    ----------
    output
        Folder for what the demo writes; what an earlier demo wrote there is replaced.
    """
    from tacit.surface.demo import run

    check_path(output)
    with writing_to(output):
        run(output, _quietly if shown.quiet else _on_stderr if shown.json else print)
    files = sorted(path.name + ("/" if path.is_dir() else "") for path in output.iterdir())
    return DemoDone(str(output), tuple(files))


def _on_stderr(text: str) -> None:
    print(text, file=sys.stderr)


def _quietly(text: str) -> None:
    return
