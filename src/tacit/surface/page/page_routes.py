"""The pages themselves: the entrance, the start, a data set with its steps, the ledger, and their files."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from tacit.errors import Place, UsageError
from tacit.surface.catalogue import LANGUAGES, catalogue, catalogue_of, speaking
from tacit.surface.page.coach import Coach
from tacit.surface.page.guard import Admission
from tacit.surface.page.ledger_view import ledger_view
from tacit.surface.page.looking_through import lines_of, published_files
from tacit.surface.page.session import (
    LANGUAGE_COOKIE,
    data_of,
    fields_of,
    job_of,
    language_of,
    session_of,
    text_of,
)
from tacit.surface.page.views import data_view, start_view
from tacit.surface.page.workspace import CANDIDATE

STATIC = {
    "page.css": "text/css",
    "page.js": "text/javascript",
    "tree.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
"""The files that are sent as they are, by name: no other can be asked for."""
REPORT_STYLE = "report.css"


async def enter(request: Request) -> Response:
    """Turn the one-time token into a cookie, and go on to an address without it."""
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


async def start(request: Request) -> Response:
    """Step 1: choose a file; and what was chosen before."""
    return _page(request, "start.html", lambda: start_view(session_of(request)))


async def language(request: Request) -> Response:
    """Speak another language from now on."""
    wanted = text_of(await fields_of(request), "language")
    if wanted not in LANGUAGES:
        raise UsageError("There is no such language.", code="bad-request")
    answer = JSONResponse({"stay": True})
    answer.set_cookie(LANGUAGE_COOKIE, wanted, samesite="strict", path="/", httponly=True)
    return answer


async def data_set(request: Request) -> Response:
    """A data set with its steps; ``job`` and ``beside`` choose the runs whose outcome is shown."""
    asked, beside = request.query_params.get("job"), request.query_params.getlist("beside")
    session, data = session_of(request), data_of(request)
    return _page(request, "data.html", lambda: data_view(session, data, job=asked, beside=beside))


async def table(request: Request) -> Response:
    """The whole of what a run would publish, a page at a time; ``file`` and ``page`` say which."""
    session, run = session_of(request), job_of(request)
    data = session.data.get(run.about.get("data", ""))
    if run.kind != "run" or run.state != "done" or data is None:
        raise HTTPException(404)
    folder = run.folder / CANDIDATE
    files = published_files(folder)
    name = request.query_params.get("file", files[0])
    number = request.query_params.get("page", "1")
    if name not in files or not (number.isascii() and number.isdigit() and 0 < int(number) < 1 << 31):
        raise HTTPException(404)
    shown = lines_of(folder / name, int(number))
    view = {
        "limit": session.upload_limit,
        "data": data,
        "run": run,
        "files": files,
        "name": name,
        "shown": shown,
    }
    return _page(request, "table.html", lambda: view)


async def ledger(request: Request) -> Response:
    """What was released from this account."""
    return _page(request, "ledger.html", lambda: ledger_view(session_of(request)))


async def static(request: Request) -> Response:
    """A file that the pages are drawn with."""
    name = request.path_params["name"]
    if name == REPORT_STYLE:
        from tacit.showing.page import stylesheet

        return Response(stylesheet(), media_type="text/css")
    if name not in STATIC:
        raise HTTPException(404)
    return Response(_static(name), media_type=STATIC[name])


@cache
def _static(name: str) -> bytes:
    return (files("tacit.surface.page") / "static" / name).read_bytes()


def _page(request: Request, template: str, view: Callable[[], dict[str, Any]]) -> HTMLResponse:
    session = session_of(request)
    chosen = language_of(request)
    with speaking(chosen):
        about = {
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

    from tacit.surface.page.numbers import count, share

    environment = Environment(
        loader=ChoiceLoader([PackageLoader("tacit.surface.page"), PackageLoader("tacit.methods", "")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = count
    environment.filters["share"] = share
    environment.filters["place"] = _place
    return environment


def _place(where: dict[str, Any]) -> str:
    """Where something was found, as the command line says it."""
    return str(Place(**where))
