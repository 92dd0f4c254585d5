"""The cut of an earlier release, for further records: only after a new check of the promise."""

from __future__ import annotations

import csv
from pathlib import Path

from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError, InputError, Place, UsageError
from tacit.io.readers.opening import open_bytes
from tacit.io.readers.text import checked_text
from tacit.methods.generalize_sets.solve.cut import Cut
from tacit.methods.generalize_sets.solve.draft import Draft
from tacit.methods.generalize_sets.solve.plan import Plan
from tacit.methods.generalize_sets.solve.solve import check_feasible
from tacit.methods.generalize_sets.verb import AUTO
from tacit.options import Asked

HEADER = ["item", "published_as"]
SHOWN = 5


def plan_for_mapping(asked: Asked, mapping: Path) -> Plan:
    """The plan that publishes the transactions under a mapping file, if they are k^m-anonymous under it."""
    transactions, k, m = asked.transactions, asked.k, asked.m
    if m == AUTO:
        raise UsageError(
            "With a mapping, m must be a number: there is no cut to look for.",
            code="mapping-needs-m",
            hint="Give the m that the release promises.",
        )
    hierarchy = transactions.hierarchy
    published_as = read_mapping(mapping)
    cut = Cut.of_labels(hierarchy, list(dict.fromkeys(published_as.values())))
    moved = [item for item, label in published_as.items() if cut.mapping.get(item, label) != label]
    if moved:
        raise InputError(
            f"The mapping publishes {moved[0]!r} as {published_as[moved[0]]!r}, and the hierarchy has it"
            " elsewhere.",
            code="not-a-cut",
            where=Place(file=str(mapping)),
            hint="Use the hierarchy that the mapping was made with; new items may be added to it.",
        )
    counts = engine_for(transactions).set_counts(transactions, size=m, flag=asked.flag)
    check_feasible(counts, k)
    if counts.n_nonempty:
        size = min(m, transactions.longest)
        rare = counts.rare_sets(Draft.at(counts.tree, cut).table, k=k, size=size, limit=SHOWN)
        if len(rare):
            labels = [
                "{"
                + ", ".join(hierarchy.labels[counts.tree.nodes[node]] for node in nodes if node >= 0)
                + "}"
                for nodes in rare.sets[:SHOWN]
            ]
            raise InfeasibleError(
                f"Under this mapping these records are not {k}^{m}-anonymous: {', '.join(labels)} occur in "
                f"fewer than {k} of them.",
                code="infeasible-mapping",
                where=Place(file=str(mapping)),
                hint="Generalize them on their own (leave the mapping out), or publish them together.",
            )
    return Plan(
        cut=cut,
        k=k,
        m=m,
        algorithm="mapping",
        ncp=cut.ncp(transactions),
        suppressed=counts.suppressed,
    )


def read_mapping(path: Path) -> dict[str, str]:
    """What each item is published as, from a ``mapping.csv``."""
    text = checked_text(open_bytes(path).data, file=str(path)).decode()
    rows = list(csv.reader(text.splitlines()))
    if not rows or rows[0] != HEADER or any(len(row) != len(HEADER) for row in rows):
        raise InputError(
            f"This is not a mapping: expected the columns {', '.join(HEADER)}.",
            code="not-a-mapping",
            where=Place(file=str(path)),
            hint="Use the mapping.csv of a generalized release.",
        )
    return dict(rows[1:])
