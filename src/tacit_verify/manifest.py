"""The ground every kind of release stands on: the manifest and the files it names."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from tacit_verify.release import MANIFEST_NAME, SIGNATURE_NAME, Check, Release, judged, required
from tacit_verify.terms import COUNTED, COUNTED_WITH_RULES, EVERY, KINDS, ROUGH, misfits, usual


def manifest_checks(release: Release) -> Iterator[Check]:
    """The manifest holds the terms of its kind alone, and the folder its files alone."""
    fields = field_problems(release.manifest)
    yield from required(judged("manifest fields", fields, "the terms of its kind alone"))
    detail = f"stated by the publisher, and not counted again here: {', '.join(_owners(release))}"
    yield Check("figures of the publisher", True, detail)
    named = {MANIFEST_NAME, *release.manifest["files"]}
    signed = ", and a signature: --public-key checks it" if (release.folder / SIGNATURE_NAME).exists() else ""
    yield judged("files", _folder_problems(release, named), f"{len(named)} files{signed}")
    for name in sorted(release.manifest["files"]):
        yield judged(f"file {name}", _file_problems(release, name), "size and SHA-256 as stated")


def field_problems(manifest: dict[str, Any]) -> Iterator[str]:
    """The fields and names of this kind are there, each with what it may hold, and there is no other."""
    if manifest.get("format_version") != 2:
        yield "this verifier knows format version 2 only; an older release has a verifier of its time"
    kind = str(manifest.get("kind"))  # whatever it is
    if kind not in KINDS:
        yield f"the kind {kind!a} is unknown to this verifier"
    yield from misfits(manifest, EVERY | KINDS[kind], "the manifest")
    parameters, promise, risks = (manifest[part] for part in ("parameters", "promise", "risks"))
    wanted = {
        "bucketized": ({"qit.csv", "st.csv"} if parameters.get("form") == "qit" else {"table.csv"})
        | ({"hierarchies.csv"} if "k" in parameters else set()),
        "generalized": {parameters.get("transactions"), "mapping.csv"},
        "generalized_table": {"table.csv", "hierarchies.csv"},
        "hidden": {parameters.get("transactions")},
        "rules": {"rules.json"},
    }[kind]
    if set(manifest["files"]) != wanted:
        yield f"the files of this kind are {', '.join(sorted(map(str, wanted)))}, and no others"
    if "sensitive" in parameters and parameters.get("transactions", ".jsonl")[-6:] != ".jsonl":
        yield "only sets in JSON lines have a sensitive column"
    below = [*manifest["reader"].get("nodes", {}).values(), *parameters.get("joined", {}).values()]
    texts = [json.dumps(rule, sort_keys=True) for rule in manifest["reader"].get("rules", ())]
    lists = [texts, parameters.get("null_values", []), *(one for part in below for one in part.values())]
    if any(map(_mixed, lists)):
        yield "rules, values below a node or words for missing values are listed twice, or not in order"
    if sum(not usual(word) for word in parameters.get("null_values", ())) > 3:
        yield "more than three words for missing values are unusual"
    if "k" in promise and not all(rule.get("given") for rule in manifest["reader"].get("rules", ())):
        yield "mined rules are listed, which tell of finer groups than are shown: release it anew"
    if parameters.get("series", {"number": 1})["number"] < 1:
        yield "the releases of a series are numbered from 1"
    if kind == "generalized" and (risks["diversity"] or {}).get("column") != parameters.get("sensitive"):
        yield "the diversity is of a column that is not published"
    if composition := risks.get("composition"):
        unit = "transactions" if "transactions" in parameters else "people"
        number = parameters.get("rows", promise.get("records", promise.get(unit)))
        if composition["unit"] != unit or number not in (None, composition["records"]):
            yield "the records in common with earlier releases are of other records"
        earlier = [one["records"] for one in composition["earlier"]]
        if earlier != sorted(earlier, reverse=True):
            yield "earlier releases are not listed by their size"
    for part, names, belongs in _conditions(manifest):
        yield from (f"{name} is missing, or is none of it" for name in names if (name in part) != belongs)


def _conditions(manifest: dict[str, Any]) -> Iterator[tuple[dict[str, Any], tuple[str, ...], bool]]:
    """Names that are in a part of some manifests of a kind alone, and whether this is one of them."""
    kind, parameters, promise, risks = (manifest[name] for name in ("kind", "parameters", "promise", "risks"))
    grid, series, method = risks["grid"], parameters.get("series"), manifest["method"]
    yield grid, ("composition", "composition.one_candidate_share_at_least"), "composition" in risks
    if series:
        more = ("fallen", "look_alikes") if kind == "bucketized" else ("small_changes",)
        yield series, ("after", *more), series["number"] > 1
    mined = not all(rule.get("given") for rule in manifest["reader"].get("rules", ()))
    yield manifest["reader"], ("mined",), mined or "mined" in manifest["reader"]
    if kind == "bucketized":
        partners, rough = parameters.get("partners"), method == "anatomy" or "k" in promise
        yield parameters, ("partners",), method == "injector" or series is not None
        yield parameters, ("epsilon",), partners == "areas"
        yield grid, ("posterior", *ROUGH), rough
        yield risks, ("valid_values", "posteriors"), not rough or risks["rows"] >= 100
    elif kind == "generalized_table":
        of_values = not promise.keys().isdisjoint(("l", "entropy_l", "recursive", "t"))
        yield parameters, ("epsilon",), of_values and parameters["recoding"] in ("local", "cells")
        yield grid, ("learning.surest.right",), risks["learning"] is not None
    elif kind == "hidden":
        windows, policy = method == "sliding windows", parameters.get("policy")
        yield parameters, ("window", "disclosure"), windows
        yield parameters, ("policy",), not windows
        yield parameters, ("confidence",), policy in ("certified", "paper")
        yield parameters, ("targets",), policy in ("certified", "exact")


def _owners(release: Release) -> list[str]:
    """The figures that need the original, or take too long to be counted again."""
    parameters, risks, utility = release.parameters, release.manifest["risks"], release.manifest["utility"]
    counted = COUNTED | (COUNTED_WITH_RULES if release.manifest["method"] == "injector" else set())
    if "k" in parameters:
        counted -= COUNTED_WITH_RULES
    if parameters.get("suppressed"):
        counted -= {"published_items", "published_average_length"}
    return sorted({*risks, *utility} - counted)


def _mixed(values: list[str | None]) -> bool:
    """Whether texts are not listed once each and in order, a missing value first."""
    keys = [(value is not None, value or "") for value in values]
    return keys != sorted(set(keys))


def _folder_problems(release: Release, named: set[str]) -> Iterator[str]:
    """The folder holds the files named, as ordinary files, and nothing else but a signature."""
    present = {entry.name for entry in release.folder.iterdir()}
    yield from (f"{name} is missing" for name in sorted(named - present))
    named |= {SIGNATURE_NAME}
    yield from (f"{name!a} is not named in the manifest" for name in sorted(present - named))
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
