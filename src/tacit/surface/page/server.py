"""Running the page: on this computer's own address, for the person who started it, until it is stopped."""

from __future__ import annotations

import signal
import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tacit.errors import OutputError, missing_extra
from tacit.random.key import state_folder
from tacit.surface.page.workspace import lasting, workspace

ADDRESS = "127.0.0.1"
UPLOAD_LIMIT = 1 << 30


def serve(
    *,
    port: int = 0,
    folder: Path | None = None,
    temporary: bool = False,
    upload_limit: int = UPLOAD_LIMIT,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the page until it is interrupted; its jobs then stop.

    ``port`` 0 takes a free one. ``folder`` is the project, the user's own by default; with ``temporary`` it
    is where a private folder is made that goes with the page.
    """
    try:
        import uvicorn

        from tacit.surface.page.app import make_app
        from tacit.surface.page.guard import Admission
    except ModuleNotFoundError as error:
        raise missing_extra(error.name or "starlette", "web", "The page") from None

    place = workspace(folder) if temporary else lasting(folder or state_folder() / "project")
    with _listening(port) as listener, place as private:
        admission = Admission(listener.getsockname()[1])
        app = make_app(private, admission, upload_limit=upload_limit, temporary=temporary)
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_level="critical",  # a log line could hold data
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                lifespan="on",
                ws="none",
                timeout_graceful_shutdown=1,
                limit_concurrency=64,
            )
        )
        say(f"The page is at {admission.address}")
        say("The address works once, in one browser. Stop with Ctrl-C.")
        if not temporary:
            say(f"Files, runs and releases stay in {private}.")
        if browser:
            webbrowser.open(admission.address)
        with suppress(KeyboardInterrupt), _stopped_alike():
            server.run(sockets=[listener])
    goes_on = "its files are removed" if temporary else "the next 'tacit serve' goes on from here"
    say(f"The page has stopped, and {goes_on}.")


@contextmanager
def _stopped_alike() -> Iterator[None]:
    """Let a request to end the process stop the page as Ctrl-C does, so that it cleans up."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _listening(port: int) -> socket.socket:
    """A socket on the computer's own address; other computers cannot reach it."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((ADDRESS, port))
        listener.listen(64)  # a browser that comes before the server is up waits, and is not turned away
    except OSError as error:
        listener.close()
        raise OutputError(
            f"The port {port} cannot be used: {error.strerror}.",
            code="port-taken",
            hint="Name another with --port, or leave it out to take a free one.",
        ) from error
    return listener
