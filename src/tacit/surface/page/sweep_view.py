"""What is shown before a release is made: the settings that were tried, the rules that readers know."""

from __future__ import annotations

import json
from typing import Any

from tacit.surface.catalogue import catalogue
from tacit.surface.page.forms import asked_rules, left_out
from tacit.surface.page.jobs import Job
from tacit.surface.page.numbers import share
from tacit.surface.page.sealing import read_drawn
from tacit.surface.page.session import DataSet, Session

SHARES = ("risk", "above_half", "above_third", "loss", "left_out")


def rules_view(session: Session, data: DataSet, method: str) -> dict[str, Any]:
    """The rules that readers are taken to know, each with a tick unless it is left out."""
    view: dict[str, Any] = {"running": None, "error": None, "rows": [], "count": None, "gone": 0}
    fields = data.choices.get(method, {})
    asked = json.loads(json.dumps(asked_rules(data, fields)))
    job = _last(session, data, "rules")
    if job is None or json.loads(json.dumps(job.about["asked"])) != asked:
        return view
    if job.result is None:
        return view | {"running": None if job.over else job.id, "error": job.error}
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


def _last(session: Session, data: DataSet, kind: str) -> Job | None:
    jobs = [job for job in session.jobs.all.values() if job.kind == kind and job.about["data"] == data.id]
    return jobs[-1] if jobs else None


def _head(key: str, found: dict[str, Any]) -> dict[str, str]:
    """What a column of the settings is called; risk and loss are called by the library."""
    say: list[str] = catalogue()["page"]["choice"]["columns"]
    words = dict(zip(("above_half", "above_third", "left_out"), say[1:], strict=True))
    own = words.get(key)
    return {"words": own or found[key], "lang": "" if own else "en"}


def sweep_view(session: Session, data: DataSet) -> dict[str, Any]:
    """The last sweep of a data set: the job while it runs, its outcome, or why it failed."""
    job = _last(session, data, "sweep")
    view: dict[str, Any] = {"running": None, "error": None, "rows": [], "drawn": "", "outdated": False}
    if job is None:
        return view
    if not job.over:
        return view | {"running": job.id}
    if job.result is None:
        return view | {"error": job.error if job.state == "failed" else None}
    found = job.result
    told = [key for key in SHARES if any(one[key] for one in found["tries"])]
    rows = [
        {
            "name": name,
            "method": one["method"],
            "settings": one["settings"],
            "infeasible": one["infeasible"],
            "recommended": place == found["recommended"],
            "cells": ["" if one[key] is None else share(one[key]) for key in told],
        }
        for place, (name, one) in enumerate(zip(found["names"], found["tries"], strict=True))
    ]
    return view | {
        "rows": rows,
        "heads": [_head(key, found) for key in told],
        "drawn": read_drawn(job.folder / "curve.svg"),
        "outdated": job.about["state"] != data.state,
    }
