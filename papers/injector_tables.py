"""The tables on Injector [1]: the nine patients, the attributes of Adult, and the rules that are mined.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from papers.drawing import Measure, bars, panels
from papers.experiment import Figure, Finding, Rows
from papers.injector_experiment import ENGINE, EXPECTATION
from papers.injector_figures import LEAST
from papers.sources import Source
from tacit.data.table import Table, table_from_frame
from tacit.methods.bucketize.judge.buckets import buckets_of
from tacit.methods.bucketize.judge.risks import valid_value_counts
from tacit.methods.bucketize.verb import bucketize
from tacit.mining.verbs import mine_negative_rules
from tacit.random.key import Key
from tacit.showing.chart import Cell

ZIPS = ("47677", "47602", "47678", "47905", "47909", "47906", "47605", "47673", "47607")
AGES = (29, 22, 27, 43, 52, 47, 30, 36, 32)
SEXES = ("F", "F", "M", "M", "F", "M", "M", "M", "M")
DISEASES = (
    *("Ovarian Cancer", "Ovarian Cancer", "Prostate Cancer", "Flu", "Heart Disease", "Heart Disease"),
    *("Heart Disease", "Flu", "Flu"),
)
TABLE_1 = (ZIPS, AGES, SEXES, DISEASES)
PRINTED_GROUPS = (1, 1, 1, 2, 2, 2, 3, 3, 3)
"""Tables I and II of the paper."""
KNOWN = "sex=M => not disease=Ovarian Cancer"
ATTRIBUTES = {
    "age": (74, 5),
    "workclass": (8, 3),
    "education": (16, 4),
    "marital-status": (7, 3),
    "race": (5, 3),
    "sex": (2, 2),
    "occupation": (14, None),
}
"""Table III: how many values each attribute of Adult has, and the height of its hierarchy."""
MINED = {
    0.75: (45, (0.0, 80.4, 15.9, 2.3, 1.2, 0.2)),
    0.80: (39, (0.0, 84.6, 12.2, 2.1, 1.0, 0.1)),
    0.85: (32, (0.0, 87.5, 9.2, 2.0, 1.0, 0.0)),
    0.90: (22, (0.0, 87.9, 9.2, 2.5, 0.4, 0.0)),
    0.95: (15, (0.0, 96.2, 1.8, 2.0, 0.0, 0.0)),
}
"""Figure 3: per expectation, the rules and the percentages of rows with 0, 1, …, 5 or more barred values."""
OTHER_HIERARCHIES = (
    "The paper says neither which rows nor which hierarchies it used. Only rules of a single attribute come "
    "near its numbers, and which of those there are depends on the intervals of age. All expectations are in "
    "the data of the figure."
)


@dataclass(frozen=True)
class Mined:
    """A line of Figure 3: rules, and the percentages of rows by the number of values they cannot have."""

    data: str
    min_expectation: float
    rules: int
    shares: tuple[float, ...]
    """Of rows with 0, 1, …, 4, 5 or more of them."""


def nine_patients() -> Figure:
    """Tables I and II: nine patients, and what a reader who knows one rule makes of their groups."""
    frame = pl.DataFrame(dict(zip(("zip", "age", "sex", "disease"), TABLE_1, strict=True)))
    table = table_from_frame(frame, quasi=["zip", "age", "sex"], sensitive="disease")
    rules = mine_negative_rules(table, rules=[KNOWN], min_expectation=0.99)
    printed = valid_value_counts(buckets_of(table, np.array(PRINTED_GROUPS, dtype=np.int32)), rules)
    made = bucketize(table, l=2, knowledge=rules, key=Key.from_seed(1), engine=ENGINE).buckets
    injected = np.empty(len(table), dtype=np.int64)
    injected[made.rows] = valid_value_counts(made, rules)
    numbers = range(1, len(ZIPS) + 1)
    open_rows = [row for row in numbers if printed[row - 1] < 2]
    fewest = int(injected.min())
    return Figure(
        name="tables-1-2",
        title="Tables I and II: nine patients, and a man who cannot have ovarian cancer",
        words="In the first group of Table II the man can only have prostate cancer, which leaves ovarian "
        "cancer to both women. Injector groups the same nine so that everybody keeps two diseases.",
        rows=Rows.under(
            "row zip age sex disease printed_group valid_in_table_2 valid_in_injector",
            zip(numbers, *TABLE_1, PRINTED_GROUPS, printed.tolist(), injected.tolist(), strict=True),
        ),
        findings=(
            Finding.claim(
                "patients whom Table II gives away",
                printed="the man of group 1 has prostate cancer",
                ours=f"rows {', '.join(map(str, open_rows))}",
                holds=3 in open_rows,
                why="The groups are not those of Table II.",
            ),
            Finding.claim(
                "Injector, ℓ = 2",
                printed="two valid diseases each",
                ours=f"at least {fewest} each",
                holds=fewest >= 2,
                why="A release broke its promise.",
            ),
        ),
    )


def adult_attributes(adult: Source[Table]) -> Figure:
    """Table III: Adult."""
    found = {name: (len(adult.data.column(name).values), _levels(adult.data, name)) for name in ATTRIBUTES}
    why = {
        "workclass": "The value Never-worked is only held by people without an occupation, whose rows are "
        "dropped.",
        "race": "The hierarchy used here goes from the race to no distinction at once.",
    }
    return Figure(
        name="table-3",
        title="Table III: the attributes of Adult",
        words="Values that occur in the rows without missing values, and the levels of the hierarchies.",
        rows=Rows.under(
            "attribute values height printed_values printed_height",
            ((name, *found[name], *ATTRIBUTES[name]) for name in ATTRIBUTES),
        ),
        findings=tuple(
            Finding.claim(
                name,
                printed=_described(*ATTRIBUTES[name]),
                ours=_described(*found[name]),
                holds=found[name] == ATTRIBUTES[name],
                why=why.get(name, OTHER_HIERARCHIES),
            )
            for name in ATTRIBUTES
        ),
    )


def _levels(table: Table, name: str) -> int | None:
    """The height of a quasi-identifier's hierarchy, its leaves counted."""
    if ATTRIBUTES[name][1] is None or name not in table.hierarchies:
        return None
    hierarchy = table.hierarchies[name]
    return int(hierarchy.heights[hierarchy.root]) + 1


def figure_3(sources: Sequence[Source[Table]]) -> Figure:
    """Figure 3: how many negative rules there are, and how many values rows cannot have for them."""
    lines = [_mined(source, each) for source in sources for each in MINED]
    compared = lines[: len(MINED)] if sources[0].published else []
    if compared:
        lines += [Mined("paper", each, rules, shares) for each, (rules, shares) in MINED.items()]
    numbers = ("0", "1", "2", "3", "4", "5 or more")
    barred: list[dict[str, Cell]] = [
        {"forbidden values": number, "share": share / 100, "data": line.data}
        for line in lines
        if line.min_expectation == EXPECTATION
        for number, share in zip(numbers, line.shares, strict=True)
    ]
    return Figure(
        name="figure-3",
        title="Figure 3: negative rules, and rows by the number of values they cannot have",
        words="The most general rules of one attribute that hold without exception.",
        rows=Rows.under(
            "data min_expectation rules N0 N1 N2 N3 N4 N5_or_more",
            ((line.data, line.min_expectation, line.rules, *line.shares) for line in lines),
        ),
        charts=(
            *panels(lines, LEAST, [Measure("rules", "negative rules")], series="data", of=""),
            bars(
                barred,
                Measure("share", "rows", ".0%"),
                title="Rows by the number of values they cannot have",
                caption=f"At an expectation of {EXPECTATION}.",
            ),
        ),
        findings=_beside(compared) if compared else (),
    )


def _mined(source: Source[Table], expectation: float) -> Mined:
    rules = mine_negative_rules(source.data, min_expectation=expectation)
    names = (*source.data.roles.quasi, *source.data.roles.sensitive)
    histogram = rules.histogram(ENGINE.combinations(source.data, names))
    counts = np.zeros(6)
    np.add.at(counts, np.minimum(np.arange(len(histogram)), 5), histogram)
    shares = (100 * counts / counts.sum()).tolist()
    rows = f"{source.name}, {len(source.data):,} rows"
    return Mined(rows, expectation, len(rules), tuple(shares))


def _beside(lines: Sequence[Mined]) -> tuple[Finding, ...]:
    """What the paper prints beside what was mined."""
    at = " / ".join(f"{line.min_expectation:.2f}" for line in lines)
    printed = [MINED[line.min_expectation] for line in lines]
    usual = next(line for line in lines if line.min_expectation == EXPECTATION)
    shares = MINED[EXPECTATION][1]
    return (
        Finding.claim(
            f"rules at min_expectation {at}",
            printed=" / ".join(str(rules) for rules, _ in printed),
            ours=" / ".join(str(line.rules) for line in lines),
            holds=[line.rules for line in lines] == [rules for rules, _ in printed],
            why=OTHER_HIERARCHIES,
        ),
        Finding.claim(
            f"rows with 0 / 1 / 2 / 3 / 4 / 5 or more forbidden values at {EXPECTATION:g}",
            printed=_percentages(shares),
            ours=_percentages(usual.shares),
            holds=_percentages(shares) == _percentages(usual.shares),
            why="The rules are others, as above; one value is forbidden to most rows in both.",
        ),
    )


def _percentages(shares: Sequence[float]) -> str:
    return " / ".join(f"{share:.1f}" for share in shares) + " %"


def _described(values: int, height: int | None) -> str:
    return f"{values} values" + ("" if height is None else f", height {height}")
