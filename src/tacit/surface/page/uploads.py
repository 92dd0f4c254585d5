"""Taking in files: straight to disk, piece by piece, whatever their size."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from tacit.errors import Cancelled, OutputError, UsageError
from tacit.surface.page.session import display_name

NAME_HEADER = "x-file-name"
PIECE = 1 << 20


def told_name(request: Request) -> str:
    """The name of the file that is sent, as the browser tells it."""
    told = request.headers.get(NAME_HEADER)
    if not told or len(told) > 4096:
        raise UsageError("The request does not say what the file is called.", code="file-unnamed")
    return display_name(unquote(told))


async def receive_file(request: Request, path: Path) -> int:
    """Write the body of a request to a file of mode 0600, and tell its size; a part of one is removed."""
    size, whole = 0, False
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    file = os.fdopen(descriptor, "wb", buffering=0)
    try:
        pending = bytearray()
        async for chunk in request.stream():
            pending += chunk
            size += len(chunk)
            if len(pending) >= PIECE:
                await run_in_threadpool(file.write, bytes(pending))
                pending.clear()
        await run_in_threadpool(file.write, bytes(pending))
        whole = True
    except ClientDisconnect:
        raise Cancelled("The upload was broken off.") from None
    except OSError as error:
        raise OutputError(
            f"The file could not be kept: {error.strerror}.",
            code="upload-not-written",
            hint="Make room on the disk, or name a folder on a larger one with 'tacit serve --folder'.",
        ) from error
    finally:
        file.close()
        if not whole:
            path.unlink(missing_ok=True)
    if size == 0:
        path.unlink(missing_ok=True)
        raise UsageError("The file is empty.", code="empty-file", hint="Check that this is the right file.")
    return size
