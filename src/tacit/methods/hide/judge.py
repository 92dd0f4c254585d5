"""How well patterns are hidden in published transactions, and what the others lost.

The judge mines the published transactions and compares what it finds with the frequent patterns of the
original, the sensitive ones P_H and the others ~P_H. The five measures are those of [1], section 4.1:

- hiding failure: the share of the sensitive patterns that can still be mined;
- misses cost: the share of the other patterns that can no longer be mined;
- artificial patterns: the share of what can be mined now that could not be mined before;
- dissimilarity: the share of all (transaction, item) cells that are gone;
- weakness: the share of the hidden patterns all of whose pairs can be mined (forward inference).

[1] E. T. Wang, G. Lee, Y. T. Lin. A Novel Method for Protecting Sensitive Knowledge in Association Rules
    Mining. COMPSAC 2005.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from tacit.data.transactions import Transactions
from tacit.engine.base import Engine
from tacit.engine.choice import engine_for
from tacit.methods.hide.attackers import Disguise
from tacit.methods.hide.figures import RARE
from tacit.mining.itemsets import Itemsets
from tacit.mining.mine import mine_transactions
from tacit.notebook import InNotebook
from tacit.typing import Bools


@dataclass(frozen=True)
class HidingRisks(InNotebook):
    """What a reader of the published transactions could find of what was to be hidden."""

    sensitive: int
    """Sensitive patterns: those named and all their frequent supersets."""
    still_frequent: int
    inferable: int
    """Hidden patterns all of whose pairs are frequent."""
    disguise: Disguise | None
    rare_items: int
    """Items left in fewer than five transactions."""

    @property
    def hiding_failure(self) -> float:
        return self.still_frequent / self.sensitive if self.sensitive else 0.0

    @property
    def weakness(self) -> float:
        hidden = self.sensitive - self.still_frequent
        return self.inferable / hidden if hidden else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The figures; none of them names a pattern."""
        return {
            "sensitive": self.sensitive,
            "hiding_failure": self.hiding_failure,
            "weakness": self.weakness,
            "rare_items": self.rare_items,
            **({} if self.disguise is None else self.disguise.to_dict()),
        }


@dataclass(frozen=True)
class HidingUtility(InNotebook):
    """What the published transactions kept."""

    patterns: int
    """Frequent patterns of the original that are not sensitive."""
    lost: int
    artificial: int
    mined: int
    """Frequent patterns of the published transactions."""
    cells: int
    removed: int
    frequent: int
    """Frequent patterns of the original, the sensitive ones included."""
    items: int = 0
    """Frequent items of the original that are not sensitive by themselves."""
    items_lost: int = 0

    @property
    def lost_share(self) -> float:
        """The share of all frequent patterns that cannot be mined any more, the sensitive ones included.

        Unlike the misses cost it is the same whichever of the patterns that are gone were sensitive.
        """
        return 1 - (self.mined - self.artificial) / self.frequent if self.frequent else 0.0

    @property
    def misses_cost(self) -> float:
        return self.lost / self.patterns if self.patterns else 0.0

    @property
    def artificial_patterns(self) -> float:
        return self.artificial / self.mined if self.mined else 0.0

    @property
    def dissimilarity(self) -> float:
        return self.removed / self.cells if self.cells else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The three measures and what they were counted from."""
        measures = ("misses_cost", "artificial_patterns", "dissimilarity")
        counts = ("patterns", "lost", "items", "items_lost", "removed")
        return {name: getattr(self, name) for name in (*measures, *counts)}


@dataclass(frozen=True, eq=False)
class Found:
    """The patterns of two and more items mined from published transactions."""

    mined_now: Itemsets

    @classmethod
    def mined(cls, published: Transactions, least: int, engine: Engine | None = None) -> Found:
        """Mine the published transactions at the least support."""
        return cls(mine_transactions(published, min_support=least, min_length=2, engine=engine))

    def among(self, patterns: Itemsets) -> Bools:
        """Which of these patterns can be mined."""
        return patterns.supports_in(self.mined_now) > 0

    def inferable(self, hidden: Itemsets) -> int:
        """How many of these patterns cannot be mined while all their pairs can (forward inference)."""
        gone = hidden.select(~self.among(hidden))
        used = np.unique(gone.items)
        one, other = np.triu_indices(len(used), 1)
        pairs = Itemsets(
            hidden.vocabulary,
            2 * np.arange(len(one) + 1),
            np.stack([used[one], used[other]], axis=1).ravel(),
            np.ones(len(one), dtype=np.int64),
            hidden.n_rows,
        )
        minable = np.zeros((len(used), len(used)), dtype=np.bool_)
        minable[one, other] = self.among(pairs)
        count = 0
        for length in range(2, int(gone.lengths.max(initial=0)) + 1):
            places = np.searchsorted(used, gone.of_length(length)[0])
            all_pairs = np.ones(len(places), dtype=np.bool_)
            for left, right in combinations(range(length), 2):
                all_pairs &= minable[places[:, left], places[:, right]]
            count += int(all_pairs.sum())
        return count


def judge_hiding(
    published: Transactions,
    found: Found,
    itemsets: Itemsets,
    sensitive: Bools,
    *,
    named: Sequence[frozenset[str]],
    least: int,
    disguise: Disguise | None = None,
) -> HidingRisks:
    """Look for the sensitive ones among the frequent patterns; of those ``named``, single items count too."""
    hidden = itemsets.select(sensitive)
    supports = {name: int(published.supports[item]) for name, item in published.index.items()}
    singles = [name for name in named if len(name) == 1]
    open_singles = sum(supports.get(next(iter(name)), 0) >= least for name in singles)
    return HidingRisks(
        sensitive=len(hidden) + len(singles),
        still_frequent=int(found.among(hidden).sum()) + open_singles,
        inferable=found.inferable(hidden),
        disguise=disguise,
        rare_items=int((published.supports < RARE).sum()),
    )


def measure_hiding(
    published: Transactions,
    original: Transactions,
    found: Found,
    itemsets: Itemsets,
    sensitive: Bools,
    *,
    least: int,
    named: Sequence[frozenset[str]] = (),
) -> HidingUtility:
    """Compare what can be mined now with what could be mined before.

    The misses cost counts patterns of two and more items, as in [1]; single items are counted beside it, but
    for those among ``named``.
    """
    singles = {name for names in named if len(names) == 1 for name in names}
    items = {
        original.vocabulary[item] for item in np.flatnonzero(original.supports >= least).tolist()
    } - singles
    left = {published.vocabulary[item] for item in np.flatnonzero(published.supports >= least).tolist()}
    there = found.among(itemsets)
    return HidingUtility(
        patterns=int((~sensitive).sum()),
        lost=int((~there & ~sensitive).sum()),
        artificial=len(found.mined_now) - int(there.sum()),
        mined=len(found.mined_now),
        cells=original.n_occurrences,
        removed=original.n_occurrences - published.n_occurrences,
        frequent=len(itemsets),
        items=len(items),
        items_lost=len(items - left),
    )


def as_named(itemsets: Itemsets, patterns: Sequence[Sequence[int]]) -> list[frozenset[str]]:
    """Patterns of item numbers as sets of names."""
    names = np.array(itemsets.vocabulary, dtype=object)
    return [frozenset(names[list(pattern)].tolist()) for pattern in patterns]


def pattern_supports(transactions: Transactions, patterns: Sequence[frozenset[str]]) -> list[int]:
    """How many transactions hold each pattern; 0 where an item of it occurs in none.

    >>> from tacit.data.transactions import transactions_from_sets
    >>> baskets = transactions_from_sets([{"beer", "diapers"}, {"beer"}])
    >>> pattern_supports(baskets, [frozenset({"beer"}), frozenset({"beer", "wine"})])
    [2, 0]
    """
    known = [place for place, names in enumerate(patterns) if names and names <= transactions.index.keys()]
    codes = [sorted(transactions.index[name] for name in patterns[place]) for place in known]
    counts = engine_for(transactions).set_supports(transactions, codes).tolist()
    found = dict(zip(known, counts, strict=True))
    return [found.get(place, 0) for place in range(len(patterns))]
