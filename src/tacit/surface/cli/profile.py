"""``tacit profile``: what is here, what is at risk as it stands, which method fits."""

from __future__ import annotations

import shlex
from dataclasses import fields, replace

from tacit.judging.profile import TableProfile, TransactionsProfile
from tacit.surface.cli.common import Shown, Source, say_notes
from tacit.surface.cli.data import DataFlags, is_transactions, load_table, load_transactions

TREE = "hierarchy.csv"
"""The file that the hierarchy of items is proposed to be built in."""


def profile(
    data: Source, /, *, flags: DataFlags = DataFlags(), shown: Shown = Shown()
) -> TableProfile | TransactionsProfile:
    """Show what is in a data set, what is at risk as it stands, and which method fits.

    Roles that are not given are guessed. Nothing is written.

    Parameters
    ----------
    data
        A file, - for standard input, a database address, or sample:NAME.
    """
    from tacit.judging.profile import profile as judge

    loaded = load_transactions(data, flags) if is_transactions(data, flags) else load_table(data, flags)
    found = judge(loaded)
    say_notes(found, shown)
    command = found.next_command
    if isinstance(found, TransactionsProfile):
        if flags.hierarchy is not None:
            command = command.replace("HIERARCHY", shlex.quote(str(flags.hierarchy)))
        elif found.hierarchy:  # a sample brings its own
            command = command.replace(" --hierarchy HIERARCHY", "")
        else:
            command = f"{_tree_command(data, flags)}\n  {command.replace('HIERARCHY', TREE)}"
    said = {"hierarchy"} if isinstance(found, TransactionsProfile) else {"quasi", "sensitive", "drop"}
    return replace(found, next_command=" ".join([command, *_reading_flags(flags, said)]))


def _tree_command(data: str, flags: DataFlags) -> str:
    """How to build the hierarchy that is missing; neighbours together is a start that always works."""
    read = [
        word.replace("--format ", "--data-format ") for word in _reading_flags(flags, {"sensitive", "engine"})
    ]
    build = ["tacit hierarchy build", shlex.quote(data), "--by balanced --fanout 5 -o", TREE]
    return " ".join([*build, *read])


def _reading_flags(flags: DataFlags, said: set[str]) -> list[str]:
    """The flags that say how the data are read, as typed, but for those that the next command has already."""
    usual, words = DataFlags(), list[str]()
    for name in sorted({field.name for field in fields(flags)} - said):
        value = getattr(flags, name)
        if value == getattr(usual, name):
            continue
        flag = "--no-header" if name == "header" and value is False else f"--{name.replace('_', '-')}"
        text = ",".join(value) if isinstance(value, tuple) else str(value)
        words.append(flag if isinstance(value, bool) else f"{flag} {shlex.quote(text)}")
    return words
