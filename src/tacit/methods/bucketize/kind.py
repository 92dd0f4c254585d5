"""What a bucketized table says in words, and how its readers see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacit.judging.composition import PublishedTable, StatedRule
from tacit.release import Manifest
from tacit.release.kinds import (
    Kind,
    alarming_words,
    fraction_words,
    german_share,
    looked_for_words,
    stated_columns,
    stated_rows,
)
from tacit.release.reading import cells

LIMITS = (
    "It does not hide who is in the table, because quasi-identifiers are published as they are; it does not"
    " stop a reader who learns from all buckets together or knows more than the stated rules; it is not"
    " differential privacy."
)
COARSER_LIMITS = (
    "It does not hide who is in the table, if a reader knows them to be there; it does not stop a reader who"
    " learns from all buckets together or knows more than the stated rules; it is not differential privacy."
)


def promise(manifest: Manifest) -> str:
    parameters, terms = manifest.parameters, manifest.promise
    sensitive = parameters["sensitive"]
    of = sensitive[0] if len(sensitive) == 1 else "each of " + ", ".join(sensitive)
    who = "person" if "other_rows" in parameters else "row"
    sentence = f"Every {who} could have at least {terms['l']} different values of {of}"
    if "max_posterior" in terms:
        sentence += f", and none of them with a chance above {fraction_words(terms['max_posterior'])}"
    if "max_posterior_suppressed" in terms:
        sentence += (
            "; of the rows left out that cannot have the same values, no value is held by more than"
            f" {fraction_words(terms['max_posterior_suppressed'])}"
        )
    if "k" in terms:
        sentence += f"; at least {terms['k']} rows have the same published quasi-identifiers"
    if "series" in parameters:
        number = parameters["series"]["number"]
        over = f"{number} releases together" if number > 1 else "this release and those that continue it"
        sentence += (
            f"; all of them alike likely, over {over}, for as long as their value is among them; where it"
            " changes to another, at least as many others"
        )
    return sentence + "."


def limits(manifest: Manifest) -> str:
    return COARSER_LIMITS if "k" in manifest.promise else LIMITS


def reader(manifest: Manifest) -> str:
    known = manifest.reader
    columns = "quasi-identifiers and kept columns" if manifest.parameters.get("keep") else "quasi-identifiers"
    stated = len(known.get("rules", ()))
    rules = f"the {stated} stated rules" if stated else "no rule"
    return (
        f"A reader who knows who is in the table and everybody's {columns}, and {rules} about who cannot have"
        f" what{looked_for_words(known.get('mined'))}."
    )


def warnings(manifest: Manifest) -> list[str]:
    return alarming_words((manifest.risks.get("posterior") or {}).get("largest"))


def read_table(folder: Path, manifest: Manifest) -> PublishedTable:
    """The release as its readers see it."""
    parameters = manifest.parameters
    known, sensitive = (*parameters["quasi"], *parameters["keep"]), tuple(parameters["sensitive"])
    group = parameters["group"]
    if parameters["form"] == "qit":
        rows, held = cells(folder / "qit.csv"), cells(folder / "st.csv")
    else:
        rows = held = cells(folder / "table.csv")
    return PublishedTable(
        known=known,
        sensitive=sensitive,
        group=group,
        rows=rows.select(*known, group),
        held=held.select(group, *sensitive),
        rules=() if "k" in parameters else _stated_rules(manifest.reader),
        coarser=tuple(parameters["quasi"]) if "k" in parameters else (),
    )


def _stated_rules(terms: Any) -> tuple[StatedRule, ...]:
    below = terms.get("nodes", {})
    return tuple(
        StatedRule(
            when={name: frozenset(below[name][label]) for name, label in rule["when"].items()},
            attribute=rule["attribute"],
            value=rule["value"],
        )
        for rule in terms.get("rules", ())
    )


def german(manifest: Manifest) -> str:
    """The promise in German."""
    parameters, terms = manifest.parameters, manifest.promise
    sensitive = parameters["sensitive"]
    of = sensitive[0] if len(sensitive) == 1 else "jedem von " + ", ".join(sensitive)
    who = "Jede Person" if "other_rows" in parameters else "Jede Zeile"
    sentence = f"{who} könnte mindestens {terms['l']} verschiedene Werte von {of} haben"
    if "max_posterior" in terms:
        sentence += (
            f", und keinen davon mit einer Wahrscheinlichkeit über {german_share(terms['max_posterior'])}"
        )
    if "max_posterior_suppressed" in terms:
        sentence += (
            "; von den weggelassenen Zeilen, die nicht dieselben Werte haben können, hat keinen Wert mehr als"
            f" ein Anteil von {german_share(terms['max_posterior_suppressed'])}"
        )
    if "k" in terms:
        sentence += f"; mindestens {terms['k']} Zeilen haben dieselben veröffentlichten Quasi-Identifikatoren"
    if "series" in parameters:
        number = parameters["series"]["number"]
        over = (
            f"{number} Veröffentlichungen zusammen"
            if number > 1
            else "diese Veröffentlichung und die, die sie fortsetzen"
        )
        sentence += (
            f"; alle gleich wahrscheinlich, über {over}, solange ihr Wert darunter ist; wechselt er zu einem"
            " anderen, mindestens ebenso viele andere"
        )
    return sentence + "."


KIND = Kind(
    promise=promise,
    german=german,
    reader=reader,
    limits=limits,
    records=stated_rows,
    warnings=warnings,
    columns=stated_columns,
    read_table=read_table,
    record=("record.json",),
)
