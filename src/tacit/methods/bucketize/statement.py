"""What a bucketized release says of itself: the promise, the reader it assumes, the knowledge stated.

A rule is stated with the labels of its nodes and, once per node, the published values below it, so
that whoever checks the release needs no hierarchy; where quasi-identifiers are published coarser, the
original and the private record are needed. Rules the user took out are not stated: that
would hand readers true facts that the buckets do not defend against.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from tacit.data.table import Table
from tacit.engine.base import GROUP, Bucketized
from tacit.methods.bucketize.joining import Joined
from tacit.methods.bucketize.solve.plan import Plan
from tacit.mining.knowledge import NegativeRules
from tacit.random.key import Key
from tacit.recoding.coarser import Coarser
from tacit.release import Manifest
from tacit.typing import Threshold

FULL_ROWS = 1_000_000
"""Up to so many rows the verifier checks every bucket; above, about so many rows' worth of them."""


def state(
    *,
    table: Table,
    l: int,
    method: str,
    form: str,
    partners: str | None,
    epsilon: float | None,
    bound: Fraction | None,
    among_left_out: Fraction | None,
    joined: Joined,
    knowledge: NegativeRules | None,
    plan: Plan,
    bucketized: Bucketized,
    key: Key,
    accepted: Mapping[str, str],
    max_learned: Threshold | None,
    coarser: Coarser | None = None,
    series: Mapping[str, Any] | None = None,
) -> Manifest:
    """The manifest of a release, before anything was measured on it."""
    known = knowledge if method == "injector" else None
    terms: dict[str, Any] = {"l": l}
    if bound is not None:
        terms["max_posterior"] = f"{bound.numerator}/{bound.denominator}"
    if among_left_out is not None and plan.n_suppressed:
        terms["max_posterior_suppressed"] = f"{among_left_out.numerator}/{among_left_out.denominator}"
    if coarser is not None:
        terms["k"] = coarser.k
    rows = bucketized.n_published
    return Manifest(
        kind="bucketized",
        method=method,
        parameters={
            "l": l,
            "form": form,
            "quasi": list(table.roles.quasi),
            "keep": list(table.roles.keep),
            "sensitive": list(table.roles.sensitive),
            "group": GROUP,
            "rows": rows,
            "buckets": len(plan),
            "suppressed": plan.n_suppressed,
            "nulls": table.nulls,
            "null_values": list(table.null_values),
            **({} if coarser is None else {"k": coarser.k}),
            **({} if partners is None else {"partners": partners}),
            **({"joined": _listed(joined)} if joined else {}),
            **({} if epsilon is None else {"epsilon": epsilon}),
            **({} if table.drawn is None else {"other_rows": table.drawn.left_out}),
            **({} if series is None else {"series": series}),
            **({} if max_learned is None else {"max_learned": str(max_learned)}),
            **({"accepted": dict(accepted)} if accepted else {}),
        },
        promise=terms,
        reader={"rules": [], "nodes": {}}
        if known is None
        else stated_rules(known, table, bucketized, coarser=coarser is not None),
        verification=_extent(rows, key),
        not_for_publication=key.experimental,
    )


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
