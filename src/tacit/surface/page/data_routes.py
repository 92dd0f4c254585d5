"""Bringing data: a file or a sample, how it is read, the roles of its columns, its hierarchies."""

from __future__ import annotations

import shutil
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tacit.errors import UsageError, shorten
from tacit.io.samples import find_sample, is_sample
from tacit.surface.page import forms
from tacit.surface.page.errors import placed
from tacit.surface.page.jobs import Job
from tacit.surface.page.opening import named_by, open_recipe
from tacit.surface.page.session import (
    ITEMS,
    DataSet,
    HierarchyChoice,
    Session,
    data_of,
    display_name,
    fields_of,
    guessed_layout,
    session_of,
    stored_name,
    text_of,
)
from tacit.surface.page.uploads import receive_file, told_name
from tacit.surface.recipe.load import parse_recipe
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.write import to_toml


async def upload(request: Request) -> Response:
    """Take in a file, and look at it; a recipe is opened on the file that it names."""
    session, name = session_of(request), told_name(request)
    if name.lower().endswith(".toml"):
        return await _open_by_name(session, await _sent_recipe(request, name))
    identifier, folder = session.new_folder()
    path = folder / stored_name(name)
    try:
        size = await receive_file(request, path)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    data = session.add(DataSet(identifier, name, folder, str(path), size, guessed_layout(name, path)))
    await start_look(session, data)
    return JSONResponse({"location": f"/data/{data.id}"}, status_code=201)


async def sample(request: Request) -> Response:
    """Take a built-in data set, with the roles and hierarchies it brings."""
    session = session_of(request)
    data = _new_sample(session, text_of(await fields_of(request), "name"))
    await start_look(session, data)
    return JSONResponse({"location": f"/data/{data.id}"}, status_code=201)


async def recipe(request: Request) -> Response:
    """Open a recipe on a data set, whatever its file is called."""
    session, data = session_of(request), data_of(request)
    return await _opened(session, data, await _sent_recipe(request, told_name(request)))


async def look_where_needed(session: Session) -> None:
    """Look at what no earlier page has looked at to the end."""
    for data in session.data.values():
        if data.seen is None:
            await start_look(session, data)


async def reading(request: Request) -> Response:
    """Read the file another way: what was known of it is looked at afresh."""
    session, data, fields = session_of(request), data_of(request), await fields_of(request)
    layout = text_of(fields, "layout")
    options = forms.reading(layout, fields)
    forms.source_recipe({"path": data.path, **options})  # refuses what a recipe would refuse
    data.layout, data.reading = layout, options
    data.roles, data.columns, data.seen = None, [], None
    data.hierarchies.clear()
    return started(await start_look(session, data))


async def roles(request: Request) -> Response:
    """Take the roles as confirmed, and look at what is at risk under them."""
    session, data, fields = session_of(request), data_of(request), await fields_of(request)
    given = fields.get("roles")
    known = {column["name"] for column in data.columns}
    if not isinstance(given, dict) or set(given) != known or not set(given.values()) <= set(forms.ROLES):
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
    data.roles = {name: given[name] for name in (column["name"] for column in data.columns)}
    return started(await start_look(session, data))


async def hierarchy_rule(request: Request) -> Response:
    """Build a hierarchy by a rule."""
    session, data, fields = session_of(request), data_of(request), await fields_of(request)
    column = column_of(data, text_of(fields, "column"))
    rule = forms.rule({name: value for name, value in fields.items() if name != "column"})
    choice = HierarchyChoice(rule=rule)
    tree_recipe(data, column, choice)  # refuses what a recipe would refuse
    return started(try_hierarchy(session, data, column, choice))


async def hierarchy_file(request: Request) -> Response:
    """Take in a file that holds a hierarchy of the column that the address names."""
    session, data = session_of(request), data_of(request)
    column = column_of(data, request.query_params.get("column", ""))
    name = told_name(request)
    path = data.new_file(".csv")
    await receive_file(request, path)
    taken = {choice.name for choice in data.hierarchies.values()} | {data.name}
    shown = name if name not in taken else name_for(column, name)
    return started(try_hierarchy(session, data, column, HierarchyChoice(file=path, name=shown)))


async def hierarchy_remove(request: Request) -> Response:
    """Do without the hierarchy of a column."""
    data, fields = data_of(request), await fields_of(request)
    removed = data.hierarchies.pop(text_of(fields, "column"), None)
    if removed is not None and removed.file is not None:
        removed.file.unlink(missing_ok=True)
    return JSONResponse({"removed": removed is not None})


async def remove(request: Request) -> Response:
    """Remove a data set, with its jobs and what they made."""
    await fields_of(request)
    await session_of(request).forget(data_of(request))
    return JSONResponse({"location": "/"})


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
        "encoding": data.reading.get("encoding", "utf-8"),
    }
    data.look = session.jobs.start("look", task, about={"data": data.id}, then=learn)
    return data.look


def try_hierarchy(
    session: Session,
    data: DataSet,
    column: str,
    choice: HierarchyChoice,
    proposing: dict[str, Any] | None = None,
) -> Job:
    """Have a worker build, check or propose a hierarchy; one that fits becomes the column's."""

    def learn(job: Job) -> None:
        if job.error is not None:
            names = data.names() | ({str(choice.file): choice.name} if choice.file and choice.name else {})
            job.error = placed(job.error, names)
            if choice.file is not None:
                choice.file.unlink(missing_ok=True)
        elif job.result is not None:
            choice.tree, choice.check = job.result["tree"], job.result["check"]
            data.hierarchies[column] = choice

    recipe = tree_recipe(data, column, choice) if proposing is None else forms.bare_recipe(data)
    task = {
        "recipe": to_toml(recipe),
        "column": column,
        "values": str(data.values_file),
        "proposing": proposing,
    }
    return session.jobs.start("hierarchy", task, about={"data": data.id}, then=learn)


async def _sent_recipe(request: Request, name: str) -> Recipe:
    text = (await request.body()).decode("utf-8", errors="replace")
    return parse_recipe(text, file=name)


async def _open_by_name(session: Session, opened: Recipe) -> Response:
    named = named_by(opened)
    data = next((one for one in reversed(session.data.values()) if one.name == named), None)
    if data is None and is_sample(named):
        data = _new_sample(session, named.removeprefix("sample:"))
    if data is None:
        raise UsageError(
            f"The recipe is about {shorten(named)!r}, which is not here.",
            code="recipe-needs-file",
            hint="Choose that file first, then open the recipe.",
        )
    return await _opened(session, data, opened)


async def _opened(session: Session, data: DataSet, opened: Recipe) -> Response:
    open_recipe(data, opened)
    await start_look(session, data)
    return JSONResponse({"location": f"/data/{data.id}"}, status_code=201)


def _new_sample(session: Session, name: str) -> DataSet:
    found, _ = find_sample(name)
    identifier, folder = session.new_folder()
    layout = "table" if found.kind == "table" else "baskets"
    return session.add(DataSet(identifier, name, folder, f"sample:{name}", None, layout))


def tree_recipe(data: DataSet, column: str, choice: HierarchyChoice) -> Recipe:
    """A recipe of one hierarchy."""
    tree = choice.rule if choice.rule is not None else str(choice.file)
    named = {"hierarchy": tree} if column == ITEMS else {"hierarchies": {column: tree}}
    return forms.source_recipe({"path": data.path, **named})


def name_for(column: str, kind: str) -> str:
    """What a hierarchy file of a column is called."""
    return display_name(f"{column or 'items'}-{kind}")


def column_of(data: DataSet, told: str) -> str:
    known = [column["name"] for column in data.columns] if data.table else [ITEMS]
    if told not in known:
        raise UsageError(f"There is no column {shorten(told)!r}.", code="unknown-column")
    return told


def started(job: Job) -> JSONResponse:
    return JSONResponse({"job": job.id}, status_code=202)
