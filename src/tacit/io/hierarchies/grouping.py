"""Hierarchies over values of any kind: balanced groups of neighbours, common prefixes, or one level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacit.data.hierarchy import Hierarchy
from tacit.data.transactions import sorted_names
from tacit.errors import ParameterError
from tacit.io.hierarchies.naming import Namer, assembled, distinct_texts
from tacit.ranges import Whole, check


def build_balanced(values: Iterable[object], *, fanout: int, name: str | None = None) -> Hierarchy:
    """Sorted values in groups of ``fanout``, those groups in groups of ``fanout``, up to the root.

    Values are sorted by size where all are whole numbers, else by text. Value ``i`` is in group
    ``i // fanout`` of the first level, ``i // fanout**2`` of the second, and so on; a group is named
    by its first and last value.

    >>> tree = build_balanced(["1", "2", "10", "11", "20"], fanout=2)
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["10"])]
    ['10..11', '1..11', '*']
    """
    check("build_balanced", {"fanout": Whole(2)}, fanout=fanout)
    texts, null = distinct_texts(values)
    texts = sorted_names(texts)
    namer = Namer(texts)
    parents: dict[str, str] = {}
    members, size = texts, 1
    while len(members) > fanout:
        size *= fanout
        groups: list[str] = []
        for position, member in enumerate(members):
            number = position // fanout
            if number == len(groups):
                first, last = texts[number * size], texts[min((number + 1) * size, len(texts)) - 1]
                groups.append(namer.label((size, number), f"{first}..{last}", "^"))
            parents[member] = groups[number]
        members = groups
    parents.update(dict.fromkeys(members, namer.root()))
    return assembled(parents, namer, null=null, name=name)


def build_prefixes(
    values: Iterable[object], *, lengths: Sequence[int] | None = None, name: str | None = None
) -> Hierarchy:
    """Codes under their prefixes: postal codes, ICD codes.

    ``lengths`` are the lengths of the prefixes; by default every length, but for prefixes that end
    in a sign of punctuation. A group is written with one star for each character left open
    (``130**``), or with a single star where codes have different lengths (``A01*``).

    >>> tree = build_prefixes(["13053", "13068", "14850"], lengths=[3, 1])
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["13053"])]
    ['130**', '1****', '*']
    """
    for length in lengths or ():
        if not Whole(1).holds(length):
            raise ParameterError(
                "lengths", "build_prefixes", "None or a list of ints in the range [1, inf)", lengths
            )
    texts, null = distinct_texts(values)
    longest = max(map(len, texts), default=0)
    even = all(len(text) == longest for text in texts)
    wanted = sorted(set(range(1, longest) if lengths is None else lengths), reverse=True)
    namer = Namer(texts)
    parents: dict[str, str] = {}
    for value in sorted(texts):
        child = value
        for length in wanted:
            prefix = value[:length]
            # A code that is no longer than the prefix stands beside the longer ones of its group.
            if len(value) < length or (even and length >= longest):
                continue
            if lengths is None and not prefix[-1].isalnum():
                continue
            parent = namer.label(prefix, prefix + "*" * (longest - length if even else 1), " (group)")
            parents[child] = parent
            child = parent
        parents[child] = namer.root()
    return assembled(parents, namer, null=null, name=name)


def build_flat(values: Iterable[object], *, name: str | None = None) -> Hierarchy:
    """Every value directly under the root.

    >>> build_flat(["b", "a"]).labels
    ('a', 'b', '*')
    """
    texts, null = distinct_texts(values)
    texts = sorted_names(texts)
    namer = Namer(texts)
    return assembled(dict.fromkeys(texts, namer.root()), namer, null=null, name=name)
