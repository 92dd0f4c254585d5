"""What a bucketized release says of itself, in terms and in words, and how its readers see it.

A rule is stated with the labels of its nodes and, once per node, the published values below it, so
that whoever checks the release needs no hierarchy; where quasi-identifiers are published coarser, mined
rules are not stated, and the original and the private record are needed. Nor are rules the user took out:
that would hand readers true facts that the buckets do not defend against.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tacit.engine.base import GROUP
from tacit.judging.composition import COUNT, PublishedTable, StatedRule
from tacit.judging.people import several_rows
from tacit.methods.bucketize.verb import INJECTOR
from tacit.release import Manifest
from tacit.release.kinds import (
    Kind,
    alarming_words,
    fraction_words,
    german_share,
    known_rules_words,
    stated_columns,
    stated_rows,
)
from tacit.release.manifest import in_order, sorted_texts
from tacit.release.readers import RULES_FILE, coarser_reader, looked_for
from tacit.release.reading import cells

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.engine.base import Bucketized
    from tacit.methods.bucketize.joining import Joined
    from tacit.methods.bucketize.release import Made
    from tacit.mining.knowledge import NegativeRules
    from tacit.random.key import Key

LIMITS = (
    "It does not hide who is in the table, because quasi-identifiers are published as they are; it does not"
    " stop a reader who learns from all buckets together or knows more than the stated rules; it is not"
    " differential privacy."
)
COARSER_LIMITS = (
    "It does not hide who is in the table, if a reader knows them to be there; it does not stop a reader who"
    " learns from all buckets together or knows more than the stated rules; it is not differential privacy."
)


ENGLISH = {
    "row": "Every row",
    "person": "Every person",
    "several": "each of {}",
    "l": "{who} could have at least {l} different values of {of}",
    "max_posterior": ", and none of them with a chance above {}",
    "max_posterior_suppressed": "; of the rows left out that cannot have the same values, no value is held by"
    " more than {}",
    "k": "; at least {} rows have the same published quasi-identifiers",
    "first": "this release and those that continue it",
    "later": "{} releases together",
    "series": "; all of them alike likely, over {}, for as long as their value is among them; where it"
    " changes to another, at least as many others",
}
GERMAN = {
    "row": "Jede Zeile",
    "person": "Jede Person",
    "several": "jedem von {}",
    "l": "{who} könnte mindestens {l} verschiedene Werte von {of} haben",
    "max_posterior": ", und keinen davon mit einer Wahrscheinlichkeit über {}",
    "max_posterior_suppressed": "; von den weggelassenen Zeilen, die nicht dieselben Werte haben können, hat"
    " keinen Wert mehr als ein Anteil von {}",
    "k": "; mindestens {} Zeilen haben dieselben veröffentlichten Quasi-Identifikatoren",
    "first": "diese Veröffentlichung und die, die sie fortsetzen",
    "later": "{} Veröffentlichungen zusammen",
    "series": "; alle gleich wahrscheinlich, über {}, solange ihr Wert darunter ist; wechselt er zu einem"
    " anderen, mindestens ebenso viele andere",
}


def promise(manifest: Manifest, words: Mapping[str, str], share: Callable[[str], str]) -> str:
    """The promise in the words of a language, which writes shares in its own way."""
    parameters, terms = manifest.parameters, manifest.promise
    sensitive = parameters["sensitive"]
    of = sensitive[0] if len(sensitive) == 1 else words["several"].format(", ".join(sensitive))
    who = words["person" if "other_rows" in parameters else "row"]
    sentence = words["l"].format(who=who, l=terms["l"], of=of)
    for name in ("max_posterior", "max_posterior_suppressed"):
        if name in terms:
            sentence += words[name].format(share(terms[name]))
    if "k" in terms:
        sentence += words["k"].format(terms["k"])
    if "series" in parameters:
        number = parameters["series"]["number"]
        sentence += words["series"].format(words["later" if number > 1 else "first"].format(number))
    return sentence + "."


def limits(manifest: Manifest) -> str:
    return COARSER_LIMITS if "k" in manifest.promise else LIMITS


def reader(manifest: Manifest) -> str:
    columns = "quasi-identifiers and kept columns" if manifest.parameters.get("keep") else "quasi-identifiers"
    known = known_rules_words(manifest)
    return f"A reader who knows who is in the table and everybody's {columns}, and {known}."


def warnings(manifest: Manifest) -> list[str]:
    return alarming_words((manifest.risks.get("posterior") or {}).get("largest"))


def read_table(folder: Path, manifest: Manifest) -> PublishedTable:
    """The release as its readers see it."""
    parameters = manifest.parameters
    known, sensitive = (*parameters["quasi"], *parameters["keep"]), tuple(parameters["sensitive"])
    group = parameters["group"]
    if parameters["form"] == "qit":
        rows, held = cells(folder / "qit.csv"), cells(folder / "st.csv")
        held = held.with_columns(pl.col("count").cast(pl.Int64).alias(COUNT))
    else:
        rows = cells(folder / "table.csv")
        held = rows.with_columns(pl.lit(1, pl.Int64).alias(COUNT))
    return PublishedTable(
        known=known,
        sensitive=sensitive,
        group=group,
        rows=rows.select(*known, group),
        held=held.select(group, *sensitive, COUNT),
        rules=() if "k" in parameters else _read_rules(manifest.reader),
        coarser=tuple(parameters["quasi"]) if "k" in parameters else (),
    )


def _read_rules(terms: Any) -> tuple[StatedRule, ...]:
    below = terms.get("nodes", {})
    return tuple(
        StatedRule(
            when={name: frozenset(below[name][label]) for name, label in rule["when"].items()},
            attribute=rule["attribute"],
            value=rule["value"],
        )
        for rule in terms.get("rules", ())
    )


FULL_ROWS = 1_000_000
"""Up to so many rows the verifier checks every bucket; above, about so many rows' worth of them."""


def state(made: Made) -> Manifest:
    """The manifest of a release, before anything was measured on it."""
    asked, table, plan = made.asked, made.original, made.plan
    rows = made.bucketized.n_published
    reader: dict[str, Any] = {"rules": [], "nodes": {}}
    if asked.method == INJECTOR and made.knowledge is not None:
        if asked.k is None:
            reader = stated_rules(made.knowledge, table, made.bucketized)
        else:  # the values below a node are those of the original
            reader |= coarser_reader(made.knowledge)
    return Manifest(
        kind="bucketized",
        method=asked.method,
        parameters={
            "l": asked.l,
            "form": asked.form,
            "quasi": list(table.roles.quasi),
            "keep": list(table.roles.keep),
            "sensitive": list(table.roles.sensitive),
            "group": GROUP,
            "rows": rows,
            "buckets": len(plan),
            "suppressed": plan.n_suppressed,
            "nulls": table.nulls,
            "null_values": sorted({*table.null_values}),
            **_where_given(
                k=asked.k,
                partners=asked.partners,
                joined=_listed(made.joined) or None,
                epsilon=asked.epsilon,
                other_rows=None if table.drawn is None else table.drawn.left_out,
                several_rows=several_rows(table),
                series=None if made.series is None else made.series.terms(table),
                max_learned=None if asked.max_learned is None else str(asked.max_learned),
                accepted=dict(asked.accepted) or None,
            ),
        },
        promise=_where_given(
            l=asked.l,
            max_posterior=_exact(asked.bound),
            max_posterior_suppressed=_exact(asked.among_left_out) if plan.n_suppressed else None,
            k=asked.k,
        ),
        reader=reader,
        verification=_extent(rows, asked.key),
        not_for_publication=asked.key.experimental,
    )


def _where_given(**terms: Any) -> dict[str, Any]:
    return {name: term for name, term in terms.items() if term is not None}


def _exact(share: Fraction | None) -> str | None:
    return None if share is None else f"{share.numerator}/{share.denominator}"


def stated_rules(knowledge: NegativeRules, table: Table, bucketized: Bucketized) -> dict[str, Any]:
    """The rules that say something about the published rows, and the values below their nodes."""
    values = {attribute.name: bucketized.occurring(attribute.name) for attribute in knowledge.attributes}
    below: dict[str, dict[str, list[str | None]]] = {}
    rules: list[dict[str, Any]] = []
    held = {name: bucketized.occurring(name) for name in knowledge.sensitive}
    names = list(knowledge.sensitive)
    for place in range(len(knowledge)):
        about = names[knowledge.about[place]]
        if int(knowledge.values[place]) not in held[about]:
            continue
        covered = _covered(knowledge, place, table, values)
        if not all(covered.values()):
            continue
        rule = knowledge[place]
        for (name, label), texts in zip(rule.when, covered.values(), strict=True):
            below.setdefault(name, {})[label] = sorted_texts(texts)
        rules.append(
            {
                "when": dict(rule.when),
                "attribute": about,
                "value": knowledge.sensitive[about][knowledge.values[place]],
                "given": rule.given,
            }
        )
    return {"rules": in_order(rules), "nodes": below, **looked_for(knowledge)}


def _covered(
    knowledge: NegativeRules, place: int, table: Table, values: Mapping[str, np.ndarray]
) -> dict[str, list[str | None]]:
    """Per attribute of a rule, the published values below its node."""
    found: dict[str, list[str | None]] = {}
    for attribute, node in zip(knowledge.attributes, knowledge.nodes[place].tolist(), strict=True):
        if node >= 0:
            low, high = attribute.hierarchy.leaf_ranges[node]
            texts = table.column(attribute.name).texts
            leaves = attribute.leaves[values[attribute.name]]
            inside = values[attribute.name][(low <= leaves) & (leaves < high)]
            found[attribute.name] = [texts[code] for code in inside]
    return found


def _extent(rows: int, key: Key) -> dict[str, Any]:
    """How much the verifier checks: all, or one bucket in so many, drawn by a number that the key gives."""
    one_in = -(-rows // FULL_ROWS)
    if one_in <= 1:
        return {"extent": "full"}
    seed = key.subkey("bucketize: verification sample").words[0]
    return {"extent": "sample", "one_in": one_in, "seed": f"{seed:016x}"}


def _listed(joined: Joined) -> dict[str, dict[str, list[str | None]]]:
    return {
        name: {label: sorted_texts(values) for label, values in labels.items()}
        for name, labels in joined.items()
    }


KIND = Kind(
    promise=lambda manifest: promise(manifest, ENGLISH, fraction_words),
    german=lambda manifest: promise(manifest, GERMAN, german_share),
    reader=reader,
    limits=limits,
    records=stated_rows,
    warnings=warnings,
    columns=stated_columns,
    read_table=read_table,
    record=("record.json", RULES_FILE),
)
