"""The two examples of section I and the sizes of section VI, as printed and as found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time

import polars as pl

from papers.disclosure_curves import CurvePoint
from papers.experiment import Figure, Finding, Rows
from papers.sources import Source
from tacit.data.table import Table, table_from_frame
from tacit.methods.disclose.result import Disclosure
from tacit.methods.disclose.rules_file import written_rule
from tacit.methods.disclose.solve.inference import infer
from tacit.methods.disclose.solve.knowledge import RuleScores, Silence
from tacit.methods.disclose.solve.population import population_of, thresholds_of
from tacit.methods.disclose.solve.published import published_rules
from tacit.methods.disclose.verb import disclose
from tacit.mining.mine import mine_table_rules

FIRST = (
    "Doctorate Male -, Masters Female -, Doctorate Female +, Bachelors Male -, Masters Female +, "
    "Doctorate Male +, Masters Female +, Doctorate Female +, Masters Female +, Doctorate Female +, "
    "Masters Female +, Doctorate Female +"
)
SECOND = "Doctorate Female +, Doctorate Male +, Masters Female -"
PRINTED_RULES = (
    "education=Doctorate => salary=50K+  support=0.42 confidence=0.83",
    "education=Doctorate & gender=Female => salary=50K+  support=0.33 confidence=1",
    "gender=Female => salary=50K+  support=0.67 confidence=0.89",
)
DISTINCT = {
    "workclass": 8,
    "marital-status": 7,
    "occupation": 14,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "native-country": 41,
    "education": 16,
    "salary": 2,
}
"""Figure 4: the distinct values of each attribute, as printed."""

PRINTED = {
    "people": 30_162,
    "distinct quasi-identifier combinations": 7_722,
    "patterns before pruning": 766_000,
    "NAR constraints after pruning": 449,
    "variables in them": 281_014,
    "rules at a support of 0.02": 1_337,
}
"""Section VI, at a confidence of 0.6 and, where not said, a support of 0.1."""
ABOUT = {"patterns before pruning": 0.001}
"""How exactly the paper prints what it prints with "about"."""


@dataclass(frozen=True)
class _Inferred:
    education: str
    gender: str
    people: int
    inferred_50k_plus: float
    true_50k_plus: float


def examples() -> tuple[Figure, Figure]:
    """Figures 1 and 2: what follows from rules, and from what is not among them."""
    return _first_example(), _second_example()


def sizes(
    source: Source[Table], found: Disclosure, by_rules: Sequence[CurvePoint], *, solve_everything: bool
) -> Figure:
    """Figure 4 and section VI.D: how large the problem is, and what pruning leaves of it."""
    frame = source.data.to_polars()
    names = [*(attribute.name for attribute in found.population.attributes), found.population.sensitive]
    distinct = {name: frame[name].n_unique() for name in names}
    counted = {
        "people": found.population.n_rows,
        "distinct quasi-identifier combinations": len(found.population),
        "patterns before pruning": found.n_patterns,
        "NAR constraints after pruning": found.n_nar,
        "variables in them": found.nar_variables,
        f"rules at a support of {by_rules[-1].min_support:g}": by_rules[-1].rules,
    }
    printed = PRINTED if source.published else {}
    findings = [
        Finding.number(
            name,
            printed=number,
            ours=counted[name],
            why="Counted exactly, with ≥ at both thresholds; the paper does not say how it rounded.",
            within=ABOUT.get(name, 0.0),
        )
        for name, number in printed.items()
        if name in counted
    ]
    rows = [(name, printed.get(name), number) for name, number in counted.items()]
    told = DISTINCT if source.published else {}
    rows += [(f"values of {name}", told.get(name), number) for name, number in distinct.items()]
    if told:
        findings.append(_same_values(distinct))
    if solve_everything:
        findings += _without_pruning(source.data, found)
    return Figure(
        name="figure-4",
        title="Figure 4 and section VI.D: the data, and the size of the problem",
        words="How many people, combinations, patterns and constraints there are.",
        rows=Rows.under("quantity printed ours", rows),
        findings=tuple(findings),
    )


def _same_values(distinct: dict[str, int]) -> Finding:
    """Figure 4: the distinct values of each attribute."""
    others = {name: number for name, number in distinct.items() if DISTINCT[name] != number}
    shown = ", ".join(f"{name} {number}" for name, number in others.items())
    return Finding.claim(
        "distinct values of the attributes",
        printed=", ".join(f"{name} {number}" for name, number in DISTINCT.items()),
        ours=f"the same but {shown}" if others else "the same",
        holds=not others,
        why="The paper counts the values of the whole file. The people who never worked have no "
        "occupation, so that their rows are incomplete and are dropped.",
    )


def _without_pruning(table: Table, found: Disclosure) -> list[Finding]:
    """Section VI.D: the problem that did not fit into the paper's machine."""
    started = process_time()
    population = population_of(table)
    thresholds = thresholds_of(0.1, 0.6, population.n_rows)
    rules = published_rules(population, mine_table_rules(table, min_support=0.1, min_confidence=0.6))
    whole = infer(population, [RuleScores(rules), Silence(population, rules, thresholds, pruned=False)])
    seconds = process_time() - started
    apart = float(abs(whole.by_combination - found.posterior).max())
    return [
        Finding.number(
            "variables without pruning, about",
            printed=3_900_000,
            ours=whole.constraints.n_variables,
            within=0.02,
            why="The paper's number is rounded.",
        ),
        Finding.claim(
            "solving without pruning",
            printed="out of memory after about 30 seconds",
            ours=f"solved in {seconds:.1f} CPU seconds; no posterior differs from the pruned one by more "
            f"than {apart:.0e}",
            holds=False,
            why="Most of the constraints can never bind and are found out before anything is optimized; the "
            "others are added only where they are violated.",
        ),
    ]


def _first_example() -> Figure:
    table = _table(FIRST)
    found = disclose(table, rules=[written_rule(text) for text in PRINTED_RULES], nar=False)
    rows = _inferred(found)
    doctor = next(row for row in rows if (row.education, row.gender) == ("Doctorate", "Male"))
    mined = mine_table_rules(table, min_support=0.3, min_confidence=0.8)
    return Figure(
        name="figure-1",
        title="Figure 1: Example 1, what several rules tell together",
        words="Three rules about twelve people, with their rounded scores: one of the two male doctorates "
        "earns more than 50K, which no rule says.",
        rows=Rows.of(rows),
        findings=(
            Finding.number(
                "P(50K+ | Doctorate, Male)",
                printed=0.5,
                ours=round(doctor.inferred_50k_plus, 9),
                why="The solution is not the paper's.",
            ),
            Finding.number(
                "rules at support 0.3 and confidence 0.8",
                printed=3,
                ours=len(mined),
                why="Masters, and Masters with Female, reach a confidence of exactly 0.8. With ≥ they are "
                "rules too, and a reader who took the printed three for complete would meet a contradiction.",
            ),
        ),
    )


def _second_example() -> Figure:
    table = _table(SECOND)
    found = disclose(table, min_support=0.6, min_confidence=0.9)
    alone = disclose(table, min_support=0.6, min_confidence=0.9, nar=False)
    third = next(row for row in _inferred(found) if row.education == "Masters")
    without = next(row for row in _inferred(alone) if row.education == "Masters")
    return Figure(
        name="figure-2",
        title="Figure 2: Example 2, what silence tells",
        words="One rule about three people. That women earning more than 50K are no rule tells the salary of "
        "the third person; without that thought the reader would give 50K- a probability of "
        f"{1 - without.inferred_50k_plus:.2f}.",
        rows=Rows.of(_inferred(found)),
        findings=(
            Finding.claim(
                "the third person's salary",
                printed="50K- for certain",
                ours=f"50K- with probability {1 - third.inferred_50k_plus:g}",
                holds=third.inferred_50k_plus == 0.0,
                why="The silence leaves a doubt.",
            ),
        ),
    )


def _inferred(found: Disclosure) -> list[_Inferred]:
    value = found.population.values.index("50K+")
    return [
        _Inferred(
            **found.combination(place),
            people=int(found.population.people[place]),
            inferred_50k_plus=float(found.posterior[place, value]),
            true_50k_plus=float(found.truth[place, value]),
        )
        for place in range(len(found.population))
    ]


def _table(text: str) -> Table:
    """A table of the paper, written as ``education gender ±`` for each person."""
    rows = [person.split() for person in text.split(", ")]
    columns = {
        "education": [education for education, _, _ in rows],
        "gender": [gender for _, gender, _ in rows],
        "salary": [f"50K{sign}" for _, _, sign in rows],
    }
    return table_from_frame(pl.DataFrame(columns), quasi=["education", "gender"], sensitive="salary")
