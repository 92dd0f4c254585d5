"""How far mining goes unless said otherwise."""

DEFAULT_MAX_ITEMSETS = 10_000_000
