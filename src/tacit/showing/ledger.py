"""The ledger as text: what was released, and what several releases give away together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.showing.layout import count, facts, grid, share
from tacit.showing.wording import kind_words

SETTING_APART = {"people": ("person", "value"), "transactions": ("transaction", "record")}
"""What is counted, and what it is left with one of."""


NAMED, COLUMNS_NAMED = 3, 6
"""How many earlier releases, and how many columns of one, a sentence names."""


def composition(result: Any) -> str:
    """What a release shares with earlier ones, and whom reading them together leaves with one candidate."""
    left_with = SETTING_APART[result.unit][1]
    parts = [_overlap(result, overlap) for overlap in result.overlaps[:NAMED]]
    more = len(result.overlaps) - NAMED
    if more > 0:
        others = "1 more release has" if more == 1 else f"{count(more)} more releases have"
        parts.append(f"{others} {result.unit} of this release, none of them more than these.")
    narrowing = result.narrowing
    if narrowing is not None:
        of = count(narrowing.records)
        looked_at = " that were looked at" if narrowing.records < result.shared else ""
        parts.append(
            f"Read together, the releases leave at least {count(narrowing.one_candidate)} of"
            f" {of} ({share(narrowing.share)}){looked_at} with one candidate {left_with}"
            + (f", {count(narrowing.alone)} of them by one release alone." if narrowing.alone else ".")
        )
    return " ".join(parts)


def _overlap(result: Any, overlap: Any) -> str:
    """What one earlier release has in common with this one, and by what that was seen."""
    unit = SETTING_APART[result.unit][0] if result.records == 1 else result.unit
    number = count(overlap.records)
    if overlap.error:
        number = f"About {number} (± {count(overlap.error)})"
    are = "is" if overlap.records == 1 else "are"
    said = (
        f"{number} of the {count(result.records)} {unit} in this release {are} in the"
        f" {kind_words(overlap.entry.kind)} release in {overlap.entry.folder} as well"
    )
    columns = [old if old == now else f"{old} (now {now})" for old, now in overlap.columns]
    if len(columns) > COLUMNS_NAMED:
        columns[COLUMNS_NAMED - 1 :] = [f"{len(columns) - COLUMNS_NAMED + 1} more columns"]
    said += f", recognized by {', '.join(columns)}." if columns else "."
    if not overlap.entry.sketched:
        said += f" {OLD_RECORD}"
    if overlap.unmeasured is not None:
        said += f" What both give away together cannot be measured: {overlap.unmeasured}."
    return said


OLD_RECORD = (
    "An earlier version of Tacit put that release on record: it is compared by equal values under the same"
    " names alone, and a coincidence counts too."
)


def composition_stated(stated: Mapping[str, Any]) -> str:
    """What a manifest states about earlier releases of its records, as a sentence."""
    unit = stated["unit"]
    earlier = len(stated["earlier"])
    before = "an earlier release" if earlier == 1 else f"{earlier} earlier releases"
    # Rounded up, a part may be larger than the whole.
    most = min(stated["records"], stated.get("shared", max(one["records"] for one in stated["earlier"])))
    start = f"Its records are in {before} as well: {count(most)} of {count(stated['records'])} {unit}."
    if "one_candidate" not in stated:
        return f"{start} What they give away together is not measured."
    return (
        f"{start} Read together, they leave about {count(min(most, stated['one_candidate']))}"
        f" ({share(stated['one_candidate_share'])}) or more with one candidate {SETTING_APART[unit][1]}."
    )


def ledger(result: Any) -> str:
    """All releases on record."""
    notes = [f"note: {note}" for note in result.notes]
    if not result.entries:
        return "\n".join([*notes, f"No release is on record in {result.file}."])
    rows = [
        (
            entry.when[:10],
            kind_words(entry.kind),
            count(entry.records),
            shared_text(entry),
            narrowed_text(entry),
            entry.folder,
        )
        for entry in result.entries
    ]
    header = ("date", "kind", "records", "released before", "one candidate", "folder")
    return "\n".join([*notes, grid(header, rows, right=(2, 3, 4))])


def entry(result: Any) -> str:
    """One release on record."""
    known_by = "what they hold"
    if not result.sketched:
        known_by = f"{', '.join(result.columns) or 'all items'}, unaltered (recorded by an earlier version)"
    about = [
        ("folder", result.folder),
        ("released", result.when),
        ("kind", f"{kind_words(result.kind)}, {result.method}"),
        ("promise", result.promise),
        ("records", f"{count(result.records)}, recognized by {known_by}"),
    ]
    for earlier in result.composition.get("earlier", ()):
        measured = "" if earlier["measured"] else " (what both give away together is not measured)"
        about.append(
            (
                "released before",
                f"{count(earlier['records'])} in a {kind_words(earlier['kind'])} release{measured}",
            )
        )
    if "one_candidate" in result.composition:
        about.append(("one candidate", f"{narrowed_text(result)} of {count(result.composition['shared'])}"))
    about += [("reason", result.reason)] * bool(result.reason) + [("said by", result.by)] * bool(result.by)
    return facts(about, as_they_are=("folder",))


def shared_text(entry: Any) -> str:
    """The records released before; where several releases have some, at least the most that one has."""
    stated = entry.composition
    if not stated:
        return "–"
    return count(int(stated.get("shared", max(one["records"] for one in stated["earlier"]))))


def narrowed_text(entry: Any) -> str:
    """Who is left with one candidate by this release and earlier ones."""
    if "one_candidate" not in entry.composition:
        return "–" if not entry.composition else "not measured"
    return f"{count(entry.composition['one_candidate'])} ({share(entry.composition['one_candidate_share'])})"
