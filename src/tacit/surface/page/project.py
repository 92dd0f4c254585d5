"""A project: the folder in which the page keeps its work, so that it goes on after a stop or a reboot.

Files, roles, hierarchies, runs and releases lie in the folder; ``project.json`` says how they belong together
and is written anew, whole, after every change. A run that the page did not live to see the end of is told as
such, and is made again with one click. A project may come from somebody else: it names files of its own
folder only, and what it holds for publishing is used under the seal of this account alone
(:mod:`tacit.surface.page.sealing`).
"""

from __future__ import annotations

import json
import os
import re
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

from tacit.errors import InputError, Place, ResourceError
from tacit.io.output import writing_to
from tacit.surface.page.jobs import Job
from tacit.surface.page.session import DataSet, HierarchyChoice, Session
from tacit.surface.page.workspace import PROJECT

FORMAT = 1
KEPT_JOBS = ("run", "publish", "sweep", "rules", "copy")
"""The jobs that are told of after a stop; a look or a hierarchy is done again where it is wanted."""
LINKED = ("publishing", "copying")
"""What a run says of other jobs that belong to it."""
_ID = re.compile("[0-9a-f]{16}")
_DECIMAL = "\0decimal"  # no column is called so
_FILE = re.compile("[0-9a-z]+[.a-z0-9]*")
_DATA = ("id", "name", "size", "layout", "reading", "roles", "choices", "method", "columns", "seen")
_JOB = ("id", "kind", "state", "what", "error", "result")


class Project:
    """A folder and the session that is kept in it."""

    def __init__(self, folder: Path, session: Session) -> None:
        self.file = folder / PROJECT
        self.session = session
        self._written = ""

    def save(self) -> None:
        """Write down what there is, if it has changed."""
        text = json.dumps(_told(self.session), default=_as_json, ensure_ascii=False, separators=(",", ":"))
        if text == self._written:
            return
        new = self.file.with_suffix(".new")
        with writing_to(self.file):
            with os.fdopen(
                os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
            ) as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            new.replace(self.file)
        self._written = text

    def load(self) -> None:
        """Take up what an earlier page wrote down, where it did."""
        if not self.file.is_file():
            return
        try:
            told = json.loads(self.file.read_text(encoding="utf-8"), object_hook=_from_json)
            if told["format"] != FORMAT:
                raise ValueError
            for one in told["data"]:
                self.session.add(_data(one, self.session.data_folder))
            _add_jobs(self.session, told["jobs"])
            self.session.copies = told.get("copies", {})
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(
                "This is no project that this version of the page has written.",
                code="project-malformed",
                where=Place(file=str(self.file)),
                hint="Restore it from a copy, or name another folder with --folder.",
            ) from None
        _remove_unknown(self.session)


def _told(session: Session) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "copies": session.copies,
        "data": [_data_told(data) for data in session.data.values()],
        "jobs": [_job_told(job) for job in session.jobs.all.values() if job.kind in KEPT_JOBS],
    }


def _data_told(data: DataSet) -> dict[str, Any]:
    trees = {
        column: {
            "rule": choice.rule,
            "file": None if choice.file is None else choice.file.name,
            "name": choice.name,
            "tree": choice.tree,
            "check": choice.check,
        }
        for column, choice in data.hierarchies.items()
    }
    path = data.path if data.sample else Path(data.path).name
    return {name: getattr(data, name) for name in _DATA} | {"path": path, "hierarchies": trees}


def _job_told(job: Job) -> dict[str, Any]:
    about = job.about | {name: job.about[name].id for name in LINKED if name in job.about}
    return {name: getattr(job, name) for name in _JOB} | {"about": about, "seconds": round(job.seconds, 3)}


def _data(told: dict[str, Any], folder: Path) -> DataSet:
    own = folder / _checked(_ID, told["id"])
    sample = str(told["path"]).startswith("sample:")
    path = told["path"] if sample else str(own / _checked(_FILE, told["path"]))
    data = DataSet(told["id"], told["name"], own, path, told["size"], told["layout"])
    for name in _DATA[4:]:
        setattr(data, name, told[name])
    for column, tree in told["hierarchies"].items():
        file = None if tree["file"] is None else own / _checked(_FILE, tree["file"])
        data.hierarchies[column] = HierarchyChoice(
            tree["rule"], file, tree["name"], tree["tree"], tree["check"]
        )
    return data


def _add_jobs(session: Session, told: list[dict[str, Any]]) -> None:
    jobs = session.jobs.all
    for one in told:
        folder = session.jobs.folder / _checked(_ID, one["id"])
        job = Job(one["id"], one["kind"], folder, {}, one["about"], started=0.0, ended=one["seconds"])
        for name in _JOB[2:]:
            setattr(job, name, one[name])
        if not job.over or (job.state == "done" and not folder.is_dir()):
            job.state, job.error = "failed", _stopped().to_dict()["error"]
        jobs[job.id] = job
    for job in jobs.values():
        job.about |= {name: jobs[job.about[name]] for name in LINKED if name in job.about}


def _remove_unknown(session: Session) -> None:
    """Remove what belongs to nothing any more: of jobs that were stopped, of files that were removed."""
    known = {data.folder for data in session.data.values()}
    known |= {job.folder for job in session.jobs.all.values() if job.state == "done"}
    for parent in (session.data_folder, session.jobs.folder):
        for folder in parent.iterdir():
            if folder not in known:
                shutil.rmtree(folder, ignore_errors=True)


def _stopped() -> ResourceError:
    return ResourceError(
        "The page was stopped while this ran; nothing was published.",
        code="page-stopped",
        hint="Make it again: everything else is as it was.",
    )


def _checked(form: re.Pattern[str], name: str) -> str:
    """A name that a project gives to a folder or a file of its own, and of nothing outside."""
    if not form.fullmatch(name):
        raise ValueError
    return name


def _as_json(value: Any) -> Any:
    if isinstance(value, Decimal):
        return {_DECIMAL: str(value)}  # a width or a share, digit by digit
    raise TypeError


def _from_json(value: dict[str, Any]) -> Any:
    return Decimal(value[_DECIMAL]) if value.keys() == {_DECIMAL} else value
