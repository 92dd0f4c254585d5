"""Other ways in: ``tacit serve`` opens the page, ``tacit completion`` teaches the shell."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.ranges import Whole, check
from tacit.surface.cli.common import Flag, OutputFlag, Shown, WholeText, parse_size


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

    The page listens on this computer's own address only, and the address it prints works once. Files, roles,
    runs and releases are kept in a project folder: the next 'tacit serve' goes on where this one stopped.

    Parameters
    ----------
    port
        Port to listen on; 0 takes a free one.
    browser
        Open the page in the browser.
    folder
        The project: a folder that is made where there is none; your own in the state folder by default.
    temporary
        Keep nothing: what is uploaded and made goes to a private folder (inside --folder, or else in the
        temporary folder) that is removed when the page stops.
    upload_limit
        The largest file that can be uploaded, for example 4G.
    """
    from tacit.surface.page.server import serve as run

    check("serve", {"port": Whole(0, 65535)}, port=port)
    run(
        port=port,
        folder=folder,
        temporary=temporary,
        upload_limit=parse_size(upload_limit, "upload_limit", "serve"),
        browser=browser,
        say=_to_stderr if shown.json else _now,
    )


def _now(text: str) -> None:
    """The address is wanted at once, by a program that started the page as well."""
    print(text, flush=True)


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


Shell = Literal["bash", "zsh", "fish", "powershell"]


@dataclass(frozen=True)
class Installed:
    """Where the completion of a shell was written."""

    file: str

    def __str__(self) -> str:
        return f"{self.file}: open a new shell to use it"


def install(
    *,
    shell: Shell | None = None,
    output: OutputFlag = None,
    shown: Shown = Shown(),
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
