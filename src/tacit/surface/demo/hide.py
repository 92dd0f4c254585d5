"""Hide: publish the baskets without a pattern that the shop wants to keep to itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tacit.errors import InfeasibleError
from tacit.io.readers import read_transactions
from tacit.methods.hide.verb import hide
from tacit.mining.mine import mine_transactions
from tacit.release.verification import verify
from tacit.showing.text import as_text

MIN_SUPPORT = 0.01
SECRET = ("cotton-wool", "folic-acid-tablets", "unscented-lotion")


def chapter(folder: Path, say: Callable[[str], None]) -> None:
    """Hide three products that tell who is expecting, verify the release, and look for them in it."""
    baskets = read_transactions(folder / "baskets.dat")
    (folder / "secret.txt").write_text(", ".join(SECRET) + "\n", encoding="utf-8")
    say(f"The shop has learned who is expecting: they buy {', '.join(SECRET)}. This stays with the shop.\n")

    target = folder / "release-hidden"
    say(f"$ tacit hide baskets.dat --patterns secret.txt --min-support {MIN_SUPPORT} -o {target.name}\n")
    release = hide(baskets, patterns=folder / "secret.txt", min_support=MIN_SUPPORT)
    say(as_text(release))
    try:
        release.save(target, overwrite=True)
    except InfeasibleError as refused:
        say(f"\nThe ledger remembers what was published before. {refused.message}")
        say(f"\n$ tacit hide … -o {target.name} --acknowledge-composition\n")
        release.save(target, overwrite=True, acknowledge_composition=True)
        say("The manifest now says so.")
    say(f"\n$ tacit verify {target.name} --original baskets.dat\n")
    say(str(verify(target, original=folder / "baskets.dat")))

    left = mine_transactions(release.published, min_support=MIN_SUPPORT, min_length=2)
    found = any(set(SECRET) <= set(itemset.items) for itemset in left)
    answer = "it is there" if found else "the secret is not among them"
    say(f"\n{len(left):,} patterns can be mined from what was published; {answer}.")
