"""k, distinct ℓ and t of a table by pycanon, run in an environment of its own.

    python checking_pycanon.py TABLE.csv QUASI SENSITIVE

QUASI is comma-separated. Prints, as JSON, the CPU seconds of each call and what it found.
"""

from __future__ import annotations

import json
import sys
from time import process_time

import pandas as pd
from pycanon import anonymity


def main() -> None:
    file, quasi, sensitive = sys.argv[1:]
    rows = pd.read_csv(file, dtype=str)
    names = quasi.split(",")
    found: dict[str, float] = {}
    calls = {
        "k": lambda: anonymity.k_anonymity(rows, names),
        "l": lambda: anonymity.l_diversity(rows, names, [sensitive]),
        "t": lambda: anonymity.t_closeness(rows, names, [sensitive]),
    }
    for name, call in calls.items():
        started = process_time()
        found[name] = float(call())
        found[f"{name} seconds"] = process_time() - started
    print(json.dumps(found))


if __name__ == "__main__":
    main()
