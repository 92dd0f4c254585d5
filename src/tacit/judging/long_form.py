"""Notice a table that lists the items of transactions, one a line.

Orders, receipts, visits and click-streams often come so: a column that names the transaction and repeats, and
one that names the item. Such a table is better published as sets. A guess, like that of roles.
"""

from __future__ import annotations

from dataclasses import dataclass

from tacit.data.table import Table
from tacit.engine.choice import engine_for
from tacit.judging.roles import words_of

RECORDS = (
    "transaction", "invoice", "receipt", "basket", "cart", "order", "ticket", "tid", "session", "visit",
    "purchase", "rechnung", "bestellung", "factura", "facture", "commande", "user", "customer", "client",
    "member", "patient", "person", "kunde", "cliente",
)  # fmt: skip
"""Words for what holds items; of several columns the one with the earlier word is taken."""
ITEMS = (
    "item", "sku", "stock", "product", "article", "artikel", "produit", "producto", "articulo", "page", "url",
    "movie", "film", "book", "song", "track", "drug", "medication", "diagnosis", "procedure", "icd", "atc",
)  # fmt: skip
"""Words for what is held."""
LINES_EACH = 1.5
"""At least so many lines a transaction has on average."""
APART = 0.8
"""At least this share of the lines are different pairs: an item is listed once in a transaction."""


@dataclass(frozen=True, slots=True)
class LongForm:
    """The columns that name the transaction and the item."""

    record: str
    item: str


def long_form(table: Table) -> LongForm | None:
    """The two columns, where a table looks like a list of items; None where it does not."""
    repeating = [name for name in table.names if len(table) >= LINES_EACH * len(table.column(name).values)]
    records, items = _named(repeating, RECORDS), _named(repeating, ITEMS)
    for record in records:
        for item in items:
            if record != item and len(engine_for(table).combinations(table, [record, item])) >= APART * len(
                table
            ):
                return LongForm(record, item)
    return None


def _named(names: list[str], words: tuple[str, ...]) -> list[str]:
    """The names that have one of these words, those with the earlier word first."""
    found = [(min(map(words.index, words_of(name) & set(words)), default=None), name) for name in names]
    return [name for _, name in sorted((place, name) for place, name in found if place is not None)]
