"""What a release is, and what a check is."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MANIFEST_NAME, SIGNATURE_NAME, FORMAT = "release.json", "release.sig", "tacit-release"
KEPT, BROKEN, NOT_CHECKED = "kept", "broken", "not checked"


@dataclass(frozen=True)
class Check:
    """One clause: whether it is as promised, and what was found; None where that could not be looked at."""

    name: str
    ok: bool | None
    detail: str = ""

    @property
    def verdict(self) -> str:
        """Whether the clause is kept, broken, or not checked."""
        return {True: KEPT, False: BROKEN, None: NOT_CHECKED}[self.ok]


def verdict_of(checks: Iterable[Check]) -> str:
    """The verdict over all clauses: one that is broken breaks the promise, one not checked leaves it open."""
    found = {check.verdict for check in checks}
    return next((verdict for verdict in (BROKEN, NOT_CHECKED) if verdict in found), KEPT)


def judged(name: str, problems: dict[str, bool] | Iterable[str], good: str) -> Check:
    """A check that passes where nothing of a table of problems is so, or no problem is found."""
    if isinstance(problems, dict):
        problems = (problem for problem, is_there in problems.items() if is_there)
    problem = next(iter(problems), None)
    return Check(name, problem is None, good if problem is None else problem)


class Stopped(Exception):  # noqa: N818 - the sentence reads better
    """A check failed without which the ones behind it mean nothing."""


def required(check: Check) -> Iterator[Check]:
    """A check that the others build on: where it fails, they are left out."""
    yield check
    if not check.ok:
        raise Stopped


@dataclass(frozen=True)
class Release:
    """A published folder and its manifest."""

    folder: Path
    text: str
    manifest: dict[str, Any]

    @property
    def parameters(self) -> dict[str, Any]:
        """What the method was asked for."""
        return dict(self.manifest["parameters"])

    @property
    def promise(self) -> dict[str, Any]:
        """The terms of the promise, which the checks must find kept."""
        return dict(self.manifest["promise"])

    @property
    def number(self) -> int:
        """Its place in a series; the first release need not say that others follow."""
        return int(self.parameters.get("series", {"number": 1})["number"])

    def path(self, name: str) -> Path:
        """A published file; which there are was checked before."""
        return self.folder / name

    def private(self, name: str) -> Path | None:
        """A file of the publisher's private record, where that lies beside the release."""
        # DIR.private holds the records of DIR, named after manifests; before publication it is only private.
        identity, folder = hashlib.sha256(self.text.encode()).hexdigest()[:16], self.folder.absolute()
        places = [folder.with_name(root) / identity / name for root in (f"{folder.name}.private", "private")]
        return next(filter(Path.is_file, places), None)


class CannotVerify(Exception):  # noqa: N818 - the sentence reads better
    """There is nothing to check: no release, or no original that can be read."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


def open_release(folder: Path) -> Release:
    """The release in a folder; raises CannotVerify where there is none, ValueError where it is spoiled."""
    path = folder / MANIFEST_NAME
    if not path.is_file():
        raise CannotVerify(f"{folder} holds no release: it has no {MANIFEST_NAME}.", code="not-a-release")
    text = path.read_bytes().decode("utf-8")
    manifest = json.loads(text)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CannotVerify(f"{path} is not the manifest of a Tacit release.", code="not-a-release")
    # Written in the one canonical way it cannot say two things, and its bytes say nothing of their own.
    if text != json.dumps(manifest, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=2) + "\n":
        raise ValueError("it is not the canonical text of its content")
    return Release(folder, text, manifest)
