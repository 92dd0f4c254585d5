"""Which engine runs a verb: the one asked for, else the one that has the rows."""

from __future__ import annotations

from typing import Annotated, Literal

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.engine.local.engine import LocalEngine
from tacit.engine.spark.engine import SparkEngine
from tacit.errors import UsageError
from tacit.io.readers.opening import is_folder_of_parts, is_spark_address
from tacit.io.spark.source import SparkSource
from tacit.io.spark.transactions import SparkTransactions
from tacit.options import Says, check_ranges, options_of


def engine_for(data: Table | Transactions) -> LocalEngine | SparkEngine:
    """The engine that has the rows of a table, or some transactions."""
    if isinstance(data, SparkTransactions):
        return SparkEngine(data.frame.sparkSession)
    if isinstance(data, Table) and isinstance(data.source, SparkSource):
        return SparkEngine(data.source.frame.sparkSession)
    return LocalEngine()


def engine_asked_for(
    source: str,
    *,
    engine: Annotated[
        Literal["local", "spark", "auto"],
        Says(
            "Engine",
            "local (in this process), spark (rows stay on Spark) or auto: spark for spark:NAME and folders of"
            " parts.",
        ),
    ] = "auto",
) -> SparkEngine | None:
    """The engine that reads a source and keeps its rows on Spark; None where they come into this process."""
    check_ranges("read", options_of(engine_asked_for), {"engine": engine})
    if engine == "local" and is_spark_address(source):
        raise UsageError(
            f"{source!r} is a table of Spark, and the engine local is asked for.",
            code="rows-on-spark",
            hint="Leave the engine out.",
        )
    only_there = is_spark_address(source) or is_folder_of_parts(source)
    return SparkEngine() if engine == "spark" or (engine == "auto" and only_there) else None
