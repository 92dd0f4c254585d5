"""What the templates show: the state of the session in words and in the figures that judges computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.errors import shorten
from tacit.io.readers.formats import SET_FORMATS
from tacit.methods import METHODS
from tacit.surface.catalogue import catalogue, count, few, share, spelled
from tacit.surface.page.coach import advice, profile_view
from tacit.surface.page.forms import fields_of, reading_fields, typed
from tacit.surface.page.jobs import going_on
from tacit.surface.page.outcome_view import outcome_view, rules_view, sweep_view, title_of
from tacit.surface.page.session import ITEMS, DataSet, Session

SAMPLES = ("hospital", "supermarket")
BASKET_FORMATS = tuple((entry.name, entry.title) for entry in SET_FORMATS.values() if entry.read is not None)
RULE_FIELDS = ("width", "nesting", "fanout", "lengths", "date_format")
LOOK, CHOICE, RUN, OUTCOME = 2, 4, 5, 6
"""Steps by their number."""
MOST = 3
"""How many sensitive columns a sentence names."""


def start_view(session: Session) -> dict[str, Any]:
    """The start: samples, and the files that were brought before."""
    say = catalogue()["page"]["start"]
    return {
        "limit_text": size_text(session.upload_limit),
        "samples": [dict(zip(("name", "title", "help"), (one, *say[one]), strict=True)) for one in SAMPLES],
        "files": [
            {
                "id": data.id,
                "name": data.name,
                "what": _file_words(data),
                "runs": [
                    {"id": run.id, "title": title_of(run), "state": run.state}
                    for run in session.about(data, "run")
                ],
            }
            for data in reversed(session.data.values())
        ],
    }


def data_view(session: Session, data: DataSet, *, job: str | None, beside: Sequence[str]) -> dict[str, Any]:
    """A data set with all its steps, and the outcome of some of its runs side by side."""
    profile = None if data.seen is None else profile_view(data)
    ready = profile is not None and (data.roles is not None or not data.table)
    runs = session.about(data, "run")
    looked = (data.seen or {}).get("profile", {})
    single = (data.seen or {}).get("singling") or {"without": {}, "best": ()}
    methods = [one for one in METHODS.values() if one.takes == data.kind]
    fits = next((one.name for one in methods if one.command == looked.get("method")), methods[0].name)
    begin = {fits: {name: str(value) for name, value in looked.get("settings", {}).items()}}
    if looked.get("person"):
        begin = {
            one.name: {"person": looked["person"], **begin.get(one.name, {})}
            for one in methods
            if "person" in one.options
        }
    view = {
        "data": data,
        "file_words": _file_words(data),
        "basket_formats": BASKET_FORMATS,
        "reading_fields": reading_fields(),
        "read": lambda name: typed(data.reading.get(name), ", "),
        "looking": going_on(data.look)["running"],
        "look_error": going_on(data.look)["error"],
        "profile": profile,
        "columns": _columns(data, single),
        "singled": [  # the sets of one, two and three columns that single out most people
            {"share": one["share"], "names": _joined(one["columns"])} for one in single["best"]
        ],
        "trees": _trees(data),
        "ready": ready,
        "sensitive": _sensitive(data),
        "methods": methods,
        "chosen": data.method or fits,
        "fields": lambda method: fields_of(METHODS[method]),
        "title": lambda method, name: METHODS[method].options[name].says.title,
        "help": lambda method, name: METHODS[method].options[name].says.help,
        "value": lambda method, name, usual: data.choices.get(method, begin.get(method, {})).get(name, usual),
        "advised": lambda method, name: advice(data, method, name),
        "sweep": sweep_view(session, data),
        "rules": lambda method: rules_view(session, data, method),
        "running": next((run for run in runs if not run.over), None),
        "run_error": None,
        **outcome_view(session, data, runs, job=job, beside=beside),
    }
    if runs and runs[0].state == "failed" and not view["runs"][0]["outdated"]:
        view["run_error"] = runs[0].error  # what was changed since may have mended it
    return view | {"steps": _steps(data, view), "first": _first(view)}


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
            return spelled(f"{size / width:,.1f}".removesuffix(".0")) + f" {unit}"
    return str(catalogue()["page"]["frame"]["small"]).format(size=count(size))


def _file_words(data: DataSet) -> str:
    say = catalogue()["page"]["frame"]
    kind = say["tables"][0 if data.table else 1]
    return str(say["built_in"]).format(kind=kind) if data.size is None else f"{kind}, {size_text(data.size)}"


def _columns(data: DataSet, single: dict[str, Any]) -> list[dict[str, Any]]:
    """The columns with their roles, confirmed or guessed, and how far each singles people out."""
    given = data.roles or {}
    guessed = {"identifier": "drop"}
    return [
        column
        | {
            "role": given.get(column["name"], guessed.get(column["role"], column["role"])),
            "because": _because(column, single),
            "card": column["card"] | _card(column["card"]),
        }
        for column in data.columns
    ]


def _because(column: dict[str, Any], single: dict[str, Any]) -> str:
    """Why a column has its role, and what it tells about people alone and beside others."""
    say = catalogue()["page"]["roles"]
    why = column["why"]
    given = why in ("given", "no role given")
    parts = [] if given else [say["guess"].format(why=say["reasons"].get(why, why))]
    if column["card"]["alone"]:
        parts.append(say["alone"].format(share=share(column["card"]["alone"])))
    without = single["without"].get(column["name"])
    if without is not None:
        parts.append(say["without"].format(share=share(without), everything=share(single["everything"])))
    return " ".join(parts)


def _card(card: dict[str, Any]) -> dict[str, str]:
    """What the values of a column are, and how they are distributed, for those who cannot see it."""
    say = catalogue()["page"]["roles"]
    bars = ", ".join(f"{shorten(bar['label'])}: {count(bar['rows'])}" for bar in card["bars"])
    others = [say["others"].format(others=count(card["others"]))] if card["others"] else []
    said = "; ".join([say["distribution"].format(bars=bars), *others])
    return {"kind": say["kinds"].get(card["kind"], card["kind"]), "said": said}


def _sensitive(data: DataSet) -> str:
    say: dict[str, str] = catalogue()["page"]["roles"]
    names = data.columns_of("sensitive")
    if len(names) > MOST:
        return say["sensitive_many"].format(count=count(len(names)))
    return _joined(names) or say["sensitive_one"]


def _joined(names: list[str]) -> str:
    return str(catalogue()["page"]["both"]).join(shorten(name) for name in names)


def _trees(data: DataSet) -> list[dict[str, Any]]:
    """The hierarchies that there are or could be: one for each quasi-identifier, or one of the items."""
    if data.seen is None or (data.table and data.roles is None):
        return []
    columns = data.columns_of("quasi") if data.table else [ITEMS]
    return [_tree(data, column) | {"place": place} for place, column in enumerate(columns)]


def _tree(data: DataSet, column: str) -> dict[str, Any]:
    chosen = data.hierarchies.get(column)
    rule = (chosen.rule if chosen is not None else None) or {}
    return {
        "column": column,
        "title": column or catalogue()["page"]["hierarchy"]["all_items"],
        "tree": _shown_tree(data, column),
        "state": tree_state(data, column),
        "removable": chosen is not None,
        "by": rule.get("by", "intervals" if data.table else "balanced"),
        "rule": {name: typed(rule.get(name), ", ") for name in RULE_FIELDS},
    }


def _shown_tree(data: DataSet, column: str) -> dict[str, Any] | None:
    chosen = data.hierarchies.get(column)
    return chosen.tree if chosen is not None else (data.seen or {}).get("hierarchies", {}).get(column)


def tree_state(data: DataSet, column: str) -> str:
    """Where the hierarchy of a column comes from, and how large it is."""
    chosen, tree = data.hierarchies.get(column), _shown_tree(data, column)
    say: dict[str, str] = catalogue()["page"]["hierarchy"]
    if tree is None:
        return say["none"]
    levels = say["one_level"] if tree["depth"] == 1 else say["levels"].format(depth=count(tree["depth"]))
    source = say["sample"]
    if chosen is not None:
        source = chosen.name or say["by"].format(rule=(chosen.rule or {})["by"])
    return say["state"].format(source=source, leaves=count(tree["leaves"]), levels=levels)


def _steps(data: DataSet, view: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of the page: which are done, which comes next, and in a few words what was done in each."""
    profile, shown, runs, ready = (view[name] for name in ("profile", "shown", "runs", "ready"))
    say = catalogue()["page"]
    titles = list(say["steps"]["titles"])
    if not data.table:
        titles[2] = say["steps"]["hierarchy"]
    ran = say["steps"]["one_run"] if len(runs) == 1 else say["steps"]["runs"].format(count=count(len(runs)))
    made = shown is not None and not shown["outdated"]  # what was made before a change is to be made again
    published = shown is not None and shown["published"]
    steps = [
        (True, f"{shorten(data.name, 40)}, {view['file_words']}"),
        (profile is not None, "" if profile is None else profile["summary"]),
        (ready, _roles_summary(data) if ready else ""),
        (made, say["methods"][view["chosen"]][0] if ready else ""),
        (made, ran if runs else ""),
        (made, "" if shown is None else f"{shown['name']}: {shown['parameters']}"),
        (made and published, say["steps"]["published"] if published else ""),
    ]
    now = next((number for number, (over, _) in enumerate(steps) if not over), -1)
    return [
        {
            "number": number + 1,
            "title": titles[number],
            "state": "done" if over else "now" if number == now else "later",
            "summary": summary,
        }
        for number, (over, summary) in enumerate(steps)
    ]


def _roles_summary(data: DataSet) -> str:
    say: dict[str, str] = catalogue()["page"]["roles"]
    trees = [tree["title"] for tree in _trees(data) if tree["tree"]]
    if not data.table:
        return say["of_items"] if trees else say["no_tree"]
    known, grouped = (few(list(map(shorten, names)), MOST) for names in (data.columns_of("quasi"), trees))
    told = say["summary"].format(sensitive=_sensitive(data), known=known)
    return "; ".join([told, *([say["with_trees"].format(names=grouped)] if trees else [])])
