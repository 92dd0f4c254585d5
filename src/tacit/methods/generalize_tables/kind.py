"""What a generalized table says in words."""

from __future__ import annotations

from pathlib import Path

from tacit.judging.composition import PublishedTable, StatedRule
from tacit.recoding import GLOBAL, SUBTREE
from tacit.release import Manifest
from tacit.release.kinds import (
    Kind,
    fraction_words,
    german_share,
    left_out_words,
    looked_for_words,
    stated_columns,
    stated_rows,
)
from tacit.release.reading import cells

TABLE_FILE = "table.csv"
CLASS = "class\x00"
"""The column of the classes: named as no column of a file can be."""
USELESS = 0.9
"""From this loss on, a table says hardly anything."""
LIMITS = (
    "It does not protect against readers who know more of a person than the quasi-identifiers, or who know"
    " other releases of the same people; where nothing is promised of sensitive values, a class may give them"
    " away; it is not differential privacy."
)

BY_VALUES = (
    " How coarse each column is was chosen by looking at sensitive values: what a reader who knows the tool"
    " concludes from the choice is not bounded (the recodings 'local' and 'cells' bound it)."
)


IN_SERIES = (
    " In a series that holds for the first release; later ones become coarser by who came, left and changed"
    " alone."
)


def limits(manifest: Manifest) -> str:
    chosen = manifest.parameters["recoding"] in (GLOBAL, SUBTREE) and len(manifest.promise) > 1
    later = chosen and "series" in manifest.parameters
    return LIMITS + BY_VALUES * chosen + IN_SERIES * later


def promise(manifest: Manifest) -> str:
    parameters, terms = manifest.parameters, manifest.promise
    who = "people" if "other_rows" in parameters else "rows"
    parts = [f"every row looks like at least {terms['k'] - 1} others, so that {terms['k']} {who} are alike"]
    sensitive = ", ".join(parameters["sensitive"])
    if "l" in terms:
        parts.append(f"each could have at least {terms['l']} different values of {sensitive}")
    if "entropy_l" in terms:
        parts.append(f"the entropy of {sensitive} among them is at least log {terms['entropy_l']}")
    if "recursive" in terms:
        c, l = fraction_words(terms["recursive"]["c"]), terms["recursive"]["l"]
        parts.append(f"{sensitive} is recursively ({c}, {l})-diverse among them")
    if "t" in terms:
        parts.append(
            f"the distribution of {sensitive} among them is at most {fraction_words(terms['t'])} from"
            f" the whole table's ({terms['distance']} distance)"
        )
    sentence = "; ".join(parts) + "."
    if "series" in parameters:
        values = f" and could have {terms['l']} values" if "l" in terms else ""
        sentence += (
            f" Over the {parameters['series']['number']} releases of its series: at least {terms['k']} people"
            f" share a person's class in every release that holds either of them{values}."
        )
    return sentence[0].upper() + sentence[1:]


def reader(manifest: Manifest) -> str:
    stated = len(manifest.reader["rules"])
    known = f", and the {stated} stated rules about who cannot have what" if stated else ""
    return (
        "A reader who knows who is in the table and everybody's quasi-identifiers"
        f"{known}{looked_for_words(manifest.reader.get('mined'))}."
    )


def warnings(manifest: Manifest) -> list[str]:
    loss = manifest.utility.get("loss") or 0
    return [f"{loss:.0%} of the detail is lost: hardly anything is left."] if loss >= USELESS else []


def notes(manifest: Manifest) -> list[str]:
    return left_out_words(manifest.parameters["suppressed"], manifest.parameters["rows"], "rows")


def german(manifest: Manifest) -> str:
    """The promise in German."""
    parameters, terms = manifest.parameters, manifest.promise
    who = "Personen" if "other_rows" in parameters else "Zeilen"
    others = terms["k"] - 1
    parts = [f"Jede Zeile sieht aus wie mindestens {others} andere, so dass {terms['k']} {who} gleich sind"]
    sensitive = ", ".join(parameters["sensitive"])
    if "l" in terms:
        parts.append(f"jede könnte mindestens {terms['l']} verschiedene Werte von {sensitive} haben")
    if "entropy_l" in terms:
        parts.append(f"die Entropie von {sensitive} unter ihnen ist mindestens log {terms['entropy_l']}")
    if "recursive" in terms:
        c, l = german_share(terms["recursive"]["c"]), terms["recursive"]["l"]
        parts.append(f"{sensitive} ist unter ihnen rekursiv ({c}; {l})-divers")
    if "t" in terms:
        distance = {"equal": "gleich", "ordered": "geordnet", "hierarchical": "hierarchisch"}[
            terms["distance"]
        ]
        parts.append(
            f"die Verteilung von {sensitive} unter ihnen ist höchstens {german_share(terms['t'])} von der der"
            f" ganzen Tabelle entfernt (Abstand: {distance})"
        )
    sentence = "; ".join(parts) + "."
    if "series" in parameters:
        values = f" und könnten {terms['l']} Werte haben" if "l" in terms else ""
        sentence += (
            f" Über die {parameters['series']['number']} Veröffentlichungen der Reihe: Mindestens"
            f" {terms['k']} Personen sind mit jeder Person in derselben Klasse, in jeder Veröffentlichung,"
            f" in der eine von ihnen ist{values}."
        )
    return sentence


def read_table(folder: Path, manifest: Manifest) -> PublishedTable:
    """The release as its readers see it: each class with the sensitive values in it."""
    parameters = manifest.parameters
    known, sensitive = (*parameters["quasi"], *parameters["keep"]), tuple(parameters["sensitive"])
    rows = cells(folder / TABLE_FILE)
    classes = rows.select(known).unique().sort(known).with_row_index(CLASS)
    rows = rows.join(classes, on=known, nulls_equal=True)
    rules = tuple(
        StatedRule(
            {name: frozenset({label}) for name, label in rule["when"].items()},
            rule["attribute"],
            rule["value"],
        )
        for rule in manifest.reader["rules"]
    )
    return PublishedTable(
        known=known,
        sensitive=sensitive,
        group=CLASS,
        rows=classes.select(*known, CLASS),
        held=rows.select(CLASS, *sensitive).unique(),
        rules=rules,
        coarser=tuple(parameters["quasi"]),
    )


KIND = Kind(
    promise=promise,
    german=german,
    reader=reader,
    limits=limits,
    records=stated_rows,
    warnings=warnings,
    notes=notes,
    columns=stated_columns,
    read_table=read_table,
)
