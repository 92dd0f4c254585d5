"""Sources of knowledge: written rules, thresholds, silence, facts, and small groups from supports."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.hierarchy import from_parents
from tacit.methods.disclose.rules_file import parse_fact, written_rule
from tacit.methods.disclose.solve.knowledge import Silence
from tacit.methods.disclose.solve.population import patterns_of, population_of, thresholds_of
from tacit.methods.disclose.solve.published import interval_of_scores, published_rules
from tacit.mining.mine import mine_table_rules


def _random_table(seed: int, n_rows: int = 60) -> tuple[tacit.Table, list[dict[str, str]]]:
    rng = np.random.default_rng(seed)
    columns = {
        "age": [f"a{x}" for x in rng.integers(0, 3, n_rows)],
        "sex": [f"s{x}" for x in rng.integers(0, 2, n_rows)],
        "zip": [f"z{x}" for x in rng.integers(0, 3, n_rows)],
        "disease": [f"d{x}" for x in rng.integers(0, 3, n_rows)],
    }
    frame = pl.DataFrame(columns)
    return tacit.table_from_frame(frame, quasi=["age", "sex", "zip"], sensitive="disease"), frame.to_dicts()


def test_the_silence_is_about_every_pattern_that_misses_a_threshold() -> None:
    """Against all patterns written out: which are silent, at which bound, and which of them are implied."""
    for seed in range(30):
        table, rows = _random_table(seed)
        support, confidence = 0.05 + 0.02 * (seed % 5), 0.3 + 0.1 * (seed % 4)
        least, share = Fraction(str(round(support, 2))) * len(rows), Fraction(str(round(confidence, 1)))
        wanted: dict[tuple[tuple[str, ...], str], int] = {}
        settled: dict[tuple[tuple[str, ...], str], bool] = {}
        for names in (c for r in (1, 2, 3) for c in combinations(("age", "sex", "zip"), r)):
            for labels in product(*(sorted({row[name] for row in rows}) for name in names)):
                matching = [
                    row for row in rows if all(row[n] == v for n, v in zip(names, labels, strict=True))
                ]
                if not matching:
                    continue
                for value in ("d0", "d1", "d2"):
                    count = sum(row["disease"] == value for row in matching)
                    needed = max(least, share * len(matching))
                    if count < needed:
                        wanted[(labels, value)] = -(-needed.numerator // needed.denominator) - 1
                        settled[(labels, value)] = share * len(matching) <= least
        pruned = {
            (labels, value): most
            for (labels, value), most in wanted.items()
            if not any(
                settled.get((part, value), False)
                for size in range(1, len(labels))
                for part in combinations(labels, size)
            )
        }
        people = population_of(table)
        thresholds = thresholds_of(round(support, 2), round(confidence, 1), people.n_rows)
        rules = published_rules(
            people,
            mine_table_rules(table, min_support=round(support, 2), min_confidence=round(confidence, 1)),
        )
        for prune, expected in ((False, wanted), (True, pruned)):
            silence = Silence(people, rules, thresholds, pruned=prune)
            constraints = silence.constraints(people)
            found = {}
            for row, value, most in zip(*silence.about, constraints.upper.tolist(), strict=True):
                nodes = silence.patterns.nodes[row].tolist()
                pairs = zip(people.attributes, nodes, strict=True)
                labels = tuple(attribute.label(node) for attribute, node in pairs if node >= 0)
                found[(labels, people.values[value])] = int(most)
            assert found == expected, seed


def test_pruned_and_unpruned_silence_give_the_same_posterior() -> None:
    for seed in range(20):
        table, _ = _random_table(seed)
        rules = tacit.mine_rules(table, min_support=0.05, min_confidence=0.4)
        found = tacit.disclose(table, rules=rules)
        people = population_of(table)
        thresholds = thresholds_of(0.05, 0.4, people.n_rows)
        everything = patterns_of(people, thresholds, pruned=False)
        sums = np.array(
            [
                (found.posterior * people.people[:, None])[everything.units[start:end]].sum(axis=0)
                for start, end in zip(everything.offsets[:-1], everything.offsets[1:], strict=True)
            ]
        )
        silent = everything.counts < thresholds.least(everything.matching)[:, None]
        most = np.broadcast_to(thresholds.least(everything.matching)[:, None] - 1, silent.shape)
        assert (sums[silent] <= most[silent] + 1e-6).all(), seed


def test_withheld_rules_tell_nothing_unless_the_list_is_believed() -> None:
    table, _ = _random_table(1)
    rules = tacit.mine_rules(table, min_support=0.05, min_confidence=0.4)
    some = rules.select(np.arange(len(rules)) % 2 == 0)
    found = tacit.disclose(table, rules=some)
    assert found.n_withheld == len(rules) - len(some)
    assert "incomplete" in found.notes[0]
    assert tacit.disclose(table, rules=rules).n_withheld == 0


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_rounded_scores_allow_exactly_the_counts_that_round_to_them(digits: int) -> None:
    for n_rows, matching in product((7, 12, 40), (3, 5, 7)):
        for count in range(matching + 1):
            scores = f"{count / n_rows:.{digits}f}", f"{count / matching:.{digits}f}"
            low, high = interval_of_scores(n_rows, matching, *scores)
            assert low <= count <= high
            half = Fraction(1, 2 * 10**digits)
            for other in range(matching + 1):
                near = all(
                    abs(Fraction(other, total) - Fraction(score)) <= half
                    for total, score in zip((n_rows, matching), scores, strict=True)
                )
                assert near == (low <= other <= high)


def test_facts_move_the_posterior() -> None:
    table = tacit.table_from_frame(
        pl.DataFrame({"sex": ["m", "m", "f", "f"], "disease": ["flu", "none", "flu", "flu"]}),
        quasi="sex",
        sensitive="disease",
    )
    facts = [parse_fact("P(flu | sex=f) >= 0.9"), parse_fact("sex=m => not flu")]
    found = tacit.disclose(table, rules=[], facts=facts)
    by_sex = {found.combination(place)["sex"]: found.posterior[place] for place in range(2)}
    flu = found.population.values.index("flu")
    assert by_sex["m"][flu] == 0.0
    assert by_sex["f"][flu] == pytest.approx(0.9)
    with pytest.raises(tacit.InputError, match="unknown attribute 'age'"):
        tacit.disclose(table, rules=[], facts=[parse_fact("P(flu | age=3) <= 0.2")])


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        (["sex=m => disease=flu support=0.5 confidence=1.2"], "rule-confidence"),
        (["sex=m => disease=flu", "sex=m => disease=flu"], "rule-duplicate"),
        (["age=3 => disease=flu"], "rule-unknown"),
        (["sex=x => disease=flu"], "rule-unknown"),
        (["sex=m => disease=plague"], "rule-unknown"),
        (["=> disease=flu"], "rule-empty"),
        (["sex=m => disease=flu support=0.9"], "rule-scores"),
        (["sex=m => disease=flu support=0.25", "sex=m => disease=none support=0"], "knowledge-inconsistent"),
    ],
)
def test_rules_that_cannot_be_used_are_refused(rules: list[str], code: str) -> None:
    table = tacit.table_from_frame(
        pl.DataFrame({"sex": ["m", "m", "f", "f"], "disease": ["flu", "none", "flu", "flu"]}),
        quasi="sex",
        sensitive="disease",
    )
    with pytest.raises(tacit.InputError) as caught:
        tacit.disclose(table, rules=[written_rule(rule) for rule in rules])
    assert caught.value.code == code


def test_a_fact_about_a_node_that_nobody_is_below_is_about_nobody() -> None:
    tree = from_parents({"a1": "A", "a2": "A", "b1": "B", "A": "*", "B": "*"})
    frame = pl.DataFrame({"zip": ["a1", "a2"] * 6, "disease": ["flu", "cold", "flu"] * 4})
    table = tacit.table_from_frame(frame, quasi=["zip"], sensitive="disease").with_hierarchies({"zip": tree})
    rules = tacit.mine_rules(table, min_support=2, min_confidence=0.1, hierarchies=True)
    alone, never = tacit.disclose(table, rules=rules), tacit.Fact((("zip", "B"),), "flu", high=0.0)
    np.testing.assert_array_equal(
        tacit.disclose(table, rules=rules, facts=[never]).posterior, alone.posterior
    )
