"""The command: ``python -m tacit_verify DIR [--original FILE] [--after DIR] [--json]``.

Where the package is not installed, name its folder: ``python -I path/to/tacit_verify DIR``. Exit codes:
0 the promise is kept, 7 it is broken, 8 part of it was not checked, 3 there is nothing to check, 2 the
command is wrong.
"""

import argparse
import gc
import json
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run by the name of its folder, which is then first on the path: look beside it
    sys.path[0] = str(Path(__file__).absolute().parent.parent)

from tacit_verify.release import BROKEN, KEPT, NOT_CHECKED, CannotVerify, verdict_of
from tacit_verify.verifying import verify

# What each verdict means for the release, and the exit code.
VERDICTS = {
    KEPT: ("The release keeps its promise.", 0),
    BROKEN: ("The release is refused.", 7),
    NOT_CHECKED: ("Nothing speaks against the release, but part of its promise was not checked.", 8),
}
MARKS = {KEPT: "ok  ", BROKEN: "FAIL", NOT_CHECKED: "?   "}


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one release, print what was found, and give the exit code."""
    parser = argparse.ArgumentParser("tacit_verify", description="Check a release against its promise.")
    parser.add_argument("folder", type=Path, help="the release")
    parser.add_argument("--original", type=Path, help="the data the release was made from, as plain text")
    before = "a release of its series before it, the last first"
    parser.add_argument("--after", type=Path, action="append", default=[], help=before)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    try:
        checks = verify(given.folder, given.original, given.after)
    except CannotVerify as error:
        wrong = {"code": error.code, "message": str(error), "where": None, "hint": None}
        print(json.dumps({"error": wrong}) if given.json else error, file=None if given.json else sys.stderr)
        return 3
    verdict = verdict_of(checks)
    if given.json:
        listed = [{"name": one.name, "verdict": one.verdict, "detail": one.detail} for one in checks]
        print(json.dumps({"verdict": verdict, "checks": listed}, indent=2))
    else:
        print(*(f"{MARKS[one.verdict]}  {one.name}: {one.detail}" for one in checks), sep="\n")
        print(VERDICTS[verdict][0])
    return VERDICTS[verdict][1]


if __name__ == "__main__":
    gc.disable()  # nothing here is held in circles, and to look for them takes time
    sys.exit(main())
