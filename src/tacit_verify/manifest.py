"""The ground every kind of release stands on: the manifest and the files it names."""

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from tacit_verify.release import MANIFEST_NAME, SIGNATURE_NAME, Check, Release, judged

FIELDS: dict[str, type] = {
    "format": str, "format_version": int, "kind": str, "method": str, "parameters": dict, "promise": dict,
    "reader": dict, "limits": str, "risks": dict, "utility": dict, "notes": list, "verification": dict,
    "versions": dict, "files": dict, "not_for_publication": bool,
}  # fmt: skip


def manifest_checks(release: Release) -> Iterator[Check]:
    """The manifest is complete, and the folder holds what it names."""
    fields = judged("manifest fields", field_problems(release.manifest), f"{len(FIELDS)} fields")
    yield fields
    if not fields.ok:
        return
    named = {MANIFEST_NAME, *release.manifest["files"]}
    yield judged("files", _folder_problems(release, named), f"{len(named)} files")
    for name in sorted(release.manifest["files"]):
        yield judged(f"file {name}", _file_problems(release, name), "size and SHA-256 as stated")
    if (release.folder / SIGNATURE_NAME).exists():
        yield Check("signature", True, "not looked at: 'tacit verify DIR --public-key FILE' checks it")


def field_problems(manifest: dict[str, Any]) -> Iterator[str]:
    """Each field is there, of its type, and there is no other."""
    yield from (f"{name} is missing" for name in FIELDS if name not in manifest)
    yield from (f"{name} is unknown" for name in manifest if name not in FIELDS)
    yield from (f"{name} is of another type" for name in FIELDS if type(manifest[name]) is not FIELDS[name])
    if manifest["format_version"] != 1:
        yield "this verifier knows format version 1 only"
    for name in ("promise", "reader"):
        if _types(manifest[name]) != {"sentence": str, "terms": dict}:
            yield f"{name} is not a sentence with terms"
    for name, entry in manifest["files"].items():
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name) or name in (MANIFEST_NAME, SIGNATURE_NAME):
            yield f"{name!r} may not be the name of a published file"
        if _types(entry) != {"bytes": int, "sha256": str}:
            yield f"the entry of {name} is not a size and a digest"


def _types(fields: Any) -> dict[str, type]:
    return {name: type(value) for name, value in fields.items()} if isinstance(fields, dict) else {}


def _folder_problems(release: Release, named: set[str]) -> Iterator[str]:
    """The folder holds the files named, as ordinary files, and nothing else but a signature."""
    present = {entry.name for entry in release.folder.iterdir()}
    yield from (f"{name} is missing" for name in sorted(named - present))
    yield from (f"{name} is not named in the manifest" for name in sorted(present - named - {SIGNATURE_NAME}))
    for path in map(release.folder.joinpath, sorted(present)):
        if path.is_symlink() or not path.is_file():
            yield f"{path.name} is not an ordinary file"
        if path.name == SIGNATURE_NAME and path.stat().st_size != 64:
            yield f"{path.name} is not a signature of 64 bytes"


def _file_problems(release: Release, name: str) -> Iterator[str]:
    """A file has the size and the SHA-256 that the manifest states."""
    said, path = release.manifest["files"][name], release.path(name)
    if path.is_symlink() or not path.is_file():
        yield "missing"
    if path.stat().st_size != said["bytes"]:
        yield f"has {path.stat().st_size} bytes, the manifest states {said['bytes']}"
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != said["sha256"]:
            yield "its SHA-256 is not the one the manifest states"
