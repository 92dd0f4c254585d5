"""The command line. ``tacit`` finds the command asked for, runs it, shows its result or its error.

A command is a function that returns a result object; here is the one place where results and
errors become text or JSON and exit codes. Commands are named by import path, so that
``tacit --help`` loads none of them.
"""

from __future__ import annotations

import gc
import json
import sys
import traceback
from collections.abc import Sequence

from cyclopts import (
    App,
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from tacit import __version__
from tacit.errors import Cancelled, TacitError, UsageError, nearest, shorten, unforeseen
from tacit.methods import COMMANDS

app = App(
    name="tacit",
    help="Find what a data release gives away, and make releases that do not.",
    version=__version__,
    result_action="return_value",
    print_error=False,
    exit_on_error=False,
    help_on_error=False,
    suppress_keyboard_interrupt=False,
    help_format="plaintext",
)
GROUPS = {
    "hierarchy": "Build, check and show generalization hierarchies.",
    "mine": "Mine itemsets, rules and negative rules.",
    "key": "The secret key that drives every random choice.",
    "ledger": "The private record of what was released from which records.",
    "series": "Releases of the same people, one after another.",
    "completion": "Commands and flags completed by the shell.",
}
CALLED = {
    "demo": ("starting:demo", "Run every part of Tacit on built-in data."),
    "profile": ("measuring:profile", "What is in a data set, what is at risk, which method fits."),
    **{name: (f"verbs:{name}", f"Publish {says}") for name, says in COMMANDS.items()},
    "disclose": ("measuring:disclose", "What publishing association rules would give away."),
    "init": ("documents:init", "Write a commented recipe for a data set."),
    "run": ("documents:run", "Make and publish every release that a recipe describes."),
    "verify": ("records:verify", "Check a release with the independent verifier."),
    "risk": ("measuring:risk", "What a table or a release gives away, in figures."),
    "export": ("documents:export", "Write a release in another format, beside it."),
    "sign": ("records:sign", "Sign a release; make a pair of signing keys."),
    "report": ("documents:report", "Write a release's report: one HTML file, with a page to sign."),
    "serve": ("starting:serve", "Open the page: the whole job in a browser, on this computer."),
    "compare": ("documents:compare", "Several releases of one source side by side."),
    "sweep": ("measuring:sweep", "Try a range of settings: utility against risk."),
    "sample": ("starting:sample", "Write a built-in data set to a file."),
    "hierarchy build": ("hierarchy:build", "Build a hierarchy from the values of a column."),
    "hierarchy check": ("hierarchy:check", "Check a hierarchy file, alone or against data."),
    "hierarchy show": ("hierarchy:show", "Print a hierarchy as a tree."),
    "mine itemsets": ("measuring:itemsets", "Sets of items that enough records hold."),
    "mine rules": ("measuring:rules", "Association rules that reach a support and a confidence."),
    "mine negative": ("measuring:negative", "What people who share some quasi-identifiers never have."),
    "key new": ("records:key_new", "Make a new key."),
    "key show-id": ("records:key_id", "Show a key's public identifier, never the key."),
    "ledger list": ("records:ledger_list", "List the releases on record."),
    "ledger show": ("records:ledger_show", "Show what is on record of one release."),
    "ledger forget": ("records:ledger_forget", "Take a release that was never given out off the record."),
    "series show": ("records:series_show", "Show who came, stayed and left, and what readers are left with."),
    "series verify": ("records:series_verify", "Check the promise over a whole chain of releases."),
    "series forget": ("records:series_forget", "Take a person off the private records of a series."),
    "completion install": ("starting:install", "Have the shell complete commands and flags."),
}
"""Every command: where its function is, and what it does."""
_groups = {name: App(name=name, help=says) for name, says in GROUPS.items()}
for _words, (_place, _says) in CALLED.items():
    _group, _, _name = _words.rpartition(" ")
    _groups.get(_group, app).command(f"tacit.surface.cli.{_place}", name=_name, help=_says)
for _made in _groups.values():
    app.command(_made)


def entry() -> None:
    """Run the command that the process was started for."""
    gc.set_threshold(
        100_000
    )  # what a command loads stays: to look for circles in it takes as long as to read
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code tells the class of what happened."""
    tokens = list(arguments)
    try:
        result = app(tokens)
        if result is not None:
            from tacit.showing.layout import as_text, to_plain

            if "--json" in tokens:
                print(json.dumps(to_plain(result), ensure_ascii=False, indent=2))
            else:
                print(as_text(result))
            return int(getattr(result, "exit_code", 0))  # a refused release is a result, with exit code 7
    except TacitError as error:
        return _fail(error, tokens)
    except CycloptsError as error:
        return _fail(usage_error(error), tokens)
    except KeyboardInterrupt:
        return _fail(Cancelled(), tokens)
    except BrokenPipeError:  # the reader of our output has gone, as in `tacit ... | head`
        sys.stderr.close()
        return 0
    except Exception as error:
        way = "Give it less data: fewer rows, or columns with fewer different values."
        see = "Run it again with --debug to see where, and please report it."
        return _fail(unforeseen(error, less=way, see=see), tokens)
    return 0


def _fail(error: TacitError, tokens: Sequence[str]) -> int:
    """Print an error, in the form asked for, and give its exit code."""
    if "--debug" in tokens:
        traceback.print_exc()
    if "--json" in tokens:
        print(json.dumps(error.to_dict(), ensure_ascii=False, indent=2))
    else:
        place = f"{error.where}: " if error.where is not None and str(error.where) else ""
        print(f"tacit: {place}{error.message}", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
    return error.exit_code


def usage_error(error: CycloptsError) -> UsageError:
    """What the parser found wrong; an unknown option comes first, for what is missing may follow from it."""
    chain = " ".join(error.command_chain or ())
    see = f"See 'tacit {chain} --help'." if chain else "See 'tacit --help', or 'tacit COMMAND --help'."
    if isinstance(error, UnknownCommandError):
        return _no_command(next(iter(error.unused_tokens or ()), ""), chain, see)
    known = []
    if error.app is not None and error.app.default_command is not None:
        known = [name for one in error.app.assemble_argument_collection() for name in one.names]
    unknown = _unknown_option(error, known)
    if unknown is None:
        why = _missing(error, chain) or _too_many(error, chain) or " ".join(str(error).split())
        return UsageError(why, code="usage", hint=see)
    near = _meant(unknown.lstrip("-"), [name.lstrip("-") for name in known if name.startswith("--")])
    said = [f"Did you mean --{near}?"] if near else []
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        needed = error.argument.name
        said += [f"The option {needed} is needed."] if needed.lstrip("-") != near else []
    return UsageError(f"There is no option {shorten(unknown)}.", code="usage", hint=" ".join([*said, see]))


def _no_command(typed: str, group: str, see: str) -> UsageError:
    """The error for a command that there is not; the parser's own loads every command to name some."""
    words = [*CALLED, *GROUPS]
    known = [name for before, _, name in (one.rpartition(" ") for one in words) if before == group]
    near = nearest(typed, known)
    said = [f"Did you mean '{' '.join(['tacit', *filter(None, [group]), near])}'?"] if near else []
    return UsageError(f"There is no command {shorten(typed)!r}.", code="usage", hint=" ".join([*said, see]))


def _too_many(error: CycloptsError, chain: str) -> str | None:
    """The sentence about words that no argument takes; None where there are none."""
    if not isinstance(error, UnusedCliTokensError) or not error.unused_tokens:
        return None
    return f"'tacit {chain}' has no argument for {shorten(' '.join(error.unused_tokens))!r}."


def _missing(error: CycloptsError, chain: str) -> str | None:
    """The sentence about an argument that was not given, or an option without its value; None otherwise."""
    if not isinstance(error, MissingArgumentError) or error.argument is None:
        return None
    if error.keyword is not None:  # named where it was typed, and not where it is missing altogether
        return f"The option {error.keyword} needs a value."
    named, about = error.argument.name, error.argument.parameter.help or ""
    needed = f"the option {named}" if named.startswith("-") else named
    return f"'tacit {chain}' needs {needed}{f': {about}' if about else '.'}"


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


def _unknown_option(error: CycloptsError, known: Sequence[str]) -> str | None:
    """The option that the command does not have, as typed but for its value."""
    if isinstance(error, UnknownOptionError):
        return (error.token.keyword or error.token.value).partition("=")[0]
    if not isinstance(error, MissingArgumentError):
        return None
    typed = (word.partition("=")[0] for word in error.unused_tokens or () if word.startswith("-"))
    return next((word for word in typed if word.strip("-") and word not in known), None)
