"""What a reader who knows the tool gains from each way of bucketizing, and what keeping it from him costs.

    python benchmarks/reader.py                 costs and attacks, ten keys
    python benchmarks/reader.py --keys 2        a try
    python benchmarks/reader.py --oracle 500    what an aware reader gains, by enumeration of small tables
    python benchmarks/reader.py --recoded 100   the same for generalized tables; --promise chooses one
    python benchmarks/reader.py --silence 100   people named by rules that are not listed

Errors are medians over keys of COUNT queries over four columns. The surest are the 1 % of the people whom
the learner is surest about. An attack names whom it is sure of by 90 %; ``learner`` is how often a
learner who knows nothing of the tool is right about the same people, ``expected`` how often the guesses
should be right by what can be learned from the true values of other people (benchmarks/control.py).
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("TACIT_DATA", str(ROOT.parent / "shared" / "data"))
sys.path.insert(0, str(ROOT))

import tacit  # noqa: E402 - the folder of the data comes first
from benchmarks.control import Control  # noqa: E402 - the folder of the data comes first
from tacit.data.table import Table, table_from_frame  # noqa: E402
from tacit.methods.bucketize.attacks import (  # noqa: E402
    SURE,
    minimality_guesses,
    silence_attack,
)
from tacit.methods.bucketize.judge.risks import learned_guesses  # noqa: E402
from tacit.methods.bucketize.judge.utility import query_errors, rule_error  # noqa: E402
from tacit.mining.knowledge import NegativeRules  # noqa: E402
from tacit.random.key import Key  # noqa: E402

WAYS: dict[str, dict[str, object]] = {
    "near": {"partners": "near"},
    "areas, ε = .2": {"epsilon": 0.2},
    "areas, ε = .4": {},
    "areas, ε = .8": {"epsilon": 0.8},
    "any": {"partners": "any"},
    "paper": {"partners": "paper"},
    "Anatomy": {"algorithm": "anatomy"},
}


def dominated(rows: int = 12_000) -> Table:
    """Eight towns and ages; in one town 70 % have the same value, and the old rarely have another."""
    generator = np.random.default_rng(11)
    town, age = generator.integers(0, 8, rows), generator.integers(18, 80, rows)
    value = generator.integers(0, 12, rows)
    value = np.where((town == 2) & (generator.random(rows) < 0.7), 0, value)
    value = np.where((age > 65) & (value == 11), 3, value)
    columns = {"town": town, "age": age, "sex": generator.integers(0, 2, rows), "value": value}
    frame = pl.DataFrame({name: [f"{name[0]}{code}" for code in codes] for name, codes in columns.items()})
    return table_from_frame(frame, quasi=["town", "age", "sex"], sensitive="value")


def tables() -> dict[str, tuple[Table, tuple[int, ...]]]:
    people = tacit.load_sample("adult")
    roles = people.roles
    marital = people.with_roles(
        quasi=tuple(name for name in (*roles.quasi, *roles.sensitive) if name != "marital-status"),
        sensitive=("marital-status",),
    )
    return {
        "Adult, occupation": (people, (2, 3, 6)),
        "Adult, marital-status": (marital, (2,)),
        "hospital, 10,000": (tacit.load_sample("hospital:10000"), (3,)),
        "a town dominated": (dominated(), (3,)),
    }


def head(*names: str) -> None:
    print(f"| {' | '.join(names)} |")
    print("|---" * len(names) + "|")


def costs(keys: int) -> None:
    head(
        "table", "ℓ", "way", "COUNT error", "rules lost", "learner", "surest 1 %",
        "named", "right", "learner", "expected", "s",
    )  # fmt: skip
    for name, (table, diversities) in tables().items():
        rules, control = tacit.mine_negative_rules(table), Control(table)
        for l in diversities:
            for way, options in WAYS.items():
                print(f"| {name} | {l} | {way} | {_row(control, rules, l, options, keys)} |", flush=True)


def _row(control: Control, rules: NegativeRules, l: int, options: dict[str, object], keys: int) -> str:
    table = control.table
    found: list[list[float]] = []
    for seed in range(keys):
        started = time.process_time()
        try:
            release = tacit.bucketize(table, l=l, knowledge=rules, key=Key.from_seed(seed), **options)  # type: ignore[arg-type]
        except tacit.TacitError as error:
            return f"refused: {error.code}"
        seconds = time.process_time() - started
        buckets = release.buckets
        (error,) = query_errors(
            buckets, None, dimensions=[min(4, len(table.roles.known))], selectivity=0.07, queries=500
        )
        lost = rule_error(buckets, None, min_conviction=1.01)
        learner = learned_guesses(buckets)
        assert learner is not None
        surest = np.argsort(-learner.confidence, kind="stable")[: max(100, len(learner.rows) // 100)]
        line = [error.uniform, lost.false_negatives, learner.right.mean(), learner.right[surest].mean()]
        guesses = minimality_guesses(buckets, rules, l, release.manifest.parameters)
        named = [math.nan] * 4
        if guesses is not None and len((sure := guesses.surer_than(SURE)).rows):
            plain = np.zeros(len(buckets), dtype=bool)
            plain[learner.rows] = learner.right
            expected = control.expected_right(buckets, rules, sure)
            named = [len(sure.rows), sure.right.mean(), plain[sure.rows].mean(), expected]
        found.append([*line, *named, seconds])
    middle = np.nanmedian(np.array(found), axis=0) if found else np.array([])
    texts = [f"{100 * value:.1f} %" for value in middle[:4]]
    texts += (
        ["–"] * 4
        if math.isnan(middle[4])
        else [f"{middle[4]:,.0f}", *(f"{100 * value:.1f} %" for value in middle[5:8])]
    )
    return " | ".join([*texts, f"{middle[8]:.2f}"])


def oracle(tables: int) -> None:
    from tests.methods.bucketize.test_areas import STATED, findings
    from tests.oracles.swap_neutral import Way

    head(
        "way", "rules", "sensitive", "tables", "split", "mean excess", "largest", "above .1", "largest ratio"
    )
    cases = [
        (Way("anatomy"), 2, 1, tables),
        *(
            (Way("areas", epsilon=epsilon), columns, 1, tables)
            for epsilon in (0.2, 0.4, 0.8)
            for columns in (1, 2)
        ),
        (Way("areas", min_expectation=0.5), 2, 1, tables),
        (Way("areas"), 2, 2, tables),
        *(
            (Way("areas", stated=stated, max_posterior=bound), 2, 1, tables)
            for stated in STATED
            for bound in (None, Fraction(3, 5))
        ),
        (Way("any", min_expectation=0.5), 2, 1, tables // 5),
        (Way("paper", min_expectation=0.5), 2, 1, tables // 5),
        (Way("near"), 1, 1, tables // 25),
    ]
    for way, columns, attributes, number in cases:
        keys = 60 if way.name == "near" else 400
        rows = 7 if way.stated else 8
        found, split = findings(way, number, columns=columns, attributes=attributes, rows=rows, keys=keys)
        excess = np.array([one.excess for one in found])
        ratio = max(one.largest_ratio for one in found)
        name = f"areas, ε = {way.epsilon:g}, {columns} columns" if way.name == "areas" else way.name
        rules = "mined" if way.min_expectation else f"{len(way.stated)} stated" if way.stated else "none"
        name += f", at most {way.max_posterior}" if way.max_posterior else ""
        print(
            f"| {name} | {rules} | {attributes} | {len(found)} | {split}"
            f" | {excess.mean():.4f} | {excess.max():.3f} | {int((excess > 0.1).sum())} | {ratio:.2f} |",
            flush=True,
        )


def recoded(tables: int, word: str) -> None:
    from tacit.recoding import RECODINGS
    from tests.oracles.recoded_readers import PROMISES, findings
    from tests.oracles.recoded_readers import Way as Recoding

    head("recoding", "promise", "tables", "split", "mean excess", "largest", "above .1", "largest ratio")
    for recoding in RECODINGS:
        for promise in (name for name in PROMISES if word in name):
            found = findings(Recoding(recoding, promise), tables)
            split = sum(one.chance for some in found for one in some if one.classes > 1)
            mean = sum(one.chance * one.excess for some in found for one in some) / tables
            worst = np.array([max(one.excess for one in some) for some in found])
            ratio = max(one.largest_ratio for some in found for one in some)
            print(
                f"| `{recoding}` | {promise} | {tables} | {split:.0f} | {mean:.4f} | {worst.max():.3f}"
                f" | {int((worst > 0.1).sum())} | {ratio:.2f} |",
                flush=True,
            )


def silence(samples: int) -> None:
    head("rules up to", "samples", "patients", "refused, areas", "named, areas", "named, any", "named, near")
    for max_length in (1, 2, 3):
        named = {"areas": 0, "any": 0, "near": 0}
        patients = refused = 0
        for seed in range(samples):
            table = tacit.load_sample(f"hospital:{1000 + 2000 * seed // max(1, samples - 1)}", seed=seed)
            patients += len(table)
            rules = tacit.mine_negative_rules(table, max_length=max_length)
            for partners in named:
                key = Key.from_seed(seed)
                try:
                    release = tacit.bucketize(table, l=3, knowledge=rules, partners=partners, key=key)
                except tacit.TacitError as error:
                    assert error.code == "silence-names"
                    refused += 1
                    continue
                found = silence_attack(release.buckets, rules)
                named[partners] += 0 if found is None else found.people
        figures = [max_length, samples, f"{patients:,}", refused, *named.values()]
        print(f"| {' | '.join(map(str, figures))} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=10)
    parser.add_argument("--oracle", type=int)
    parser.add_argument("--recoded", type=int)
    parser.add_argument("--promise", default="", help="of generalized tables, those whose name holds this")
    parser.add_argument("--silence", type=int)
    chosen = parser.parse_args()
    if chosen.oracle:
        oracle(chosen.oracle)
    elif chosen.recoded:
        recoded(chosen.recoded, chosen.promise)
    elif chosen.silence:
        silence(chosen.silence)
    else:
        costs(chosen.keys)


if __name__ == "__main__":
    main()
