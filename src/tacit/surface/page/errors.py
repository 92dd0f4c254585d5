"""Errors as the page sends them: code, sentence, place and next step in the page's words, as 4xx JSON.

The lines around the place of an error, so that it can be seen in the file it was found in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tacit.errors import Place, TacitError, shorten
from tacit.surface.page.guard import TooLarge
from tacit.surface.page.wording import error_on_the_page

_ID = re.compile("[0-9a-f]{16}")
STATUS = {2: 400, 3: 422, 4: 409, 5: 413, 6: 409, 7: 422, 130: 409}
"""The HTTP status of each class of errors, by its exit code."""


async def refuse(request: Request, error: Exception) -> Response:
    """An error raised on purpose, as the page shows it."""
    assert isinstance(error, TacitError)
    return JSONResponse({"error": error_on_the_page(error)}, status_code=STATUS.get(error.exit_code, 500))


async def refuse_size(request: Request, error: Exception) -> Response:
    """A body above its limit."""
    assert isinstance(error, TooLarge)
    return JSONResponse(error.error.to_dict(), status_code=413)


async def refuse_address(request: Request, error: Exception) -> Response:
    """An address or a method that is not there; its text names nothing that was sent."""
    status = int(getattr(error, "status_code", 404))
    words = {404: "There is nothing at this address.", 405: "This address does not take that method."}
    told = TacitError(
        words.get(status, "The request could not be understood."),
        code={404: "not-found", 405: "wrong-method"}.get(status, "bad-request"),
    )
    return JSONResponse(told.to_dict(), status_code=status, headers=getattr(error, "headers", None))


async def confess(request: Request, error: Exception) -> Response:
    """A defect of ours; its text may hold data, so only its kind is shown."""
    return JSONResponse(defect(error).to_dict(), status_code=500)


def defect(error: BaseException) -> TacitError:
    """The error for what nobody foresaw."""
    return TacitError(
        f"Something went wrong inside Tacit ({type(error).__name__}).",
        code="defect",
        hint="Download the recipe and run it with 'tacit run --debug' to see where, and please report it.",
    )


def placed(error: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """An error as sent, with the files of the private folder under the names the user gave them."""
    told = dict(error)
    for field in ("message", "hint"):
        for path, name in names.items():
            if told.get(field):
                told[field] = told[field].replace(path, name)
                if _ID.fullmatch(
                    Path(path).stem
                ):  # a hierarchy is called after its file, which the server named
                    told[field] = told[field].replace(repr(Path(path).stem), repr(name))
    where = dict(told.get("where") or {})
    if where.get("file") in names:
        where["file"] = names[where["file"]]
    told["where"] = where or None
    return told


AROUND = 2
WIDTH = 160
LAST = 200_000
"""The last line worth looking for: reading on would keep the person waiting."""


def excerpt(where: Place, encoding: str = "utf-8") -> list[dict[str, Any]]:
    """The line of the place and two on either side, each with its number; none where it is no text file."""
    if where.file is None or where.line is None or where.line > LAST:
        return []
    path = Path(where.file)
    if not path.is_file() or path.suffix in (".gz", ".zst"):
        return []
    first = max(1, where.line - AROUND)
    try:
        with path.open(encoding=encoding, errors="replace") as file:
            lines = list(islice(file, first - 1, where.line + AROUND))
    except (OSError, LookupError):
        return []
    return around(lines, where.line, first)


def around(lines: Sequence[str], line: int, first: int = 1) -> list[dict[str, Any]]:
    """A line and two on either side, of lines that begin with the number ``first``."""
    return [
        {
            "number": number,
            "text": shorten(text.rstrip("\r\n").replace("\0", "␀"), WIDTH),
            "here": number == line,
        }
        for number, text in enumerate(lines, start=first)
        if abs(number - line) <= AROUND
    ]
