"""What people wait for: whole commands in processes of their own, from reading to the release in place.

    python benchmarks/whole.py             all of it
    python benchmarks/whole.py --only pos  those whose name holds a word
    python benchmarks/whole.py --quick     a tenth of the data, nothing compared with a bound

CPU seconds are those of the command and of the verifier that it starts, all threads; memory is the largest
that one of them held. The data have the shapes of public data sets that are not at hand (BMS-POS, kosarak,
T40I10D, chess), drawn with a fixed seed. Every command runs once on a few rows before, so that its kernels
are compiled, with a ledger of its own. Where time goes is asked a hundred times a second: a step takes the
CPU seconds since the question before.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import numpy as np
from table import MEMORY, SECONDS, Row, record, record_slope

REPORT = "TACIT_STEPS"
TIMES, TIMES_ALIKE = "whole ÷ making", "whole ÷ a process that only makes"
STEPS = (  # the first of these that a module on the stack is named so tells the step
    ("tacit.release.verification", "verify"),
    ("tacit.release.composing", "compose"),
    ("tacit.release.recognition", "compose"),
    ("tacit.methods.disclose.solve.bounds", "bounds"),
    ("tacit.methods.generalize_sets.solve.suppress", "held up"),
    (".attack", "judge"),
    (".judg", "judge"),
    ("tacit.io.readers", "read"),
    (".detail", "judge"),
    (".solve", "solve"),
    ("tacit.recoding.problem", "engine"),
    ("tacit.recoding.problem", "apply"),
    ("tacit.recoding", "solve"),
    (".apply", "apply"),
    ("tacit.mining", "mine"),
    ("tacit.engine", "engine"),
    (".show", "show"),
    ("tacit.io", "write"),
    ("tacit.release", "write"),
)
MAKING = ("read", "mine", "solve", "apply", "engine")
"""What cannot be left out: the others are what people wait for besides. A process that does nothing else
starts, too, and loads the same libraries."""


@dataclass(frozen=True)
class Command:
    """A command on data of a shape."""

    name: str
    words: tuple[str, ...]
    """DATA is the file, OUT the folder, PATTERNS and TREE files beside the data."""
    data: Callable[[Path, int], None]
    size: int
    before: float | None = None
    """The CPU seconds that people waited."""
    first: tuple[tuple[str, ...], ...] = ()
    """Commands that make what this one is about."""
    stops: float = 400.0
    most: float | None = None
    """The most CPU seconds it may take, where that is no third of what it took."""
    times: float | None = None
    """How many times as long as reading, solving and applying the whole may take."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the data")
    parser.add_argument("--only", nargs="+", default=[""], help="commands whose name holds one of these")
    given = parser.parse_args()
    wanted = [one for one in (*COMMANDS, *SLOPES) if any(word in one.name for word in given.only)]
    os.environ.setdefault("TACIT_DATA", str(Path(__file__).resolve().parents[2] / "shared" / "data"))
    found = {}
    heads = f"{'':34}{'size':>10}{'CPU s':>8}{'÷ making':>9}{'+ start':>8}{'MB':>7}"
    print(f"{heads}   seconds of each step")
    for one in wanted:
        size = max(100, one.size // 10) if given.quick else one.size
        warm(one)
        # The first run on so much may compile a kernel that few rows do not need.
        took = min(
            (run(replace(one, size=size)) for _ in range(1 + (one in SLOPES))), key=lambda one: one.cpu
        )
        found[one.name, size] = took
        print(line(one.name, size, took), flush=True)
        bound = one.most or (one.before / 3 if one.before else None)
        if not given.quick and bound:
            shown = {"area": "whole commands", "what": one.name, "size": f"{size:,}", "cpu": took.cpu}
            record(Row(**shown, figure=SECONDS, value=took.cpu, bound=bound, quality=took.told))
            record(Row(**shown, figure=MEMORY, value=took.mb))
        if one in SLOPES and one.times is not None:
            shown = {"area": "whole commands", "what": one.name, "size": f"{size:,}", "cpu": took.cpu}
            bound = None if given.quick else one.times
            record(Row(**shown, figure=TIMES, value=took.over_making, bound=bound, quality=took.told))
            record(Row(**shown, figure=TIMES_ALIKE, value=took.over_making_alone, quality=took.told))
    for name in dict.fromkeys(one.name for one in wanted if one in SLOPES):
        sizes = sorted(size for told, size in found if told == name)
        seconds = [found[name, size].cpu for size in sizes]
        if len(sizes) > 1:
            slope = record_slope("whole commands", name, sizes, seconds, None if given.quick else 1.15)
            print(f"{name}: slope {slope:.2f}")


@dataclass(frozen=True)
class Took:
    """What a command took."""

    cpu: float
    mb: float
    code: int
    steps: dict[str, float]

    @property
    def told(self) -> str:
        """The seconds of each step, the longest first."""
        steps = sorted(self.steps.items(), key=lambda step: -step[1])
        return ", ".join(f"{name} {seconds:.1f}" for name, seconds in steps if seconds >= 0.05)

    @property
    def over_making(self) -> float:
        """The whole command over reading, solving and applying."""
        return self.cpu / max(1e-9, self._making)

    @property
    def over_making_alone(self) -> float:
        """The whole command over a process that starts, reads, solves and applies."""
        started = self.cpu - sum(self.steps.values()) + self.steps.get("start", 0.0)
        return self.cpu / max(1e-9, started + self._making)

    @property
    def _making(self) -> float:
        return sum(self.steps.get(name, 0.0) for name in MAKING)


def line(name: str, size: int, took: Took) -> str:
    """What is printed of a command."""
    ended = "" if took.code == 0 else f"   EXIT {took.code}"
    times = f"{took.over_making:9.1f}{took.over_making_alone:8.1f}"
    return f"{name:34}{size:>10,}{took.cpu:8.1f}{times}{took.mb:7.0f}   {took.told}{ended}"


def warm(command: Command) -> None:
    """The command on a few rows: its kernels are compiled then."""
    run(replace(command, size=min(command.size, 300), stops=200.0))


def run(command: Command) -> Took:
    """The command on its data, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir()
        command.data(data, command.size)
        file = next(iter(sorted(path for path in data.iterdir() if path.stem == "data")))
        names = {"DATA": file, "PATTERNS": data / "patterns.txt", "TREE": data / "tree.csv"}
        # As it is installed: with its bytecode, which is not written where the environment says so.
        state = {"XDG_STATE_HOME": folder, "TACIT_STATE": folder, "PYTHONDONTWRITEBYTECODE": ""}

        def words(given: Sequence[str]) -> list[str]:
            own = {word: str(path) for word, path in names.items()}
            return [own.get(word, word.replace("OUT", f"{folder}/out")) for word in given]

        for words_before in command.first:
            subprocess.run(
                [sys.executable, "-m", "tacit", *words(words_before)],
                env=os.environ | state,
                check=True,
                stdout=subprocess.DEVNULL,
            )
        report = Path(folder) / "steps.json"
        process = subprocess.Popen(
            [sys.executable, __file__, *words(command.words)],
            env=os.environ | state | {REPORT: str(report)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        stop = threading.Timer(command.stops, process.kill)
        stop.start()
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        stop.cancel()
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, 9) and command.size > 300:
            print(said.decode()[-600:])
        steps = json.loads(report.read_text()) if report.exists() else {}
    return Took(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, code, steps)


# In the process of a command.


def watched(report: Path) -> None:
    """Run the command that the arguments name, and write down the CPU seconds of its steps."""
    seconds: Counter[str] = Counter()
    ended = threading.Event()

    def watch() -> None:
        last, last_child = _cpu()
        while not ended.wait(0.01):
            names = []
            # Of all threads: the main one waits for what another computes.
            for frame in sys._current_frames().values():
                while frame is not None:
                    names.append(frame.f_globals.get("__name__", ""))
                    frame = frame.f_back
            now, child = _cpu()
            seconds[_step(names)] += now - last
            seconds["verify"] += child - last_child  # the verifier's, which show once it has ended
            last, last_child = now, child

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        runpy.run_module("tacit", run_name="__main__", alter_sys=True)
    finally:
        ended.set()
        report.write_text(json.dumps(seconds))


def _cpu() -> tuple[float, float]:
    """The CPU seconds of this process and of those that it has waited for."""
    own, children = (getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime


def _step(names: Sequence[str]) -> str:
    own = [name for name in names if name.startswith("tacit.")]
    told = (step for part, step in STEPS if any(part in name for name in own))
    return next(told, "other" if own else "start")


# The data.


def zipf_sets(items: int, mean: float, spread: float, exponent: float) -> Callable[[Path, int], None]:
    """Baskets of items drawn by Zipf's law, log-normal in length, with a hierarchy of fan-out 5."""

    def write(folder: Path, size: int) -> None:
        draw = np.random.default_rng(7)
        lengths = 1 + np.floor(draw.lognormal(np.log(mean) - spread**2 / 2, spread, size) - 0.5).clip(
            0, items // 9
        )
        weights = 1.0 / (np.arange(items) + 2.7) ** exponent
        ends = np.cumsum(weights / weights.sum())
        drawn = np.minimum(np.searchsorted(ends, draw.random(int(lengths.sum()))), items - 1)
        drawn = draw.permutation(items)[drawn]
        write_sets(folder, np.split(drawn, np.cumsum(lengths.astype(int))[:-1]))

    return write


def long_sets(folder: Path, size: int) -> None:
    """Transactions in the manner of T40I10D: about 40 items of 942."""
    from tacit.io.samples.quest import quest

    made = quest(size, items=1000, average_length=40, pattern_length=10, seed=7)
    write_sets(folder, np.split(made.items, made.indptr[1:-1]))


def dense_sets(folder: Path, size: int) -> None:
    """Transactions in the manner of chess: one of about two items for each of 37 columns, much alike."""
    draw = np.random.default_rng(7)
    hidden = draw.random((size, 4))
    rows = []
    for column in range(37):
        common = 0.52 + 0.47 * (column / 36) ** 0.6
        with_others = 0.65 * hidden[:, column % 4] + 0.35 * draw.random(size)
        cut = np.quantile(with_others, common)
        rows.append(2 * column + 1 + (with_others > cut))
    write_sets(folder, list(np.column_stack(rows)))
    (folder / "patterns.txt").write_text("59, 61\n63, 65, 67\n55, 57\n")


def from_file(name: str) -> Callable[[Path, int], None]:
    """A data set, its first records or all of them repeated with a few items exchanged."""

    def write(folder: Path, size: int) -> None:
        file = Path(os.environ["TACIT_DATA"]) / name
        records = [line.split() for line in file.read_text().splitlines()]
        draw = np.random.default_rng(7)
        everything = np.array([item for record in records for item in record])
        made = [np.array(record) for record in records[:size]]
        while len(made) < size:
            record = made[int(draw.integers(len(records)))].copy()
            if draw.random() < 0.3:
                record[draw.integers(len(record))] = everything[draw.integers(len(everything))]
            made.append(record)
        write_sets(folder, made)

    return write


def wide_sets(folder: Path, size: int) -> None:
    """Transactions of 1,000 items of 23,000, drawn by Zipf's law."""
    zipf_sets(23_000, 2_000, 0.3, 0.9)(folder, size)


def write_sets(folder: Path, rows: Sequence[np.ndarray]) -> None:
    """A file of sets, and a hierarchy of fan-out 5 over the sorted items."""
    (folder / "data.dat").write_text("".join(" ".join(dict.fromkeys(map(str, row))) + "\n" for row in rows))
    items = sorted({str(item) for row in rows for item in row}, key=lambda item: (len(item), item))
    lines = ["child,parent"]
    level, height = items, 0
    while len(level) > 1:
        height += 1
        above = [f"node {height}.{place // 5}" for place in range(0, len(level), 5)]
        above = ["everything"] if len(above) == 1 else above
        lines += [f"{name},{above[place // 5]}" for place, name in enumerate(level)]
        level = above
    (folder / "tree.csv").write_text("\n".join(lines) + "\n")


def table_of(*columns: tuple[str, int, float], leaning: float = 0.5) -> Callable[[Path, int], None]:
    """A table: columns with so many values, drawn by a power law and leaning on one another."""

    def write(folder: Path, size: int) -> None:
        draw = np.random.default_rng(7)
        common = draw.random(size)
        names, made = [], []
        for name, values, exponent in columns:
            weights = 1.0 / (np.arange(values) + 2.0) ** exponent
            ends = np.cumsum(weights / weights.sum())
            leans = draw.random(size) < leaning / 2
            drawn = np.where(leans, common, draw.random(size))
            codes = np.minimum(np.searchsorted(ends, drawn), values - 1)
            width = len(str(values))
            names.append(name)
            made.append([f"{name[0]}{code:0{width}}" for code in codes.tolist()])
        rows = "".join(",".join(row) + "\n" for row in zip(*made, strict=True))
        (folder / "data.csv").write_text(",".join(names) + "\n" + rows)

    return write


def adult(folder: Path, size: int) -> None:
    """Both files of Adult without the rows that lack something, with a header.

    Further rows are drawn from them, and one cell in ten is another's: rows that only repeat would say ever
    more surely that what does not occur cannot.
    """
    names = (
        "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
        "gain,loss,hours,native-country,salary"
    )
    place = Path(os.environ["TACIT_DATA"]) / "adult"
    lines = [
        line for name in ("adult.data", "adult.test") for line in (place / name).read_text().splitlines()
    ]
    kept = [line.rstrip(".").split(", ") for line in lines if line.count(",") == 14 and "?" not in line]
    cells = np.array(kept, dtype=object)
    draw = np.random.default_rng(7)
    rows = cells[
        np.concatenate(
            [np.arange(size)[: len(cells)], draw.integers(len(cells), size=max(0, size - len(cells)))]
        )
    ]
    for column in range(cells.shape[1]):
        others = len(cells) + np.flatnonzero(draw.random(max(0, size - len(cells))) < 0.1)
        rows[others, column] = cells[draw.integers(len(cells), size=len(others)), column]
    (folder / "data.csv").write_text(
        "".join(",".join(row) + "\n" for row in [names.split(","), *rows.tolist()])
    )


def people(folder: Path, size: int) -> None:
    """A table of eight quasi-identifiers: ages, postal codes, months and categories."""
    from tables import made_up

    made_up(size).to_polars().write_csv(folder / "data.csv")


def linked(folder: Path, size: int) -> None:
    """Branch and age group say much of which of 120 diseases somebody has: rules about them are confident."""
    draw = np.random.default_rng(7)

    def power(values: int, exponent: float) -> np.ndarray:
        weights = 1.0 / (np.arange(values) + 2.0) ** exponent
        ends = np.cumsum(weights / weights.sum())
        return np.minimum(np.searchsorted(ends, draw.random(size)), values - 1)

    region, branch, age, sex = power(20, 0.5), power(30, 0.7), power(12, 0.2), power(2, 0.0)
    usual, sure = draw.integers(0, 120, (30, 12)), draw.choice([0.2, 0.5, 0.7, 0.9], (30, 12))
    disease = np.where(draw.random(size) < sure[branch, age], usual[branch, age], power(120, 0.7))
    columns = {"region": region, "branch": branch, "age": age, "sex": sex, "disease": disease}
    made = [[f"{name[0]}{code:03}" for code in codes.tolist()] for name, codes in columns.items()]
    rows = "".join(",".join(row) + "\n" for row in zip(*made, strict=True))
    (folder / "data.csv").write_text(",".join(columns) + "\n" + rows)


POSTAL = table_of(
    ("zip", 3000, 0.4), ("age", 90, 0.2), ("sex", 2, 0.0), ("nation", 25, 1.2), ("disease", 40, 0.6)
)
MANY = table_of(
    ("region", 20, 0.5), ("branch", 30, 0.7), ("age", 12, 0.2), ("sex", 2, 0.0), ("disease", 120, 0.7)
)
AMOUNTS = table_of(
    ("zip", 700, 0.4), ("born", 7000, 0.1), ("sex", 2, 0.0), ("age", 100, 0.1), ("region", 5, 0.2),
    ("children", 6, 0.2), ("amount", 1_000_000, 0.0), ("disease", 12, 0.6),
)  # fmt: skip
EIGHT = table_of(
    ("a", 4, 0.5), ("b", 6, 0.5), ("c", 3, 0.3), ("d", 5, 0.4), ("e", 4, 0.4), ("f", 2, 0.0), ("g", 7, 0.6),
    ("salary", 4, 0.4),
)  # fmt: skip
POS = zipf_sets(1650, 6.5, 0.8, 0.9)
KOSARAK = zipf_sets(23_496, 8.1, 1.1, 1.1)
ABOUT_AMOUNTS = (
    "--sensitive", "amount,disease", "--quasi", "zip,born,sex,age,region,children", "-l", "3", "-o", "OUT",
    "--accept-weak",
)  # fmt: skip
GENERALIZE = ("generalize", "DATA", "--hierarchy", "TREE", "-k", "5", "-o", "OUT", "--accept-weak", "-m")
BUCKETIZE = ("bucketize", "DATA", "--sensitive", "disease", "--quasi", "zip,age,sex,nation", "--accept-weak")
TABLE = (
    "generalize", "DATA", "--quasi", "age,sex,zip,month,job,school,state,children", "-k", "5", "-o", "OUT",
    "--accept-weak", "--recoding",
)  # fmt: skip
QUASI = "workclass,marital-status,occupation,relationship,race,sex,native-country,education"
DISCLOSE = ("disclose", "DATA", "--min-confidence", "0.6", "--min-support")
ADULT_BUCKETS = (
    "bucketize", "DATA", "--sensitive", "occupation", "--quasi",
    "age,workclass,education,marital-status,race,sex", "--accept-weak", "-l", "3", "-o", "OUT",
)  # fmt: skip


def rules_of(support: str) -> tuple[str, ...]:
    """The command that publishes rules."""
    asked = ("--min-support", support, "--min-confidence", "0.5", "--max-posterior", "0.95")
    return (
        "rules",
        "DATA",
        "--sensitive",
        "salary",
        "--quasi",
        "a,b,c,d,e,f,g",
        *asked,
        "-o",
        "OUT",
        "--accept-weak",
    )


COMMANDS = (
    Command("generalize pos m=2", (*GENERALIZE, "2"), POS, 275_000, 47),
    Command("generalize pos m=3", (*GENERALIZE, "3"), POS, 275_000, 108),
    Command("generalize kosarak m=3", (*GENERALIZE, "3"), KOSARAK, 100_000, 223, most=30),
    Command("generalize long m=3", (*GENERALIZE, "3"), long_sets, 10_000, 36, most=10),
    Command("generalize webview 2 m=3", (*GENERALIZE, "3"), from_file("BMS-WebView-2.dat"), 77_512),
    Command("estimate wide m=2", (*GENERALIZE, "2", "--dry-run"), wide_sets, 2_000, most=10),
    Command("bucketize postal", (*BUCKETIZE, "-l", "3", "-o", "OUT"), POSTAL, 63_441, 38),
    Command("generalize amounts", ("generalize", "DATA", "-k", "11", *ABOUT_AMOUNTS), AMOUNTS, 8_000, 22),
    Command("bucketize amounts", ("bucketize", "DATA", *ABOUT_AMOUNTS), AMOUNTS, 8_000, 84),
    Command(
        "report postal",
        ("report", "OUT", "-o", "OUT.html"),
        POSTAL,
        63_441,
        32,
        first=((*BUCKETIZE, "-l", "3", "-o", "OUT"),),
    ),
    Command(
        "compare postal",
        ("compare", "OUT2", "OUT3", "OUT4"),
        POSTAL,
        63_441,
        31,
        first=tuple(
            (*BUCKETIZE, "-l", l, "-o", f"OUT{l}", "--acknowledge-composition") for l in ("2", "3", "4")
        ),
    ),
    Command(
        "verify postal --original",
        ("verify", "OUT", "--original", "DATA"),
        POSTAL,
        63_441,
        65,
        first=((*BUCKETIZE, "-l", "3", "-o", "OUT"),),
    ),
    Command(
        "disclose adult .02",
        (*DISCLOSE, "0.02", "--sensitive", "salary", "--quasi", QUASI),
        adult,
        30_162,
        29,
    ),
    *(
        Command(
            f"disclose {name} {support[1:]}",
            (*DISCLOSE, support, "--sensitive", "disease", "--quasi", "region,branch,age,sex"),
            data,
            73_489,
            55 if support == "0.005" else None,
            most=None if support == "0.005" else 60,
        )
        for name, data in (("many", MANY), ("linked", linked))
        for support in ("0.005", "0.001")
    ),
    *(Command(f"rules eight {support}", rules_of(support), EIGHT, 4_580, most=60) for support in ("5", "2")),
    *(
        Command(f"generalize table {how}", (*TABLE, how, *more), people, 1_000_000)
        for how, more in (("global", ("--max-suppressed", "0.05")), ("local", ("--effort", "quick")))
    ),
    Command(
        "rules eight .002",
        rules_of("0.002"),
        EIGHT,
        4_580,
        most=60,
    ),
    Command(
        "hide dense",
        ("hide", "DATA", "--patterns", "PATTERNS", "--min-support", "0.5", "-o", "OUT", "--accept-weak"),
        dense_sets,
        3_196,
        43,
    ),
    Command(
        "mine dense",
        ("mine", "itemsets", "DATA", "--min-support", "0.43", "-o", "OUT.csv"),
        dense_sets,
        3_196,
        40,
    ),
)
CLICKS = Command(
    "generalize webview m=2", (*GENERALIZE, "2"), from_file("BMS-WebView-1.dat"), 59_602, times=3
)
QUEST = Command("generalize quest m=3", (*GENERALIZE, "3"), from_file("T10I4D100K.dat"), 100_000)
PEOPLE = Command("bucketize adult", ADULT_BUCKETS, adult, 45_222, stops=1_200.0, times=3)
GROWING = Command("generalize kosarak m=3 grows", (*GENERALIZE, "3"), KOSARAK, 12_500)
SLOPES = (
    *(replace(CLICKS, size=size) for size in (59_602, 175_000, 515_597)),
    *(replace(QUEST, size=size) for size in (100_000, 515_597)),
    *(replace(PEOPLE, size=size) for size in (45_222, 452_220, 4_522_200)),
    *(replace(GROWING, size=size) for size in (12_500, 25_000, 50_000)),
)


if __name__ == "__main__":
    if REPORT in os.environ:
        watched(Path(os.environ.pop(REPORT)))
    else:
        main()
