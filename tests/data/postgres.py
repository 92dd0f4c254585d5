"""A PostgreSQL server of the tests' own: made, started and stopped by them, on a local socket.

The server refuses to run as root, so it is run as another user where the tests are.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNPRIVILEGED = ("postgres", "nobody")


class NoServerError(Exception):
    """Why there is no server here."""


@contextmanager
def running_server() -> Iterator[str]:
    """The URL of a fresh database, for as long as the block runs."""
    binaries = _binaries()
    # Sockets have short names, so the folder must not lie deep below a test's own.
    folder = Path(tempfile.mkdtemp(prefix="tacit-pg-"))
    try:
        user = _hand_over(folder)
        data = folder / "data"
        _run(
            user, [binaries / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync"]
        )
        # No port is listened on: the socket in the folder is the only way in.
        options = f"-k {folder} -c listen_addresses= -c fsync=off -c shared_buffers=16MB"
        control = [binaries / "pg_ctl", "-D", data, "-w", "-t", "60"]
        _run(user, [*control, "-o", options, "-l", folder / "log", "start"])
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            _run(user, [*control, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _binaries() -> Path:
    """The folder of the newest server installed."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda folder: float(folder.parent.name))
    on_path = shutil.which("initdb")
    if on_path is None:
        raise NoServerError("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
    return Path(on_path).resolve().parent


def _hand_over(folder: Path) -> str | None:
    """Give the folder to a user the server accepts; the user's name, or None where it is our own."""
    if os.geteuid() != 0:
        return None
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        return name
    raise NoServerError("PostgreSQL does not run as root, and there is no other user to run it as")


def _run(user: str | None, command: list[object]) -> None:
    words = [str(word) for word in command]
    if user is not None:
        words = ["runuser", "-u", user, "--", *words]
    try:
        done = subprocess.run(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd="/", timeout=120
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoServerError(f"{Path(words[0]).name} could not be run: {error}") from error
    if done.returncode != 0:
        raise NoServerError(f"{' '.join(words[:6])} failed: {done.stderr.strip()[-500:]}")
