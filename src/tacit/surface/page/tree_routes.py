"""The hierarchy workshop: a tree proposed, pasted from a spreadsheet, edited node by node, and taken away.

Whatever was done, the tree is a file of the project afterwards, checked against the values of its column, and
runs use it as they use one that was uploaded. Files are called by their content, so that taking a change back
makes what was run before it the latest again.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.errors import InputError, UsageError
from tacit.surface.catalogue import speaking
from tacit.surface.page import forms
from tacit.surface.page.data_routes import column_of, name_for, started, tree_recipe, try_hierarchy
from tacit.surface.page.errors import STATUS, around
from tacit.surface.page.session import (
    DataSet,
    HierarchyChoice,
    data_of,
    fields_of,
    language_of,
    session_of,
    text_of,
)
from tacit.surface.page.tasks import checked_tree, values_in
from tacit.surface.page.views import tree_state
from tacit.surface.page.wording import error_on_the_page
from tacit.surface.recipe.prepare import read_source

MOST_NODES, DEEPEST = 5_000, 100
"""A larger tree is changed in its file."""
PASTED = "the pasted rows"
"""What errors call what was pasted."""


async def propose(request: Request) -> Response:
    """Have a worker propose a hierarchy, from the values and from what many records hold together."""
    session, data, fields = session_of(request), data_of(request), await fields_of(request)
    column = column_of(data, text_of(fields, "column"))
    choice = HierarchyChoice(file=data.new_file(".csv"), name=name_for(column, "proposed.csv"))
    asked = str(data.choices.get("generalize", {}).get("k", ""))
    k = int(asked) if asked.isascii() and asked.isdigit() and 2 <= int(asked) < 1 << 31 else None
    told = {"file": str(choice.file), "k": k, "table": data.table}
    return started(try_hierarchy(session, data, column, choice, proposing=told))


async def tree(request: Request) -> Response:
    """The whole tree of a column, to be edited: its labels, leaves first, and the parent of each."""
    data = data_of(request)
    column = column_of(data, request.query_params.get("column", ""))
    found = await run_in_threadpool(_tree_of, data, column)
    depth = int(found.heights[found.root])
    if found.n_nodes > MOST_NODES or depth > DEEPEST:
        raise UsageError(
            f"The tree has {found.n_nodes:,} nodes and {depth:,} levels; {MOST_NODES:,} and {DEEPEST} can be"
            " edited here.",
            code="hierarchy-too-large",
            hint="Download it, change it in a spreadsheet, and upload it or paste it.",
        )
    used = {NULL_LABEL if value is None else value for value in known_values(data, column)}
    return JSONResponse(
        {
            "labels": found.labels,
            "parents": found.parents.tolist(),
            "leaves": found.n_leaves,
            "unused": [label for label in found.labels[: found.n_leaves] if label not in used],
        }
    )


async def edited(request: Request) -> Response:
    """Take a tree as it was edited, as lines of child and parent."""
    from tacit.io.hierarchies.delimited import read_edges

    data, fields = data_of(request), await fields_of(request)
    column = column_of(data, text_of(fields, "column"))
    made = read_edges(text_of(fields, "tree"), file="the tree", delimiter=",", name=column or None)
    return await _taken(request, column, made, "tree.csv")


async def paste(request: Request) -> Response:
    """Take rows of levels as a spreadsheet copies them."""
    from tacit.io.hierarchies import build_levels

    data, fields = data_of(request), await fields_of(request)
    column, sheet = column_of(data, text_of(fields, "column")), text_of(fields, "sheet")
    try:
        made = build_levels(known_values(data, column), sheet=sheet, name=column or None, file=PASTED)
    except InputError as error:
        told = error_on_the_page(error) | {"field": "sheet"}
        if error.where is not None and error.where.line is not None:
            told["excerpt"] = around(sheet.splitlines(), error.where.line)
        return JSONResponse({"error": told}, status_code=STATUS[error.exit_code])
    return await _taken(request, column, made, "pasted.csv")


async def download(request: Request) -> Response:
    """The tree of a column as a file, to be put beside the recipe or changed elsewhere."""
    from tacit.io.hierarchies import hierarchy_text

    data = data_of(request)
    column = column_of(data, request.query_params.get("column", ""))
    found = await run_in_threadpool(_tree_of, data, column)
    return Response(
        hierarchy_text(found), media_type="text/csv", headers={"content-disposition": "attachment"}
    )


def known_values(data: DataSet, column: str) -> list[str | None]:
    """The distinct values of a column, as the first look left them."""
    return values_in(data.values_file, column)


async def _taken(request: Request, column: str, made: Hierarchy, kind: str) -> Response:
    """Keep a tree that fits the values of its column, and let it be the column's."""
    from tacit.io.hierarchies import hierarchy_text

    session, data = session_of(request), data_of(request)
    shown = checked_tree(made, known_values(data, column))
    text = hierarchy_text(made).encode()
    before = data.hierarchies.get(column)
    file = data.folder / f"{sha256(text).hexdigest()[:16]}.csv"
    file.write_bytes(text)
    file.chmod(0o600)
    # Never under the name of a file that was brought: the recipe would be run with that one.
    data.hierarchies[column] = HierarchyChoice(
        file=file, name=name_for(column, kind), tree=shown["tree"], check=shown["check"]
    )
    old = None if before is None else before.file
    if old is not None and old != file and all(run.over for run in session.runs(data)):
        old.unlink(missing_ok=True)
    with speaking(language_of(request)):
        return JSONResponse({"state": tree_state(data, column)})


def _tree_of(data: DataSet, column: str) -> Hierarchy:
    """The whole tree of a column: of its file, by its rule, or as the sample brings it."""
    from tacit.io.hierarchies import fill_ranges, read_hierarchy

    choice = data.hierarchies.get(column)
    name = column or None
    if choice is not None and choice.file is not None:
        return fill_ranges(read_hierarchy(choice.file, name=name), known_values(data, column))
    recipe = forms.bare_recipe(data) if choice is None else tree_recipe(data, column, choice)
    source = recipe.sources["source"]
    if choice is not None:
        rule: Any = source.hierarchy if name is None else source.hierarchies[name]
        built: Hierarchy = rule.build(known_values(data, column), name)
        return built
    brought: Any = read_source(source, "table" if data.table else "transactions", Path())
    found: Hierarchy | None = brought.hierarchies.get(column) if data.table else brought.hierarchy
    if found is None:
        raise UsageError("There is no tree yet.", code="hierarchy-none", hint="Propose, build or paste one.")
    return found
