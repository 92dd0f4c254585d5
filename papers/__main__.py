"""``python -m papers``: the figures of the papers as data (CSV), pictures (SVG) and one page (HTML).

The papers' own data are used where they are at hand, samples made up here otherwise; the page says which.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from papers.run import ALL, PAPERS, reproduce
from papers.writing import check_output, write
from tacit.errors import TacitError


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the figures that are asked for; the exit code is that of the error, where there is one."""
    parser = argparse.ArgumentParser(prog="python -m papers", description=__doc__)
    parser.add_argument("paper", nargs="?", choices=(*PAPERS, ALL), default=ALL, help="one paper, or all")
    parser.add_argument("--quick", action="store_true", help="fewer points and smaller data")
    parser.add_argument("--data", type=Path, help="folder of the public data sets (else TACIT_DATA)")
    parser.add_argument("-o", "--output", type=Path, default=Path("out/papers"), help="folder for the files")
    given = parser.parse_args(arguments)
    try:
        check_output(given.output, page=given.paper)
        names = tuple(PAPERS) if given.paper == ALL else (given.paper,)
        found = reproduce(names, data=given.data, quick=given.quick, tell=_tell)
        print(write(found, given.output, page=given.paper))
    except TacitError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def _tell(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
