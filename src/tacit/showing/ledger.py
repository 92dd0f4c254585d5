"""The ledger as text: what was released, and what several releases give away together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.showing.layout import count, facts, grid, kind_words, share

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
    if narrowing is not None and result.one_candidate is None:
        parts.append(f"Whom the releases together leave with one candidate {left_with} is not known.")
    elif narrowing is not None:
        sampled = result.whole > 1
        alone = f", {count(narrowing.alone)} of them by one release alone" if narrowing.alone else ""
        parts.append(
            f"Read together, the releases leave {_at_least(result)} with one candidate {left_with}"
            + (f", by a sample of {count(narrowing.records)}." if sampled else f"{alone}.")
        )
    if result.in_one_only:
        number = result.in_one_only
        parts.append(f"{count(number)} of them {'is' if number == 1 else 'are'} in one of the releases only.")
    if narrowing is not None and result.not_matched:
        parts.append(f"Of {_not_matched(result.not_matched, result.unit)}")
    return " ".join(parts)


def _at_least(result: Any) -> str:
    if not result.one_candidate:
        return f"none of {count(result.among)}, as far as was seen,"
    return f"at least {count(result.one_candidate)} of {count(result.among)} ({share(result.share)})"


def _not_matched(number: int, unit: str) -> str:
    them = SETTING_APART[unit][0] if number == 1 else unit
    why = "who could not be matched, or have another value now," if unit == "people" else "that nothing fits"
    return f"{count(number)} {them} {why} no more is known."


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
    if stated.get("not_matched"):
        start += f" Of {_not_matched(min(most, stated['not_matched']), unit)}"
    found = at_least(stated)
    if found is None:
        return f"{start} What they give away together is not {_unknown(stated)}."
    return (
        f"{start} Read together, they leave about {count(min(stated['records'], found[0]))}"
        f" ({share(found[1])}) or more with one candidate {SETTING_APART[unit][1]}."
    )


def at_least(stated: Mapping[str, Any]) -> tuple[int, float] | None:
    """How many are left with one candidate, at least, and their share; None where that is not known.

    An earlier version left out of their names that it is a lower bound.
    """
    for end in ("_at_least", ""):
        if f"one_candidate{end}" in stated:
            return stated[f"one_candidate{end}"], stated[f"one_candidate_share{end}"]
    return None


def _unknown(stated: Mapping[str, Any]) -> str:
    """What a figure is not that is missing: known, where most are not matched, or even measured."""
    return "known" if "not_matched" in stated else "measured"


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
    header = ("date", "kind", "records", "released before", "one candidate, at least", "folder")
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
    if result.composition:
        about.append(("one candidate, at least", narrowed_text(result)))
    if result.composition.get("not_matched"):
        about.append(("not matched", f"{count(result.composition['not_matched'])}, no more is known of them"))
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
    if not entry.composition:
        return "–"
    found = at_least(entry.composition)
    return f"not {_unknown(entry.composition)}" if found is None else f"{count(found[0])} ({share(found[1])})"
