"""What a generalized table says in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tacit.judging.composition import COUNT, PublishedTable, StatedRule
from tacit.recoding import GLOBAL, SUBTREE
from tacit.release import Manifest
from tacit.release.kinds import (
    Kind,
    alarming_words,
    fraction_words,
    german_share,
    known_rules_words,
    left_out_words,
    stated_columns,
    stated_rows,
)
from tacit.release.readers import RULES_FILE
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

ENGLISH = {
    "k": "Every row looks like at least {others} others, so that {k} {who} are alike",
    "l": "each could have at least {l} different values of {sensitive}",
    "entropy_l": "the entropy of {sensitive} among them is at least log {entropy_l}",
    "recursive": "{sensitive} is recursively ({c}, {values})-diverse among them",
    "t": "the distribution of {sensitive} among them is at most {share} from the whole table's"
    " ({far} distance)",
    "series": " Over the {number} releases of its series: at least {k} people share a person's class in"
    " every release that holds either of them",
    "series_l": " and could have {l} values",
    "chosen": " What is promised of sensitive values does not hold against a reader who knows how Tacit"
    " chooses levels, by looking at these values: use --recoding local for that.",
    "later": " In a series that is so for the first release; later ones become coarser by who came, left"
    " and changed alone.",
}
"""The promise by its terms, and under ``chosen`` against whom it is none."""
GERMAN = {
    "rows": "Zeilen",
    "people": "Personen",
    "equal": "gleich",
    "ordered": "geordnet",
    "hierarchical": "hierarchisch",
    "k": "Jede Zeile sieht aus wie mindestens {others} andere, so dass {k} {who} gleich sind",
    "l": "jede könnte mindestens {l} verschiedene Werte von {sensitive} haben",
    "entropy_l": "die Entropie von {sensitive} unter ihnen ist mindestens log {entropy_l}",
    "recursive": "{sensitive} ist unter ihnen rekursiv ({c}; {values})-divers",
    "t": "die Verteilung von {sensitive} unter ihnen ist höchstens {share} von der der ganzen Tabelle"
    " entfernt (Abstand: {far})",
    "series": " Über die {number} Veröffentlichungen der Reihe: Mindestens {k} Personen sind mit jeder"
    " Person in derselben Klasse, in jeder Veröffentlichung, in der eine von ihnen ist",
    "series_l": " und könnten {l} Werte haben",
    "chosen": " Was von {sensitive} versprochen ist, gilt nicht gegenüber Lesern, die wissen, wie Tacit die"
    " Stufen wählt, nämlich nach diesen Werten: dafür --recoding local.",
    "later": " In einer Reihe ist das bei der ersten Veröffentlichung so; spätere werden nur danach gröber,"
    " wer kam, ging und sich änderte.",
}


def _promised(manifest: Manifest, words: Mapping[str, str], number: Callable[[str], str]) -> str:
    """The promise in the words of a language."""
    parameters, terms = manifest.parameters, manifest.promise
    series, who = "series" in parameters, "people" if "other_rows" in parameters else "rows"
    said = {
        **terms,
        "others": terms["k"] - 1,
        "who": words.get(who, who),
        "sensitive": ", ".join(parameters["sensitive"]),
        "number": parameters["series"]["number"] if series else 1,
    }
    if "recursive" in terms:
        said |= {"c": number(terms["recursive"]["c"]), "values": terms["recursive"]["l"]}
    if "t" in terms:
        said |= {"share": number(terms["t"]), "far": words.get(terms["distance"], terms["distance"])}
    parts = [words[name] for name in ("k", "l", "entropy_l", "recursive", "t") if name in terms]
    sentence = "; ".join(parts) + "."
    if series:
        sentence += words["series"] + words["series_l"] * ("l" in terms) + "."
    if parameters["recoding"] in (GLOBAL, SUBTREE) and len(terms) > 1:
        sentence += words["chosen"] + words["later"] * series
    return sentence.format(**said)


def reader(manifest: Manifest) -> str:
    known = manifest.reader["rules"] or "mined" in manifest.reader
    rules = f", and {known_rules_words(manifest)}" if known else ""
    return f"A reader who knows who is in the table and everybody's quasi-identifiers{rules}."


def warnings(manifest: Manifest) -> list[str]:
    loss = manifest.utility.get("loss") or 0
    return [f"{loss:.0%} of the detail is lost: hardly anything is left."] if loss >= USELESS else []


def notes(manifest: Manifest) -> list[str]:
    """Besides rows left out: where values are promised, that a class nearly gives one away all the same."""
    said = left_out_words(manifest.parameters["suppressed"], manifest.parameters["rows"], "rows")
    if manifest.promise.keys() & {"l", "entropy_l", "recursive"}:
        found = alarming_words(max(one["largest_share"] for one in manifest.risks["values"]))
        said += [f"{words} Only t bounds how common a value is in a class." for words in found]
    return said


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
        rows=rows.select(*known, CLASS),
        held=rows.group_by(CLASS, *sensitive).len(COUNT),
        rules=rules,
        coarser=tuple(parameters["quasi"]),
    )


KIND = Kind(
    promise=lambda manifest: _promised(manifest, ENGLISH, fraction_words),
    german=lambda manifest: _promised(manifest, GERMAN, german_share),
    reader=reader,
    limits=lambda manifest: LIMITS,
    records=stated_rows,
    warnings=warnings,
    notes=notes,
    columns=stated_columns,
    read_table=read_table,
    record=("plan.json", RULES_FILE),
)
