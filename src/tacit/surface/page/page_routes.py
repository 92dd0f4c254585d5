"""The pages themselves: entrance, start, a data set with its steps, a release, the ledger; their files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from tacit.errors import Place, UsageError
from tacit.release.ledger import Ledger, LedgerEntry
from tacit.release.manifest import MANIFEST_NAME
from tacit.showing.ledger import narrowed_text, shared_text
from tacit.surface.catalogue import LANGUAGES, catalogue, catalogue_of, count, share, speaking
from tacit.surface.page.coach import Coach
from tacit.surface.page.guard import Admission
from tacit.surface.page.session import CANDIDATE, LANGUAGE_COOKIE, Asked
from tacit.surface.page.views import data_view, start_view

STATIC = {
    "page.css": "text/css",
    "page.js": "text/javascript",
    "tree.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
"""The files that are sent as they are, by name: no other can be asked for."""
REPORT_STYLE = "report.css"
LINES = 50
"""So many lines of a release are on a page."""


async def enter(asked: Asked) -> Response:
    """Turn the one-time token into a cookie, and go on to an address without it."""
    request = asked.request
    admission: Admission = request.app.state.admission
    if request.method != "GET" or not admission.enter(request.query_params.get("token", "")):
        return PlainTextResponse(
            "This address works once, and it has been used, or it is not the one that was printed. If this "
            "browser has the page already, open it without the token; otherwise stop 'tacit serve' with "
            "Ctrl-C and start it again.\n",
            status_code=403,
        )
    answer = RedirectResponse("/", status_code=303)
    answer.set_cookie(admission.cookie, admission.secret, httponly=True, samesite="strict", path="/")
    return answer


async def start(asked: Asked) -> Response:
    """Step 1: choose a file; and what was chosen before."""
    return _page(asked, "start.html", lambda: start_view(asked.session))


async def language(asked: Asked) -> Response:
    """Speak another language from now on."""
    wanted = asked.text("language")
    if wanted not in LANGUAGES:
        raise UsageError("There is no such language.", code="bad-request")
    answer = JSONResponse({"stay": True})
    answer.set_cookie(LANGUAGE_COOKIE, wanted, samesite="strict", path="/", httponly=True)
    return answer


async def data_set(asked: Asked) -> Response:
    """A data set with its steps; ``job`` and ``beside`` choose the runs whose outcome is shown."""
    query = asked.request.query_params
    job, beside = query.get("job"), query.getlist("beside")
    return _page(asked, "data.html", lambda: data_view(asked.session, asked.data, job=job, beside=beside))


async def table(asked: Asked) -> Response:
    """The whole of what a run would publish, a page at a time; ``file`` and ``page`` say which."""
    run, query = asked.job, asked.request.query_params
    data = asked.session.data.get(run.about.get("data", ""))
    if run.kind != "run" or run.state != "done" or data is None:
        raise HTTPException(404)
    folder = run.folder / CANDIDATE
    names = sorted(path.name for path in folder.iterdir() if path.name != MANIFEST_NAME)
    name, number = query.get("file", names[0]), query.get("page", "1")
    if name not in names or not (number.isascii() and number.isdigit() and 0 < int(number) < 1 << 31):
        raise HTTPException(404)
    view = {"data": data, "run": run, "files": names, "name": name}
    return _page(asked, "table.html", lambda: view | {"shown": _lines(folder / name, int(number))})


def _lines(path: Path, number: int) -> dict[str, Any]:
    """A page of a published file: its columns, the cells of each line, and whether more follow."""
    first = (number - 1) * LINES
    with path.open(encoding="utf-8", newline="") as file:
        header, rows = _reading(path, file)
        shown = list(islice(rows, first, first + LINES + 1))
    return {"header": header, "rows": shown[:LINES], "number": number, "more": len(shown) > LINES}


def _reading(path: Path, file: Any) -> tuple[list[str], Iterator[list[str]]]:
    if path.suffix == ".csv" and path.stem != "transactions":
        rows = csv.reader(file)
        return next(rows, []), rows
    if path.name == "rules.json":
        rules = json.load(file)["rules"]
        names = list(dict.fromkeys(name for rule in rules for name in rule))
        return names, ([_cell(rule.get(name)) for name in names] for rule in rules)
    return [path.stem], ([line.rstrip("\r\n")] for line in file)


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} = {_cell(part)}" for name, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


async def ledger(asked: Asked) -> Response:
    """What was released from this account, whichever way, the newest first."""
    kept = Ledger()
    found = kept.read()

    def view() -> dict[str, Any]:
        releases = [_on_record(kept, entry) for entry in reversed(found.entries)]
        return {"file": found.file, "notes": found.notes, "releases": releases}

    return _page(asked, "ledger.html", view)


def _on_record(ledger: Ledger, entry: LedgerEntry) -> dict[str, Any]:
    say: dict[str, str] = catalogue()["page"]["ledger"]
    place = entry.folder
    if not Path(place).is_dir():
        place = say["downloaded"] if ledger.has_copy(entry.id) else say["gone"].format(folder=place)
    told = {name: getattr(entry, name) for name in ("kind", "promise", "records", "reason", "by")}
    before = {"before": shared_text(entry), "narrowed": narrowed_text(entry)}
    return told | before | {"date": entry.when[:10], "place": place}


async def static(asked: Asked) -> Response:
    """A file that the pages are drawn with."""
    name = asked.request.path_params["name"]
    if name == REPORT_STYLE:
        from tacit.showing.page import stylesheet

        return Response(stylesheet(), media_type="text/css")
    if name not in STATIC:
        raise HTTPException(404)
    return Response(_static(name), media_type=STATIC[name])


@cache
def _static(name: str) -> bytes:
    return (files("tacit.surface.page") / "static" / name).read_bytes()


def _page(asked: Asked, template: str, view: Callable[[], dict[str, Any]]) -> HTMLResponse:
    session, chosen = asked.session, asked.language
    with speaking(chosen):
        about = {
            "limit": session.upload_limit,
            "project": None if session.temporary else session.folder,
            "language": chosen,
            "languages": [(one, catalogue_of(one)["page"]["language"]) for one in LANGUAGES],
            "say": catalogue()["page"],
            "words": catalogue()["glossary"]["words"],
            "coach": Coach(),
        }
        return HTMLResponse(_environment().get_template(template).render(**view(), **about))


@cache
def _environment() -> Any:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader("tacit.surface.page"), PackageLoader("tacit.methods", "")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    where = {"place": lambda where: str(Place(**where))}  # as the command line says it
    environment.filters |= {"count": count, "share": share, **where}
    return environment
