"""The processes of a run, watched from outside: the peak memory and the processor time of each kind.

Linux alone: what /proc says of a process and all below it, looked at again and again. What a process does
after it was last looked at is not counted, so that times are a little too short.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

EVERY = 1.0
"""Seconds between two looks."""
KINDS = {"java": "java", "pyspark": "workers", "tacit_verify": "verifier"}
"""What the command line of a process holds, and what it is; anything else is Tacit's own process."""


class Watch:
    """Looks at a process and everything below it until it is stopped."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._kinds: dict[int, str] = {}
        self._peaks: dict[int, float] = {}
        self._seconds: dict[int, float] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> dict[str, float]:
        """The largest peak of each kind in MB, and the processor seconds of all together."""
        self._done.set()
        self._thread.join()
        found = {"cpu": sum(self._seconds.values())}
        for kind in ("python", "java", "workers", "verifier"):
            own = [process for process, one in self._kinds.items() if one == kind]
            found[kind] = max((self._peaks[process] for process in own), default=0.0)
            found[f"{kind} cpu"] = sum(self._seconds[process] for process in own)
        return found

    def _look(self) -> None:
        while not self._done.wait(EVERY):
            for process in _below(self._process):
                try:
                    self._note(process)
                except (OSError, ValueError, IndexError):  # it has ended
                    continue

    def _note(self, process: int) -> None:
        folder = Path(f"/proc/{process}")
        line = folder.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        words = {} if process == self._process else KINDS
        status = folder.joinpath("status").read_text()
        peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
        ticks = folder.joinpath("stat").read_text().rpartition(")")[2].split()[11:13]
        # All at once, when all was read: the process may end between two looks.
        self._kinds[process] = next((kind for word, kind in words.items() if word in line), "python")
        self._peaks[process] = max(peak, self._peaks.get(process, 0.0))
        self._seconds[process] = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def _below(process: int) -> list[int]:
    """A process and all below it."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int(folder.joinpath("stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            children.setdefault(parent, []).append(int(folder.name))
    found = [process]
    for one in found:
        found += children.get(one, [])
    return found
