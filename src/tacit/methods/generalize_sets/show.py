"""A generalized release, shown: the promise, what it costs, what it does not cover, what its figures mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.errors import Said, option
from tacit.judging.figures import RISKS, UTILITY, lines, named
from tacit.judging.sets import SetRisks
from tacit.methods.generalize_sets.figures import FIGURES
from tacit.methods.generalize_sets.utility import SetUtility
from tacit.release.verification import Told
from tacit.showing.chart import bar_chart, tree_chart
from tacit.showing.layout import count, facts, grid, heading, left_out, plural, prose, share, told
from tacit.showing.page import Block, DataTable, Facts, Figure, Figures, Words


def release(made: Any) -> str:
    """A release of transactions; ``made`` is the release object of the verb."""
    figures = made.to_dict()
    title = f"{count(figures['transactions'])} transactions, {figures['k']}^{figures['m']}-anonymous"
    cost = "proven to be the least" if figures["proven"] else f"by {figures['algorithm']}"
    parts = [
        heading(title),
        prose(made.manifest.promise_words),
        facts(
            [
                *lines(FIGURES, UTILITY, made.parts),
                (
                    "The cut",
                    f"{count(figures['items'])} items below {count(figures['cut_size'])} nodes, {cost}",
                ),
            ]
        ),
        *(prose(f"Note: {note}") for note in figures["notes"]),
        *map(prose, figures["held_up_by"]),
        utility_text(made.kept),
        risks_text(made.risks),
        prose(made.manifest.limits),
    ]
    return "\n\n".join(parts)


def utility_text(kept: SetUtility) -> str:
    """What detail is left."""
    rows = [
        (
            "as it is" if level.steps == 0 else f"{level.steps} level{'s' if level.steps > 1 else ''} up",
            count(level.items),
            count(level.occurrences),
        )
        for level in kept.levels
    ]
    return "What is kept:\n" + grid(("published", "items", "occurrences"), rows, right=(1, 2))


def risks_text(found: SetRisks) -> str:
    """What readers who know more than the promise covers can do."""
    rows = [
        (reader.knows, share(reader.share_below_k), share(reader.share_to_one)) for reader in found.narrowed
    ]
    table = grid(("a reader who knows", f"narrows below {found.k}", "to one record"), rows, right=(1, 2))
    opening = f"What the promise does not cover ({count(found.records)} records):"
    told = facts(_risk_lines(found))
    return "\n".join([opening, told, "", table, *(prose(note, indent=2) for note in _notes(found))])


def risk_blocks(found: SetRisks) -> list[Block]:
    """What readers who know more than the promise covers can do, for a notebook."""
    return [
        Facts(_risk_lines(found)),
        narrowed_chart(found.to_dict()["narrowed"], found.k, found.m),
        *(Words(note) for note in _notes(found)),
    ]


def utility_blocks(kept: SetUtility) -> list[Block]:
    """What detail is left, for a notebook."""
    figures = kept.to_dict()
    loss = named(FIGURES, "ncp", "items", "length")
    return [Facts(lines(loss, UTILITY, {UTILITY: figures})), levels_chart(figures["levels"])]


def _risk_lines(found: SetRisks) -> list[tuple[str, str]]:
    parts = {RISKS: found.to_dict(), "promise": {"k": found.k, "m": found.m}}
    return lines(FIGURES, RISKS, parts)


def _notes(found: SetRisks) -> list[str]:
    return [*_sampled(found), *_diversity(found)]


def _sampled(found: SetRisks) -> list[str]:
    error = max(reader.error(found.records) for reader in found.narrowed)
    if not error:
        return []
    fewest = min(reader.records for reader in found.narrowed)
    words = (
        f"Judged by a sample: at least {count(fewest)} records were looked at for each reader, and compared"
        f" with all. The shares may be off by about {share(error)} (the standard error, and records"
        f" with too many items to try them all);"
        f" {option('judge', 'full')} looks at all."
    )
    return [Said(words)]


def _diversity(found: SetRisks) -> list[str]:
    if found.diversity is None:
        return []
    return [
        f"Behind any {found.m} known items stand at least {found.diversity.fewest} values of "
        f"{found.diversity.column!r}; they give {count(found.diversity.given_away)} records' values away."
    ]


MOST_LINES = 45
"""In a tree of more lines than this the lowest level is told in the lines above it."""
MOST_GROUPS = 4


KEY_FIGURES = ("narrowed", "leaf_guessing", "ncp")


def what(told: Told) -> str:
    terms = told.manifest.promise
    return f"{plural(terms['records'], 'record')} of items, {terms['k']}^{terms['m']}-anonymous"


def files(told: Told) -> str:
    parameters = told.manifest.parameters
    out = "".join(f" {sentence}" for sentence in left_out(parameters, "record"))
    return (
        f"{parameters['transactions']} holds the records, each a set of items or of groups of items. "
        f"mapping.csv says what each item is published as.{out}"
    )


def risks(told: Told) -> list[Block]:
    risk, terms = told.risks, told.manifest.promise
    blocks: list[Block] = [narrowed_chart(risk["narrowed"], terms["k"], terms["m"])]
    diversity = risk["diversity"]
    if diversity is not None:
        blocks.append(
            Figures(
                [
                    Figure(
                        f"Fewest values of {diversity['column']} behind {plural(terms['m'], 'known item')}",
                        count(diversity["fewest"]),
                        "1 gives the value away",
                        f"{plural(diversity['given_away'], 'record')} have a value that so many of their "
                        "items give away.",
                    )
                ]
            )
        )
    return blocks


def utility(told: Told) -> list[Block]:
    kept = told.utility
    return [levels_chart(kept["levels"]), *([cut_chart(kept["cut"])] if kept.get("cut") else [])]


def owner(told: Told) -> list[Block]:
    record = told.record or {}
    blocks: list[Block] = []
    if record.get("attempts"):
        rows = [(attempt["m"], attempt["ncp"], share(attempt["narrowed"])) for attempt in record["attempts"]]
        blocks.append(
            DataTable(["m", "loss of detail", "narrowed by one item more"], rows, "How m was found")
        )
    left_out = record.get("suppressed_records") or []
    if left_out:
        blocks.append(
            Words(
                f"{plural(len(left_out), 'record')} left out, counted from 0: "
                + ", ".join(count(row) for row in left_out[:50])
                + (" …" if len(left_out) > 50 else "")
            )
        )
    if record.get("greedy_ncp") is not None:
        blocks.append(
            Words(
                f"The first cut that kept the promise lost {share(record['greedy_ncp'])} of detail; "
                f"refining it brought that to {share(record['ncp'])}."
            )
        )
    return blocks


def narrowed_chart(readers: Sequence[Mapping[str, Any]], k: int, m: int) -> Block:
    """What readers who know more than promised can do."""
    rows = [
        {"a reader who knows": reader["knows"], "share": reader[field], "records": name}
        for reader in readers
        for field, name in (("below_k", f"narrowed below {k}"), ("to_one", "narrowed to one"))
    ]
    return bar_chart(
        rows,
        horizontal=True,
        title="Readers who know more than the promise covers",
        caption=f"The share of records that some choice of so many items narrows to fewer than {k}, or to "
        f"one. With {plural(m, 'item')} it is none: that is the promise.",
        y_title="share of records",
        y_format=".3~%",
        width=480,
    )


def levels_chart(levels: Sequence[Mapping[str, Any]]) -> Block:
    """How far up the hierarchy items and their occurrences went."""
    rows = [
        {"published": _level(level["steps"]), "occurrences": level["occurrences"], "items": level["items"]}
        for level in levels
    ]
    return bar_chart(
        rows,
        x="published",
        y="occurrences",
        title="How much detail is left",
        caption="Occurrences of items by how far up the hierarchy they are published: "
        + "; ".join(f"{row['published']}, {plural(row['items'], 'item')}" for row in rows)
        + ".",
        y_title="occurrences in the records",
        height=220,
    )


def cut_chart(cut: Sequence[Mapping[str, Any]]) -> Block:
    """The cut as a tree."""
    shown = _that_fit(cut)
    names = {node["node"] for node in shown}
    labels = {node["node"]: _label(node) + _groups(node, cut, names) for node in shown}
    rows = [
        {
            "node": labels[node["node"]],
            "parent": None if node["parent"] is None else labels[node["parent"]],
            "mark": node["in_cut"],
        }
        for node in shown
    ]
    below = "" if len(shown) == len(cut) else " Groups below the last level shown are named in its lines."
    return tree_chart(
        rows,
        title="Where the hierarchy was cut",
        caption="Everything below a filled node is published as that node. Below an open node, items are "
        f"published as they are unless a filled node stands above them.{below}",
    )


def _that_fit(cut: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The levels from the root down that make a readable picture."""
    level = {cut[0]["node"]}
    shown = [cut[0]]
    while level:
        below = [node for node in cut if node["parent"] in level]
        if len(shown) + len(below) > MOST_LINES:
            break
        shown += below
        level = {node["node"] for node in below}
    return shown


def _groups(node: Mapping[str, Any], cut: Sequence[Mapping[str, Any]], shown: set[str]) -> str:
    """The filled nodes right below a node that have no line of their own."""
    hidden = [
        str(one["node"])
        for one in cut
        if one["parent"] == node["node"] and one["in_cut"] and one["node"] not in shown
    ]
    if not hidden:
        return ""
    more = f" and {len(hidden) - MOST_GROUPS} more" if len(hidden) > MOST_GROUPS else ""
    return f", among them {', '.join(hidden[:MOST_GROUPS])}{more}"


def _label(node: Mapping[str, Any]) -> str:
    items = plural(node["items"], "item")
    if node["in_cut"]:
        return f"{node['node']}: {items} as one"
    if node["items"] == node["published_as"]:
        return f"{node['node']}: {items} as they are"
    return f"{node['node']}: {items} as {count(node['published_as'])}"


def _level(steps: int) -> str:
    return "as they are" if steps == 0 else f"{plural(steps, 'level')} up"


TEXTS = {"GeneralizedRelease": release, "SetUtility": utility_text, "Estimate": told}
BLOCKS = {"SetUtility": utility_blocks}
