"""One room for each method, named after its verb; this is where all of them are known.

``import tacit`` reads this, so that nothing heavy is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.judging.figures import Figure
    from tacit.options import Option

TABLE, TRANSACTIONS = "table", "transactions"


@dataclass(frozen=True)
class Method:
    """A method: what it is called, what it takes, where its parts are."""

    name: str
    """The verb, and the method of a release in a recipe."""
    kind: str
    """The kind of its releases in manifests."""
    takes: str
    room: str
    says: str
    """What it publishes, in a sentence."""
    shares: str | None = None
    """The method whose command it shares: which of them is meant follows from the data."""
    verb_at: str = "verb:"
    """Where in the room its verb is, where that is not ``verb``."""
    estimate_at: str = "make:expected"
    """Where in the room the size of a run is told from the arguments of the verb."""
    page_at: str = "show"
    """Where in the room its part of a report is."""
    early_at: str | None = None
    """Where in the room it is said what can be refused before a run; see :meth:`early`."""
    guards_at: str | None = None
    """Where in the room it is said whether options promise something about sensitive values; all do else."""
    in_sentences: tuple[str, ...] = ()
    """Options that ``form.html`` of the room puts into sentences; the page lists the others by itself."""
    unread: tuple[str, ...] = ()
    """Options of reading that say nothing to it."""
    about: str | None = None
    """What those options say nothing about."""
    knowledge: bool = False
    """Whether the options of mine_negative_rules are options of its releases too."""
    keyed: Callable[[Mapping[str, Any]], bool] = lambda values: True
    """Whether the key drives a choice, given the values of the options."""
    keyless: str = "drives no choice here"
    """Why a key is refused where it drives none."""

    @property
    def command(self) -> str:
        """The command, and the name of the verb."""
        return self.shares or self.name

    @property
    def public(self) -> tuple[str, str]:
        """The name of the public function, and its module."""
        module, _, name = self.verb_at.partition(":")
        return name or self.command, f"{__name__}.{self.room}.{module}"

    @property
    def verb(self) -> Callable[..., Any]:
        """The public function."""
        return self._found(self.verb_at, self.command)

    def uses_key(self, values: Mapping[str, Any], *, experimental: bool) -> bool:
        """Whether a run is given the key: it drives a choice, or comes of a seed and marks an experiment."""
        return self.keyed(values) or (experimental and "key" in signature(self.verb).parameters)

    @property
    def expected(self) -> Callable[[Any], Any]:
        """What a run with the checked arguments of the verb would take."""
        return self._found(self.estimate_at, "expected")

    def early(self, data: Any, given: Mapping[str, Any]) -> Iterable[tuple[str, Callable[[], object]]]:
        """What the data or the options can be refused for before a run: an option, and the check."""
        return [] if self.early_at is None else self._found(self.early_at, "early")(data, given)

    def guards(self, values: Mapping[str, Any]) -> bool:
        """Whether the options promise something about sensitive values, so that there must be some."""
        return self.guards_at is None or bool(self._found(self.guards_at, "")(values))

    @property
    def options(self) -> dict[str, Option]:
        """The options of the verb."""
        from tacit.options import options_of

        return options_of(self.verb)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of its releases."""
        found: tuple[Figure, ...] = self.part("figures").FIGURES
        return found

    @property
    def page(self) -> ModuleType:
        """The module that says what its figures mean, in a report of one of its releases."""
        return self.part(self.page_at)

    def part(self, name: str) -> ModuleType:
        """A module of its room."""
        return import_module(f"tacit.methods.{self.room}.{name}")

    def _found(self, place: str, usual: str) -> Callable[..., Any]:
        module, _, name = place.partition(":")
        found: Callable[..., Any] = getattr(self.part(module), name or usual)
        return found


METHODS = {
    method.name: method
    for method in (
        Method(
            "bucketize",
            "bucketized",
            TABLE,
            "bucketize",
            "A table in buckets of possible sensitive values.",
            page_at="page",
            early_at="verb:",
            in_sentences=("l", "algorithm"),
            knowledge=True,
        ),
        Method(
            "generalize",
            "generalized",
            TRANSACTIONS,
            "generalize_sets",
            "Sets of items, k^m-anonymous.",
            estimate_at="estimate:",
            early_at="verb:",
            in_sentences=("k", "m"),
            keyed=lambda values: bool(values["algorithm"] == "best" or values["person"]),
            keyless="drives no choice but those of the algorithm 'best', and tells people of a series apart",
        ),
        Method(
            "generalize_table",
            "generalized_table",
            TABLE,
            "generalize_tables",
            "A table in which at least k rows look alike.",
            shares="generalize",
            guards_at="verb:about_values",
            in_sentences=("k",),
            knowledge=True,
        ),
        Method(
            "hide",
            "hidden",
            TRANSACTIONS,
            "hide",
            "Transactions from which some patterns cannot be mined.",
            estimate_at="proposal:propose",
            early_at="solve.patterns:",
            in_sentences=("patterns", "min_support"),
            unread=("hierarchy",),
            about="hiding patterns",
        ),
        Method(
            "rules",
            "rules",
            TABLE,
            "disclose",
            "Association rules of a table, if they stay within a limit.",
            verb_at="verb:safe_rules",
            in_sentences=("min_support", "min_confidence", "max_posterior"),
            unread=("hierarchies",),
            about="rules",
            keyed=lambda values: False,
        ),
    )
}
"""Every method by its verb. A new one is one more entry, and its room."""
COMMANDS = {
    name: " Or ".join(one.says[0].lower() + one.says[1:] for one in METHODS.values() if one.command == name)
    for name in dict.fromkeys(method.command for method in METHODS.values())
}
"""What each command that makes releases publishes."""
BY_KIND = {method.kind: method for method in METHODS.values()}
"""Every method by the kind of its releases."""


def knowledge_options() -> dict[str, Option]:
    """The options that say what readers of a table know: rules with exceptions or fuzzy edges are not."""
    from tacit.mining.verbs import mine_negative_rules
    from tacit.options import options_of

    found = options_of(mine_negative_rules)
    return {name: option for name, option in found.items() if name not in ("min_confidence", "spread")}
