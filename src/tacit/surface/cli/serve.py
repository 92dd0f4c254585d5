"""``tacit serve``: the whole job in a browser, on this computer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tacit.errors import ParameterError
from tacit.ranges import Whole, check
from tacit.surface.cli.common import Shown, WholeText


def serve(
    *,
    port: WholeText = 0,
    browser: Annotated[bool, Parameter(name="--browser", negative="--no-browser")] = True,
    folder: Path | None = None,
    temporary: Annotated[bool, Parameter(negative="")] = False,
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
        upload_limit=_bytes(upload_limit),
        browser=browser,
        say=_to_stderr if shown.json else _now,
    )


def _bytes(text: str) -> int:
    """A size in bytes: ``4G``, ``512M``."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
    number = text.strip().upper().removesuffix("B")
    unit = units.get(number[-1:], 1)
    digits = number[:-1] if unit > 1 else number
    if not (digits.isascii() and digits.isdigit() and int(digits) > 0):
        raise ParameterError("upload_limit", "serve", "a size such as 512M or 4G", text)
    return int(digits) * unit


def _now(text: str) -> None:
    """The address is wanted at once, by a program that started the page as well."""
    print(text, flush=True)


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
