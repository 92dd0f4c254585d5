"""What generalized sets say in words, and how their readers see them."""

from __future__ import annotations

from collections.abc import Mapping
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


ENGLISH = {
    "one": "1 item",
    "several": "up to {m} items",
    "alone": "Whoever knows {known} of a record still faces at least {k} records, or none.",
    "series": " Over the {number} releases of its series: whoever knows {known} of a person, and in which"
    " releases, faces at least {k} people who are in the same releases and have them there.",
    "reader": "A reader who knows {known} of somebody's record, and the hierarchy.",
}
GERMAN = {
    "one": "1 Artikel",
    "several": "bis zu {m} Artikel",
    "alone": "Wer {known} eines Datensatzes kennt, hat noch mindestens {k} Datensätze vor sich, oder keinen.",
    "series": " Über die {number} Veröffentlichungen der Reihe: Wer {known} einer Person kennt und weiß, in"
    " welchen sie ist, hat mindestens {k} Personen vor sich, die in denselben sind und diese Artikel dort"
    " haben.",
}


def promise(manifest: Manifest, words: Mapping[str, str]) -> str:
    """The promise in the words of a language."""
    number = manifest.parameters.get("series", {"number": 1})["number"]
    sentence: str = words["alone"] + words["series"] * (number > 1)
    known = _known(manifest.promise["m"], words)
    return sentence.format(known=known, k=manifest.promise["k"], number=number)


def _known(m: int, words: Mapping[str, str]) -> str:
    return words["one" if m == 1 else "several"].format(m=m)


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


KIND = Kind(
    promise=lambda manifest: promise(manifest, ENGLISH),
    german=lambda manifest: promise(manifest, GERMAN),
    reader=lambda manifest: ENGLISH["reader"].format(known=_known(manifest.reader["known_items"], ENGLISH)),
    limits=lambda manifest: LIMITS.format(m=manifest.parameters["m"]),
    records=lambda manifest: manifest.promise.get("records"),
    warnings=warnings,
    notes=notes,
    read_sets=read_sets,
)
