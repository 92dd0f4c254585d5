"""What must not be minable: patterns and rules as people write them, and all that gives them away.

A pattern is a set of items, a rule has two sides. In a file there is one a line; items are separated
by commas, or by blanks where no comma is on the line, and ``=>`` makes a rule; an item may stand in quotes,
and must where it holds a comma or an arrow. Everything after ``#`` at the beginning of a line is a comment.

    beer, diapers
    17 42 99
    whole milk, butter => yogurt
    "wine, red", cheese

Every frequent superset of a sensitive pattern is sensitive as well: who finds it has found the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays.compiled import interruptible
from tacit.data.transactions import Transactions
from tacit.engine.kernels.sets import holds_any, index_sets
from tacit.errors import InputError, Place
from tacit.mining.itemsets import Itemset, Itemsets
from tacit.mining.rules import Rule
from tacit.typing import Bools, Counts

Pattern = tuple[int, ...]
"""Item numbers, ascending."""
Pair = tuple[int, int]

_QUOTED = r'(?<![^\s,>⇒])"((?:[^"]|"")*)"(?![^\s,=⇒])'
"""An item in quotes; a quote inside a word is part of it."""
_ARROW = re.compile(f"{_QUOTED}|(=>|⇒)")
_BY_COMMAS = re.compile(rf"\s*(?:{_QUOTED}\s*|([^,]*))(?:,|$)")
"""One item, in quotes or not, and the comma after it."""
_BY_BLANKS = re.compile(rf"\s*(?:{_QUOTED}|(\S+))(?:\s+|$)")


@dataclass(frozen=True, order=True)
class SecretRule:
    """A rule that must not be minable, by item numbers."""

    antecedent: Pattern
    consequent: Pattern

    @property
    def sides(self) -> tuple[Pattern, Pattern]:
        return self.antecedent, self.consequent

    @property
    def items(self) -> Pattern:
        """Both sides together."""
        return tuple(sorted({*self.antecedent, *self.consequent}))


@dataclass(frozen=True)
class Secret:
    """Everything that must not be minable, each thing once and in order."""

    patterns: tuple[Pattern, ...]
    rules: tuple[SecretRule, ...] = ()

    def __len__(self) -> int:
        return len(self.patterns) + len(self.rules)


@dataclass(frozen=True, eq=False)
class Frequent:
    """What the miner found: the frequent patterns of two and more items, and which are sensitive."""

    itemsets: Itemsets
    sensitive: Bools
    item_supports: Counts
    least: int

    @property
    def pairs(self) -> dict[Pair, int]:
        """The support of each frequent pair."""
        matrix, supports, _ = self.itemsets.of_length(2)
        return {(a, b): n for (a, b), n in zip(matrix.tolist(), supports.tolist(), strict=True)}


def read_secret(patterns: object, transactions: Transactions) -> Secret:
    """The secret a person gave: a file (a Path), or an iterable of patterns and rules.

    A pattern is a set of names or a text as in a file; a rule is a text with ``=>``, a pair of sets,
    or a rule that was mined.

    >>> from tacit.data.transactions import transactions_from_sets
    >>> baskets = transactions_from_sets([{"beer", "chips"}, {"beer", "whole milk"}])
    >>> read_secret([{"beer", "chips"}, "beer => whole milk"], baskets)
    Secret(patterns=((0, 1),), rules=(SecretRule(antecedent=(0,), consequent=(2,)),))
    """
    found = set[Pattern | SecretRule]()
    if isinstance(patterns, Path):
        for number, line in enumerate(_lines(patterns), start=1):
            if line.strip() and not line.lstrip().startswith("#"):
                found.add(_parsed(line, transactions, Place(file=str(patterns), line=number)))
    else:
        if isinstance(patterns, str | bytes) or not isinstance(patterns, Iterable):
            raise _malformed("Patterns are given as a list of them, or as a Path to a file", None)
        for number, given in enumerate(patterns, start=1):
            found.add(_understood(given, transactions, Place(column=f"pattern {number}")))
    secret = Secret(
        tuple(sorted((one for one in found if isinstance(one, tuple)), key=lambda one: (len(one), one))),
        tuple(sorted(one for one in found if isinstance(one, SecretRule))),
    )
    if not len(secret):
        raise _malformed("There is no pattern to hide", None)
    return secret


def early(transactions: Transactions, given: Mapping[str, Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """What can be refused before a run: patterns that the transactions cannot hold."""
    yield "patterns", lambda: read_secret(given["patterns"], transactions)


def sensitive_mask(itemsets: Itemsets, patterns: Sequence[Pattern]) -> Bools:
    """Which of the itemsets are sensitive: those that contain one of the patterns."""
    if not patterns:
        return np.zeros(len(itemsets), dtype=np.bool_)
    offsets = np.cumsum([0, *map(len, patterns)], dtype=np.int64)
    codes = np.array([item for pattern in patterns for item in pattern], dtype=np.int32)
    frequencies = np.bincount(itemsets.items, minlength=len(itemsets.vocabulary))
    return interruptible(holds_any, itemsets.offsets, itemsets.items, index_sets(offsets, codes, frequencies))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(
            f"The file of patterns cannot be read: {reason}.",
            code="patterns-unreadable",
            where=Place(file=str(path)),
            hint="Name a text file with one pattern a line.",
        ) from error


def _understood(given: Any, transactions: Transactions, where: Place) -> Pattern | SecretRule:
    if isinstance(given, str):
        return _parsed(given, transactions, where)
    if isinstance(given, Rule):
        return _rule(given.antecedent, given.consequent, transactions, where)
    if isinstance(given, Itemset):
        return _pattern(given.items, transactions, where)
    two = isinstance(given, tuple) and len(given) == 2
    if two and not any(isinstance(side, str | int) for side in given):
        return _rule(given[0], given[1], transactions, where)
    if not isinstance(given, Iterable):
        raise _malformed("A pattern is a set of item names", where)
    return _pattern(given, transactions, where)


def _parsed(text: str, transactions: Transactions, where: Place) -> Pattern | SecretRule:
    for found in _ARROW.finditer(text):
        if found[2]:
            left, right = text[: found.start()], text[found.end() :]
            return _rule(_names(left, transactions), _names(right, transactions), transactions, where)
    return _pattern(_names(text, transactions), transactions, where)


def _names(text: str, transactions: Transactions) -> list[str]:
    """The items of one side: at commas, else at blanks, unless the whole text is one item's name."""
    text = text.strip()
    unquoted = re.sub(_QUOTED, "", text)
    if "," not in unquoted and text in transactions.index:
        return [text]
    parts = (
        plain.strip() if quoted is None else quoted.replace('""', '"')
        for quoted, plain in (
            part.groups() for part in (_BY_COMMAS if "," in unquoted else _BY_BLANKS).finditer(text)
        )
    )
    return [part for part in parts if part]


def _pattern(names: Iterable[object], transactions: Transactions, where: Place) -> Pattern:
    wanted = [str(name) for name in names]
    if not wanted:
        raise _malformed("A pattern without items would be in every transaction", where, code="pattern-empty")
    try:
        return transactions.codes_of(wanted)
    except InputError as error:
        hint = f"{error.hint} One that holds a comma or an arrow stands in quotes."
        raise InputError(error.message, code=error.code, where=where, hint=hint) from None


def _rule(
    left: Iterable[object], right: Iterable[object], transactions: Transactions, where: Place
) -> SecretRule:
    rule = SecretRule(_pattern(left, transactions, where), _pattern(right, transactions, where))
    if set(rule.antecedent) & set(rule.consequent):
        raise _malformed("An item stands on both sides of a rule", where, code="rule-sides")
    return rule


def _malformed(what: str, where: Place | None, *, code: str = "pattern-malformed") -> InputError:
    return InputError(
        f"{what}.",
        code=code,
        where=where,
        hint='Write a pattern as {"beer", "diapers"} or "beer, diapers", a rule as "beer => diapers".',
    )
