"""Hierarchies: a tree built by a rule, proposed, brought, pasted from a spreadsheet, edited, and taken away.

Whatever was done but by a rule, the tree is a file of the project afterwards, checked against the values of
its column, and runs use it as they use one that was uploaded. Trees that were pasted or edited are called by
their content, so that taking a change back makes what was run before it the latest again.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.errors import InputError, UsageError, shorten
from tacit.io.hierarchies import build_levels, fill_ranges, hierarchy_text, read_hierarchy
from tacit.surface.catalogue import speaking
from tacit.surface.page import forms
from tacit.surface.page.data_routes import receive_file, told_name
from tacit.surface.page.errors import STATUS, around, error_on_the_page, placed
from tacit.surface.page.jobs import Job
from tacit.surface.page.session import ITEMS, Asked, DataSet, HierarchyChoice, display_name
from tacit.surface.page.views import tree_state
from tacit.surface.page.worker import checked_tree, values_in
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.prepare import read_source
from tacit.surface.recipe.text import to_toml

MOST_NODES, DEEPEST = 5_000, 100
"""A larger tree is changed in its file."""
PASTED = "the pasted rows"
"""What errors call what was pasted."""


async def by_rule(asked: Asked) -> Job:
    """Build a hierarchy by a rule."""
    column = _column(asked, asked.text("column"))
    rule = forms.rule({name: value for name, value in asked.fields.items() if name != "column"})
    choice = HierarchyChoice(rule=rule)
    _tree_recipe(asked.data, column, choice)  # refuses what a recipe would refuse
    return _try(asked, column, choice)


async def from_file(asked: Asked) -> Job:
    """Take in a file that holds a hierarchy of the column that the address names."""
    data, column = asked.data, _column(asked, asked.request.query_params.get("column", ""))
    name, path = told_name(asked.request), data.new_file(".csv")
    await receive_file(asked.request, path)
    taken = {choice.name for choice in data.hierarchies.values()} | {data.name}
    shown = name if name not in taken else _name_for(column, name)
    return _try(asked, column, HierarchyChoice(file=path, name=shown))


async def propose(asked: Asked) -> Job:
    """Have a worker propose a hierarchy, from the values and from what many records hold together."""
    data, column = asked.data, _column(asked, asked.text("column"))
    choice = HierarchyChoice(file=data.new_file(".csv"), name=_name_for(column, "proposed.csv"))
    wanted = str(data.choices.get("generalize", {}).get("k", ""))
    k = int(wanted) if wanted.isascii() and wanted.isdigit() and 2 <= int(wanted) < 1 << 31 else None
    return _try(asked, column, choice, {"file": str(choice.file), "k": k, "table": data.table})


async def remove(asked: Asked) -> dict[str, Any]:
    """Do without the hierarchy of a column."""
    removed = asked.data.hierarchies.pop(asked.text("column"), None)
    if removed is not None and removed.file is not None:
        removed.file.unlink(missing_ok=True)
    return {"removed": removed is not None}


def _try(asked: Asked, column: str, choice: HierarchyChoice, proposing: dict[str, Any] | None = None) -> Job:
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
    used = {NULL_LABEL if value is None else value for value in _known_values(data, column)}
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
        made = build_levels(_known_values(asked.data, column), sheet=sheet, name=column or None, file=PASTED)
    except InputError as error:
        told = error_on_the_page(error) | {"field": "sheet"}
        if error.where is not None and error.where.line is not None:
            told["excerpt"] = around(sheet.splitlines(), error.where.line)
        return JSONResponse({"error": told}, status_code=STATUS[error.exit_code])
    return _taken(asked, column, made, "pasted.csv")


async def download(asked: Asked) -> Response:
    """The tree of a column as a file, to be put beside the recipe or changed elsewhere."""
    column = _column(asked, asked.request.query_params.get("column", ""))
    text = hierarchy_text(await run_in_threadpool(_tree_of, asked.data, column))
    return Response(text, media_type="text/csv", headers={"content-disposition": "attachment"})


def _taken(asked: Asked, column: str, made: Hierarchy, kind: str) -> dict[str, Any]:
    """Keep a tree that fits the values of its column, and let it be the column's."""
    data = asked.data
    shown = checked_tree(made, _known_values(data, column))
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
        return fill_ranges(read_hierarchy(choice.file, name=name), _known_values(data, column))
    recipe = forms.bare_recipe(data) if choice is None else _tree_recipe(data, column, choice)
    source = recipe.sources["source"]
    if choice is not None:
        rule: Any = source.hierarchy if name is None else source.hierarchies[name]
        built: Hierarchy = rule.build(_known_values(data, column), name)
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


def _known_values(data: DataSet, column: str) -> list[str | None]:
    """The distinct values of a column, as the first look left them."""
    return values_in(data.values_file, column)


def _name_for(column: str, kind: str) -> str:
    """What a hierarchy file of a column is called."""
    return display_name(f"{column or 'items'}-{kind}")


def _column(asked: Asked, told: str) -> str:
    known = [column["name"] for column in asked.data.columns] if asked.data.table else [ITEMS]
    if told not in known:
        raise UsageError(f"There is no column {shorten(told)!r}.", code="unknown-column")
    return told
