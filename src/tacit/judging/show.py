"""A profile as text: what is here, what is at risk, what to run next."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import listed, shorten
from tacit.judging.profile import TableProfile, TransactionsProfile
from tacit.showing.layout import count, facts, grid, heading, joined, prose, share
from tacit.showing.page import Block, Code, DataTable, Facts, Words


def table_profile(profile: TableProfile) -> str:
    """The profile of a table."""
    columns = grid(COLUMNS, _table_columns(profile), right=(1, 2))
    rows = grid(*_preview(profile))
    stands = STANDS + facts(_table_risks(profile))
    return "\n\n".join(
        [
            heading(_table_title(profile)),
            *([rows] if profile.preview else []),
            columns,
            stands,
            *map(prose, _said(profile)),
            _next(profile),
        ]
    )


def table_blocks(profile: TableProfile) -> list[Block]:
    """The profile of a table, for a notebook."""
    return [
        DataTable(*_preview(profile), f"The first {len(profile.preview)} rows"),
        DataTable(COLUMNS, _table_columns(profile), _table_title(profile)),
        Facts(_table_risks(profile), "As it stands"),
        *map(Words, _said(profile)),
        *_next_blocks(profile),
    ]


WIDEST, CELL = 8, 16
"""So many columns of a preview are shown, and so many letters of a cell."""
COLUMNS = ("column", "distinct", "missing", "role", "why")
NAME_IT = "Name it with --sensitive."
LEFT_OUT = (
    "No release will have the columns without a role, unless you give them one (--quasi, --sensitive, --keep)"
)
A_TRY = (
    "The ℓ below (-l) is one to try: what readers may know by rules is found when the release is made. Where"
    " they leave somebody fewer values, it is refused, and the refusal names the largest ℓ and other ways."
)
STANDS = "As it stands:\n"
NO_TREE = "none; build one with 'tacit hierarchy build' (--by balanced --fanout 5 groups neighbours)"
FOUND = ": known people are found at once"


def _table_title(profile: TableProfile) -> str:
    return f"{profile.source or 'Table'}: {count(profile.rows)} rows, {len(profile.columns)} columns"


def _table_columns(profile: TableProfile) -> list[tuple[str, str, str, str, str]]:
    return [
        (column.name, count(column.distinct), count(column.nulls), column.role, column.why)
        for column in profile.columns
    ]


def _preview(profile: TableProfile) -> tuple[list[str], list[list[str]]]:
    """The first columns of the first rows, cut to what fits on a line."""
    names = [shorten(column.name, CELL) for column in profile.columns[:WIDEST]]
    more = ["…"] if len(profile.columns) > WIDEST else []
    rows = [[shorten(cell or "", CELL) for cell in row[:WIDEST]] + more for row in profile.preview]
    return names + more, rows


def _said(profile: TableProfile) -> list[str]:
    """What is said of a table that lists the items of transactions, or whose sensitive column is unknown."""
    if profile.long_form is None:
        unknown = [] if profile.sensitive else [f"{sensitive_unknown(profile.may_be_sensitive)} {NAME_IT}"]
        without = [column.name for column in profile.columns if column.role == "none"]
        left_out = [f"{LEFT_OUT}: {listed(without)}."] if without else []
        return [*unknown, *left_out, *([A_TRY] if profile.sensitive else [])]
    return [looks_like_list(profile.long_form.record, profile.long_form.item)]


def looks_like_list(record: str, item: str) -> str:
    """That a table lists the items of transactions."""
    return f"{record} repeats, each time with another {item}: these look like transactions, an item a line."


def sensitive_unknown(candidates: Sequence[str]) -> str:
    """That nothing tells which column is sensitive, and which it may be.

    >>> sensitive_unknown(["year", "island", "species"])
    'Nothing tells which column is sensitive; it may be year, island or species.'
    """
    if not candidates:
        return "Nothing tells which column is sensitive."
    return f"Nothing tells which column is sensitive; it may be {joined(candidates, ' or ')}."


def _table_risks(profile: TableProfile) -> list[tuple[str, str]]:
    if profile.k is None or profile.unique_share is None:
        return [("quasi-identifiers", "none named and none guessed; name them with --quasi")]
    who = "rows" if profile.person is None else "people"
    risks = [
        ("quasi-identifiers", ", ".join(profile.quasi)),
        ("combinations of them", count(profile.combinations or 0)),
        (f"{who} alone with theirs", share(profile.unique_share) + (FOUND if profile.unique_share else "")),
        ("k", f"{profile.k}: the fewest {who} that share a combination"),
    ]
    if profile.l is not None and profile.t is not None:
        risks += [
            ("sensitive", ", ".join(profile.sensitive)),
            ("ℓ", f"{profile.l}: the fewest sensitive values among rows that share a combination"),
            ("t", f"{profile.t:.3f}: the largest shift of their distribution, from 0 to 1"),
        ]
    return risks


def transactions_profile(profile: TransactionsProfile) -> str:
    """The profile of transactions."""
    return "\n\n".join(
        [
            heading(_transactions_title(profile)),
            facts(_transactions_shape(profile)),
            STANDS + facts(_transactions_risks(profile)),
            _next(profile),
        ]
    )


def transactions_blocks(profile: TransactionsProfile) -> list[Block]:
    """The profile of transactions, for a notebook."""
    return [
        Facts(_transactions_shape(profile), _transactions_title(profile)),
        Facts(_transactions_risks(profile), "As it stands"),
        *_next_blocks(profile),
    ]


def _transactions_title(profile: TransactionsProfile) -> str:
    sizes = f"{count(profile.transactions)} transactions, {count(profile.items)} items"
    return f"{profile.source or 'Transactions'}: {sizes}"


def _transactions_shape(profile: TransactionsProfile) -> list[tuple[str, str]]:
    return [
        ("items per transaction", f"{profile.average:.1f} on average, {count(profile.longest)} at most"),
        ("empty transactions", count(profile.empty)),
        ("hierarchy", "given" if profile.hierarchy else NO_TREE),
    ]


def _transactions_risks(profile: TransactionsProfile) -> list[tuple[str, str]]:
    return [
        ("items in fewer than 5 transactions", count(profile.rare_items)),
        *(
            (
                f"singled out by {size} known item{'s' if size > 1 else ''}",
                "too many sets to count" if value is None else share(value),
            )
            for size, value in enumerate(profile.unique_by, start=1)
        ),
    ]


def _next(profile: TableProfile | TransactionsProfile) -> str:
    return "\n\n".join(f"{words}\n  {command}" for words, command in _commands(profile))


def _next_blocks(profile: TableProfile | TransactionsProfile) -> list[Block]:
    return [block for words, command in _commands(profile) for block in (Words(words), Code(command))]


def _commands(profile: TableProfile | TransactionsProfile) -> list[tuple[str, str]]:
    """What to run next, and when."""
    bound = profile.bound_command if isinstance(profile, TableProfile) else None
    if bound is None:
        return [(f"What fits: {profile.method}. Next:", profile.next_command)]
    return [
        (
            "What fits, for anybody to read: a coarser table, in which many rows look alike.",
            profile.next_command,
        ),
        ("For readers who are bound by a contract, where exact counts matter: buckets.", bound),
    ]
