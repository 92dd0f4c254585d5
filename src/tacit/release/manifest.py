"""The manifest of a release, ``release.json``: what was done, what is promised, to whom.

It states the method, the parameters, the promise, the assumed reader, the measured risks and
utility, the versions, and the SHA-256 of each published file. It holds nothing that changes from
run to run (no time, no path, no host) and nothing that only the owner may see, so that the same
key, records and parameters give the same bytes. The independent verifier reads the same file with
code of its own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from tacit.errors import InputError, Place
from tacit.release.kinds import kind_of, kinds

MANIFEST_NAME = "release.json"
SIGNATURE_NAME = "release.sig"
"""The publisher's signature of the manifest, where there is one, beside it."""
FORMAT = "tacit-release"
FORMAT_VERSION = 2
"""Version 1 held sentences beside its terms; its terms are still read."""

_SHAPE: dict[str, type] = {
    "kind": str,
    "method": str,
    "parameters": dict,
    "promise": dict,
    "reader": dict,
    "risks": dict,
    "utility": dict,
    "verification": dict,
    "versions": dict,
    "files": dict,
    "not_for_publication": bool,
}
_WORDS: dict[type, str] = {str: "text", dict: "a map", bool: "true or false", int: "a number"}


@cache
def versions_in_use() -> dict[str, str]:
    """The versions that may change what is published; to find them, files are read."""
    from importlib.metadata import version
    from platform import python_version

    packages = {
        name: version(name).partition("+")[0] for name in ("tacit", "numba", "numpy", "polars", "scipy")
    }
    return {"python": python_version().rstrip("+"), **packages}


def in_order(rules: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Stated rules in the order of their text: their order says nothing."""
    return sorted(rules, key=lambda rule: json.dumps(rule, sort_keys=True))


def sorted_texts(texts: Iterable[str | None]) -> list[str | None]:
    """Texts in order, a missing value first."""
    return sorted(texts, key=lambda text: (text is not None, text or ""))


@dataclass(frozen=True)
class PublishedFile:
    """What the manifest says of one published file."""

    sha256: str
    bytes: int


@dataclass(frozen=True)
class Manifest:
    """A release's manifest; values are plain JSON values (text, whole and finite numbers, lists, maps).

    It holds terms and figures, no sentences: what it says in words follows from them. ``verification``
    says how much the independent verifier checked (``{"extent": "full"}``, or a sample and its size).
    ``files`` is filled in by the store.
    """

    kind: str
    method: str
    parameters: Mapping[str, Any]
    promise: Mapping[str, Any]
    reader: Mapping[str, Any]
    risks: Mapping[str, Any] = field(default_factory=dict)
    utility: Mapping[str, Any] = field(default_factory=dict)
    verification: Mapping[str, Any] = field(default_factory=lambda: {"extent": "full"})
    versions: Mapping[str, str] = field(default_factory=versions_in_use)
    files: Mapping[str, PublishedFile] = field(default_factory=dict)
    not_for_publication: bool = False

    def __post_init__(self) -> None:
        if self.kind not in kinds():
            raise ValueError(
                f"The kind of a release is one of {', '.join(kinds())}. Got {self.kind!r} instead."
            )
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, Mapping) and entry.name != "files":
                object.__setattr__(self, entry.name, _plain(value, entry.name))
        object.__setattr__(self, "files", dict(self.files))

    @property
    def parts(self) -> dict[str, Any]:
        """What figures are read from, as everybody is told it."""
        return {name: getattr(self, name) for name in ("method", "parameters", "promise", "risks", "utility")}

    @property
    def promise_words(self) -> str:
        """The promise as a sentence."""
        return kind_of(self.kind).promise(self)

    @property
    def reader_words(self) -> str:
        """The assumed reader as a sentence."""
        return kind_of(self.kind).reader(self)

    @property
    def limits(self) -> str:
        """What the release does not protect against, in a sentence."""
        return kind_of(self.kind).limits(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What whoever reads the release should be told loudly."""
        return (*self.warnings, *kind_of(self.kind).notes(self))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why nobody should want the release, if there is a reason."""
        return tuple(kind_of(self.kind).warnings(self))

    def to_json(self) -> str:
        """The canonical text: sorted names, two spaces, one line end at the end."""
        values: dict[str, Any] = {"format": FORMAT, "format_version": FORMAT_VERSION}
        values.update((entry.name, getattr(self, entry.name)) for entry in fields(self))
        values["files"] = {name: asdict(file) for name, file in self.files.items()}
        return json.dumps(values, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str, *, file: str | None = None) -> Manifest:
        """The manifest that a text holds, or an InputError that says what is wrong with it."""
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _malformed("It is not JSON", file) from error
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise InputError(
                "This is not the manifest of a Tacit release.",
                code="release-not-found",
                where=Place(file=file),
                hint="Name a folder that Tacit has published.",
            )
        if values.get("format_version") == 1:
            values = _without_sentences(values)
        if values.get("format_version") != FORMAT_VERSION:
            raise _malformed(
                f"Its format version is {values.get('format_version')!r}, not {FORMAT_VERSION}", file
            )
        try:
            return cls(**_fields(values))
        except ValueError as error:
            raise _malformed(str(error), file) from error


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a published release.

    The files are not checked against it; that is the verifier's work.
    """
    path = Path(folder) / MANIFEST_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"There is no release here: {MANIFEST_NAME} cannot be read.",
            code="release-not-found",
            where=Place(file=str(folder)),
            hint="Name a folder that Tacit has published.",
        ) from error
    except UnicodeDecodeError as error:
        raise _malformed("It is not UTF-8 text", str(path)) from error
    return Manifest.from_json(text, file=str(path))


def _fields(values: dict[str, Any]) -> dict[str, Any]:
    """The arguments of :class:`Manifest` out of its JSON form; a ValueError says what is wrong."""
    given = {name: value for name, value in values.items() if name not in ("format", "format_version")}
    _check_shape(given, _SHAPE, "The manifest")
    for name, entry in given["files"].items():
        _check_shape(entry, {"sha256": str, "bytes": int}, f"The entry of the file {name!r}")
    given["files"] = {name: PublishedFile(**entry) for name, entry in given["files"].items()}
    return given


def _without_sentences(values: dict[str, Any]) -> dict[str, Any]:
    """A manifest of version 1 as one of today: its terms alone."""
    given = {name: value for name, value in values.items() if name not in ("limits", "notes")}
    for name in ("promise", "reader"):
        if isinstance(given.get(name), dict):
            given[name] = given[name].get("terms")
    return given | {"format_version": FORMAT_VERSION}


def _check_shape(given: Any, shape: Mapping[str, type], what: str) -> None:
    if not isinstance(given, dict) or given.keys() != shape.keys():
        raise ValueError(f"{what} must have exactly these fields: {', '.join(sorted(shape))}")
    for name, type_ in shape.items():
        if not isinstance(given[name], type_):
            raise ValueError(f"{what} has a {name!r} that is not {_WORDS[type_]}")


def _plain(value: Any, where: str) -> Any:
    """A copy made of JSON values alone; anything else is a mistake of the caller."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return {name: _plain(part, f"{where}.{name}") for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part, where) for part in value]
    raise TypeError(f"{where} of a manifest must be made of plain JSON values. Got {value!r} instead.")


def _malformed(what: str, file: str | None) -> InputError:
    return InputError(
        f"The manifest cannot be used. {what}.",
        code="release-manifest",
        where=Place(file=file),
        hint="Publish the release again; a manifest is not edited by hand.",
    )
