"""The page as a web application: its routes, behind the guard; and serving it on this computer's own address.

A route takes what is asked of it. A job that it returns has been started, a data set has been made.
"""

from __future__ import annotations

import signal
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tacit.errors import OutputError, TacitError
from tacit.random.key import state_folder
from tacit.surface.page import data_routes, job_routes, page_routes, tree_routes
from tacit.surface.page.errors import confess, refuse, refuse_address
from tacit.surface.page.guard import ENTRANCE, Admission, Guard
from tacit.surface.page.jobs import Job
from tacit.surface.page.project import Project, lasting, workspace
from tacit.surface.page.session import Asked, DataSet, Session, asked_by

Answers = Callable[[Asked], Coroutine[Any, Any, Response | DataSet | Job | dict[str, Any]]]
SHOWING: dict[str, Answers] = {
    ENTRANCE: page_routes.enter,
    "/": page_routes.start,
    "/ledger": page_routes.ledger,
    "/static/{name}": page_routes.static,
    "/data/{data}": page_routes.data_set,
    "/data/{data}/tree": tree_routes.tree,
    "/data/{data}/tree.csv": tree_routes.download,
    "/jobs/{job}": job_routes.status,
    "/jobs/{job}/table": page_routes.table,
    "/jobs/{job}/files/{file}": job_routes.download,
}
"""What is shown, by its address; nothing is changed by looking at it."""
TAKING_FILES: dict[str, Answers] = {
    "/data": data_routes.upload,
    "/data/{data}/recipe": data_routes.recipe,
    "/data/{data}/hierarchy-file": tree_routes.from_file,
}
"""Where files are sent to."""
CHANGING: dict[str, Answers] = {
    "/language": page_routes.language,
    "/samples": data_routes.sample,
    "/data/{data}/reading": data_routes.reading,
    "/data/{data}/roles": data_routes.roles,
    "/data/{data}/hierarchy-rule": tree_routes.by_rule,
    "/data/{data}/hierarchy-propose": tree_routes.propose,
    "/data/{data}/hierarchy-paste": tree_routes.paste,
    "/data/{data}/hierarchy-edited": tree_routes.edited,
    "/data/{data}/hierarchy-remove": tree_routes.remove,
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
    """Serve the page until it is interrupted; its jobs then stop.

    ``port`` 0 takes a free one. ``folder`` is the project, the user's own by default; with ``temporary`` it
    is where a private folder is made that goes with the page.
    """
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
