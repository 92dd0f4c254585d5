"""The verbs that mine: itemsets and rules of transactions or tables, and what readers of a table may know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tacit.options import Says, verb
from tacit.ranges import Lines, Optional, Share, Strings, Support, Unlimited, Whole
from tacit.typing import Progress, Threshold

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.data.transactions import Transactions
    from tacit.engine.base import Engine
    from tacit.mining.itemsets import Itemsets
    from tacit.mining.knowledge import NegativeRules
    from tacit.mining.mine import TableItemsets
    from tacit.mining.rules import ItemRules, TableRules

MIN_SUPPORT = Says("Least support", "A count such as 25, or a share such as 0.01.")
MAX_ITEMSETS = Says(
    "Most itemsets", "Stop with an error, and a threshold that would fit, when there are more itemsets."
)
DEFAULT_MAX_ITEMSETS = 10_000_000
THREADS = Says("Threads", "How many threads to mine with (transactions).")


@verb
def mine_itemsets(
    data: Transactions | Table,
    *,
    min_support: Annotated[Threshold, Support(), MIN_SUPPORT],
    kind: Annotated[
        Literal["complete", "closed", "maximal"],
        Says(
            "Kind",
            "complete, closed (no superset has the same support) or maximal (no superset is frequent);"
            " transactions only.",
        ),
    ] = "complete",
    min_length: Annotated[int, Whole(1), Says("Fewest items", "The fewest items.")] = 1,
    max_length: Annotated[int | None, Optional(Whole(1)), Says("Most items", "The most items.")] = None,
    items: Annotated[
        Iterable[str] | None,
        Optional(Strings()),
        Says("Only these items", "Only these items may occur (transactions)."),
    ] = None,
    containing: Annotated[
        Iterable[str],
        Strings(),
        Says("Items in every set", "Items that every set must hold (transactions)."),
    ] = (),
    max_itemsets: Annotated[int, Whole(1), MAX_ITEMSETS] = DEFAULT_MAX_ITEMSETS,
    threads: Annotated[int | None, Optional(Whole(1)), THREADS] = None,
    hierarchies: bool = True,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Itemsets | TableItemsets:
    """Every set of items that enough records hold.

    {options}
    hierarchies
        Whether nodes above the leaves count as items (tables only).
    """
    asked = SimpleNamespace(**locals())
    from tacit.mining.mine import itemsets

    return itemsets(asked)


@verb
def mine_rules(
    data: Transactions | Table,
    *,
    min_support: Annotated[Threshold, Support(), MIN_SUPPORT],
    min_confidence: Annotated[Threshold, Share(), Says("Least confidence", "A share such as 0.8.")],
    max_length: Annotated[
        int | None,
        Optional(Whole(1)),
        Says("Most items", "The most items of both sides together (for a table: of the left side)."),
    ] = None,
    max_consequent: Annotated[
        int | None,
        Optional(Whole(1)),
        Says("Most items on the right", "The most items on the right side (transactions)."),
    ] = 1,
    antecedent: Annotated[
        Iterable[str] | None,
        Optional(Strings()),
        Says("Only these on the left", "The only items allowed on the left side (transactions)."),
    ] = None,
    consequent: Annotated[
        Iterable[str] | None,
        Optional(Strings()),
        Says("Only these on the right", "The only items allowed on the right side (transactions)."),
    ] = None,
    max_itemsets: Annotated[int, Whole(1), MAX_ITEMSETS] = DEFAULT_MAX_ITEMSETS,
    threads: Annotated[int | None, Optional(Whole(1)), THREADS] = None,
    hierarchies: bool = False,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> ItemRules | TableRules:
    """Every rule whose support and confidence reach the thresholds.

    For a table, rules ``Q ⇒ x`` from its quasi-identifiers to a value of its sensitive attribute; for
    transactions, rules between sets of items.

    {options}
    hierarchies
        Whether nodes above the leaves count as items (tables only).
    """
    asked = SimpleNamespace(**locals())
    from tacit.mining.mine import rules

    return rules(asked)


@verb
def mine_negative_rules(
    table: Table,
    *,
    min_expectation: Annotated[
        Threshold,
        Share(0.0, 1.0, open_low=True, open_high=True),
        Says(
            "Least expectation of a rule",
            "How surely an unrelated value would have shown up, for its absence to be a rule.",
            empty="0.9",
        ),
    ] = 0.9,
    min_confidence: Annotated[
        Threshold,
        Share(),
        Says(
            "Least confidence of a rule",
            "1 for rules without exception; lower only to look around, never as knowledge for a release.",
            empty="1",
        ),
    ] = 1.0,
    max_length: Annotated[
        int | Literal["unlimited"] | None,
        Unlimited(Whole(1)),
        Says(
            "Most attributes in a rule",
            "The most attributes in a mined rule, or unlimited. Longer rules are mostly chance unless"
            " corrected.",
            empty="1",
        ),
    ] = 1,
    correction: Annotated[
        Literal["none", "alike", "bonferroni", "bh"],
        Says(
            "Correction for many tests",
            "none, alike (as many tests as the attributes of a rule have values), bonferroni or bh"
            " (Benjamini–Hochberg): for all pairs tested when mining. The fewer rules, the more of what"
            " readers really know is missing.",
            values=(
                ("none", "none"),
                ("alike", "values of the same attributes"),
                ("bonferroni", "Bonferroni"),
                ("bh", "Benjamini–Hochberg"),
            ),
        ),
    ] = "none",
    spread: Annotated[
        Threshold,
        Share(0.0, float("inf"), open_low=False),
        Says(
            "Fuzzy edges of intervals",
            "Fuzzy edges of numeric intervals, as a share of their width; 0 is crisp. Above 0 only to look"
            " around, never as knowledge for a release.",
            empty="0",
        ),
    ] = 0,
    rules: Annotated[
        Iterable[str] | str | Path,
        Lines(),
        Says(
            "Rules that readers know as well",
            "Rules that readers know as well, one a line: sex=male => not disease=ovarian cancer. One that a"
            " row contradicts is refused.",
        ),
    ] = (),
    drop_rules: Annotated[
        Iterable[str] | str | Path,
        Lines(),
        Says(
            "Mined rules that readers do not know",
            "Mined rules that readers are taken not to know, one a line.",
        ),
    ] = (),
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> NegativeRules:
    """The most general negative rules of a table, for each of its sensitive attributes.

    {options}
    """
    asked = SimpleNamespace(**locals())
    asked.max_length = max_length if isinstance(max_length, int) else None
    from tacit.mining.negative import mine_negative

    return mine_negative(asked)


def known_rules(
    table: Table,
    knowledge: NegativeRules | Mapping[str, Any] | None,
    *,
    coarser: bool,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> NegativeRules:
    """The rules that readers of a release of a table are taken to know: as given, or mined as options say.

    A release of ``coarser`` quasi-identifiers states how rules were looked for. Its readers find those that
    mining finds with its hierarchies: rules mined before it had them are mined again.
    """
    options = {} if knowledge is None else knowledge
    if not isinstance(options, Mapping):
        options.refuse_uncertain()
        if not (coarser and options.settings):
            options.refuse_other_table(table)
            return options
        given = [str(rule) for rule in options.select(options.given)]
        options = {**options.settings, "rules": given, "drop_rules": options.dropped}
    found = mine_negative_rules(table, **options, engine=engine, progress=progress)
    found.refuse_uncertain()
    return found


LOW_EXPECTATION = 0.75
"""What a reader who is not covered takes for a rule: seldom enough by chance, and not as seldom as stated."""


def longer_rules(table: Table, covered: NegativeRules, *, engine: Engine | None = None) -> NegativeRules:
    """Rules that a promise does not cover: one attribute longer, at a lower expectation."""
    longest = int((covered.nodes >= 0).sum(axis=1).max(initial=0))
    settings = {**covered.settings}
    most = settings.get("max_length", longest)
    settings["max_length"] = None if most is None else max(longest, most) + 1
    settings["min_expectation"] = min(settings.get("min_expectation", LOW_EXPECTATION), LOW_EXPECTATION)
    return mine_negative_rules(table, engine=engine, **settings)
