"""The page as a web application: its routes, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacit.errors import TacitError
from tacit.surface.page import data_routes, job_routes, page_routes, tree_routes
from tacit.surface.page.errors import confess, refuse, refuse_address, refuse_size
from tacit.surface.page.guard import ENTRANCE, Admission, Guard, TooLarge
from tacit.surface.page.project import Project
from tacit.surface.page.session import Session

ROUTES = (
    Route(ENTRANCE, page_routes.enter, methods=["GET"]),
    Route("/", page_routes.start, methods=["GET"]),
    Route("/language", page_routes.language, methods=["POST"]),
    Route("/ledger", page_routes.ledger, methods=["GET"]),
    Route("/static/{name}", page_routes.static, methods=["GET"]),
    Route("/data", data_routes.upload, methods=["POST"]),
    Route("/samples", data_routes.sample, methods=["POST"]),
    Route("/data/{data}", page_routes.data_set, methods=["GET"]),
    Route("/data/{data}/reading", data_routes.reading, methods=["POST"]),
    Route("/data/{data}/roles", data_routes.roles, methods=["POST"]),
    Route("/data/{data}/hierarchy-rule", data_routes.hierarchy_rule, methods=["POST"]),
    Route("/data/{data}/hierarchy-file", data_routes.hierarchy_file, methods=["POST"]),
    Route("/data/{data}/hierarchy-propose", tree_routes.propose, methods=["POST"]),
    Route("/data/{data}/hierarchy-paste", tree_routes.paste, methods=["POST"]),
    Route("/data/{data}/hierarchy-edited", tree_routes.edited, methods=["POST"]),
    Route("/data/{data}/tree", tree_routes.tree, methods=["GET"]),
    Route("/data/{data}/tree.csv", tree_routes.download, methods=["GET"]),
    Route("/data/{data}/hierarchy-remove", data_routes.hierarchy_remove, methods=["POST"]),
    Route("/data/{data}/recipe", data_routes.recipe, methods=["POST"]),
    Route("/data/{data}/sweep", job_routes.sweep, methods=["POST"]),
    Route("/data/{data}/rules", job_routes.rules, methods=["POST"]),
    Route("/data/{data}/choices", job_routes.choices, methods=["POST"]),
    Route("/data/{data}/remove", data_routes.remove, methods=["POST"]),
    Route("/data/{data}/runs", job_routes.run, methods=["POST"]),
    Route("/jobs/{job}", job_routes.status, methods=["GET"]),
    Route("/jobs/{job}/table", page_routes.table, methods=["GET"]),
    Route("/jobs/{job}/publish", job_routes.publish, methods=["POST"]),
    Route("/jobs/{job}/copies", job_routes.copies, methods=["POST"]),
    Route("/jobs/{job}/name", job_routes.name, methods=["POST"]),
    Route("/jobs/{job}/cancel", job_routes.cancel, methods=["POST"]),
    Route("/jobs/{job}/remove", job_routes.remove, methods=["POST"]),
    Route("/jobs/{job}/files/{file}", job_routes.download, methods=["GET"]),
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
        app.state.session = session
        app.state.admission = admission
        await data_routes.look_where_needed(session)
        yield
        project.save()
        session.jobs.ended = _nothing  # what still runs is told as stopped when the project is opened again
        await session.jobs.close()

    return Starlette(
        routes=[_kept(route, project) for route in ROUTES],
        middleware=[Middleware(Guard, admission=admission, upload_limit=upload_limit)],
        exception_handlers={
            TacitError: refuse,
            TooLarge: refuse_size,
            HTTPException: refuse_address,
            Exception: confess,
        },
        lifespan=life,
    )


def _nothing() -> None:
    """What is done about a job that ends with the page."""


def _kept(route: Route, project: Project) -> Route:
    """A route after which what it has changed is written down."""
    if "POST" not in (route.methods or ()):
        return route

    async def change(request: Request) -> Response:
        try:
            answer: Response = await route.endpoint(request)
            return answer
        finally:
            project.save()

    return Route(route.path, change, methods=["POST"])
