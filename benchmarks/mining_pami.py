"""Frequent itemsets by PAMI, run in an environment of its own.

    python mining_pami.py TRANSACTIONS.dat LEAST_SUPPORT

Prints the CPU seconds of mining alone and the number of sets, as JSON. PAMI reads the file itself before
it mines; that part is taken out of the time.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from time import process_time

from PAMI.frequentPattern.basic.ECLATbitset import ECLATbitset


def main() -> None:
    file, least = sys.argv[1:]
    miner = ECLATbitset(iFile=file, minSup=int(least), sep=" ")
    with contextlib.redirect_stdout(io.StringIO()):
        miner._creatingItemSets()
        reading = -process_time()
        miner._creatingItemSets()
        reading += process_time()
        started = process_time()
        miner.mine(memorySaver=False)  # its faster way
        spent = process_time() - started
    print(json.dumps({"seconds": spent - reading, "sets": len(miner.getPatterns())}))


if __name__ == "__main__":
    main()
