"""One room for each method, named after its verb; this is where all of them are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from tacit.judging.figures import Figure
from tacit.options import Option, options_of

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
    estimate_at: str = "estimate:expected"
    """Where in the room the size of a run is told from the arguments of the verb."""
    knowledge: bool = False
    """Whether the options of mine_negative_rules are options of its releases too."""
    keyed: Callable[[Mapping[str, Any]], bool] = lambda values: True
    """Whether the key drives a choice, given the values of the options."""

    @property
    def command(self) -> str:
        """The command, and the name of the verb."""
        return self.shares or self.name

    @property
    def verb(self) -> Callable[..., Any]:
        """The public function."""
        return self._found(self.verb_at, self.command)

    @property
    def expected(self) -> Callable[[Any], Any]:
        """What a run with the checked arguments of the verb would take."""
        return self._found(self.estimate_at, "expected")

    @property
    def options(self) -> dict[str, Option]:
        """The options of the verb."""
        return options_of(self.verb)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of its releases."""
        found: tuple[Figure, ...] = self.part("figures").FIGURES
        return found

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
            knowledge=True,
        ),
        Method(
            "generalize",
            "generalized",
            TRANSACTIONS,
            "generalize_sets",
            "Sets of items, k^m-anonymous.",
            keyed=lambda values: bool(values["algorithm"] == "best"),
        ),
        Method(
            "generalize_table",
            "generalized_table",
            TABLE,
            "generalize_tables",
            "A table in which at least k rows look alike.",
            shares="generalize",
            knowledge=True,
            keyed=lambda values: any(
                values[name] is not None for name in ("l", "entropy_l", "recursive", "t", "person")
            ),
        ),
        Method(
            "hide",
            "hidden",
            TRANSACTIONS,
            "hide",
            "Transactions from which some patterns cannot be mined.",
            estimate_at="proposal:propose",
        ),
        Method(
            "rules",
            "rules",
            TABLE,
            "disclose",
            "Association rules of a table, if they stay within a limit.",
            verb_at="rules_verb:safe_rules",
            estimate_at="size:expected",
            keyed=lambda values: False,
        ),
    )
}
"""Every method by its verb. A new one is one more entry, and its room."""
BY_KIND = {method.kind: method for method in METHODS.values()}
"""Every method by the kind of its releases."""


def knowledge_options() -> dict[str, Option]:
    """The options that say what readers of a table know: rules with exceptions are not knowledge."""
    from tacit.mining.negative_verb import mine_negative_rules

    found = options_of(mine_negative_rules)
    return {name: option for name, option in found.items() if name != "min_confidence"}
