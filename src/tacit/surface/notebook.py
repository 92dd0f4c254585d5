"""Result objects as a notebook shows them: the blocks of the report, without its frame and without script."""

from __future__ import annotations

from itertools import islice
from typing import Any

from tacit.judging.figures import RISKS, UTILITY, lines
from tacit.release.published import Release
from tacit.showing.layout import count
from tacit.showing.page import Block, DataTable, Facts, Verdict, Words, fragment
from tacit.showing.text import as_text, shown_by
from tacit.showing.wording import OUTCOMES, plural
from tacit.surface.catalogue import catalogue

_BLOCKS = {
    "TableProfile": "tacit.judging.show:table_blocks",
    "TransactionsProfile": "tacit.judging.show:transactions_blocks",
    "SetRisks": "tacit.methods.generalize_sets.show:risk_blocks",
    "Risk": "tacit.judging.risk.show:blocks",
    "ItemRules": "tacit.surface.notebook:rules",
    "TableRules": "tacit.surface.notebook:rules",
    "NegativeRules": "tacit.surface.notebook:negative_rules",
    "Itemsets": "tacit.surface.notebook:itemsets",
    "SeriesShown": "tacit.surface.series:blocks",
    "Verification": "tacit.surface.notebook:verification",
}
"""What makes the blocks of a result, by the name of its class; those of a method are in its room."""
FIRST = 20
"""A long list is shown up to here."""


def as_html(result: Any) -> str:
    """The result as a piece of HTML; one that has no layout of its own is shown as its text."""
    blocks = release if isinstance(result, Release) else shown_by(result, "BLOCKS", _BLOCKS)
    return fragment([Words(as_text(result))] if blocks is None else blocks(result))


def release(made: Any) -> list[Block]:
    """A release: its promise, its risks, what it does not protect against."""
    seeded = catalogue()["report"]["seeded"]
    found = made.risk()
    blocks = shown_by(found, "BLOCKS", _BLOCKS)
    told = [line for part in (RISKS, UTILITY) for line in lines(made.declared, part, made.parts)]
    return [
        Words(made.manifest.promise_words, "lead"),
        *([Words(seeded, "warning")] if made.manifest.not_for_publication else []),
        Words(made.manifest.reader_words),
        *([Facts(told)] if blocks is None else blocks(found)),
        Words(made.manifest.limits, "note"),
    ]


def rules(found: Any) -> list[Block]:
    """Association rules, the first of them."""
    rows = [
        (" & ".join(rule.antecedent), " & ".join(rule.consequent), rule.support, f"{rule.confidence:.3f}")
        for rule in islice(found, FIRST)
    ]
    header = ["if", "then", "support", "confidence"]
    return _listing(DataTable(header, rows, plural(len(found), "rule")), len(found))


def negative_rules(found: Any) -> list[Block]:
    """Negative rules, the first of them."""
    rows = [
        (str(rule), rule.count, f"{rule.expectation:.3f}", "may be" if rule.may_be_chance else "hardly")
        for rule in (found[place] for place in found.firm_first[:FIRST])
    ]
    header = ["rule", "people it is about", "expectation", "chance"]
    return _listing(DataTable(header, rows, plural(len(found), "negative rule")), len(found))


def itemsets(found: Any) -> list[Block]:
    """Itemsets, the first of them."""
    rows = [(", ".join(itemset.items), itemset.support) for itemset in islice(found, FIRST)]
    return _listing(DataTable(["items", "support"], rows, plural(len(found), "itemset")), len(found))


def verification(found: Any) -> list[Block]:
    """What the verifier found."""
    rows = [(OUTCOMES[check.verdict], check.name, check.detail) for check in found.checks]
    return [
        Verdict({"kept": True, "broken": False}.get(found.verdict), str(found).splitlines()[len(rows)]),
        DataTable(["outcome", "check", "what was found"], rows, plural(len(rows), "check")),
    ]


def _listing(table: DataTable, total: int) -> list[Block]:
    rest = total - FIRST
    return [table, *([Words(f"… and {count(rest)} more.", "note")] if rest > 0 else [])]
