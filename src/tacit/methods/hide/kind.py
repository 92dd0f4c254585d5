"""What transactions with hidden patterns say in words."""

from __future__ import annotations

from tacit.release import Manifest
from tacit.release.kinds import Kind
from tacit.release.reading import read_published_sets

LIMITS = (
    "It does not protect against readers who mine at a lower support, or who have the original or another "
    "release of the same transactions; whoever is known by some items of a transaction is found as before. "
    "It is not differential privacy."
)
NOT_DISGUISED = (
    "A hidden pattern is not disguised: readers who compare the frequencies of many pairs can find where "
    "items were taken out."
)
DISGUISED = (
    "Readers who compare the frequencies of many pairs can find where items were taken out; for each secret "
    "pattern that is at {} patterns or more, and nothing published tells which of them is secret."
)
SECRET = (
    "What is hidden is the publisher's secret: that it cannot be mined is checked with the private record."
)


def promise(manifest: Manifest) -> str:
    terms = manifest.promise
    what = " and ".join(
        f"{terms[name]} {name.removesuffix('s') if terms[name] == 1 else name}"
        for name in ("patterns", "rules")
        if terms[name]
    )
    return (
        f"{what} that the publisher keeps secret cannot be mined from the {terms['transactions']}"
        f" transactions at a support of {terms['min_count']} or more, and nothing was added to any"
        " transaction."
    )


def reader(manifest: Manifest) -> str:
    return (
        f"A reader who mines the transactions at a support of {manifest.reader['min_count']} or more, and"
        " infers longer patterns from pairs."
    )


def limits(manifest: Manifest) -> str:
    decoys = manifest.parameters.get("decoys", 0)
    return f"{DISGUISED.format(decoys + 1) if decoys else NOT_DISGUISED} {LIMITS}"


def german(manifest: Manifest) -> str:
    """The promise in German."""
    terms = manifest.promise
    names = {"patterns": ("Muster", "Muster"), "rules": ("Regel", "Regeln")}
    what = " und ".join(
        f"{terms[name]} {words[terms[name] != 1]}" for name, words in names.items() if terms[name]
    )
    return (
        f"{what}, geheim gehalten von der herausgebenden Stelle, lassen sich aus den"
        f" {terms['transactions']} Transaktionen bei einem Support von {terms['min_count']} oder mehr nicht"
        " gewinnen, und keiner Transaktion wurde etwas hinzugefügt."
    )


KIND = Kind(
    promise=promise,
    german=german,
    reader=reader,
    limits=limits,
    records=lambda manifest: manifest.promise.get("transactions"),
    notes=lambda manifest: [SECRET],
    read_sets=read_published_sets,
    checked_with_record=True,
)
