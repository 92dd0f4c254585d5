"""One server of the page on a free port of this computer, and one browser, for all tests of the page."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from starlette.applications import Starlette

from tacit.surface.page.app import make_app
from tacit.surface.page.guard import Admission
from tacit.surface.page.project import workspace
from tacit.surface.page.session import Session

UPLOAD_LIMIT = 4 << 20


@dataclass(frozen=True)
class Answer:
    """What the server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Served:
    """A running page."""

    app: Starlette
    admission: Admission
    folder: Path

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.admission.port}"

    @property
    def session(self) -> Session:
        session: Session = self.app.state.session
        return session

    @property
    def cookie(self) -> str:
        return f"{self.admission.cookie}={self.admission.secret}"

    @property
    def credentials(self) -> dict[str, str]:
        """The headers of a request that the page itself makes."""
        return {"host": f"127.0.0.1:{self.admission.port}", "cookie": self.cookie, "origin": self.address}

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        *,
        chunked: bool = False,
    ) -> Answer:
        """Send a request with exactly these headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.admission.port, timeout=20)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        if body is not None and "content-length" not in headers:
            connection.putheader(
                *("transfer-encoding", "chunked") if chunked else ("content-length", len(body))
            )
        with suppress(BrokenPipeError, ConnectionResetError):  # refused before all of it was sent
            connection.endheaders(body, encode_chunked=chunked)
        response = connection.getresponse()
        found = Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        connection.close()
        return found

    def wait(self, job: str) -> Any:
        """The job, once it is over."""
        end = monotonic() + 60
        while not self.session.jobs.all[job].over:
            assert monotonic() < end, "the job takes too long"
            sleep(0.05)
        return self.session.jobs.all[job]


def publishing(candidate: Path, folder: Path, **more: Any) -> dict[str, Any]:
    """The task of publishing a candidate, as the page sends it."""
    said = dict.fromkeys(("place", "acknowledged", "reason", "acknowledged_by", "standard"), "")
    return {**said, "candidate": candidate, "folder": folder, "name": "people", "facts": {}, **more}


@pytest.fixture(scope="session")
def served(own_state_folder: None) -> Iterator[Served]:
    """The page, with a private folder of its own."""
    import socket

    import uvicorn

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    admission = Admission(listener.getsockname()[1])
    with workspace() as folder:
        app = make_app(folder, admission, upload_limit=UPLOAD_LIMIT)
        config = uvicorn.Config(
            app, log_level="critical", lifespan="on", ws="none", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            sleep(0.01)
        yield Served(app, admission, folder)
        server.should_exit = True
        thread.join(10)
        assert not thread.is_alive()
    listener.close()


def leave(somebody: Any) -> None:
    """Close the browser of a person; in the middle of loading a page it may never close."""
    complaints = list(somebody.complaints)
    somebody.page.goto("about:blank")  # a page with changes asks whether to go
    somebody.context.close()
    somebody.complaints[:] = complaints
