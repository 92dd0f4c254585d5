"""The command: ``python -m tacit_verify DIR [--original FILE] [--json]``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tacit_verify.release import CannotVerify
from tacit_verify.verifying import verify

PASSED, FAILED, NOTHING_TO_CHECK = 0, 7, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one release, print what was found, and give the exit code."""
    parser = argparse.ArgumentParser(
        prog="tacit_verify", description="Check a release of Tacit against the promise in its manifest."
    )
    parser.add_argument("folder", type=Path, help="the release")
    parser.add_argument("--original", type=Path, help="the data the release was made from")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    try:
        checks = verify(given.folder, given.original)
    except CannotVerify as error:
        if given.json:
            print(
                json.dumps(
                    {"error": {"code": error.code, "message": str(error), "where": None, "hint": None}}
                )
            )
        else:
            print(error, file=sys.stderr)
        return NOTHING_TO_CHECK
    ok = all(check.ok for check in checks)
    if given.json:
        print(json.dumps({"ok": ok, "checks": [asdict(check) for check in checks]}, indent=2))
    else:
        for check in checks:
            print(f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {check.detail}")
        print("The release keeps its promise." if ok else "The release is refused.")
    return PASSED if ok else FAILED


if __name__ == "__main__":
    sys.exit(main())
