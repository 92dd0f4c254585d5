"""``tacit serve`` as a process: what it prints, where it keeps things, and that nothing is left of it."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tacit.surface.cli import main
from tacit.surface.page.project import workspace


def test_it_serves_this_computer_alone_and_leaves_nothing(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "tacit",
        "serve",
        "--no-browser",
        "--temporary",
        "--folder",
        str(tmp_path),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        address = urlsplit(found.group())
        assert address.hostname == "127.0.0.1"
        (private,) = tmp_path.iterdir()
        assert private.stat().st_mode & 0o777 == 0o700

        connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=20)
        connection.request("GET", f"{address.path}?{address.query}")
        entered = connection.getresponse()
        entered.read()
        cookie = (entered.getheader("set-cookie") or "").partition(";")[0]
        assert entered.status == 303 and cookie
        headers = {
            "cookie": cookie,
            "origin": f"http://127.0.0.1:{address.port}",
            "content-type": "application/json",
        }
        connection.request("POST", "/samples", '{"name": "hospital:100000"}', headers)
        started = connection.getresponse()
        started.read()
        assert started.status == 201
        if Path("/proc/net/tcp").exists():
            assert listens_on(process.pid, address.port or 0) == {"0100007F"}  # 127.0.0.1, written backwards
        workers = children(process.pid)
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 0 and "removed" in said and complained == ""
    assert list(tmp_path.iterdir()) == []
    assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]


def listens_on(process: int, port: int) -> set[str]:
    """The addresses that a port is open on, as the kernel writes them."""
    lines = [line.split() for line in Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:]]
    return {
        line[1].split(":")[0] for line in lines if int(line[1].split(":")[1], 16) == port and line[3] == "0A"
    }


def children(process: int) -> list[int]:
    """The processes that a process started."""
    tasks = Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in tasks.read_text().split()] if tasks.exists() else []


def test_what_a_killed_page_left_goes_with_the_next(tmp_path: Path) -> None:
    left = tmp_path / "tacit-page-killed"
    left.mkdir(mode=0o700)
    (left / "lock").touch()
    (left / "data").mkdir()
    foreign = tmp_path / "tacit-page-not-ours"
    foreign.mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "lock").touch()
    (tmp_path / "tacit-page-link").symlink_to(outside)
    with workspace(tmp_path) as first, workspace(tmp_path) as second:
        assert first.exists() and second.exists()  # one that runs is left alone
        assert not left.exists() and foreign.exists() and outside.exists()
    assert not first.exists() and not second.exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--port", "70000"], 2),
        (["--port", "1.5"], 2),
        (["--upload-limit", "lots"], 2),
        (["--upload-limit", "0"], 2),
        (["--folder", "/dev/null/at/all"], 6),
        (["--folder", "/nowhere/at/all", "--temporary"], 6),
    ],
)
def test_bad_flags(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--no-browser", *arguments]) == code
    assert capsys.readouterr().err.startswith("tacit: ")


def test_a_taken_port(capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["serve", "--no-browser", "--port", str(taken.getsockname()[1])]) == 6
    assert "--port" in capsys.readouterr().err


def test_a_worker_ends_with_its_page() -> None:
    """A page that is killed cannot stop its workers: they notice."""
    worker = subprocess.Popen(
        [sys.executable, "-P", "-m", "tacit.surface.page.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert worker.stdin is not None and worker.stdout is not None
    recipe = """
    source.path = "sample:hospital:2000000"
    [[release]]
    method = "bucketize"
    output = "never"
    l = 2
    """
    task = {"kind": "look", "table": True, "values": None, "recipe": None, "confirmed": recipe}
    worker.stdin.write(json.dumps(task).encode() + b"\n")
    worker.stdin.flush()
    assert b"Reading" in worker.stdout.readline()
    worker.stdin.close()
    assert worker.wait(10) != 0
