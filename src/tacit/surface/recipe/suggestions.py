"""What to begin with where nothing was decided: hierarchies that fit the values, an ℓ that fits the table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.data.table import Table
from tacit.errors import TacitError
from tacit.surface.recipe.source import Balanced, Dates, Flat, Intervals, Prefixes

Rule = Intervals | Balanced | Prefixes | Dates | Flat

USUAL_L = 3
FANOUT = 5
WIDTHS = (1, 2, 5)
"""An interval is one of these wide, times a power of ten."""
INTERVALS = 20
"""About how many narrowest intervals a column of numbers is cut into."""
_WHOLE = re.compile(r"-?\d{1,15}")
_CODE = re.compile(r"[0-9A-Z][0-9A-Z.-]{3,11}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def suggested_rule(values: Sequence[str | None]) -> tuple[Rule, str]:
    """A rule to build a hierarchy that fits these values, and why."""
    for rule, why in _candidates([value for value in values if value is not None]):
        try:
            rule.build(values, None)
        except TacitError:  # the values only looked alike
            continue
        return rule, why
    return Flat(), "nothing groups its values"


def suggested_l(table: Table) -> int | None:
    """The ℓ to begin with: the usual one, or the largest that the table allows; None where it allows none."""
    from tacit.engine.choice import engine_for
    from tacit.methods.bucketize.make import count_classes
    from tacit.methods.bucketize.solve.feasibility import largest_feasible
    from tacit.mining.negative_verb import mine_negative_rules
    from tacit.random.key import Key

    rules = mine_negative_rules(table)
    counted = count_classes(table, rules, engine_for(table), Key.from_seed(0))
    largest = largest_feasible(counted.classes)
    return min(USUAL_L, largest) if largest >= 2 else None


def _candidates(values: list[str]) -> list[tuple[Rule, str]]:
    found: list[tuple[Rule, str]] = []
    if not values:
        return found
    if all(_DATE.match(value) for value in values):
        found.append((Dates(), "its values are dates"))
    if len({len(value) for value in values}) == 1 and all(map(_CODE.fullmatch, values)) and len(values) > 10:
        length = len(values[0])
        found.append(
            (Prefixes(lengths=tuple(range(length - 1, 1, -1))), "its values are codes of one length")
        )
    if len(values) > 10 and all(map(_WHOLE.fullmatch, values)):
        numbers = [int(value) for value in values]
        found.append(
            (Intervals(width=_width(max(numbers) - min(numbers)), nesting=(2, 2)), "its values are numbers")
        )
    return found


def _width(span: int) -> int:
    """A round width that cuts a span into about so many intervals."""
    wanted = max(1, span // INTERVALS)
    power = int(10 ** (len(str(wanted)) - 1))
    return next((width * power for width in WIDTHS if width * power >= wanted), 10 * power)
