"""How kernels are compiled: once, cached on disk, without the interpreter's lock.

Import ``kernel`` from here, never ``numba.njit``: the cache folder is set before numba is
imported, so that a command's second run pays no compilation even where the package itself
is installed read-only.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


def cache_folder() -> Path:
    """Where compiled kernels are kept: in the user's cache folder, under a name made of their sources.

    A kernel is compiled with the kernels it calls, which may stand in other files; numba looks at the
    time of its own file only, so another version of any kernel must get a folder of its own.
    """
    digest = hashlib.blake2b(digest_size=8)
    package = Path(__file__).parents[1]
    for file in sorted(package.rglob("*.py")):
        content = file.read_bytes()
        if b"@kernel" in content:
            digest.update(str(file.relative_to(package)).encode() + b"\0" + content)
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "tacit" / f"kernels-{digest.hexdigest()}"


os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder()))

from numba import njit  # noqa: E402 - the cache folder must be set first


def kernel(function: Function) -> Function:
    """Compile ``function`` on first call: cached on disk, releasing the interpreter's lock."""
    return cast(Function, njit(cache=True, nogil=True)(function))
