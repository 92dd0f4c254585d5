"""What the rooms say of a release, in German: its promise, and the figures of risk that readers are told of.

The manifest holds terms and no prose, so whoever shows a release words them. A room words them in English;
the dossier in another language does so here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tacit.release import Manifest
from tacit.release.kinds import fraction_words

FIGURES: Mapping[str, str] = {
    "k": "k: wenigste gleiche Personen",
    "prosecutor": "Prosecutor-Risiko, größtes",
    "journalist": "Journalist-Risiko, größtes",
    "marketer": "Marketer-Risiko",
    "unique_few": "Personen, die mit höchstens drei Spalten allein sind",
    "special": "Besonders einzige Personen",
    "l": "ℓ: wenigste verschiedene Werte",
    "t": "t: größter Abstand",
    "beta": "β: größter Zuwachs",
}
"""The titles of the figures that the pages to sign and of scenarios name."""


def decimal(number: str) -> str:
    """A number with a decimal comma."""
    return number.replace(".", ",")


def _share(exact: str) -> str:
    return decimal(fraction_words(exact))


def _bucketized(manifest: Manifest) -> str:
    parameters, terms = manifest.parameters, manifest.promise
    sensitive = parameters["sensitive"]
    of = sensitive[0] if len(sensitive) == 1 else "jedem von " + ", ".join(sensitive)
    who = "Jede Person" if "other_rows" in parameters else "Jede Zeile"
    sentence = f"{who} könnte mindestens {terms['l']} verschiedene Werte von {of} haben"
    if "max_posterior" in terms:
        sentence += f", und keinen davon mit einer Wahrscheinlichkeit über {_share(terms['max_posterior'])}"
    if "max_posterior_suppressed" in terms:
        sentence += (
            "; von den weggelassenen Zeilen, die nicht dieselben Werte haben können, hat keinen Wert mehr als"
            f" ein Anteil von {_share(terms['max_posterior_suppressed'])}"
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


def _generalized_table(manifest: Manifest) -> str:
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
        c, l = _share(terms["recursive"]["c"]), terms["recursive"]["l"]
        parts.append(f"{sensitive} ist unter ihnen rekursiv ({c}; {l})-divers")
    if "t" in terms:
        distance = {"equal": "gleich", "ordered": "geordnet", "hierarchical": "hierarchisch"}[
            terms["distance"]
        ]
        parts.append(
            f"die Verteilung von {sensitive} unter ihnen ist höchstens {_share(terms['t'])} von der der"
            f" ganzen Tabelle entfernt (Abstand: {distance})"
        )
    return "; ".join(parts) + "."


def _generalized_sets(manifest: Manifest) -> str:
    terms = manifest.promise
    return (
        f"Wer {_items(terms['m'])} eines Datensatzes kennt, hat noch mindestens {terms['k']} Datensätze"
        " vor sich, oder keinen."
    )


def _items(m: int) -> str:
    return "1 Artikel" if m == 1 else f"bis zu {m} Artikel"


def _hidden(manifest: Manifest) -> str:
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


def _rules(manifest: Manifest) -> str:
    terms = manifest.promise
    if "max_posterior" in terms:
        most = decimal(f"{terms['max_posterior']:g}")
        return f"Für den erwarteten Leser gibt es keine A-posteriori-Wahrscheinlichkeit über {most}."
    least = decimal(f"{terms['min_divergence']:g}")
    return f"Für den erwarteten Leser gibt es kein D_individual unter {least} nats."


PROMISES: Mapping[str, Callable[[Manifest], str]] = {
    "bucketized": _bucketized,
    "generalized_table": _generalized_table,
    "generalized": _generalized_sets,
    "hidden": _hidden,
    "rules": _rules,
}


def promise(manifest: Manifest) -> str:
    """The promise as a sentence."""
    return PROMISES[manifest.kind](manifest)


def figure_title(figure: Any) -> str:
    """The title of a figure."""
    return FIGURES.get(figure.name, figure.title)
