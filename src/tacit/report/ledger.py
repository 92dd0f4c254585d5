"""The ledger as text: what was released, and what several releases give away together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.report.layout import count, facts, grid, share

SETTING_APART = {"people": ("person", "value"), "transactions": ("transaction", "record")}
"""What is counted, and what it is left with one of."""


def composition(result: Any) -> str:
    """What a release shares with earlier ones, and whom reading them together leaves with one candidate."""
    one, left_with = SETTING_APART[result.unit]
    unit = one if result.records == 1 else result.unit
    parts = []
    for overlap in result.overlaps:
        of = f"{count(overlap.records)} of the {count(result.records)} {unit} in this release"
        place = f"the {overlap.entry.kind} release in {overlap.entry.folder}"
        are = "is" if overlap.records == 1 else "are"
        parts.append(f"{of} {are} in {place} as well.")
        if overlap.unmeasured is not None:
            parts.append(f"What both give away together cannot be measured: {overlap.unmeasured}.")
    narrowing = result.narrowing
    if narrowing is not None:
        parts.append(
            f"Read together, the releases leave {count(narrowing.one_candidate)} of"
            f" {count(narrowing.records)} ({share(narrowing.share)}) with one candidate {left_with}"
            + (f", {count(narrowing.alone)} of them by one release alone." if narrowing.alone else ".")
        )
    return " ".join(parts)


def composition_stated(stated: Mapping[str, Any]) -> str:
    """What a manifest states about earlier releases of its records, as a sentence."""
    unit = stated["unit"]
    earlier = len(stated["earlier"])
    before = "an earlier release" if earlier == 1 else f"{earlier} earlier releases"
    most = stated.get("shared", max(one["records"] for one in stated["earlier"]))
    start = f"Its records are in {before} as well: {count(most)} of {count(stated['records'])} {unit}."
    if "one_candidate" not in stated:
        return f"{start} What they give away together is not measured."
    return (
        f"{start} Read together, they leave {count(stated['one_candidate'])}"
        f" ({share(stated['one_candidate_share'])}) with one candidate {SETTING_APART[unit][1]}."
    )


def ledger(result: Any) -> str:
    """All releases on record."""
    notes = [f"note: {note}" for note in result.notes]
    if not result.entries:
        return "\n".join([*notes, f"No release is on record in {result.file}."])
    rows = [
        (
            entry.when[:10],
            entry.kind,
            count(entry.records),
            count(_shared(entry)) if entry.composition else "–",
            _narrowed(entry),
            entry.folder,
        )
        for entry in result.entries
    ]
    header = ("date", "kind", "records", "released before", "one candidate", "folder")
    return "\n".join([*notes, grid(header, rows, right=(2, 3, 4))])


def entry(result: Any) -> str:
    """One release on record."""
    known_by = ", ".join(result.columns) or "all items"
    about = [
        ("folder", result.folder),
        ("released", result.when),
        ("kind", f"{result.kind}, {result.method}"),
        ("promise", result.promise),
        ("records", f"{count(result.records)}, recognized by {known_by}"),
    ]
    for earlier in result.composition.get("earlier", ()):
        measured = "" if earlier["measured"] else " (what both give away together is not measured)"
        about.append(
            ("released before", f"{count(earlier['records'])} in a {earlier['kind']} release{measured}")
        )
    if "one_candidate" in result.composition:
        about.append(("one candidate", f"{_narrowed(result)} of {count(result.composition['shared'])}"))
    return facts(about, as_they_are=("folder",))


def _shared(entry: Any) -> int:
    """The records released before; where several releases have some, at least the most that one has."""
    stated = entry.composition
    return int(stated.get("shared", max(one["records"] for one in stated["earlier"])))


def _narrowed(entry: Any) -> str:
    if "one_candidate" not in entry.composition:
        return "–" if not entry.composition else "not measured"
    return f"{count(entry.composition['one_candidate'])} ({share(entry.composition['one_candidate_share'])})"
