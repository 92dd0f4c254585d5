"""A bucketized release: what is published of it, what was measured on it, how it is saved.

Engines sort published rows by their text and number buckets by the rank of their content, so that neither
tells where a row came from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl

from tacit.data.table import Table
from tacit.engine.base import Bucketized, Deal, Engine
from tacit.engine.choice import engine_for
from tacit.methods.bucketize.asked import Asked
from tacit.methods.bucketize.attacks import AwareReader, aware_reader
from tacit.methods.bucketize.figures import FIGURES, stated_risks, stated_utility
from tacit.methods.bucketize.joining import Joined, with_joined
from tacit.methods.bucketize.judge.buckets import Buckets, buckets_of
from tacit.methods.bucketize.judge.measured import exact_risks, exact_utility, owner_figures
from tacit.methods.bucketize.judge.risks import (
    BucketRisks,
    LeftOutRisk,
    attack_left_out,
    judge_buckets,
    likeliest,
)
from tacit.methods.bucketize.judge.utility import BucketUtility, measure_buckets
from tacit.methods.bucketize.kind import state
from tacit.methods.bucketize.series import Continued
from tacit.methods.bucketize.solve.anatomy import anatomy_plan
from tacit.methods.bucketize.solve.plan import Counted, Plan
from tacit.methods.bucketize.solve.solve import count_classes
from tacit.mining.knowledge import NegativeRules
from tacit.mining.verbs import longer_rules, mine_negative_rules
from tacit.notebook import InNotebook
from tacit.random.key import Key
from tacit.recoding.coarser import Coarser
from tacit.release.published import Release, json_file
from tacit.release.readers import rules_on_record
from tacit.release.records import Records, people_of

RECORD = "record.json"
MEASURED = ("figures", "buckets", "judged_by", "_judged", "_risk", "_anatomy")
"""What is measured once on a release and holds of it when it is complete as well."""
MOST_JUDGED = 1_000_000
"""Of a release of more rows on Spark, one bucket in so many is judged."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """CPU seconds of each step."""

    mine: float
    count: float
    solve: float
    apply: float


@dataclass(frozen=True, slots=True)
class RiskReport(InNotebook):
    """The risks of a release, with those of an Anatomy release of the same table beside them.

    ``anatomy`` is None where Anatomy cannot bucketize the table. With several ``sensitive`` columns a
    learner guesses all of a row's values at once, their combination.
    """

    method: str
    release: BucketRisks
    anatomy: BucketRisks | None
    sensitive: tuple[str, ...] = ()
    left_out: LeftOutRisk | None = None
    """What is guessed of the rows left out, for the owner; None where there are none, or none are known."""
    aware: AwareReader | None = None
    """Whom a reader can name who knows the tool, for the owner."""

    @property
    def vulnerable(self) -> int:
        """Rows with fewer than ℓ valid values for a reader who knows the rules."""
        return self.release.vulnerable

    def to_dict(self) -> dict[str, Any]:
        """The figures in plain values."""
        parts = {name: getattr(self, name) for name in ("release", "anatomy", "left_out", "aware")}
        return {"method": self.method, **{name: part and asdict(part) for name, part in parts.items()}}


@dataclass(frozen=True, slots=True)
class UtilityReport(InNotebook):
    """The utility of a release."""

    method: str
    figures: BucketUtility

    def to_dict(self) -> dict[str, Any]:
        """The figures in plain values."""
        return {"method": self.method, **asdict(self.figures)}


@dataclass(frozen=True, eq=False, repr=False)
class Made:
    """A table put into buckets as it was asked for: all that a release is put together from."""

    asked: Asked
    original: Table
    """The private table that it was made from."""
    knowledge: NegativeRules | None
    plan: Plan
    bucketized: Bucketized
    seconds: Seconds
    joined: Joined = field(default_factory=dict)
    coarser: Coarser | None = None
    series: Continued | None = None


@dataclass(frozen=True, eq=False, repr=False)
class BucketizedRelease(Made, Release):
    """A table in buckets. It can be judged before it is saved, and nothing is written until then."""

    declared = FIGURES

    def risk(self) -> RiskReport:
        """What readers could learn from the release, beside what they could from Anatomy's."""
        return self._risk

    def utility(self, table: Table | None = None) -> UtilityReport:
        """What the release is still good for, measured against the original table."""
        buckets = self.buckets
        if table is not None:
            buckets, _ = judged_buckets(self.bucketized, with_joined(table, self.joined))
        return UtilityReport(self.asked.method, measure_buckets(buckets, self.judged_by))

    def surer_than(self, thresholds: Sequence[float]) -> tuple[float, ...] | None:
        entries = self.buckets.entries(self.judged_by)
        top, _ = likeliest(entries)
        surest = top[entries.entry_of[: self.buckets.n_people]]
        return tuple(float((surest > limit + 1e-9).mean()) for limit in thresholds)

    def published(self) -> dict[str, pl.DataFrame]:
        """The published tables by name, as frames."""
        return {
            name: pl.DataFrame([column.to_series() for column in self.bucketized.columns(name)])
            for name in published_tables(self.asked.form)
        }

    @property
    def table(self) -> pl.DataFrame:
        """The published rows with their buckets; :meth:`published` has the values of the buckets too."""
        return next(iter(self.published().values()))

    @property
    def checked_after(self) -> tuple[Mapping[str, str], ...]:
        return self.before[-1:]  # signatures are handed on: those of the last say it all

    def records(self) -> Records | None:
        if self.one_in == 1:
            people = self.buckets.rows[: self.buckets.n_people]
            return Records(self.buckets.table, people, self.original.roles.quasi)
        # Of a part of the buckets it is not known who is left out.
        return None if self.plan.n_suppressed else people_of(self.original, self.original.roles.quasi)

    def complete(self) -> BucketizedRelease:
        """The release with what was measured on it: rounded in its manifest, exact in its private record."""
        exact = self.figures
        beside, risk = None if self.asked.method == "anatomy" else self._anatomy, self._risk
        owners = {"left_out": risk.left_out, "aware": risk.aware}
        record = _record(self) | {
            "figures": exact
            | owner_figures(risk.anatomy, beside, self.judged_by)
            | {name: asdict(part) for name, part in owners.items() if part is not None}
        }
        # The rules are stated, and the values that they speak of are published as they are.
        recountable = self.asked.method == "injector" and self.asked.k is None
        known = exact["risks"]
        if self.asked.k is not None:  # how many there are is not stated where they are not
            known = known | {"rules": None}
        elif self.asked.method == "injector":  # nor are those that say nothing of what is published
            known = known | {"rules": len(self.manifest.reader["rules"])}
        made = replace(
            self,
            manifest=replace(
                self.manifest,
                risks=stated_risks(known, recountable=recountable)
                | ({} if self.one_in == 1 else {"judged_buckets": {"one_in": self.one_in}}),
                utility=stated_utility(exact["utility"], rows=self.manifest.parameters["rows"]),
            ),
            private={**self.private, RECORD: json_file(record)},
        )
        vars(made).update({name: vars(self)[name] for name in MEASURED if name in vars(self)})
        return made

    @cached_property
    def figures(self) -> dict[str, dict[str, Any]]:
        return {
            "risks": exact_risks(self._risk.release, self.buckets, self.judged_by),
            "utility": exact_utility(self.buckets, self.judged_by, self.asked.key),
        }

    def to_dict(self) -> dict[str, Any]:
        risk = self._risk
        learning = risk.release.learning
        return super().to_dict() | {
            "method": self.asked.method,
            "rows": self.bucketized.n_published,
            "l": self.asked.l,
            "k": self.manifest.promise.get("k"),
            "buckets": len(self.plan),
            "suppressed": self.plan.n_suppressed,
            "series": self.manifest.parameters.get("series"),
            "rules": risk.release.rules,
            "vulnerable": risk.release.vulnerable,
            "vulnerable_anatomy": None if risk.anatomy is None else risk.anatomy.vulnerable,
            "max_posterior": risk.release.posterior.largest,
            "learning_attack": None
            if learning is None
            else {
                "accuracy": learning.accuracy,
                "baseline": learning.baseline,
                "surest": [asdict(one) for one in learning.surest],
            },
            "seconds": asdict(self.seconds),
            "form": self.asked.form,
            "risk": risk.to_dict(),
        }

    @cached_property
    def buckets(self) -> Buckets:
        """The release as its judges see it."""
        return self._judged[0]

    @property
    def one_in(self) -> int:
        """On one bucket in how many the release is judged: above 1 only for many rows on Spark."""
        return self._judged[1]

    @cached_property
    def _judged(self) -> tuple[Buckets, int]:
        return judged_buckets(self.bucketized, self.original)

    @cached_property
    def judged_by(self) -> NegativeRules:
        """The rules a reader is taken to know when the release is judged."""
        if self.knowledge is not None:
            return self.knowledge
        return mine_negative_rules(self.original, engine=self.asked.engine)

    @cached_property
    def _risk(self) -> RiskReport:
        longer = longer_rules(self.original, self.judged_by, engine=self.asked.engine)
        mine = judge_buckets(self.buckets, self.judged_by, longer, self.asked.l)
        if self.asked.method == "anatomy":
            return RiskReport(self.asked.method, mine, mine, self.original.roles.sensitive, self._left_out())
        beside = self._anatomy
        other = None if beside is None else judge_buckets(beside, self.judged_by, longer, self.asked.l)
        aware = aware_reader(self.buckets, self.knowledge, self.asked.l, self.manifest.parameters)
        return RiskReport(
            self.asked.method, mine, other, self.original.roles.sensitive, self._left_out(), aware
        )

    def _left_out(self) -> LeftOutRisk | None:
        """The attack on the rows left out; of a part of the buckets it is not known who they are."""
        if not self.plan.n_suppressed or self.one_in > 1:
            return None
        everybody = self.asked.engine.combinations(self.original, self.buckets.combinations[0].names)
        return attack_left_out(
            self.buckets, everybody, self.knowledge if self.asked.method == "injector" else None
        )

    @cached_property
    def _anatomy(self) -> Buckets | None:
        """What Anatomy makes of the rows that are judged; None where it cannot."""
        table = self.original if self.one_in == 1 else self.buckets.table
        made = anatomy_beside(table, self.asked.l, engine_for(table), self.asked.key)
        return None if made is None else judged_buckets(made, table)[0]


def judged_buckets(made: Bucketized, table: Table) -> tuple[Buckets, int]:
    """What judges see of a release of the table, and one bucket in how many that is."""
    part, groups, one_in = made.part(table, MOST_JUDGED)
    return buckets_of(part, groups, made.shown, made.n_counterfeits), one_in


def make_release(made: Made) -> BucketizedRelease:
    """Put a release together with its manifest and its private record."""
    asked, coarser, series = made.asked, made.coarser, made.series
    return BucketizedRelease(
        **vars(made),
        manifest=state(made),
        files={
            **{f"{name}.csv": partial(made.bucketized.write, name) for name in published_tables(asked.form)},
            **({} if coarser is None else coarser.files()),
        },
        private={
            RECORD: json_file(_record(made)),
            "plan.json": lambda path: path.write_text(
                json.dumps(made.plan.to_dict(), ensure_ascii=False) + "\n", encoding="utf-8"
            ),
            **made.bucketized.row_files(),
            **({} if coarser is None else coarser.private_files()),
            **({} if coarser is None or asked.method != "injector" else rules_on_record(made.knowledge)),
            **({} if series is None else series.private(asked.key)),
        },
        before=() if series is None or series.earlier is None else series.earlier.begun.chain,
        origin=made.original.origin,
    )


def anatomy_beside(table: Table, l: int, engine: Engine, key: Key) -> Bucketized | None:
    """An Anatomy release of the same table, to judge beside; None where the table does not allow one."""
    counted = count_classes(table, None, engine, key)
    classes = counted.classes
    if len(classes.attributes) == 1 and l * int(classes.value_counts.max()) > classes.n_rows:
        return None
    return apply_plan(anatomy_plan(classes, l, counted.key), counted, table, engine)


def published_tables(form: str) -> tuple[str, ...]:
    """The names of the published tables."""
    return ("table",) if form == "permuted" else ("qit", "st")


def _record(made: Made) -> dict[str, Any]:
    """What only the owner may see of how a release was made."""
    return {
        "key": made.asked.key.id,
        "digest_of_records": made.bucketized.digest,
        "seconds": asdict(made.seconds),
        "suppressed": made.plan.n_suppressed,
        "dropped_rules": [] if made.knowledge is None else list(made.knowledge.dropped),
    }


def apply_plan(
    plan: Plan,
    counted: Counted,
    table: Table,
    engine: Engine,
    *,
    permuted: bool = False,
    coarser: Coarser | None = None,
) -> Bucketized:
    """Deal the rows into the plan's buckets and number the buckets by what is published of them."""
    slots = np.repeat(np.arange(len(plan), dtype=np.int32), np.diff(plan.offsets))
    kind_of, members, n_kinds = plan.kinds(counted.class_of)
    by_kind = np.argsort(members, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(members, minlength=n_kinds))]).astype(np.int64)
    shown = () if coarser is None else coarser.shown(counted.combinations)
    deal = Deal(counted.combinations.names, kind_of, ends, slots[by_kind], permuted, shown)
    return engine.bucketized(table, deal, counted.key)
