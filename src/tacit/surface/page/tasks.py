"""What a worker does for the page: look at data, try a hierarchy, make a release.

Each task is a function of what the page sent, with a progress callback; what it returns is plain and goes
back to the page, what is large it leaves in a file. Nothing is computed here that a verb or a judge
does not compute: a task calls them, and lays out what they return.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.typing import Progress

if TYPE_CHECKING:
    from tacit.data.hierarchy import Hierarchy
    from tacit.surface.recipe.model import Source

MOST_VALUES = 50_000
"""Distinct values up to which a column's are kept for building a hierarchy."""
SHOWN_DEPTH, SHOWN_CHILDREN = 12, 30
MOST_RULES = 500
"""So many rules are listed."""


def look(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """The profile of a data set, with the hierarchies it brings; its distinct values are left in a file.

    The first look is bare, and sees every column; one under the roles that are confirmed may follow at once.
    """
    from tacit.io.hierarchies import show_hierarchy
    from tacit.judging.cards import column_cards, singling
    from tacit.judging.profile import profile
    from tacit.showing.text import to_plain
    from tacit.surface.page.wording import on_the_page
    from tacit.surface.recipe.prepare import read_source

    kind = "table" if task["table"] else "transactions"
    columns, values = [], None
    if task["recipe"] is not None:
        progress("Reading the file", None)
        data = read_source(_source(task["recipe"]), kind, Path())
        values = _values(data)
        looked = profile(data)
        columns = to_plain(looked).get("columns", [])
        if isinstance(data, Table):
            cards = column_cards(data)
            columns = [column | {"card": to_plain(card)} for column, card in zip(columns, cards, strict=True)]
    if task["confirmed"] is not None:
        progress("Reading the file with its roles", None)
        data = read_source(_source(task["confirmed"]), kind, Path())
        progress("Looking at what is at risk", None)
        looked = profile(data)
    if values is not None:
        Path(task["values"]).write_text(json.dumps(values), encoding="utf-8")
    found = to_plain(looked) | {"notes": [on_the_page(note) for note in looked.notes]}
    shown = {
        name: show_hierarchy(tree, depth=SHOWN_DEPTH, most=SHOWN_CHILDREN).to_dict()
        for name, tree in _trees(data).items()
    }
    single = singling(data, found["quasi"]) if isinstance(data, Table) else None
    return {
        "profile": found,
        "columns": columns,
        "hierarchies": shown,
        "singling": None if single is None else to_plain(single),
    }


def _values(data: Table | Transactions) -> dict[str, list[str | None]]:
    """The distinct values of each column, or of the items, where they are not too many for a tree."""
    if isinstance(data, Transactions):
        return {"": list(data.vocabulary)} if data.n_items <= MOST_VALUES else {}
    columns = [data.column(name) for name in data.names]
    return {column.name: list(column.texts) for column in columns if len(column.values) <= MOST_VALUES}


def _trees(data: Table | Transactions) -> dict[str, Hierarchy]:
    if isinstance(data, Transactions):
        return {} if data.hierarchy is None else {"": data.hierarchy}
    return dict(data.hierarchies)


def hierarchy(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """A hierarchy, proposed, built by a rule or read from a file, checked against the column's values."""
    from tacit.io.hierarchies import fill_ranges, read_hierarchy

    values = values_in(Path(task["values"]), task["column"])
    source, name = _source(task["recipe"]), task["column"] or None
    if task["proposing"] is not None:
        return checked_tree(_proposed(source, name, progress, **task["proposing"]), values)
    trees = source.hierarchies if isinstance(source.hierarchies, dict) else {}
    told = source.hierarchy if name is None else trees[name]
    assert told is not None
    file = told if isinstance(told, str) else None
    progress("Building the hierarchy" if file is None else "Reading the hierarchy", None)
    if isinstance(told, str):
        tree = fill_ranges(read_hierarchy(told, name=name), values)
    else:
        tree = told.build(values, name)
    return checked_tree(tree, values, file=file)


def _proposed(
    source: Source, name: str | None, progress: Progress, *, file: str, k: int | None, table: bool
) -> Hierarchy:
    """The hierarchy that is proposed for a column, or for the items; it is left in a file."""
    from tacit.io.hierarchies import write_hierarchy
    from tacit.recoding.proposing import USUAL_K, propose_hierarchy
    from tacit.surface.recipe.prepare import read_source

    progress("Reading the data", None)
    data = read_source(source, "table" if table else "transactions", Path())
    progress("Proposing a hierarchy", None)
    tree = propose_hierarchy(data, column=name, k=k or USUAL_K)
    write_hierarchy(tree, file)
    return tree


def checked_tree(tree: Hierarchy, values: Sequence[str | None], *, file: str | None = None) -> dict[str, Any]:
    """How a tree looks, once it is known to have a leaf for every value."""
    from tacit.io.hierarchies import check_hierarchy, show_hierarchy

    check = check_hierarchy(tree, values, file=file)
    shown = show_hierarchy(tree, depth=SHOWN_DEPTH, most=SHOWN_CHILDREN)
    return {"tree": shown.to_dict(), "check": check.to_dict()}


def values_in(file: Path, column: str) -> list[str | None]:
    """The distinct values of a column, as a look left them."""
    from tacit.errors import UsageError

    values: list[str | None] | None = json.loads(file.read_text(encoding="utf-8")).get(column)
    if values is None:
        raise UsageError(
            f"The column {column!r} has more than {MOST_VALUES:,} values, too many for a tree.",
            code="hierarchy-too-large",
            hint="Build it with 'tacit hierarchy build' and upload the file, or give the column"
            " another role.",
        )
    return values


def run(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """A candidate for a release: made, judged and verified in the job's folder."""
    from tacit.surface.page.outcome import make_candidate
    from tacit.surface.recipe.load import parse_recipe

    return make_candidate(parse_recipe(task["recipe"]), Path(task["folder"]), progress)


def sweep(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """A range of settings tried on the data of a recipe, with the picture of what they risk and lose."""
    from tacit.surface.page.sealing import write_sealed
    from tacit.surface.recipe.prepare import read_source
    from tacit.surface.sweep import sweep as try_all

    progress("Reading the data", None)
    data = read_source(_source(task["recipe"]), "table" if task["table"] else "transactions", Path())
    found = try_all(data, progress=progress)
    drawn = found.chart().to_svg() if found.recommended is not None else ""
    write_sealed(Path(task["folder"]) / "curve.svg", drawn.encode())
    names = [one.name for one in found.tries]
    return found.to_dict() | {"names": names}


def rules(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """The rules that readers of a release are taken to know, those that may be chance last."""
    from tacit.methods import knowledge_options
    from tacit.mining.verbs import mine_negative_rules
    from tacit.surface.recipe.load import parse_recipe
    from tacit.surface.recipe.model import values_of
    from tacit.surface.recipe.prepare import read_source

    progress("Reading the data", None)
    recipe = parse_recipe(task["recipe"])
    table = read_source(recipe.sources["source"], "table", Path())
    assert isinstance(table, Table)
    progress("Mining the rules", None)
    found = mine_negative_rules(table, **values_of(recipe.knowledge, knowledge_options()))
    shown = [found[place] for place in found.firm_first[:MOST_RULES].tolist()]
    return {"rules": [{"line": str(rule), **rule.to_dict()} for rule in shown], "count": len(found)}


def publish(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """The candidate of an earlier run, published."""
    from tacit.surface.dossier.facts import Facts
    from tacit.surface.page.outcome import publish_candidate

    return publish_candidate(
        Path(task["candidate"]),
        Path(task["folder"]),
        task["name"],
        progress,
        place=Path(task["place"]) if task["place"] else None,
        acknowledged=task["acknowledged"],
        reason=task["reason"],
        acknowledged_by=task["acknowledged_by"],
        facts=Facts(**task["facts"]),
        standard=task["standard"],
    )


def copy(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """All files of a release in a format of the user's own."""
    from tacit.surface.export import export_all

    progress("Writing copies", None)
    return {"files": export_all(Path(task["release"]), Path(task["folder"]), **task["wanted"])}


def _source(recipe: str) -> Source:
    """The source of a recipe that has one."""
    from tacit.surface.recipe.load import parse_recipe

    return parse_recipe(recipe).sources["source"]


TASKS: Mapping[str, Callable[[dict[str, Any], Progress], dict[str, Any]]] = {
    "look": look,
    "hierarchy": hierarchy,
    "run": run,
    "sweep": sweep,
    "publish": publish,
    "copy": copy,
    "rules": rules,
}
