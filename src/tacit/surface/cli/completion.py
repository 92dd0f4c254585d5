"""``tacit completion install``: commands and flags completed by the shell."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.surface.cli.common import Shown

Shell = Literal["bash", "zsh", "fish", "powershell"]


@dataclass(frozen=True)
class Installed:
    """Where the completion of a shell was written."""

    file: str

    def to_dict(self) -> dict[str, Any]:
        return {"file": self.file}

    def __str__(self) -> str:
        return f"{self.file}: open a new shell to use it"


def install(
    *,
    shell: Shell | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    shown: Shown | None = None,
) -> Installed:
    """Have the shell complete commands and flags.

    Parameters
    ----------
    shell
        bash, zsh, fish or powershell; by default the one this runs in.
    output
        The file to write, and nothing else; by default the shell's own place, named in its start-up file.
    """
    from cyclopts.completion.detect import ShellDetectionError

    from tacit.surface.cli.app import app

    try:
        return Installed(
            str(app.install_completion(shell=shell, output=output, add_to_startup=output is None))
        )
    except ShellDetectionError as error:
        raise UsageError(
            "The shell cannot be told.", code="unknown-shell", hint="Name it, for instance --shell bash."
        ) from error
