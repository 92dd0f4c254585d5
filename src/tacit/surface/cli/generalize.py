"""``tacit generalize``: publish sets of items so that a few known items give nobody away."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from cyclopts import Parameter

from tacit.data.transactions import Transactions
from tacit.engine.spark.engine import SparkEngine
from tacit.io.spark.transactions import SparkTransactions
from tacit.methods.generalize_sets.estimate import (
    Estimate,
    SparkEstimate,
    check_memory,
    estimate,
    spark_estimate,
)
from tacit.methods.generalize_sets.solve.solve import RANGES
from tacit.methods.generalize_sets.verb import generalize as verb
from tacit.methods.generalize_sets.verb import judged_one_in
from tacit.ranges import check
from tacit.release import check_output
from tacit.surface.cli.common import (
    DataFlags,
    ReleaseFlags,
    ShareText,
    Shown,
    Source,
    WholeText,
    load_transactions,
    progress_bar,
    refuse_unused,
    say_notes,
)
from tacit.surface.cli.release import Finished, finish


def generalize(
    data: Source,
    /,
    *,
    k: Annotated[WholeText, Parameter(name=["-k", "--k"])],
    m: Annotated[str, Parameter(name=["-m", "--m"])],
    algorithm: str = "apriori",
    mapping: Path | None = None,
    max_suppressed: ShareText = Decimal(0),
    max_narrowed: ShareText = Decimal("0.05"),
    restarts: WholeText | None = None,
    time_budget: float | None = None,
    publish_as: str | None = None,
    memory: str | None = None,
    flags: DataFlags = DataFlags(),
    release: ReleaseFlags = ReleaseFlags(),
    shown: Shown = Shown(),
) -> Finished | Estimate | SparkEstimate:
    """Publish transactions so that whoever knows up to m items of a record still faces k records.

    Parameters
    ----------
    data
        Transactions: a file, - for standard input, a database address, spark:NAME, or sample:NAME.
    k
        The fewest records that a reader is left with.
    m
        How many items of a record a reader may know, or auto.
    algorithm
        apriori, direct, optimal (exact; small domains) or best (several keyed starts).
    mapping
        A mapping.csv of an earlier release: publish under the same cut, if the promise holds.
    max_suppressed
        The share of records that may be left out, for example 0.001.
    max_narrowed
        For -m auto: the share of records that one more known item may narrow below k.
    restarts
        For the algorithm best: how many starts.
    time_budget
        For the algorithms optimal and best: seconds.
    publish_as
        Published format: dat, basket, csv or jsonl; as it came in by default. Others: tacit export.
    memory
        Refuse to start where more memory than this would be needed, for example 4G.
    """
    known = _known_items(m)
    check("generalize", RANGES, k=k, m=known, algorithm=algorithm, max_narrowed=max_narrowed)
    if algorithm != "best":
        refuse_unused(release, ("key_file", "seed"), "drives no choice but those of the algorithm 'best'")
    if release.output is not None and not release.dry_run:
        sources = [
            path for path in (Path(data), mapping, flags.hierarchy) if path is not None and path.exists()
        ]
        check_output(release.output, overwrite=release.overwrite, sources=sources)
    loaded = load_transactions(data, flags)
    say_notes(loaded, shown)
    if release.dry_run or memory is not None:
        expected = _expected(loaded, k, known)
        check_memory(expected, memory)
        if release.dry_run:
            return expected
    with progress_bar(shown) as progress:
        made = verb(
            loaded,
            k=k,
            m=known,
            algorithm=cast(Any, algorithm),
            mapping=mapping,
            max_suppressed=max_suppressed,
            max_narrowed=max_narrowed,
            restarts=restarts,
            time_budget=time_budget,
            format=publish_as,
            key=release.key() if algorithm == "best" else None,
            progress=progress,
        )
    return finish(made, release)


def _expected(loaded: Transactions, k: int, m: int | Literal["auto"]) -> Estimate | SparkEstimate:
    """How large the job is; where the records are on Spark, what comes into this process."""
    if not isinstance(loaded, SparkTransactions):
        return estimate(loaded, k=k, m=m)
    counts = SparkEngine(loaded.frame.sparkSession).set_counts(loaded)
    return spark_estimate(loaded, counts, k=k, m=m, judged=len(loaded) // judged_one_in(len(loaded)))


def _known_items(text: str) -> int | Literal["auto"]:
    """``-m`` as typed; what is neither a number nor auto is left to the verb to refuse."""
    return int(text) if text.lstrip("-").isdigit() else cast(Literal["auto"], text)
