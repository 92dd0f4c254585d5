"""The figures on Injector [1]: what is drawn, and what the paper says beside what was found.

The paper prints Figures 4 to 8 as pictures without numbers; what it says of them in words is compared.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from tacit.showing.chart import Chart, line_chart
from tacit.surface.reproduce.experiment import Figure, Finding, Rows
from tacit.surface.reproduce.injector_experiment import (
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
AXES = {
    "l": "ℓ",
    "min_expectation": "min_expectation",
    "dimensions": "quasi-identifiers of a query",
    "selectivity": "selectivity",
}


def figure_4(found: Sequence[Vulnerable], *, published: bool) -> Figure:
    """Figure 4: the rows that a reader with background knowledge leaves fewer than ℓ values."""
    none = all(each.vulnerable == 0 for each in found if each.method != ANATOMY)
    anatomy = [each.vulnerable for each in found if each.method == ANATOMY]
    return Figure(
        name="figure-4",
        title="Figure 4: vulnerable rows",
        words="Rows with fewer than ℓ valid values for a reader who knows the mined rules.",
        rows=Rows.of(found),
        charts=_panels(found, "vulnerable", "vulnerable rows", ",.0f", ("min_expectation", "l")),
        findings=(
            Finding.claim(
                "vulnerable rows of Injector",
                printed="none in all experiments",
                ours="none" if none else "some",
                holds=none,
                why="A release broke its promise.",
            ),
            Finding.claim(
                "vulnerable rows of Anatomy",
                printed="many (a picture)",
                ours=f"{min(anatomy):,.0f} to {max(anatomy):,.0f}",
                holds=min(anatomy) > 0,
                why="The data are others.",
                comparable=published,
            ),
        ),
    )


def figure_5(found: Sequence[Times], *, published: bool) -> Figure:
    """Figure 5: the time to make the buckets."""
    ratios = [
        _of(found, INJECTOR, each).bucketize / max(each.bucketize, 1e-4)
        for each in found
        if each.method == ANATOMY
    ]
    slowest = max(each.mine + each.bucketize for each in found)
    return Figure(
        name="figure-5",
        title="Figure 5: efficiency",
        words="CPU seconds to count, make buckets and deal the rows, the least of several; mining apart.",
        rows=Rows.of(found),
        charts=_panels(found, "bucketize", "CPU seconds", ".2f", ("l", "min_expectation")),
        findings=(
            Finding.claim(
                "time of Injector without mining",
                printed="roughly the same as Anatomy's",
                ours=f"{min(ratios):.1f} to {max(ratios):.1f} times Anatomy's",
                holds=max(ratios) < 2,
                why="Anatomy takes a few hundredths of a second here: it looks at counts of values only, "
                "where Injector looks at classes and cells.",
                comparable=published,
            ),
            Finding.claim(
                "time in all",
                printed="within seconds; mining takes most",
                ours=f"at most {slowest:.2f} s; mining at most {max(each.mine for each in found):.2f} s",
                holds=slowest < 10,
                why="This machine was busy.",
                comparable=published,
            ),
        ),
    )


def figure_6(found: Sequence[Errors], *, published: bool) -> Figure:
    """Figure 6: the error of the confidence of association rules."""
    return Figure(
        name="figure-6",
        title="Figure 6: confidence error",
        words="Mean relative error of the confidence of rules with a support of 1 % and a conviction of "
        f"{CONVICTION}, of at most two quasi-identifiers.",
        rows=Rows.of(found),
        charts=_panels(
            _usual(found), "confidence_uniform", "confidence error", ".0%", ("l", "min_expectation")
        ),
        findings=_smaller(_usual(found), "confidence", "confidence errors", published=published),
    )


def figure_7(found: Sequence[Errors], *, published: bool) -> Figure:
    """Figure 7: rules found wrongly, and rules lost."""
    usual, axes = _usual(found), ("l", "min_expectation")
    mine, theirs = ([each for each in usual if each.method == method] for method in (INJECTOR, ANATOMY))
    both = all(
        one.false_positives_uniform + one.false_negatives_uniform
        < other.false_positives_uniform + other.false_negatives_uniform
        for one, other in zip(mine, theirs, strict=True)
    )
    return Figure(
        name="figure-7",
        title="Figure 7: identification error",
        words="σ− are rules of the original that the release does not show, σ+ those only the release shows, "
        "both as a share of the rules of the original.",
        rows=Rows.of(found),
        charts=(
            *_panels(usual, "false_negatives_uniform", "rules lost, σ−", ".0%", axes),
            *_panels(usual, "false_positives_uniform", "rules found wrongly, σ+", ".0%", axes),
        ),
        findings=(
            *_smaller(usual, "false_negatives", "σ−, rules lost,", published=published),
            *_smaller(
                usual, "false_positives", "σ+, rules found wrongly,", published=published, why=FOUND_WRONGLY
            ),
            Finding.claim(
                "σ+ and σ− together",
                printed="smaller than Anatomy's",
                ours=_span(mine, theirs, "false_positives_uniform", "false_negatives_uniform"),
                holds=both,
                why=FOUND_WRONGLY,
                comparable=published,
            ),
        ),
    )  # fmt: skip


def figure_8(found: Sequence[Errors], *, published: bool) -> Figure:
    """Figure 8: the error of counting queries, by ℓ, the expectation, and the size of queries."""
    default = [each for each in found if (each.l, each.min_expectation) == (DIVERSITY, EXPECTATION)]
    usual = _usual(found)
    by_size = [each for each in default if each.selectivity == SELECTIVITY]
    by_share = [each for each in default if each.dimensions == usual[0].dimensions]
    return Figure(
        name="figure-8",
        title="Figure 8: error of COUNT queries",
        words="Mean relative error of random queries whose true answer is not 0, values of a bucket spread "
        "evenly over its rows.",
        rows=Rows.of(found),
        charts=(
            *_panels(usual, "count_uniform", "COUNT error", ".1%", ("l", "min_expectation")),
            *_panels(by_size, "count_uniform", "COUNT error", ".1%", ("dimensions",)),
            *_panels(by_share, "count_uniform", "COUNT error", ".1%", ("selectivity",)),
        ),
        findings=_smaller(found, "count", "COUNT errors", published=published),
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
        charts=_panels(usual, "learner", "right guesses", ".0%", ("l", "min_expectation")),
    )


def _usual(found: Sequence[Errors]) -> list[Errors]:
    """Each release once: with the queries of usual size."""
    dimensions = found[0].dimensions
    return [each for each in found if (each.dimensions, each.selectivity) == (dimensions, SELECTIVITY)]


def _panels(found: Sequence[Any], name: str, words: str, form: str, axes: Sequence[str]) -> tuple[Chart, ...]:
    """A measure by each axis, what the other axes vary left at its default."""
    defaults = {"l": DIVERSITY, "min_expectation": EXPECTATION}
    return tuple(
        line_chart(
            [
                {"method": each.method, axis: _place(getattr(each, axis)), name: getattr(each, name)}
                for each in sorted(found, key=attrgetter(axis))
                if all(getattr(each, other) == value for other, value in defaults.items() if other != axis)
            ],
            x=axis,
            y=name,
            series="method",
            title=f"{words[0].upper()}{words[1:]} by {AXES[axis]}",
            caption=f"The {words} of each way by {AXES[axis]}, mean over the keys.",
            x_title=AXES[axis],
            y_title=words,
            y_format=form,
            width=560,
            height=220,
        )
        for axis in axes
    )


def _place(value: float) -> float | str:
    """A place on an axis; whole numbers are places of their own, with nothing between them."""
    return str(value) if isinstance(value, int) else value


def _smaller(
    found: Sequence[Errors], measure: str, words: str, *, published: bool, why: str = ""
) -> tuple[Finding, ...]:
    """Whether an error is below Anatomy's at every setting: of the way used here, and of the one printed."""
    reasons = {
        INJECTOR: why or "It is not below everywhere; the data show where.",
        PRINTED: why or AS_PRINTED,
    }
    findings = []
    for method, reason in reasons.items():
        mine, theirs = ([each for each in found if each.method == name] for name in (method, ANATOMY))
        below = [
            getattr(one, f"{measure}_{how}") < getattr(other, f"{measure}_{how}")
            for one, other in zip(mine, theirs, strict=True)
            for how in ("uniform", "valid")
        ]
        findings.append(
            Finding.claim(
                f"{words} of {method}",
                printed="smaller than Anatomy's in all experiments",
                ours=f"smaller in {sum(below)} of {len(below)}: {_span(mine, theirs, f'{measure}_uniform')}",
                holds=all(below),
                why=reason if published else "The data are others.",
                comparable=published,
            )
        )
    return tuple(findings)


def _span(mine: Sequence[Errors], theirs: Sequence[Errors], *names: str) -> str:
    """The range of a sum of measures, of one way and of Anatomy."""
    ranges = [sorted(sum(getattr(each, name) for name in names) for each in one) for one in (mine, theirs)]
    ours, others = (f"{found[0]:.1%}–{found[-1]:.1%}" for found in ranges)
    return f"{ours} against {others}"


def _of(found: Sequence[Times], method: str, like: Times) -> Times:
    """The times of another method at the same setting."""
    return next(
        each
        for each in found
        if (each.method, each.l, each.min_expectation) == (method, like.l, like.min_expectation)
    )
