"""What the templates show: the state of the session in words and in the figures that judges computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.errors import shorten
from tacit.io.readers.set_formats import SET_FORMATS
from tacit.methods import METHODS, TABLE, TRANSACTIONS
from tacit.showing.layout import count, share
from tacit.surface.catalogue import catalogue
from tacit.surface.page.coach import advice
from tacit.surface.page.fields import fields_of, reading_fields
from tacit.surface.page.outcome_view import outcome_view, title_of
from tacit.surface.page.profile_view import profile_view
from tacit.surface.page.session import ITEMS, DataSet, Session
from tacit.surface.page.sweep_view import sweep_view

SAMPLES = ("hospital", "supermarket")
LAYOUTS = (
    ("table", "a table: a row for each person"),
    ("baskets", "baskets: a line of items for each person"),
    ("long", "a long list: a row for each person and item"),
)
BASKET_FORMATS = (
    ("", "as the file name says"),
    *((entry.name, entry.title) for entry in SET_FORMATS.values() if entry.lines is not None),
)
ROLES = (
    ("quasi", "known elsewhere (quasi-identifier)"),
    ("sensitive", "not to be learned (sensitive)"),
    ("drop", "names the person (drop it)"),
    ("keep", "publish it, knowingly"),
    ("none", "leave it out"),
)
BUILDERS = (
    ("intervals", "numbers in intervals"),
    ("balanced", "neighbours in groups of equal size"),
    ("prefixes", "codes that begin alike"),
    ("dates", "dates by month, year and decade"),
    ("flat", "all values in one group"),
)
RULE_FIELDS = ("width", "nesting", "fanout", "lengths", "date_format")
LOOK, CHOICE, RUN, OUTCOME = 2, 4, 5, 6
"""Steps by their number."""
MOST = 3
"""How many sensitive columns a sentence names."""


def start_view(session: Session) -> dict[str, Any]:
    """The start: samples, and the files that were brought before."""
    return {
        "limit": session.upload_limit,
        "limit_text": size_text(session.upload_limit),
        "samples": [
            {"name": name, "title": title, "help": words}
            for name, (title, words) in ((one, catalogue()["page"]["start"][one]) for one in SAMPLES)
        ],
        "files": [_file(session, data) for data in reversed(session.data.values())],
    }


def data_view(session: Session, data: DataSet, *, job: str | None, beside: Sequence[str]) -> dict[str, Any]:
    """A data set with all its steps, and the outcome of some of its runs side by side."""
    look = data.look
    profile = None if data.seen is None else profile_view(data)
    ready = profile is not None and (data.roles is not None or not data.table)
    runs = list(session.runs(data))
    methods = [one for one in METHODS.values() if one.takes == (TABLE if data.table else TRANSACTIONS)]
    view = {
        "limit": session.upload_limit,
        "data": data,
        "file_words": _file_words(data),
        "layouts": LAYOUTS,
        "basket_formats": BASKET_FORMATS,
        "roles": ROLES,
        "builders": BUILDERS,
        "reading_fields": reading_fields(),
        "read": lambda name: _as_field(data.reading.get(name)),
        "looking": look.id if look is not None and not look.over else None,
        "look_error": look.error if look is not None and look.state == "failed" else None,
        "profile": profile,
        "columns": _columns(data),
        "singled": _singled(data),
        "trees": _trees(data),
        "ready": ready,
        "sensitive": _sensitive(data),
        "methods": methods,
        "chosen": data.method or methods[0].name,
        "fields": lambda method: fields_of(METHODS[method]),
        "title": lambda method, name: METHODS[method].options[name].says.title,
        "help": lambda method, name: METHODS[method].options[name].says.help,
        "value": lambda method, name, usual: data.choices.get(method, {}).get(name, usual),
        "advised": lambda method, name: advice(data, method, name),
        "sweep": sweep_view(session, data),
        "running": next((run for run in runs if not run.over), None),
        "run_error": None,
        **outcome_view(session, data, runs, job=job, beside=beside),
    }
    if runs and runs[0].state == "failed" and not view["runs"][0]["outdated"]:
        view["run_error"] = runs[0].error  # what was changed since may have mended it
    summaries = _summaries(data, view)
    view["steps"] = [
        step | {"summary": summary} for step, summary in zip(_steps(data, view), summaries, strict=True)
    ]
    view["first"] = _first(view)
    return view


def _first(view: dict[str, Any]) -> int:
    """The step that is shown where none is asked for: the one that a person would go on with."""
    if view["running"] is not None or view["run_error"]:
        return RUN
    if view["shown"] is not None:
        return OUTCOME
    if view["profile"] is not None and view["data"].roles is not None and not view["data"].sample:
        return CHOICE
    return LOOK


def size_text(size: int) -> str:
    """A size in bytes as people write it."""
    for unit, width in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if size >= width:
            return f"{size / width:,.1f} {unit}".replace(".0 ", " ")
    return f"{size:,} bytes"


def _file(session: Session, data: DataSet) -> dict[str, Any]:
    runs = [{"id": run.id, "title": title_of(run), "state": run.state} for run in session.runs(data)]
    return {"id": data.id, "name": data.name, "what": _file_words(data), "runs": runs}


def _file_words(data: DataSet) -> str:
    say = catalogue()["page"]["frame"]
    kind = say["tables"][0 if data.table else 1]
    return str(say["built_in"]).format(kind=kind) if data.size is None else f"{kind}, {size_text(data.size)}"


def _as_field(value: Any) -> str:
    """An option of reading as its form field shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value in ("\t", " "):
        return "tab" if value == "\t" else "blank"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _columns(data: DataSet) -> list[dict[str, Any]]:
    """The columns with their roles, confirmed or guessed, and how far each singles people out."""
    given = data.roles or {}
    guessed = {"identifier": "drop"}
    single = (data.seen or {}).get("singling") or {"without": {}}
    return [
        column
        | {
            "role": given.get(column["name"], guessed.get(column["role"], column["role"])),
            "because": _because(column, single),
            "card": column["card"] | {"said": _bars_said(column["card"])},
        }
        for column in data.columns
    ]


def _because(column: dict[str, Any], single: dict[str, Any]) -> str:
    """Why a column has its role, and what it tells about people alone and beside others."""
    parts = [f"A guess: {column['why']}."] if column["why"] not in ("given", "no role given") else []
    if column["card"]["alone"]:
        parts.append(f"Alone it singles out {share(column['card']['alone'])}.")
    without = single["without"].get(column["name"])
    if without is not None:
        parts.append(f"Without it {share(without)} stand alone instead of {share(single['everything'])}.")
    return " ".join(parts)


def _bars_said(card: dict[str, Any]) -> str:
    """How a column is distributed, for those who cannot see it."""
    told = ", ".join(f"{shorten(bar['label'])}: {count(bar['rows'])}" for bar in card["bars"])
    return f"Distribution: {told}" + (f"; {count(card['others'])} others" if card["others"] else "")


def _singled(data: DataSet) -> list[dict[str, Any]]:
    """The sets of one, two and three columns that single out most people."""
    single = (data.seen or {}).get("singling")
    return [
        {"share": one["share"], "names": " and ".join(shorten(name) for name in one["columns"])}
        for one in (single["best"] if single else ())
    ]


def _sensitive(data: DataSet) -> str:
    names = [name for name, role in (data.roles or {}).items() if role == "sensitive"]
    if len(names) > MOST:
        return f"each of the {len(names)} sensitive columns"
    return " and ".join(shorten(name) for name in names) or "the sensitive column"


def _trees(data: DataSet) -> list[dict[str, Any]]:
    """The hierarchies that there are or could be: one for each quasi-identifier, or one of the items."""
    if data.seen is None or (data.table and data.roles is None):
        return []
    columns = (
        [name for name, role in (data.roles or {}).items() if role == "quasi"] if data.table else [ITEMS]
    )
    return [_tree(data, column) | {"place": place} for place, column in enumerate(columns)]


def _tree(data: DataSet, column: str) -> dict[str, Any]:
    chosen = data.hierarchies.get(column)
    rule = (chosen.rule if chosen is not None else None) or {}
    return {
        "column": column,
        "title": column or "All items",
        "tree": _shown_tree(data, column),
        "state": tree_state(data, column),
        "removable": chosen is not None,
        "by": rule.get("by", "intervals" if data.table else "balanced"),
        "rule": {name: _as_field(rule.get(name)) for name in RULE_FIELDS},
    }


def _shown_tree(data: DataSet, column: str) -> dict[str, Any] | None:
    chosen = data.hierarchies.get(column)
    return chosen.tree if chosen is not None else (data.seen or {}).get("hierarchies", {}).get(column)


def tree_state(data: DataSet, column: str) -> str:
    """Where the hierarchy of a column comes from, and how large it is."""
    chosen, tree = data.hierarchies.get(column), _shown_tree(data, column)
    if tree is None:
        return "none"
    levels = "1 level" if tree["depth"] == 1 else f"{tree['depth']} levels"
    source = "brought by the sample"
    if chosen is not None:
        source = chosen.name or f"by {(chosen.rule or {})['by']}"
    return f"{source}: {tree['leaves']:,} values, {levels}"


def _steps(data: DataSet, view: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of the page, those that are done and the one that comes next."""
    shown = view["shown"]
    made = shown is not None and not shown["outdated"]  # what was made before a change is to be made again
    published = made and shown["published"]
    done = [True, view["profile"] is not None, view["ready"], made, made, made, published]
    titles = [
        *("File", "What is at risk", "Roles and hierarchies" if data.table else "Hierarchy"),
        *("What to publish", "Run", "Risk and utility", "Download"),
    ]
    now = next((number for number, over in enumerate(done) if not over), -1)
    return [
        {
            "number": number + 1,
            "title": title,
            "state": "done" if over else "now" if number == now else "later",
        }
        for number, (title, over) in enumerate(zip(titles, done, strict=True))
    ]


def _summaries(data: DataSet, view: dict[str, Any]) -> list[str]:
    """What was done in each step, in a few words, for whoever is at another one."""
    profile, shown, runs = view["profile"], view["shown"], view["runs"]
    return [
        f"{shorten(data.name, 40)}, {view['file_words']}",
        "" if profile is None else profile["summary"],
        _roles_summary(data) if view["ready"] else "",
        next(method.title for method in view["methods"] if method.name == view["chosen"])
        if view["ready"]
        else "",
        "" if not runs else "1 run" if len(runs) == 1 else f"{len(runs)} runs",
        "" if shown is None else f"{shown['name']}: {shown['parameters']}",
        "" if shown is None or not shown["published"] else "published",
    ]


def _roles_summary(data: DataSet) -> str:
    trees = [tree["title"] for tree in _trees(data) if tree["tree"]]
    with_trees = f"; hierarchy of {_few(trees)}" if data.table and trees else ""
    if not data.table:
        return "one of the items" if trees else "none"
    known = [name for name, role in (data.roles or {}).items() if role == "quasi"]
    return f"{_sensitive(data)} sensitive; {_few(known)} known{with_trees}"


def _few(names: list[str]) -> str:
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(shorten(name) for name in names[:MOST]) + more
