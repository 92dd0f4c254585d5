"""Jobs: work that runs in a process of its own, so that its memory and its crashes are not the page's.

The worker (:mod:`tacit.surface.page.worker`) gets its task as one line of JSON and answers with lines of
JSON: what is going on, and at the end a result or an error. It is interrupted like a command line by Ctrl-C,
and killed with all it started where that does not help; what it wrote goes with it.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from tacit.errors import Cancelled, ResourceError

AT_ONCE = 2
"""How many workers run at the same time; further jobs wait."""
GRACE = 1.0
"""Seconds between asking a worker to stop and killing it: together well below two."""
LINE_LIMIT = 64 << 20
OVER = ("done", "failed", "cancelled")


@dataclass(eq=False)
class Job:
    """One task of a worker, from waiting to its end.

    ``state`` is waiting, running, done, failed or cancelled; ``error`` is as the command line prints
    it; ``result`` what the worker sent at the end.
    """

    id: str
    kind: str
    folder: Path
    task: dict[str, Any]
    about: dict[str, Any] = field(default_factory=dict)
    """What the page shows of the job beside its outcome: the data, the method, the parameters."""
    state: str = "waiting"
    what: str = "Waiting"
    share: float | None = None
    started: float = field(default_factory=monotonic)
    ended: float | None = None
    error: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    cancelling: bool = False
    process: asyncio.subprocess.Process | None = None
    runner: asyncio.Task[None] | None = None

    @property
    def over(self) -> bool:
        return self.state in OVER

    @property
    def seconds(self) -> float:
        return (self.ended or monotonic()) - self.started

    @property
    def publishing(self) -> Job | None:
        """The job that publishes what this run made."""
        return self.about.get("publishing")

    @property
    def copying(self) -> Job | None:
        """The job that writes copies of what this run made and another published."""
        return self.about.get("copying")

    @property
    def published(self) -> bool:
        return self.publishing is not None and self.publishing.state == "done"

    def to_dict(self) -> dict[str, Any]:
        """What the page asks for while it waits."""
        told = {name: getattr(self, name) for name in ("id", "kind", "state", "what", "share", "error")}
        return told | {"seconds": round(self.seconds, 1)}


def new_id() -> str:
    """A name for a data set or a job that nobody can guess; it is a folder's name and part of an address."""
    return secrets.token_hex(8)


def going_on(job: Job | None) -> dict[str, Any]:
    """The job while it runs, and why it failed."""
    return {
        "running": job.id if job is not None and not job.over else None,
        "error": job.error if job is not None and job.state == "failed" else None,
    }


class Jobs:
    """All jobs of one page, in the order they were started."""

    def __init__(self, folder: Path, *, ended: Callable[[], None] = lambda: None) -> None:
        self.folder = folder
        self.ended = ended
        """Called whenever a job is over."""
        self.all: dict[str, Job] = {}
        self._slots = asyncio.Semaphore(AT_ONCE)

    def start(
        self,
        kind: str,
        task: dict[str, Any],
        *,
        about: dict[str, Any] | None = None,
        then: Callable[[Job], None] | None = None,
    ) -> Job:
        """Start a task; ``then`` is called with the job before it counts as over, however it ended."""
        name = new_id()
        folder = self.folder / name
        folder.mkdir(mode=0o700)
        job = Job(name, kind, folder, task | {"kind": kind, "folder": str(folder)}, about or {})
        self.all[name] = job
        job.runner = asyncio.create_task(self._run(job, then))
        return job

    async def cancel(self, job: Job) -> None:
        """Stop a job: asked first, then killed, and what it wrote is removed."""
        if job.over or job.runner is None:
            return
        job.cancelling, job.what = True, "Stopping"
        process = job.process
        if process is None:
            job.runner.cancel()
        else:
            _signal(process, signal.SIGINT)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), GRACE)
            _signal(process, signal.SIGKILL)  # and whatever it started
        with suppress(asyncio.CancelledError):
            await job.runner

    async def remove(self, job: Job) -> None:
        """Forget a job and what it made."""
        await self.cancel(job)
        shutil.rmtree(job.folder, ignore_errors=True)
        self.all.pop(job.id, None)

    async def close(self) -> None:
        """Stop every job."""
        await asyncio.gather(*(self.cancel(job) for job in list(self.all.values())))

    async def _run(self, job: Job, then: Callable[[Job], None] | None) -> None:
        try:
            async with self._slots:
                await self._work(job)
        finally:
            if job.cancelling:
                job.result, job.error = None, Cancelled().to_dict()["error"]
            if job.result is None:
                shutil.rmtree(job.folder, ignore_errors=True)
            if then is not None:
                then(job)
            job.process, job.ended = None, monotonic()
            job.state = "cancelled" if job.cancelling else "failed" if job.result is None else "done"
            self.ended()

    async def _work(self, job: Job) -> None:
        job.state, job.what = "running", "Starting"
        job.process = process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # no module is found beside the user's files
            "-m",
            "tacit.surface.page.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,  # what a library prints may hold data
            cwd=self.folder,
            start_new_session=True,
            limit=LINE_LIMIT,
        )
        assert process.stdin is not None and process.stdout is not None
        with suppress(ConnectionError):  # it died at once; what it says below tells
            process.stdin.write(json.dumps(job.task).encode() + b"\n")
            await process.stdin.drain()
        async for line in process.stdout:
            event = json.loads(line)
            if job.cancelling:
                continue  # a worker that is being stopped is no longer heard
            if event["event"] == "progress":
                job.what, job.share = event["what"], event["share"]
            else:
                job.result, job.error = event.get("result"), event.get("error")
        code = await process.wait()
        if job.result is None and job.error is None:
            job.error = _crashed(code).to_dict()["error"]


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Send a signal to the worker and all it started: it leads a group of its own."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _crashed(code: int) -> ResourceError:
    how = f"ended early with the exit code {code}"
    hint = "The page and your files are as they were: try again, and please report it if it happens again."
    with suppress(ValueError):
        how = f"was killed by the signal {signal.Signals(-code).name}"
        hint = (
            "The machine may have run out of memory. The page and your files are as they were: try again, or"
            " try a smaller file."
        )
    return ResourceError(
        f"The process of this job {how}; nothing was published.", code="job-crashed", hint=hint
    )
