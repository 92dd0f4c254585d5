"""A profile as text: what is here, what is at risk, what to run next."""

from __future__ import annotations

from tacit.judge.profile import TableProfile, TransactionsProfile
from tacit.report.layout import count, facts, grid, heading, share


def table_profile(profile: TableProfile) -> str:
    """The profile of a table."""
    title = f"{profile.source or 'Table'}: {count(profile.rows)} rows, {len(profile.columns)} columns"
    columns = grid(
        ("column", "distinct", "missing", "role", "why"),
        [
            (column.name, count(column.distinct), count(column.nulls), column.role, column.why)
            for column in profile.columns
        ],
        right=(1, 2),
    )
    return "\n\n".join(
        [heading(title), columns, "As it stands:\n" + facts(_table_risks(profile)), _next(profile)]
    )


FOUND = ": known people are found at once"


def _table_risks(profile: TableProfile) -> list[tuple[str, str]]:
    if profile.k is None or profile.unique_share is None:
        return [("quasi-identifiers", "none named and none guessed; name them with --quasi")]
    risks = [
        ("quasi-identifiers", ", ".join(profile.quasi)),
        ("combinations of them", count(profile.combinations or 0)),
        ("rows alone with theirs", share(profile.unique_share) + (FOUND if profile.unique_share else "")),
        ("k", f"{profile.k}: the fewest rows that share a combination"),
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
    sizes = f"{count(profile.transactions)} transactions, {count(profile.items)} items"
    title = f"{profile.source or 'Transactions'}: {sizes}"
    shape = [
        ("items per transaction", f"{profile.average:.1f} on average, {count(profile.longest)} at most"),
        ("empty transactions", count(profile.empty)),
        ("hierarchy", "given" if profile.hierarchy else "none; build one with 'tacit hierarchy build'"),
    ]
    risks = [("items in fewer than 5 transactions", count(profile.rare_items))]
    risks += [
        (
            f"singled out by {size} known item{'s' if size > 1 else ''}",
            "too many sets to count" if value is None else share(value),
        )
        for size, value in enumerate(profile.unique_by, start=1)
    ]
    return "\n\n".join([heading(title), facts(shape), "As it stands:\n" + facts(risks), _next(profile)])


def _next(profile: TableProfile | TransactionsProfile) -> str:
    return f"What fits: {profile.method}. Next:\n  {profile.next_command}"
