"""Bringing data: a file or a sample, how it is read, its roles, its hierarchies, a recipe that says all that.

Files go straight to disk, piece by piece, whatever their size. A hierarchy that is no rule, but proposed,
brought, pasted from a spreadsheet or edited, is a file of the project afterwards, checked against the values
of its column, and runs use it as they use one that was uploaded. Trees that were pasted or edited are called
by their content, so that taking a change back makes what was run before it the latest again.
"""

from __future__ import annotations

import os
import shutil
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.errors import Cancelled, InputError, OutputError, UsageError, shorten
from tacit.io.hierarchies import build_levels, fill_ranges, hierarchy_text, read_hierarchy
from tacit.io.samples import find_sample, is_sample
from tacit.surface.catalogue import speaking
from tacit.surface.page import forms
from tacit.surface.page.errors import STATUS, around, error_on_the_page, placed
from tacit.surface.page.jobs import Job
from tacit.surface.page.session import (
    ITEMS,
    Asked,
    DataSet,
    HierarchyChoice,
    Session,
    display_name,
    stored_name,
)
from tacit.surface.page.views import tree_state
from tacit.surface.page.worker import checked_tree, values_in
from tacit.surface.reading import ROLES, is_transactions
from tacit.surface.recipe.load import parse_recipe
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.prepare import read_source
from tacit.surface.recipe.text import to_toml

NAME_HEADER = "x-file-name"
PIECE = 1 << 20
MOST_NODES, DEEPEST = 5_000, 100
"""A larger tree is changed in its file."""
PASTED = "the pasted rows"
"""What errors call what was pasted."""


async def upload(asked: Asked) -> DataSet:
    """Take in a file, and look at it; a recipe is opened on the file that it names."""
    session, name = asked.session, told_name(asked.request)
    if name.lower().endswith(".toml"):
        opened = await _sent_recipe(asked)
        return await _opened(session, _data_of(session, opened), opened)
    folder = session.new_folder()
    path = folder / stored_name(name)
    try:
        size = await receive_file(asked.request, path)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    layout = "baskets" if is_transactions(str(path)) else "table"
    data = session.add(DataSet(folder.name, name, folder, str(path), size, layout))
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
    sent = parse_recipe(text, file=told_name(asked.request))
    if sent.measure:
        raise forms.not_shown(["measure"])
    return sent


def _data_of(session: Session, opened: Recipe) -> DataSet:
    """The data set that a recipe names, by its file or as a sample."""
    path = opened.sources[opened.source_of(opened.release[0])].path
    named = path if path.startswith("sample:") else PurePath(path.replace("\\", "/")).name
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
    folder = session.new_folder()
    layout = "table" if found.kind == "table" else "baskets"
    return session.add(DataSet(folder.name, name, folder, f"sample:{name}", None, layout))


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


async def by_rule(asked: Asked) -> Job:
    """Build a hierarchy by a rule."""
    column = _column(asked, asked.text("column"))
    rule = forms.rule({name: value for name, value in asked.fields.items() if name != "column"})
    choice = HierarchyChoice(rule=rule)
    _tree_recipe(asked.data, column, choice)  # refuses what a recipe would refuse
    return _try_tree(asked, column, choice)


async def from_file(asked: Asked) -> Job:
    """Take in a file that holds a hierarchy of the column that the address names."""
    data, column = asked.data, _column(asked, asked.request.query_params.get("column", ""))
    name, path = told_name(asked.request), data.new_file()
    await receive_file(asked.request, path)
    taken = {choice.name for choice in data.hierarchies.values()} | {data.name}
    shown = name if name not in taken else _name_for(column, name)
    return _try_tree(asked, column, HierarchyChoice(file=path, name=shown))


async def propose(asked: Asked) -> Job:
    """Have a worker propose a hierarchy, from the values and from what many records hold together."""
    data, column = asked.data, _column(asked, asked.text("column"))
    choice = HierarchyChoice(file=data.new_file(), name=_name_for(column, "proposed.csv"))
    wanted = str(data.choices.get("generalize", {}).get("k", ""))
    k = int(wanted) if wanted.isascii() and wanted.isdigit() and 2 <= int(wanted) < 1 << 31 else None
    return _try_tree(asked, column, choice, {"file": str(choice.file), "k": k, "table": data.table})


async def remove_tree(asked: Asked) -> dict[str, Any]:
    """Do without the hierarchy of a column."""
    removed = asked.data.hierarchies.pop(asked.text("column"), None)
    if removed is not None and removed.file is not None:
        removed.file.unlink(missing_ok=True)
    return {"removed": removed is not None}


def _try_tree(
    asked: Asked, column: str, choice: HierarchyChoice, proposing: dict[str, Any] | None = None
) -> Job:
    """Have a worker build, check or propose a hierarchy; one that fits becomes the column's."""
    data = asked.data

    def learn(job: Job) -> None:
        if job.error is not None:
            names = data.names() | ({str(choice.file): choice.name} if choice.file and choice.name else {})
            job.error = placed(job.error, names)
            if choice.file is not None:
                choice.file.unlink(missing_ok=True)
        elif job.result is not None:
            choice.tree, choice.check = job.result["tree"], job.result["check"]
            data.hierarchies[column] = choice

    recipe = _tree_recipe(data, column, choice) if proposing is None else forms.bare_recipe(data)
    task = {
        "recipe": to_toml(recipe),
        "column": column,
        "values": str(data.values_file),
        "proposing": proposing,
    }
    return asked.session.jobs.start("hierarchy", task, about={"data": data.id}, then=learn)


async def tree(asked: Asked) -> dict[str, Any]:
    """The whole tree of a column, to be edited: its labels, leaves first, and the parent of each."""
    data, column = asked.data, _column(asked, asked.request.query_params.get("column", ""))
    found = await run_in_threadpool(_tree_of, data, column)
    depth = int(found.heights[found.root])
    if found.n_nodes > MOST_NODES or depth > DEEPEST:
        raise UsageError(
            f"The tree has {found.n_nodes:,} nodes and {depth:,} levels; {MOST_NODES:,} and {DEEPEST} can be"
            " edited here.",
            code="hierarchy-too-large",
            hint="Download it, change it in a spreadsheet, and upload it or paste it.",
        )
    used = {NULL_LABEL if value is None else value for value in values_in(data.values_file, column)}
    return {
        "labels": found.labels,
        "parents": found.parents.tolist(),
        "leaves": found.n_leaves,
        "unused": [label for label in found.labels[: found.n_leaves] if label not in used],
    }


async def edited(asked: Asked) -> dict[str, Any]:
    """Take a tree as it was edited, as lines of child and parent."""
    from tacit.io.hierarchies.delimited import read_edges

    column = _column(asked, asked.text("column"))
    made = read_edges(asked.text("tree"), file="the tree", delimiter=",", name=column or None)
    return _taken(asked, column, made, "tree.csv")


async def paste(asked: Asked) -> dict[str, Any] | Response:
    """Take rows of levels as a spreadsheet copies them."""
    column, sheet = _column(asked, asked.text("column")), asked.text("sheet")
    try:
        made = build_levels(
            values_in(asked.data.values_file, column), sheet=sheet, name=column or None, file=PASTED
        )
    except InputError as error:
        told = error_on_the_page(error) | {"field": "sheet"}
        if error.where is not None and error.where.line is not None:
            told["excerpt"] = around(sheet.splitlines(), error.where.line)
        return JSONResponse({"error": told}, status_code=STATUS[error.exit_code])
    return _taken(asked, column, made, "pasted.csv")


async def tree_file(asked: Asked) -> Response:
    """The tree of a column as a file, to be put beside the recipe or changed elsewhere."""
    column = _column(asked, asked.request.query_params.get("column", ""))
    text = hierarchy_text(await run_in_threadpool(_tree_of, asked.data, column))
    return Response(text, media_type="text/csv", headers={"content-disposition": "attachment"})


def _taken(asked: Asked, column: str, made: Hierarchy, kind: str) -> dict[str, Any]:
    """Keep a tree that fits the values of its column, and let it be the column's."""
    data = asked.data
    shown = checked_tree(made, values_in(data.values_file, column))
    text = hierarchy_text(made).encode()
    before = data.hierarchies.get(column)
    file = data.folder / f"{sha256(text).hexdigest()[:16]}.csv"
    file.write_bytes(text)
    file.chmod(0o600)
    # Never under the name of a file that was brought: the recipe would be run with that one.
    data.hierarchies[column] = HierarchyChoice(file=file, name=_name_for(column, kind), **shown)
    old = None if before is None else before.file
    if old is not None and old != file and all(run.over for run in asked.session.about(data, "run")):
        old.unlink(missing_ok=True)
    with speaking(asked.language):
        return {"state": tree_state(data, column)}


def _tree_of(data: DataSet, column: str) -> Hierarchy:
    """The whole tree of a column: of its file, by its rule, or as the sample brings it."""
    choice, name = data.hierarchies.get(column), column or None
    if choice is not None and choice.file is not None:
        return fill_ranges(read_hierarchy(choice.file, name=name), values_in(data.values_file, column))
    recipe = forms.bare_recipe(data) if choice is None else _tree_recipe(data, column, choice)
    source = recipe.sources["source"]
    if choice is not None:
        rule: Any = source.hierarchy if name is None else source.hierarchies[name]
        built: Hierarchy = rule.build(values_in(data.values_file, column), name)
        return built
    brought: Any = read_source(source, data.kind, Path())
    found: Hierarchy | None = brought.hierarchies.get(column) if data.table else brought.hierarchy
    if found is None:
        raise UsageError("There is no tree yet.", code="hierarchy-none", hint="Propose, build or paste one.")
    return found


def _tree_recipe(data: DataSet, column: str, choice: HierarchyChoice) -> Recipe:
    """A recipe of one hierarchy."""
    tree = choice.rule if choice.rule is not None else str(choice.file)
    named = {"hierarchy": tree} if column == ITEMS else {"hierarchies": {column: tree}}
    return forms.source_recipe({"path": data.path, **named})


def _name_for(column: str, kind: str) -> str:
    """What a hierarchy file of a column is called."""
    return display_name(f"{column or 'items'}-{kind}")


def _column(asked: Asked, told: str) -> str:
    known = [column["name"] for column in asked.data.columns] if asked.data.table else [ITEMS]
    if told not in known:
        raise UsageError(f"There is no column {shorten(told)!r}.", code="unknown-column")
    return told
