"""How kernels are compiled: once, cached on disk, without the interpreter's lock.

Import ``kernel`` from :mod:`tacit.arrays.compiled`, never ``numba.njit``: the cache folder is set here before
numba is imported, so that a command's second run pays no compilation even where the package itself is
installed read-only.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from tacit.typing import Progress

COMPILING = "Preparing compiled code, which only the first run needs"


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
from numba.core import cgutils, event, types  # noqa: E402
from numba.core.caching import FunctionCache  # noqa: E402
from numba.core.compiler import Compiler  # noqa: E402
from numba.core.registry import cpu_target  # noqa: E402
from numba.core.runtime.nrt import rtsys  # noqa: E402
from numba.core.targetconfig import ConfigStack  # noqa: E402
from numba.extending import intrinsic  # noqa: E402


class _Sharing(Compiler):
    """Compiles numpy's functions once for all kernels.

    numba compiles a function such as ``np.empty`` anew for every caller that was compiled with other flags.
    What a kernel calls is compiled with the flags that numba's own functions have when they call each other.
    """

    def define_pipelines(self) -> Any:
        below = cast(Any, ConfigStack).top_or_none()
        below.release_gil, below.no_cfunc_wrapper, below.no_cpython_wrapper = False, False, True
        return cast(Any, super()).define_pipelines()


class _Cache(FunctionCache):
    """Loads compiled kernels without what compiling them needs.

    numba imports all that it can compile, scipy too, before it looks into its cache: a third of a second in
    every command. A loaded kernel needs the allocator only, and what is to be compiled imports the rest then.
    """

    def load_overload(self, signature: Any, context: Any) -> Any:
        cast(Any, rtsys).initialize(context)
        with cast(Any, self)._guard_against_spurious_io_errors():
            return cast(Any, self)._load_overload(signature, context)


def compiled(function: Callable[..., Any]) -> Any:
    """A function that numba compiles, or loads, for each kind of arguments.

    Called by another kernel it is compiled into that one and needs no entry of its own for Python:
    unpacking Python's arguments is often more code than the function. So there are two dispatchers,
    one for calls from Python and one, which is not cached, for calls from kernels.
    """
    compiler = cast(Any, njit)  # whose types leave the wrappers out
    common = {"nogil": True, "no_cfunc_wrapper": True, "pipeline_class": _Sharing}
    outer = compiler(**common)(function)
    inner = compiler(no_cpython_wrapper=True, **common)(function)
    if outer is function:  # NUMBA_DISABLE_JIT
        return function
    outer._cache = cast(Any, _Cache)(function)
    folder, compile_here = outer._cache.cache_path, outer.compile

    def compile_once(signature: Any) -> Any:
        with _alone(folder):
            return compile_here(signature)

    def get_call_template(arguments: Any, keywords: dict[str, Any]) -> Any:
        return inner.get_call_template(
            [_plain(one) for one in arguments], {name: _plain(one) for name, one in keywords.items()}
        )

    outer.compile = compile_once
    outer.get_call_template = get_call_template
    outer.get_overload = inner.get_overload
    return outer


@contextmanager
def _alone(folder: str) -> Iterator[None]:
    """One process at a time loads or compiles kernels of a folder: others load what it has compiled."""
    held = -1
    with suppress(OSError):  # a disk without locks, or a folder that somebody has removed
        held = os.open(folder, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if held >= 0:
            os.close(held)


def _plain(argument: Any) -> Any:
    """The type a kernel is compiled for: no version of its own for a literal 0 or a short integer."""
    untyped = cast(Any, types)
    known = untyped.unliteral(argument)
    short = isinstance(known, untyped.Integer) and known.signed and known.bitwidth < 64
    return untyped.int64 if short else known


def _popcount(_context: Any, _word: Any) -> Any:
    return types.int64(types.uint64), lambda _target, builder, _signature, words: builder.ctpop(words[0])


popcount = intrinsic(_popcount)


def _fetch_add(_context: Any, counters: Any, place: Any, amount: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        item_pointer: Any = cgutils.get_item_pointer
        pointer = item_pointer(context, builder, signature.args[0], array, [arguments[1]])
        return builder.atomic_rmw("add", pointer, arguments[2], "seq_cst")

    return types.int64(counters, types.int64, types.int64), generate


fetch_add = intrinsic(_fetch_add)


def type_of(made: Any) -> Any:
    """What a kernel or an instruction is to a kernel that names it."""
    return cast(Any, cpu_target).typing_context.resolve_value_type(made)


@contextmanager
def told_by(progress: Progress) -> Iterator[Progress]:
    """See :func:`tacit.arrays.compiled.telling`."""
    told = Telling(progress)
    with event.install_listener("numba:compile", told):
        yield told.report


class Telling(event.Listener):
    """Says that a kernel is being compiled, and afterwards again what was going on before."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._last: tuple[str, float | None] = ("", None)
        self._depth = 0

    def report(self, what: str, share: float | None) -> None:
        self._last = what, share
        if self._depth == 0:  # a thread may report while another one waits for its kernel
            self._progress(what, share)

    def on_start(self, _event: Any) -> None:
        self._depth += 1
        if self._depth == 1:
            self._progress(COMPILING, None)

    def on_end(self, _event: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._last[0]:
            self._progress(*self._last)
