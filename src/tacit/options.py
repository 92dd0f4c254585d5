"""Options, declared once: the signature of a verb says what each may be and what people are told of it.

    @verb
    def generalize(data, *, k: Annotated[int, Whole(2), Says("Fewest records", "Left to a reader.")]):

A type that is a ``Literal`` is its own range. From the signature come the check and the docstring of the
function, the flag of the command, the key of a recipe with its JSON Schema, the field of the page and the
reference. Parameters without :class:`Says` are no options: the data, and what only a program can give.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from types import SimpleNamespace, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, get_args, get_origin

from tacit.errors import ParameterError, UsageError
from tacit.ranges import File, Lines, OneOf, Optional, Range, Share, Support, as_fraction, check

P = ParamSpec("P")
R = TypeVar("R")
REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Says:
    """What people are told of an option."""

    title: str
    """A few words: the label of its field on the page."""
    help: str
    """One or two sentences, the same everywhere."""
    values: tuple[tuple[str, str], ...] = ()
    """What the page calls each value, where there are a few."""
    flag: str | None = None
    """What the command line calls it, where its own name means something else there."""
    empty: str = ""
    """What the page shows in a field that is left empty."""


@dataclass(frozen=True)
class Only:
    """An option that does something only beside certain others."""

    when: Callable[[Mapping[str, Any]], bool]
    """Whether it does, given the values of all options."""
    belongs_to: str
    """With what it does."""
    because: str = ""
    """Why only then, where that is not plain: a sentence."""


@dataclass(frozen=True)
class Needs:
    """An option that cannot be without another."""

    other: str
    when: Callable[[Mapping[str, Any]], bool]
    """Whether it is needed, given the values of all options."""
    because: str
    code: str
    example: str
    """A value of the other option."""


@dataclass(frozen=True)
class Option:
    """An option of a verb."""

    name: str
    range: Range
    default: Any
    says: Says
    only: tuple[Only, ...] = ()
    needs: tuple[Needs, ...] = ()

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    @property
    def optional(self) -> bool:
        """Whether nothing may be given."""
        return isinstance(self.range, Optional)

    @property
    def names_file(self) -> bool:
        """Whether text that is given is the name of a file."""
        return isinstance(getattr(self.range, "inner", self.range), File | Lines)

    @property
    def typed(self) -> str:
        """Its name at the command line."""
        return self.says.flag or self.name

    @property
    def flag(self) -> str:
        """Its flag at the command line."""
        return "--" + self.typed.replace("_", "-")

    def given(self, value: Any) -> bool:
        """Whether a value says something beside what goes without saying."""
        if isinstance(self.range, Share | Support) and self.range.holds(value) and not self.required:
            return as_fraction(value) != as_fraction(self.default)
        return bool(value != self.default)


PERSON = Says(
    "Column that tells people apart",
    "Column that tells people apart, where they have several rows; it is not published. One row of each"
    " person is published, drawn by the key.",
)
SAYS_AFTER = Says(
    "Release of the same people before this one",
    "Folder of the release of the same people before this one: the promise holds for readers of both and all"
    " before them. Its private record must lie beside it.",
    empty="none",
)
Judge = Literal["quick", "full"]
QUICK, FULL = get_args(Judge)
SAYS_JUDGE = Says(
    "How closely it is judged",
    "quick (attacks are tried on a sample of large data, and the figures state its error) or full (on all of"
    " it, however long that takes).",
    values=((QUICK, "quick: by a sample, where the data are large"), (FULL, "full: by all of the data")),
)
EPSILON = 0.4
"""What a reader who knows Tacit may gain, where nothing else is asked."""
GAINS = Optional(Share(0.0, 10.0, open_low=True))


def says_gain(parts: str) -> Says:
    """What people are told of ε, by a method that makes larger ``parts`` where it is small."""
    return Says(
        "What a reader who knows Tacit may gain (ε)",
        f"The odds of a reader who knows Tacit are at most e^epsilon times those stated; {EPSILON:g} by"
        f" default. Smaller values promise more and make larger {parts}.",
        empty=f"{EPSILON:g}",
    )


TextFormat = Literal["dat", "basket", "csv", "jsonl"]
TEXT_FORMATS = get_args(TextFormat)
SAYS_FORMAT = Says(
    "Published format",
    "Published format: dat, basket, csv or jsonl; as it came in by default. Others: tacit export.",
    values=(("", "as it came in"), *((name, name) for name in TEXT_FORMATS)),
    flag="publish_as",
)


@cache
def options_of(function: Callable[..., Any]) -> dict[str, Option]:
    """The options of a verb by name, in the order of its signature.

    Annotations are text until they are asked for, and only those of options are evaluated: the others may
    name types that are not imported until the verb runs.
    """
    function = inspect.unwrap(function)
    names = vars(sys.modules[function.__module__])
    found = {}
    for parameter in inspect.signature(function).parameters.values():
        if not str(parameter.annotation).startswith("Annotated["):
            continue
        kind, *marks = get_args(eval(parameter.annotation, names))  # our own source, in its own module
        says = next(mark for mark in marks if isinstance(mark, Says))
        only = tuple(mark for mark in marks if isinstance(mark, Only))
        needs = tuple(mark for mark in marks if isinstance(mark, Needs))
        declared = next((mark for mark in marks if not isinstance(mark, Says | Only | Needs)), None)
        found[parameter.name] = Option(
            parameter.name, declared or _words(kind), parameter.default, says, only, needs
        )
    return found


def _words(kind: Any) -> Range:
    """The range that a type says itself: one of the words of a ``Literal``, or none of them."""
    parts = get_args(kind) if type(None) in get_args(kind) else (kind,)
    words = OneOf(get_args(parts[0]))
    return Optional(words) if len(parts) > 1 else words


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """A verb: its options are checked before it runs, and told in its docstring in place of ``{options}``."""

    @wraps(function)
    def checked(*data: P.args, **given: P.kwargs) -> R:
        check_options(function.__name__, options_of(function), given)
        return function(*data, **given)

    if function.__doc__:  # there is none under python -OO
        told = inspect.cleandoc(function.__doc__)  # as Python does from 3.13 on
        checked.__doc__ = told.replace("{options}", _parameters(options_of(function)))
    return checked


class Asked(SimpleNamespace):
    """The checked arguments of a verb: one thing, handed on whole to all that carries it out."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name!r} was asked for as it is")

    def report(self, what: str, share: float | None = None) -> None:
        """Tell whoever listens which step begins, and how much is done."""
        if self.progress is not None:
            self.progress(what, share)


def asked_of(function: Callable[..., Any], data: object, given: Mapping[str, Any]) -> Asked:
    """The checked arguments of a verb, as its maker takes them, without calling it."""
    check_options(function.__name__, options_of(function), given)
    bound = inspect.signature(function).bind(data, **given)
    bound.apply_defaults()
    return Asked(**bound.arguments)


def check_options(name: str, options: Mapping[str, Option], given: Mapping[str, Any]) -> None:
    """Raise for an option outside its range, or one that would do nothing beside the others."""
    check_ranges(name, options, given)
    values = {option.name: given.get(option.name, option.default) for option in options.values()}
    for option in options.values():
        if option.given(values[option.name]):
            for only in option.only:
                if not only.when(values):
                    raise unused_option(option.name, name, only.belongs_to, only.because)
        for need in option.needs:
            if need.when(values) and values[need.other] is None:
                raise UsageError(
                    need.because,
                    code=need.code,
                    option=need.other,
                    hint=f"Give {need.other}= ({options[need.other].flag} {need.example}).",
                )


def check_ranges(name: str, options: Mapping[str, Option], given: Mapping[str, Any]) -> None:
    """Raise for an option outside its range."""
    found = {option: given[option] for option in options if option in given}
    check(name, {option: options[option].range for option in found}, **found)


def of_their_types(function: Callable[P, R]) -> Callable[P, R]:
    """A function that refuses an argument of another type than its signature names, in our words.

    Options are left to their ranges, and so is what a type says of the parts of a list.
    """

    @wraps(function)
    def checked(*given: P.args, **named: P.kwargs) -> R:
        with suppress(TypeError):  # too many or too few: Python says so itself, below
            for name, value in inspect.signature(function).bind(*given, **named).arguments.items():
                several, kinds = _kinds(function).get(name, (False, ()))
                for one in value if several else (value,):
                    if kinds and not any(_is(one, kind) for kind in kinds):
                        words = " or ".join(dict.fromkeys(_KINDS.get(kind, kind.__name__) for kind in kinds))
                        raise ParameterError(name, function.__name__, words, type(one))
        return function(*given, **named)

    return checked


_KINDS = {
    str: "text",
    Path: "the name of a file or folder",
    Iterable: "a list",
    Mapping: "a dictionary",
    type(None): "None",
}


@cache
def _kinds(function: Callable[..., Any]) -> dict[str, tuple[bool, tuple[Any, ...]]]:
    """Of each parameter that is no option, whether several may come, and their types if these are named.

    Numbers are left out: what a library takes for one is as good.
    """
    names, found = vars(sys.modules[inspect.unwrap(function).__module__]), {}
    for parameter in inspect.signature(function).parameters.values():
        told = str(parameter.annotation)
        several = parameter.kind is parameter.VAR_POSITIONAL
        if parameter.kind is parameter.VAR_KEYWORD or told.startswith("Annotated["):
            continue
        with suppress(NameError):  # what is imported for the type checker alone
            kind = eval(told, names)
            parts = get_args(kind) if isinstance(kind, UnionType) else (kind,)
            kinds = tuple(get_origin(part) or part for part in parts)
            if all(isinstance(one, type) and not issubclass(one, int | float) for one in kinds):
                lists = (Iterable if one in (Sequence, Iterable, Collection) else one for one in kinds)
                found[parameter.name] = several, tuple(lists)
    return found


def _is(value: object, kind: type) -> bool:
    """Whether a value is of a type: any column is a list, and text is none."""
    if kind is Iterable:
        return hasattr(value, "__iter__") and not isinstance(value, str | bytes | Mapping)
    return isinstance(value, os.PathLike if kind is Path else kind)


def unused_option(option: str, verb: str, belongs_to: str, because: str = "") -> UsageError:
    """The error for an option that is given and does nothing."""
    return UsageError(
        f"The {option!r} parameter of {verb} does nothing here.",
        code="parameter-unused",
        option=option,
        hint=f"It belongs to {belongs_to}; {because or 'leave it out.'}",
    )


def _parameters(options: Mapping[str, Option]) -> str:
    lines = ["Parameters", "----------"]
    for option in options.values():
        lines += [option.name, f"    {option.says.help}"]
    return "\n".join(lines)
