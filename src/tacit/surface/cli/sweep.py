"""``tacit sweep``: a range of settings and methods, utility against risk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from cyclopts import Parameter, Token

from tacit.surface.cli.common import Shown, Source, as_whole, progress_bar, say_notes, split_commas
from tacit.surface.cli.data import DataFlags, is_transactions, load_table, load_transactions
from tacit.surface.sweep import K, L, M, Sweep
from tacit.surface.sweep import sweep as try_all


def _numbers(type_: Any, tokens: Sequence[Token]) -> tuple[int, ...]:
    """Whole numbers, comma-separated or repeated: ``-k 5,11 -k 20``."""
    return tuple(
        as_whole(int, [Token(keyword=tokens[0].keyword, value=part)]) for part in split_commas(str, tokens)
    )


Numbers = Annotated[tuple[int, ...], Parameter(converter=_numbers, n_tokens=1, accepts_keys=False)]


def sweep(
    data: Source,
    /,
    *,
    k: Annotated[Numbers, Parameter(name=("-k", "--k"))] = K,
    l: Annotated[Numbers, Parameter(name=("-l", "--l"))] = L,
    m: Annotated[Numbers, Parameter(name=("-m", "--m"))] = M,
    flags: DataFlags = DataFlags(),
    shown: Shown = Shown(),
) -> Sweep:
    """Try a range of settings and methods, and show what each risks and loses; nothing is published.

    Risk is measured on thresholds that never move, so that all tries can be compared.

    Parameters
    ----------
    data
        A file, - for standard input, a database address, or sample:NAME.
    k
        The fewest rows or records that look alike, as generalize takes it.
    l
        The possible values that everybody keeps, as bucketize takes them.
    m
        The items that a reader may know of a person, as generalize takes them for sets.
    """
    loaded = load_transactions(data, flags) if is_transactions(data, flags) else load_table(data, flags)
    say_notes(loaded, shown)
    with progress_bar(shown) as progress:
        return try_all(loaded, k=k, l=l, m=m, progress=progress)
