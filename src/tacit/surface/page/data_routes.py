"""Bringing data: a file or a sample, how it is read, the roles of its columns, a recipe that says all that.

Files go straight to disk, piece by piece, whatever their size.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from tacit.errors import Cancelled, OutputError, UsageError, shorten
from tacit.io.samples import find_sample, is_sample
from tacit.surface.page import forms
from tacit.surface.page.errors import placed
from tacit.surface.page.jobs import Job
from tacit.surface.page.session import Asked, DataSet, Session, display_name, stored_name
from tacit.surface.reading import ROLES, is_transactions
from tacit.surface.recipe.load import parse_recipe
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.text import to_toml

NAME_HEADER = "x-file-name"
PIECE = 1 << 20


async def upload(asked: Asked) -> DataSet:
    """Take in a file, and look at it; a recipe is opened on the file that it names."""
    session, name = asked.session, told_name(asked.request)
    if name.lower().endswith(".toml"):
        opened = await _sent_recipe(asked)
        return await _opened(session, _data_of(session, opened), opened)
    identifier, folder = session.new_folder()
    path = folder / stored_name(name)
    try:
        size = await receive_file(asked.request, path)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    layout = "baskets" if is_transactions(str(path)) else "table"
    data = session.add(DataSet(identifier, name, folder, str(path), size, layout))
    await start_look(session, data)
    return data


async def sample(asked: Asked) -> DataSet:
    """Take a built-in data set, with the roles and hierarchies it brings."""
    data = _new_sample(asked.session, asked.text("name"))
    await start_look(asked.session, data)
    return data


async def recipe(asked: Asked) -> DataSet:
    """Open a recipe on a data set, whatever its file is called."""
    return await _opened(asked.session, asked.data, await _sent_recipe(asked))


async def reading(asked: Asked) -> Job:
    """Read the file another way: what was known of it is looked at afresh."""
    data, layout = asked.data, asked.text("layout")
    options = forms.reading(layout, asked.fields)
    forms.source_recipe({"path": data.path, **options})  # refuses what a recipe would refuse
    data.layout, data.reading = layout, options
    data.roles, data.columns, data.seen = None, [], None
    data.hierarchies.clear()
    return await start_look(asked.session, data)


async def roles(asked: Asked) -> Job:
    """Take the roles as confirmed, and look at what is at risk under them."""
    data, given = asked.data, asked.fields.get("roles")
    known = [column["name"] for column in data.columns]
    if not isinstance(given, dict) or given.keys() != {*known} or not {*given.values()} <= {*ROLES, "none"}:
        raise UsageError("Every column has one role.", code="bad-request")
    if "quasi" not in given.values():
        raise UsageError(
            "No column is a quasi-identifier.",
            code="roles-missing",
            hint="Mark what a reader may know of a person from elsewhere: age, sex, place, profession.",
        )
    if "sensitive" not in given.values():
        raise UsageError(
            "No column is sensitive.",
            code="roles-missing",
            hint="Mark what must not be learned about a person: a disease, an income, a vote.",
        )
    data.roles = {name: given[name] for name in known}
    return await start_look(asked.session, data)


async def remove(asked: Asked) -> dict[str, Any]:
    """Remove a data set, with its jobs and what they made."""
    await asked.session.forget(asked.data)
    return {"location": "/"}


async def start_look(session: Session, data: DataSet) -> Job:
    """Have a worker look at the data, under the roles that are known so far."""
    bare = not data.columns
    untried = any(choice.tree is None for choice in data.hierarchies.values())
    known = data.roles is not None or untried

    def learn(job: Job) -> None:
        if job.error is not None:
            job.error = placed(job.error, data.names())
        if job is not data.look or job.result is None:
            return
        data.seen = job.result
        if bare:
            data.columns = list(job.result["columns"])
            names = [column["name"] for column in data.columns]
            if data.roles is not None:  # those of a recipe, which need not name every column
                data.roles = {name: data.roles.get(name, "none") for name in names}
            elif data.sample and data.columns:  # a sample says itself what its columns are
                data.roles = {column["name"]: column["role"] for column in data.columns}
        for column, choice in data.hierarchies.items():
            if choice.tree is None:
                choice.tree = job.result["hierarchies"].get(column)

    if data.look is not None:
        await session.jobs.remove(data.look)
    task = {
        "recipe": to_toml(forms.bare_recipe(data)) if bare else None,
        "confirmed": to_toml(forms.confirmed_recipe(data, trees=untried)) if known else None,
        "table": data.table,
        "values": str(data.values_file) if bare else None,
        "encoding": data.encoding,
    }
    data.look = session.jobs.start("look", task, about={"data": data.id}, then=learn)
    return data.look


async def _sent_recipe(asked: Asked) -> Recipe:
    text = (await asked.request.body()).decode("utf-8", errors="replace")
    return parse_recipe(text, file=told_name(asked.request))


def _data_of(session: Session, opened: Recipe) -> DataSet:
    """The data set that a recipe names."""
    named = forms.named_by(opened)
    data = next((one for one in reversed(session.data.values()) if one.name == named), None)
    if data is None and is_sample(named):
        data = _new_sample(session, named.removeprefix("sample:"))
    if data is None:
        raise UsageError(
            f"The recipe is about {shorten(named)!r}, which is not here.",
            code="recipe-needs-file",
            hint="Choose that file first, then open the recipe.",
        )
    return data


async def _opened(session: Session, data: DataSet, opened: Recipe) -> DataSet:
    forms.open_recipe(data, opened)
    await start_look(session, data)
    return data


def _new_sample(session: Session, name: str) -> DataSet:
    found, _ = find_sample(name)
    identifier, folder = session.new_folder()
    layout = "table" if found.kind == "table" else "baskets"
    return session.add(DataSet(identifier, name, folder, f"sample:{name}", None, layout))


def told_name(request: Request) -> str:
    """The name of the file that is sent, as the browser tells it."""
    told = request.headers.get(NAME_HEADER)
    if not told or len(told) > 4096:
        raise UsageError("The request does not say what the file is called.", code="file-unnamed")
    return display_name(unquote(told))


async def receive_file(request: Request, path: Path) -> int:
    """Write the body of a request to a file of mode 0600, and tell its size; a part of one is removed."""
    size, whole = 0, False
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    file = os.fdopen(descriptor, "wb", buffering=0)
    try:
        pending = bytearray()
        async for chunk in request.stream():
            pending += chunk
            size += len(chunk)
            if len(pending) >= PIECE:
                await run_in_threadpool(file.write, bytes(pending))
                pending.clear()
        await run_in_threadpool(file.write, bytes(pending))
        whole = size > 0
    except ClientDisconnect:
        raise Cancelled("The upload was broken off.") from None
    except OSError as error:
        raise OutputError(
            f"The file could not be kept: {error.strerror}.",
            code="upload-not-written",
            hint="Make room on the disk, or name a folder on a larger one with 'tacit serve --folder'.",
        ) from error
    finally:
        file.close()
        if not whole:
            path.unlink(missing_ok=True)
    if size == 0:
        raise UsageError("The file is empty.", code="empty-file", hint="Check that this is the right file.")
    return size
