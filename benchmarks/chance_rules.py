"""Which rules are chance: rules mined in one half of a table, tried on the other half.

    python benchmarks/chance_rules.py

A rule that holds for a reason holds in rows that it was not mined from. Per table and correction, over
twenty splits in halves: rules mined, the share of them that a row of the other half contradicts, and how many
of those that no row contradicts would be expected there by chance alone (the sum of (1 - P(s))^c(X), which is
what a table of independent columns gives).
"""

from __future__ import annotations

import numpy as np
import polars as pl

import tacit
from tacit.data.table import Table, table_from_frame
from tacit.errors import InputError

SPLITS = 20
CORRECTIONS = ("none", "alike", "bh", "bonferroni")


def independent(rows: int = 10_000) -> Table:
    """Postal codes, ages and sexes that say nothing about a disease."""
    generator = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "postal": [f"{code:05d}" for code in generator.integers(0, 400, rows)],
            "age": generator.integers(18, 90, rows).astype(str),
            "sex": generator.choice(["f", "m"], rows),
            "disease": generator.choice([f"d{code}" for code in range(25)], rows),
        }
    )
    return table_from_frame(frame, quasi=("postal", "age", "sex"), sensitive="disease")


def with_postal_codes(rows: int = 10_000) -> Table:
    """The hospital's patients, each given one of 400 postal codes at random."""
    patients = tacit.load_sample(f"hospital:{rows}")
    codes = np.random.default_rng(2).integers(0, 400, rows)
    frame = pl.DataFrame(
        {
            "postal": [f"{code:05d}" for code in codes],
            **{
                name: [patients.column(name).texts[code] for code in patients.column(name).codes]
                for name in ("age", "sex", *patients.roles.sensitive)
            },
        }
    )
    return table_from_frame(frame, quasi=("postal", "age", "sex"), sensitive=patients.roles.sensitive)


def tables() -> dict[str, Table]:
    found = {
        "columns independent, postal codes": independent(),
        "hospital, 1,000": tacit.load_sample("hospital:1000"),
        "hospital, 10,000": tacit.load_sample("hospital:10000"),
        "hospital with random postal codes, 10,000": with_postal_codes(),
    }
    try:
        adult = tacit.load_sample("adult")
    except InputError:
        return found
    names = (*adult.roles.quasi, *adult.roles.sensitive)
    for sensitive in ("occupation", "marital-status", "education"):
        rest = tuple(name for name in names if name != sensitive)
        found[f"Adult, {sensitive}"] = adult.with_roles(quasi=rest, sensitive=(sensitive,))
    return found


def main() -> None:
    print("| table | length | correction | rules | contradicted by the other half | kept there by chance |")
    print("|---|---|---|---|---|---|")
    for name, table in tables().items():
        for length in (1, 2):
            for correction in CORRECTIONS:
                row = [tried(table, length, correction, split) for split in range(SPLITS)]
                mined, broken, lucky = np.array(row).sum(axis=0)
                shares = ("–", "–") if not mined else (f"{broken / mined:.0%}", f"{lucky / mined:.0%}")
                print(
                    f"| {name} | {length} | {correction} | {mined / SPLITS:.0f} | {' | '.join(shares)} |",
                    flush=True,
                )


def tried(table: Table, length: int, correction: str, split: int) -> tuple[int, int, float]:
    """Rules of one half, how many the other contradicts, and how many it would spare by chance."""
    half = np.random.default_rng(split).random(len(table)) < 0.5
    mined = table.take(np.flatnonzero(half))
    rules = tacit.mine_negative_rules(mined, max_length=length, correction=correction)
    others = table.take(np.flatnonzero(~half))
    (sensitive,) = table.roles.sensitive
    held = _as_in(mined, others, sensitive, np.arange(len(mined.column(sensitive).texts)))
    leaves = [_as_in(mined, others, attribute.name, attribute.leaves) for attribute in rules.attributes]
    broken, lucky = 0, 0.0
    for nodes, value in zip(rules.nodes, rules.values, strict=True):
        matches = np.ones(len(others), dtype=np.bool_)
        for attribute, leaf, node in zip(rules.attributes, leaves, nodes, strict=True):
            if node >= 0:
                low, high = attribute.hierarchy.leaf_ranges[node]
                matches &= (low <= leaf) & (leaf < high)
        has = held == value
        broken += bool((matches & has).any())
        lucky += (1 - has.mean()) ** matches.sum()
    return len(rules), broken, lucky


def _as_in(mined: Table, others: Table, name: str, numbers: np.ndarray) -> np.ndarray:
    """A column of the other rows in numbers for the values of the mined ones; -1 for further values."""
    known = dict(zip(mined.column(name).texts, numbers.tolist(), strict=True))
    column = others.column(name)
    return np.array([known.get(text, -1) for text in column.texts])[column.codes]


if __name__ == "__main__":
    main()
