"""The figures on hiding patterns: what is drawn, and what the text says beside what was found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from papers.experiment import Figure, Finding, Rows
from papers.hiding_drawing import (
    DISSIMILARITY,
    FAILURE,
    FOUR,
    LEMMA_2,
    MISSES,
    RL2,
    RS,
    SECONDS,
    WEAKNESS,
    C,
    Measured,
    by_pair_share,
    by_share,
    drawn,
    grows,
    largest,
    most,
    near_zero,
    of_method,
    trend,
)  # fmt: skip
from papers.hiding_experiment import CERTIFIED, PAPER, SWA, Subject
from tacit.methods.hide.solve.matrix import largest_probability


def figure_3(measured: Sequence[Measured], *, least: int) -> Figure:
    """Figure 3: what the confidence does."""
    paper, certified = of_method(measured, PAPER.name), of_method(measured, CERTIFIED.name)
    few, many = paper[0], paper[-1]
    low, high = (
        float(largest_probability(np.array([2 * least]), least - 1, each.C)[0]) for each in (few, many)
    )
    return Figure(
        name="figure-3",
        title="Figure 3: hiding failure, weakness, misses cost and dissimilarity by the confidence C",
        words="At RS 0.1 and RL2 0.7. With targets drawn by the key, certified hides well below the limit, "
        "whatever the confidence; at the limit the confidence shows.",
        rows=Rows.of(measured),
        charts=drawn(measured, C, *FOUR),
        findings=(
            trend(FAILURE, paper, C, rising=False),
            trend(MISSES, paper, C, rising=True),
            trend(DISSIMILARITY, paper, C, rising=True),
            Finding.claim(
                f"weakness at C = {many.C:g}",
                printed="gets lower while C gets higher",
                ours=f"paper {few.weakness:.3f} → {many.weakness:.3f}; "
                f"certified {certified[-1].weakness:.3f}",
                holds=many.weakness < 0.01,
                why=LEMMA_2,
            ),
            Finding.claim(
                "probabilities by C",
                printed="the larger C, the higher they are",
                ours=f"ρ of a pair at twice the least support: {low:.4f} at C {few.C:g}, "
                f"{high:.4f} at {many.C:g}",
                holds=high > low,
                why="By the text's own Lemma 1 it is the reverse: to be surer that a pair is hidden, fewer "
                "of its transactions may keep it. What the text concludes from it is right all the same.",
            ),
        ),
    )


def figure_4(measured: Sequence[Measured], text: Subject) -> Figure:
    """Figure 4: the share of sensitive patterns, against sliding windows."""
    varied = by_share(measured)
    certified, windows = of_method(varied, CERTIFIED.name), of_method(varied, SWA.name)
    added = max(each.artificial_patterns for each in measured)
    highest = int(text.itemsets.of_length(2)[1].max(initial=0))
    return Figure(
        name="figure-4",
        title="Figure 4: hiding failure, weakness, misses cost and dissimilarity by RS",
        words="At C 0.95 and RL2 0.7, with sliding windows beside: ψ is the share of a pattern's "
        "transactions that keep it.",
        rows=Rows.of(varied),
        charts=drawn(varied, RS, *FOUR),
        findings=(
            *near_zero(varied, "whatever RS is"),
            Finding.claim(
                "hiding failure of sliding windows",
                printed="high where sensitive patterns are frequent",
                ours=largest(FAILURE, windows),
                holds=most(FAILURE, windows) > 0,
                why=f"With ψ = 0.1 only a pattern in ten times the least support, {10 * text.least:,} "
                f"transactions, stays frequent, and our most frequent pair is in {highest:,}. Figure "
                "'disclosure-threshold' shows the failure at larger ψ.",
            ),
            grows(MISSES, certified, windows),
            grows(DISSIMILARITY, certified, windows),
            Finding.claim(
                "artificial patterns",
                printed="always 0 %",
                ours=f"{added:.0%} everywhere",
                holds=added == 0,
                why="Something was added to the transactions.",
            ),
        ),
    )


def figure_5(measured: Sequence[Measured]) -> Figure:
    """Figure 5: times by RS and RL2; hiding failure and weakness by RL2."""
    shares, pair_shares = by_share(measured), by_pair_share(measured)
    windows, certified = of_method(shares, SWA.name), of_method(shares, CERTIFIED.name)
    by_pairs = of_method(pair_shares, CERTIFIED.name)
    machine = "Both take a fraction of a second here, and noise is of the size of the difference."
    return Figure(
        name="figure-5",
        title="Figure 5: execution time by RS and by RL2; hiding failure and weakness by RL2",
        words="CPU seconds to solve and apply, without mining. The text's machine was a Pentium 4.",
        rows=Rows.of([*shares, *(each for each in pair_shares if each not in shares)]),
        charts=(
            *drawn(shares, RS, SECONDS),
            *drawn(pair_shares, RL2, SECONDS, FAILURE, WEAKNESS),
        ),
        findings=(
            Finding.claim(
                "time of SWA",
                printed="increases as RS increases",
                ours=f"{windows[0].seconds:.3f} s → {windows[-1].seconds:.3f} s",
                holds=windows[-1].seconds > windows[0].seconds,
                why=machine,
            ),
            Finding.claim(
                "time of the matrix by RS",
                printed="changes slightly",
                ours=f"{certified[0].seconds:.3f} s → {certified[-1].seconds:.3f} s",
                holds=certified[-1].seconds < 2 * certified[0].seconds,
                why="The text multiplies all of the matrix, whose cost is fixed; only columns with a -1 are "
                "looked at here, and more patterns make more of them.",
            ),
            Finding.claim(
                "time of the matrix by RL2",
                printed="decreases as RL2 increases",
                ours=f"{by_pairs[0].seconds:.3f} s → {by_pairs[-1].seconds:.3f} s",
                holds=by_pairs[-1].seconds < by_pairs[0].seconds,
                why=machine,
            ),
            *near_zero(pair_shares, "whatever RL2 is"),
        ),
    )


def figure_6(measured: Sequence[Measured]) -> Figure:
    """Figure 6: misses cost and dissimilarity by RL2."""
    varied = by_pair_share(measured)
    certified = of_method(varied, CERTIFIED.name)
    return Figure(
        name="figure-6",
        title="Figure 6: misses cost and dissimilarity by RL2",
        words="At C 0.95 and RS 0.1: what hiding costs.",
        rows=Rows.of(varied),
        charts=drawn(varied, RL2, MISSES, DISSIMILARITY),
        findings=(
            trend(MISSES, certified, RL2, rising=False),
            trend(DISSIMILARITY, certified, RL2, rising=False),
        ),
    )
