"""Which engine runs a verb: the one asked for, else the one that has the rows."""

from __future__ import annotations

from typing import Any

from tacit.data.spark.source import ON_SPARK, SparkSource
from tacit.data.spark.transactions import SparkTransactions
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.engine.dealing import TableDealing
from tacit.engine.local import LocalEngine
from tacit.engine.spark import SparkEngine
from tacit.exceptions import UsageError

Bucketing = TableDealing | SparkEngine
"""An engine that deals the rows of a table into buckets: those in memory, or those on Spark."""


def engine_for(data: Table | Transactions) -> LocalEngine | SparkEngine:
    """The engine that has the rows of a table, or some transactions."""
    if isinstance(data, SparkTransactions):
        return SparkEngine(data.frame.sparkSession)
    if isinstance(data, Table) and isinstance(data.source, SparkSource):
        return SparkEngine(data.source.frame.sparkSession)
    return LocalEngine()


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
