"""The page as a web application: its routes, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Route

from tacit.errors import TacitError
from tacit.surface.page import data_routes, job_routes, page_routes
from tacit.surface.page.errors import confess, refuse, refuse_address, refuse_size
from tacit.surface.page.guard import ENTRANCE, Admission, Guard, TooLarge
from tacit.surface.page.session import Session

ROUTES = (
    Route(ENTRANCE, page_routes.enter, methods=["GET"]),
    Route("/", page_routes.start, methods=["GET"]),
    Route("/ledger", page_routes.ledger, methods=["GET"]),
    Route("/static/{name}", page_routes.static, methods=["GET"]),
    Route("/data", data_routes.upload, methods=["POST"]),
    Route("/samples", data_routes.sample, methods=["POST"]),
    Route("/data/{data}", page_routes.data_set, methods=["GET"]),
    Route("/data/{data}/reading", data_routes.reading, methods=["POST"]),
    Route("/data/{data}/roles", data_routes.roles, methods=["POST"]),
    Route("/data/{data}/hierarchy-rule", data_routes.hierarchy_rule, methods=["POST"]),
    Route("/data/{data}/hierarchy-file", data_routes.hierarchy_file, methods=["POST"]),
    Route("/data/{data}/hierarchy-remove", data_routes.hierarchy_remove, methods=["POST"]),
    Route("/data/{data}/remove", data_routes.remove, methods=["POST"]),
    Route("/data/{data}/runs", job_routes.run, methods=["POST"]),
    Route("/jobs/{job}", job_routes.status, methods=["GET"]),
    Route("/jobs/{job}/publish", job_routes.publish, methods=["POST"]),
    Route("/jobs/{job}/cancel", job_routes.cancel, methods=["POST"]),
    Route("/jobs/{job}/remove", job_routes.remove, methods=["POST"]),
    Route("/jobs/{job}/files/{file}", job_routes.download, methods=["GET"]),
)


def make_app(folder: Path, admission: Admission, *, upload_limit: int) -> Starlette:
    """The application over a private folder; it stops its jobs when it is shut down."""

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        app.state.session = Session(folder, upload_limit=upload_limit)
        app.state.admission = admission
        yield
        await app.state.session.jobs.close()

    return Starlette(
        routes=list(ROUTES),
        middleware=[Middleware(Guard, admission=admission, upload_limit=upload_limit)],
        exception_handlers={
            TacitError: refuse,
            TooLarge: refuse_size,
            HTTPException: refuse_address,
            Exception: confess,
        },
        lifespan=life,
    )
