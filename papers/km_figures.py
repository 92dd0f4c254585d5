"""Figures 8 to 10 on k^m-anonymity: small domains, and what the paper says beside what was found.

The paper also draws the memory of its count-tree in nodes. No such tree is built here, because supports are
counted at the current cut alone, so there is nothing to set beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from papers.drawing import Axis, Measure, panels
from papers.experiment import Figure, Finding, Rows
from papers.km_experiment import AA, DA, OA, Outcome
from tacit.showing.chart import Chart

RECORDS, ITEMS = Axis("records", "transactions", steps=True), Axis("items", "items", steps=True)
BY_M = Axis("m", "m", steps=True)
TIME, LOSS = Measure("seconds", "CPU seconds", ".2f"), Measure("ncp", "loss (NCP)", ".1%")
GREEDY = "The greedy choices differ with the items that meet in a group."


def figure_8(found: Sequence[Outcome]) -> Figure:
    """Figure 8: the number of transactions."""
    first, last = min(each.records for each in found), max(each.records for each in found)
    fast, slow = (_one(found, OA, records=size).seconds for size in (first, last))
    ours = _one(found, AA, records=first).seconds
    return _figure(
        "figure-8",
        "the number of transactions",
        found,
        RECORDS,
        _same_loss(found, RECORDS),
        Finding.claim(
            "time of OA by the number of transactions",
            printed="linear",
            ours=f"{fast:.3f} s at {first:,}, {slow:.3f} s at {last:,}",
            holds=slow < 2 * max(fast, 0.01) * last / first,
            why="The search needs more or fewer cuts at some sizes.",
        ),
        Finding.claim(
            f"time of AA at {first:,} transactions",
            printed="much less than OA's",
            ours=f"{ours:.3f} s against {fast:.3f} s",
            holds=ours < fast / 2,
            why="OA answers within a fraction of a second here.",
        ),
    )


def figure_9(found: Sequence[Outcome]) -> Figure:
    """Figure 9: the number of items."""
    sizes = sorted({each.items for each in found})
    spent = " / ".join(f"{_one(found, OA, items=size).seconds:.3f}" for size in sizes)
    return _figure(
        "figure-9",
        "the number of items",
        found,
        ITEMS,
        _same_loss(found, ITEMS),
        Finding.claim(
            f"time of OA at {' / '.join(map(str, sizes))} items",
            printed="exponential; no answer above 60 items",
            ours=f"{spent} s, proven optimal",
            holds=False,
            why="The exact search here goes by best bound over the sets that stand in the way, not "
            "through all cuts.",
        ),
    )


def figure_10(found: Sequence[Outcome]) -> Figure:
    """Figure 10: how many items a reader knows."""
    most = max(each.m for each in found)
    worst = max(each.ncp - _one(found, OA, m=each.m).ncp for each in found)
    return _figure(
        "figure-10",
        "m",
        found,
        BY_M,
        Finding.claim(
            "loss of DA and AA by m",
            printed="very close to the optimum",
            ours="the optimum everywhere" if worst == 0 else f"at most {worst:.4f} above it",
            holds=worst < 0.01,
            why=GREEDY,
        ),
        Finding.claim(
            f"time of AA up to m = {most}",
            printed="linear, where OA and DA are exponential",
            ours=" / ".join(f"{name} {_one(found, name, m=most).seconds:.3f} s" for name in (AA, DA, OA)),
            holds=_one(found, AA, m=most).seconds <= 2 * most * max(_one(found, AA, m=1).seconds, 0.01),
            why="All are fractions of a second, and noise is of their size.",
        ),
    )


def drawn(found: Sequence[Outcome], axis: Axis, *measures: Measure) -> tuple[Chart, ...]:
    """Measures of each algorithm by an axis."""
    return panels(found, axis, measures, series="algorithm", of=f"on {found[0].data}")


def _figure(name: str, varied: str, found: Sequence[Outcome], axis: Axis, *findings: Finding) -> Figure:
    """Time and loss on small domains; what is not on the axis is told."""
    one = found[0]
    fixed = {RECORDS: f"{one.records:,} transactions", ITEMS: f"{one.items} items", BY_M: f"m = {one.m}"}
    told = ", ".join(words for other, words in fixed.items() if other != axis)
    return Figure(
        name=name,
        title=f"{name.capitalize().replace('-', ' ')}: time and loss by {varied}",
        words=f"Transactions of {one.data} over a small domain, {told}, k = {one.k}, fan-out {one.fanout}. "
        "The greedy cuts are refined; losses before that are in the data.",
        rows=Rows.of(found),
        charts=drawn(found, axis, TIME, LOSS),
        findings=findings,
    )


def _same_loss(found: Sequence[Outcome], axis: Axis) -> Finding:
    """The paper's small domains: all three algorithms find the optimum."""
    best = {(each.records, each.items): each.ncp for each in found if each.algorithm == OA}
    gaps = [
        f"{each.algorithm} with {each.records:,} transactions of {each.items} items"
        for each in found
        if each.ncp > best[each.records, each.items]
    ]
    return Finding.claim(
        f"loss of DA and AA by the number of {axis.words}",
        printed="the optimum, as OA's",
        ours="the optimum everywhere" if not gaps else f"above it at {', '.join(gaps)}",
        holds=not gaps,
        why=GREEDY,
    )


def _one(found: Sequence[Outcome], algorithm: str, **where: int) -> Outcome:
    """The outcome of an algorithm where these parameters have these values."""
    return next(
        each
        for each in found
        if each.algorithm == algorithm and all(getattr(each, name) == value for name, value in where.items())
    )
