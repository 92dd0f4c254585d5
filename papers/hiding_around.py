"""Around the figures on hiding patterns: the data, the printed examples, other data, sliding windows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from papers.drawing import Axis, Measure, bars, panels
from papers.experiment import Figure, Finding, Rows, shown
from papers.hiding_drawing import FAILURE, FOUR, MISSES, RS, Measured, by_share, drawn, near_zero
from papers.hiding_experiment import (
    EXACT,
    EXACT_LIMIT,
    SWA,
    SWA_LARGEST,
    Match,
    Outcome,
    Subject,
    compare,
)
from papers.hiding_product import taken_out
from tacit.data.transactions import Transactions
from tacit.methods.hide.solve.matrix import Mark, SanitizationMatrix
from tacit.showing.chart import Cell, Chart


def table_1(subjects: Sequence[Subject]) -> Figure:
    """Section 4.2: the transactions and their frequent patterns."""
    text, frequent = subjects[0].transactions, len(subjects[0].itemsets)
    why = (
        "The text names neither how many patterns its generator was given nor how long they were, and its "
        "file was not published. Ours are drawn from 400 patterns of 8 items on average, which comes near."
    )
    return Figure(
        name="table-1",
        title="Section 4.2 and Table 1: the transactions",
        words="The transactions of the experiment, and what is frequent in them.",
        rows=Rows.under(
            "data transactions items average_length least_support frequent_patterns "
            "largest_support_of_a_pair",
            (
                (
                    each.name,
                    len(each.transactions),
                    each.transactions.n_items,
                    _average(each.transactions),
                    each.least,
                    len(each.itemsets),
                    int(each.itemsets.of_length(2)[1].max(initial=0)),
                )
                for each in subjects
            ),
        ),
        findings=(
            Finding("frequent patterns of two and more items", shown(52_964), shown(frequent), None, why),
            Finding.number(
                "items that occur",
                printed=1000,
                ours=text.n_items,
                why="All 1,000 can be drawn. Items have unequal weights here, as they must have had in the "
                "published T10I4D100K, which holds 870 of its 1,000: the rarest are in none of the patterns.",
            ),
            Finding.number("average length", printed=15, ours=round(_average(text), 2), within=0.05, why=why),
        ),
    )


def figure_2() -> Figure:
    """Figure 2 and section 3.2.2: products with a sanitization matrix, as printed."""
    first = "001 110 001 111"
    examples = (
        ("Figure 2, left", first, "001 010 001 011", Mark(1, 0), ()),
        ("Figure 2, right", first, "001 100 001 101", Mark(0, 1), ()),
        ("section 3.2.2", "111 110 001 111", "111 100 001 111", Mark(0, 1), (2,)),
    )
    rows, findings = [], []
    for name, original, printed, mark, keepers in examples:
        ours = _product(original, SanitizationMatrix(("1", "2", "3"), (mark,), {mark.victim: keepers}))
        lines = zip(original.split(), printed.split(), ours.split(), strict=True)
        rows += [(name, row, *line) for row, line in enumerate(lines, start=1)]
        findings.append(
            Finding.claim(
                name, printed=printed, ours=ours, holds=ours == printed, why="The products are not the same."
            )
        )
    return Figure(
        name="figure-2",
        title="Figure 2 and section 3.2.2: over-hiding, and failing to hide",
        words="Transactions times sanitization matrix. With -1 alone the pair {1, 2} never occurs again, "
        "which shows; with ones that keep {1, 3} and {2, 3} it stays at a support of a half.",
        rows=Rows.under("example row original printed ours", rows),
        findings=tuple(findings),
    )


def disclosure_thresholds(measured: Sequence[Measured], text: Subject) -> Figure:
    """Beyond the text's figures: sliding windows by their disclosure threshold ψ."""
    first, last = measured[0], measured[-1]
    return Figure(
        name="disclosure-threshold",
        title="Sliding windows by their disclosure threshold ψ (not in the text)",
        words="The text says that ψ is not tied to the least support, so that hiding fails where sensitive "
        "patterns are frequent. Here ψ is varied at RS 0.1 and RL2 0.7.",
        rows=Rows.of(measured),
        charts=panels(measured, Axis("method", "ψ"), (FAILURE, MISSES), series=None, of=f"on {text.name}"),
        findings=(
            Finding.claim(
                "hiding failure of sliding windows",
                printed="there is no correlation between ψ and the least support",
                ours=f"{first.hiding_failure:.3f} at {first.method} → "
                f"{last.hiding_failure:.3f} at {last.method}",
                holds=last.hiding_failure > first.hiding_failure,
                why="No sensitive pattern is frequent enough to survive.",
            ),
        ),
    )


def other_data(measured: Sequence[Measured], data: Subject) -> Figure:
    """The same on transactions that the text did not use."""
    return Figure(
        name=data.name.lower(),
        title=f"The same on {data.name} (not in the text)",
        words=f"{len(data.transactions):,} transactions, {len(data.itemsets):,} frequent patterns at a least "
        f"support of {data.least:,}; RS varied at RL2 0.7, C 0.95.",
        rows=Rows.of(measured),
        charts=drawn(by_share(measured), RS, *FOUR),
        findings=near_zero(measured, data.name),
    )


def against_windows(outcomes: Mapping[str, Sequence[Outcome]]) -> Figure:
    """Section 5: what hiding costs beside sliding windows, on every setting of every data set."""
    rows, findings = [], []
    for ours in (EXACT, EXACT_LIMIT):
        for theirs in (SWA, SWA_LARGEST):
            found = {name: compare(each, ours, theirs) for name, each in outcomes.items()}
            rows += [
                (name, ours.name, theirs.name, *match.row)
                for name, matches in found.items()
                for match in matches
            ]
            findings.append(_duels(ours.name, theirs.name, found))
    duels = Rows.under("data ours theirs RS RL2 draw misses_ours misses_theirs won", rows)
    return Figure(
        name="section-5",
        title="Section 5: misses cost against sliding windows, setting by setting",
        words="A setting counts as won where fewer of the other patterns are lost and no more of the "
        "sensitive ones are left. The largest ψ is the one that just hides everything, which nobody told "
        "the windows of the text.",
        rows=duels,
        charts=(_won_chart(duels),),
        findings=tuple(findings),
    )


def _duels(ours: str, theirs: str, found: Mapping[str, Sequence[Match]]) -> Finding:
    """On how many settings ours loses more than sliding windows; which they are."""
    lost = {name: sum(not match.won for match in each) for name, each in found.items()}
    among = sum(len(each) for each in found.values())
    exceptions = [
        f"{name} RS {setting.share:g} RL2 {setting.pair_share:g}" + (f" ({times} draws)" if times > 1 else "")
        for name, each in found.items()
        for setting, times in Counter(
            replace(match.setting, seed=0) for match in each if not match.won
        ).items()
    ]
    return Finding.claim(
        f"misses cost, {ours} against {theirs}",
        printed="a little more than SWA in some conditions",
        ours=f"more on {sum(lost.values())} of {among} settings",
        holds=2 * sum(lost.values()) < among,
        why="Windows break patterns and not pairs, so that they lose less and leave more to be inferred. "
        "Not won: " + "; ".join(exceptions) + ".",
    )


def _won_chart(duels: Rows) -> Chart:
    """The share of settings won, by data set and by pair of methods."""
    groups: dict[tuple[Cell, str], list[Cell]] = {}
    for row in duels.records():
        targets = "drawn" if row["ours"] == EXACT.name else "limit"
        windows = str(row["theirs"]).removeprefix("SWA, ")
        groups.setdefault((row["data"], f"{targets} / {windows}"), []).append(row["won"])
    return bars(
        [
            {"data": name, "won": won.count(True) / len(won), "methods": methods}
            for (name, methods), won in groups.items()
        ],
        Measure("won", "share of settings", ".0%"),
        title="Settings with fewer misses at no more failures",
        caption="The share of settings on which the exact policy loses fewer patterns than sliding windows: "
        "with targets drawn and at the limit, against windows with either threshold ψ.",
    )


def _average(transactions: Transactions) -> float:
    """How many items a transaction has."""
    return len(transactions.items) / len(transactions)


def _product(rows: str, matrix: SanitizationMatrix) -> str:
    """Transactions written as rows of 0 and 1, times the matrix."""
    cells = np.array([[int(cell) for cell in row] for row in rows.split()])
    indptr = np.concatenate([[0], np.cumsum(cells.sum(axis=1))]).astype(np.int64)
    items = np.nonzero(cells)[1].astype(np.int32)
    removed = taken_out(matrix, indptr, items)
    for row, (first, end) in enumerate(pairwise(indptr.tolist())):
        cells[row, items[first:end][removed[first:end]]] = 0
    return " ".join("".join(map(str, row)) for row in cells.tolist())
