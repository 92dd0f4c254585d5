"""Tampering with what every release has: its folder, the text of its manifest, its fields."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.verify.forgery import Forgery, Tampering

RAW = "name,disease\nZaphod Beeblebrox,influenza\n"
EARLIER = [{"kind": "bucketized", "records": 60, "measured": True}]
COMPOSITION = {
    "earlier": EARLIER,
    "shared": 60,
    "one_candidate_at_least": 20,
    "one_candidate_share_at_least": 0.33,
}
PROSE = "This release is differentially private with epsilon 0.1."


def composed(f: Forgery, **changes: Any) -> None:
    """State an earlier release of the same records."""
    parameters, promise = f.m["parameters"], f.m["promise"]
    rows = json.loads((f.folder / "rules.json").read_text())["rows"] if f.m["kind"] == "rules" else None
    number = parameters.get("rows") or promise.get("records") or promise.get("transactions") or rows
    unit = "transactions" if "transactions" in parameters else "people"
    f.m["risks"]["composition"] = {**COMPOSITION, "unit": unit, "records": number, **changes}
    f.m["risks"]["grid"] |= {
        "composition": "tens, up",
        "composition.one_candidate_share_at_least": "percents, up",
    }


def _copy_named(name: str) -> Callable[[Forgery], object]:
    return lambda f: f.put(name, RAW)


def _renamed(change: Callable[[str], str]) -> Callable[[Forgery], object]:
    def rename(f: Forgery) -> None:
        name = f.main
        (f.folder / name).rename(f.folder / change(name))
        f.m["files"][change(name)] = f.m["files"].pop(name)

    return rename


def _linked(folder: Path) -> None:
    name = next(path for path in sorted(folder.iterdir()) if path.name != "release.json")
    name.rename(folder.with_name("elsewhere"))
    name.symlink_to(folder.with_name("elsewhere"))


def _entry(**changes: Any) -> Callable[[Forgery], object]:
    return lambda f: f.m["files"][f.main].update(changes)


def _duplicated(text: str) -> str:
    values = json.loads(text)
    return text.replace('"promise": {', f'"promise": {json.dumps(values["promise"])},\n  "promise": {{', 1)


def _at(*path: str, value: Any) -> Callable[[Forgery], object]:
    def change(f: Forgery) -> None:
        inner = f.m
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = value

    return change


def _first(field: str, change: Callable[[Any], Any]) -> Callable[[Forgery], object]:
    """Change the first number in a part of the manifest."""

    def do(f: Forgery) -> None:
        part = f.m[field]
        name = next(name for name in sorted(part) if type(part[name]) is int)
        part[name] = change(part[name])

    return do


def _without(field: str) -> Callable[[Forgery], object]:
    return lambda f: f.m.pop(field)


FOLDER = {
    "a raw file of another name": (lambda f: f.after(lambda d: (d / "names.csv").write_text(RAW)), "files"),
    "a raw file, named in the manifest": (_copy_named("names.csv"), "manifest fields"),
    "a Parquet copy": (_copy_named("transactions.parquet"), "manifest fields"),
    "an SPMF copy": (_copy_named("transactions.spmf"), "manifest fields"),
    "a long copy": (_copy_named("transactions-long.csv"), "manifest fields"),
    "a file of another kind of release": (_copy_named("cut.csv"), "manifest fields"),
    "a read-me": (_copy_named("README.md"), "manifest fields"),
    "a file without a name's ending": (_copy_named("names"), "manifest fields"),
    "a hidden file": (lambda f: f.after(lambda d: (d / ".names").write_text(RAW)), "files"),
    "a folder": (lambda f: f.after(lambda d: (d / "more").mkdir()), "files"),
    "a second manifest": (lambda f: f.after(lambda d: (d / "release.json.bak").write_text("{}")), "files"),
    "a name with a blank at its end": (lambda f: f.after(lambda d: (d / "qit.csv ").write_text(RAW)), "files"),
    "a name with a line end": (lambda f: f.after(lambda d: (d / "a\nb").write_text(RAW)), "files"),
    "a name with an invisible character": (_renamed(lambda name: name + "\u200b"), "manifest fields"),
    "a name in upper case": (_renamed(str.upper), "manifest fields"),
    "a name of another width": (_renamed(lambda name: "\uff54" + name[1:]), "manifest fields"),
    "a name that leads elsewhere": (
        lambda f: f.m["files"].update({"../original.csv": f.m["files"][f.main]}), "manifest fields"),
    "the manifest named in itself": (
        lambda f: f.m["files"].update({"release.json": f.m["files"][f.main]}), "manifest fields"),
    "the signature named in the manifest": (_copy_named("release.sig"), "manifest fields"),
    "a file turned into a link": (lambda f: f.after(_linked), "files"),
    "a dangling link": (lambda f: f.after(lambda d: (d / "x").symlink_to(d / "nowhere")), "files"),
    "a file removed": (lambda f: f.after(lambda d: (d / f.main).unlink()), "files"),
    "a file removed, and its entry": (
        lambda f: [(f.folder / f.main).unlink(), f.m["files"].pop(f.main)], "manifest fields"),
    "no files at all": (lambda f: f.m.update(files={}), "manifest fields"),
    "a signature of another length": (
        lambda f: f.after(lambda d: (d / "release.sig").write_bytes(bytes(65))), "files"),
    "a folder for a signature": (lambda f: f.after(lambda d: (d / "release.sig").mkdir()), "files"),
    "a byte added behind the digest": (
        lambda f: f.after(lambda d: (d / f.main).write_bytes((d / f.main).read_bytes() + b" ")), "FILE"),
    "a digest of something else": (_entry(sha256="0" * 64), "FILE"),
    "a digest in upper case": (
        lambda f: f.m["files"][f.main].update(sha256="A" + f.m["files"][f.main]["sha256"][1:]), "manifest fields"),
    "a digest cut short": (
        lambda f: f.m["files"][f.main].update(sha256=f.m["files"][f.main]["sha256"][:40]), "manifest fields"),
    "a size of one more": (lambda f: f.m["files"][f.main].update(bytes=f.m["files"][f.main]["bytes"] + 1), "FILE"),
    "a size as a fraction": (lambda f: f.m["files"][f.main].update(bytes=12.5), "manifest fields"),
    "a size as text": (_entry(bytes="12"), "manifest fields"),
    "a size as a truth value": (_entry(bytes=True), "manifest fields"),
    "a note in a file's entry": (_entry(note=PROSE), "manifest fields"),
}  # fmt: skip
TEXT = {
    "a key twice": (lambda f: f.text(_duplicated), "manifest"),
    "keys in another order": (lambda f: f.text(lambda t: json.dumps(json.loads(t), indent=2)), "manifest"),
    "another indent": (
        lambda f: f.text(lambda t: json.dumps(json.loads(t), sort_keys=True, indent=4)), "manifest"),
    "Windows line ends": (lambda f: f.text(lambda t: t.replace("\n", "\r\n")), "manifest"),
    "a byte order mark": (lambda f: f.text(lambda t: "\ufeff" + t), "manifest"),
    "UTF-16": (lambda f: f.text(lambda t: t.encode("utf-16")), "manifest"),
    "another code page": (lambda f: f.text(lambda t: t.replace("tacit", "t\u00e4cit", 1).encode("cp1252")), "manifest"),
    "escapes for letters": (lambda f: f.text(lambda t: t.replace('"kind"', '"\\u006bind"', 1)), "manifest"),
    "text behind the end": (lambda f: f.text(lambda t: t + PROSE), "manifest"),
    "a blank behind the end": (lambda f: f.text(lambda t: t + " "), "manifest"),
    "no line end": (lambda f: f.text(str.rstrip), "manifest"),
    "a comment": (lambda f: f.text(lambda t: t.replace("{", "{ // " + PROSE, 1)), "manifest"),
    "cut off": (lambda f: f.text(lambda t: t[:-9]), "manifest"),
    "a number with an exponent": (
        lambda f: f.text(lambda t: t.replace('"format_version": 2', '"format_version": 2e0')), "manifest"),
    "not a number": (lambda f: f.text(lambda t: t.replace('"format_version": 2', '"format_version": NaN')), "manifest"),
    "nested without end": (lambda f: f.text(lambda t: "[" * 50_000), "manifest"),
    "a NUL": (lambda f: f.text(lambda t: t + "\0"), "manifest"),
}  # fmt: skip
FIELDS = {
    "prose: a note": (_at("notes", value=[PROSE]), "manifest fields"),
    "prose: limits": (_at("limits", value=PROSE), "manifest fields"),
    "prose: a sentence of the promise": (_at("promise", "sentence", value=PROSE), "manifest fields"),
    "prose: a sentence of the reader": (_at("reader", "sentence", value=PROSE), "manifest fields"),
    "prose: a parameter": (_at("parameters", "privacy", value=PROSE), "manifest fields"),
    "prose: a known parameter's value": (_first("parameters", lambda _: PROSE), "manifest fields"),
    "prose: a figure of risk": (_at("risks", "privacy", value=PROSE), "manifest fields"),
    "prose: a name of a figure": (_at("risks", PROSE, value=1), "manifest fields"),
    "prose: a known figure's value": (_at("utility", "grid", value=PROSE), "manifest fields"),
    "prose: a grid": (_at("utility", "grid", value={"x": PROSE}), "manifest fields"),
    "prose: in a list of figures": (_at("risks", "records", value=[1, PROSE]), "manifest fields"),
    "prose: a version": (_at("versions", "tacit", value=PROSE), "manifest fields"),
    "prose: a package": (_at("versions", "opendp", value="1.0"), "manifest fields"),
    "prose: the method": (_at("method", value="differential privacy"), "manifest fields"),
    "prose: the extent": (_at("verification", "extent", value=PROSE), "manifest fields"),
    "prose: a field of the extent": (_at("verification", "by", value=PROSE), "manifest fields"),
    "prose: a unit": (_at("risks", "composition", value={"unit": PROSE}), "manifest fields"),
    "a composition with a count that is not rounded": (
        lambda f: composed(f, shared=61), "manifest fields"),
    "a composition with a share that is not rounded": (
        lambda f: composed(f, one_candidate_share_at_least=0.333), "manifest fields"),
    "earlier releases without end": (
        lambda f: composed(f, earlier=EARLIER * 101), "manifest fields"),
    "an earlier release of other records": (lambda f: composed(f, unit="people" if "transactions" in f.m["parameters"] else "transactions"), "manifest fields"),
    "an earlier release without its rounding": (
        lambda f: [composed(f), f.m["risks"]["grid"].pop("composition")], "manifest fields"),
    "earlier releases in another order": (
        lambda f: composed(f, earlier=[
            {"kind": "hidden", "records": n, "measured": False} for n in (10, 20)]), "manifest fields"),
    "prose: a version with a number": (_at("versions", "tacit", value="0.Bob_has_it"), "manifest fields"),
    "a grid of many words": (_at("risks", "grid", value={"grid.grid.composition": "class"}), "manifest fields"),
    "a number of many digits": (_first("parameters", lambda n: 10**400), "manifest fields"),
    "a figure of many digits": (lambda f: composed(f, records=10**400), "manifest fields"),
    "a number of more digits than are read": (
        lambda f: f.text(lambda t: t.replace('"format_version": 2', '"format_version": ' + "2" * 5_000)), "manifest"),
    "a term that nothing checks": (_at("promise", "epsilon", value=0.1), "manifest fields"),
    "a reader who knows more": (_at("reader", "background", value=1), "manifest fields"),
    "a number as text": (_first("promise", str), "manifest fields"),
    "a number as a truth value": (_first("promise", bool), "manifest fields"),
    "a number as a fraction": (_first("promise", float), "manifest fields"),
    "a number below nought": (_first("promise", lambda n: -n - 1), "manifest fields"),
    "a number as a list": (_first("promise", lambda n: [n]), "manifest fields"),
    "an infinite figure": (
        lambda f: f.text(lambda t: t.replace('"format_version": 2', '"format_version": Infinity')), "manifest"),
    "no promise": (_at("promise", value={}), "manifest fields"),
    "a promise that is a list": (_at("promise", value=[]), "manifest fields"),
    "a kind unheard of": (_at("kind", value="private"), "manifest fields"),
    "a part of the verifier as the kind": (_at("kind", value="reading"), "manifest fields"),
    "a list as the kind": (_at("kind", value=[]), "manifest fields"),
    "a format of before": (_at("format_version", value=1), "manifest fields"),
    "a format to come": (_at("format_version", value=3), "manifest fields"),
    "a format as text": (_at("format_version", value="2"), "manifest fields"),
    "for publication, as text": (_at("not_for_publication", value="false"), "manifest fields"),
    "a sample of nothing": (_at("verification", value={"extent": "sample"}), "manifest fields"),
    **{
        f"no {field}": (_without(field), "manifest fields")
        for field in ("files", "format_version", "kind", "method", "not_for_publication", "parameters", "promise",
                      "reader", "risks", "utility", "verification", "versions")
    },
}  # fmt: skip

GROUND = [
    Tampering(name, change, check)
    for part in (FOLDER, TEXT, FIELDS)
    for name, (change, check) in part.items()
]
HARMLESS = [
    Tampering(
        "an earlier release that is not there", composed, None,
        harmless="it warns of more than there is; what earlier releases tell is no part of the promise"),
    Tampering(
        "a signature of the right length", lambda f: f.after(lambda d: (d / "release.sig").write_bytes(bytes(64))),
        None, harmless="whose it is, is checked with --public-key and is no part of the promise"),
    Tampering(
        "the versions left out", _at("versions", value={}), None,
        harmless="they say with what it was made, and promise nothing"),
    Tampering(
        "marked as an experiment", _at("not_for_publication", value=True), "key",
        harmless="it claims less than there is"),
]  # fmt: skip
