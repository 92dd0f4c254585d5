"""Carrying a cut out: the transactions as they are published."""

from __future__ import annotations

from tacit.data.transactions import Transactions
from tacit.engine.base import HeldSets, Recoded
from tacit.engine.choice import engine_for
from tacit.methods.generalize_sets.solve.cut import Cut


def generalized(transactions: Transactions, cut: Cut, left_out: HeldSets) -> Recoded:
    """The records with every item replaced by its node of the cut, without those left out."""
    names = [cut.mapping[item] for item in transactions.vocabulary]
    return engine_for(transactions).recoded(transactions, names, left_out)
