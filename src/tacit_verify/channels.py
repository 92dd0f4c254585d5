"""Small groups that follow from published counts by addition and subtraction.

A box is a set of items and, for some other columns, a set of values that its people do not have. Its count
follows where the counts of the items, alone and with an excluded value of any of these columns, are known.
"""

from collections.abc import Iterator
from itertools import combinations

from tacit_verify.posterior import Items

MOST = 60_000_000  # more sums are not tried; a release needs a third of them at most
NOTHING: Items = frozenset()


def small_groups(published: dict[Items, int], whole: dict[str, set[str]], k: int) -> int | None:
    """How many boxes hold 1 to k - 1 people and exclude as many values as they can; None for too many boxes.

    In the columns that are known as a whole the counts of the values add up to that of all.
    """
    try:
        return _counted(dict(published), whole, k)
    except OverflowError:  # more sums than are tried
        return None


def _spend(left: list[int], sums: int) -> None:
    left[0] -= sums
    if left[0] < 0:
        raise OverflowError


def _counted(known: dict[Items, int], whole: dict[str, set[str]], k: int) -> int:
    waiting, left = list(known), [MOST]
    while waiting:
        items = waiting.pop()
        _spend(left, 3 ** len(items))
        for column, labels in whole.items():
            rest = frozenset(item for item in items if item[0] != column)
            parts = [rest | {(column, label)} for label in labels]
            missing = [one for one in (rest, *parts) if one not in known]
            if len(missing) == 1:
                total = sum(known.get(part, 0) for part in parts)
                known[missing[0]] = total if missing == [rest] else known[rest] - total
                waiting += missing
    extended: dict[Items, dict[Items, int]] = {items: {} for items in known}
    for items, count in known.items():
        for part in subsets(items, len(items)):
            if part in known:
                extended[part][items - part] = count
    columns, found = sorted({column for items in known for column, _ in items}), 0
    for counts in extended.values():
        boxes = list(_boxes(counts, columns, NOTHING, left))
        for excluded in (excluded for excluded, people in boxes if 0 < people < k):
            larger = (box for box, _ in boxes if excluded < box)
            found += all(dict(box).keys() != dict(excluded).keys() for box in larger)
    return found


def _boxes(
    counts: dict[Items, int], columns: list[str], excluded: Items, left: list[int]
) -> Iterator[tuple[Items, int]]:
    """What boxes exclude and how many people they hold, from counts by what is added to their items."""
    yield excluded, counts[NOTHING]
    for at, column in enumerate(columns):
        beside: dict[Items, Items] = {}  # which items of the column are counted beside others
        for items in counts:
            for own in (frozenset([item]) for item in items if item[0] == column):
                beside[items - own] = beside.get(items - own, NOTHING) | own
        meets: set[Items] = set()
        for some in {some & beside.get(NOTHING, NOTHING) for some in beside.values()}:
            _spend(left, len(meets))
            meets |= {some} | {some & other for other in meets}
        for chosen in meets - {NOTHING}:
            _spend(left, len(beside))
            fewer = {
                items: counts[items] - sum(counts[items | {item}] for item in chosen)
                for items, some in beside.items()
                if items in counts and chosen <= some
            }
            yield from _boxes(fewer, columns[at + 1 :], excluded | chosen, left)


def subsets(items: Items, longest: int) -> Iterator[Items]:
    """The sets of up to so many of these items."""
    return (frozenset(part) for n in range(longest + 1) for part in combinations(items, n))
