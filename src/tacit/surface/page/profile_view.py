"""A profile in words: what is here, what is at risk as it stands, which method fits."""

from __future__ import annotations

from typing import Any

from tacit.judging.show import looks_like_list, sensitive_unknown
from tacit.showing.layout import count, share
from tacit.surface.page.session import DataSet


def profile_view(data: DataSet) -> dict[str, Any]:
    """The figures of the last look, each with what it means."""
    assert data.seen is not None
    profile = data.seen["profile"]
    if data.table:
        return _table(profile, len(data.columns), confirmed=data.roles is not None)
    return _baskets(profile)


def _table(profile: dict[str, Any], columns: int, *, confirmed: bool) -> dict[str, Any]:
    figures = [
        _figure("Rows", count(profile["rows"])),
        _figure("Columns", count(columns)),
    ]
    unique, k, l, t = (profile[name] for name in ("unique_share", "k", "l", "t"))
    if unique is not None and k is not None:
        figures += [
            _figure(
                "Rows alone with their quasi-identifiers",
                share(unique),
                "found at once by whoever knows these",
                unique > 0,
            ),
            _figure("Fewest rows that look alike (k)", count(k), "1: somebody stands alone", k == 1),
        ]
    if l is not None and t is not None:
        figures += [
            _figure(
                "Fewest sensitive values among them (ℓ)",
                count(l),
                "1: finding the person tells the value",
                l == 1,
            ),
            _figure(
                "Largest shift of their distribution (t)",
                f"{t:.2f}",
                "0: a group is like everybody, 1: unlike",
            ),
        ]
    if unique is None:
        verdict = "No column looks like something a reader knows from elsewhere."
    elif unique > 0:
        verdict = (
            f"As it stands, {share(unique)} of the people can be picked out by {_names(profile['quasi'])}."
        )
    else:
        verdict = f"Nobody stands alone with {_names(profile['quasi'])}; readers may still know more."
    advice = (
        "Bucketizing fits: people stay as they are, and what each of them has stays one of several values."
    )
    listed = None if confirmed else profile["long_form"]
    if listed:
        verdict = looks_like_list(listed["record"], listed["item"])
        advice = "Read it so, and sets of items can be published; as a table, every line would be a person."
    elif not confirmed:
        advice += " These roles are guesses: confirm or correct them below."
        if not profile["sensitive"]:
            advice += f" {sensitive_unknown(profile['may_be_sensitive'])} Choose it below."
    return {
        "figures": figures,
        "notes": profile["notes"],
        "verdict": verdict,
        "summary": f"{count(profile['rows'])} rows" + ("" if unique is None else f", {share(unique)} alone"),
        "advice": advice,
        "listed": listed,
        "preview": profile["preview"],
        "names": [column["name"] for column in profile["columns"]],
    }


def _baskets(profile: dict[str, Any]) -> dict[str, Any]:
    figures = [
        _figure("Baskets", count(profile["transactions"])),
        _figure("Different items", count(profile["items"])),
        _figure(
            "Items in a basket",
            f"{profile['average']:.1f}",
            f"on average; {count(profile['longest'])} at most",
        ),
        _figure("Items in fewer than 5 baskets", count(profile["rare_items"])),
    ]
    known = [(size, value) for size, value in enumerate(profile["unique_by"], start=1) if value is not None]
    for size, value in known:
        items = "1 known item" if size == 1 else f"{size} known items"
        figures.append(_figure(f"Singled out by {items}", share(value), "of the baskets", value > 0))
    if known:
        size, value = known[-1]
        verdict = (
            f"As it stands, some {size} known items single out {share(value)} of the baskets."
            if value
            else f"No {size} known items single out a basket; more may."
        )
    else:
        verdict = "The baskets are too long to count what a few known items single out."
    advice = "Generalizing fits where people are to be protected; hiding where a pattern is the secret."
    return {
        "figures": figures,
        "notes": profile["notes"],
        "verdict": verdict,
        "summary": f"{count(profile['transactions'])} baskets, {count(profile['items'])} items",
        "listed": None,
        "advice": advice,
        "preview": (),
    }


def _figure(name: str, value: str, meaning: str = "", alarming: bool = False) -> dict[str, Any]:
    return {"name": name, "value": value, "meaning": meaning, "alarming": alarming}


def _names(names: list[str]) -> str:
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]
