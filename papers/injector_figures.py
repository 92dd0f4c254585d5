"""The figures on Injector: what is drawn, and what the paper says beside what was found.

The paper prints Figures 4 to 8 as pictures without numbers; what it says of them in words is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from papers.drawing import Axis, Measure, panels
from papers.experiment import Figure, Finding, Rows
from papers.injector_experiment import (
    ANATOMY,
    CONVICTION,
    DIVERSITY,
    EXPECTATION,
    INJECTOR,
    PRINTED,
    SELECTIVITY,
    Errors,
    Times,
    Vulnerable,
)
from tacit.showing.chart import Chart

AS_PRINTED = (
    "As printed, a bucket takes the row that leaves the fewest others incompatible. That uses up the rare "
    "values first and leaves the frequent ones over; they are added to buckets, which grow, and what a query "
    "is answered with is spread over more rows."
)
FOUND_WRONGLY = (
    "Anatomy mixes rows of the whole table, so that every confidence it shows is close to the overall share "
    "and hardly any rule is found, a wrong one as little as a right one. Injector shows far more of them, "
    "and with them some rules that lie just below the threshold."
)
L, LEAST = Axis("l", "ℓ", steps=True), Axis("min_expectation", "min_expectation")
SIZE = Axis("dimensions", "quasi-identifiers of a query", steps=True)
SHARE = Axis("selectivity", "selectivity")
DEFAULTS = {L: DIVERSITY, LEAST: EXPECTATION}


def figure_4(found: Sequence[Vulnerable]) -> Figure:
    """Figure 4: the rows that a reader with background knowledge leaves fewer than ℓ values."""
    none = all(each.vulnerable == 0 for each in found if each.method != ANATOMY)
    anatomy = [each.vulnerable for each in _by(found, ANATOMY)]
    return Figure(
        name="figure-4",
        title="Figure 4: vulnerable rows",
        words="Rows with fewer than ℓ valid values for a reader who knows the mined rules.",
        rows=Rows.of(found),
        charts=_panels(found, Measure("vulnerable", "vulnerable rows", ",.0f"), (LEAST, L)),
        findings=(
            Finding.claim(
                "vulnerable rows of Injector",
                printed="none in all experiments",
                ours="none" if none else "some",
                holds=none,
                why="A release broke its promise.",
                anywhere=True,
            ),
            Finding.claim(
                "vulnerable rows of Anatomy",
                printed="many (a picture)",
                ours=f"{min(anatomy):,.0f} to {max(anatomy):,.0f}",
                holds=min(anatomy) > 0,
                why="No rule helps a reader here.",
            ),
        ),
    )


def figure_5(found: Sequence[Times]) -> Figure:
    """Figure 5: the time to make the buckets."""
    ratios = [
        one.bucketize / max(other.bucketize, 1e-4)
        for one, other in zip(_by(found, INJECTOR), _by(found, ANATOMY), strict=True)
    ]
    slowest = max(each.mine + each.bucketize for each in found)
    return Figure(
        name="figure-5",
        title="Figure 5: efficiency",
        words="CPU seconds to count, make buckets and deal the rows, the least of several; mining apart.",
        rows=Rows.of(found),
        charts=_panels(found, Measure("bucketize", "CPU seconds", ".2f")),
        findings=(
            Finding.claim(
                "time of Injector without mining",
                printed="roughly the same as Anatomy's",
                ours=f"{min(ratios):.1f} to {max(ratios):.1f} times Anatomy's",
                holds=max(ratios) < 2,
                why="Anatomy takes a few hundredths of a second here: it looks at counts of values only, "
                "where Injector looks at classes and cells.",
            ),
            Finding.claim(
                "time in all",
                printed="within seconds; mining takes most",
                ours=f"at most {slowest:.2f} s; mining at most {max(each.mine for each in found):.2f} s",
                holds=slowest < 10,
                why="This machine was busy.",
            ),
        ),
    )


def figure_6(found: Sequence[Errors]) -> Figure:
    """Figure 6: the error of the confidence of association rules."""
    return Figure(
        name="figure-6",
        title="Figure 6: confidence error",
        words="Mean relative error of the confidence of rules with a support of 1 % and a conviction of "
        f"{CONVICTION}, of at most two quasi-identifiers.",
        rows=Rows.of(found),
        charts=_panels(_usual(found), Measure("confidence_uniform", "confidence error", ".0%")),
        findings=_smaller(_usual(found), "confidence", "confidence errors"),
    )


def figure_7(found: Sequence[Errors]) -> Figure:
    """Figure 7: rules found wrongly, and rules lost."""
    usual = _usual(found)
    mine, theirs = _by(usual, INJECTOR), _by(usual, ANATOMY)
    names = ("false_positives_uniform", "false_negatives_uniform")
    both = all(_sum(one, names) < _sum(other, names) for one, other in zip(mine, theirs, strict=True))
    return Figure(
        name="figure-7",
        title="Figure 7: identification error",
        words="σ− are rules of the original that the release does not show, σ+ those only the release shows, "
        "both as a share of the rules of the original.",
        rows=Rows.of(found),
        charts=(
            *_panels(usual, Measure("false_negatives_uniform", "rules lost, σ−", ".0%")),
            *_panels(usual, Measure("false_positives_uniform", "rules found wrongly, σ+", ".0%")),
        ),
        findings=(
            *_smaller(usual, "false_negatives", "σ−, rules lost,"),
            *_smaller(usual, "false_positives", "σ+, rules found wrongly,", why=FOUND_WRONGLY),
            Finding.claim(
                "σ+ and σ− together",
                printed="smaller than Anatomy's",
                ours=_span(mine, theirs, names),
                holds=both,
                why=FOUND_WRONGLY,
            ),
        ),
    )


def figure_8(found: Sequence[Errors]) -> Figure:
    """Figure 8: the error of counting queries, by ℓ, the expectation, and the size of queries."""
    usual, error = _usual(found), Measure("count_uniform", "COUNT error", ".1%")
    return Figure(
        name="figure-8",
        title="Figure 8: error of COUNT queries",
        words="Mean relative error of random queries whose true answer is not 0, values of a bucket spread "
        "evenly over its rows.",
        rows=Rows.of(found),
        charts=(
            *_panels(usual, error),
            *_panels([each for each in found if each.selectivity == SELECTIVITY], error, (SIZE,)),
            *_panels([each for each in found if each.dimensions == usual[0].dimensions], error, (SHARE,)),
        ),
        findings=_smaller(found, "count", "COUNT errors"),
    )


def learner(found: Sequence[Errors]) -> Figure:
    """Beyond the paper: how often a reader who learns from all buckets guesses right."""
    usual = _usual(found)
    return Figure(
        name="learner",
        title="Beyond the paper: a reader who learns",
        words="How often naive Bayes, learned from the release alone, guesses a row's value (Kifer, SIGMOD "
        "2009). A promise of ℓ values suggests one guess in ℓ. The paper's own way of growing buckets is the "
        "safest against it at large ℓ, and pays with its counts; buckets of near rows are safer than "
        "Anatomy's and have the smallest errors.",
        rows=Rows.of(usual),
        charts=_panels(usual, Measure("learner", "right guesses", ".0%")),
    )


def _usual(found: Sequence[Errors]) -> list[Errors]:
    """Each release once: with the queries of usual size."""
    dimensions = found[0].dimensions
    return [each for each in found if (each.dimensions, each.selectivity) == (dimensions, SELECTIVITY)]


def _by(found: Sequence[Any], method: str) -> list[Any]:
    """What one method gives, setting by setting."""
    return [each for each in found if each.method == method]


def _panels(found: Sequence[Any], measure: Measure, axes: Sequence[Axis] = (L, LEAST)) -> tuple[Chart, ...]:
    """A measure by each axis, what the other axes vary left at its default."""
    charts: list[Chart] = []
    for axis in axes:
        others = {other.name: value for other, value in DEFAULTS.items() if other != axis}
        shown = [each for each in found if all(getattr(each, name) == others[name] for name in others)]
        charts += panels(shown, axis, [measure], series="method", of="mean over the keys")
    return tuple(charts)


def _smaller(found: Sequence[Errors], measure: str, words: str, *, why: str = "") -> tuple[Finding, ...]:
    """Whether an error is below Anatomy's at every setting: of the way used here, and of the one printed."""
    reasons = {INJECTOR: "It is not below everywhere; the data show where.", PRINTED: AS_PRINTED}
    findings = []
    for method, reason in reasons.items():
        mine, theirs = _by(found, method), _by(found, ANATOMY)
        below = [
            getattr(one, f"{measure}_{how}") < getattr(other, f"{measure}_{how}")
            for one, other in zip(mine, theirs, strict=True)
            for how in ("uniform", "valid")
        ]
        among = f"smaller in {sum(below)} of {len(below)}"
        findings.append(
            Finding.claim(
                f"{words} of {method}",
                printed="smaller than Anatomy's in all experiments",
                ours=f"{among}: {_span(mine, theirs, [f'{measure}_uniform'])}",
                holds=all(below),
                why=why or reason,
            )
        )
    return tuple(findings)


def _span(mine: Sequence[Errors], theirs: Sequence[Errors], names: Sequence[str]) -> str:
    """The range of a sum of measures, of one way and of Anatomy."""
    ranges = [sorted(_sum(each, names) for each in one) for one in (mine, theirs)]
    ours, others = (f"{found[0]:.1%}–{found[-1]:.1%}" for found in ranges)
    return f"{ours} against {others}"


def _sum(one: Errors, names: Sequence[str]) -> float:
    return sum(float(getattr(one, name)) for name in names)
