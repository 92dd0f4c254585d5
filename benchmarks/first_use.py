"""What the first run of a command takes: CPU seconds from an empty cache of compiled kernels.

Run it with ``python benchmarks/first_use.py [--quick]``. Every command runs in a process of its own,
with a cache folder that is empty, and once more with what it left there: the difference is what only a
new user pays. The functions counted are all that numba compiled, its own among them.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import runpy
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import SECONDS, Row, record

QUASI = ("--quasi", "zip,age,sex", "--sensitive", "disease")
COMMANDS: dict[str, tuple[tuple[str, ...], float]] = {  # the command, and the most CPU seconds it may take
    "bucketize": (("bucketize", "sample:hospital", *QUASI, "-l", "3", "--output", "OUT"), 15),
    "generalize": (("generalize", "sample:supermarket", "-k", "5", "-m", "2", "--output", "OUT"), 12),
    "mine itemsets": (("mine", "itemsets", "sample:supermarket", "--min-support", "0.01"), 6),
    "profile": (("profile", "sample:hospital"), 2),
    "demo": (("demo", "--output", "OUT"), 75),
}
REPORT = "TACIT_COMPILED"


def main() -> None:
    """Print CPU seconds of a first and a second run, seconds of compiling and how much was compiled."""
    names = [name for name in COMMANDS if name != "demo" or "--quick" not in sys.argv]
    print(f"{'':16}{'first':>8}{'second':>8}{'compiling':>11}{'functions':>11}   (CPU seconds)")
    for name in names:
        command, bound = COMMANDS[name]
        with tempfile.TemporaryDirectory() as folder:
            first, seconds, functions = run(command, Path(folder), "first")
            second, *_ = run(command, Path(folder), "second")
        print(f"{name:16}{first:8.1f}{second:8.1f}{seconds:11.1f}{functions:11}")
        quality = f"{functions} functions compiled in {seconds:.1f} s; the second run takes {second:.1f} s"
        found = {"cpu": first, "figure": SECONDS, "value": first, "bound": bound, "quality": quality}
        record(Row(area="first use", what=name, **found))


def run(command: tuple[str, ...], folder: Path, number: str) -> tuple[float, float, int]:
    """CPU seconds of a run, CPU seconds of compiling, and how many functions were compiled."""
    report = folder / f"{number}.json"
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"XDG_CACHE_HOME": str(folder / "cache"), REPORT: str(report)}
    words = [str(folder / number) if word == "OUT" else word for word in command]
    before = cpu_of_children()
    subprocess.run([sys.executable, __file__, *words], env=environment, check=True, capture_output=True)
    took = cpu_of_children() - before
    told = json.loads(report.read_text())
    return took, told["seconds"], told["functions"]


def cpu_of_children() -> float:
    """The CPU seconds of all processes that were started here and have ended, and of those they started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def watched(report: Path) -> None:
    """Run the command that the arguments name, and write down what it compiled."""
    from numba.core import event

    class Compiled(event.Listener):
        """Sums up the outermost compilations, which hold the others, and counts all."""

        seconds, functions, depth, begun = 0.0, 0, 0, 0.0

        def on_start(self, _event: object) -> None:
            self.functions += 1
            self.depth += 1
            if self.depth == 1:
                self.begun = time.thread_time()

        def on_end(self, _event: object) -> None:
            self.depth -= 1
            if self.depth == 0:
                self.seconds += time.thread_time() - self.begun

    compiled = Compiled()
    event.register("numba:compile", compiled)
    try:
        runpy.run_module("tacit", run_name="__main__")
    finally:
        report.write_text(json.dumps({"seconds": compiled.seconds, "functions": compiled.functions}))


if __name__ == "__main__":
    if REPORT in os.environ:
        importlib.import_module("tacit.arrays.compiling")  # sets the cache folder before numba is imported
        watched(Path(os.environ.pop(REPORT)))
    else:
        main()
