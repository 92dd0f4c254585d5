"""The verb ``bucketize``: a table goes in, a bucketized release comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from tacit.errors import UsageError
from tacit.options import GAINS, PERSON, SAYS_AFTER, Needs, Only, Says, says_gain, verb
from tacit.ranges import Folder, Lines, ListOf, Optional, Range, Share, Switch, Whole, Words
from tacit.typing import Progress, Threshold

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.engine.base import Engine
    from tacit.methods.bucketize.release import BucketizedRelease
    from tacit.mining.knowledge import NegativeRules
    from tacit.random.key import Key

Algorithm = Literal["injector", "anatomy"]
Partners = Literal["areas", "near", "any", "paper", "signatures"]
INJECTOR, ANATOMY = get_args(Algorithm)
AREAS, NEAR, ANY, PAPER, SIGNATURES = get_args(Partners)
"""Which rows share a bucket with a row."""
BELOW_ONE = Share(0.0, 1.0, open_low=True, open_high=True)


def ways(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The partners that can be asked for beside the other options."""
    series = (SIGNATURES,) if fits_series(values) else ()
    return (*_usual(values), *series) if values["after"] is None else series


def _usual(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The partners of a release by itself."""
    if values["algorithm"] == ANATOMY:
        return ()
    if values["max_posterior"] is None:
        return (AREAS, NEAR, ANY, PAPER)
    # Rows that no bucket under the bound takes are left out: those of the whole table, not of an area.
    return (ANY,) if _suppresses(values) else (AREAS, ANY)


def fits_series(values: Mapping[str, Any]) -> bool:
    """Whether a release can be one of a series: it says who is who, and nothing that a series cannot keep."""
    return (
        values["person"] is not None
        and values["k"] is None
        and values["max_posterior"] is None
        and values["form"] == "qit"
        and not (_suppresses(values) or values["join_values"])
    )


def partners_of(values: Mapping[str, Any]) -> str | None:
    """The partners asked for, or the default; None for Anatomy, which takes the largest values."""
    usual = _usual(values) if values["after"] is None else ways(values)
    return values["partners"] or next(iter(usual), None)


def _suppresses(values: Mapping[str, Any]) -> bool:
    return bool(values["on_infeasible"] == "suppress")


WHO = Says(
    PERSON.title, f"{PERSON.help} With partners='signatures' the release is the first of a series: see after."
)
INJECTORS = Only(lambda values: values["algorithm"] == INJECTOR, "the algorithm 'injector'")


LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Reasons(Range):
    """Names of columns, each with a reason of one line."""

    def __str__(self) -> str:
        return f"a mapping from columns to reasons of one line and at most {LONGEST_REASON} characters"

    def holds(self, value: object) -> bool:
        if not isinstance(value, Mapping):
            return isinstance(value, str | tuple | list)  # lines: reasons_of reads them
        return all(
            isinstance(name, str)
            and isinstance(reason, str)
            and reason.strip()
            and reason.isprintable()
            and len(reason) <= LONGEST_REASON
            for name, reason in value.items()
        )

    def read(self, text: str) -> object:
        return Lines().read(text)

    def schema(self) -> dict[str, Any]:
        return ListOf(Words(), "").schema()


def reasons_of(accept: Mapping[str, str] | Iterable[str]) -> dict[str, str]:
    """The reasons by column; they may be written as ``COLUMN=reason``, one a line.

    >>> reasons_of(["ward=asked for by the ethics board"])
    {'ward': 'asked for by the ethics board'}
    """
    if isinstance(accept, Mapping):
        return dict(accept)
    found: dict[str, str] = {}
    for line in [accept] if isinstance(accept, str) else accept:
        name, equals, reason = (part.strip() for part in line.partition("="))
        if not (name and equals and Reasons().holds({name: reason})):
            raise UsageError(
                f"{line[:LONGEST_REASON]!r} does not say which column is accepted and why.",
                code="accept-reason",
                hint='Write the column, an equals sign and the reason: accept= (--accept ward="reason").'
                f" A reason is one line of at most {LONGEST_REASON} characters.",
            )
        if name in found:
            raise UsageError(f"Two reasons are given for the column {name!r}.", code="accept-twice")
        found[name] = reason
    return found


@verb
def bucketize(
    table: Table,
    *,
    l: Annotated[
        int,
        Whole(2),
        Says("Possible values everybody keeps", "How many valid sensitive values every row keeps.", flag="l"),
    ],
    k: Annotated[
        int | None,
        Optional(Whole(2)),
        Only(
            lambda values: not _suppresses(values) and values["partners"] != NEAR,
            "on_infeasible='refuse', and partners other than 'near'",
        ),
        Says(
            "Fewest rows that look alike",
            "Make quasi-identifiers coarser first, until so many rows look alike. Without it they are"
            " published as they are.",
            flag="k",
            empty="as they are",
        ),
    ] = None,
    algorithm: Annotated[
        Algorithm,
        Says(
            "What readers know beforehand",
            "injector (against a reader who knows the negative rules) or anatomy (who knows none).",
            values=((INJECTOR, "what never happens together"), (ANATOMY, "nothing of the kind")),
        ),
    ] = INJECTOR,
    knowledge: NegativeRules | Mapping[str, Any] | None = None,
    form: Annotated[
        Literal["qit", "permuted"],
        Says(
            "Published as",
            "qit (quasi-identifiers, and apart the values of each group) or permuted (one table).",
            values=(
                ("qit", "two tables: people in groups, values of groups"),
                ("permuted", "one table, values permuted inside groups"),
            ),
        ),
    ] = "qit",
    partners: Annotated[
        Partners | None,
        Only(
            lambda values: values["algorithm"] == INJECTOR or values["partners"] == SIGNATURES,
            "the algorithm 'injector'",
        ),
        Only(
            lambda values: values["partners"] in ways(values),
            "a release without max_posterior, and signatures to one with person",
        ),
        Says(
            "Who is grouped together",
            "Whom injector groups: areas (rows of the same area: a reader who knows Tacit learns hardly more"
            " than is stated), any (from the whole table), paper (as the paper prints it), near (rows alike"
            " first: a reader who knows Tacit can name people) or signatures (so that the same people can be"
            " published again). By default signatures with after, else areas.",
            values=(
                ("", "as fits the rest"),
                (AREAS, "people of the same area"),
                (ANY, "anybody"),
                (PAPER, "as the paper does"),
                (NEAR, "people who are alike first: a reader who knows Tacit can name some"),
                (SIGNATURES, "people who can be published again"),
            ),
        ),
    ] = None,
    epsilon: Annotated[
        Threshold | None,
        GAINS,
        Only(lambda values: partners_of(values) == AREAS, "partners='areas'"),
        says_gain("areas"),
    ] = None,
    max_posterior: Annotated[
        Threshold | None,
        Optional(BELOW_ONE),
        Says("Largest posterior", "No value of anybody may be likelier than this share.", empty="none"),
    ] = None,
    on_infeasible: Annotated[
        Literal["refuse", "suppress"],
        Needs(
            "max_posterior_suppressed",
            _suppresses,
            "Rows are left out because of the values they hold, and a reader knows who is missing: say how"
            " frequent a value may be among them.",
            code="suppression-unbounded",
            example="0.5",
        ),
        Says(
            "Where the table cannot meet it",
            "refuse what the table cannot meet, or suppress the rows in the way, and as many more as it takes"
            " to keep max_posterior_suppressed.",
            values=(("refuse", "refuse"), ("suppress", "leave out the rows in the way")),
        ),
    ] = "refuse",
    max_posterior_suppressed: Annotated[
        Threshold | None,
        Optional(BELOW_ONE),
        Only(_suppresses, "on_infeasible='suppress'"),
        Says(
            "Largest share of a value among the rows left out",
            "Of the rows left out, no value is held by more than this share; further rows join them.",
            empty="none",
        ),
    ] = None,
    join_values: Annotated[
        bool,
        Switch(),
        INJECTORS,
        Only(lambda values: not _suppresses(values), "on_infeasible='refuse'"),
        Says(
            "Join sensitive values along their hierarchy",
            "Join sensitive values along their hierarchy, as little as it takes to meet the promise.",
            values=(("no", "no"), ("yes", "where that meets the promise")),
        ),
    ] = False,
    max_learned: Annotated[
        Threshold | None,
        Optional(BELOW_ONE),
        Says(
            "Most that may be learned",
            "Refuse a release from which software learns so much that it is right for more than this share of"
            " the 1 % of people it is surest about.",
            empty="none",
        ),
    ] = None,
    person: Annotated[
        str | None,
        Optional(Words()),
        WHO,
    ] = None,
    after: Annotated[
        str | Path | None,
        Optional(Folder()),
        Only(
            lambda values: partners_of(values) == SIGNATURES,
            "person, partners='signatures' and a release without k, max_posterior, join_values, suppression"
            " and permuted form",
        ),
        SAYS_AFTER,
    ] = None,
    accept: Annotated[
        Mapping[str, str] | Sequence[str],
        Reasons(),
        Says(
            "Columns to publish nevertheless",
            "COLUMN=reason: publish a column that tells a sensitive value or holds free text, and why. May be"
            " repeated; the reasons are published.",
        ),
    ] = (),
    key: Key | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> BucketizedRelease:
    """Publish a table so that every row could have ℓ sensitive values, for whoever knows the stated rules.

    Quasi-identifiers are published as they are, or with ``k`` coarser, in groups; each group says which
    sensitive values its rows have, not who has which.

    {options}
    knowledge
        The negative rules a reader is assumed to know, or options of :func:`~tacit.mine_negative_rules`, by
        which they are mined. Anatomy does not use them, but is judged by them.
    key
        What drives every random choice; by default the user's own.

    >>> import tacit
    >>> release = tacit.bucketize(tacit.load_sample("hospital:500"), l=3, key=tacit.Key.from_seed(1))
    >>> release.risk().vulnerable
    0
    """
    asked = SimpleNamespace(**locals())
    from tacit.methods.bucketize.make import make

    return make(asked)


def early(data: object, given: Mapping[str, Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """What can be refused before a run: reasons that are none, and lines that are no rules."""
    from tacit.mining.amendment import read_lines

    yield "accept", lambda: reasons_of(given["accept"])
    for name in ("rules", "drop_rules"):
        yield name, partial(read_lines, given["knowledge"][name])
