"""Every error Tacit raises on purpose, with its stable code and exit code.

    TacitError                      exit 1: a defect of ours if it ever surfaces bare
    ├── UsageError                  exit 2: the call is wrong, whatever the data
    │   └── ParameterError          a parameter outside its declared range
    ├── InputError                  exit 3: the data are not what was said
    ├── InfeasibleError             exit 4: the data cannot meet the promise
    │   └── LimitError              exit 9: a release misses a limit, or a standard, that its recipe sets
    ├── ResourceError               exit 5: memory, time, a missing optional package
    ├── OutputError                 exit 6: the release could not be put in place
    ├── VerificationError           exit 7: the verifier refused the release
    └── Cancelled                   exit 130: stopped on request

Each error says what was wanted, what was found and what to do next: one plain sentence in
``message``, the place in ``where``, the next step in ``hint``. ``code`` is a stable word for
scripts and is listed in the documentation. A sentence that names an option does so with :func:`option`, so
that the page can call it by its field.
"""

from __future__ import annotations

import re
import shlex
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the input something was found; what is not known is None."""

    file: str | None = None
    line: int | None = None
    column: str | int | None = None
    value: str | None = None

    def __str__(self) -> str:
        column = repr(shorten(self.column)) if isinstance(self.column, str) else self.column
        value = None if self.value is None else repr(shorten(self.value))
        told = (("", self.file), ("line ", self.line), ("column ", column), ("value ", value))
        return ", ".join(f"{what}{found}" for what, found in told if found is not None)


def shorten(text: str, limit: int = 60) -> str:
    """The text, cut so that an error message stays a sentence."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def listed(names: Iterable[str], limit: int = 20) -> str:
    """Names for an error message: the first few, each of them short.

    >>> listed(["zip", "age", "sex"], limit=2)
    "'zip', 'age' and 1 more"
    """
    shown = [repr(shorten(name)) for name in names]
    more = f" and {len(shown) - limit} more" if len(shown) > limit else ""
    return ", ".join(shown[:limit]) + more


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is spelled most like this one, or None where none is near.

    >>> nearest("Desease", ["age", "disease"]), nearest("salary", ["age", "disease"])
    ('disease', None)
    """
    spelled = {other.casefold(): other for other in known}
    close = get_close_matches(name.casefold(), spelled, n=1)
    return spelled[close[0]] if close else None


_OPTION = re.compile("\ue000([^=\ue000\ue001]+)=([^\ue000\ue001]*)\ue001")
QUOTES = "'\""
_WORD = re.compile(r"[\w.-]+")


def option(name: str, value: object = "") -> str:
    """An option in a sentence of an error or a note, by the name that it has in Python.

    It is a mark that :class:`Said` puts into words. A name of two words is that of a command.
    """
    return f"\ue000{name}={'' if value == '' else repr(value)}\ue001"


class Said(str):
    """A sentence that may name options, as Python and the command line call them.

    >>> print(Said(f"Use {option('nulls', 'own')}, or build one {option('hierarchy build')}."))
    Use nulls='own' (--nulls own), or build one with 'tacit hierarchy build'.
    """

    marked: str
    """The sentence with its marks."""

    def __new__(cls, marked: str) -> Said:
        if isinstance(marked, Said):
            return marked
        said = super().__new__(cls, _OPTION.sub(lambda found: _plainly(found[1], found[2]), marked))
        said.marked = marked
        return said

    def __getnewargs__(self) -> tuple[str]:
        return (self.marked,)

    def named(self) -> list[tuple[str, str]]:
        """The options that the sentence names, each with its value as Python writes it."""
        return [(found[1], found[2]) for found in _OPTION.finditer(self.marked)]

    def worded(self, words: Callable[[str, str], str | None]) -> str:
        """The sentence with other words for an option and its value, which is as Python writes it."""
        return _OPTION.sub(lambda found: words(*found.groups()) or _plainly(*found.groups()), self.marked)


TYPED = {"identifiers": "drop"}
"""Options that have another name at the command line and in recipes."""


def _plainly(name: str, value: str) -> str:
    if " " in name:
        return f"with 'tacit {name}'"
    flag = f"--{TYPED.get(name, name).replace('_', '-')}"
    if value.startswith("{"):  # a column and what is said of it
        flag += "".join(f" {shlex.quote(one)}={said}" for one, said in literal_eval(value).items())
    elif value == "False":
        flag = f"--no-{flag[2:]}"
    elif value not in ("", "True"):
        flag += f" {value.strip(QUOTES) if _WORD.fullmatch(value.strip(QUOTES)) else value}"
    return f"{name}={value} ({flag})"


class TacitError(Exception):
    """The root of the tree; catch this to catch everything Tacit raises on purpose."""

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        message: str,
        *,
        code: str,
        where: Place | None = None,
        hint: str | None = None,
        option: str | None = None,
        value: object = None,
        cures: Iterable[Mapping[str, object]] = (),
    ) -> None:
        self.message: str = Said(message)
        super().__init__(self.message)
        self.code = code
        self.where = where
        self.hint: str | None = None if hint is None else Said(hint)
        self.option = option
        """The option that the error is about, by the name that it has in Python."""
        self.value = None if value is None else shorten(str(value))
        self.cures = tuple(cures)
        """Values of options that mend it, by name; each is a way of its own. So does what a hint names."""

    def __str__(self) -> str:
        text = self.message
        if self.where is not None and str(self.where):
            text = f"{self.where}: {text}"
        return f"{text} {self.hint}" if self.hint else text

    def to_dict(self, words: Callable[[str], str] = str) -> dict[str, Any]:
        """The error as ``--json`` prints it and, in ``words`` of its own, the page sends it."""
        place = {} if self.where is None else asdict(self.where)
        where = {name: value for name, value in place.items() if value is not None}
        about = {"option": self.option, "value": self.value, "where": where or None}
        hint = None if self.hint is None else words(self.hint)
        return {"error": {"code": self.code, "message": words(self.message), **about, "hint": hint}}

    def __reduce__(self) -> tuple[Any, ...]:  # errors cross process borders in workers
        return _rebuild, (type(self), vars(self))


def _rebuild(kind: type[TacitError], said: dict[str, Any]) -> TacitError:
    error = kind.__new__(kind)
    TacitError.__init__(error, **said)
    return error


class UsageError(TacitError):
    """The call itself is wrong: an unknown column, a flag that contradicts another."""

    exit_code = 2


class ParameterError(UsageError):
    """A parameter outside its declared range: one sentence everywhere.

    >>> print(ParameterError("k", "generalize", "an int in the range [2, inf)", 1))
    The 'k' parameter of generalize must be an int in the range [2, inf). Got 1 instead.
    """

    def __init__(self, name: str, verb: str, wanted: str, got: object, *, hint: str | None = None) -> None:
        found = str(got) if isinstance(got, Decimal) else repr(got)
        message = f"The {name!r} parameter of {verb} must be {wanted}. Got {shorten(found)} instead."
        super().__init__(message, code="parameter-range", hint=hint, option=name, value=found)


class InputError(TacitError):
    """The data are not what was said: a file, a hierarchy or a rule that cannot be used."""

    exit_code = 3


class InfeasibleError(TacitError):
    """The data cannot meet the promise; the hint names the largest value they can meet."""

    exit_code = 4


class LimitError(InfeasibleError):
    """A release misses a limit or a standard that its recipe sets; nothing was published."""

    exit_code = 9


class ResourceError(TacitError):
    """Not enough memory or time, or an optional package is missing."""

    exit_code = 5


class OutputError(TacitError):
    """The release could not be put in place; nothing was published."""

    exit_code = 6


class VerificationError(TacitError):
    """The independent verifier refused the release; nothing was published."""

    exit_code = 7


class Cancelled(TacitError):  # noqa: N818 - a request obeyed, not an error of anybody
    """Stopped on request; nothing was published."""

    exit_code = 130

    def __init__(self, message: str = "Cancelled; nothing was published.") -> None:
        super().__init__(message, code="cancelled")


def unknown_column(
    name: str,
    known: Iterable[str],
    *,
    option: str | None = None,
    where: Place | None = None,
    hint: str | None = None,
) -> UsageError:
    """The error for a column that an option names and the data do not have."""
    message = f"There is no column {shorten(name)!r}; the columns are {listed(known)}."
    return UsageError(message, code="unknown-column", where=where, hint=hint, option=option, value=name)


def missing_extra(package: str, extra: str, purpose: str) -> ResourceError:
    """The error for an optional package that is not installed."""
    return ResourceError(
        f"{purpose} needs the package {package!r}, which is not installed.",
        code="missing-extra",
        hint=f"Install it with: pip install 'tacit[{extra}]'",
    )


def unforeseen(error: BaseException, *, less: str, see: str) -> TacitError:
    """Too little memory, or a defect of ours: its text may hold data, so only its kind is shown."""
    if isinstance(error, MemoryError):
        return ResourceError(
            "The machine has too little memory for this run.", code="out-of-memory", hint=less
        )
    kind = type(error).__name__
    return TacitError(f"Something went wrong inside Tacit ({kind}).", code="defect", hint=see)
