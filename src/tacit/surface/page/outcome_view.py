"""Runs side by side: the figures of each under the same words, and what can be taken away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from typing import Any

from tacit.errors import shorten
from tacit.judging.figures import Figure
from tacit.judging.risk.standards import all_standards
from tacit.methods import METHODS, TRANSACTIONS
from tacit.options import Option, options_of
from tacit.release.published import Release
from tacit.surface.catalogue import catalogue
from tacit.surface.dossier.facts import facts
from tacit.surface.export import SETS, TABLES, TEXT, export
from tacit.surface.page.fields import field
from tacit.surface.page.forms import COPIED, REFUSED, made_from
from tacit.surface.page.jobs import Job
from tacit.surface.page.numbers import few, spelled
from tacit.surface.page.sealing import read_drawn
from tacit.surface.page.session import DataSet, Session
from tacit.surface.page.workspace import RELEASES

ROLES = ("quasi", "sensitive", "drop", "keep")
MOST = 4
"""How many columns a sentence names."""


def outcome_view(
    session: Session, data: DataSet, runs: list[Job], *, job: str | None, beside: Sequence[str]
) -> dict[str, Any]:
    """The runs of a data set; the one asked for, or the newest, and beside it others of the same method."""
    done = [run for run in runs if run.state == "done"]
    shown = next((run for run in done if run.id == job), done[0] if done else None)
    view: dict[str, Any] = {
        "runs": [_run(run, data) for run in runs],
        "next_name": new_name(runs),
        "shown": None,
        "beside": [],
        "compared": [],
    }
    view |= {"others": [], "publishing": None, "needed": [], "facts": [], "standards": []}
    if shown is None:
        return view
    others = [run for run in done if run is not shown and run.about["method"] == shown.about["method"]]
    # Where nothing else is asked for, the last run before the one that is shown.
    earlier = others[sum(runs.index(run) < runs.index(shown) for run in others) :]
    asked = [run for run in others if run.id in beside] or [*earlier, *others][:1]
    publishing: Job | None = shown.about.get("publishing")
    return view | {
        "shown": _shown(session, shown, data),
        "beside": [_run(run, data) for run in asked],
        "others": [_run(run, data) | {"chosen": run in asked} for run in others],
        "compared": _compared(shown, asked),
        "publishing": publishing.id if publishing is not None and not publishing.over else None,
        "needed": list(data.names().values()),
        "facts": [_asked(one) for name, one in options_of(facts).items() if name != "language"],
        "acknowledging": [_asked(options_of(Release.save)[name]) for name in ("reason", "acknowledged_by")],
        "standards": [
            ("", catalogue()["page"]["downloads"]["no_standard"]),
            *((one.name, one.title) for one in all_standards()),
        ],
    }


def _asked(option: Option) -> dict[str, str]:
    return {"name": option.name, "label": option.says.title, "hint": option.says.help}


def title_of(run: Job) -> str:
    """What a run makes."""
    return str(catalogue()["page"]["methods"][run.about["method"]][2])


def new_name(runs: Iterable[Job]) -> str:
    """A name for a run that none of these has."""
    taken = {name_of(run) for run in runs}
    numbered: str = catalogue()["page"]["run"]["numbered"]
    return next(name for name in (numbered.format(number=number) for number in count(1)) if name not in taken)


def name_of(run: Job) -> str:
    """What a run is called."""
    return str(run.about.get("name") or run.id[:6])


def _run(run: Job, data: DataSet) -> dict[str, Any]:
    parameters = ", ".join(f"{name} = {value}" for name, value in run.about["parameters"].items())
    return {
        "id": run.id,
        "name": name_of(run),
        "title": title_of(run),
        "parameters": parameters or catalogue()["page"]["run"]["usual"],
        "state": run.state,
        "over": run.over,
        "took": f"{spelled(f'{run.seconds:,.1f}')} s",
        "published": _published(run),
        "outdated": _outdated(run, data),
    }


def _outdated(run: Job, data: DataSet) -> str | None:
    """What a run was made with where that was changed since: whoever publishes it must know."""
    say: dict[str, str] = catalogue()["page"]["run"]
    then, now = run.about["source"], made_from(data, run.about["method"])
    if then == now:
        return None
    if all(then.get(role) == now.get(role) for role in ROLES):
        return say["changed"]
    known, sensitive = (
        few([repr(shorten(name)) for name in then.get(role, ())], MOST) or say["nothing"]
        for role in ("quasi", "sensitive")
    )
    return say["other_roles"].format(sensitive=sensitive, known=known)


def _published(run: Job) -> bool:
    publishing: Job | None = run.about.get("publishing")
    return publishing is not None and publishing.state == "done"


def usual_place(session: Session, data: DataSet, run: Job) -> str:
    """A folder for a release that is not there yet: one of the project's own."""
    stem = re.sub(r"[^\w-]+", "-", data.name.partition(".")[0]).strip("-") or "data"
    name = f"{stem}-{run.about['method']}"
    parent = session.folder / RELEASES
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return str(next(parent / one for one in names if not (parent / one).exists()))


def _shown(session: Session, run: Job, data: DataSet) -> dict[str, Any]:
    """A run whose outcome is shown; what the worker drew is escaped already."""
    result = run.result or {}
    publishing: Job | None = run.about.get("publishing")
    failed = publishing.error if publishing is not None and publishing.state == "failed" else None
    published = (publishing.result or {}) if publishing is not None and _published(run) else {}
    return {
        **_run(run, data),
        "promise": result["promise"],
        "left_out": run.about.get("left_out", 0),
        "limits": result["limits"],
        "notes": result["notes"],
        "no_rules": result["figures"].get("rules") == 0,
        "examples": result["examples"],
        "checks": result["checks"],
        "verdict": _verdict(result["checks"]),
        "drawn": read_drawn(run.folder / "result.html"),
        "private": publishing is not None and (publishing.folder / "private.zip").is_file(),
        "publish_error": failed,
        "refused": failed["code"] if failed is not None and failed["code"] in REFUSED else None,
        "composition": published.get("composition"),
        "copies": _copies(session, run),
        "place": published.get("place"),
        "usual_place": "" if session.temporary else usual_place(session, data, run),
    }


def _copies(session: Session, run: Job) -> dict[str, Any]:
    """The fields that say in which format copies are wanted, and the copies that there are."""
    options = options_of(export)
    fits = SETS if METHODS[run.about["method"]].takes == TRANSACTIONS else TABLES
    fields = []
    for name in COPIED:
        one = field(name, options[name])
        when = " ".join(to for to, meant in TEXT.items() if name in meant)
        choices = [choice for choice in one["choices"] if name != "to" or choice[0] in fits]
        chosen = session.copies.get(name, one["usual"])
        fields.append(one | {"choices": choices, "when": when, "chosen": chosen})
    job: Job | None = run.about.get("copying")
    return {
        "fields": fields,
        "running": job.id if job is not None and not job.over else None,
        "error": job.error if job is not None and job.state == "failed" else None,
        "files": (job.result or {}).get("files", ()) if job is not None else (),
    }


def _verdict(checks: list[dict[str, str]]) -> str:
    say: dict[str, str] = catalogue()["page"]["outcome"]
    found = [check["verdict"] for check in checks]
    if "broken" in found:
        return say["refused"]
    left = found.count("not checked")
    return say["unchecked"].format(left=left) if left else say["kept"]


def _compared(shown: Job, others: Sequence[Job]) -> list[dict[str, Any]]:
    """Every figure of a run and of others; whether each is better or worse than that of the run shown."""
    measured = (shown.result or {})["figures"]
    before = [(run.result or {})["figures"] for run in others]
    return [
        {
            "name": figure.called(),
            "part": figure.part,
            "value": figure.text(measured.get(figure.name)),
            "others": [
                {
                    "text": figure.text(one.get(figure.name)),
                    "is": _against(figure, one, measured) if _alike(figure, run, shown) else "",
                }
                for run, one in zip(others, before, strict=True)
            ],
            "meaning": figure.meaning(),
        }
        for figure in METHODS[shown.about["method"]].figures
        if any(one.get(figure.name) is not None for one in (measured, *before))
    ]


def _alike(figure: Figure, one: Job, other: Job) -> bool:
    """Whether a figure means the same of two runs: "rows with fewer than ℓ values" needs the same ℓ."""
    terms = re.findall(r"\{(\w+)\}", figure.title + figure.says)
    asked, also = one.about["parameters"], other.about["parameters"]
    return all(asked.get(term) == also.get(term) for term in terms)


def _against(figure: Figure, one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Whether a figure is better or worse than another; nothing where they look alike or are no numbers."""
    value, against = one.get(figure.name), other.get(figure.name)
    if not isinstance(value, int | float) or not isinstance(against, int | float):
        return ""
    if figure.text(value) == figure.text(against):
        return ""
    return "better" if (value < against) == figure.less else "worse"
