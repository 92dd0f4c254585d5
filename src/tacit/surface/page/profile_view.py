"""A profile in words: what is here, what is at risk as it stands, which method fits."""

from __future__ import annotations

from typing import Any

from tacit.surface.catalogue import catalogue
from tacit.surface.page.numbers import count, named, share, spelled
from tacit.surface.page.session import DataSet


def profile_view(data: DataSet) -> dict[str, Any]:
    """The figures of the last look, each with what it means."""
    assert data.seen is not None
    profile = data.seen["profile"]
    if data.table:
        return _table(profile, len(data.columns), confirmed=data.roles is not None)
    return _baskets(profile)


def _table(profile: dict[str, Any], columns: int, *, confirmed: bool) -> dict[str, Any]:
    say = catalogue()["page"]["profile"]
    rows = count(profile["rows"])
    figures = [_figure(say["rows"], value=rows), _figure(say["columns"], value=count(columns))]
    unique, k, l, t = (profile[name] for name in ("unique_share", "k", "l", "t"))
    if unique is not None and k is not None:
        figures.append(_figure(*say["unique"], value=share(unique), alarming=unique > 0))
        figures.append(_figure(*say["k"], value=count(k), alarming=k == 1))
    if l is not None and t is not None:
        figures.append(_figure(*say["l"], value=count(l), alarming=l == 1))
        figures.append(_figure(*say["t"], value=spelled(f"{t:.2f}")))
    if unique is None:
        verdict = say["none_known"]
    else:
        verdict = say["picked_out" if unique > 0 else "nobody_alone"].format(
            share=share(unique), names=named(profile["quasi"])
        )
    advice = [say["bucketize"]]
    listed = None if confirmed else profile["long_form"]
    if listed:
        verdict = say["listed"][0].format(record=listed["record"], item=listed["item"])
        advice = [say["listed"][1]]
    elif not confirmed:
        advice.append(say["guesses"])
        may_be = profile["may_be_sensitive"]
        if not profile["sensitive"]:
            advice.append(say["may_be"].format(names=named(may_be, "either")) if may_be else say["unknown"])
    return {
        "figures": figures,
        "notes": profile["notes"],
        "verdict": verdict,
        "summary": say["rows_summary" if unique is None else "alone_summary"].format(
            rows=rows, share=share(unique or 0)
        ),
        "advice": " ".join(advice),
        "listed": listed,
        "preview": profile["preview"],
        "names": [column["name"] for column in profile["columns"]],
    }


def _baskets(profile: dict[str, Any]) -> dict[str, Any]:
    say = catalogue()["page"]["profile"]
    baskets, different = count(profile["transactions"]), count(profile["items"])
    name, meaning = say["in_basket"]
    figures = [
        _figure(say["baskets"], value=baskets),
        _figure(say["different"], value=different),
        _figure(
            name, meaning.format(most=count(profile["longest"])), value=spelled(f"{profile['average']:.1f}")
        ),
        _figure(say["rare"], value=count(profile["rare_items"])),
    ]
    known = [(size, value) for size, value in enumerate(profile["unique_by"], start=1) if value is not None]
    one, several, of = say["singled_by"]
    for size, value in known:
        name = one if size == 1 else several.format(size=size)
        figures.append(_figure(name, of, value=share(value), alarming=value > 0))
    verdict = say["too_long"]
    if known:
        size, value = known[-1]
        verdict = say["single_out" if value else "none_single_out"].format(size=size, share=share(value))
    return {
        "figures": figures,
        "notes": profile["notes"],
        "verdict": verdict,
        "summary": say["baskets_summary"].format(baskets=baskets, different=different),
        "listed": None,
        "advice": say["generalize"],
        "preview": (),
    }


def _figure(name: str, meaning: str = "", *, value: str, alarming: bool = False) -> dict[str, Any]:
    return {"name": name, "value": value, "meaning": meaning, "alarming": alarming}
