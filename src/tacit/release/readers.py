"""What a release says of the rules that its readers are taken to know.

Where exact quasi-identifiers are published the rules are stated. Of coarser ones mined rules would tell of
groups finer than the release shows, by what is listed and by what is not: it states how rules were looked
for, and those that the owner gave. Which were mined, and how many, is on the private record.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tacit.release.manifest import in_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tacit.mining.knowledge import NegativeRules

RULES_FILE = "rules.json"
"""The file of the private record that has mined rules."""


def looked_for(rules: NegativeRules) -> dict[str, Any]:
    """The term of a manifest that says which rules were looked for: else nobody could tell what is silent."""
    settings = rules.settings
    if not settings:
        return {}
    named = {name: settings[name] for name in ("max_length", "correction")}
    return {"mined": {"min_expectation": f"{float(settings['min_expectation']):g}", **named}}


def coarser_reader(rules: NegativeRules | None) -> dict[str, Any]:
    """The reader of a release with coarser quasi-identifiers: given rules, and how others were looked for."""
    if rules is None:
        return {"rules": []}
    mined = looked_for(rules)
    for more in mined.values():  # what a list of the rules would show
        more |= {"dropped": True} if rules.dropped else {}
    return {"rules": _terms(rules, given=True), **mined}


def rules_on_record(rules: NegativeRules | None) -> dict[str, bytes]:
    """The file of the private record of such a release that holds mined rules, where any were looked for."""
    if rules is None or not rules.settings:
        return {}
    found = {"rules": _terms(rules, given=False)}
    return {RULES_FILE: (json.dumps(found, ensure_ascii=False, indent=2) + "\n").encode()}


def _terms(rules: NegativeRules, *, given: bool) -> list[Mapping[str, Any]]:
    """The rules that were given, or mined, with the labels of their nodes."""
    chosen = rules.select(rules.given == given)
    return in_order(
        {name: value for name, value in rule.to_dict().items() if name in ("when", "attribute", "given")}
        | {"value": rules.sensitive[rule.attribute][code]}
        for rule, code in zip(chosen, chosen.values.tolist(), strict=True)
    )
