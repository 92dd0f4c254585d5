"""Making releases: a run is started, watched, cancelled, and what it made is taken away."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from tacit.errors import UsageError, shorten
from tacit.methods import METHODS
from tacit.options import check_options, options_of
from tacit.surface.catalogue import speaking
from tacit.surface.dossier.facts import facts
from tacit.surface.export import export
from tacit.surface.page import forms
from tacit.surface.page.errors import placed
from tacit.surface.page.jobs import Job
from tacit.surface.page.outcome_view import new_name
from tacit.surface.page.session import (
    DataSet,
    Session,
    data_of,
    fields_of,
    job_of,
    language_of,
    session_of,
    text_of,
)
from tacit.surface.page.wording import FILL_IN
from tacit.surface.page.workspace import PREFIX, RELEASES
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.write import to_toml

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


async def run(request: Request) -> Response:
    """Make a release as the form says; the recipe is kept with it."""
    session, data, fields = session_of(request), data_of(request), await fields_of(request)
    if fields.get("shown_state", data.state) != data.state:
        raise UsageError(
            "The file, its roles or its hierarchies were changed in another tab.",
            code="changed-elsewhere",
            hint="This tab shows them now. Look at them, then make the release.",
        )
    method, parameters = _told_choices(fields)
    recipe = forms.recipe(data, method, parameters)
    shown = forms.recipe(data, method, parameters, shown=True)
    data.method = method
    data.choices[method] = parameters

    def learn(job: Job) -> None:
        if job.error is not None:
            told = placed(job.error, data.names())
            job.error = told | {"field": told.get("field") or forms.field_of(told)}
        else:
            (job.folder / RECIPE).write_text(to_toml(shown), encoding="utf-8")

    task = {"recipe": to_toml(recipe), "encoding": data.reading.get("encoding", "utf-8")}
    with speaking(language_of(request)):
        usual = new_name(session.runs(data))
    about = {
        "data": data.id,
        "method": method,
        "name": _name(str(fields.get("run_name", ""))) or usual,
        "parameters": forms.said_parameters(shown),
        "left_out": len(forms.left_out(parameters)),
        "source": forms.made_from(data, method),
    }
    job = session.jobs.start("run", task, about=about, then=learn)
    return JSONResponse({"job": job.id}, status_code=202)


async def sweep(request: Request) -> Response:
    """Try a range of settings on a data set; the last sweep takes the place of an earlier one."""
    session, data = session_of(request), data_of(request)
    await fields_of(request)
    recipe = forms.confirmed_recipe(data, trees=True)
    return await _looked_into(session, data, "sweep", recipe, {"state": data.state})


async def rules(request: Request) -> Response:
    """List the rules that readers are taken to know, all of them, whatever the form leaves out."""
    session, data, fields = session_of(request), data_of(request), await fields_of(request)
    method, parameters = _told_choices(fields)
    recipe = forms.recipe(data, method, {**parameters, forms.LEFT_OUT: ""})
    data.method, data.choices[method] = method, parameters
    return await _looked_into(session, data, "rules", recipe, {"asked": forms.asked_rules(data, parameters)})


async def _looked_into(
    session: Session, data: DataSet, kind: str, recipe: Recipe, about: dict[str, Any]
) -> Response:
    """Start what shows something before a release is made, in the place of what it showed last."""
    for job in [
        one for one in session.jobs.all.values() if one.kind == kind and one.about["data"] == data.id
    ]:
        await session.jobs.remove(job)

    def learn(job: Job) -> None:
        if job.error is not None:
            told = placed(job.error, data.names())
            job.error = told | {"field": told.get("field") or forms.field_of(told)}

    encoding = data.reading.get("encoding", "utf-8")
    task = {"recipe": to_toml(recipe), "table": data.table, "encoding": encoding}
    job = session.jobs.start(kind, task, about={"data": data.id, **about}, then=learn)
    return JSONResponse({"job": job.id}, status_code=202)


async def choices(request: Request) -> Response:
    """Keep what a form says so far, so that it is there again after a reload and in another tab."""
    data, fields = data_of(request), await fields_of(request)
    method, parameters = _told_choices(fields)
    if method in METHODS:
        data.method, data.choices[method] = method, parameters
    return JSONResponse({"kept": method in METHODS})


def _told_choices(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    parameters = {name: value for name, value in fields.items() if name not in NO_OPTIONS}
    return text_of(fields, "method"), parameters


async def publish(request: Request) -> Response:
    """Publish what a run made; a second release of the same people must be acknowledged, with a reason."""
    session, run, fields = session_of(request), job_of(request), await fields_of(request)
    if run.kind != "run" or run.state != "done":
        raise HTTPException(404)
    before: Job | None = run.about.get("publishing")
    if before is not None and before.state != "failed" and before.state != "cancelled":
        return JSONResponse({"job": before.id}, status_code=202)
    acknowledged = str(fields.get("acknowledged", ""))
    answer = {name: str(fields.get(name, "")).strip() for name in ("reason", "acknowledged_by")}
    for name, given in answer.items() if acknowledged in forms.REFUSED else ():
        if not given:
            raise UsageError(FILL_IN, code="reason-missing", option=name)
    task = {
        **(answer if acknowledged in forms.REFUSED else dict.fromkeys(answer, "")),
        "candidate": str(run.folder),
        "name": run.about["method"],
        "acknowledged": acknowledged,
        "place": _place(session, str(fields.get("place", "")).strip()),
        "facts": {name: str(fields.get(name, "")).strip() or None for name in options_of(facts)}
        | {"language": language_of(request)},
        "standard": str(fields.get("standard", "")),
    }

    def learn(job: Job) -> None:
        if job.error is not None:  # a folder of the page, gone by now or soon, tells nobody anything
            told = _FROM_THE_PAGE.sub("that was published from the page", job.error["message"])
            job.error = job.error | {"message": told}
        elif session.copies:
            _start_copies(session, run)

    about = {"data": run.about["data"]}
    run.about["publishing"] = job = session.jobs.start("publish", task, about=about, then=learn)
    return JSONResponse({"job": job.id}, status_code=202)


async def copies(request: Request) -> Response:
    """Write what was published in a format of the user's own, which is that of later releases as well."""
    session, run, fields = session_of(request), job_of(request), await fields_of(request)
    publishing: Job | None = run.about.get("publishing")
    if publishing is None or publishing.state != "done":
        raise HTTPException(404)
    wanted = {name: str(fields[name]) for name in forms.COPIED if fields.get(name)}
    check_options("export", options_of(export), wanted)
    session.copies = wanted
    if "copying" in run.about:
        await session.jobs.remove(run.about["copying"])
    return JSONResponse({"job": _start_copies(session, run).id}, status_code=202)


def _start_copies(session: Session, run: Job) -> Job:
    publishing: Job = run.about["publishing"]
    release = (publishing.result or {}).get("place") or str(publishing.folder / forms.OUTPUT)
    task = {"release": release, "wanted": session.copies}
    job = session.jobs.start("copy", task, about={"data": run.about["data"]})
    run.about["copying"] = job
    return job


def _place(session: Session, told: str) -> str:
    """The folder that a release is put in: as told, from the project's releases on where it is relative."""
    return str(session.folder / RELEASES / Path(told).expanduser()) if told else ""


async def status(request: Request) -> Response:
    """How a job is getting on."""
    return JSONResponse(job_of(request).to_dict())


async def name(request: Request) -> Response:
    """Call a run something else."""
    job, fields = job_of(request), await fields_of(request)
    if job.kind != "run":
        raise HTTPException(404)
    job.about["name"] = _name(text_of(fields, "name")) or job.about.get("name")
    return JSONResponse({"name": job.about["name"]})


def _name(told: str) -> str:
    """A name for a run: one line of letters that can be seen."""
    return shorten("".join(one if one.isprintable() else " " for one in told).strip(), MOST_LETTERS)


async def cancel(request: Request) -> Response:
    """Stop a job; it is over when this answers."""
    job = job_of(request)
    await fields_of(request)
    await session_of(request).jobs.cancel(job)
    return JSONResponse(job.to_dict())


async def remove(request: Request) -> Response:
    """Forget a job and what it made."""
    job = job_of(request)
    await fields_of(request)
    await session_of(request).jobs.remove(job)
    return JSONResponse({"removed": True})


async def download(request: Request) -> Response:
    """A file that a run made, or a copy of one that was published."""
    job, name = job_of(request), request.path_params["file"]
    if job.kind != "run" or job.state != "done":
        raise HTTPException(404)
    publishing: Job | None = job.about.get("publishing")
    copying: Job | None = job.about.get("copying")
    if copying is not None and name in (copying.result or {"files": ()})["files"]:
        folder = copying.folder
    elif name in DOWNLOADS:
        folder = job.folder if name == RECIPE or publishing is None else publishing.folder
    else:
        raise HTTPException(404)
    if not (folder / name).is_file():
        raise HTTPException(404)
    kind = DOWNLOADS.get(name, "application/octet-stream")
    return FileResponse(folder / name, media_type=kind, filename=f"{job.about['method']}-{name}")
