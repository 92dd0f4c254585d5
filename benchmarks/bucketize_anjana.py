"""Full-domain generalization by anjana, run in an environment of its own: k-anonymous and ℓ-diverse.

    python bucketize_anjana.py TABLE.csv HIERARCHIES QUASI SENSITIVE K L SUPPRESSED OUT.csv

QUASI is comma-separated, HIERARCHIES a folder of ARX files named after the attributes, SUPPRESSED the
percentage of rows that may be left out. Prints the CPU seconds of the call, as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time

import pandas as pd
from anjana.anonymity import l_diversity


def main() -> None:
    table, folder, quasi, sensitive, k, l, suppressed, out = sys.argv[1:]
    names = quasi.split(",")
    rows = pd.read_csv(table, dtype=str)
    hierarchies = {}
    for name in names:
        levels = pd.read_csv(Path(folder) / f"{name}.csv", sep=";", header=None, dtype=str)
        levels = levels[levels[0].isin(rows[name])]
        hierarchies[name] = {level: levels[level].to_numpy() for level in levels.columns}
    started = process_time()
    released = l_diversity(rows, [], names, sensitive, int(k), int(l), float(suppressed), hierarchies)
    print(json.dumps({"seconds": process_time() - started}))
    released.to_csv(out, index=False)


if __name__ == "__main__":
    main()
