"""A sweep: many settings and methods tried on one data set, utility against risk on fixed thresholds.

Nothing is published. Each try is made and measured like a release; what the data cannot meet is marked, and
so is the try to begin with: of those after which no value of anybody is likelier than one half (of sets:
after which no two known items single anybody out), the one that loses least.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from time import process_time
from typing import Annotated, Any

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import InfeasibleError, UsageError
from tacit.judging.profile import profile_transactions
from tacit.judging.risk.matching import surer_than
from tacit.methods import METHODS
from tacit.options import PERSON, Says, verb
from tacit.ranges import ListOf, Optional, Whole, Words
from tacit.release import publish
from tacit.release.reading import published_data
from tacit.showing.chart import Chart, scatter_chart
from tacit.showing.layout import grid, heading, prose, share
from tacit.typing import Progress

HALF, THIRD = 1 / 2, 1 / 3
K, L, M = (5, 11, 20), (2, 3, 4, 5), (1, 2)
"""The settings that are tried where none are named."""
TABLES = ("Right guesses of a learner", "Error of counting queries")
SETS = ("Singled out by two known items", "Loss of detail (NCP)")


@dataclass(frozen=True, slots=True)
class Try:
    """One setting of one method: what it risks and what it loses, or why it cannot be met."""

    method: str
    settings: dict[str, int]
    infeasible: str | None = None
    """Why the data cannot meet it."""
    risk: float | None = None
    """Of tables, the values that a learner guesses right; of sets, what two known items single out."""
    above_half: float | None = None
    """The share of rows of which a value is likelier than one half; of tables alone."""
    above_third: float | None = None
    loss: float | None = None
    """Of tables, the error of counting queries; of sets, the loss of detail."""
    left_out: float | None = None
    seconds: float | None = None

    @property
    def name(self) -> str:
        """The method and its settings, in a few letters."""
        return _named(self.method, self.settings)

    @property
    def cells(self) -> tuple[str, ...]:
        found = (self.risk, self.above_half, self.above_third, self.loss, self.left_out)
        return tuple("" if value is None else share(value) for value in found)


@dataclass(frozen=True)
class Sweep:
    """The tries of a sweep; ``recommended`` is the place of the one to begin with."""

    tries: tuple[Try, ...]
    recommended: int | None
    of_tables: bool

    @property
    def axes(self) -> tuple[str, str]:
        return TABLES if self.of_tables else SETS

    def to_dict(self) -> dict[str, Any]:
        risk, loss = self.axes
        tries = [asdict(one) for one in self.tries]
        return {"risk": risk, "loss": loss, "recommended": self.recommended, "tries": tries}

    def chart(self) -> Chart:
        """Loss against risk, a point for each try that can be met."""
        risk, loss = self.axes
        rows = [
            {"risk": one.risk, "loss": one.loss, "try": one.name}
            | {"method": self._mark(place) or METHODS[one.method].public[0]}
            for place, one in enumerate(self.tries)
            if one.infeasible is None
        ]
        return scatter_chart(
            rows,
            x="risk",
            y="loss",
            title="Utility against risk",
            caption=f"{risk} and {loss.lower()} of every setting; towards the lower left is better.",
            series="method",
            label="try",
            x_title=risk.lower(),
            y_title=loss.lower(),
            x_format="%",
            y_format="%",
        )

    def __str__(self) -> str:
        risk, loss = self.axes
        header = ("setting", risk.lower(), "surer than 1/2", "surer than 1/3", loss.lower(), "left out", "")
        rows = [(one.name, *one.cells, self._mark(place)) for place, one in enumerate(self.tries)]
        table = grid(header, rows, right=(1, 2, 3, 4, 5))
        notes = [prose(f"{one.name}: {one.infeasible}") for one in self.tries if one.infeasible is not None]
        why = [] if self.recommended is None else [prose(self._why())]
        return "\n\n".join([heading(f"{len(self.tries)} settings tried"), table, *notes, *why])

    def _why(self) -> str:
        """Why the one to begin with is recommended, and for whom."""
        if not self.of_tables:
            return "Recommended: two known items single out the fewest; of such tries, it loses the least."
        return (
            "Recommended: the fewest rows have a value surer than 1/2, then the fewest one surer than 1/3; of"
            " such tries, it loses the least. Buckets publish quasi-identifiers as they are, for readers who"
            " are bound by a contract; a coarser table is for anybody."
        )

    def _mark(self, place: int) -> str:
        if self.tries[place].infeasible is not None:
            return "infeasible"
        return "recommended" if place == self.recommended else ""


@verb
def sweep(
    data: Table | Transactions,
    /,
    *,
    k: Annotated[
        Sequence[int],
        ListOf(Whole(2), "[5, 11, 20]"),
        Says("k", "The fewest rows or records that look alike, as generalize takes it."),
    ] = K,
    l: Annotated[
        Sequence[int],
        ListOf(Whole(2), "[2, 3, 4, 5]"),
        Says("ℓ", "The possible values that everybody keeps, as bucketize takes them."),
    ] = L,
    m: Annotated[
        Sequence[int],
        ListOf(Whole(1), "[1, 2]"),
        Says("m", "The items that a reader may know of a person, as generalize takes them for sets."),
    ] = M,
    person: Annotated[str | None, Optional(Words()), PERSON] = None,
    progress: Progress | None = None,
) -> Sweep:
    """Try a range of settings and methods, and show what each risks and loses; nothing is published.

    Of a table, bucketize is tried with every l and generalize with every k; of sets, generalize with every k
    and m. Risk is measured on thresholds that never move, so that all tries can be compared.

    {options}
    """
    for name, values in {"k": k, "l": l, "m": m}.items():
        if not values:
            raise UsageError(f"There is no {name} to try.", code="nothing-to-try", option=name)
    if person is not None and not isinstance(data, Table):
        raise UsageError(
            "Of sets, every record is a person's.", code="wrong-data", option="person", hint="Leave it out."
        )
    if isinstance(data, Table):
        plan = [("bucketize", {"l": one}) for one in l] + [("generalize_table", {"k": one}) for one in k]
    else:
        plan = [("generalize", {"k": fewest, "m": known}) for fewest, known in product(k, m)]
    tries = []
    for place, (method, settings) in enumerate(plan):
        if progress is not None:
            progress(f"Trying {_named(method, settings)}", place / len(plan))
        tries.append(_try(data, method, settings, {} if person is None else {"person": person}))
    return Sweep(tuple(tries), recommended(tries), isinstance(data, Table))


def recommended(tries: Sequence[Try]) -> int | None:
    """The place of the try to begin with: the safest, and of those the one that loses least.

    Safe is who has no value that is likelier than one half, then than one third.
    """
    made = [place for place, one in enumerate(tries) if one.infeasible is None]

    def order(place: int) -> tuple[float, float, float, int]:
        one = tries[place]
        risk = one.above_half if one.above_half is not None else one.risk
        return risk or 0.0, one.above_third or 0.0, one.loss or 0.0, place

    return min(made, key=order, default=None)


def _try(data: Table | Transactions, method: str, settings: dict[str, int], who: Mapping[str, str]) -> Try:
    started = process_time()
    try:
        release = METHODS[method].verb(data, **settings, **who)
        figures: Mapping[str, Any] = release.measured()
        release = release.complete()
    except InfeasibleError as error:
        return Try(method, settings, infeasible=error.message)
    with tempfile.TemporaryDirectory(prefix="tacit-sweep-") as folder:
        made = publish(Path(folder) / "try", release.files, release.manifest, {}, verify=lambda staged: None)
        seen = published_data(made.folder, release.manifest)
    half = third = None
    if seen.table is not None:
        known = release.surer_than((HALF, THIRD))
        half, third = known or surer_than(seen.table, seen.group, (HALF, THIRD))
        risk, loss = figures.get("learning"), figures.get("query_error")
    else:
        assert seen.transactions is not None
        risk, loss = profile_transactions(seen.transactions).unique_by[1], figures.get("ncp")
    left_out, seconds = figures.get("suppressed"), process_time() - started
    return Try(method, settings, None, risk, half, third, loss, left_out, seconds)


def _named(method: str, settings: Mapping[str, int]) -> str:
    told = ", ".join(f"{name}={value}" for name, value in settings.items())
    return f"{METHODS[method].public[0]} {told}"
