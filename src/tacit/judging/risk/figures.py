"""The figures of a table as it stands, declared once, how each is found from its classes, and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tacit.judging.figures import CHANCE, COUNT, NUMBER, RISK, Figure, Value
from tacit.judging.risk.classes import (
    Classes,
    Held,
    distance,
    distinct,
    entropy,
    likeness,
    ordered_distance,
    recursive,
)
from tacit.judging.risk.criteria import SAYS, Criterion
from tacit.judging.risk.standards import Judged
from tacit.judging.risk.uniques import Special, Uniques
from tacit.notebook import InNotebook
from tacit.typing import Counts, Floats

SMALL = (5, 11, 20)
"""Classes smaller than these are counted."""
THRESHOLD = 11
"""By default, people in classes smaller than this are taken to be at risk: 1/11 is printed as .09."""


FIGURES = (
    RISK(
        "k",
        "k: fewest people alike",
        "The smallest class; its people are counted here.",
        unit=COUNT,
        less=False,
    ),
    RISK(
        "prosecutor",
        "Prosecutor risk, largest",
        "The chance to find the row of somebody known to be in the table; counted are people in classes below"
        " the threshold.",
        unit=CHANCE,
    ),
    RISK(
        "prosecutor_average",
        "Prosecutor risk, average",
        "The share of people that a reader who knows everybody in the table finds rightly, on average.",
        unit=CHANCE,
    ),
    RISK(
        "journalist",
        "Journalist risk, largest",
        "The chance to find the row of somebody of the population; counted are people above the threshold.",
        unit=CHANCE,
    ),
    RISK(
        "marketer",
        "Marketer risk",
        "The share of people that a reader who knows the whole population finds rightly, on average.",
        unit=CHANCE,
    ),
    *(
        RISK(f"pk{size}", f"People in classes below {size}", f"Fewer than {size} people look like them.")
        for size in SMALL
    ),
    RISK(
        "unique",
        "People alone with all quasi-identifiers",
        "Whoever knows all of these columns finds the row.",
    ),
    RISK(
        "unique_values",
        "People alone with sensitive columns too",
        "Whoever knows the sensitive values of these people as well finds the row.",
    ),
    RISK(
        "unique_few",
        "People alone with at most three",
        "The set of up to three quasi-identifiers with which most people are alone.",
    ),
    RISK(
        "special",
        "Special uniques",
        "People that are alone with a few columns already, so that they are likely to be alone in the"
        " population too.",
    ),
    RISK(
        "suda",
        "DIS-SUDA, largest",
        "The chance that a match with a special unique is right, by Data Intrusion Simulation (π = 0.01).",
        unit=CHANCE,
    ),
    RISK(
        "l",
        "ℓ: fewest different values",
        "Different sensitive values in the class with the fewest.",
        unit=COUNT,
        less=False,
    ),
    RISK(
        "entropy_l",
        "Entropy ℓ",
        "As many equally likely values would leave as much doubt as the class with the least.",
        unit=NUMBER,
        less=False,
    ),
    RISK(
        "recursive_c",
        "Recursive c (with ℓ = 2)",
        "How many times commoner the commonest value of a class is than all others of the class together.",
        unit=NUMBER,
    ),
    RISK(
        "t", "t: largest distance", "How far the values of a class are from the whole table's.", unit=CHANCE
    ),
    RISK(
        "t_ordered",
        "t by order",
        "The same for numbers and dates, where near values are less far apart than distant ones.",
        unit=CHANCE,
    ),
    RISK(
        "beta",
        "β: largest gain",
        "How much likelier a value is in a class than in the table, relatively.",
        unit=NUMBER,
    ),
)
"""Every figure of a table, in the order in which they are told."""
BY_NAME = {figure.name: figure for figure in FIGURES}


@dataclass(frozen=True)
class Measured:
    """A figure that was measured."""

    figure: Figure
    value: Value
    people: int | None = None
    """How many people it is about."""
    rows: int = 0
    why: str = ""
    """Why there is no value, or which columns it is about."""

    @property
    def share(self) -> float | None:
        """The share of all people whom it is about."""
        return None if self.people is None else self.people / max(1, self.rows)

    @property
    def text(self) -> str:
        return self.figure.text(self.value)

    def to_dict(self, counted: str) -> dict[str, object]:
        return {
            "name": self.figure.name,
            "value": self.value,
            "people": self.people,
            "share": self.share,
            "says": in_words(self.figure.says, counted),
            **({"why": self.why} if self.why else {}),
        }


def identity_figures(
    classes: Classes, chances: Floats | None, *, threshold: int, without: str
) -> Iterator[Measured]:
    """The figures of finding somebody; ``chances`` are those of the population, class by class."""
    sizes, rows = classes.sizes, classes.rows
    smallest = int(sizes.min(initial=rows))
    small = classes.within(sizes < threshold)
    yield Measured(BY_NAME["k"], smallest, classes.within(sizes == smallest), rows)
    yield Measured(BY_NAME["prosecutor"], 1 / max(1, smallest), small, rows)
    found = len(sizes) if classes.members is None else classes.found(1 / sizes)  # one of each class, exactly
    average = _share(BY_NAME["prosecutor_average"], found, rows)
    yield average
    if chances is None:
        yield Measured(BY_NAME["journalist"], None, rows=rows, why=without)
        yield replace(average, figure=BY_NAME["marketer"], why=without)
    else:
        # Far below one part in a million: 1/11 computed as an expectation is no risk above 1/11.
        above = chances * threshold > 1 + 1e-9
        yield Measured(BY_NAME["journalist"], float(chances.max(initial=0.0)), classes.within(above), rows)
        yield _share(BY_NAME["marketer"], classes.found(chances), rows)
    for size in SMALL:
        yield _share(BY_NAME[f"pk{size}"], classes.within(sizes < size), rows)


def unique_figures(uniques: Uniques, special: Special, whole: Classes | None) -> Iterator[Measured]:
    """The figures of people who are alone with some columns; ``whole`` are the classes by all of them."""
    rows = uniques.classes.rows
    yield _share(BY_NAME["unique"], uniques.classes.within(uniques.classes.sizes == 1), rows)
    if whole is None:
        yield Measured(BY_NAME["unique_values"], None, rows=rows, why="no row has sensitive values beside it")
    else:
        yield _share(BY_NAME["unique_values"], whole.within(whole.sizes == 1), rows)
    few = {columns: uniques.people(held) for columns, held in uniques.found.items() if len(columns) <= 3}
    most = max(few, key=few.__getitem__, default=())
    names = ", ".join(uniques.classes.names[place] for place in most)
    yield _share(BY_NAME["unique_few"], few.get(most, 0), rows, why=names)
    why = f"with up to {special.size} columns"
    yield _share(BY_NAME["special"], uniques.people(special.scores > 0), rows, why=why)
    largest = float(special.risks.max(initial=0.0))
    people = uniques.people(special.risks == largest) if largest else 0
    yield Measured(BY_NAME["suda"], largest, people, rows, why=why)


Worst = Callable[[Held, Counts], "Counts | Floats"]
_VALUES: tuple[tuple[str, Worst], ...] = (
    ("l", distinct),
    ("entropy_l", entropy),
    ("recursive_c", recursive),
    ("t", distance),
    ("t_ordered", ordered_distance),
    ("beta", likeness),
)


def value_figures(classes: Classes) -> Iterator[Measured]:
    """The figures of sensitive values: of several columns, the one that is worst."""
    for name, measure in _VALUES:
        figure = BY_NAME[name]
        columns = [held for held in classes.sensitive if name != "t_ordered" or held.line is not None]
        if not columns or not len(classes):
            missing = "no sensitive column" if name != "t_ordered" else "no sensitive column of numbers"
            yield Measured(figure, None, rows=classes.rows, why=missing)
            continue
        yield _worst(figure, classes, columns, measure)


def _worst(figure: Figure, classes: Classes, columns: Iterable[Held], measure: Worst) -> Measured:
    found = [(held, measure(held, classes.sizes)) for held in columns]
    held, by_class = (
        max(found, key=lambda one: float(one[1].max()))
        if figure.less
        else min(found, key=lambda one: float(one[1].min()))
    )
    worst = by_class.max() if figure.less else by_class.min()
    value = int(worst) if figure.unit is COUNT else float(worst)
    return Measured(figure, value, classes.within(by_class == worst), classes.rows, why=held.name)


def _share(figure: Figure, people: float, rows: int, why: str = "") -> Measured:
    return Measured(figure, people / max(1, rows), round(people), rows, why)


@dataclass(frozen=True)
class Subset:
    """How many people are alone with some quasi-identifiers."""

    columns: tuple[str, ...]
    people: int
    share: float

    def to_dict(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "people": self.people, "share": self.share}


PEOPLE, ROWS, RECORDS = "people", "rows", "records"
"""What is counted: people only where it is known which rows are one person's."""


def in_words(text: str, counted: str) -> str:
    """A sentence about people in the words of what is counted.

    >>> in_words("People alone with three: fewer than 5 people look like them.", ROWS)
    'Rows alone with three: fewer than 5 rows look like them.'
    """
    return text.replace("people", counted).replace("People", counted.capitalize())


@dataclass(frozen=True)
class Risk(InNotebook):
    """The risks of a table or a release, as it stands."""

    source: str | None
    rows: int
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    threshold: int
    figures: tuple[Measured, ...]
    subsets: tuple[Subset, ...] = ()
    """Every set of up to three quasi-identifiers, those that single out most people first."""
    minimal: tuple[int, ...] = ()
    """How many minimal sample uniques of 1, 2, ... columns there are."""
    contributions: tuple[tuple[str, float], ...] = ()
    """What each column adds to the scores of special uniques."""
    criteria: tuple[Criterion, ...] = ()
    """Singling out, linkability and inference, where the original was given."""
    standards: tuple[Judged, ...] = ()
    warnings: tuple[str, ...] = ()
    """What comes before all figures: attacks on releases of an earlier version."""
    notes: tuple[str, ...] = ()
    person: str | None = None
    """The column by which people were told apart; None where none was given or found."""
    counted: str = ROWS
    """What is counted: people where it is known which rows are one person's, else rows or records."""

    @property
    def ok(self) -> bool:
        """Whether it passes against every standard that was asked for, and no criterion fails."""
        return all(one.ok for one in self.standards) and all(one.ok is not False for one in self.criteria)

    @property
    def fails(self) -> bool:
        """Whether it fails against a standard or by a criterion; what could not be judged does not."""
        return any(one.outcome is False for one in self.standards) or any(
            one.ok is False for one in self.criteria
        )

    def __getitem__(self, name: str) -> Any:
        """The value of a figure by its name."""
        return self.figure(name).value

    def figure(self, name: str) -> Measured:
        """A figure by its name."""
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def get(self, name: str) -> Measured | None:
        """A figure by its name, or None where it is none of these data."""
        return next((one for one in self.figures if one.figure.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        told = vars(self) | {"contributions": dict(self.contributions)}
        told["figures"] = [one.to_dict(self.counted) for one in self.figures]
        told["criteria"] = [one.to_dict(in_words(SAYS[one.name], self.counted)) for one in self.criteria]
        for name in ("subsets", "standards"):
            told[name] = [one.to_dict() for one in told[name]]
        called = {"minimal": "minimal_sample_uniques"}
        return {
            called.get(name, name): list(value) if isinstance(value, tuple) else value
            for name, value in told.items()
        }

    def to_markdown(self) -> str:
        """The result as Markdown, for a pull request or a wiki."""
        from tacit.judging.risk.show import as_markdown

        return as_markdown(self)
