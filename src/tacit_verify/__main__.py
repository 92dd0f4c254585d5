"""The command: ``python -m tacit_verify DIR [--original FILE] [--json]``.

Where the package is not installed, name its folder: ``python -I path/to/tacit_verify DIR``. Exit codes:
0 every check passed, 7 a check failed, 3 there is nothing to check, 2 the command is wrong.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

if not __package__:  # run by the name of its folder, which is then first on the path: look beside it
    sys.path[0] = str(Path(__file__).absolute().parent.parent)

from tacit_verify.release import CannotVerify
from tacit_verify.verifying import verify


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one release, print what was found, and give the exit code."""
    parser = argparse.ArgumentParser("tacit_verify", description="Check a release against its promise.")
    parser.add_argument("folder", type=Path, help="the release")
    parser.add_argument("--original", type=Path, help="the data the release was made from, as plain text")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    try:
        checks = verify(given.folder, given.original)
    except CannotVerify as error:
        wrong = {"code": error.code, "message": str(error), "where": None, "hint": None}
        print(json.dumps({"error": wrong}) if given.json else error, file=None if given.json else sys.stderr)
        return 3
    ok = all(check.ok for check in checks)
    if given.json:
        print(json.dumps({"ok": ok, "checks": [asdict(check) for check in checks]}, indent=2))
    else:
        lines = (f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {check.detail}" for check in checks)
        print(*lines, "The release keeps its promise." if ok else "The release is refused.", sep="\n")
    return 0 if ok else 7


if __name__ == "__main__":
    sys.exit(main())
