"""What a request is about: the session, the data set or job its address names, the fields it sends."""

from __future__ import annotations

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tacit.errors import UsageError
from tacit.surface.page.jobs import Job
from tacit.surface.page.session import DataSet, Session


def session_of(request: Request) -> Session:
    """The session of this run of the page."""
    session: Session = request.app.state.session
    return session


def data_of(request: Request) -> DataSet:
    """The data set that the address names; one that was removed is not found."""
    found = session_of(request).data.get(request.path_params["data"])
    if found is None:
        raise HTTPException(404)
    return found


def job_of(request: Request) -> Job:
    """The job that the address names."""
    found = session_of(request).jobs.all.get(request.path_params["job"])
    if found is None:
        raise HTTPException(404)
    return found


async def fields_of(request: Request) -> dict[str, Any]:
    """The fields of a form: one JSON object of text and of lists of text."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise UsageError("A form is sent as JSON.", code="bad-request")
    try:
        fields = json.loads(await request.body())
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict) or not all(isinstance(value, str | dict) for value in fields.values()):
        raise UsageError("A form is sent as one JSON object of texts.", code="bad-request")
    return fields


def text_of(fields: dict[str, Any], name: str) -> str:
    """One field, which must be there and be text."""
    found = fields.get(name)
    if not isinstance(found, str):
        raise UsageError(f"The field {name!r} is missing.", code="bad-request")
    return found
