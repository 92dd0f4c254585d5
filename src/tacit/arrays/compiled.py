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
from numba.core import types  # noqa: E402


def kernel(function: Function) -> Function:
    """Compile ``function`` on first call: cached on disk, releasing the interpreter's lock.

    Called by another kernel it is compiled into that one and needs no entry of its own for Python:
    unpacking Python's arguments is often more code than the function. So there are two dispatchers,
    one for calls from Python and one, which is not cached, for calls from kernels.
    """
    outer = cast(Any, njit(cache=True, nogil=True, no_cfunc_wrapper=True)(function))
    inner = cast(Any, njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)(function))

    def get_call_template(arguments: Any, keywords: dict[str, Any]) -> Any:
        return inner.get_call_template(
            [_plain(one) for one in arguments], {name: _plain(one) for name, one in keywords.items()}
        )

    outer.get_call_template = get_call_template
    outer.get_overload = inner.get_overload
    return cast(Function, outer)


def _plain(argument: Any) -> Any:
    """The type a kernel is compiled for: no version of its own for a literal 0 or a short integer."""
    known = types.unliteral(argument)
    short = isinstance(known, types.Integer) and known.signed and known.bitwidth < 64
    return types.int64 if short else known
