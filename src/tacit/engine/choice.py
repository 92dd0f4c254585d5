"""Which engine runs a verb: the one asked for, else the one that has the rows."""

from __future__ import annotations

from typing import Any

from tacit.data.spark.source import ON_SPARK, SparkSource
from tacit.data.table import Table
from tacit.engine.dealing import TableDealing
from tacit.engine.local import LocalEngine
from tacit.engine.spark import SparkEngine
from tacit.exceptions import UsageError

Bucketing = TableDealing | SparkEngine
"""An engine that deals the rows of a table into buckets: those in memory, or those on Spark."""


def engine_for(table: Table) -> LocalEngine | SparkEngine:
    """The engine that has a table's rows."""
    if not isinstance(table.source, SparkSource):
        return LocalEngine()
    return SparkEngine(table.source.frame.sparkSession)


def refuse_spark(engine: Any, what: str) -> None:
    """Raise where an engine on Spark is given for what runs in this process alone."""
    if isinstance(engine, SparkEngine):
        raise not_on_spark(what)


def not_on_spark(what: str) -> UsageError:
    """The error for what runs in this process alone."""
    return UsageError(
        f"{what} runs in this process, not on Spark.",
        code="not-on-spark",
        hint=f"On Spark work {ON_SPARK}. Leave the engine out, or say local.",
    )
