"""The ``tacit`` command: finds the command asked for, runs it, shows its result or its error.

A command is a function that returns a result object; here is the one place where results and
errors become text or JSON and exit codes. Commands are named by import path, so that
``tacit --help`` loads none of them.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from cyclopts import App, CycloptsError

from tacit import __version__
from tacit.errors import Cancelled, TacitError
from tacit.methods import COMMANDS
from tacit.surface.cli.common import Shown
from tacit.surface.cli.mistyped import usage_error

_HERE = "tacit.surface.cli."

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
app.command(_HERE + "demo:demo", help="Run every part of Tacit on built-in data.")
app.command(_HERE + "profile:profile", help="What is in a data set, what is at risk, which method fits.")
for command, says in COMMANDS.items():
    app.command(_HERE + f"verbs:{command}", help=f"Publish {says}")
app.command(_HERE + "disclose:disclose", help="What publishing association rules would give away.")
app.command(_HERE + "init:init", help="Write a commented recipe for a data set.")
app.command(_HERE + "run:run", help="Make and publish every release that a recipe describes.")
app.command(_HERE + "verify:verify", help="Check a release with the independent verifier.")
app.command(_HERE + "risk:risk", help="What a table or a release gives away, in figures.")
app.command(_HERE + "export:export", help="Write a release in another format, beside it.")
app.command(_HERE + "sign:sign", help="Sign a release; make a pair of signing keys.")
app.command(_HERE + "report:report", help="Write a release's report: one HTML file, with a page to sign.")
app.command(_HERE + "serve:serve", help="Open the page: the whole job in a browser, on this computer.")
app.command(_HERE + "compare:compare", help="Several releases of one source side by side.")
app.command(_HERE + "sweep:sweep", help="Try a range of settings: utility against risk.")
app.command(_HERE + "sample:sample", help="Write a built-in data set to a file.")

hierarchy = App(name="hierarchy", help="Build, check and show generalization hierarchies.")
hierarchy.command(_HERE + "hierarchy:build", help="Build a hierarchy from the values of a column.")
hierarchy.command(_HERE + "hierarchy:check", help="Check a hierarchy file, alone or against data.")
hierarchy.command(_HERE + "hierarchy:show", help="Print a hierarchy as a tree.")
app.command(hierarchy)

mine = App(name="mine", help="Mine itemsets, rules and negative rules.")
mine.command(_HERE + "mine:itemsets", help="Sets of items that enough records hold.")
mine.command(_HERE + "mine:rules", help="Association rules that reach a support and a confidence.")
mine.command(_HERE + "mine:negative", help="What people who share some quasi-identifiers never have.")
app.command(mine)

key = App(name="key", help="The secret key that drives every random choice.")
key.command(_HERE + "key:new", help="Make a new key.")
key.command(_HERE + "key:show_id", help="Show a key's public identifier, never the key.")
app.command(key)

ledger = App(name="ledger", help="The private record of what was released from which records.")
ledger.command(_HERE + "ledger:list_releases", name="list", help="List the releases on record.")
ledger.command(_HERE + "ledger:show", help="Show what is on record of one release.")
ledger.command(_HERE + "ledger:forget", help="Take a release that was never given out off the record.")
app.command(ledger)

series = App(name="series", help="Releases of the same people, one after another.")
series.command(_HERE + "series:show", help="Show who came, stayed and left, and what readers are left with.")
series.command(_HERE + "series:verify", help="Check the promise over a whole chain of releases.")
series.command(_HERE + "series:forget", help="Take a person off the private records of a series.")
app.command(series)

completion = App(name="completion", help="Commands and flags completed by the shell.")
completion.command(_HERE + "completion:install", help="Have the shell complete commands and flags.")
app.command(completion)


def entry() -> None:
    """The console script."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code tells the class of what happened."""
    tokens = list(arguments)
    shown = Shown(json="--json" in tokens, quiet="--quiet" in tokens, debug="--debug" in tokens)
    try:
        result = app(tokens)
        if result is not None:
            _show(result, shown)
            return int(getattr(result, "exit_code", 0))  # a refused release is a result, with exit code 7
    except TacitError as error:
        return _fail(error, shown)
    except CycloptsError as error:
        return _fail(usage_error(error), shown)
    except KeyboardInterrupt:
        return _fail(Cancelled(), shown)
    except BrokenPipeError:  # the reader of our output has gone, as in `tacit ... | head`
        sys.stderr.close()
        return 0
    except MemoryError:
        return _fail(_out_of_memory(), shown)
    except Exception as error:
        return _fail(_defect(error), shown)
    return 0


def _show(result: Any, shown: Shown) -> None:
    """Print a result: one JSON object, or text."""
    if shown.json:
        from tacit.showing.text import to_plain

        print(json.dumps(to_plain(result), ensure_ascii=False, indent=2))
        return
    from tacit.showing.text import as_text

    print(as_text(result))


def _fail(error: TacitError, shown: Shown) -> int:
    """Print an error, in the form asked for, and give its exit code."""
    if shown.debug:
        traceback.print_exc()
    if shown.json:
        print(json.dumps(error.to_dict(), ensure_ascii=False, indent=2))
    else:
        place = f"{error.where}: " if error.where is not None and str(error.where) else ""
        print(f"tacit: {place}{error.message}", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
    return error.exit_code


def _out_of_memory() -> TacitError:
    from tacit.errors import ResourceError

    return ResourceError(
        "The machine has too little memory for this run.",
        code="out-of-memory",
        hint="Give it less data: fewer rows, or columns with fewer different values.",
    )


def _defect(error: Exception) -> TacitError:
    """An error that nobody foresaw: ours. Its text may hold data, so only its kind is shown."""
    return TacitError(
        f"Something went wrong inside Tacit ({type(error).__name__}).",
        code="defect",
        hint="Run it again with --debug to see where, and please report it.",
    )
