"""The worker: does one task of the page in a process of its own, and says what is going on.

``python -m tacit.surface.page.worker`` reads a task, one line of JSON, from standard input, and writes
events, a line of JSON each, to standard output: ``progress``, then ``done`` with a result or ``error`` with
what the command line would say. It ends when standard input does: a page that is gone needs no result.

A task is a function of what the page sent, with a progress callback; what it returns is plain and goes back
to the page, what is large it leaves in a file. Nothing is computed here that a verb or a judge does not
compute: a task calls them, and lays out what they return.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

from tacit.arrays.compiled import telling
from tacit.data.hierarchy import Hierarchy
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import Cancelled, TacitError, UsageError
from tacit.io.hierarchies import check_hierarchy, fill_ranges, read_hierarchy, show_hierarchy
from tacit.methods import TABLE, TRANSACTIONS, knowledge_options
from tacit.surface.page.errors import defect, error_on_the_page, excerpt, on_the_page
from tacit.surface.recipe.load import parse_recipe
from tacit.surface.recipe.model import Recipe, values_of
from tacit.surface.recipe.prepare import read_source
from tacit.typing import Progress

EVERY = 0.1
"""Seconds between two events that say the same but for the share done."""
MOST_VALUES = 50_000
"""Distinct values up to which a column's are kept for building a hierarchy."""
SHOWN_DEPTH, SHOWN_CHILDREN = 12, 30
MOST_RULES = 500
"""So many rules are listed."""


def main() -> int:
    """Do the task on standard input."""
    events = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no event
    task = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_page, daemon=True).start()
    try:
        with telling(_reporter(events)) as progress:
            result = TASKS[task["kind"]](task, progress)
    except (Exception, KeyboardInterrupt) as raised:
        error = Cancelled() if isinstance(raised, KeyboardInterrupt) else raised
        if not isinstance(error, TacitError):
            error = defect(error)
        told = error_on_the_page(error)
        if error.where is not None:
            told["excerpt"] = excerpt(error.where, task.get("encoding", "utf-8"))
        _tell(events, {"event": "error", "error": told})
        return error.exit_code
    _tell(events, {"event": "done", "result": result})
    return 0


def _tell(events: BinaryIO, event: dict[str, Any]) -> None:
    events.write(json.dumps(event).encode() + b"\n")


def _reporter(events: BinaryIO) -> Progress:
    said, when = "", 0.0

    def report(what: str, share: float | None) -> None:
        nonlocal said, when
        now = monotonic()
        if what != said or now - when >= EVERY:
            said, when = what, now
            _tell(events, {"event": "progress", "what": what, "share": share})

    return report


def _end_with_the_page() -> None:
    """Wait for the end of standard input, which comes when the page is gone; then end, with all children."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    if os.getpgid(0) == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def look(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """The profile of a data set, with the hierarchies it brings; its distinct values are left in a file.

    The first look is bare, and sees every column; one under the roles that are confirmed may follow at once.
    """
    from tacit.judging.cards import column_cards, singling
    from tacit.judging.profile import profile
    from tacit.showing.layout import to_plain

    columns, values = [], None
    if task["recipe"] is not None:
        data = _read(task, progress, "Reading the file")
        values = _values(data)
        looked = profile(data)
        columns = to_plain(looked).get("columns", [])
        if isinstance(data, Table):
            cards = column_cards(data)
            columns = [column | {"card": to_plain(card)} for column, card in zip(columns, cards, strict=True)]
    if task["confirmed"] is not None:
        data = _read(task | {"recipe": task["confirmed"]}, progress, "Reading the file with its roles")
        progress("Looking at what is at risk", None)
        looked = profile(data)
    if values is not None:
        Path(task["values"]).write_text(json.dumps(values), encoding="utf-8")
    found = to_plain(looked) | {"notes": [on_the_page(note) for note in looked.notes]}
    trees = {"": data.hierarchy} if isinstance(data, Transactions) else data.hierarchies
    single = singling(data, found["quasi"]) if isinstance(data, Table) else None
    return {
        "profile": found,
        "columns": columns,
        "hierarchies": {name: _shown(tree) for name, tree in trees.items() if tree is not None},
        "singling": None if single is None else to_plain(single),
    }


def _values(data: Table | Transactions) -> dict[str, list[str | None]]:
    """The distinct values of each column, or of the items, where they are not too many for a tree."""
    if isinstance(data, Transactions):
        return {"": list(data.vocabulary)} if data.n_items <= MOST_VALUES else {}
    columns = [data.column(name) for name in data.names]
    return {column.name: list(column.texts) for column in columns if len(column.values) <= MOST_VALUES}


def hierarchy(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """A hierarchy, proposed, built by a rule or read from a file, checked against the column's values."""
    values, name = values_in(Path(task["values"]), task["column"]), task["column"] or None
    asked = task["proposing"]
    if asked is not None:
        from tacit.io.hierarchies import write_hierarchy
        from tacit.recoding.proposing import USUAL_K, propose_hierarchy

        data = _read(task | asked, progress)
        progress("Proposing a hierarchy", None)
        tree = propose_hierarchy(data, column=name, k=asked["k"] or USUAL_K)
        write_hierarchy(tree, asked["file"])
        return checked_tree(tree, values)
    source = parse_recipe(task["recipe"]).sources["source"]
    told: Any = source.hierarchy if name is None else source.hierarchies[name]
    if isinstance(told, str):
        progress("Reading the hierarchy", None)
        return checked_tree(fill_ranges(read_hierarchy(told, name=name), values), values, file=told)
    progress("Building the hierarchy", None)
    return checked_tree(told.build(values, name), values)


def checked_tree(tree: Hierarchy, values: Sequence[str | None], *, file: str | None = None) -> dict[str, Any]:
    """How a tree looks, once it is known to have a leaf for every value."""
    check = check_hierarchy(tree, values, file=file)
    return {"tree": _shown(tree), "check": check.to_dict()}


def _shown(tree: Hierarchy) -> dict[str, Any]:
    return show_hierarchy(tree, depth=SHOWN_DEPTH, most=SHOWN_CHILDREN).to_dict()


def values_in(file: Path, column: str) -> list[str | None]:
    """The distinct values of a column, as a look left them."""
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

    return make_candidate(parse_recipe(task["recipe"]), Path(task["folder"]), progress)


def sweep(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """A range of settings tried on the data of a recipe, with the picture of what they risk and lose."""
    from tacit.surface.page.project import write_sealed
    from tacit.surface.sweep import sweep as try_all

    found = try_all(_read(task, progress), progress=progress)
    drawn = found.chart().to_svg() if found.recommended is not None else ""
    write_sealed(Path(task["folder"]) / "curve.svg", drawn.encode())
    return found.to_dict() | {"names": [one.name for one in found.tries]}


def rules(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """The rules that readers of a release are taken to know, those that may be chance last."""
    from tacit.mining.verbs import mine_negative_rules

    recipe: Recipe = parse_recipe(task["recipe"])
    table: Any = _read(task, progress)
    progress("Mining the rules", None)
    found = mine_negative_rules(table, **values_of(recipe.knowledge, knowledge_options()))
    shown = [found[place] for place in found.firm_first[:MOST_RULES].tolist()]
    return {"rules": [{"line": str(rule), **rule.to_dict()} for rule in shown], "count": len(found)}


def publish(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """The candidate of an earlier run, published."""
    from tacit.surface.page.outcome import publish_candidate

    return publish_candidate(task, progress)


def copy(task: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """All files of a release in a format of the user's own."""
    from tacit.surface.export import export_all

    progress("Writing copies", None)
    return {"files": export_all(Path(task["release"]), Path(task["folder"]), **task["wanted"])}


def _read(task: dict[str, Any], progress: Progress, what: str = "Reading the data") -> Table | Transactions:
    """The data of the one source of a task's recipe."""
    progress(what, None)
    source = parse_recipe(task["recipe"]).sources["source"]
    return read_source(source, TABLE if task["table"] else TRANSACTIONS, Path())


TASKS = {task.__name__: task for task in (look, hierarchy, run, sweep, rules, publish, copy)}


if __name__ == "__main__":
    sys.exit(main())
