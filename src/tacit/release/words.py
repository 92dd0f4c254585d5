"""What a manifest says in words: its promise, the reader it assumes, what it does not protect against.

A manifest holds terms alone, so that nothing stands in it that nobody checks. Reports, the command line
and the page put the terms into sentences here; the independent verifier has words of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Terms = Mapping[str, Any]

ALARMING = 0.8
"""From this chance of a value on, a release protects somebody hardly at all."""
USELESS = 0.9
"""From this loss on, a table says hardly anything."""

BUCKETIZED_LIMITS = (
    "It does not hide who is in the table, because quasi-identifiers are published as they are; it does not"
    " stop a reader who learns from all buckets together or knows more than the stated rules; it is not"
    " differential privacy."
)
GENERALIZED_LIMITS = (
    "It does not protect against readers who know more than {m} items of a record, who know what a record "
    "does not hold, or who know other releases of the same records; it is not differential privacy."
)
TABLE_LIMITS = (
    "It does not protect against readers who know more of a person than the quasi-identifiers, or who know"
    " other releases of the same people; where nothing is promised of sensitive values, a class may give them"
    " away; it is not differential privacy."
)
HIDDEN_LIMITS = (
    "It does not protect against readers who mine at a lower support, or who have the original or another "
    "release of the same transactions; whoever is known by some items of a transaction is found as before. "
    "It is not differential privacy."
)
NOT_DISGUISED = (
    "A hidden pattern is not disguised: readers who compare the frequencies of many pairs can find where "
    "items were taken out."
)
DISGUISED = (
    "Readers who compare the frequencies of many pairs can find where items were taken out; for each secret "
    "pattern that is at {} patterns or more, and nothing published tells which of them is secret."
)
RULES_LIMITS = (
    "It does not protect against readers who know more than quasi-identifiers, nor against other releases of "
    "the same people; the promise is about the expected (maximum-entropy) reader, not about every reader, "
    "and it is not differential privacy."
)


def promise_words(kind: str, parameters: Terms, promise: Terms) -> str:
    """The promise of a release."""
    if kind == "bucketized":
        return _bucketized_promise(parameters, promise)
    if kind == "generalized":
        known = _known_items(promise["m"])
        return f"Whoever knows {known} of a record still faces at least {promise['k']} records, or none."
    if kind == "generalized_table":
        return _table_promise(parameters, promise)
    if kind == "hidden":
        what = " and ".join(
            f"{promise[name]} {name.removesuffix('s') if promise[name] == 1 else name}"
            for name in ("patterns", "rules")
            if promise[name]
        )
        return (
            f"{what} that the publisher keeps secret cannot be mined from the {promise['transactions']}"
            f" transactions at a support of {promise['min_count']} or more, and nothing was added to any"
            " transaction."
        )
    if "max_posterior" in promise:
        return f"For the expected reader there is no posterior above {promise['max_posterior']:g}."
    return f"For the expected reader there is no D_individual below {promise['min_divergence']:g} nats."


def _looked_for(mined: Terms | None) -> str:
    """Which rules count: up to a length and from an expectation on."""
    if mined is None:
        return ""
    length = "" if mined["max_length"] is None else f"of at most {mined['max_length']} attributes, "
    if mined["max_length"] == 1:
        length = "of one attribute, "
    return f" ({length}from an expectation of {mined['min_expectation']} on)"


def reader_words(kind: str, parameters: Terms, reader: Terms) -> str:
    """The reader against whom a promise is made."""
    if kind == "bucketized":
        columns = "quasi-identifiers and kept columns" if parameters.get("keep") else "quasi-identifiers"
        base = f"A reader who knows who is in the table and everybody's {columns}"
        stated = len(reader.get("rules", ()))
        known = f"the {stated} stated rules" if stated else "no rule"
        return f"{base}, and {known} about who cannot have what{_looked_for(reader.get('mined'))}."
    if kind == "generalized":
        known = _known_items(reader["known_items"])
        return f"A reader who knows {known} of somebody's record, and the hierarchy."
    if kind == "generalized_table":
        stated = len(reader["rules"])
        known = f", and the {stated} stated rules about who cannot have what" if stated else ""
        return (
            "A reader who knows who is in the table and everybody's quasi-identifiers"
            f"{known}{_looked_for(reader.get('mined'))}."
        )
    if kind == "hidden":
        return (
            f"A reader who mines the transactions at a support of {reader['min_count']} or more, and infers"
            " longer patterns from pairs."
        )
    return (
        "A reader who knows everybody's quasi-identifiers and how rules are chosen, reads the rules, and "
        "may reason from silence about the patterns that are not among them; who otherwise takes "
        "everything as equally likely."
    )


def limits_words(kind: str, parameters: Terms) -> str:
    """What a release does not protect against, in a sentence."""
    if kind == "generalized":
        return GENERALIZED_LIMITS.format(m=parameters["m"])
    if kind == "hidden":
        decoys = parameters.get("decoys", 0)
        return f"{DISGUISED.format(decoys + 1) if decoys else NOT_DISGUISED} {HIDDEN_LIMITS}"
    return {
        "bucketized": BUCKETIZED_LIMITS,
        "generalized_table": TABLE_LIMITS,
        "rules": RULES_LIMITS,
    }[kind]


def warnings_words(kind: str, risks: Terms, utility: Terms) -> tuple[str, ...]:
    """Why nobody should want a release: nothing is left in it, or somebody is nearly given away."""
    found = []
    if kind == "generalized" and utility.get("published_items") == 1:
        found.append("Every item is published as the root of the hierarchy: no detail is left.")
    if kind == "generalized_table" and (utility.get("loss") or 0) >= USELESS:
        found.append(f"{utility['loss']:.0%} of the detail is lost: hardly anything is left.")
    largest = (risks.get("posterior") or {}).get("largest") if kind == "bucketized" else None
    if kind == "rules":
        largest = risks.get("max_posterior")
    if largest is not None and largest >= ALARMING:
        found.append(f"Somebody's sensitive value is {largest:.0%} likely to the assumed reader.")
    return tuple(found)


def notes_words(
    kind: str, parameters: Terms, promise: Terms, risks: Terms, utility: Terms
) -> tuple[str, ...]:
    """What whoever reads a release should be told loudly."""
    notes = [*warnings_words(kind, risks, utility)]
    if kind == "generalized" and parameters["suppressed"]:
        every = promise["records"] + parameters["suppressed"]
        notes.append(f"{parameters['suppressed']} of {every} records are not published.")
    if kind == "generalized_table" and parameters["suppressed"]:
        every = parameters["rows"] + parameters["suppressed"]
        notes.append(f"{parameters['suppressed']} of {every} rows are not published.")
    if kind == "hidden":
        notes.append(
            "What is hidden is the publisher's secret: that it cannot be mined is checked with the private "
            "record."
        )
    return tuple(notes)


def rule_words(rule: Terms) -> str:
    """A stated negative rule as a line.

    >>> rule_words({"when": {"sex": "male"}, "attribute": "disease", "value": "ovarian cancer"})
    'sex = male ⇒ ¬ disease = ovarian cancer'
    """
    when = " & ".join(f"{name} = {label}" for name, label in rule["when"].items())
    return f"{when} ⇒ ¬ {rule['attribute']} = {rule['value']}"


def _bucketized_promise(parameters: Terms, promise: Terms) -> str:
    sensitive: Sequence[str] = parameters["sensitive"]
    of = sensitive[0] if len(sensitive) == 1 else "each of " + ", ".join(sensitive)
    who = "person" if "other_rows" in parameters else "row"
    sentence = f"Every {who} could have at least {promise['l']} different values of {of}"
    if "max_posterior" in promise:
        upper, _, lower = promise["max_posterior"].partition("/")
        sentence += f", and none of them with a chance above {int(upper) / int(lower):g}"
    if "max_posterior_suppressed" in promise:
        upper, _, lower = promise["max_posterior_suppressed"].partition("/")
        sentence += (
            "; of the rows left out that cannot have the same values, no value is held by more than"
            f" {int(upper) / int(lower):g}"
        )
    return sentence + "."


def _table_promise(parameters: Terms, promise: Terms) -> str:
    who = "people" if "other_rows" in parameters else "rows"
    parts = [
        f"every row looks like at least {promise['k'] - 1} others, so that {promise['k']} {who} are alike"
    ]
    sensitive = ", ".join(parameters["sensitive"])
    if "l" in promise:
        parts.append(f"each could have at least {promise['l']} different values of {sensitive}")
    if "entropy_l" in promise:
        parts.append(f"the entropy of {sensitive} among them is at least log {promise['entropy_l']}")
    if "recursive" in promise:
        c, l = promise["recursive"]["c"], promise["recursive"]["l"]
        upper, _, lower = c.partition("/")
        parts.append(f"{sensitive} is recursively ({int(upper) / int(lower):g}, {l})-diverse among them")
    if "t" in promise:
        upper, _, lower = promise["t"].partition("/")
        parts.append(
            f"the distribution of {sensitive} among them is at most {int(upper) / int(lower):g} from"
            f" the whole table's ({promise['distance']} distance)"
        )
    sentence = "; ".join(parts) + "."
    return sentence[0].upper() + sentence[1:]


def _known_items(m: int) -> str:
    return "1 item" if m == 1 else f"up to {m} items"
