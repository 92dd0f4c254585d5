"""Notice a table that lists the items of transactions, one a line.

Orders, receipts, visits and click-streams often come so: a column that names the transaction and repeats, and
one that names the item. Such a table is better published as sets. A guess, like that of roles.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

RECORDS = (
    "transaction", "invoice", "receipt", "basket", "cart", "order", "ticket", "tid", "session", "visit",
    "purchase", "rechnung", "bestell", "auftrag", "bon", "beleg", "factura", "facture", "commande", "user",
    "customer", "client", "member", "patient", "person", "kunde", "cliente",
)  # fmt: skip
"""Words for what holds items; of several columns the one with the earlier word is taken."""
ITEMS = (
    "item", "sku", "stock", "product", "article", "artikel", "produkt", "ware", "produit", "producto",
    "articulo", "page", "url", "movie", "film", "book", "song", "track", "drug", "medication", "diagnosis",
    "procedure", "icd", "atc", "description",
)  # fmt: skip
"""Words for what is held."""
STEMS = ("rechnung", "bestell", "auftrag", "beleg", "kunde", "artikel", "produkt")
"""Words that longer ones begin with: Bestellnummer, Artikelbezeichnung."""
LINES_EACH = 1.5
"""At least so many lines a transaction has on average."""
APART = 0.8
"""At least this share of the lines are different pairs: an item is listed once in a transaction."""


@dataclass(frozen=True, slots=True)
class LongForm:
    """The columns that name the transaction and the item."""

    record: str
    item: str


def listing(n_lines: int, distinct: Mapping[str, int], pairs: Callable[[str, str], int]) -> LongForm | None:
    """The two columns of a list, by how many values columns have and pairs of them; None where it is none."""
    repeating = [name for name, count in distinct.items() if n_lines >= LINES_EACH * count]
    for record in _named(repeating, RECORDS):
        for item in _named(repeating, ITEMS):
            if record != item and pairs(record, item) >= APART * n_lines:
                return LongForm(record, item)
    return None


def words_of(name: str) -> set[str]:
    """The words of a column's name, in small letters without accents.

    >>> sorted(words_of("Année_deNaissance"))
    ['annee', 'de', 'naissance']
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return set(re.split(r"[^a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", plain).lower())) - {""}


def _named(names: list[str], words: tuple[str, ...]) -> list[str]:
    """The names that have one of these words, those with the earlier word first.

    >>> _named(["Artikelbezeichnung", "Preis", "Bestellnr."], RECORDS)
    ['Bestellnr.']
    """
    places = [(min(map(words.index, _known(name) & set(words)), default=None), name) for name in names]
    return [name for _, name in sorted((place, name) for place, name in places if place is not None)]


def _known(name: str) -> set[str]:
    """The words of a name, and the stems that they begin with."""
    words = words_of(name)
    return words | {stem for stem in STEMS if any(word.startswith(stem) for word in words)}
