"""CPU time and memory of mining frequent itemsets, beside pyfim (C), mlxtend, efficient-apriori and PAMI.

Run it with ``python benchmarks/mining.py [--quick]``. Mining alone is measured, each library from the
form of the data it asks for: Tacit from its arrays, pyfim and efficient-apriori from Python lists and
tuples, mlxtend from a table of booleans that is made beforehand, PAMI (in an environment of its own, see
``table.py``) from a file, the reading of which is taken out. CPU seconds are the best of several
runs, of one thread, after one that compiles; a slow peer is stopped after a while. Peak memory is
what a fresh process holds at most while it mines, the input arrays included.

Then: closed and maximal sets, two threads beside one, growth with the number of transactions,
reading included, and whether a second process finds the compiled kernels on disk.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path

from table import (
    NOT_INSTALLED,
    SECONDS,
    STOPPED,
    Row,
    Taken,
    ask_peer,
    best,
    record,
    record_slope,
    run_at_most,
)

from tacit.data.transactions import Transactions
from tacit.engine.base import WantedItemsets
from tacit.engine.itemsets.mine import FoundItemsets, frequent_itemsets
from tacit.io.readers.transactions import read_transactions
from tacit.io.samples.quest import quest
from tacit.io.writers import write_transactions
from tacit.ranges import support_count

QUICK = "--quick" in sys.argv
REPEATS = 3 if QUICK else 5
PATIENCE = 10 if QUICK else 20  # CPU seconds that a slow peer is given
ROOM = 15
DATA = Path(os.environ.get("TACIT_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
FILES = {
    "BMS-WebView-1": "BMS-WebView-1.dat",
    "BMS-WebView-2": "BMS-WebView-2.dat",
    "T10I4D100K": "T10I4D100K.dat",
    "Groceries": "groceries/Groceries.dat",
}
CASES = [
    ("Quest T15", 0.01),
    ("Quest T15, longer patterns", 0.01),
    ("BMS-WebView-1", 0.001),
    ("BMS-WebView-1", 0.0006),
    ("BMS-WebView-2", 0.001),
    ("BMS-WebView-2", 0.0006),
    ("T10I4D100K", 0.005),
    ("Groceries", 0.001),
]
SLOW = [("Quest T15", 0.01), ("BMS-WebView-1", 0.001), ("BMS-WebView-2", 0.001), ("Groceries", 0.001)]
"""The cases in which the slow peers run too; each takes many seconds."""
PYFIM, PAMI = "pyfim eclat", "PAMI ECLAT bitset"
PEERS = {PYFIM: "fim", "mlxtend fpgrowth": "mlxtend", "efficient-apriori": "efficient_apriori", PAMI: ""}
BOUNDS = {PYFIM: 1.5, "mlxtend fpgrowth": 0.1, "efficient-apriori": 0.1}


def main() -> None:
    """Print the tables."""
    missing = [name for name, file in FILES.items() if not (DATA / file).exists()]
    if missing:
        print(f"Not here, and left out: {', '.join(missing)}; set TACIT_DATA to the folder of the data sets.")
    here = [(name, share) for name, share in CASES if name not in missing]
    all_sets(here)
    kinds([case for case in here if case[1] < 0.005 or "longer" in case[0]])
    threads()
    growth()
    reading(missing)
    cached_on_disk()


def all_sets(cases: Sequence[tuple[str, float]]) -> None:
    """Every case beside every peer, with the memory taken."""
    print(
        f"\nAll frequent itemsets: CPU seconds of one thread, best of {REPEATS}; in brackets: times Tacit's"
    )
    print(f"{'data':28}{'support':>9}{'itemsets':>10}{'Tacit':>8}", end="")
    print("".join(f"{peer:>24}" for peer in PEERS) + f"{'peak MB':>9}{'2 x input + result':>20}")
    for name, share in cases:
        data = load(name)
        found, taken = mined(data, share)
        seconds = taken.cpu
        print(f"{name:28}{share:>9.2%}{len(found.supports):>10,}{seconds:>8.3f}", end="", flush=True)
        peak = in_a_process("memory", name, str(share))
        given = data.indptr.nbytes + data.items.nbytes
        bound = 2 * given + found.offsets.nbytes + found.items.nbytes + found.supports.nbytes
        most = None if peak is None else peak[0] + given
        for peer in PEERS:
            if peer != PYFIM and (name, share) not in (SLOW[:1] if QUICK else SLOW):
                print(f"{'':>24}", end="")
                continue
            theirs = beside(peer, name, share, len(found.supports))
            row = Row(
                area="mining",
                what=f"frequent itemsets of {name} at {share:.2%}",
                size=f"{len(data):,} transactions",
                cpu=seconds,
                wall=taken.wall,
                peak_mb=None if most is None else most / 1e6,
                peer=f"{peer} ({theirs})" if isinstance(theirs, str) and theirs != STOPPED else peer,
                peer_cpu=PATIENCE if theirs == STOPPED else None if isinstance(theirs, str) else theirs,
                peer_stopped=theirs == STOPPED,
                bound=BOUNDS.get(peer),
                quality=f"{len(found.supports):,} itemsets, the same number from both",
            )
            record(row)
            shown = theirs if row.peer_cpu is None else f"{row.peer_cpu:.3f} ({row.peer_cpu / seconds:,.1f})"
            print(f"{'> ' * row.peer_stopped + str(shown):>24}", end="", flush=True)
        print(f"{'?' if most is None else f'{most / 1e6:.1f}':>9}{bound / 1e6:>20.1f}")
        if most is not None:
            record(
                Row(
                    area="mining",
                    what=f"memory for {name} at {share:.2%}",
                    size=f"{len(data):,} transactions",
                    peak_mb=most / 1e6,
                    figure="peak ÷ (2 × input + result)",
                    value=most / bound,
                    bound=1.0,
                )
            )


def beside(peer: str, name: str, share: float, n_sets: int) -> float | str:
    """The CPU seconds of a peer, which must find as many sets; or a word why there are none."""
    if peer == PAMI:
        data = load(name)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.dat"
            write_transactions(data, path)
            least = str(support_count(share, len(data)))
            answer = ask_peer("mining_pami.py", str(path), least, patience=PATIENCE + ROOM)
        if isinstance(answer, str):
            return answer
        seconds, found = answer["seconds"], answer["sets"]
    else:
        if importlib.util.find_spec(PEERS[peer]) is None:
            return NOT_INSTALLED
        theirs = in_a_process("peer", name, str(share), peer)
        if theirs is None:
            return STOPPED
        seconds, found = theirs
    assert found == n_sets, f"{peer} finds {found} sets"
    return seconds


def kinds(cases: Sequence[tuple[str, float]]) -> None:
    """Closed and maximal sets beside pyfim's."""
    if importlib.util.find_spec("fim") is None:
        return
    import fim

    print(
        f"\n{'closed and maximal sets':28}{'support':>9}{'kind':>10}{'itemsets':>10}{'Tacit':>8}{'pyfim':>8}"
    )
    for name, share in cases:
        data = load(name)
        rows = lists(data)
        least = support_count(share, len(data))
        for kind in ("closed", "maximal"):
            found, taken = mined(data, share, kind=kind)
            seconds = taken.cpu
            theirs = best(partial(fim.eclat, rows, target=kind[0], supp=-least), 3, warm=False).cpu
            record(
                Row(
                    area="mining",
                    what=f"{kind} itemsets of {name} at {share:.2%}",
                    size=f"{len(data):,} transactions",
                    cpu=seconds,
                    wall=taken.wall,
                    peer=PYFIM,
                    peer_cpu=theirs,
                    quality=f"{len(found.supports):,} itemsets",
                )
            )
            row = f"{name:28}{share:>9.2%}{kind:>10}{len(found.supports):>10,}{seconds:>8.3f}{theirs:>8.3f}"
            print(row, flush=True)


def threads() -> None:
    """Wall-clock seconds of one thread and of two."""
    size = 200_000 if QUICK else 1_000_000
    cases = {
        "many transactions": (quest(size, patterns=500, pattern_length=8), 0.004),
        "many itemsets": (quest(size // 10, patterns=300, pattern_length=10, corruption=0.3), 0.0065),
    }
    print(
        f"\n{'two threads':28}{'support':>9}{'itemsets':>12}{'one, wall s':>13}{'two':>8}{'times faster':>14}"
    )
    for name, (data, share) in cases.items():
        seconds = [math.inf, math.inf]
        for _ in range(REPEATS):
            for number in (1, 2):
                start = time.perf_counter()
                found = mine(data, share, threads=number)
                seconds[number - 1] = min(seconds[number - 1], time.perf_counter() - start)
        row = f"{name:28}{share:>9.2%}{len(found.supports):>12,}{seconds[0]:>13.2f}{seconds[1]:>8.2f}"
        print(f"{row}{seconds[0] / seconds[1]:>14.2f}", flush=True)
        record(
            Row(
                area="mining",
                what=f"two threads, {name}",
                size=f"{len(data):,} transactions",
                wall=seconds[1],
                figure="one thread ÷ two, wall s",
                value=seconds[0] / seconds[1],
                bound=1.6,
                at_least=True,
                quality=f"one thread {seconds[0]:.2f} s; load of the machine {os.getloadavg()[0]:.1f}",
            )
        )
    print(f"({os.cpu_count()} processors; the load of the machine was {os.getloadavg()[0]:.1f})")


def growth() -> None:
    """CPU seconds at three sizes of one kind of data."""
    sizes = [size // (10 if QUICK else 1) for size in (250_000, 500_000, 1_000_000)]
    seconds = [mined(quest(size), 0.01)[1].cpu for size in sizes]
    slope = record_slope("mining", "frequent itemsets of Quest T15 at 1 %", sizes, seconds, 1.1)
    print(
        "\nQuest T15 at 1 %: " + ", ".join(f"{n:,}: {s:.3f} s" for n, s in zip(sizes, seconds, strict=True))
    )
    print(f"slope {slope:.2f} (1 is linear)")


def reading(missing: Sequence[str]) -> None:
    """From the file to the sets, beside pyfim with the reading its examples show."""
    if importlib.util.find_spec("fim") is None:
        return
    import fim

    print(f"\n{'file included':28}{'support':>9}{'Tacit':>8}{'pyfim':>8}{'times':>8}")
    for name, share in (("T10I4D100K", 0.005), ("BMS-WebView-2", 0.0006)):
        if name in missing:
            continue
        path = DATA / FILES[name]
        least = support_count(share, len(load(name)))

        def ours(path: Path = path, share: float = share) -> object:
            return mine(read_transactions(path), share)

        def theirs(path: Path = path, least: int = least) -> object:
            with path.open() as file:
                return fim.eclat([line.split() for line in file], target="s", supp=-least)

        both = best(ours, REPEATS)
        one, other = both.cpu, best(theirs, REPEATS, warm=False).cpu
        print(f"{name:28}{share:>9.2%}{one:>8.3f}{other:>8.3f}{other / one:>8.1f}", flush=True)
        record(
            Row(
                area="mining",
                what=f"file to itemsets, {name} at {share:.2%}",
                size=f"{len(load(name)):,} transactions",
                cpu=one,
                wall=both.wall,
                peer="pyfim with Python reading",
                peer_cpu=other,
                bound=1.0,
            )
        )


def cached_on_disk() -> None:
    """The first call in a process that must compile, and in the next one."""
    if QUICK:
        return
    with tempfile.TemporaryDirectory() as folder:
        first, second = (in_a_process("first", cache=folder) for _ in range(2))
    if first and second:
        print(f"\nFirst call: {first[0]:.2f} CPU s with compilation, {second[0]:.2f} in the next process.")
        record(
            Row(
                area="mining",
                what="first call in a second process, kernels from the disk",
                size="1,000 transactions",
                cpu=second[0],
                figure=SECONDS,
                value=second[0],
                quality=f"the process that compiles: {first[0]:.1f} s",
            )
        )


@lru_cache(maxsize=1)
def load(name: str) -> Transactions:
    """A data set by the name it has in the tables."""
    if name == "Quest T15":
        return quest()
    if name == "Quest T15, longer patterns":
        return quest(patterns=500, pattern_length=8)
    return read_transactions(DATA / FILES[name])


def mine(data: Transactions, share: float, *, kind: str = "complete", threads: int = 1) -> FoundItemsets:
    """Tacit's sets."""
    found = frequent_itemsets(
        data.indptr,
        data.items,
        data.n_items,
        WantedItemsets(support_count(share, len(data)), kind, max_itemsets=100_000_000),
        threads=threads,
    )
    assert isinstance(found, FoundItemsets)
    return found


def mined(data: Transactions, share: float, *, kind: str = "complete") -> tuple[FoundItemsets, Taken]:
    """Tacit's sets and the time they took."""
    found = mine(data, share, kind=kind)
    return found, best(lambda: mine(data, share, kind=kind), REPEATS, warm=False)


def lists(data: Transactions) -> list[list[int]]:
    """Transactions as lists of whole numbers, which is what pyfim converts fastest."""
    items, ends = data.items.tolist(), data.indptr.tolist()
    return [items[begin:end] for begin, end in pairwise(ends)]


def in_a_process(*task: str, cache: str | None = None) -> list[float] | None:
    """What a process of its own prints for a task, or None when it takes too long."""
    environment = dict(os.environ) if cache is None else {**os.environ, "NUMBA_CACHE_DIR": cache}
    command = [sys.executable, __file__, "--task", *task]
    if QUICK:
        command.append("--quick")
    run = run_at_most(PATIENCE + ROOM, command, environment)  # what the tasks do around mining is given room
    if run.returncode == -signal.SIGXCPU:
        return None
    run.check_returncode()
    answer: list[float] | None = json.loads(run.stdout)
    return answer


def do_task(task: str, *details: str) -> list[float] | None:
    """What a process of its own measures."""
    if task == "first":
        start = time.process_time()
        mine(quest(1000), 0.05)
        return [time.process_time() - start]
    name, share = details[0], float(details[1])
    data = load(name)
    if task == "memory":
        return peak_while(data, share)
    least = support_count(share, len(data))
    work = peer_call(details[2], data, least)
    start = time.process_time()
    n_sets = work()
    seconds = time.process_time() - start
    if seconds > PATIENCE:
        return None
    if seconds < 2:
        seconds = min(seconds, best(work, REPEATS, warm=False).cpu)
    return [seconds, n_sets]


def peer_call(peer: str, data: Transactions, least: int) -> Callable[[], int]:
    """A peer's mining, from data in the form it asks for: a call that returns how many sets there are."""
    rows = lists(data)
    if peer == "pyfim eclat":
        import fim

        return lambda: len(fim.eclat(rows, target="s", supp=-least))
    just_below = (least - 0.5) / len(rows)  # these two compare shares in binary floating point
    if peer == "mlxtend fpgrowth":
        import numpy as np
        import pandas as pd
        from mlxtend.frequent_patterns import fpgrowth

        held = np.zeros((len(data), data.n_items), dtype=bool)
        held[np.repeat(np.arange(len(data)), data.lengths), data.items] = True
        table = pd.DataFrame(held)
        return lambda: len(fpgrowth(table, min_support=just_below))
    from efficient_apriori import itemsets_from_transactions

    tuples = [tuple(row) for row in rows]
    longest = int(data.lengths.max())
    return lambda: sum(map(len, itemsets_from_transactions(tuples, just_below, longest)[0].values()))


def peak_while(data: Transactions, share: float) -> list[float] | None:
    """The most memory that mining takes beyond what the process held before, where Linux tells it."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not reset.exists():
        return None
    mine(quest(1000), 0.05)  # so that loading the kernels is not counted
    before = kilobytes(status, "VmRSS")
    reset.write_text("5")
    mine(data, share)
    return [1024.0 * (kilobytes(status, "VmHWM") - before)]


def kilobytes(status: Path, field: str) -> int:
    """One figure of a process's status."""
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(field))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--task"]:
        print(json.dumps(do_task(*[word for word in sys.argv[2:] if word != "--quick"])))
    else:
        main()
