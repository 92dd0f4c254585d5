"""The verb ``generalize`` for tables: a table goes in, a k-anonymous release comes out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from tacit.errors import option
from tacit.options import GAINS, PERSON, SAYS_AFTER, Asked, Only, Says, says_gain, verb
from tacit.ranges import Folder, Optional, Range, Share, Whole, Words
from tacit.recoding import CELLS, GLOBAL, LOCAL, NORMAL, QUICK, SUBTREE, THOROUGH, Effort, Recoding
from tacit.typing import Progress, Threshold

if TYPE_CHECKING:
    from tacit.arrays.compiled import Flag
    from tacit.data.table import Table
    from tacit.methods.generalize_tables.release import GeneralizedTable
    from tacit.mining.knowledge import NegativeRules
    from tacit.random.key import Key

Distance = Literal["equal", "ordered", "hierarchical"]
Readers = Literal["rules", "nothing"]
EQUAL, ORDERED, HIERARCHICAL = get_args(Distance)
RULES, NOTHING = get_args(Readers)


class Recursion(Range):
    """Two numbers as text, ``C,L``: a number above 0, and an int of at least 2."""

    sentence = "two numbers C,L such as '3,4'"
    json: ClassVar[Mapping[str, Any]] = {"type": "string", "pattern": r"^\d+(\.\d+)?,\d+$"}

    def holds(self, value: object) -> bool:
        if not isinstance(value, str) or re.fullmatch(self.json["pattern"], value) is None:
            return False
        c, l = recursion_of(value)
        return c > 0 and l >= 2

    def read(self, text: str) -> object:
        return text.replace(" ", "")


def recursion_of(text: str) -> tuple[Fraction, int]:
    """The c and the ℓ of recursive diversity.

    >>> recursion_of("2.5,3")
    (Fraction(5, 2), 3)
    """
    c, _, l = text.partition(",")
    return Fraction(c), int(l)


def about_values(values: Mapping[str, Any]) -> bool:
    """Whether anything is promised about sensitive values."""
    return any(values[name] is not None for name in ("l", "entropy_l", "recursive", "t"))


WHO = Says(
    PERSON.title,
    f"{PERSON.help} With the recodings global and subtree a series can begin with the release: see after.",
)
WITH_L = Only(lambda values: values["l"] is not None, "a release with l")
BY_ROWS = Only(
    lambda values: not about_values(values),
    "a release that promises k alone",
    "whom a promise about sensitive values left out would tell what they hold. Leave it out.",
)
ALONE = Only(
    lambda values: values["after"] is None,
    "a release of its own, without after",
    "a release of a series holds everybody. Leave it out.",
)
LEVELED = Only(
    lambda values: values["recoding"] in (GLOBAL, SUBTREE),
    "the recodings 'global' and 'subtree'",
    "with the others a few odd rows cost only their own class detail, so that none is left out. Leave it out,"
    f" or choose {option('recoding', GLOBAL)} or {SUBTREE}.",
)


@verb
def generalize(
    table: Table,
    *,
    k: Annotated[
        int,
        Whole(2),
        Says("Fewest rows that look alike", "The fewest rows that look alike to a reader.", flag="k"),
    ],
    recoding: Annotated[
        Recoding,
        Says(
            "How values are made coarser",
            "local (each class as fine as it can be), global (one level per column, the best by proof),"
            " subtree (one node per value) or cells (a cell is kept or empty).",
            values=(
                (LOCAL, "each class as fine as it can be"),
                (GLOBAL, "one level for each column"),
                (SUBTREE, "each value always in the same way"),
                (CELLS, "a cell is kept or empty"),
            ),
        ),
    ] = LOCAL,
    effort: Annotated[
        Effort,
        Only(
            lambda values: values["recoding"] in (LOCAL, CELLS) and values["t"] is None,
            "the recodings 'local' and 'cells' without t",
        ),
        Says(
            "How long better classes are looked for",
            "quick (classes are grown once, in about a quarter of the time), normal or thorough (up to about"
            " twice the time). Each keeps the same promise; the longer, the less is lost.",
            values=(
                (QUICK, "quick: a quarter of the time, loses more"),
                (NORMAL, "normal"),
                (THOROUGH, "thorough: about twice the time, loses least"),
            ),
        ),
    ] = NORMAL,
    max_suppressed: Annotated[
        Threshold,
        Share(open_low=False, open_high=True),
        LEVELED,
        BY_ROWS,
        ALONE,
        Says(
            "Share of rows that may be left out",
            "The share of rows that may be left out where that keeps detail for the others.",
            empty="0",
        ),
    ] = 0,
    l: Annotated[
        int | None,
        Optional(Whole(2)),
        Says("Possible values everybody keeps", "How many valid sensitive values every row keeps.", flag="l"),
    ] = None,
    entropy_l: Annotated[
        int | None,
        Optional(Whole(2)),
        Says("Entropy ℓ", "The entropy of the values of every class is at least log entropy_l."),
    ] = None,
    recursive: Annotated[
        str | None,
        Optional(Recursion()),
        Says(
            "Recursive (c, ℓ)",
            "C,L: in every class the commonest value is rarer than C times all values from the L-th"
            " commonest on.",
        ),
    ] = None,
    t: Annotated[
        Threshold | None,
        Optional(Share(open_high=True)),
        Says(
            "Largest distance (t)",
            "How far the values of a class may be from those of the whole table, at most.",
            flag="t",
        ),
    ] = None,
    distance: Annotated[
        Distance,
        Only(lambda values: values["t"] is not None, "a release with t"),
        Says(
            "Distance between values",
            "equal (all values are equally far apart), ordered (by rank) or hierarchical (by the hierarchy of"
            " the sensitive column).",
            values=((EQUAL, "all alike"), (ORDERED, "by their order"), (HIERARCHICAL, "by their hierarchy")),
        ),
    ] = EQUAL,
    readers: Annotated[
        Readers,
        WITH_L,
        Says(
            "What readers know beforehand",
            "rules (what never happens together, mined from the table) or nothing.",
            values=((RULES, "what never happens together"), (NOTHING, "nothing of the kind")),
        ),
    ] = RULES,
    knowledge: NegativeRules | Mapping[str, Any] | None = None,
    epsilon: Annotated[
        Threshold | None,
        GAINS,
        Only(
            lambda values: about_values(values) and values["recoding"] in (LOCAL, CELLS),
            "the recodings 'local' and 'cells' with a promise about sensitive values",
        ),
        says_gain("classes"),
    ] = None,
    person: Annotated[str | None, Optional(Words()), WHO] = None,
    after: Annotated[
        str | Path | None,
        Optional(Folder()),
        Only(
            lambda values: (
                values["person"] is not None
                and all(values[name] is None for name in ("entropy_l", "recursive", "t"))
            ),
            "person, and to a release without entropy_l, recursive and t",
        ),
        SAYS_AFTER,
    ] = None,
    key: Key | None = None,
    progress: Progress | None = None,
    flag: Flag | None = None,
) -> GeneralizedTable:
    """Publish a table so that at least k rows look alike in everything a reader may know of a person.

    Quasi-identifiers are replaced by coarser values, nodes of their hierarchies; a column without a hierarchy
    gets one made from its values. Sensitive columns are published as they are.

    {options}
    knowledge
        The negative rules a reader is assumed to know, or options of :func:`~tacit.mine_negative_rules`, by
        which they are mined.
    key
        What drives every random choice; by default the user's own.

    >>> import tacit
    >>> release = tacit.generalize(tacit.load_sample("hospital:500"), k=5)
    >>> release.to_dict()["suppressed"]
    0
    """
    asked = Asked(**locals())
    from tacit.methods.generalize_tables.make import make

    return make(asked)
