"""Made-up supermarket baskets, with a product hierarchy and patterns planted in them.

A basket belongs to a kind of shopper, who buys a number of products (1 + Poisson) by the products'
weights, some groups more than others. Then each planted pattern goes into a share of the baskets,
whole. What a shop would rather keep to itself is among them: that beer goes with diapers, and the
three products that give away a pregnancy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tacit.data.hierarchy import Hierarchy, from_parents
from tacit.data.transactions import Transactions, from_pairs
from tacit.io.samples.draws import CHOICES, SEED, Draws, choice_table, without_gaps
from tacit.io.samples.products import ROOT, parents, product_weights
from tacit.ranges import Whole, check
from tacit.typing import Floats

RANGES = {"transactions": Whole(1, 50_000_000), "seed": SEED}


@dataclass(frozen=True, slots=True)
class PlantedPattern:
    """Products put together into this share of the baskets, beside what chance brings."""

    items: frozenset[str]
    share: float
    meaning: str


PLANTED_PATTERNS = (
    PlantedPattern(frozenset({"beer", "diapers"}), 0.03, "A parent sent out for diapers in the evening."),
    PlantedPattern(
        frozenset({"cotton-wool", "folic-acid-tablets", "unscented-lotion"}),
        0.015,
        "Somebody expects a child.",
    ),
    PlantedPattern(frozenset({"parmesan", "spaghetti", "tomato-sauce"}), 0.02, "Dinner in twenty minutes."),
    PlantedPattern(
        frozenset({"salsa-dip", "tortilla-chips"}), 0.02, "An evening in front of the television."
    ),
    PlantedPattern(frozenset({"beer", "bratwurst", "charcoal", "mustard"}), 0.0125, "A barbecue."),
    PlantedPattern(frozenset({"baking-powder", "eggs", "flour", "sugar"}), 0.0125, "A cake is baked."),
)
"""What is planted; the share is a lower bound of the pattern's support, up to the luck of the draw."""


def supermarket(transactions: int = 5000, seed: int = 0) -> Transactions:
    """Seeded baskets under the product hierarchy.

    >>> baskets = supermarket(2000)
    >>> baskets.hierarchy.labels[baskets.hierarchy.root]
    'all-products'
    >>> both = set(baskets.codes_of(["beer", "diapers"]))
    >>> len(both)
    2
    """
    check("supermarket", RANGES, transactions=transactions, seed=seed)
    names = sorted(product_weights(), key=str.encode)
    kinds = choice_table([kind.share for kind in _SHOPPERS])[Draws(seed, "shopper").halves(transactions)]
    sizes = np.empty(transactions, dtype=np.int64)
    for number, kind in enumerate(_SHOPPERS):
        those = kinds == number
        sizes[those] = 1 + Draws(seed, f"size {kind.name}").poisson(kind.average_length - 1, int(those.sum()))
    baskets = [np.repeat(np.arange(transactions), sizes)]
    bought = [Draws(seed, "product").choices(_weights(names), np.repeat(kinds, sizes)).astype(np.int32)]
    for planted in PLANTED_PATTERNS:
        label = f"pattern {' '.join(sorted(planted.items))}"
        chosen = np.flatnonzero(Draws(seed, label).halves(transactions) < planted.share * CHOICES)
        for item in sorted(planted.items):
            baskets.append(chosen)
            bought.append(np.full(len(chosen), names.index(item), dtype=np.int32))
    codes, present = without_gaps(np.concatenate(bought), len(names))
    vocabulary = tuple(name for name, occurs in zip(names, present, strict=True) if occurs)
    drawn = from_pairs(np.concatenate(baskets), codes, transactions, vocabulary)
    # A product drawn twice for a basket is no repeat in anybody's data, so nothing is noted of it.
    return Transactions(
        drawn.indptr, drawn.items, vocabulary, hierarchy=supermarket_hierarchy(), origin="sample:supermarket"
    )


def supermarket_hierarchy() -> Hierarchy:
    """Department > group > shelf > product, under one root."""
    return from_parents(parents(), name="products", root=ROOT)


@dataclass(frozen=True, slots=True)
class _Shopper:
    """A kind of shopper; a product's weight is multiplied by the factor of every label above it."""

    name: str
    share: float
    average_length: float
    factors: Mapping[str, float] = field(default_factory=dict)


_SHOPPERS = (
    _Shopper("errand", 0.45, 3, {"Bakery": 1.5, "Soft-drinks": 1.3, "Baby": 0.2, "Cleaning": 0.5}),
    _Shopper("weekly shop", 0.33, 12, {"Cleaning": 1.3, "Staples": 1.2, "Baby": 0.2}),
    _Shopper("family with a baby", 0.08, 11, {"Baby": 9, "Dairy": 1.3, "Alcoholic-drinks": 0.5}),
    _Shopper(
        "evening with friends",
        0.09,
        6,
        {"Alcoholic-drinks": 4, "Salty-snacks": 4, "Frozen-meals": 2, "Baby": 0},
    ),
    _Shopper("cares for health", 0.05, 7, {"Supplements": 6, "Fruit-and-vegetables": 2, "Sausages": 0.3}),
)


def _weights(names: list[str]) -> Floats:
    """Shape (kinds of shoppers, products): how likely each is to buy what."""
    above = parents()
    weights = product_weights()
    table = np.array([[weights[name] for name in names]] * len(_SHOPPERS), dtype=np.float64)
    for row, kind in enumerate(_SHOPPERS):
        for place, name in enumerate(names):
            label = name
            while (label := above.get(label, "")) != "":
                table[row, place] *= kind.factors.get(label, 1.0)
    return table
