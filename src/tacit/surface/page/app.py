"""The page as a web application: its pages, its routes behind the guard, and serving it on this computer.

A route takes what is asked of it. A job that it returns has been started, a data set has been made.
"""

from __future__ import annotations

import csv
import json
import signal
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from tacit.errors import OutputError, Place, TacitError, UsageError
from tacit.random.key import state_folder
from tacit.release.ledger import Ledger, LedgerEntry
from tacit.release.manifest import MANIFEST_NAME
from tacit.showing.ledger import narrowed_text, shared_text
from tacit.showing.page import stylesheet, templates
from tacit.surface.catalogue import LANGUAGES, catalogue, count, share, speaking
from tacit.surface.page import data_routes, job_routes
from tacit.surface.page.coach import Coach
from tacit.surface.page.errors import confess, refuse, refuse_address
from tacit.surface.page.guard import ENTRANCE, Admission, Guard
from tacit.surface.page.jobs import Job
from tacit.surface.page.project import Project, lasting, workspace
from tacit.surface.page.session import CANDIDATE, LANGUAGE_COOKIE, Asked, DataSet, Session, asked_by
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
    first = (int(number) - 1) * LINES
    with (folder / name).open(encoding="utf-8", newline="") as file:
        header, rows = _reading(folder / name, file)
        lines = list(islice(rows, first, first + LINES + 1))
    shown = {"header": header, "rows": lines[:LINES], "number": int(number), "more": len(lines) > LINES}
    view = {"data": data, "run": run, "files": names, "name": name, "shown": shown}
    return _page(asked, "table.html", lambda: view)


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
        return Response(stylesheet(), media_type="text/css")
    if name not in STATIC:
        raise HTTPException(404)
    return Response((files("tacit.surface.page") / "static" / name).read_bytes(), media_type=STATIC[name])


def _page(asked: Asked, template: str, view: Callable[[], dict[str, Any]]) -> HTMLResponse:
    session, chosen = asked.session, asked.language
    with speaking(chosen):
        about = {
            "limit": session.upload_limit,
            "project": None if session.temporary else session.folder,
            "language": chosen,
            "languages": [*LANGUAGES.items()],
            "say": catalogue()["page"],
            "words": catalogue()["glossary"]["words"],
            "coach": Coach(),
        }
        return HTMLResponse(_environment().get_template(template).render(**view(), **about))


@cache
def _environment() -> Any:
    environment = templates(("tacit.surface.page", "templates"), ("tacit.methods", ""))
    where = {"place": lambda where: str(Place(**where))}  # as the command line says it
    environment.filters |= {"count": count, "share": share, **where}
    return environment


Answers = Callable[[Asked], Coroutine[Any, Any, Response | DataSet | Job | dict[str, Any]]]
SHOWING: dict[str, Answers] = {
    ENTRANCE: enter,
    "/": start,
    "/ledger": ledger,
    "/static/{name}": static,
    "/data/{data}": data_set,
    "/data/{data}/tree": data_routes.tree,
    "/data/{data}/tree.csv": data_routes.tree_file,
    "/jobs/{job}": job_routes.status,
    "/jobs/{job}/table": table,
    "/jobs/{job}/files/{file}": job_routes.download,
}
"""What is shown, by its address; nothing is changed by looking at it."""
TAKING_FILES: dict[str, Answers] = {
    "/data": data_routes.upload,
    "/data/{data}/recipe": data_routes.recipe,
    "/data/{data}/hierarchy-file": data_routes.from_file,
}
"""Where files are sent to."""
CHANGING: dict[str, Answers] = {
    "/language": language,
    "/samples": data_routes.sample,
    "/data/{data}/reading": data_routes.reading,
    "/data/{data}/roles": data_routes.roles,
    "/data/{data}/hierarchy-rule": data_routes.by_rule,
    "/data/{data}/hierarchy-propose": data_routes.propose,
    "/data/{data}/hierarchy-paste": data_routes.paste,
    "/data/{data}/hierarchy-edited": data_routes.edited,
    "/data/{data}/hierarchy-remove": data_routes.remove_tree,
    "/data/{data}/sweep": job_routes.sweep,
    "/data/{data}/rules": job_routes.rules,
    "/data/{data}/choices": job_routes.choices,
    "/data/{data}/remove": data_routes.remove,
    "/data/{data}/runs": job_routes.run,
    "/jobs/{job}/publish": job_routes.publish,
    "/jobs/{job}/copies": job_routes.copies,
    "/jobs/{job}/name": job_routes.name,
    "/jobs/{job}/cancel": job_routes.cancel,
    "/jobs/{job}/remove": job_routes.remove,
}
"""Where forms are sent to."""


def _route(path: str, answers: Answers, *, changes: bool = True, form: bool = False) -> Route:
    async def answer(request: Request) -> Response:
        try:
            found = await answers(await asked_by(request, form=form))
        finally:
            if changes:
                request.app.state.project.save()
        if isinstance(found, Job):
            return JSONResponse({"job": found.id}, status_code=202)
        if isinstance(found, DataSet):
            return JSONResponse({"location": f"/data/{found.id}"}, status_code=201)
        return JSONResponse(found) if isinstance(found, dict) else found

    return Route(path, answer, methods=["POST" if changes else "GET"])


ROUTES = (
    *(_route(path, answers, changes=False) for path, answers in SHOWING.items()),
    *(_route(path, answers) for path, answers in TAKING_FILES.items()),
    *(_route(path, answers, form=True) for path, answers in CHANGING.items()),
)


def make_app(folder: Path, admission: Admission, *, upload_limit: int, temporary: bool = True) -> Starlette:
    """The application over a private folder; it stops its jobs when it is shut down."""
    session = Session(folder, upload_limit=upload_limit, temporary=temporary)
    project = Project(folder, session)
    project.load()
    project.save()
    session.jobs.ended = project.save

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        app.state.session, app.state.project, app.state.admission = session, project, admission
        for data in session.data.values():
            if data.seen is None:  # no earlier page has looked at it to the end
                await data_routes.start_look(session, data)
        yield
        project.save()
        # What still runs is told as stopped when the project is opened again.
        session.jobs.ended = lambda: None
        await session.jobs.close()

    return Starlette(
        routes=ROUTES,
        middleware=[Middleware(Guard, admission=admission, upload_limit=upload_limit)],
        exception_handlers={TacitError: refuse, HTTPException: refuse_address, Exception: confess},
        lifespan=life,
    )


def serve(
    *,
    port: int,
    folder: Path | None,
    temporary: bool,
    upload_limit: int,
    browser: bool,
    say: Callable[[str], None],
) -> None:
    """Serve the page until it is interrupted; its jobs then stop."""
    place = workspace(folder) if temporary else lasting(folder or state_folder() / "project")
    with _listening(port) as listener, place as private:
        admission = Admission(listener.getsockname()[1])
        app = make_app(private, admission, upload_limit=upload_limit, temporary=temporary)
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_level="critical",  # a log line could hold data
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                lifespan="on",
                ws="none",
                timeout_graceful_shutdown=1,
                limit_concurrency=64,
            )
        )
        say(f"The page is at {admission.address}")
        say("The address works once, in one browser. Stop with Ctrl-C.")
        if not temporary:
            say(f"Files, runs and releases stay in {private}.")
        if browser:
            webbrowser.open(admission.address)
        with suppress(KeyboardInterrupt), _stopped_alike():
            server.run(sockets=[listener])
    goes_on = "its files are removed" if temporary else "the next 'tacit serve' goes on from here"
    say(f"The page has stopped, and {goes_on}.")


@contextmanager
def _stopped_alike() -> Iterator[None]:
    """Let a request to end the process stop the page as Ctrl-C does, so that it cleans up."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _listening(port: int) -> socket.socket:
    """A socket on the computer's own address; other computers cannot reach it."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(64)  # a browser that comes before the server is up waits, and is not turned away
    except OSError as error:
        listener.close()
        raise OutputError(
            f"The port {port} cannot be used: {error.strerror}.",
            code="port-taken",
            hint="Name another with --port, or leave it out to take a free one.",
        ) from error
    return listener
