"""Ways to begin: built-in data (``tacit sample``, ``demo``), the page (``serve``), completion by a shell."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import UsageError, missing_extra
from tacit.io.hierarchies import write_hierarchy
from tacit.io.output import check_file, check_path, writing_to
from tacit.io.samples import SAMPLES, Sample, find_sample, load_sample
from tacit.ranges import Whole, check
from tacit.showing.layout import to_plain
from tacit.surface.cli.flags import Flag, Outcome, OutputFlag, Shown, WholeText, parse_size, say


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
) -> Outcome:
    """Write a built-in data set to a file; a hospital with its patients' names and numbers.

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
        return Outcome(
            "\n".join(f"{one.name:<12} {one.help}" for one in SAMPLES), {"samples": to_plain(SAMPLES)}
        )
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
    if isinstance(data, Table):
        found = dict(data.hierarchies)
    else:
        found = {} if data.hierarchy is None else {data.hierarchy.name or "items": data.hierarchy}
    trees = {} if hierarchies is None else {hierarchies / f"{name}.csv": tree for name, tree in found.items()}
    for file in trees:
        check_file(file, overwrite=overwrite)
    say(data.notes, shown)
    _write(wanted, data, output, seed=seed, overwrite=overwrite)
    for file, tree in trees.items():
        with writing_to(file.parent):
            file.parent.mkdir(parents=True, exist_ok=True)
        write_hierarchy(tree, file, overwrite=True)  # that it may be was checked above
    files = [str(file) for file in trees]
    lines = [f"{output}: the sample {wanted.name!r}, {len(data):,} records"]
    lines += [f"{file}: hierarchy" for file in files]
    plain = {"sample": wanted.name, "file": str(output), "records": len(data), "seed": seed}
    return Outcome("\n".join(lines), plain | {"hierarchies": files})


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


def demo(
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("out/demo"),
    shown: Shown = Shown(),
) -> Outcome:
    """Run every part of Tacit on data it makes itself, and say what it sees.

    Parameters
    ----------
    output
        Folder for what the demo writes; what an earlier demo wrote there is replaced.
    """
    from tacit.surface.demo import run

    check_path(output)
    with writing_to(output):
        run(output, (lambda text: None) if shown.quiet else _printing(shown))
    files = sorted(path.name + ("/" if path.is_dir() else "") for path in output.iterdir())
    text = "\n".join(["", f"What the demo made is in {output}:", *(f"  {file}" for file in files)])
    return Outcome(text, {"folder": str(output), "files": files})


def serve(
    *,
    port: WholeText = 0,
    browser: Annotated[bool, Parameter(name="--browser", negative="--no-browser")] = True,
    folder: Path | None = None,
    temporary: Flag = False,
    upload_limit: str = "1G",
    shown: Shown = Shown(),
) -> None:
    """Open a page on this computer where the whole job is done without Python or a command line.

    Parameters
    ----------
    port
        Port to listen on; 0 takes a free one.
    browser
        Open the page in the browser.
    folder
        The project: a folder that is made where there is none; your own in the state folder by default.
    temporary
        Keep nothing: what is uploaded and made goes to a private folder (inside --folder, which must be
        there, or else in the temporary folder) that is removed when the page stops.
    upload_limit
        The largest file that can be uploaded, for example 4G.
    """
    try:
        from tacit.surface.page.app import serve as run
    except ModuleNotFoundError as error:
        raise missing_extra(error.name or "starlette", "web", "The page") from None
    check("serve", {"port": Whole(0, 65535)}, port=port)
    run(
        port=port,
        folder=folder,
        temporary=temporary,
        upload_limit=parse_size(upload_limit, "upload_limit", "serve"),
        browser=browser,
        say=_printing(shown),
    )


def _printing(shown: Shown) -> Any:
    """What is said while a command runs: at once, and beside the JSON that it prints at the end."""
    return partial(print, file=sys.stderr if shown.json else sys.stdout, flush=True)


def install(
    *,
    shell: Literal["bash", "zsh", "fish", "powershell"] | None = None,
    output: OutputFlag = None,
    shown: Shown = Shown(),
) -> Outcome:
    """Have the shell complete commands and flags.

    Parameters
    ----------
    shell
        bash, zsh, fish or powershell; by default the one this runs in.
    output
        The file to write, and nothing else; by default the shell's own place, named in its start-up file.
    """
    from cyclopts.completion.detect import ShellDetectionError

    from tacit.surface.cli import app

    try:
        file = str(app.install_completion(shell=shell, output=output, add_to_startup=output is None))
    except ShellDetectionError as error:
        raise UsageError(
            "The shell cannot be told.", code="unknown-shell", hint="Name it, for instance --shell bash."
        ) from error
    return Outcome(f"{file}: open a new shell to use it", {"file": file})
