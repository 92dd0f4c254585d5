"""The ground every kind of release stands on: the manifest and the files it names."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from tacit_verify.release import MANIFEST_NAME, Check, Release

FIELDS: dict[str, type] = {
    "format": str,
    "format_version": int,
    "kind": str,
    "method": str,
    "parameters": dict,
    "promise": dict,
    "reader": dict,
    "limits": str,
    "risks": dict,
    "utility": dict,
    "notes": list,
    "verification": dict,
    "versions": dict,
    "files": dict,
    "not_for_publication": bool,
}
"""Every field of a manifest, and no other."""


def manifest_checks(release: Release) -> Iterator[Check]:
    """The manifest is complete and says one thing, and the folder holds what it names."""
    fields = check_fields(release.manifest)
    yield fields
    if not fields.ok:
        return
    yield check_canonical(release)
    yield check_names(release)
    for name in sorted(release.manifest["files"]):
        yield check_file(release, name)


def check_fields(manifest: dict[str, Any]) -> Check:
    """Each field is there, of its type, and there is no other."""
    problems = [f"{name} is missing" for name in FIELDS if name not in manifest]
    problems += [f"{name} is unknown" for name in manifest if name not in FIELDS]
    for name, type_ in FIELDS.items():
        if name in manifest and type(manifest[name]) is not type_:
            problems.append(f"{name} is of another type")
    if not problems and manifest["format_version"] != 1:
        problems.append("this verifier knows format version 1 only")
    if not problems:
        problems += _statement_problems(manifest) + _entry_problems(manifest["files"])
    return Check("manifest fields", not problems, "; ".join(problems) or f"{len(FIELDS)} fields")


def check_canonical(release: Release) -> Check:
    """The manifest is written in the one canonical way, so that its bytes say nothing of their own."""
    canonical = json.dumps(release.manifest, ensure_ascii=False, sort_keys=True, indent=2) + "\n"
    same = canonical == release.text
    return Check("manifest form", same, "canonical" if same else "not the canonical text of its content")


def check_names(release: Release) -> Check:
    """The folder holds the files named and the manifest, as ordinary files, and nothing else."""
    named = {MANIFEST_NAME, *release.manifest["files"]}
    present = {entry.name for entry in release.folder.iterdir()}
    problems = [f"{name} is missing" for name in sorted(named - present)]
    problems += [f"{name} is not named in the manifest" for name in sorted(present - named)]
    for name in sorted(named & present):
        path = release.folder / name
        if path.is_symlink() or not path.is_file():
            problems.append(f"{name} is not an ordinary file")
    return Check("files", not problems, "; ".join(problems) or f"{len(named)} files")


def check_file(release: Release, name: str) -> Check:
    """A file has the size and the SHA-256 that the manifest states."""
    said = release.manifest["files"][name]
    path = release.folder / name
    if path.is_symlink() or not path.is_file():
        return Check(f"file {name}", False, "missing")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    size = path.stat().st_size
    if size != said["bytes"]:
        return Check(f"file {name}", False, f"has {size} bytes, the manifest states {said['bytes']}")
    if digest != said["sha256"]:
        return Check(f"file {name}", False, "its SHA-256 is not the one the manifest states")
    return Check(f"file {name}", True, f"{size} bytes, SHA-256 as stated")


def _statement_problems(manifest: dict[str, Any]) -> list[str]:
    return [
        f"{name} is not a sentence with terms"
        for name in ("promise", "reader")
        if manifest[name].keys() != {"sentence", "terms"}
        or not isinstance(manifest[name]["sentence"], str)
        or not isinstance(manifest[name]["terms"], dict)
    ]


def _entry_problems(files: dict[str, Any]) -> list[str]:
    problems = []
    for name, entry in files.items():
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name) or name == MANIFEST_NAME:
            problems.append(f"{name!r} may not be the name of a published file")
        if not isinstance(entry, dict) or entry.keys() != {"bytes", "sha256"}:
            problems.append(f"the entry of {name} has other fields than its size and digest")
        elif type(entry["bytes"]) is not int or not re.fullmatch(r"[0-9a-f]{64}", str(entry["sha256"])):
            problems.append(f"the entry of {name} is not a size and a digest")
    return problems
