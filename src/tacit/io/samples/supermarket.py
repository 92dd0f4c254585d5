"""Made-up supermarket baskets, with a product hierarchy and patterns planted in them.

A basket belongs to a kind of shopper, who buys a number of products (1 + Poisson) by the products'
weights, some groups more than others. Then each planted pattern goes into a share of the baskets,
whole. What a shop would rather keep to itself is among them: that beer goes with diapers, and the
three products that give away a pregnancy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from tacit.data.hierarchy import Hierarchy, from_parents
from tacit.data.transactions import Transactions, from_pairs
from tacit.io.samples import CHOICES, SEED, Draws, choice_table, without_gaps
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


Shelf = dict[str, float]
Group = dict[str, Shelf]

ROOT = "all-products"

PRODUCTS: dict[str, dict[str, Group]] = {
    "Fresh": {
        "Dairy": {
            "Milk": {"whole-milk": 95, "skimmed-milk": 60, "oat-milk": 22, "lactose-free-milk": 10},
            "Cheese": {"cheddar": 34, "mozzarella": 26, "gouda": 24, "parmesan": 15, "feta": 12},
            "Yoghurt": {"plain-yoghurt": 48, "fruit-yoghurt": 42, "skyr": 14},
            "Butter-and-eggs": {"butter": 52, "margarine": 18, "eggs": 58, "whipping-cream": 20},
        },
        "Fruit-and-vegetables": {
            "Fruit": {
                "bananas": 78,
                "apples": 56,
                "oranges": 30,
                "grapes": 18,
                "strawberries": 20,
                "lemons": 22,
            },
            "Salad": {"lettuce": 28, "cucumber": 36, "tomatoes": 54, "avocado": 17},
            "Cooking-vegetables": {
                "onions": 46,
                "potatoes": 44,
                "carrots": 38,
                "courgettes": 15,
                "peppers": 29,
            },
            "Herbs-and-mushrooms": {"parsley": 11, "basil": 10, "mushrooms": 21, "garlic": 24},
        },
        "Meat-and-fish": {
            "Poultry": {"chicken-breast": 36, "whole-chicken": 13},
            "Beef-and-pork": {"minced-beef": 28, "steak": 12, "pork-chops": 14, "bacon": 18},
            "Sausages": {"frankfurters": 17, "bratwurst": 13, "salami": 16, "ham": 25},
            "Fish": {"salmon": 15, "cod": 8, "prawns": 7},
        },
        "Bakery": {
            "Bread": {"white-bread": 50, "wholemeal-bread": 40, "baguette": 22, "rye-bread": 14, "rolls": 45},
            "Pastry": {"croissants": 24, "muffins": 13, "apple-pie": 8},
        },
    },
    "Pantry": {
        "Staples": {
            "Pasta-and-rice": {"spaghetti": 30, "penne": 18, "basmati-rice": 20, "couscous": 6},
            "Flour-and-sugar": {"flour": 22, "sugar": 26, "baking-powder": 9, "yeast": 7},
            "Oil-and-vinegar": {"olive-oil": 20, "sunflower-oil": 15, "vinegar": 10},
        },
        "Tins-and-sauces": {
            "Tins": {"tinned-tomatoes": 27, "sweetcorn": 14, "tuna-in-oil": 16, "baked-beans": 11},
            "Sauces": {"tomato-sauce": 21, "pesto": 13, "ketchup": 17, "mayonnaise": 14, "mustard": 11},
        },
        "Breakfast": {
            "Cereals": {"cornflakes": 19, "muesli": 21, "rolled-oats": 18},
            "Spreads": {"strawberry-jam": 17, "honey": 14, "peanut-butter": 12, "hazelnut-spread": 16},
        },
        "Sweets-and-snacks": {
            "Chocolate": {"milk-chocolate": 30, "dark-chocolate": 17, "chocolate-bar": 23},
            "Biscuits": {"butter-biscuits": 18, "crackers": 13},
            "Salty-snacks": {"potato-crisps": 27, "tortilla-chips": 13, "salted-peanuts": 12, "salsa-dip": 6},
        },
        "Frozen-food": {
            "Frozen-meals": {"frozen-pizza": 25, "fish-fingers": 12, "frozen-chips": 15},
            "Ice-cream": {"vanilla-ice-cream": 14},
            "Frozen-vegetables": {"frozen-peas": 15, "frozen-spinach": 14},
        },
    },
    "Drinks": {
        "Soft-drinks": {
            "Water": {"still-water": 40, "sparkling-water": 38},
            "Juice": {"orange-juice": 34, "apple-juice": 21},
            "Fizzy-drinks": {"cola": 36, "diet-cola": 18, "lemonade": 15, "iced-tea": 14, "energy-drink": 9},
        },
        "Hot-drinks": {
            "Coffee": {"ground-coffee": 28, "coffee-capsules": 17},
            "Tea": {"black-tea": 12, "herbal-tea": 11, "cocoa": 8},
        },
        "Alcoholic-drinks": {
            "Beers": {"beer": 30, "wheat-beer": 10},
            "Wine": {"red-wine": 18, "white-wine": 14, "sparkling-wine": 7},
            "Spirits": {"vodka": 5, "gin": 4},
        },
    },
    "Household-and-care": {
        "Baby": {
            "Nappies-and-wipes": {"diapers": 13, "baby-wipes": 11},
            "Baby-food": {"baby-porridge": 7, "fruit-puree": 8, "infant-formula": 5},
        },
        "Health": {
            "Supplements": {
                "folic-acid-tablets": 3,
                "vitamin-D-drops": 5,
                "magnesium-tablets": 6,
                "zinc-tablets": 3,
            },
            "Medicine-cabinet": {"plasters": 6, "cough-drops": 8, "pregnancy-test": 1.5, "thermometer": 1},
        },
        "Body-care": {
            "Skin-care": {"unscented-lotion": 4, "sun-cream": 5, "hand-cream": 7, "cotton-wool": 8},
            "Wash": {"shampoo": 15, "shower-gel": 17, "soap": 13},
            "Teeth": {"toothpaste": 18, "toothbrush": 8},
        },
        "Cleaning": {
            "Paper": {"toilet-paper": 30, "kitchen-roll": 20, "paper-tissues": 16},
            "Detergents": {"washing-powder": 14, "washing-up-liquid": 13, "surface-cleaner": 10},
        },
        "Pets-and-garden": {
            "Pet-food": {"cat-food": 18, "dog-food": 14},
            "Garden": {"charcoal": 6, "potting-soil": 4, "candles": 7},
        },
    },
}
"""Departments, groups, shelves and products with their weights."""


def product_weights() -> dict[str, float]:
    """The weight of each product."""
    return {product: weight for *_, products in _shelves() for product, weight in products.items()}


def parents() -> dict[str, str]:
    """The label above each label but the root."""
    above: dict[str, str] = {}
    for *way, products in _shelves():
        labels = [ROOT, *way]
        above.update(zip(labels[1:], labels[:-1], strict=True))
        above.update(dict.fromkeys(products, labels[-1]))
    return above


def _shelves() -> Iterator[tuple[str, str, str, Shelf]]:
    """Every shelf: its department, its group, its name and its products."""
    for department, groups in PRODUCTS.items():
        for group, on_shelves in groups.items():
            for shelf, products in on_shelves.items():
                yield department, group, shelf, products
