"""What a bucketized release says of itself: the promise, the reader it assumes, the knowledge stated.

A rule is stated with the labels of its nodes and, once per node, the published values below it, so
that whoever checks the release needs no hierarchy; where quasi-identifiers are published coarser, the
original and the private record are needed. Rules the user took out are not stated: that
would hand readers true facts that the buckets do not defend against.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.data.table import Table
from tacit.engine.base import GROUP, Bucketized
from tacit.methods.bucketize.joining import Joined
from tacit.methods.bucketize.verb import INJECTOR
from tacit.mining.knowledge import NegativeRules
from tacit.random.key import Key
from tacit.release import Manifest

if TYPE_CHECKING:
    from tacit.methods.bucketize.release import Made

FULL_ROWS = 1_000_000
"""Up to so many rows the verifier checks every bucket; above, about so many rows' worth of them."""


def state(made: Made) -> Manifest:
    """The manifest of a release, before anything was measured on it."""
    asked, table, plan = made.asked, made.original, made.plan
    rows = made.bucketized.n_published
    reader: dict[str, Any] = {"rules": [], "nodes": {}}
    if asked.method == INJECTOR and made.knowledge is not None:
        reader = stated_rules(made.knowledge, table, made.bucketized, coarser=asked.k is not None)
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
            "null_values": list(table.null_values),
            **_where_given(
                k=asked.k,
                partners=asked.partners,
                joined=_listed(made.joined) or None,
                epsilon=asked.epsilon,
                other_rows=None if table.drawn is None else table.drawn.left_out,
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


def stated_rules(
    knowledge: NegativeRules, table: Table, bucketized: Bucketized, *, coarser: bool = False
) -> dict[str, Any]:
    """The rules that say something about the published rows, and the values below their nodes.

    Of ``coarser`` quasi-identifiers the values are not published, and not listed here either.
    """
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
            below.setdefault(name, {})[label] = texts
        rules.append(
            {
                "when": dict(rule.when),
                "attribute": about,
                "value": knowledge.sensitive[about][knowledge.values[place]],
                "given": rule.given,
            }
        )
    return {"rules": rules, "nodes": {} if coarser else below, **_mined(knowledge)}


def _mined(knowledge: NegativeRules) -> dict[str, Any]:
    """What rules were looked for: without it nobody could tell which pairs are silent."""
    settings = knowledge.settings
    if not settings:
        return {}
    named = {name: settings[name] for name in ("max_length", "correction")}
    return {"mined": {"min_expectation": f"{float(settings['min_expectation']):g}", **named}}


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
        name: {label: list(values) for label, values in labels.items()} for name, labels in joined.items()
    }
