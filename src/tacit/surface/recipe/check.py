"""Checking releases that are there against their recipe: made again, compared byte for byte, verified.

The releases are made anew from the data into a private temporary folder, which is removed. Then the
independent verifier checks what is published, with the original: the file itself where it is plain
text that needs no options, else a copy of the data as Tacit reads them.
"""

from __future__ import annotations

import filecmp
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.data.table import Table
from tacit.random.key import Key
from tacit.release import publish, read_manifest
from tacit.release.composing import with_composition
from tacit.release.manifest import MANIFEST_NAME, SIGNATURE_NAME
from tacit.release.originals import PLAIN, Original
from tacit.release.verification import Verification, verify
from tacit.showing.layout import to_plain
from tacit.surface.reading import ROLES, TREES
from tacit.surface.recipe.load import Places
from tacit.surface.recipe.model import OneRelease, Recipe
from tacit.surface.recipe.prepare import Prepared, prepare_recipe
from tacit.surface.recipe.run import Made, make_releases
from tacit.surface.recipe.section import MISSING
from tacit.surface.recipe.text import said
from tacit.typing import Progress

_DIFFERS = 7


@dataclass(frozen=True)
class FileCheck:
    """A published file, and whether making it again gave the same bytes."""

    name: str
    same: bool
    detail: str


@dataclass(frozen=True)
class ReleaseCheck:
    """A release that is there, compared with its recipe and verified with its original."""

    method: str
    folder: str
    files: tuple[FileCheck, ...]
    verification: Verification
    original: str

    @property
    def ok(self) -> bool:
        """Whether every byte is the recipe's and the verifier finds nothing broken."""
        return all(file.same for file in self.files) and not self.verification.broken

    def __str__(self) -> str:
        lines = [f"{self.method}: {self.folder}"]
        lines += [
            f"  {'same' if file.same else 'DIFFERS'}  {file.name}: {file.detail}" for file in self.files
        ]
        found = self.verification.checks
        kept = sum(check.verdict == "kept" for check in found)
        lines.append(f"  verifier, with {self.original}: {kept} of {len(found)} checks kept")
        marks = {"broken": "FAIL", "not checked": "?   "}
        lines += [
            f"  {marks[check.verdict]}  {check.name}: {check.detail}"
            for check in found
            if check.verdict != "kept"
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class RecipeCheck:
    """Every release of a recipe, checked."""

    releases: tuple[ReleaseCheck, ...]

    @property
    def ok(self) -> bool:
        return all(release.ok for release in self.releases)

    @property
    def exit_code(self) -> int:
        return 0 if self.ok else _DIFFERS

    def to_dict(self) -> dict[str, Any]:
        releases = [to_plain(release) | {"ok": release.ok} for release in self.releases]
        return {"ok": self.ok, "releases": releases}

    def __str__(self) -> str:
        end = (
            "Every release is what the recipe makes, byte for byte, and keeps its promise."
            if self.ok
            else "Not everything is what the recipe makes; see above."
        )
        return "\n\n".join([*map(str, self.releases), end])


def check_recipe(
    recipe: Recipe,
    *,
    base: str | Path = ".",
    key: Key | None = None,
    places: Places | None = None,
    progress: Progress | None = None,
) -> RecipeCheck:
    """Check the releases of a recipe that are there: the same bytes, and the promise kept.

    The parameters are those of :func:`run_recipe`. A difference is a result, not an error. Raises
    InputError where a release is not there, InfeasibleError where the data no longer allow it. What the
    recipe measures is not looked at: there is nothing to compare it with.
    """
    if not recipe.release:
        says, hint = "The recipe makes no release, so there is none to check.", "Measure with: tacit run"
        raise (places or Places()).wrong(("measure",), MISSING, says, hint)
    prepared = prepare_recipe(recipe, base=base, key=key, places=places, existing=True, progress=progress)
    for release in recipe.release:
        read_manifest(prepared.folder_of(release))
    made = make_releases(prepared, progress=progress)
    with tempfile.TemporaryDirectory(prefix="tacit-check-") as folder:
        return RecipeCheck(
            tuple(
                _checked(prepared, one, Path(folder) / str(number), progress)
                for number, one in enumerate(made)
            )
        )


def _checked(prepared: Prepared, one: Made, scratch: Path, progress: Progress | None) -> ReleaseCheck:
    folder = prepared.folder_of(one.settings)
    if progress is not None:
        progress(f"{one.settings.output}: Comparing and verifying", None)
    scratch.mkdir(mode=0o700)
    # Written anew, neither verified nor put on record. What the published manifest states about earlier
    # releases is the ledger's, not the recipe's: it is taken over, so that everything else can be compared.
    stated = read_manifest(folder).risks.get("composition", {})
    release = one.release.complete()
    again = publish(
        scratch / "release",
        release.files,
        release.manifest,
        {},
        verify=lambda staged: None,
        settle=lambda staged, manifest: with_composition(manifest, stated),
    ).folder
    original, called = _original(prepared, one.settings)
    files = tuple(_compared(folder, again))
    return ReleaseCheck(one.settings.method, str(folder), files, verify(folder, original=original), called)


def _compared(folder: Path, again: Path) -> Iterator[FileCheck]:
    """Every file of the release that is there or should be, by name."""
    names = {entry.name for place in (folder, again) for entry in place.iterdir() if entry.is_file()}
    for name in sorted(names - {SIGNATURE_NAME}):  # who signed it is no matter of the recipe
        there, remade = folder / name, again / name
        if not there.exists():
            yield FileCheck(name, same=False, detail="the recipe makes it, and it is not there")
        elif not remade.exists():
            yield FileCheck(name, same=False, detail="it is there, and the recipe does not make it")
        elif filecmp.cmp(there, remade, shallow=False):
            yield FileCheck(name, same=True, detail="byte for byte")
        else:
            yield FileCheck(name, same=False, detail=_difference(there, remade))


def _difference(there: Path, remade: Path) -> str:
    """How two files differ: for a manifest the fields, else nothing more than that they do."""
    if there.name != MANIFEST_NAME:
        return "it is not what the recipe makes"
    try:
        values, wanted = (json.loads(path.read_text(encoding="utf-8")) for path in (there, remade))
        fields = sorted(
            name for name in values.keys() | wanted.keys() if values.get(name) != wanted.get(name)
        )
    except (ValueError, AttributeError):
        return "it is not a manifest"
    if fields == ["versions"]:
        return "it was made with other versions of Tacit or of what it uses"
    return f"other {', '.join(fields)}"


def _original(prepared: Prepared, release: OneRelease) -> tuple[Original, str]:
    """The data for the verifier, and what to call them: the file itself where it reads the same from it."""
    name = prepared.recipe.source_of(release)
    source, data = prepared.recipe.sources[name], prepared.data[name]
    file = None if source.file is None else prepared.base / source.path
    plain = PLAIN["table" if isinstance(data, Table) else "transactions"]
    # A reader that knows of no options reads the same from the file.
    if file is not None and file.suffix in plain and said(source).keys() <= {"path", *ROLES, *TREES}:
        return file, "the original file"
    return data, "the original as Tacit reads it"
