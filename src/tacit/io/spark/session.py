"""The Spark session that reads and counts: the caller's own, or one made for this run.

PySpark and Java are an extra. What is missing is said in one sentence, before anything is begun.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from tacit.errors import InputError, Place, ResourceError, TacitError, missing_extra

SET_ELSEWHERE = ("SPARK_REMOTE", "PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "SPARK_HOME")
"""Environment variables by which somebody has said which cluster is to be used, and how."""


def spark_session() -> Any:
    """The active session, or a new one: on the cluster the environment names, else on this machine alone."""
    try:
        import pyarrow  # noqa: F401 - rows come and go as its batches
        from pyspark.sql import SparkSession
        from pyspark.sql.utils import is_remote
    except ImportError as error:
        raise missing_extra(error.name or "pyspark", "spark", "The engine spark") from error
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    # Workers run the Python that runs this, or they would not find Tacit.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("tacit")
    if not any(name in os.environ for name in SET_ELSEWHERE):
        builder = builder.master("local[*]")
        for name, value in LOCAL.items():
            builder = builder.config(name, value)
    if "SPARK_REMOTE" not in os.environ:
        _check_java()
    try:
        session = builder.getOrCreate()
    except ImportError as error:
        raise ResourceError(
            "Spark Connect needs packages that are not installed.",
            code="spark-not-started",
            hint="Install them with: pip install 'pyspark[connect]'.",
        ) from error
    except Exception as error:  # whatever the gateway to Java raises
        raise ResourceError(
            f"Spark did not start: {_reason(error)}.",
            code="spark-not-started",
            hint="Java 17 or later is needed; for a cluster, check its address.",
        ) from error
    if not is_remote():  # whatever made it a session of Spark Connect, whose log is the cluster's
        session.sparkContext.setLogLevel("OFF")  # its log would quote the rows it cannot read
    return session


LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": str(4 * (os.cpu_count() or 1)),
}
"""Settings of a session on this machine alone: nobody else can reach it, and tasks are as many as its cores
can use. Each task starts a worker, so that the 200 of a cluster would cost more than they bring."""


@contextmanager
def spark_errors(origin: str | None) -> Iterator[None]:
    """What Spark says of a source, told as an error of ours, without the rows it may quote."""
    try:
        yield
    except TacitError:
        raise
    except Exception as error:
        kind = type(error).__module__.partition(".")[0]
        if kind not in ("pyspark", "py4j", "grpc"):
            raise
        # No chained error: its message may hold values of the data.
        raise _told(_reason(error), origin) from None


def _told(reason: str, origin: str | None) -> TacitError:
    for word, message, hint in REASONS:
        if word in reason:
            return InputError(message, code="spark-source", where=Place(file=origin), hint=hint)
    return ResourceError(
        f"Spark stopped with {reason}.",
        code="spark-failed",
        where=Place(file=origin),
        hint="The log of the cluster says more; try again, with more memory for the executors if it ran out.",
    )


REASONS = (
    ("TABLE_OR_VIEW_NOT_FOUND", "There is no such table in Spark's catalog.", "Check the name after spark:."),
    ("PATH_NOT_FOUND", "There is no such file or folder.", "Check the path; Spark reads it on every worker."),
    (
        "FAILED_READ_FILE",
        "A file cannot be read: a record has more or fewer fields than the header, or the file is damaged.",
        "Read it once with the engine local, which names the line.",
    ),
    (
        "UNABLE_TO_INFER_SCHEMA",
        "The folder holds no file of this format.",
        "Name the format, csv or parquet.",
    ),
)


def _reason(error: Exception) -> str:
    """The name of Spark's error, which quotes no data."""
    named = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", None)
    condition = named() if callable(named) else None
    if condition:
        return str(condition)
    text = str(error)
    start = text.find("[")
    name = text[start + 1 : text.find("]", start)] if start >= 0 else ""
    return (
        name if name.replace(".", "").replace("_", "").isalnum() and name.isupper() else type(error).__name__
    )


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and shutil.which("java", path=os.path.join(home, "bin"))):  # noqa: PTH118
        raise ResourceError(
            "The engine spark needs Java, and none was found.",
            code="java-missing",
            hint="Install a Java 17 runtime, or set JAVA_HOME to the folder of one.",
        )


def kept_on_disk(frame: Any) -> Any:
    """The frame, kept by Spark on its disks, whose memory is for the work, until nobody here refers to it.

    Spark takes two frames for one when their plans are equal, and plans that read the same path are equal
    even if the file has changed in between: what is kept of the first would be given for the second. So every
    kept frame has a plan of its own.
    """
    from pyspark import StorageLevel
    from pyspark.sql import functions

    # True of every row, which Spark sees at once: it is there for the plan alone.
    own = frame.where(functions.lit(uuid4().hex).isNotNull()).persist(StorageLevel.DISK_ONLY)
    shown = own.select("*")  # what is kept is let go of once this is forgotten, after an error as well
    weakref.finalize(shown, _let_go, own).atexit = False  # a session that ends lets go of everything
    return shown


def _let_go(frame: Any) -> None:
    """Let the cluster forget what it kept, if it is still there."""
    with suppress(Exception):
        frame.unpersist()


def on_worker(run: Callable[[Iterator[Any]], Iterator[Any]]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function of batches as a worker runs it.

    After every task a worker collects its garbage, and looking through all that it has imported takes many
    times as long as a small task. So what is there when a task begins is left out of that.
    """

    def running(batches: Iterator[Any]) -> Iterator[Any]:
        gc.freeze()
        return run(batches)

    return running
