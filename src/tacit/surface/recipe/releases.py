"""The releases a recipe makes: one table for each, told apart by its method.

The keys are the parameters of the verbs. Two verbs have a parameter ``method`` of their own; here it
is called ``algorithm``, because ``method`` says which verb is meant.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tacit.ranges import OneOf, Optional, Share, Whole
from tacit.surface.recipe.values import (
    Declared,
    Either,
    Flag,
    Lines,
    OptionalText,
    Reasons,
    Section,
    Text,
    Within,
)

_AtMost = Annotated[int | Decimal | None, Within(Optional(Share(open_low=False)))]
_Count = Annotated[int | None, Within(Optional(Whole(0)))]
_Error = Annotated[int | Decimal | None, Within(Optional(Share(high=math.inf, open_low=False)))]
_NEGATIVE = "tacit.mining.negative"
UNLIMITED = "unlimited"


class Knowledge(Section):
    """The negative rules that readers of a bucketized table are assumed to know."""

    min_expectation: Annotated[int | Decimal, Declared(_NEGATIVE, "min_expectation")] = Decimal("0.9")
    """How surely an unrelated value would have shown up, for its absence to be a rule."""
    max_length: Annotated[int | Literal["unlimited"], Within(Either(Whole(1), OneOf((UNLIMITED,))))] = 1
    """The most attributes in a mined rule, or unlimited."""
    correction: Annotated[str, Declared(_NEGATIVE, "correction")] = "none"
    """none, bonferroni or bh: for how many pairs were tested when mining."""
    spread: Annotated[int | Decimal, Declared(_NEGATIVE, "spread")] = 0
    """Fuzzy edges of numeric intervals, as a share of their width; 0 is crisp."""
    rules: Lines = ()
    """Rules that readers know as well: a file, or a list of "sex=male => not disease=flu"."""
    drop: Lines = ()
    """Mined rules that readers are taken not to know: a file, or a list."""


class BucketizeLimits(Section):
    """What must hold of a bucketized release, or nothing is published."""

    max_posterior: _AtMost = None
    """The largest posterior of any value of anybody, for a reader who knows the rules."""
    max_vulnerable: _Count = None
    """Rows with fewer than l valid values for a reader who knows the rules."""
    max_vulnerable_longer: _Count = None
    """The same for a reader who knows rules of one attribute more, and from an expectation of 0.75 on."""
    max_learning_gain: _AtMost = None
    """By how much a classifier learned from the release guesses better than at random in a bucket."""
    max_suppressed: _AtMost = None
    """The share of rows left out."""
    max_query_error: _Error = None
    """The mean relative error of counting queries, as the manifest states it."""


class GeneralizeLimits(Section):
    """What must hold of a k^m-anonymous release, or nothing is published."""

    max_ncp: _AtMost = None
    """The normalized certainty penalty: the share of detail lost."""
    max_suppressed: _AtMost = None
    """The share of records left out."""
    max_narrowed: _AtMost = None
    """The share of records that a reader who knows one item more than promised narrows below k."""
    max_leaf_guessing: _AtMost = None
    """The share of generalized items that a reader guesses right."""
    min_items: _Count = None
    """How many different items are left."""


class HideLimits(Section):
    """What must hold of transactions with hidden patterns, or nothing is published."""

    max_hiding_failure: _AtMost = None
    """The share of secret patterns that can still be mined."""
    max_misses_cost: _AtMost = None
    """The share of other frequent patterns that are lost."""
    max_artificial_patterns: _AtMost = None
    """The share of mined patterns that the original does not have."""
    max_dissimilarity: _AtMost = None
    """The share of items taken out."""
    max_weakness: _AtMost = None
    """The share of secret patterns that can be inferred from pairs."""


class RulesLimits(Section):
    """What must hold of published rules, or nothing is published."""

    max_posterior: _AtMost = None
    """The largest posterior of any value of anybody, with reasoning from silence or without."""
    max_channels: _Count = None
    """Groups below k that follow from the supports by subtraction; needs k."""
    min_rules: _Count = None
    """How many rules are published."""


class _Release(Section):
    output: Text
    """Folder of the release."""
    source: OptionalText = None
    """Which source it is made from; not needed where there is one."""
    acknowledge_composition: Flag = False
    """Publish it although the same records were released before; its manifest then states what both tell."""


_BUCKETIZE = "tacit.methods.bucketize.verb"


class Bucketize(_Release):
    """A table in buckets of possible sensitive values."""

    method: Literal["bucketize"] = "bucketize"
    """The method of this release."""
    l: Annotated[int, Declared(_BUCKETIZE, "l")]
    """How many valid sensitive values every row keeps."""
    algorithm: Annotated[str, Declared(_BUCKETIZE, "method")] = "injector"
    """injector (against a reader who knows the negative rules) or anatomy (who knows none)."""
    form: Annotated[str, Declared(_BUCKETIZE, "form")] = "qit"
    """qit (quasi-identifiers, and apart the values of each group) or permuted (one table)."""
    partners: Annotated[str | None, Declared(_BUCKETIZE, "partners")] = None
    """Whom injector groups: areas (the default), any (from the whole table), paper, or near, which leaks."""
    epsilon: Annotated[Decimal | None, Declared(_BUCKETIZE, "epsilon")] = None
    """With areas: a reader who knows Tacit has at most e^epsilon times the odds stated; 0.4 by default."""
    max_posterior: Annotated[Decimal | None, Declared(_BUCKETIZE, "max_posterior")] = None
    """No value of anybody may be likelier than this share; the buckets are made so."""
    on_infeasible: Annotated[str, Declared(_BUCKETIZE, "on_infeasible")] = "refuse"
    """refuse what the table cannot meet, or suppress the rows in the way."""
    max_posterior_suppressed: Annotated[Decimal | None, Declared(_BUCKETIZE, "max_posterior_suppressed")] = (
        None
    )
    """Of the rows left out, no value is held by more than this share; further rows join them for that."""
    join_values: Flag = False
    """Join sensitive values along their hierarchy, as little as it takes to meet the promise."""
    max_learned: Annotated[Decimal | None, Declared(_BUCKETIZE, "max_learned")] = None
    """Software that learns from the release may be right for this share of the 1 % it is surest about."""
    person: OptionalText = None
    """Column that tells people apart where they have several rows: one row of each is published."""
    accept: Reasons = ()
    """Columns to publish although they tell a sensitive value or hold free text: ["ward=the reason"]."""
    knowledge: Knowledge | None = None
    """What readers of this release are assumed to know, in place of the recipe's knowledge."""
    limits: BucketizeLimits = BucketizeLimits()
    """What must hold, or nothing is published."""


_CUTS = "tacit.methods.generalize_sets.solve.solve"


class Generalize(_Release):
    """Sets of items, k^m-anonymous."""

    method: Literal["generalize"] = "generalize"
    """The method of this release."""
    k: Annotated[int, Declared(_CUTS, "k")]
    """The fewest records that a reader is left with."""
    m: Annotated[int | Literal["auto"], Declared(_CUTS, "m")]
    """How many items of a record a reader may know, or auto."""
    algorithm: Annotated[Literal["apriori", "direct", "optimal", "best"], Declared(_CUTS, "algorithm")] = (
        "apriori"
    )
    """apriori, direct, optimal (exact; small domains) or best (several keyed starts)."""
    mapping: OptionalText = None
    """A mapping.csv of an earlier release: publish under the same cut, if the promise holds."""
    max_suppressed: Annotated[int | Decimal, Declared(_CUTS, "max_suppressed")] = 0
    """The share of records that may be left out."""
    max_narrowed: Annotated[int | Decimal, Declared(_CUTS, "max_narrowed")] = Decimal("0.05")
    """For m = "auto": the share of records that one more known item may narrow below k."""
    restarts: Annotated[int | None, Declared(_CUTS, "restarts")] = None
    """For the algorithm best: how many starts."""
    time_budget: Annotated[int | Decimal | None, Declared(_CUTS, "time_budget")] = None
    """For the algorithms optimal and best: seconds. What is found then depends on the machine's speed."""
    format: Annotated[str | None, Declared("tacit.methods.hide.proposal", "format")] = None
    """Published format: dat, basket, csv, long, jsonl, spmf or parquet; as it came in by default."""
    limits: GeneralizeLimits = GeneralizeLimits()
    """What must hold, or nothing is published."""


_HIDE = "tacit.methods.hide.proposal"


class Hide(_Release):
    """Transactions from which some patterns cannot be mined."""

    method: Literal["hide"] = "hide"
    """The method of this release."""
    patterns: Lines
    """What is secret: a file with one a line, or a list such as ["beer, diapers", "beer => wine"]."""
    min_support: Annotated[int | Decimal, Declared(_HIDE, "min_support")]
    """The support from which on a pattern is frequent: a count such as 25, or a share such as 0.01."""
    confidence: Annotated[int | Decimal, Declared(_HIDE, "confidence")] = Decimal("0.95")
    """How sure the first draw is to hide everything; a draw that does not is drawn again."""
    algorithm: Annotated[str, Declared(_HIDE, "method")] = "matrix"
    """matrix (the sanitization matrix) or swa (sliding windows)."""
    policy: Annotated[str, Declared(_HIDE, "policy")] = "certified"
    """certified, exact (keeps as much as is allowed) or paper (as published; its promise may fail)."""
    targets: Annotated[str, Declared(_HIDE, "targets")] = "drawn"
    """drawn: hidden pairs become as frequent as infrequent pairs are. limit: as frequent as is allowed."""
    decoys: Annotated[int, Declared(_HIDE, "decoys")] = 0
    """So many other frequent patterns are hidden exactly like each secret one; 0 disguises nothing."""
    min_confidence: Annotated[int | Decimal | None, Declared(_HIDE, "min_confidence")] = None
    """A rule is hidden, too, when its confidence is below this share; the cheaper way is taken."""
    disclosure: Annotated[int | Decimal | None, Declared(_HIDE, "disclosure")] = None
    """For swa: the share of a pattern's transactions that may keep it; as large as hides all by default."""
    window: Annotated[int, Declared(_HIDE, "window")] = 5_000
    """For swa: how many transactions a window has."""
    max_itemsets: Annotated[int, Declared(_HIDE, "max_itemsets")] = 10_000_000
    """Stop with an error, and a support that would fit, when more itemsets are frequent."""
    format: Annotated[str | None, Declared(_HIDE, "format")] = None
    """Published format: dat, basket, csv, long, jsonl, spmf or parquet; as it came in by default."""
    limits: HideLimits = HideLimits()
    """What must hold, or nothing is published."""


_RULES = "tacit.methods.disclose.safe_rules"


class Rules(_Release):
    """Association rules of a table, if they stay within a limit."""

    method: Literal["rules"] = "rules"
    """The method of this release."""
    min_support: Annotated[int | Decimal, Declared(_RULES, "min_support")]
    """The minimum support published with the rules: a count such as 25, or a share such as 0.1."""
    min_confidence: Annotated[int | Decimal, Declared(_RULES, "min_confidence")]
    """The minimum confidence published with the rules: a share such as 0.6."""
    max_posterior: Annotated[int | Decimal, Declared(_RULES, "max_posterior")]
    """No sensitive value of anybody may have a posterior above this share, or nothing is published."""
    max_length: Annotated[int | None, Declared(_RULES, "max_length")] = None
    """The most items on the left side of a rule."""
    scores: Annotated[str, Declared(_RULES, "scores")] = "exact"
    """exact: publish the scores of every rule; thresholds: of none."""
    distribution: Flag = False
    """Whether the reader knows the distribution of the sensitive attribute."""
    k: Annotated[int | None, Declared(_RULES, "k")] = None
    """Look for groups of fewer people than this that follow from the supports by subtraction."""
    channels: Annotated[str, Declared(_RULES, "channels")] = "report"
    """What to do about such groups: report or refuse."""
    limits: RulesLimits = RulesLimits()
    """What must hold, or nothing is published."""


Release = Annotated[Bucketize | Generalize | Hide | Rules, Field(discriminator="method")]
