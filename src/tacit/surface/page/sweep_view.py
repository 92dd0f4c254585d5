"""The settings that were tried, as the page shows them: a picture, a table, and a button for each."""

from __future__ import annotations

from typing import Any

from tacit.surface.page.numbers import share
from tacit.surface.page.sealing import read_drawn
from tacit.surface.page.session import DataSet, Session

SHARES = ("risk", "above_half", "above_third", "loss", "left_out")


def sweep_view(session: Session, data: DataSet) -> dict[str, Any]:
    """The last sweep of a data set: the job while it runs, its outcome, or why it failed."""
    jobs = [job for job in session.jobs.all.values() if job.kind == "sweep" and job.about["data"] == data.id]
    job = jobs[-1] if jobs else None
    view: dict[str, Any] = {"running": None, "error": None, "rows": [], "drawn": "", "outdated": False}
    if job is None:
        return view
    if not job.over:
        return view | {"running": job.id}
    if job.result is None:
        return view | {"error": job.error if job.state == "failed" else None}
    found = job.result
    rows = [
        {
            "name": name,
            "method": one["method"],
            "settings": one["settings"],
            "infeasible": one["infeasible"],
            "recommended": place == found["recommended"],
            "cells": ["" if one[key] is None else share(one[key]) for key in SHARES],
        }
        for place, (name, one) in enumerate(zip(found["names"], found["tries"], strict=True))
    ]
    return view | {
        "rows": rows,
        "risk": found["risk"],
        "loss": found["loss"],
        "drawn": read_drawn(job.folder / "curve.svg"),
        "outdated": job.about["state"] != data.state,
    }
