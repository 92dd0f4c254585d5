"""Making releases: a run is started, watched, cancelled, and what it made is taken away."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from tacit.errors import UsageError, shorten
from tacit.methods import METHODS
from tacit.options import check_options, options_of
from tacit.surface.catalogue import speaking
from tacit.surface.dossier import Facts
from tacit.surface.export import export
from tacit.surface.page import forms
from tacit.surface.page.errors import FILL_IN, placed
from tacit.surface.page.jobs import Job
from tacit.surface.page.outcome_view import new_name
from tacit.surface.page.project import PREFIX
from tacit.surface.page.session import RELEASES, Asked, DataSet, Session
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.text import to_toml

RECIPE = "recipe.toml"
_FROM_THE_PAGE = re.compile(rf"in \S*/{PREFIX}\S*/{forms.OUTPUT}\b")
DOWNLOADS = {
    "release.zip": "application/zip",
    "private.zip": "application/zip",
    "report.html": "text/html",
    RECIPE: "application/toml",
}
"""What a run leaves to be taken away, by name: no other file can be asked for."""
NO_OPTIONS = ("method", "shown_state", "run_name")
"""What the form of a release says beside the options of its method."""
MOST_LETTERS = 60
"""Of the name of a run."""


async def run(asked: Asked) -> Job:
    """Make a release as the form says; the recipe is kept with it."""
    session, data = asked.session, asked.data
    if asked.fields.get("shown_state", data.state) != data.state:
        raise UsageError(
            "The file, its roles or its hierarchies were changed in another tab.",
            code="changed-elsewhere",
            hint="This tab shows them now. Look at them, then make the release.",
        )
    method, parameters = _told_choices(asked)
    recipe = forms.recipe(data, method, parameters)
    shown = forms.recipe(data, method, parameters, shown=True)
    data.method, data.choices[method] = method, parameters

    def learn(job: Job) -> None:
        _learn(data, job)
        if job.error is None:
            (job.folder / RECIPE).write_text(to_toml(shown), encoding="utf-8")

    with speaking(asked.language):
        usual = new_name(session.about(data, "run"))
    about = {
        "data": data.id,
        "method": method,
        "name": _name(asked.told("run_name")) or usual,
        "parameters": forms.said_parameters(shown),
        "left_out": len(forms.left_out(parameters)),
        "source": forms.made_from(data, method),
    }
    task = {"recipe": to_toml(recipe), "encoding": data.encoding}
    return session.jobs.start("run", task, about=about, then=learn)


async def sweep(asked: Asked) -> Job:
    """Try a range of settings on a data set; the last sweep takes the place of an earlier one."""
    recipe = forms.confirmed_recipe(asked.data, trees=True)
    return await _looked_into(asked, "sweep", recipe, {"state": asked.data.state})


async def rules(asked: Asked) -> Job:
    """List the rules that readers are taken to know, all of them, whatever the form leaves out."""
    data, (method, parameters) = asked.data, _told_choices(asked)
    recipe = forms.recipe(data, method, {**parameters, forms.LEFT_OUT: ""})
    data.method, data.choices[method] = method, parameters
    return await _looked_into(asked, "rules", recipe, {"asked": forms.asked_rules(data, parameters)})


async def _looked_into(asked: Asked, kind: str, recipe: Recipe, about: dict[str, Any]) -> Job:
    """Start what shows something before a release is made, in the place of what it showed last."""
    jobs, data = asked.session.jobs, asked.data
    for job in asked.session.about(data, kind):
        await jobs.remove(job)

    task = {"recipe": to_toml(recipe), "table": data.table, "encoding": data.encoding}
    return jobs.start(kind, task, about={"data": data.id, **about}, then=partial(_learn, data))


def _learn(data: DataSet, job: Job) -> None:
    """An error of a run is told with the field of the form that it is about."""
    if job.error is not None:
        told = placed(job.error, data.names())
        job.error = told | {"field": told.get("field") or forms.field_of(told)}


async def choices(asked: Asked) -> dict[str, Any]:
    """Keep what a form says so far, so that it is there again after a reload and in another tab."""
    method, parameters = _told_choices(asked)
    if method in METHODS:
        asked.data.method, asked.data.choices[method] = method, parameters
    return {"kept": method in METHODS}


def _told_choices(asked: Asked) -> tuple[str, dict[str, Any]]:
    parameters = {name: value for name, value in asked.fields.items() if name not in NO_OPTIONS}
    return asked.text("method"), parameters


async def publish(asked: Asked) -> Job:
    """Publish what a run made; a second release of the same people must be acknowledged, with a reason."""
    session, run = asked.session, asked.job
    if run.kind != "run" or run.state != "done":
        raise HTTPException(404)
    if run.publishing is not None and run.publishing.state not in ("failed", "cancelled"):
        return run.publishing
    acknowledged = asked.told("acknowledged")
    answer = dict.fromkeys(("reason", "acknowledged_by"), "")
    if acknowledged in forms.REFUSED:
        answer = {name: asked.told(name) for name in answer}
        for name, given in answer.items():
            if not given:
                raise UsageError(FILL_IN, code="reason-missing", option=name)
    place = asked.told("place")
    task = {
        **answer,
        "candidate": str(run.folder),
        "name": run.about["method"],
        "acknowledged": acknowledged,
        # as told, from the project's releases on where it is relative
        "place": str(session.folder / RELEASES / Path(place).expanduser()) if place else "",
        "facts": {name: asked.told(name) or None for name in options_of(Facts)}
        | {"language": asked.language},
        "standard": asked.told("standard"),
    }

    def learn(job: Job) -> None:
        if job.error is not None:  # a folder of the page, gone by now or soon, tells nobody anything
            told = _FROM_THE_PAGE.sub("that was published from the page", job.error["message"])
            job.error = job.error | {"message": told}
        elif session.copies:
            _start_copies(session, run)

    job = session.jobs.start("publish", task, about={"data": run.about["data"]}, then=learn)
    run.about["publishing"] = job
    return job


async def copies(asked: Asked) -> Job:
    """Write what was published in a format of the user's own, which is that of later releases as well."""
    session, run = asked.session, asked.job
    if not run.published:
        raise HTTPException(404)
    wanted = {name: str(asked.fields[name]) for name in forms.COPIED if asked.fields.get(name)}
    check_options("export", options_of(export), wanted)
    session.copies = wanted
    if run.copying is not None:
        await session.jobs.remove(run.copying)
    return _start_copies(session, run)


def _start_copies(session: Session, run: Job) -> Job:
    publishing: Job = run.about["publishing"]
    release = (publishing.result or {}).get("place") or str(publishing.folder / forms.OUTPUT)
    task = {"release": release, "wanted": session.copies}
    job = session.jobs.start("copy", task, about={"data": run.about["data"]})
    run.about["copying"] = job
    return job


async def status(asked: Asked) -> dict[str, Any]:
    return asked.job.to_dict()


async def name(asked: Asked) -> dict[str, Any]:
    """Call a run something else."""
    job = asked.job
    if job.kind != "run":
        raise HTTPException(404)
    job.about["name"] = _name(asked.text("name")) or job.about.get("name")
    return {"name": job.about["name"]}


def _name(told: str) -> str:
    """A name for a run: one line of letters that can be seen."""
    return shorten("".join(one if one.isprintable() else " " for one in told).strip(), MOST_LETTERS)


async def cancel(asked: Asked) -> dict[str, Any]:
    """Stop a job; it is over when this answers."""
    await asked.session.jobs.cancel(asked.job)
    return asked.job.to_dict()


async def remove(asked: Asked) -> dict[str, Any]:
    """Forget a job and what it made."""
    await asked.session.jobs.remove(asked.job)
    return {"removed": True}


async def download(asked: Asked) -> Response:
    """A file that a run made, or a copy of one that was published."""
    job, name = asked.job, asked.request.path_params["file"]
    if job.kind != "run" or job.state != "done":
        raise HTTPException(404)
    copied = name in ((job.copying and job.copying.result) or {"files": ()})["files"]
    made_by = job.copying if copied else job if name == RECIPE else job.publishing
    folder = (made_by or job).folder
    if not (copied or name in DOWNLOADS) or not (folder / name).is_file():
        raise HTTPException(404)
    kind = DOWNLOADS.get(name, "application/octet-stream")
    return FileResponse(folder / name, media_type=kind, filename=f"{job.about['method']}-{name}")
