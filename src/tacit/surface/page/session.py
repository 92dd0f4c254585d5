"""What one run of the page holds: the data sets that were brought, what is known of them, and the jobs.

What a request is about: the session, the data set or job its address names, the fields it sends.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tacit.errors import UsageError, listed, shorten
from tacit.io.readers.formats import OWN_SUFFIXES, looks_like_sets
from tacit.io.readers.formats import SUFFIXES as TABLE_SUFFIXES
from tacit.methods import METHODS
from tacit.surface.catalogue import ENGLISH, LANGUAGES
from tacit.surface.page.jobs import Job, Jobs
from tacit.surface.page.workspace import new_id

LANGUAGE_COOKIE = "tacit-language"
COMPRESSED = (".gz", ".zst")
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
        """Whether it is a sample and no file."""
        return self.path.startswith("sample:")

    @property
    def table(self) -> bool:
        """Whether it holds a table, and not transactions."""
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

    def names(self) -> dict[str, str]:
        """The names that the user knows for the files that are kept here."""
        found = {} if self.sample else {self.path: self.name}
        for choice in self.hierarchies.values():
            if choice.file is not None and choice.name is not None:
                found[str(choice.file)] = choice.name
        return found

    def new_file(self, suffix: str) -> Path:
        """A path for a further file; the server alone chooses what it is called."""
        return self.folder / f"{new_id()}{suffix}"


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

    def new_folder(self) -> tuple[str, Path]:
        """A name for a data set, and a private folder for what belongs to it."""
        name = new_id()
        folder = self.data_folder / name
        folder.mkdir(mode=0o700)
        return name, folder

    def add(self, data: DataSet) -> DataSet:
        """Take a data set in."""
        self.data[data.id] = data
        return data

    def runs(self, data: DataSet) -> Iterator[Job]:
        """The releases asked for from a data set, the newest first."""
        return (
            job
            for job in reversed(self.jobs.all.values())
            if job.kind == "run" and job.about["data"] == data.id
        )

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
    path = PurePosixPath(name.lower())
    compressed = path.suffix if path.suffix in COMPRESSED else ""
    plain = path.with_suffix("") if compressed else path
    return f"data{plain.suffix if plain.suffix in (*OWN_SUFFIXES, *TABLE_SUFFIXES) else ''}{compressed}"


def guessed_layout(name: str, file: Path) -> str:
    """Whether a file holds a table or baskets, by its name or its lines."""
    path = PurePosixPath(name.lower())
    plain = path.with_suffix("") if path.suffix in COMPRESSED else path
    if plain.suffix in OWN_SUFFIXES:
        return "baskets"
    text = plain.suffix in (".csv", ".tsv", ".txt")
    return "baskets" if text and looks_like_sets(file) is not None else "table"


def unknown_method(method: object) -> UsageError:
    """The error for a method that there is not."""
    return UsageError(
        f"There is no method {shorten(str(method))!r}.",
        code="unknown-method",
        hint=f"The methods are {listed(METHODS)}.",
    )


def session_of(request: Request) -> Session:
    """The session of this run of the page."""
    session: Session = request.app.state.session
    return session


def data_of(request: Request) -> DataSet:
    """The data set that the address names; one that was removed is not found."""
    found = session_of(request).data.get(request.path_params["data"])
    if found is None:
        raise HTTPException(404)
    return found


def job_of(request: Request) -> Job:
    """The job that the address names."""
    found = session_of(request).jobs.all.get(request.path_params["job"])
    if found is None:
        raise HTTPException(404)
    return found


async def fields_of(request: Request) -> dict[str, Any]:
    """The fields of a form: one JSON object of text and of lists of text."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise UsageError("A form is sent as JSON.", code="bad-request")
    try:
        fields = json.loads(await request.body())
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict) or not all(isinstance(value, str | dict) for value in fields.values()):
        raise UsageError("A form is sent as one JSON object of texts.", code="bad-request")
    return fields


def language_of(request: Request) -> str:
    """The language that was chosen on the page, or else the first that the browser asks for and we have."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    wanted = [
        part.partition(";")[0].strip() for part in request.headers.get("accept-language", "").split(",")
    ]
    spoken = (chosen, *(one.partition("-")[0].lower() for one in wanted))
    return next((one for one in spoken if one in LANGUAGES), ENGLISH)


def text_of(fields: dict[str, Any], name: str) -> str:
    """One field, which must be there and be text."""
    found = fields.get(name)
    if not isinstance(found, str):
        raise UsageError(f"The field {name!r} is missing.", code="bad-request")
    return found
