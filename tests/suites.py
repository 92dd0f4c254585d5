"""The tests as named suites, each with a budget: what ``make test`` runs, and ``make suites`` after it.

``make test`` leaves out tests of a kind that it has a quicker one of. Some are marked ``ci`` where they
stand; folders that need something slow to start are left out as a whole, but for a few tests named here.
Each of them is in one of the suites below, by its folder, and in ``rest`` where no other suite has the
folder, so that none can be forgotten. Budgets are seconds of the processor, which hardly depend on what else
a machine does. A suite alone runs on all cores; several run beside each other, a core each, because a JVM
or a browser is often waited for, and what each has printed comes when it has ended. One that has not ended
after ``LONGEST`` seconds is stopped, and its processes say where they stand.

    python -m tests.suites test                what every change is tried with
    python -m tests.suites spark browser       these
    python -m tests.suites                     all but the first
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from signal import SIGABRT, SIGINT, SIGKILL, signal
from threading import Thread, Timer
from time import monotonic
from typing import IO

TEST = "test"
REST = "rest"
LONGEST = 1800

_running: set[int] = set()
"""Groups of processes, one of each suite that runs."""


@dataclass(frozen=True)
class Suite:
    """Tests that run together, and the seconds of the processor that they may take."""

    budget: int
    folders: tuple[str, ...] = ()
    quick: tuple[str, ...] | None = None
    """Where the folders are left out of ``make test``: the tests of them that it runs all the same."""
    command: tuple[str, ...] = ()
    """What is run, where it is not pytest."""


SUITES = {
    TEST: Suite(720),
    "spark": Suite(
        420,
        ("tests/engine/",),
        quick=(),  # a JVM alone takes as long as all tests of a method
    ),
    "browser": Suite(
        300,
        (
            *(
                f"tests/surface/page/test_{name}.py"
                for name in ("browser", "hostile", "journeys", "large", "serve", "workshop")
            ),
            "tests/surface/report/test_browser.py",
        ),
        quick=("tests/surface/page/test_browser.py::test_a_bad_file_shows_the_error_at_its_place",),
    ),
    "documents": Suite(
        180,
        ("tests/test_docs.py", "tests/test_examples.py", "tests/test_gallery.py"),
        quick=(),  # a snippet is a command or two, each a process
    ),
    "papers": Suite(
        120,
        ("tests/papers/",),
        quick=tuple(f"tests/papers/test_{name}.py" for name in ("experiment", "papers", "writing")),
    ),
    "figures": Suite(240, command=("-m", "papers", "--quick", "-o", "out/papers-quick")),
    "random": Suite(240, ("tests/soak/", "tests/kernels/", "tests/mutation/")),
    "methods": Suite(300, ("tests/methods/",)),
    "tampering": Suite(180, ("tests/verify/", "tests/fuzz/", "tests/trust/")),
    "faults": Suite(
        120,
        ("tests/faults/",),
        quick=("tests/faults/test_write_points.py",),
    ),
    "ledger": Suite(
        90,
        ("tests/release/ledger/",),
        quick=tuple(f"tests/release/ledger/test_{name}.py" for name in ("command", "ledger")),
    ),
    "peers": Suite(
        75,
        ("tests/paper/",),
        quick=(
            "tests/paper/test_km.py::test_the_worked_example",
            "tests/paper/test_km.py::test_the_papers_setting_greedy_equals_optimal",
            "tests/paper/test_table_lattice.py::test_optima_of_adult",
        ),
    ),
    REST: Suite(160),
}


LATER = (
    "tests/data/test_samples.py::test_same_seed_same_bytes",
    "tests/data/test_sql.py::test_postgresql_gives_back_what_was_written",
    "tests/data/test_tables.py::test_numbers_spelled_twice_are_noted",
    "tests/data/test_tables_csv.py::test_a_header_may_have_very_many_columns",
    *(
        f"tests/fingerprints/test_fingerprints.py::test_the_release_is_as_before[{name}"
        for name in ("buckets, any", "buckets, near", "buckets, paper", "buckets of classes", "hidden, exact")
    ),
    "tests/judging/test_sets.py::test_diversity_is_the_fewest_values_behind_any_known_items",
    "tests/judging/test_sets.py::test_records_that_are_not_tried_count_as_narrowed_and_are_in_the_error",
    "tests/judging/risk/test_figures.py::test_numbers_and_days_are_known_however_they_are_read",
    "tests/kernels/test_compiled.py::test_of_two_processes_at_once_one_compiles_and_a_later_one_does_not",
    "tests/kernels/test_coreset.py::test_plans_are_those_of_all_transactions",
    "tests/methods/bucketize/attacks/test_minimality.py::test_near_partners_give_people_away_and_areas_do_not",
    "tests/methods/bucketize/attacks/test_silence.py::test_every_pair_keeps_as_many_candidates_as_it_can",
    "tests/methods/bucketize/attacks/test_silence.py::test_rules_that_go_round_one_person_are_refused",
    "tests/methods/bucketize/test_areas.py::test_the_oracle_finds_the_leak_of_near_partners",
    "tests/methods/bucketize/test_bucketize.py::test_a_bound_on_the_posterior_is_kept_and_verified",
    "tests/methods/bucketize/test_bucketize.py::test_rules_added_are_stated_and_rules_dropped_are_not",
    "tests/methods/bucketize/test_bucketize.py::test_the_order_of_rows_does_not_matter",
    "tests/methods/bucketize/test_coarser.py::test_tampering_is_caught",
    "tests/methods/bucketize/test_join_values.py::test_every_join_that_is_made_is_needed_and_enough",
    "tests/methods/bucketize/test_people.py::test_a_release_that_teaches_too_much_is_refused",
    "tests/methods/bucketize/test_people.py::test_the_surest_are_everybody_in_a_small_table",
    "tests/methods/bucketize/test_telling.py::test_a_reason_publishes_the_column_and_is_published_itself",
    "tests/methods/disclose/test_channels.py::test_a_channel_is_found_exactly_where_a_group_follows",
    "tests/methods/disclose/test_inference.py::test_contradictions_are_explained_by_a_set",
    "tests/methods/disclose/test_joint.py::test_rules_and_table_together_tell_more_than_either",
    "tests/methods/disclose/test_verb.py::test_a_dry_run_says_how_large_the_problem_is",
    "tests/methods/disclose/test_verb.py::test_published_from_the_command_line_and_verified",
    "tests/methods/generalize_sets/test_solvers.py::test_nothing_depends_on_the_order_of_records",
    "tests/methods/generalize_tables/test_solvers.py::test_local_classes_are_mostly_the_best",
    "tests/methods/generalize_tables/test_stated_rules.py::test_no_group_below_k_is_told_of",
    "tests/methods/generalize_tables/test_swap_neutral.py::test_a_smaller_epsilon_tells_less",
    "tests/methods/hide/test_exact.py::test_a_draw_that_fails_is_drawn_again",
    "tests/methods/hide/test_probabilities.py::test_certified_keeps_its_confidence",
    "tests/methods/test_one_key.py::test_the_tests_of_one_table_tell_nothing_of_another[generalize]",
    "tests/mutation/test_mutants.py::test_a_few_mutants",
    "tests/release/ledger/test_ledger.py::test_killed_at_every_point_no_release_is_unknown",
    "tests/soak/test_random_releases.py::test_some_random_inputs[bucketize",
    "tests/soak/test_random_releases.py::test_some_random_inputs[generalize_table",
    "tests/surface/page/test_coach.py::test_no_german_page_holds_an_english_sentence",
    *(
        f"tests/verify/test_fields.py::test_every_field_is_checked_or_stated_by_the_publisher[{kind}"
        for kind in ("anatomy", "bucketized", "coarser", "generalized_table", "rules", "subtree", "windows")
    ),
)
"""Tests of several seconds that run after ``make test``, which has quicker ones of their kind beside them."""


def is_left_out(test: str) -> bool:
    """Whether a test is left out of ``make test``: by itself, or because its folder is."""
    if test.startswith(LATER):
        return True
    for suite in SUITES.values():
        if suite.quick is not None and test.startswith(suite.folders):
            return not test.startswith(suite.quick)
    return False


@dataclass(frozen=True)
class Outcome:
    """How a suite ended; it prints as the line of the table."""

    name: str
    code: int
    last: str
    """The last line that it printed: pytest's summary."""
    clock: float
    processor: float

    def __str__(self) -> str:
        budget = SUITES[self.name].budget
        over = "  OVER ITS BUDGET" if self.processor > budget else ""
        spent = f"{self.processor:4.0f} of {budget:3} CPU s, {self.clock:4.0f} s by the clock"
        return f"{self.name:<10} {'failed' if self.code else 'passed'}  {spent}  {self.last}{over}"


def main(names: list[str]) -> int:
    """Run suites in turn, and say of each what it took; 1 where one has failed."""
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        print(f"There is no suite {unknown[0]!r}. Say some of {', '.join(SUITES)}.", file=sys.stderr)
        return 2
    signal(SIGINT, lambda *_: [_signal(group, SIGINT) for group in _running])
    names = names or [name for name in SUITES if name != TEST]
    if len(names) == 1:
        done = [run(names[0])]
    else:
        with ThreadPoolExecutor(os.cpu_count()) as cores:
            done = [ended.result() for ended in as_completed(cores.submit(run, name, 1) for name in names)]
    print("\nSuites", *done, sep="\n")
    return int(any(one.code for one in done))


def run(name: str, cores: int | None = None) -> Outcome:
    """Run one suite: on all cores, handing on what it prints as it comes, or on some, and then at its end."""
    command = [sys.executable, *(SUITES[name].command or ("-m", "pytest", *_arguments(name, cores)))]
    started, printed = monotonic(), bytearray()
    # The tests start some hundred processes: without bytecode, each compiles the sources again.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, process_group=0)
    _running.add(process.pid)
    reader = Thread(target=_collect, args=(process.stdout, printed, cores is None), daemon=True)
    limits = [
        Timer(LONGEST + more, _signal, (process.pid, how)) for more, how in ((0, SIGABRT), (10, SIGKILL))
    ]
    for thread in (reader, *limits):
        thread.start()
    _, status, used = os.wait4(process.pid, 0)
    for limit in limits:
        limit.cancel()
    reader.join(5)
    _signal(process.pid, SIGKILL)  # a server that a test has left behind would hold the pipe open for ever
    reader.join(5)
    _running.discard(process.pid)
    process.returncode = os.waitstatus_to_exitcode(status)
    if cores is not None:
        _pass_on(f"\n{name}\n".encode() + printed)
    last = printed.decode(errors="replace").strip().rpartition("\n")[2]
    return Outcome(name, process.returncode, last, monotonic() - started, used.ru_utime + used.ru_stime)


def _collect(pipe: IO[bytes], printed: bytearray, at_once: bool) -> None:
    while chunk := os.read(pipe.fileno(), 1 << 16):
        printed += chunk
        if at_once:
            _pass_on(chunk)


def _signal(group: int, number: int) -> None:
    """Send all processes of a suite a signal; told to abort, pytest prints where each thread stands."""
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def _pass_on(printed: bytes) -> None:
    sys.stdout.buffer.write(printed)
    sys.stdout.flush()


def _arguments(name: str, cores: int | None) -> list[str]:
    """What pytest is told: everything unmarked, or what is marked in the folders of the suite."""
    usual = ["-n", str(cores or "auto"), "--no-loadscope-reorder", "-r", "s"]
    if name == TEST:
        return usual
    marked = [*usual, "-m", "ci and not slow"]
    if name != REST:
        return [*marked, *SUITES[name].folders]
    return [*marked, "tests", *(f"--ignore={each}" for suite in SUITES.values() for each in suite.folders)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
