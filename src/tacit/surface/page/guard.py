"""Who may talk to the page: the browser that was given the token, from the page itself, and nobody else.

Any web site can send requests to this computer's own addresses, and a name that is made to point here
(DNS rebinding) can even read the answers. So every request must name this server exactly as its
host and carry the cookie that the one-time token was turned into; a request that changes something must
come from the page itself as the browser says by ``Origin`` and ``Sec-Fetch-Site``; and every answer
tells the browser to run, show and keep nothing that is not of the page.
"""

from __future__ import annotations

import secrets
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tacit.errors import TacitError, UsageError

ENTRANCE = "/enter"
SAFE_METHODS = ("GET", "HEAD")
FORM_LIMIT = 1 << 20
"""The most bytes that a request may carry that is no upload."""
TOO_LARGE = "upload-too-large"
UPLOADS = ("/data", "/hierarchy-file")
"""How the addresses end that take files, up to the upload limit."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), usb=()",
    "x-frame-options": "DENY",
}


@dataclass
class Admission:
    """The one-time token, and the cookie it is turned into when the printed address is opened."""

    port: int
    token: str | None = field(default_factory=lambda: secrets.token_urlsafe(32))
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names this server answers to."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    @property
    def cookie(self) -> str:
        """Cookies are shared by all ports of a computer, so each page names its own."""
        return f"tacit-{self.port}"

    @property
    def address(self) -> str:
        """The address to open first; it works once."""
        return f"http://127.0.0.1:{self.port}{ENTRANCE}?token={self.token}"

    def enter(self, token: str) -> bool:
        """Use the token up; False where it is wrong or was used before."""
        if self.token is None or not secrets.compare_digest(token.encode(), self.token.encode()):
            return False
        self.token = None
        return True

    def knows(self, cookies: str) -> bool:
        """Whether a Cookie header holds the secret."""
        try:
            found = SimpleCookie(cookies).get(self.cookie)
        except CookieError:
            return False
        return found is not None and secrets.compare_digest(found.value.encode(), self.secret.encode())


class Guard:
    """Turns away what does not come from the page in the user's own browser, before any route sees it."""

    def __init__(self, app: ASGIApp, *, admission: Admission, upload_limit: int) -> None:
        self.app = app
        self.admission = admission
        self.upload_limit = upload_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # the page uses no web sockets
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
            return
        await self.app(scope, _bounded(receive, self._limit(scope["path"])), _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self.admission.hosts:
            return _refused(421, "wrong-host", "This server answers to its own address only.")
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if scope["path"] == ENTRANCE:
            return None
        if scope["method"] in SAFE_METHODS:
            if site not in (None, "same-origin", "none"):
                return _refused(403, "foreign-site", "Another site may not ask this page for anything.")
        elif not _from_the_page(origin, site, hosts[0]):
            return _refused(403, "foreign-origin", "Only the page itself may change something here.")
        if not self.admission.knows(headers.get("cookie", "")):
            if "text/html" in headers.get("accept", ""):
                return PlainTextResponse(
                    "Open the address that 'tacit serve' printed. It works once; for another one, stop the "
                    "command with Ctrl-C and start it again.\n",
                    status_code=403,
                )
            return _refused(403, "no-token", "Open the address that 'tacit serve' printed.")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._limit(scope["path"]):
            return JSONResponse(too_large(self._limit(scope["path"])).to_dict(), status_code=413)
        return None

    def _limit(self, path: str) -> int:
        return self.upload_limit if path.endswith(UPLOADS) else FORM_LIMIT


def too_large(limit: int) -> UsageError:
    """The error for a file or a form above the limit."""
    return UsageError(
        f"This is larger than the limit of {limit / (1 << 20):,.0f} MB.",
        code=TOO_LARGE,
        hint="Allow more with 'tacit serve --upload-limit 4G', or use the command line, which has no limit.",
    )


def _from_the_page(origin: str | None, site: str | None, host: str) -> bool:
    """Whether the browser says that a request was made by the page; one that says nothing is refused."""
    if origin is None:
        return site == "same-origin"
    return origin == f"http://{host}" and site in (None, "same-origin")


def _refused(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse(TacitError(message, code=code).to_dict(), status_code=status)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message.setdefault("headers", []))
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return sending


def _bounded(receive: Receive, limit: int) -> Receive:
    """Receive at most ``limit`` bytes: a body need not say beforehand how long it is."""
    taken = 0

    async def receiving() -> MutableMapping[str, Any]:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > limit:
            raise too_large(limit)
        return message

    return receiving
