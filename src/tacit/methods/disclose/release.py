"""The files of a rules release: the published ``rules.json`` and the owner's certificate.

The certificate holds each reader's multipliers, by which the independent verifier recomputes every
posterior.

What a rules release promises and states: its manifest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from tacit.judging.figures import CLASS, RISKS, UTILITY, stated
from tacit.methods.disclose.figures import FIGURES
from tacit.methods.disclose.result import (
    WITH_SILENCE,
    WITHOUT_SILENCE,
    curves,
)
from tacit.methods.disclose.solve.inference import ACCEPTED, Inference
from tacit.methods.disclose.solve.knowledge import RuleScores, Silence
from tacit.methods.disclose.solve.population import Population, Thresholds
from tacit.methods.disclose.solve.published import PublishedRules, value_text
from tacit.methods.disclose.solve.safe import JudgedRules, MissingScores
from tacit.options import Asked
from tacit.release import Content, Manifest
from tacit.typing import Threshold


def rule_entries(judged: JudgedRules) -> list[dict[str, Any]]:
    """The rules as they are published, in an order that carries nothing: by their text."""
    rules = judged.rules
    entries = []
    for place in range(len(rules)):
        value = value_text(rules.population.values[int(rules.values[place])])
        entry: dict[str, Any] = {"antecedent": items_of(rules, place), "value": value}
        if judged.with_scores:
            entry["matching"] = int(rules.matching[place])
            entry["support"] = int(rules.lowest[place])
        entries.append((json.dumps([sorted(entry["antecedent"].items()), value], ensure_ascii=False), entry))
    return [entry for _, entry in sorted(entries, key=lambda pair: pair[0])]


def rules_content(asked: Asked, judged: JudgedRules, thresholds: Thresholds) -> dict[str, Any]:
    """What is published: the rules, and what readers need to know of how they were chosen."""
    population = judged.rules.population
    content: dict[str, Any] = {
        "rows": population.n_rows,
        "quasi": [attribute.name for attribute in population.attributes],
        "sensitive": population.sensitive,
        "values": sorted(value_text(text) for text in population.values),
        "min_support": threshold_text(asked.min_support),
        "min_support_count": int(-(-thresholds.support.numerator // thresholds.support.denominator)),
        "min_confidence": threshold_text(asked.min_confidence),
        "max_length": thresholds.max_length,
        "complete": True,
    }
    if asked.k is not None:
        content["whole_columns"] = list(whole_columns(judged.rules))
    content["rules"] = rule_entries(judged)
    if asked.distribution:
        totals = population.truth.sum(axis=0).tolist()
        texts = [value_text(text) for text in population.values]
        content["distribution"] = dict(sorted(zip(texts, totals, strict=True)))
    return content


def whole_columns(rules: PublishedRules) -> dict[str, list[str]]:
    """The columns of which the rules name every value that occurs, and these values."""
    people, whole = rules.population, {}
    for place, attribute in enumerate(people.attributes):
        named = np.setdiff1d(rules.nodes[:, place], [-1]).tolist()
        if len(named) == len(np.unique(people.codes[:, place])):
            whole[attribute.name] = [attribute.label(node) for node in named]
    return whole


def private_record(
    judged: JudgedRules, missing: MissingScores, published: bytes, seconds: float, exact: dict[str, Any]
) -> dict[str, Content]:
    """What only the owner may see: exact figures, and each reader's multipliers."""
    certificate = {
        "rules_sha256": hashlib.sha256(published).hexdigest(),
        "readers": [_reader(reader) for reader in judged.readers],
    }
    told = (reader.by_combination for reader in judged.readers)
    readers = dict(zip((WITH_SILENCE, WITHOUT_SILENCE), told, strict=True))
    people = judged.rules.population
    record = {
        "counted_posterior": judged.counted,
        "missing_scores": {
            "rules": len(missing.rules),
            "told": missing.told,
            "right": missing.right(people),
            "max_posterior": missing.max_posterior,
        },
        "seconds": seconds,
        "figures": exact,
        **curves(people, readers),
    }
    return {"certificate.json": json_bytes(certificate), "plan.json": json_bytes(record)}


def _reader(inference: Inference) -> dict[str, Any]:
    """A reader's posterior in the form that proves it: multipliers, and what is known to be nobody."""
    population, constraints = inference.population, inference.constraints
    statements = []
    for line in np.flatnonzero(inference.multipliers).tolist():
        source = inference.sources[int(constraints.source[line])]
        place = int(constraints.place[line])
        value = value_text(population.values[int(constraints.values[line])])
        nodes = np.full(len(population.attributes), -1)  # everybody: the distribution
        if isinstance(source, Silence):
            nodes = source.patterns.nodes[source.about[0][place]]
        elif isinstance(source, RuleScores):
            nodes = source.rules.nodes[place]
        statements.append(
            {
                "antecedent": _labels(population, nodes),
                "value": value,
                "multiplier": float(inference.multipliers[line]),
            }
        )
    closed = [
        {
            "combination": [
                value_text(texts[code])
                for texts, code in zip(population.texts, population.codes[unit].tolist(), strict=True)
            ],
            "values": [
                value_text(population.values[x]) for x in np.flatnonzero(inference.closed[unit]).tolist()
            ],
        }
        for unit in np.flatnonzero(inference.closed.any(axis=1)).tolist()
    ]
    silent = any(isinstance(source, Silence) for source in inference.sources)
    return {
        "silence": silent,
        "statements": statements,
        "closed": closed,
        "max_posterior": float(inference.by_combination.max(initial=0.0)),
        "residual": inference.certificate.residual,
    }


def items_of(rules: PublishedRules, place: int) -> dict[str, str]:
    return _labels(rules.population, rules.nodes[place])


def _labels(population: Population, nodes: np.ndarray) -> dict[str, str]:
    pairs = zip(population.attributes, nodes.tolist(), strict=True)
    return {attribute.name: attribute.label(node) for attribute, node in pairs if node >= 0}


def threshold_text(threshold: Threshold) -> str:
    """A threshold exactly as it counts: ``25`` is a count, ``0.1`` a share.

    >>> threshold_text(25), threshold_text(1.0), threshold_text(1e-07)
    ('25', '1.0', '0.0000001')
    """
    if isinstance(threshold, int):
        return str(threshold)
    exact = Decimal(repr(float(threshold))) if isinstance(threshold, float) else threshold
    text = f"{exact:f}"  # never with an exponent: the point tells a share from a count
    return text if "." in text else f"{text}.0"


def json_bytes(content: object) -> bytes:
    return (json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()


def rules_manifest(
    asked: Asked, judged: JudgedRules, exact: Mapping[str, Any], missing: MissingScores
) -> Manifest:
    """The manifest of rules that keep the limit."""
    limit = float(asked.max_posterior)
    terms: dict[str, Any] = {"max_posterior": limit}
    if exact[RISKS]["channels"] == 0:
        terms["min_group"] = asked.k
    return Manifest(
        kind="rules",
        method="association rules within a limit on the maximum-entropy posterior",
        parameters={
            "min_support": threshold_text(asked.min_support),
            "min_confidence": threshold_text(asked.min_confidence),
            "max_length": asked.max_length,
            "scores": asked.scores,
            "distribution": asked.distribution,
            "k": asked.k,
        },
        promise=terms,
        reader={
            "quasi": [attribute.name for attribute in judged.rules.population.attributes],
            "silence": "both",
        },
        risks=stated(
            FIGURES,
            RISKS,
            {**exact[RISKS], "limit": limit},
            beside={
                "residual_below": ACCEPTED,  # a solution that is worse is an error
                "missing_scores": _told_class(missing, limit),
            },
            rounded={"missing_scores": CLASS},
        ),
        utility=stated(FIGURES, UTILITY, exact[UTILITY], beside={}),
    )


def _told_class(missing: MissingScores, limit: float) -> str:
    """What missing scores tell a reader who knows the procedure, as a class."""
    if not missing.told:
        return "tell nothing"
    return "stay within the limit" if missing.max_posterior <= limit else "pass the limit"
