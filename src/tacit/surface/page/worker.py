"""The worker: does one task of the page in a process of its own, and says what is going on.

``python -m tacit.surface.page.worker`` reads a task, one line of JSON, from standard input, and writes
events, a line of JSON each, to standard output: ``progress``, then ``done`` with a result or ``error`` with
what the command line would say. It ends when standard input does: a page that is gone needs no result.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from time import monotonic
from typing import Any, BinaryIO

from tacit.arrays.compiled import telling
from tacit.errors import Cancelled, ResourceError, TacitError
from tacit.surface.page.errors import defect, excerpt
from tacit.surface.page.tasks import TASKS
from tacit.surface.page.wording import error_on_the_page
from tacit.typing import Progress

EVERY = 0.1
"""Seconds between two events that say the same but for the share done."""


def main() -> int:
    """Do the task on standard input."""
    events = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no event
    task = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_page, daemon=True).start()
    try:
        with telling(_reporter(events)) as progress:
            result = TASKS[task["kind"]](task, progress)
    except TacitError as error:
        return _tell_error(events, error, task)
    except KeyboardInterrupt:
        return _tell_error(events, Cancelled(), task)
    except MemoryError:
        return _tell_error(events, _out_of_memory(), task)
    except Exception as error:
        return _tell_error(events, defect(error), task)
    _tell(events, {"event": "done", "result": result})
    return 0


def _tell(events: BinaryIO, event: dict[str, Any]) -> None:
    events.write(json.dumps(event).encode() + b"\n")


def _tell_error(events: BinaryIO, error: TacitError, task: dict[str, Any]) -> int:
    told = error_on_the_page(error)
    if error.where is not None:
        told["excerpt"] = excerpt(error.where, task.get("encoding", "utf-8"))
    _tell(events, {"event": "error", "error": told})
    return error.exit_code


def _reporter(events: BinaryIO) -> Progress:
    said, when = "", 0.0

    def report(what: str, share: float | None) -> None:
        nonlocal said, when
        now = monotonic()
        if what != said or now - when >= EVERY:
            said, when = what, now
            _tell(events, {"event": "progress", "what": what, "share": share})

    return report


def _end_with_the_page() -> None:
    """Wait for the end of standard input, which comes when the page is gone; then end, with all children."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    if os.getpgid(0) == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def _out_of_memory() -> ResourceError:
    return ResourceError(
        "The machine has too little memory for this run.",
        code="out-of-memory",
        hint="Give it less data, or run it on a larger machine with 'tacit run'.",
    )


if __name__ == "__main__":
    sys.exit(main())
