"""Runs side by side: the figures of each under the same words, and what can be taken away.

What is shown before a release is made: the settings that were tried, the rules that readers know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from typing import Any

from tacit.errors import shorten
from tacit.judging.figures import Figure
from tacit.judging.risk.standards import all_standards
from tacit.methods import METHODS, TRANSACTIONS
from tacit.options import Option, options_of
from tacit.release.published import Release
from tacit.surface.catalogue import catalogue, few, share, spelled
from tacit.surface.dossier import Facts
from tacit.surface.export import SETS, TABLES, TEXT, export
from tacit.surface.page.forms import COPIED, REFUSED, asked_rules, field, left_out, made_from
from tacit.surface.page.jobs import Job, going_on
from tacit.surface.page.project import read_drawn
from tacit.surface.page.session import RELEASES, DataSet, Session
from tacit.surface.reading import ROLES

MOST = 4
"""How many columns a sentence names."""


def outcome_view(
    session: Session, data: DataSet, runs: list[Job], *, job: str | None, beside: Sequence[str]
) -> dict[str, Any]:
    """The runs of a data set; the one asked for, or the newest, and beside it others of the same method."""
    done = [run for run in runs if run.state == "done"]
    shown = next((run for run in done if run.id == job), done[0] if done else None)
    view: dict[str, Any] = {"runs": [_run(run, data) for run in runs], "next_name": new_name(runs)}
    if shown is None:
        nothing = ("beside", "compared", "others", "needed", "facts", "standards")
        return view | {name: [] for name in nothing} | {"shown": None, "publishing": None}
    others = [run for run in done if run is not shown and run.about["method"] == shown.about["method"]]
    # Where nothing else is asked for, the last run before the one that is shown.
    earlier = others[sum(runs.index(run) < runs.index(shown) for run in others) :]
    asked = [run for run in others if run.id in beside] or [*earlier, *others][:1]
    return view | {
        "shown": _shown(session, shown, data),
        "beside": [_run(run, data) for run in asked],
        "others": [_run(run, data) | {"chosen": run in asked} for run in others],
        "compared": _compared(shown, asked),
        "publishing": going_on(shown.publishing)["running"],
        "needed": list(data.names().values()),
        "facts": [_asked(one) for name, one in options_of(Facts).items() if name != "language"],
        "acknowledging": [_asked(options_of(Release.save)[name]) for name in ("reason", "acknowledged_by")],
        "standards": [
            ("", catalogue()["page"]["downloads"]["no_standard"]),
            *((one.name, one.title) for one in all_standards()),
        ],
    }


def _asked(option: Option) -> dict[str, str]:
    return {"name": option.name, "label": option.says.title, "hint": option.says.help}


def title_of(run: Job) -> str:
    """What a run makes."""
    return str(catalogue()["page"]["methods"][run.about["method"]][2])


def new_name(runs: Iterable[Job]) -> str:
    """A name for a run that none of these has."""
    taken = {name_of(run) for run in runs}
    numbered: str = catalogue()["page"]["run"]["numbered"]
    return next(name for name in (numbered.format(number=number) for number in count(1)) if name not in taken)


def name_of(run: Job) -> str:
    """What a run is called."""
    return str(run.about.get("name") or run.id[:6])


def _run(run: Job, data: DataSet) -> dict[str, Any]:
    parameters = ", ".join(f"{name} = {value}" for name, value in run.about["parameters"].items())
    return {
        "id": run.id,
        "name": name_of(run),
        "title": title_of(run),
        "parameters": parameters or catalogue()["page"]["run"]["usual"],
        "state": run.state,
        "over": run.over,
        "took": f"{spelled(f'{run.seconds:,.1f}')} s",
        "published": run.published,
        "outdated": _outdated(run, data),
    }


def _outdated(run: Job, data: DataSet) -> str | None:
    """What a run was made with where that was changed since: whoever publishes it must know."""
    say: dict[str, str] = catalogue()["page"]["run"]
    then, now = run.about["source"], made_from(data, run.about["method"])
    if then == now:
        return None
    if all(then.get(role) == now.get(role) for role in ROLES):
        return say["changed"]
    known, sensitive = (
        few([repr(shorten(name)) for name in then.get(role, ())], MOST) or say["nothing"]
        for role in ("quasi", "sensitive")
    )
    return say["other_roles"].format(sensitive=sensitive, known=known)


def usual_place(session: Session, data: DataSet, run: Job) -> str:
    """A folder for a release that is not there yet: one of the project's own."""
    stem = re.sub(r"[^\w-]+", "-", data.name.partition(".")[0]).strip("-") or "data"
    name = f"{stem}-{run.about['method']}"
    parent = session.folder / RELEASES
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return str(next(parent / one for one in names if not (parent / one).exists()))


def _shown(session: Session, run: Job, data: DataSet) -> dict[str, Any]:
    """A run whose outcome is shown; what the worker drew is escaped already."""
    result, publishing = run.result or {}, run.publishing
    failed = going_on(publishing)["error"]
    published = (publishing.result or {}) if publishing is not None and run.published else {}
    return {
        **_run(run, data),
        **{name: result[name] for name in ("promise", "limits", "notes", "examples", "checks")},
        "left_out": run.about.get("left_out", 0),
        "no_rules": result["figures"].get("rules") == 0,
        "verdict": _verdict(result["checks"]),
        "drawn": read_drawn(run.folder / "result.html"),
        "private": publishing is not None and (publishing.folder / "private.zip").is_file(),
        "publish_error": failed,
        "refused": failed["code"] if failed is not None and failed["code"] in REFUSED else None,
        "composition": published.get("composition"),
        "copies": _copies(session, run),
        "place": published.get("place"),
        "usual_place": "" if session.temporary else usual_place(session, data, run),
    }


def _copies(session: Session, run: Job) -> dict[str, Any]:
    """The fields that say in which format copies are wanted, and the copies that there are."""
    options = options_of(export)
    fits = SETS if METHODS[run.about["method"]].takes == TRANSACTIONS else TABLES
    fields = []
    for name in COPIED:
        one = field(name, options[name])
        when = " ".join(to for to, meant in TEXT.items() if name in meant)
        choices = [choice for choice in one["choices"] if name != "to" or choice[0] in fits]
        chosen = session.copies.get(name, one["usual"])
        fields.append(one | {"choices": choices, "when": when, "chosen": chosen})
    files = ((run.copying and run.copying.result) or {}).get("files", ())
    return {"fields": fields, "files": files, **going_on(run.copying)}


def _verdict(checks: list[dict[str, str]]) -> str:
    say: dict[str, str] = catalogue()["page"]["outcome"]
    found = [check["verdict"] for check in checks]
    if "broken" in found:
        return say["refused"]
    left = found.count("not checked")
    return say["unchecked"].format(left=left) if left else say["kept"]


def _compared(shown: Job, others: Sequence[Job]) -> list[dict[str, Any]]:
    """Every figure of a run and of others; whether each is better or worse than that of the run shown."""
    measured = (shown.result or {})["figures"]
    before = [(run.result or {})["figures"] for run in others]
    return [
        {
            "name": figure.called(),
            "part": figure.part,
            "value": figure.text(measured.get(figure.name)),
            "others": [
                {
                    "text": figure.text(one.get(figure.name)),
                    "is": _against(figure, one, measured) if _alike(figure, run, shown) else "",
                }
                for run, one in zip(others, before, strict=True)
            ],
            "meaning": figure.meaning(),
        }
        for figure in METHODS[shown.about["method"]].figures
        if any(one.get(figure.name) is not None for one in (measured, *before))
    ]


def _alike(figure: Figure, one: Job, other: Job) -> bool:
    """Whether a figure means the same of two runs: "rows with fewer than ℓ values" needs the same ℓ."""
    terms = re.findall(r"\{(\w+)\}", figure.title + figure.says)
    asked, also = one.about["parameters"], other.about["parameters"]
    return all(asked.get(term) == also.get(term) for term in terms)


def _against(figure: Figure, one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Whether a figure is better or worse than another; nothing where they look alike or are no numbers."""
    value, against = one.get(figure.name), other.get(figure.name)
    if not isinstance(value, int | float) or not isinstance(against, int | float):
        return ""
    if figure.text(value) == figure.text(against):
        return ""
    return "better" if (value < against) == figure.less else "worse"


SHARES = ("risk", "above_half", "above_third", "loss", "left_out")


def rules_view(session: Session, data: DataSet, method: str) -> dict[str, Any]:
    """The rules that readers are taken to know, each with a tick unless it is left out."""
    view: dict[str, Any] = {"running": None, "error": None, "rows": [], "count": None, "gone": 0}
    fields = data.choices.get(method, {})
    job = next(iter(session.about(data, "rules")), None)
    if job is None or job.about["asked"] != asked_rules(data, fields):
        return view
    if job.result is None:
        return view | going_on(job) | {"error": job.error}
    gone = left_out(fields)
    rows = [
        rule
        | {
            "ticked": rule["line"] not in gone,
            "when": ", ".join(f"{a} = {b}" for a, b in rule["when"].items()),
        }
        for rule in job.result["rules"]
    ]
    return view | {"rows": rows, "count": job.result["count"], "gone": len(gone)}


def sweep_view(session: Session, data: DataSet) -> dict[str, Any]:
    """The last sweep of a data set: the job while it runs, its outcome, or why it failed."""
    job = next(iter(session.about(data, "sweep")), None)
    view = {"rows": [], "drawn": "", "outdated": False, **going_on(job)}
    if job is None or job.result is None or not job.over:
        return view
    found = job.result
    told = [key for key in SHARES if any(one[key] for one in found["tries"])]
    rows = [
        {name: one[name] for name in ("method", "settings", "infeasible")}
        | {
            "name": name,
            "recommended": place == found["recommended"],
            "cells": ["" if one[key] is None else share(one[key]) for key in told],
        }
        for place, (name, one) in enumerate(zip(found["names"], found["tries"], strict=True))
    ]
    # What a column is called; risk and loss are called by the library.
    _, *say = catalogue()["page"]["choice"]["columns"]
    own = dict(zip(("above_half", "above_third", "left_out"), say, strict=True))
    heads = [{"words": own.get(key) or found[key], "lang": "" if key in own else "en"} for key in told]
    return view | {
        "rows": rows,
        "heads": heads,
        "drawn": read_drawn(job.folder / "curve.svg"),
        "outdated": job.about["state"] != data.state,
    }
