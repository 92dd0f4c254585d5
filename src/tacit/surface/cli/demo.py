"""``tacit demo``: everything on built-in data."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tacit.io.output import check_path, writing_to
from tacit.surface.cli.common import Shown


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
        run(output, _quietly if shown.quiet else _to_stderr if shown.json else print)
    files = sorted(path.name + ("/" if path.is_dir() else "") for path in output.iterdir())
    return DemoDone(str(output), tuple(files))


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr)


def _quietly(text: str) -> None:
    return
