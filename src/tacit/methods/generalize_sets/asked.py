"""What is asked for, with the defaults settled that the data decide: it is handed on whole."""

from __future__ import annotations

from tacit.methods.generalize_sets.estimate import telling_how_long
from tacit.methods.generalize_sets.verb import BEST, with_hierarchy
from tacit.options import Asked
from tacit.random.key import load_key


def settled(given: Asked) -> Asked:
    """The checked arguments of the verb, with a hierarchy, a key where one is needed, and a listener."""
    transactions, key, progress = with_hierarchy(given), given.key, given.progress
    if key is None and (given.algorithm == BEST or given.person is not None):
        key = load_key()
    if progress is None:
        progress = _tell_nobody
    elif given.mapping is None and given.after is None:
        progress = telling_how_long(progress, transactions, k=given.k, m=given.m)
    return Asked(**vars(given) | {"transactions": transactions, "key": key, "progress": progress})


def _tell_nobody(what: str, share: float | None) -> None:
    """Report a step to nobody."""
