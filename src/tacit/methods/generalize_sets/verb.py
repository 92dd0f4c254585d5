"""The verb ``generalize`` for sets: transactions go in, a k^m-anonymous release comes out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tacit.errors import UsageError, option
from tacit.options import JUDGES, PUBLISHED_AS, QUICK, SAYS_FORMAT, SAYS_JUDGE, Only, Says, verb
from tacit.ranges import Either, File, OneOf, Optional, Share, Whole
from tacit.typing import Progress, Threshold

if TYPE_CHECKING:
    from tacit.arrays.interrupt import Flag
    from tacit.data.hierarchy import Hierarchy
    from tacit.data.transactions import Transactions
    from tacit.methods.generalize_sets.make import GeneralizedRelease
    from tacit.random.key import Key

AUTO = "auto"
APRIORI, DIRECT, OPTIMAL, BEST = ALGORITHMS = ("apriori", "direct", "optimal", "best")
MAX_NARROWED = 0.05


def _without_mapping(values: Mapping[str, Any]) -> bool:
    return values["mapping"] is None


OWN_CUT = Only(_without_mapping, "records without a mapping")


@verb
def generalize(
    transactions: Transactions,
    *,
    k: Annotated[
        int,
        Whole(2),
        Says("Fewest records a reader faces", "The fewest records that a reader is left with.", flag="k"),
    ],
    m: Annotated[
        int | Literal["auto"],
        Either(Whole(1), OneOf((AUTO,))),
        Says(
            "Items of a person that a reader may know",
            "How many items of a record a reader may know, or auto, which raises it until one item more"
            " narrows at most the share max_narrowed of the records.",
            flag="m",
        ),
    ],
    algorithm: Annotated[
        str,
        OneOf(ALGORITHMS),
        OWN_CUT,
        Says(
            "Algorithm",
            "apriori, direct, optimal (exact, with proof; small domains) or best (several keyed starts).",
            values=(
                (APRIORI, "apriori: fast, good"),
                (DIRECT, "direct: as first published"),
                (OPTIMAL, "optimal: exact, for small domains"),
                (BEST, "best: several starts"),
            ),
        ),
    ] = APRIORI,
    hierarchy: Hierarchy | None = None,
    mapping: Annotated[
        str | Path | None,
        Optional(File()),
        Says(
            "Mapping of an earlier release",
            "A mapping.csv of an earlier release: publish under the same cut, if the promise holds.",
        ),
    ] = None,
    max_suppressed: Annotated[
        Threshold,
        Share(open_low=False, open_high=True),
        OWN_CUT,
        Says(
            "Share of records that may be left out",
            "The share of records that may be left out where that keeps detail for the others.",
            empty="0",
        ),
    ] = 0,
    max_narrowed: Annotated[
        Threshold,
        Share(open_low=False),
        Only(lambda values: values["m"] == AUTO, "m='auto'"),
        Says(
            "For “auto”: share that one more item may narrow",
            "For m auto: the share of records that one more known item may narrow below k.",
            empty=str(MAX_NARROWED),
        ),
    ] = MAX_NARROWED,
    restarts: Annotated[
        int | None,
        Optional(Whole(0)),
        Only(lambda values: values["algorithm"] == BEST, "the algorithm 'best'"),
        Says("For “best”: starts", "For the algorithm best: how many starts."),
    ] = None,
    time_budget: Annotated[
        Threshold | None,
        Optional(Share(high=math.inf)),
        Only(lambda values: values["algorithm"] in (OPTIMAL, BEST), "the algorithms 'optimal' and 'best'"),
        Says(
            "For “optimal” and “best”: seconds",
            "For the algorithms optimal and best: seconds; what is found depends on the machine's speed.",
        ),
    ] = None,
    judge: Annotated[str, JUDGES, SAYS_JUDGE] = QUICK,
    format: Annotated[str | None, PUBLISHED_AS, SAYS_FORMAT] = None,
    key: Key | None = None,
    progress: Progress | None = None,
    flag: Flag | None = None,
) -> GeneralizedRelease:
    """Publish sets of items so that m known items of a record still leave at least k records.

    {options}
    hierarchy
        The hierarchy of the items, where the transactions do not carry one.

    >>> import tacit
    >>> release = tacit.generalize(tacit.load_sample("supermarket:500"), k=5, m=2)
    >>> release.to_dict()["suppressed"]
    0
    """
    asked = SimpleNamespace(**locals())
    from tacit.methods.generalize_sets.make import make

    return make(asked)


def early(transactions: Transactions, given: Mapping[str, Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """What can be refused before a run: items without a hierarchy."""
    if transactions.hierarchy is None:
        yield "hierarchy", _refuse


def _refuse() -> None:
    raise _no_hierarchy('Name a file in the source, or a rule: hierarchy = { by = "balanced", fanout = 5 }.')


def with_hierarchy(asked: Any) -> Transactions:
    """The transactions with the hierarchy that was given; an error where there is none."""
    transactions: Transactions = asked.transactions
    if asked.hierarchy is not None:
        transactions = transactions.with_hierarchy(asked.hierarchy)
    if transactions.hierarchy is None:
        hint = f"Name one with {option('hierarchy')}, or build one {option('hierarchy build')}."
        raise _no_hierarchy(hint)
    return transactions


def _no_hierarchy(hint: str) -> UsageError:
    message = "Generalizing needs a hierarchy of the items."
    return UsageError(message, code="hierarchy-needed", option="hierarchy", hint=hint)
