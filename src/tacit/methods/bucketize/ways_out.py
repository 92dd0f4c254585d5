"""What the owner of a table can do where its promise is out of reach: every way, with its figure.

The figures are computed when a release is refused, and only then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit.arrays.bitmaps import unpack
from tacit.data.table import Table
from tacit.engine.base import Engine
from tacit.errors import InfeasibleError, listed, option
from tacit.knowledge.row_classes import row_classes
from tacit.methods.bucketize.asked import Asked
from tacit.methods.bucketize.joining import fewest_allowed, joined_until
from tacit.methods.bucketize.solve.feasibility import diversity_in_one_bucket, largest_feasible
from tacit.methods.bucketize.solve.keeping import rows_by_bound
from tacit.methods.bucketize.solve.plan import Classes
from tacit.mining.knowledge import NegativeRules
from tacit.mining.verbs import mine_negative_rules

MOST_ROWS = 200_000
"""Up to so many rows, rules are mined again to tell what other settings would allow."""
_SHOWN = 3


@dataclass(frozen=True, eq=False)
class Refused:
    """A release that was asked for and cannot be made."""

    asked: Asked
    table: Table
    knowledge: NegativeRules | None
    classes: Classes


def with_ways_out(error: InfeasibleError, refused: Refused) -> InfeasibleError:
    """The refusal with every way out that there is, as its hint; that of a bound has its own."""
    if error.code == "infeasible-posterior":
        return error
    ways = [error.hint] if error.hint else []
    rows = rows_by_bound(refused.classes, refused.asked)
    ways += [*_joins(refused), *_rules(refused), *_suppression(refused, rows)]
    cures = [
        *error.cures,
        *({"on_infeasible": "suppress", "max_posterior_suppressed": float(one)} for one in list(rows)[:1]),
    ]
    return InfeasibleError(
        error.message,
        code=error.code,
        where=error.where,
        hint=" ".join(ways),
        option=error.option,
        cures=cures,
    )


def _joins(refused: Refused) -> Iterator[str]:
    """Values joined along their hierarchies: only where a value cannot change hands does that help."""
    table, asked, flag = refused.table, refused.asked, option("join_values", True)
    if asked.method == "anatomy":
        yield "Joining values does not help: joined, they are more frequent."
        return
    if len(table) > MOST_ROWS:
        return
    if fewest_allowed(table, refused.knowledge, asked.engine) < asked.least:
        yield f"Joining values does not help: the rules leave some rows fewer than {asked.least}."
    elif not any(name in table.hierarchies for name in table.roles.sensitive):
        yield (
            f"Join values with {flag}, which needs a hierarchy of {listed(table.roles.sensitive)} in"
            f" {option('hierarchies')}."
        )
    elif (found := joined_until(table, refused.knowledge, asked)) is None:
        yield "Joining values along the hierarchy does not help."
    else:
        before, after = (
            sum(len(one.column(name).values) for name in found.joined) for one in (table, found.table)
        )
        yield f"Join values with {flag}: {before} values become {after}."


def _rules(refused: Refused) -> Iterator[str]:
    """Rules dropped, rules that allow for many tests, quasi-identifiers that say less."""
    table, rules, engine = refused.table, refused.knowledge, refused.asked.engine
    if refused.asked.method != "injector" or rules is None or not len(rules):
        return
    free = _largest(table, None, engine)
    known = largest_feasible(refused.classes)
    if free <= known:
        return
    in_the_way = _in_the_way(refused, rules)
    shown = "; ".join(str(rules[place]) for place in in_the_way[:_SHOWN])
    yield (
        f"Drop rules knowingly with {option('drop_rules')}: {len(in_the_way):,}"
        f" of {len(rules):,} are in the way (such as {shown}), and without any rule ℓ = {free} is feasible."
    )
    if len(table) > MOST_ROWS or not rules.settings:
        yield "Fewer rules come from --correction alike, and from coarser quasi-identifiers or fewer."
        return
    settings = dict(rules.settings)
    if settings["correction"] == "none":
        for correction in ("alike", "bonferroni"):
            fewer = mine_negative_rules(table, **settings | {"correction": correction}, engine=engine)
            if (largest := _largest(table, fewer, engine)) > known:
                yield (
                    f"With {option('correction', correction)} {len(fewer):,} rules are"
                    f" left, and ℓ = {largest} is feasible."
                )
                break
    without = {}
    for name in table.roles.quasi if len(table.roles.quasi) > 1 else ():
        rest = table.with_roles(quasi=tuple(other for other in table.roles.quasi if other != name))
        without[name] = _largest(rest, mine_negative_rules(rest, **settings, engine=engine), engine)
    best = max(without, key=lambda name: without[name], default=None)
    if best is not None and without[best] > known:
        yield (
            f"Publish coarser quasi-identifiers, or fewer: without {best!r}, ℓ = {without[best]} is feasible."
        )
    else:
        yield "Publish coarser quasi-identifiers: rules about smaller groups then go."


def _suppression(refused: Refused, rows: Mapping[Fraction, int]) -> Iterator[str]:
    """Rows left out, and how many for which bound."""
    flags = option("on_infeasible", "suppress")
    if not rows:
        yield (
            "Leaving rows out is no way out: among them a value would be held by more than 9 in 10,"
            " or none would stay."
        )
        return
    asked, classes = refused.asked, refused.classes
    at_least = "at least " if asked.bound is not None and not asked.by_frequency(classes) else ""
    shown = [
        f"{float(bound):g} for {at_least}{number:,} of {classes.n_rows:,} rows"
        for bound, number in list(rows.items())[:_SHOWN]
    ]
    yield (
        f"Leave rows out with {flags} and a largest share of a value among them"
        f", {option('max_posterior_suppressed')}: {', '.join(shown)}."
    )


def _largest(table: Table, knowledge: NegativeRules | None, engine: Engine) -> int:
    """The largest ℓ of a table against a reader with this knowledge."""
    combinations = engine.combinations(table, (*table.roles.known, *table.roles.sensitive))
    found, _ = row_classes(combinations, table.roles.sensitive, knowledge)
    return largest_feasible(Classes(**{name: getattr(found, name) for name in found.__dataclass_fields__}))


def _in_the_way(refused: Refused, rules: NegativeRules) -> list[int]:
    """The rules that forbid a value to rows with too few valid ones, those about the most rows first."""
    classes = refused.classes
    present = np.flatnonzero(classes.counts)
    least = refused.asked.least
    failing = present[diversity_in_one_bucket(classes, present, enough=least) < least]
    barred = unpack(classes.forbidden[failing], classes.n_values).any(axis=0)
    texts = list(rules.sensitive)
    about = {
        (name, int(code))
        for place, name in enumerate(classes.attributes)
        for code in np.unique(classes.parts[barred, place])
    }
    found = [
        place for place in range(len(rules)) if (texts[rules.about[place]], int(rules.values[place])) in about
    ]
    return sorted(found, key=lambda place: -float(rules.counts[place]))
