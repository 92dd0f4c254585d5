"""Making a k^m-anonymous release of sets.

count → solve → apply stand beside it; here the release is put together with what it promises, what was
measured on it, and what only its owner may see.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import encode
from tacit.data.transactions import Transactions
from tacit.engine.base import Recoded
from tacit.io.hierarchies import hierarchy_text
from tacit.io.writers import write_csv
from tacit.judging import sets
from tacit.judging.sets import SetRisks, judge_sets
from tacit.methods.generalize_sets.figures import FIGURES, stated_risks, stated_utility
from tacit.methods.generalize_sets.series import (
    earlier_sets,
    lives_with,
    people_here,
    series_files,
    series_terms,
    told_of,
)
from tacit.methods.generalize_sets.solve.cut import Cut, cut_tree
from tacit.methods.generalize_sets.solve.plan import Plan
from tacit.methods.generalize_sets.solve.solve import plan_for_mapping, settled, solve
from tacit.methods.generalize_sets.solve.suppress import blockers
from tacit.methods.generalize_sets.utility import SetUtility, measure_sets
from tacit.options import FULL, QUICK, Asked
from tacit.random.key import Key
from tacit.release import Content, Manifest
from tacit.release.published import Release, json_file, plain_file, published_sets, sensitive_column
from tacit.release.records import Records, sets_of

MOST_JUDGED = 600_000
"""Up to so many records of a release are judged, all of them."""
SAMPLE_JUDGED = 200_000
"""Of more, about so many are: those of one published content in so many."""
PROPOSED = (
    "The hierarchy was proposed by Tacit; it is in the private record (hierarchy.csv), to be looked through"
    " and improved."
)

JUDGED: dict[str, dict[str, int]] = {
    QUICK: {"sample": sets.QUICK, "most_tried": sets.MOST_TRIED, "guessed": 2_000},
    FULL: {},
}
"""How closely a release is judged."""
HELD_UP: dict[str, dict[str, int]] = {QUICK: {"recounts": 4, "candidates": 8}, FULL: {}}
"""How closely the records are looked for that hold the cut up. A third of the nodes finds nearly as many."""


@dataclass(frozen=True, eq=False, repr=False)
class GeneralizedRelease(Release):
    """A k^m-anonymous release of transactions."""

    plan: Plan
    original: Transactions
    published: Transactions
    seconds: float

    risks: SetRisks
    kept: SetUtility
    held_up_by: tuple[str, ...]
    """The few records that keep the cut as coarse as it is, and what they cost; empty where none do."""

    declared = FIGURES

    @property
    def figures(self) -> dict[str, dict[str, Any]]:
        return {"risks": self.risks.to_dict(), "utility": self.kept.to_dict()}

    def records(self) -> Records | None:
        known = sets_of(self.original)
        if known is None or not isinstance(known.data, Transactions):
            return None
        return Records(known.data, np.flatnonzero(~self.plan.left_out(known.data)))

    def risk(self) -> SetRisks:
        """What readers who know more than the promise covers could do with the release."""
        return self.risks

    def utility(self, original: Transactions | None = None) -> SetUtility:
        """What detail the release keeps of its original, or of other transactions under the same cut."""
        if original is None:
            return self.kept
        return measure_sets(original, self.plan.cut.mapping, self.plan.cut.hierarchy)

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {
            "transactions": len(self.published),
            "items": self.original.n_items,
            "k": self.plan.k,
            "m": self.plan.m,
            "algorithm": self.plan.algorithm,
            "ncp": self.plan.ncp,
            "proven": self.plan.proven,
            "cut_size": len(self.plan.cut.nodes),
            "suppressed": self.plan.n_suppressed,
            "series": self.manifest.parameters.get("series"),
            "seconds": self.seconds,
            "peak_mb": _peak_megabytes(),
            "risk": self.risks,
            "utility": self.kept,
            "held_up_by": list(self.held_up_by),
            "notes": [*self.plan.notes, *([PROPOSED] if "hierarchy.csv" in self.private else [])],
        }


def make(given: Asked) -> GeneralizedRelease:
    """Make the release that was asked for: the checked arguments of :func:`tacit.generalize`."""
    asked = settled(given)
    transactions = asked.transactions
    people, begun = people_here(asked), earlier_sets(asked)
    started = process_time()
    mapping = asked.mapping if begun is None else begun.folder / "mapping.csv"
    plan = solve(asked) if mapping is None else plan_for_mapping(asked, Path(mapping))
    asked.report("Carrying the plan out")
    recoded = plan.cut.carried_out(transactions, plan.suppressed)
    series, record = None, dict[str, Content]()
    if people is not None:
        assert recoded.rows is not None, "they are in memory, where they have names"
        here = people.gather(recoded.rows)
        lives = lives_with(begun, told_of(here, recoded.published), asked)
        series = series_terms(begun, recoded.published, plan.k)
        record = series_files(here, lives, asked.key, begun)
    one_in = judged_one_in(len(transactions))
    published, judged = recoded.published, recoded.part(one_in)
    whole = judged is transactions
    shown = published if whole else plan.cut.carried_out(judged, plan.suppressed).published
    seconds = process_time() - started
    asked.report("Judging the release")
    close, mapping = JUDGED[asked.judge], plan.cut.mapping
    risks = judge_sets(shown, k=plan.k, m=plan.m, original=judged, mapping=mapping, flag=asked.flag, **close)
    risks = replace(risks, records=len(published))
    kept = measure_sets(transactions, plan.cut.mapping, plan.cut.hierarchy, merged=recoded.merged)
    if plan.n_suppressed:
        kept = replace(kept, ncp=plan.ncp, published_items=published.n_items)
    files = published_sets(published, asked.format)
    files["mapping.csv"] = _mapping_file(plan.cut)
    return GeneralizedRelease(
        manifest=_manifest(plan, risks, kept, published, plain_file(files), asked.key, one_in, series),
        files=files,
        private=_private_record(asked, plan, recoded, risks, kept, seconds) | record,
        before=() if begun is None else begun.chain,
        origin=transactions.origin,
        plan=plan,
        original=transactions,
        published=published,
        seconds=seconds,
        risks=risks,
        kept=kept,
        held_up_by=()
        if one_in > 1
        else tuple(map(str, blockers(judged, plan, flag=asked.flag, **HELD_UP[asked.judge]))),
    )


def judged_one_in(records: int) -> int:
    """By one published content in how many a release of so many records is judged."""
    return 1 if records <= MOST_JUDGED else -(-records // SAMPLE_JUDGED)


def _manifest(
    plan: Plan,
    risks: SetRisks,
    kept: SetUtility,
    published: Transactions,
    plain: str,
    key: Key | None,
    one_in: int,
    series: Mapping[str, Any] | None,
) -> Manifest:
    return Manifest(
        kind="generalized",
        method="k^m-anonymity by global recoding",
        parameters={
            "k": plan.k,
            "m": plan.m,
            "algorithm": plan.algorithm,
            "suppressed": plan.n_suppressed,
            "transactions": plain,
            **sensitive_column(published),
            **({} if series is None else {"series": series}),
        },
        promise={"k": plan.k, "m": plan.m, "records": risks.records},
        reader={"known_items": plan.m},
        risks=stated_risks(risks.to_dict()) | ({} if one_in == 1 else {"judged_records": {"one_in": one_in}}),
        utility=stated_utility(kept.to_dict()) | {"cut": [asdict(node) for node in cut_tree(plan.cut)]},
        not_for_publication=key is not None and key.experimental,
    )


def _mapping_file(cut: Cut) -> Content:
    """Every leaf of the hierarchy, used or not, with what it is published as."""
    items, labels = zip(*sorted(cut.mapping.items()), strict=True)
    columns = [encode(pl.Series("item", items)), encode(pl.Series("published_as", labels))]
    return lambda path: write_csv(columns, path, separator=",", spreadsheet_safe=False)


def _private_record(
    asked: Asked, plan: Plan, recoded: Recoded, risks: SetRisks, kept: SetUtility, seconds: float
) -> dict[str, Content]:
    record = {
        "cut": list(plan.cut.labels),
        "ncp": plan.ncp,
        "greedy_ncp": plan.greedy_ncp,
        "bound": plan.bound,
        "restarts": plan.restarts,
        "suppressed_records": None if recoded.left_out is None else recoded.left_out.tolist(),
        "attempts": [
            {"m": attempt.m, "ncp": attempt.ncp, "narrowed": attempt.narrowed} for attempt in plan.attempts
        ],
        "figures": {"risks": risks.to_dict(), "utility": kept.to_dict()},
        "seconds": seconds,
        "key": None if asked.key is None else asked.key.id,
    }
    proposed = {"hierarchy.csv": hierarchy_text(plan.cut.hierarchy).encode()} if asked.propose else {}
    return {"plan.json": json_file(record), **proposed}


def _peak_megabytes() -> float:
    """The largest memory this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
