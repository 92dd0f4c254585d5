"""Random trees, uneven and with any labels."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

LABELS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
PLAIN_LABELS = st.text("abcdefgh0123456789", min_size=1, max_size=4)


@dataclass(frozen=True)
class RandomTree:
    """A tree as a child → parent mapping; ``root`` has no parent and is alone when there are no links."""

    root: str
    parents: dict[str, str]


@st.composite
def trees(draw: st.DrawFn, labels: st.SearchStrategy[str] = LABELS, least: int = 1) -> RandomTree:
    """A tree of up to 25 nodes, its links in random order."""
    names = draw(st.lists(labels, min_size=least, max_size=25, unique=True))
    links = [
        (names[node], names[draw(st.integers(max(0, node - draw(st.integers(1, 8))), node - 1))])
        for node in range(1, len(names))
    ]
    return RandomTree(names[0], dict(draw(st.permutations(links))))
