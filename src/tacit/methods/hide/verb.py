"""The verb ``hide``: transactions go in with a secret, transactions come out in which it cannot be mined."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from tacit.mining.verbs import DEFAULT_MAX_ITEMSETS
from tacit.options import SAYS_FORMAT, Asked, Only, Says, TextFormat, verb
from tacit.ranges import Lines, Optional, Share, Support, Whole
from tacit.typing import Progress, Threshold

if TYPE_CHECKING:
    from tacit.data.transactions import Transactions
    from tacit.engine.base import Engine
    from tacit.methods.hide.make import HiddenRelease
    from tacit.random.key import Key

Algorithm = Literal["matrix", "swa"]
Policy = Literal["certified", "paper", "exact"]
MATRIX, SWA = get_args(Algorithm)
CERTIFIED, PAPER, EXACT = get_args(Policy)
MATRIX_ONLY = Only(lambda values: values["algorithm"] == MATRIX, "the algorithm 'matrix'")
SWA_ONLY = Only(lambda values: values["algorithm"] == SWA, "the algorithm 'swa'")


@verb
def hide(
    transactions: Transactions,
    *,
    patterns: Annotated[
        Iterable[object] | Path,
        Lines(),
        Says(
            "Patterns and rules that must not be found",
            "What is secret, one a line: beer, diapers for a pattern, beer => diapers for a rule. Only their"
            " number is published.",
        ),
    ],
    min_support: Annotated[
        Threshold,
        Support(),
        Says(
            "Least support of a pattern",
            "The support from which on a pattern is frequent: a count such as 25, or a share such as 0.01.",
        ),
    ],
    confidence: Annotated[
        Threshold,
        Share(open_high=True),
        Only(
            lambda values: values["algorithm"] == MATRIX and values["policy"] != EXACT,
            "the policies 'certified' and 'paper'",
        ),
        Says(
            "How sure the first draw is",
            "How sure the first draw is to hide everything; a draw that does not is drawn again.",
            empty="0.95",
        ),
    ] = 0.95,
    algorithm: Annotated[
        Algorithm,
        Says(
            "Method",
            "matrix (the sanitization matrix) or swa (sliding windows).",
            values=((MATRIX, "sanitization matrix"), (SWA, "sliding windows")),
        ),
    ] = MATRIX,
    policy: Annotated[
        Policy,
        MATRIX_ONLY,
        Says(
            "Policy of the matrix",
            "certified (all marked pairs are hidden together with the confidence asked for), exact (keeps as"
            " much as is allowed) or paper (as published; its promise may fail).",
            values=(
                (CERTIFIED, "certified: hides all together, surely"),
                (EXACT, "exact: keeps as much as is allowed"),
                (PAPER, "paper: as published; its promise may fail"),
            ),
        ),
    ] = CERTIFIED,
    targets: Annotated[
        Literal["drawn", "limit"],
        MATRIX_ONLY,
        Says(
            "Hidden pairs become",
            "drawn: hidden pairs become as frequent as infrequent pairs are. limit: as frequent as is"
            " allowed, which loses fewer patterns and shows where something is hidden.",
            values=(("drawn", "as frequent as infrequent pairs are"), ("limit", "as frequent as is allowed")),
        ),
    ] = "drawn",
    decoys: Annotated[
        int,
        Whole(0),
        Says(
            "Other patterns hidden alike, for each secret",
            "So many other frequent patterns are hidden exactly like each secret one, and nothing published"
            " says which was meant. 0 disguises nothing: readers who compare find the secret.",
            empty="0",
        ),
    ] = 0,
    min_confidence: Annotated[
        Threshold | None,
        Optional(Share()),
        Says(
            "A rule is hidden below the confidence",
            "A rule is hidden, too, when its confidence is below this share; the cheaper way is taken.",
            empty="do not use",
        ),
    ] = None,
    disclosure: Annotated[
        Threshold | None,
        Optional(Share(open_low=False)),
        SWA_ONLY,
        Says(
            "For windows: share that may keep a pattern",
            "For swa: the share of a pattern's transactions that may keep it; as large as hides by default.",
            empty="as large as hides all",
        ),
    ] = None,
    window: Annotated[
        int,
        Whole(1),
        SWA_ONLY,
        Says(
            "For windows: baskets in a window", "For swa: how many transactions a window has.", empty="5000"
        ),
    ] = 5_000,
    max_itemsets: Annotated[
        int,
        Whole(1),
        Says(
            "Most frequent itemsets",
            "Stop with an error, and a support that would fit, when more itemsets are frequent.",
            empty=str(DEFAULT_MAX_ITEMSETS),
        ),
    ] = DEFAULT_MAX_ITEMSETS,
    format: Annotated[TextFormat | None, SAYS_FORMAT] = None,
    key: Key | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> HiddenRelease:
    """Take items out of transactions until some patterns and rules can no longer be mined from them.

    {options}
    key
        What drives every random choice; by default the user's own.

    In Python, ``patterns`` may be sets of item names, mined itemsets and rules as well, or the Path of a
    file with one a line.

    >>> import tacit
    >>> baskets = tacit.load_sample("supermarket")
    >>> key = tacit.Key.from_seed(1)
    >>> release = tacit.hide(baskets, patterns=[{"beer", "diapers"}], min_support=0.01, key=key)
    >>> release.risk().hiding_failure
    0.0
    """
    asked = Asked(**locals())
    from tacit.methods.hide.make import make

    return make(asked)
