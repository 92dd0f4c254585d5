"""The verb ``generalize`` for sets: transactions go in, a k^m-anonymous release comes out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from tacit.errors import UsageError, option, shorten
from tacit.options import (
    QUICK,
    SAYS_AFTER,
    SAYS_FORMAT,
    SAYS_JUDGE,
    Asked,
    Judge,
    Only,
    Says,
    TextFormat,
    unused_option,
    verb,
)
from tacit.ranges import Either, File, Folder, OneOf, Optional, Share, Switch, Whole, Words
from tacit.typing import Progress, Threshold

if TYPE_CHECKING:
    from tacit.arrays.compiled import Flag
    from tacit.data.hierarchy import Hierarchy
    from tacit.data.transactions import Transactions
    from tacit.methods.generalize_sets.make import GeneralizedRelease
    from tacit.random.key import Key

AUTO = "auto"
Algorithm = Literal["apriori", "direct", "optimal", "best"]
APRIORI, DIRECT, OPTIMAL, BEST = ALGORITHMS = get_args(Algorithm)
MAX_NARROWED = 0.05


OWN_CUT = Only(
    lambda values: values["mapping"] is None and values["after"] is None,
    "records without a mapping and without after",
)


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
        Algorithm,
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
    propose: Annotated[
        bool,
        Switch(),
        Says(
            "Where the items have no hierarchy",
            "Take the hierarchy that Tacit proposes: by the names of the items, and by what many records hold"
            " together.",
            values=(("no", "ask for one"), ("yes", "take the one that Tacit proposes")),
        ),
    ] = False,
    mapping: Annotated[
        str | Path | None,
        Optional(File()),
        Says(
            "Mapping of an earlier release",
            "A mapping.csv of an earlier release: publish under the same cut, if the promise holds.",
        ),
        Only(lambda values: values["after"] is None, "a release without after, which keeps the mapping"),
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
    judge: Annotated[Judge, SAYS_JUDGE] = QUICK,
    person: Annotated[
        str | None,
        Optional(Words()),
        Says(
            "Column that tells people apart",
            "Column that tells people apart, in the long format: the one that names the transaction. It is"
            " not published. A series can begin with the release: see after.",
        ),
    ] = None,
    after: Annotated[
        str | Path | None,
        Optional(Folder()),
        Only(lambda values: values["person"] is not None, "person"),
        SAYS_AFTER,
    ] = None,
    format: Annotated[TextFormat | None, SAYS_FORMAT] = None,
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
    asked = Asked(**locals())
    from tacit.methods.generalize_sets.make import make

    return make(asked)


def early(transactions: Transactions, given: Mapping[str, Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """What can be refused before a run: items without a hierarchy."""
    if transactions.hierarchy is None and not given.get("propose"):
        yield "hierarchy", partial(_refuse, transactions, given["k"])
    if transactions.hierarchy is not None and given.get("propose"):
        yield "propose", _refuse_proposal


def _refuse(transactions: Transactions, k: int, progress: Progress | None = None) -> None:
    """Raise for transactions without a hierarchy, and say what Tacit would propose."""
    from tacit.recoding.proposing import propose_hierarchy, proposed_soon

    proposal = "Tacit proposes one, which takes some time as the records are long"
    if proposed_soon(transactions):
        tree = propose_hierarchy(transactions, k=k, progress=progress)
        groups = tree.n_nodes - tree.n_leaves - 1
        proposal = f"Tacit proposes one of {groups} groups{_such_as(tree)}"
    raise UsageError(
        "Generalizing needs a hierarchy of the items.",
        code="hierarchy-needed",
        option="hierarchy",
        hint=f"{proposal}: take it with {option('propose', True)}, or see and change it first: it is built"
        f" {option('hierarchy build --by proposed')}. Name one of your own with {option('hierarchy')}.",
    )


def _refuse_proposal() -> None:
    raise unused_option("propose", "generalize", "items without a hierarchy")


def with_hierarchy(asked: Asked) -> Transactions:
    """The transactions with the hierarchy that was given or is proposed; an error where there is none."""
    transactions: Transactions = asked.transactions
    if asked.hierarchy is not None:
        transactions = transactions.with_hierarchy(asked.hierarchy)
    if transactions.hierarchy is not None:
        if asked.propose:
            _refuse_proposal()
        return transactions
    if not asked.propose:
        _refuse(transactions, asked.k, asked.progress)
    from tacit.recoding.proposing import propose_hierarchy

    return transactions.with_hierarchy(propose_hierarchy(transactions, k=asked.k, progress=asked.progress))


def _such_as(tree: Hierarchy) -> str:
    """The first groups of items of a hierarchy, in words."""
    groups = [node for node in range(tree.n_leaves, tree.root) if tree.heights[node] == 1][:3]
    return f", such as {', '.join(repr(shorten(tree.labels[node])) for node in groups)}" if groups else ""
