"""Generalize: publish the baskets so that two known products give nobody away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tacit.io.readers import read_transactions
from tacit.methods.generalize_sets.verb import generalize
from tacit.release.verification import verify
from tacit.showing.text import as_text


def chapter(folder: Path, say: Callable[[str], None]) -> None:
    """Make a 5²-anonymous release of the baskets, verify it, and show what it keeps and risks."""
    baskets = read_transactions(folder / "baskets.dat", hierarchy=folder / "products.csv")
    target = folder / "release-baskets"
    say(f"$ tacit generalize baskets.dat --hierarchy products.csv -k 5 -m 2 -o {target.name}\n")
    release = generalize(baskets, k=5, m=2)
    say(as_text(release))
    release.save(target, overwrite=True)
    say(f"\n$ tacit verify {target.name}\n")
    say(str(verify(target)))
