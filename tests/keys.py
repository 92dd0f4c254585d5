"""A key as a publisher has it: what it makes is for publication."""

from __future__ import annotations

from tacit.random.key import Key


def secret_key(number: int) -> Key:
    """The same key for the same number, and not marked as that of an experiment."""
    return Key(Key.from_seed(number).reveal())
