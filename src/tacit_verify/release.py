"""What a release is, and what a check is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MANIFEST_NAME = "release.json"
FORMAT = "tacit-release"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: whether it is as promised, and what was found."""

    name: str
    ok: bool
    detail: str = ""


@dataclass(frozen=True)
class Release:
    """A published folder and its manifest."""

    folder: Path
    text: str
    manifest: dict[str, Any]

    @property
    def kind(self) -> str:
        """What kind of release it is: this decides which checks are made."""
        return str(self.manifest["kind"])

    @property
    def parameters(self) -> dict[str, Any]:
        """What the method was asked for."""
        return dict(self.manifest["parameters"])

    @property
    def promise(self) -> dict[str, Any]:
        """The terms of the promise, which the checks must find kept."""
        return dict(self.manifest["promise"]["terms"])

    def path(self, name: str) -> Path:
        """A published file; it must be one that the manifest names."""
        if name not in self.manifest["files"]:
            raise ValueError(f"the release has no file {name!r}")
        return self.folder / name


class CannotVerify(Exception):  # noqa: N818 - the sentence reads better
    """There is nothing to check: no release, or no such original."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


def open_release(folder: Path) -> Release:
    """The release in a folder.

    Raises CannotVerify where the folder holds no release, ValueError where its manifest is spoiled.
    """
    path = folder / MANIFEST_NAME
    if not path.is_file():
        raise CannotVerify(
            f"There is no release in {folder}: it has no {MANIFEST_NAME}.", code="not-a-release"
        )
    text = path.read_bytes().decode("utf-8")
    manifest = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CannotVerify(f"{path} is not the manifest of a Tacit release.", code="not-a-release")
    return Release(folder=folder, text=text, manifest=manifest)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of the manifest; a name given twice would let it say two things."""
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a name occurs twice in one object")
    return values


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
