"""Checking a table as it stands, beside pycanon: k-anonymity, distinct ℓ-diversity and t-closeness.

Run it with ``python benchmarks/checking.py [--quick]``. Tacit's ``profile`` works out all three and more in
one call, on a table that has been read; pycanon works out each in a call of its own, on a pandas frame that
has been read, in an environment of its own (see ``table.py``). Reading is part of neither.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from table import Row, ask_peer, best, peak_mb, record, record_slope

os.environ.setdefault("TACIT_DATA", str(Path(__file__).resolve().parents[2] / "shared" / "data"))

from tacit.errors import InputError
from tacit.io.readers import read_table
from tacit.io.samples.public import ADULT_QUASI, ADULT_SENSITIVE, adult
from tacit.judging.profile import profile_table

FEW = ("age", "sex", "race")
"""Attributes that leave classes of many rows: with all seven, nearly everybody is alone and ℓ is 1."""


def main() -> None:
    """Print seconds of both, and what they find."""
    try:
        frame = adult().to_polars().select(ADULT_QUASI + ADULT_SENSITIVE)
    except InputError as error:
        print(f"Adult is left out: {error}")
        return
    for quasi in (FEW, ADULT_QUASI):
        sizes, seconds = [], []
        for part in (4, 2, 1):
            rows = frame.sample(frame.height // part, seed=1)
            if "--quick" not in sys.argv or part == 1:
                sizes.append(rows.height)
                with tempfile.TemporaryDirectory() as folder:
                    file = Path(folder) / "rows.csv"
                    rows.write_csv(file)
                    seconds.append(show(file, rows.height, quasi))
        if len(sizes) > 1:
            record_slope("checking", f"k, ℓ and t on {len(quasi)} attributes", sizes, seconds, 1.1)


def show(file: Path, rows: int, quasi: tuple[str, ...]) -> float:
    """Measure, print and record one table; the CPU seconds of ours."""
    table = read_table(file, quasi=quasi, sensitive=ADULT_SENSITIVE)
    taken, found = best(lambda: profile_table(table)), profile_table(table)
    assert found.t is not None
    answer = ask_peer("checking_pycanon.py", str(file), ",".join(quasi), ADULT_SENSITIVE[0])
    beside = f"ours k={found.k}, ℓ={found.l}, t={found.t:.3f}"
    if isinstance(answer, str):
        print(f"{rows:>8,} rows, {len(quasi)} attributes: {taken.cpu:.4f} s; pycanon {answer}")
    else:
        beside += f"; pycanon k={answer['k']:.0f}, ℓ={answer['l']:.0f}, t={answer['t']:.3f}"
        spent = sum(answer[f"{name} seconds"] for name in "klt")
        print(f"{rows:>8,} rows, {len(quasi)} attributes: {taken.cpu:.4f} s; pycanon {spent:.2f} s; {beside}")
    record(
        Row(
            area="checking",
            what=f"k, distinct ℓ and t of Adult on {len(quasi)} attributes",
            size=f"{rows:,} rows",
            cpu=taken.cpu,
            wall=taken.wall,
            peak_mb=peak_mb(),
            peer="pycanon" if not isinstance(answer, str) else f"pycanon ({answer})",
            peer_cpu=None if isinstance(answer, str) else spent,
            quality=beside,
        )
    )
    return taken.cpu


if __name__ == "__main__":
    main()
