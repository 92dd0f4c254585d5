"""``tacit profile``: what is here, what is at risk as it stands, which method fits."""

from __future__ import annotations

from tacit.cli.common import (
    DataFlags,
    Shown,
    Source,
    is_transactions,
    load_table,
    load_transactions,
    say_notes,
)
from tacit.judge.profile import TableProfile, TransactionsProfile


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
    from tacit.judge.profile import profile as judge

    loaded = load_transactions(data, flags) if is_transactions(data, flags) else load_table(data, flags)
    say_notes(loaded, shown)
    return judge(loaded)
