"""Mutants of every deciding module, going on where earlier runs stopped.

    python -m tests.mutation.running                      all modules, all mutants
    python -m tests.mutation.running MODULE --sample 60   this module, until so many were tried
    python -m tests.mutation.running MODULE --again       what nobody has a reason for is tried once more

``runs.json`` beside this file is committed: for each module the commit and the source that it had (a module
that has changed since counts as not run), how many mutants it has, how many were tried and noticed, and those
that no test noticed. Whoever has looked at one of them writes the reason: "equivalent: ..." where it can
change no verdict. Reasons stay with a line of code for as long as it is the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.mutation.deciding import DECIDING
from tests.mutation.mutants import Mutant, shuffled
from tests.mutation.runner import notices

RUNS = Path(__file__).with_name("runs.json")
LONGEST = 60
"""Seconds that the unchanged module may take in its tests; a mutant that takes much longer hangs: noticed."""


@dataclass
class Survivor:
    """A mutant that no test noticed: where it is, and why it may be so."""

    line: int
    column: int
    change: str
    code: str
    reason: str = ""

    @property
    def place(self) -> tuple[str, int, str]:
        """Where it is in a line of code, wherever that line stands."""
        return self.code, self.column, self.change


@dataclass
class Run:
    """What was tried of one module."""

    commit: str
    source: str
    mutants: int
    tried: int = 0
    noticed: int = 0
    survivors: list[Survivor] = field(default_factory=list)

    @property
    def equivalent(self) -> int:
        """How many survivors can change no verdict."""
        return sum(one.reason.startswith("equivalent") for one in self.survivors)

    @property
    def left(self) -> list[Survivor]:
        """The survivors that matter, as far as is known."""
        return [one for one in self.survivors if not one.reason.startswith("equivalent")]


Runs = dict[str, Run]


def read(file: Path) -> Runs:
    """The runs of each module so far."""
    found = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {
        module: Run(**run | {"survivors": [Survivor(**one) for one in run["survivors"]]})
        for module, run in found.items()
    }


def written(runs: Runs, file: Path) -> None:
    """Write the runs, a line for each survivor; whole, whenever it is stopped."""
    parts = []
    for module, run in sorted(runs.items()):
        listed = sorted(map(asdict, run.survivors), key=lambda one: (one["line"], one["column"]))
        lines = ",".join(f"\n  {json.dumps(one, ensure_ascii=False)}" for one in listed)
        head = json.dumps(asdict(run) | {"survivors": []})
        parts.append(f" {json.dumps(module)}: {head[:-2]}{lines}]}}")
    new = file.with_suffix(".new")
    new.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    new.replace(file)


def path_of(module: str) -> Path:
    """The file of a module."""
    return Path("src", *module.split(".")).with_suffix(".py")


def digest(module: str) -> str:
    """What a module's source was when it was tried."""
    return hashlib.sha256(path_of(module).read_bytes()).hexdigest()[:12]


def tried(runs: Runs, module: str, tests: Sequence[str], wanted: int | None, again: bool) -> Iterator[None]:
    """Try mutants until so many are; gives control back after each. Where the module itself fails, none."""
    source = path_of(module).read_text(encoding="utf-8")
    found, before = shuffled(source, len(module)), runs.get(module)
    run = before if before and before.source == digest(module) else Run("", digest(module), len(found))
    reasons = {one.place: one.reason for one in before.survivors} if before else {}
    left = {one.place for one in run.left} if again else set()
    chosen = [mutant for mutant in found[: run.tried] if _survivor(mutant, source).place in left]
    new = found[run.tried : wanted]
    if not chosen and not new:
        return
    broken, usual = notices(module, path_of(module), source, tests, seconds=LONGEST)
    if broken:
        print(f"The tests fail, or take more than {LONGEST} s, with {module} as it is.", file=sys.stderr)
        return
    runs[module], run.commit = run, commit()
    for mutant in [*chosen, *new]:
        noticed, _ = notices(module, path_of(module), mutant.source, tests, seconds=5 + math.ceil(3 * usual))
        mine = _survivor(mutant, source)
        run.tried += mine.place not in left
        run.noticed += noticed
        if noticed:
            run.survivors = [one for one in run.survivors if one.place != mine.place]
        elif mine.place not in left:
            mine.reason = reasons.get(mine.place, "")
            run.survivors.append(mine)
        yield


def _survivor(mutant: Mutant, source: str) -> Survivor:
    line = source.splitlines()[mutant.line - 1]
    indent = len(line) - len(line.lstrip())
    return Survivor(mutant.line, mutant.column - indent, mutant.change, line.strip())


def lines(runs: Runs) -> Iterator[str]:
    """What was tried of every module, and of all."""
    heads = ("mutants", "tried", "noticed", "equivalent", "left", "score")
    yield f"{'module':<52}" + "".join(f"{head:>11}" for head in heads)
    whole = [0] * 5
    for module in DECIDING:
        if module not in runs or runs[module].source != digest(module):
            yield f"{module:<52}{'not run' if module not in runs else 'changed since it was run':>11}"
            continue
        run = runs[module]
        counts = (run.mutants, run.tried, run.noticed, run.equivalent, len(run.left))
        whole = [one + other for one, other in zip(whole, counts, strict=True)]
        yield _line(module, counts)
    yield _line("all", whole)


def _line(name: str, counts: Sequence[int]) -> str:
    meant = counts[1] - counts[3]
    score = f"{100 * counts[2] / meant:.1f} %" if meant else ""
    return f"{name:<52}" + "".join(f"{count:>11,}" for count in counts) + f"{score:>11}"


def commit() -> str:
    """What is tried; a plus says that there were changes that were not committed."""
    return _git("log", "-1", "--format=%h", "--abbrev=12") + (
        "+" if _git("status", "-s", "src", "tests") else ""
    )


def _git(*words: str) -> str:
    command = ["git", "-C", str(RUNS.parents[2]), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "modules", nargs="*", choices=[[], *DECIDING], metavar="MODULE", help="these; else all"
    )
    parser.add_argument(
        "--sample", type=int, help="mutants to try of each module, with those of earlier runs"
    )
    parser.add_argument("--again", action="store_true", help="try again what survived without a reason")
    parser.add_argument("--file", type=Path, default=RUNS, help="where the runs are kept")
    given = parser.parse_args()
    runs = read(given.file)
    for module in given.modules or DECIDING:
        for _ in tried(runs, module, DECIDING[module], given.sample, given.again):
            written(runs, given.file)
    print(*lines(runs), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
