"""The command line as a process of its own: stopped in a long kernel, killed, raced, short of memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tacit.release import recover
from tests.conftest import REPOSITORY
from tests.faults.releases import left_over
from tests.tally import Tally
from tests.trust.making import FILE, NAMES, arguments, write_inputs

IN_KERNEL = """
import sys, threading
import tacit.arrays.compiled as interrupt
interruptible = interrupt.interruptible
def watched(*arguments, **options):
    shout = threading.Timer(0.25, lambda: print("in a kernel", flush=True))
    shout.start()
    try:
        return interruptible(*arguments, **options)
    finally:
        shout.cancel()
interrupt.interruptible = watched
from tacit.surface.cli import main
sys.exit(main(sys.argv[1:]))
"""
KILLED = """
import sys
import tacit.release.published as release
from tacit.surface.cli import main
from tests.faults.injection import fault, kill
publish = release.publish
def killed(*arguments, **options):
    with fault(int(sys.argv[1]), kill):
        return publish(*arguments, **options)
release.publish = killed
sys.exit(main(sys.argv[2:]))
"""
RACING = """
import os, sys, time
from pathlib import Path
from tacit.surface.cli import main
from tests.trust.making import arguments
for number, kind in enumerate(sys.argv[2:]):
    Path(f"{sys.argv[1]} waits for {number}").touch()
    while len(list(Path().glob(f"* waits for {number}"))) < 2:
        time.sleep(0.005)
    os.environ["XDG_STATE_HOME"] = str(Path(f"state {number}").absolute())  # one ledger for both runs
    print(main([*arguments(kind, f"out/{number}/out"), "--quiet", "--json"]), file=sys.stderr, flush=True)
"""

SECRET = "beer, diapers\napples, bananas\n"
LONG = {
    "bucketize": ("bucketize", "sample:hospital:300000", "-l", "4", "--partners", "any"),
    "generalize": (
        "generalize",
        "sample:supermarket:200000",
        "-k",
        "50",
        "-m",
        "3",
        "--algorithm",
        "apriori",
    ),
    "hide": ("hide", "sample:supermarket:200000", "--patterns", "secret.txt", "--min-support", "3"),
    "rules": (
        *("rules", "sample:hospital:20000", "--min-support", "3", "--min-confidence", "0.1"),
        *("--max-posterior", "0.9"),
    ),
}
"""Commands that are in a long kernel for a while."""
KINDS = ("bucketize injector qit", "generalize", "hide certified", "rules")


STARTED: list[subprocess.Popen[bytes]] = []


def start(code: str, *given: str, folder: Path) -> subprocess.Popen[bytes]:
    """A process of its own, with a state folder and a folder for temporary files of its own."""
    for name in ("state", "temporary"):
        (folder.parent / name).mkdir(exist_ok=True)
    environment = os.environ | {
        "XDG_STATE_HOME": str(folder.parent / "state"),
        "TMPDIR": str(folder.parent / "temporary"),
        "PYTHONPATH": str(REPOSITORY),
    }
    child = subprocess.Popen(
        [sys.executable, "-c", code, *given],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    STARTED.append(child)
    return child


def used_so_far(child: subprocess.Popen[bytes]) -> float:
    """The seconds of processor time that a process has used; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A working folder; the process finds nothing else around it."""
    work = tmp_path / "work"
    work.mkdir()
    yield work
    while STARTED:
        child = STARTED.pop()
        child.kill()  # does nothing to one that has ended
        child.communicate()
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.tally("stops and clashes", "Ctrl-C in a long kernel")
@pytest.mark.parametrize(
    "method", [each if each == "bucketize" else pytest.param(each, marks=pytest.mark.ci) for each in LONG]
)
def test_ctrl_c_in_a_long_kernel(method: str, folder: Path) -> None:
    (folder / "secret.txt").write_text(SECRET)
    child = start(IN_KERNEL, *LONG[method], "--output", "below/out", folder=folder)
    assert child.stdout is not None and child.stderr is not None
    assert child.stdout.readline() == b"in a kernel\n", child.stderr.read()
    sent, before = time.monotonic(), used_so_far(child)
    used = before
    child.send_signal(signal.SIGINT)
    while child.poll() is None and time.monotonic() - sent < 30:
        used = max(used, used_so_far(child))
        time.sleep(0.01)
    passed = time.monotonic() - sent
    _, said = child.communicate(timeout=1)
    # On a machine that others keep busy, the seconds of the clock are not those of the process.
    busy = os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)
    assert passed < 2 or (busy and used - before < 2)
    assert child.returncode == 130, said
    assert b"Traceback" not in said
    assert [path.name for path in folder.iterdir()] == ["secret.txt"]


# Where a run is killed: while it writes the first file, the private record, and after the first move.
SOME, MANY = (20,), (5, 10, 15, 25, 30, 35, 40, 45)


@pytest.mark.tally("canaries", "kill")
@pytest.mark.parametrize("at", [*SOME, *(pytest.param(at, marks=pytest.mark.slow) for at in MANY)])
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[] if kind.startswith("hide") else [pytest.mark.ci]) for kind in KINDS]
)
def test_killed_runs_name_nobody(kind: str, at: int, folder: Path) -> None:
    write_inputs(folder)
    before = {path.name for path in folder.iterdir()}
    target = folder / "below" / "out"
    child = start(KILLED, str(at), *arguments(kind, str(target)), folder=folder)
    shown = b"".join(child.communicate(timeout=60))
    assert child.returncode == -signal.SIGKILL, shown
    left_over(target)  # what is left is closed to others
    found = [path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name not in before]
    found += [path.read_bytes() for path in (folder.parent / "state").rglob("ledger*") if path.is_file()]
    for canary in NAMES:
        assert canary.encode() not in b"".join([shown, *found])
    if target.exists():
        assert FILE.encode() not in b"".join(path.read_bytes() for path in target.iterdir())
    recover(target)
    assert left_over(target) == []


@pytest.mark.ci
def test_two_runs_on_one_output(folder: Path, tally: Tally) -> None:
    """One whole release, and the other exits 6, whoever comes first."""
    write_inputs(folder)
    children = [start(RACING, name, *KINDS, folder=folder) for name in ("one", "other")]
    codes = [child.communicate(timeout=120)[1].decode().split() for child in children]
    for number, kind in enumerate(KINDS):
        tally("stops and clashes", f"two runs of {kind.split()[0]}")
        assert sorted(found[number] for found in codes) == ["0", "6"], (kind, codes)
        target = folder / "out" / str(number) / "out"
        assert left_over(target) == []
        assert (target / "release.json").exists()


MEASURED = """
import resource, sys
from tacit.surface.cli import main
code = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.tally("stops and clashes", "memory bound")
def test_too_little_memory_is_refused_before_the_start(folder: Path) -> None:
    given = ("generalize", "sample:supermarket:20000", "-k", "50", "-m", "2", "-o", "out", "--memory", "40M")
    child = start(MEASURED, *given, "--quiet", folder=folder)
    said = child.communicate(timeout=120)[1].decode()
    assert child.returncode == 5, said
    assert "40M are allowed" in said
    assert list(folder.iterdir()) == []


@pytest.mark.slow
@pytest.mark.tally("stops and clashes", "memory bound")
def test_the_memory_bound_holds(folder: Path) -> None:
    """The least that is accepted is enough for the whole run, the interpreter and libraries included."""
    given = ("generalize", "sample:supermarket:50000", "-k", "50", "-m", "2", "--algorithm", "apriori")
    asked = start(MEASURED, *given, "--dry-run", "--json", folder=folder)
    needed = json.loads(asked.communicate(timeout=120)[0])["bytes"]
    limit = -(-needed // 2**20)
    child = start(MEASURED, *given, "-o", "out", "--memory", f"{limit}M", "--quiet", folder=folder)
    said = child.communicate(timeout=300)[1].decode()
    assert child.returncode == 0, said
    assert int(said.split()[-1]) <= limit * 2**20
