"""Frames that Spark keeps, because many passes go over them, until nobody here refers to them.

Spark takes two frames for one when their plans are equal, and plans that read the same path are equal even
if the file has changed in between: what is kept of the first would be given for the second. So every kept
frame has a plan of its own.
"""

from __future__ import annotations

import weakref
from contextlib import suppress
from typing import Any
from uuid import uuid4


def kept_on_disk(frame: Any) -> Any:
    """The frame, kept by Spark on its disks: its memory is for the work."""
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
