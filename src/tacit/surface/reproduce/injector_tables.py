"""The tables on Injector [1]: the nine patients, the attributes of Adult, and the rules that are mined.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.data.table import Table, table_from_frame
from tacit.methods.bucketize.judge.buckets import buckets_of
from tacit.methods.bucketize.judge.vulnerability import valid_value_counts
from tacit.methods.bucketize.verb import bucketize
from tacit.mining.negative import mine_negative_rules
from tacit.random.key import Key
from tacit.showing.chart import bar_chart, line_chart
from tacit.surface.reproduce.experiment import Figure, Finding, Rows
from tacit.surface.reproduce.injector_experiment import ENGINE, EXPECTATION
from tacit.surface.reproduce.sources import Source

ZIPS = ("47677", "47602", "47678", "47905", "47909", "47906", "47605", "47673", "47607")
AGES = (29, 22, 27, 43, 52, 47, 30, 36, 32)
SEXES = ("F", "F", "M", "M", "F", "M", "M", "M", "M")
DISEASES = (
    *("Ovarian Cancer", "Ovarian Cancer", "Prostate Cancer", "Flu", "Heart Disease", "Heart Disease"),
    *("Heart Disease", "Flu", "Flu"),
)
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
class Patient:
    """A row of Table I with the valid values it keeps in Table II and in a release of Injector."""

    row: int
    zip: str
    age: int
    sex: str
    disease: str
    printed_group: int
    valid_in_table_2: int
    valid_in_injector: int


@dataclass(frozen=True)
class Attribute:
    """A line of Table III."""

    attribute: str
    values: int
    height: int | None
    printed_values: int
    printed_height: int | None


@dataclass(frozen=True)
class Mined:
    """A line of Figure 3: rules, and the percentages of rows by the number of values they cannot have."""

    data: str
    min_expectation: float
    rules: int
    N0: float
    N1: float
    N2: float
    N3: float
    N4: float
    N5_or_more: float


def nine_patients() -> Figure:
    """Tables I and II: nine patients, and what a reader who knows one rule makes of their groups."""
    frame = pl.DataFrame({"zip": ZIPS, "age": AGES, "sex": SEXES, "disease": DISEASES})
    table = table_from_frame(frame, quasi=["zip", "age", "sex"], sensitive="disease")
    rules = mine_negative_rules(table, added=[KNOWN], min_expectation=0.99)
    printed = valid_value_counts(buckets_of(table, np.array(PRINTED_GROUPS, dtype=np.int32)), rules)
    made = bucketize(table, l=2, knowledge=rules, key=Key.from_seed(1), engine=ENGINE).buckets
    injected = np.empty(len(table), dtype=np.int64)
    injected[made.rows] = valid_value_counts(made, rules)
    rows = [
        Patient(row, zip_code, age, sex, disease, group, int(printed[row - 1]), int(injected[row - 1]))
        for row, zip_code, age, sex, disease, group in zip(
            range(1, 10), ZIPS, AGES, SEXES, DISEASES, PRINTED_GROUPS, strict=True
        )
    ]
    open_rows = [each.row for each in rows if each.valid_in_table_2 < 2]
    fewest = min(each.valid_in_injector for each in rows)
    return Figure(
        name="tables-1-2",
        title="Tables I and II: nine patients, and a man who cannot have ovarian cancer",
        words="In the first group of Table II the man can only have prostate cancer, which leaves ovarian "
        "cancer to both women. Injector groups the same nine so that everybody keeps two diseases.",
        rows=Rows.of(rows),
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
    lines = []
    for name, (values, height) in ATTRIBUTES.items():
        hierarchy = adult.data.hierarchies.get(name) if height is not None else None
        found = None if hierarchy is None else int(hierarchy.heights[hierarchy.root]) + 1
        lines.append(Attribute(name, len(adult.data.column(name).values), found, values, height))
    why = {
        "workclass": "The value Never-worked is only held by people without an occupation, whose rows are "
        "dropped.",
        "race": "The hierarchy used here goes from the race to no distinction at once.",
    }
    return Figure(
        name="table-3",
        title="Table III: the attributes of Adult",
        words="Values that occur in the rows without missing values, and the levels of the hierarchies.",
        rows=Rows.of(lines),
        findings=tuple(
            Finding.claim(
                line.attribute,
                printed=_described(line.printed_values, line.printed_height),
                ours=_described(line.values, line.height),
                holds=(line.values, line.height) == (line.printed_values, line.printed_height),
                why=why.get(line.attribute, OTHER_HIERARCHIES),
            )
            for line in lines
        ),
    )


def figure_3(sources: Sequence[Source[Table]]) -> Figure:
    """Figure 3: how many negative rules there are, and how many values rows cannot have for them."""
    lines = [_mined(source, each) for source in sources for each in MINED]
    compared = lines[: len(MINED)] if sources[0].published else []
    if compared:
        lines += [Mined("paper", each, rules, *shares) for each, (rules, shares) in MINED.items()]
    bars = [
        {"forbidden values": number, "share": share / 100, "data": line.data}
        for line in lines
        if line.min_expectation == EXPECTATION
        for number, share in zip(("0", "1", "2", "3", "4", "5 or more"), _shares(line), strict=True)
    ]
    rows = Rows.of(lines)
    return Figure(
        name="figure-3",
        title="Figure 3: negative rules, and rows by the number of values they cannot have",
        words="The most general rules of one attribute that hold without exception.",
        rows=rows,
        charts=(
            line_chart(
                rows.records(), x="min_expectation", y="rules", series="data",
                title="Negative rules by expectation",
                caption="A higher least expectation leaves fewer rules.", x_title="min_expectation",
                y_title="rules", width=420, height=220,
            ),
            bar_chart(
                bars, x="forbidden values", y="share", series="data",
                title="Rows by the number of values they cannot have",
                caption=f"At an expectation of {EXPECTATION}.", x_title="forbidden values",
                y_title="rows", y_format=".0%", width=420, height=220,
            ),
        ),
        findings=_beside(compared) if compared else (),
    )  # fmt: skip


def _mined(source: Source[Table], expectation: float) -> Mined:
    rules = mine_negative_rules(source.data, min_expectation=expectation)
    names = (*source.data.roles.quasi, *source.data.roles.sensitive)
    histogram = rules.histogram(ENGINE.combinations(source.data, names))
    counts = np.zeros(6)
    np.add.at(counts, np.minimum(np.arange(len(histogram)), 5), histogram)
    shares = (100 * counts / counts.sum()).tolist()
    rows = f"{source.name}, {len(source.data):,} rows"
    return Mined(rows, expectation, len(rules), *shares)


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
            ours=_percentages(_shares(usual)),
            holds=_percentages(shares) == _percentages(_shares(usual)),
            why="The rules are others, as above; one value is forbidden to most rows in both.",
        ),
    )


def _shares(line: Mined) -> tuple[float, ...]:
    return (line.N0, line.N1, line.N2, line.N3, line.N4, line.N5_or_more)


def _percentages(shares: Sequence[float]) -> str:
    return " / ".join(f"{share:.1f}" for share in shares) + " %"


def _described(values: int, height: int | None) -> str:
    return f"{values} values" + ("" if height is None else f", height {height}")
