"""What one run of the page holds: the data sets that were brought, what is known of them, and the jobs.

What a request is about: the session, the data set or job its address names, the fields it sends.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tacit.errors import UsageError, shorten
from tacit.io.readers.formats import OWN_SUFFIXES
from tacit.io.readers.formats import SUFFIXES as TABLE_SUFFIXES
from tacit.io.readers.opening import COMPRESSED, plain_suffix
from tacit.methods import TABLE, TRANSACTIONS
from tacit.surface.catalogue import ENGLISH, LANGUAGES
from tacit.surface.page.jobs import Job, Jobs, new_id

T = TypeVar("T")
LANGUAGE_COOKIE = "tacit-language"
CANDIDATE = "candidate"
"""The folder of a run that holds what would be published."""
RELEASES = "releases"
"""Where a project's releases go where nothing else is said."""
ITEMS = ""
"""The column that the hierarchy of the items of transactions belongs to."""


@dataclass(eq=False)
class HierarchyChoice:
    """A hierarchy of a column: a rule to build it, or a file that was brought; and how it looks.

    ``file`` is where the file is kept, ``name`` what the user calls it.
    """

    rule: dict[str, Any] | None = None
    file: Path | None = None
    name: str | None = None
    tree: dict[str, Any] | None = None
    check: dict[str, Any] | None = None


@dataclass(eq=False)
class DataSet:
    """A file that was brought, or a sample; its roles as the user confirmed them, and what was seen in it.

    ``columns`` are those of the first look, before any was dropped; ``seen`` is the outcome of the last.
    """

    id: str
    name: str
    folder: Path
    path: str
    size: int | None
    layout: str
    reading: dict[str, Any] = field(default_factory=dict)
    roles: dict[str, str] | None = None
    hierarchies: dict[str, HierarchyChoice] = field(default_factory=dict)
    choices: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The parameters asked for last, by method."""
    method: str | None = None
    look: Job | None = None
    columns: list[dict[str, Any]] = field(default_factory=list)
    seen: dict[str, Any] | None = None

    @property
    def sample(self) -> bool:
        return self.path.startswith("sample:")

    @property
    def table(self) -> bool:
        return self.layout == "table"

    @property
    def values_file(self) -> Path:
        """Where a look leaves the distinct values, so that a hierarchy is built without reading the data."""
        return self.folder / "values.json"

    @property
    def state(self) -> str:
        """What a run depends on beside its parameters, so short that a form can say which it has seen."""
        trees = {name: choice.rule or str(choice.file) for name, choice in self.hierarchies.items()}
        told = repr((self.layout, sorted(self.reading.items()), self.roles, sorted(trees.items(), key=repr)))
        return sha256(told.encode()).hexdigest()[:16]

    @property
    def encoding(self) -> str:
        return str(self.reading.get("encoding", "utf-8"))

    @property
    def kind(self) -> str:
        return TABLE if self.table else TRANSACTIONS

    def columns_of(self, role: str) -> list[str]:
        """The columns that were confirmed to have a role."""
        return [name for name, given in (self.roles or {}).items() if given == role]

    def names(self) -> dict[str, str]:
        """The names that the user knows for the files that are kept here."""
        found = {} if self.sample else {self.path: self.name}
        for choice in self.hierarchies.values():
            if choice.file is not None and choice.name is not None:
                found[str(choice.file)] = choice.name
        return found

    def new_file(self) -> Path:
        """A path for a further file; the server alone chooses what it is called."""
        return self.folder / f"{new_id()}.csv"


class Session:
    """Everything one run of the page holds."""

    def __init__(self, folder: Path, *, upload_limit: int, temporary: bool = True) -> None:
        self.upload_limit = upload_limit
        self.folder = folder
        self.temporary = temporary
        self.data_folder = folder / "data"
        for inner in (self.data_folder, folder / "jobs"):
            inner.mkdir(mode=0o700, exist_ok=True)
        self.jobs = Jobs(folder / "jobs")
        self.data: dict[str, DataSet] = {}
        self.copies: dict[str, str] = {}
        """The format in which copies of releases are wanted, as the form said it last."""

    def new_folder(self) -> Path:
        """A private folder for what belongs to a data set, which has its name."""
        folder = self.data_folder / new_id()
        folder.mkdir(mode=0o700)
        return folder

    def add(self, data: DataSet) -> DataSet:
        self.data[data.id] = data
        return data

    def about(self, data: DataSet, *kinds: str) -> list[Job]:
        """The jobs of these kinds about a data set, the newest first."""
        jobs = reversed(self.jobs.all.values())
        return [job for job in jobs if job.kind in kinds and job.about["data"] == data.id]

    async def forget(self, data: DataSet) -> None:
        """Remove a data set with its jobs and files."""
        for job in list(self.jobs.all.values()):
            if job.about.get("data") == data.id:
                await self.jobs.remove(job)
        self.data.pop(data.id, None)
        shutil.rmtree(data.folder, ignore_errors=True)


def display_name(told: str) -> str:
    """The name the browser tells for a file, as it is shown: its last part, in one line.

    >>> display_name("../../etc/pass\\nwd.csv")
    'pass wd.csv'
    """
    last = re.split(r"[/\\]", told)[-1]
    shown = "".join(letter if letter.isprintable() else " " for letter in last).strip()
    return shorten(shown, 120) or "data"


def stored_name(name: str) -> str:
    """What a file is called in the private folder: only its known ending is the user's."""
    suffix, last = plain_suffix(name), Path(name).suffix.lower()
    known = suffix if suffix in (*OWN_SUFFIXES, *TABLE_SUFFIXES) else ""
    return f"data{known}{last if last in COMPRESSED else ''}"


@dataclass(frozen=True)
class Asked:
    """A request: the session, the data set or the job that its address names, and the fields it sends."""

    request: Request
    fields: dict[str, Any]

    @property
    def session(self) -> Session:
        found: Session = self.request.app.state.session
        return found

    @property
    def data(self) -> DataSet:
        """The data set that the address names; one that was removed is not found."""
        return _named(self.session.data, self.request.path_params["data"])

    @property
    def job(self) -> Job:
        return _named(self.session.jobs.all, self.request.path_params["job"])

    @property
    def language(self) -> str:
        """The language that was chosen on the page, or the first that the browser asks for and we have."""
        chosen = self.request.cookies.get(LANGUAGE_COOKIE, "")
        wanted = self.request.headers.get("accept-language", "").split(",")
        spoken = (chosen, *(one.strip().partition(";")[0].partition("-")[0].lower() for one in wanted))
        return next((one for one in spoken if one in LANGUAGES), ENGLISH)

    def text(self, name: str) -> str:
        """One field, which must be there and be text."""
        found = self.fields.get(name)
        if not isinstance(found, str):
            raise UsageError(f"The field {name!r} is missing.", code="bad-request")
        return found

    def told(self, name: str) -> str:
        """What one field says, which need not be there."""
        return str(self.fields.get(name, "")).strip()


async def asked_by(request: Request, *, form: bool) -> Asked:
    """What a request is about; a ``form`` is one JSON object of text and of lists of text."""
    asked = Asked(request, {})
    for named in request.path_params.keys() & {"data", "job"}:
        getattr(asked, named)  # what is not there is said before anything is read
    if not form:
        return asked
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise UsageError("A form is sent as JSON.", code="bad-request")
    try:
        fields = json.loads(await request.body())
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict) or not all(isinstance(value, str | dict) for value in fields.values()):
        raise UsageError("A form is sent as one JSON object of texts.", code="bad-request")
    return Asked(request, fields)


def _named(known: Mapping[str, T], name: str) -> T:
    if name not in known:
        raise HTTPException(404)
    return known[name]
