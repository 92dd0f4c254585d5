"""What generalized sets say in words, and how their readers see them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tacit.judging.set_composition import PublishedSets
from tacit.release import Manifest
from tacit.release.kinds import Kind, left_out_words
from tacit.release.reading import cells, read_published_sets

LIMITS = (
    "It does not protect against readers who know more than {m} items of a record, who know what a record "
    "does not hold, or who know other releases of the same records; it is not differential privacy."
)


def promise(manifest: Manifest) -> str:
    known, k = _items(manifest.promise["m"]), manifest.promise["k"]
    alone = f"Whoever knows {known} of a record still faces at least {k} records, or none."
    number = manifest.parameters.get("series", {"number": 1})["number"]
    if number == 1:
        return alone
    return (
        f"{alone} Over the {number} releases of its series: whoever knows {known} of a person, and in which"
        f" releases, faces at least {k} people who are in the same releases and have them there."
    )


def reader(manifest: Manifest) -> str:
    known = _items(manifest.reader["known_items"])
    return f"A reader who knows {known} of somebody's record, and the hierarchy."


def warnings(manifest: Manifest) -> list[str]:
    if manifest.utility.get("published_items") != 1:
        return []
    return ["Every item is published as the root of the hierarchy: no detail is left."]


def notes(manifest: Manifest) -> list[str]:
    return left_out_words(manifest.parameters["suppressed"], manifest.promise["records"], "records")


def read_sets(folder: Path, manifest: Manifest) -> PublishedSets:
    """The release as its readers see it."""
    mapping = cells(folder / "mapping.csv")
    published_as = dict(zip(mapping["item"].to_list(), mapping["published_as"].to_list(), strict=True))
    return replace(read_published_sets(folder, manifest), mapping=published_as)


def _items(m: int) -> str:
    return "1 item" if m == 1 else f"up to {m} items"


def german(manifest: Manifest) -> str:
    """The promise in German."""
    known, k = _german_items(manifest.promise["m"]), manifest.promise["k"]
    alone = f"Wer {known} eines Datensatzes kennt, hat noch mindestens {k} Datensätze vor sich, oder keinen."
    number = manifest.parameters.get("series", {"number": 1})["number"]
    if number == 1:
        return alone
    return (
        f"{alone} Über die {number} Veröffentlichungen der Reihe: Wer {known} einer Person kennt und weiß, in"
        f" welchen sie ist, hat mindestens {k} Personen vor sich, die in denselben sind und diese Artikel"
        " dort haben."
    )


def _german_items(m: int) -> str:
    return "1 Artikel" if m == 1 else f"bis zu {m} Artikel"


KIND = Kind(
    promise=promise,
    german=german,
    reader=reader,
    limits=lambda manifest: LIMITS.format(m=manifest.parameters["m"]),
    records=lambda manifest: manifest.promise.get("records"),
    warnings=warnings,
    notes=notes,
    read_sets=read_sets,
)
