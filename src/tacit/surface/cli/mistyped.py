"""Mistakes in the command line, in our words: an option that there is not, an option that is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cyclopts import App, ArgumentCollection, CycloptsError, MissingArgumentError, Token, UnknownOptionError

from tacit.errors import UsageError, nearest, shorten


def usage_error(error: CycloptsError) -> UsageError:
    """What the parser found wrong; an unknown option comes first, for what is missing may follow from it."""
    chain = " ".join(error.command_chain or ())
    see = f"See 'tacit {chain} --help'." if chain else "See 'tacit --help', or 'tacit COMMAND --help'."
    known = _options(error.app)
    unknown = _unknown_option(error, known)
    if unknown is None:
        return UsageError(" ".join(str(error).split()), code="usage", hint=see)
    near = _meant(unknown.lstrip("-"), [name.lstrip("-") for name in known if name.startswith("--")])
    said = [f"Did you mean --{near}?"] if near else []
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        needed = error.argument.name
        said += [f"The option {needed} is needed."] if needed.lstrip("-") != near else []
    return UsageError(f"There is no option {shorten(unknown)}.", code="usage", hint=" ".join([*said, see]))


ELSEWHERE = {
    "sep": "delimiter", "separator": "delimiter", "delim": "delimiter", "field-separator": "delimiter",
    "quotechar": "quote", "skiprows": "skip-rows", "skip": "skip-rows", "skipfooter": "skip-last",
    "na-values": "null-values", "na": "null-values", "missing": "null-values", "nrows": "rows",
    "sheet-name": "sheet", "charset": "encoding", "dayfirst": "dates", "day-first": "dates", "out": "output",
    "k-anonymity": "k", "kanonymity": "k", "l-diversity": "l", "ldiversity": "l", "t-closeness": "t",
    "tcloseness": "t", "km": "m", "quasi-identifiers": "quasi", "qi": "quasi", "qid": "quasi", "qis": "quasi",
    "sensitive-attribute": "sensitive", "sensitive-attributes": "sensitive", "sa": "sensitive",
    "identifying": "drop", "identifiers": "drop", "insensitive": "keep", "hierarchy-dir": "hierarchies",
    "minsup": "min-support", "min-sup": "min-support", "support": "min-support", "minconf": "min-confidence",
    "confidence": "min-confidence", "force": "overwrite", "suppression-limit": "suppress",
}  # fmt: skip
"""What other tools (pandas, ARX, Amnesia, SPMF) call an option, and what it is called here."""


def _meant(typed: str, known: Sequence[str]) -> str | None:
    """The option that was meant: by its name in other tools, or by its spelling."""
    elsewhere = ELSEWHERE.get(typed.replace("_", "-").casefold())
    return elsewhere if elsewhere in known else nearest(typed, known)


def refuse_option(type_: Any, tokens: Sequence[Token]) -> str:
    """What is read is a path, an address or ``-``, and never an option that the parser does not know."""
    if tokens[0].value.startswith("--"):
        nothing = ArgumentCollection()  # type: ignore[no-untyped-call]
        raise UnknownOptionError(token=tokens[0], argument_collection=nothing)
    return tokens[0].value


def _unknown_option(error: CycloptsError, known: Sequence[str]) -> str | None:
    """The option that the command does not have, as typed but for its value."""
    if isinstance(error, UnknownOptionError):
        return (error.token.keyword or error.token.value).partition("=")[0]
    if not isinstance(error, MissingArgumentError):
        return None
    typed = (word.partition("=")[0] for word in error.unused_tokens or () if word.startswith("-"))
    return next((word for word in typed if word.strip("-") and word not in known), None)


def _options(app: App | None) -> list[str]:
    """The options of a command, with their hyphens."""
    if app is None or app.default_command is None:
        return []
    return [name for argument in app.assemble_argument_collection() for name in argument.names]
