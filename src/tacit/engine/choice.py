"""Which engine runs a verb: the one asked for, else the one that has the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.data.spark.source import ON_SPARK, SparkSource
from tacit.data.table import Table
from tacit.engine.local import LocalEngine
from tacit.exceptions import UsageError

if TYPE_CHECKING:
    from tacit.engine.dealing import TableDealing


def engine_for(table: Table) -> TableDealing:
    """The engine that has a table's rows."""
    if not isinstance(table.source, SparkSource):
        return LocalEngine()
    from tacit.engine.spark import SparkEngine

    return SparkEngine(table.source.frame.sparkSession)


def refuse_spark(engine: Any, what: str) -> None:
    """Raise where an engine on Spark is given for what runs in this process alone."""
    if engine is not None and hasattr(engine, "session"):
        raise not_on_spark(what)


def not_on_spark(what: str) -> UsageError:
    """The error for what runs in this process alone."""
    return UsageError(
        f"{what} runs in this process, not on Spark.",
        code="not-on-spark",
        hint=f"On Spark work {ON_SPARK}. Leave the engine out, or say local.",
    )
