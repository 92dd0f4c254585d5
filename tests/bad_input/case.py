"""One row of the bad-input table: what a person hands in, and what must happen.

Every case runs through the library and through the command line; a refused case must raise the
typed error, exit with its class, leave nothing behind and show no traceback.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """A bad (or surprising but right) input.

    ``files`` are written into an empty folder, which is the working folder of both runs. ``call``
    is the library call, given that folder; ``command`` the arguments after ``tacit``. ``code`` is
    the stable code of the error, or None where the input is accepted. ``exit_code`` follows from
    the class of the error. ``says`` are pieces the message must hold (the place, the value, the
    next step). ``prepare`` does what files alone cannot (links, modes).
    """

    name: str
    call: Callable[[Path], object]
    command: tuple[str, ...] | None
    code: str | None
    exit_code: int = 0
    files: Mapping[str, bytes] = field(default_factory=dict)
    says: tuple[str, ...] = ()
    prepare: Callable[[Path], None] | None = None

    def __str__(self) -> str:
        return self.name
