"""What published rules disclose: the posterior of everybody, and how near it comes to the truth.

D_individual = Σ_x P(x|q) ln (P(x|q) / P*(x|q)) is how far the reader's posterior P* is from the
truth about the people of combination q, in nats; the *smaller* it is, the more is disclosed.
D_overall is its mean over all people [1]. The divergence curve sorts everybody by D_individual, the most
disclosed first, and reads it off at even steps: where it starts near 0, a reader knows as much about those
people as the data themselves.

[1] Z. Zhu, G. Wang, W. Du. Deriving Private Information from Association Rule Mining Results.
    ICDE 2009, section VI.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from tacit.methods.disclose.solve.bounds import posterior_bounds
from tacit.methods.disclose.solve.inference import Certificate, Inference
from tacit.methods.disclose.solve.linear import reasons_for_certainty
from tacit.methods.disclose.solve.population import Population
from tacit.methods.disclose.solve.published import value_text
from tacit.notebook import InNotebook
from tacit.options import Says, verb
from tacit.ranges import Whole, check
from tacit.typing import AnyArray, Counts, Floats

LIMITS = (0.5, 0.8, 0.9, 0.95)
"""Posteriors whose excess is reported."""
BINS, POINTS = 20, 51
WITH_SILENCE, WITHOUT_SILENCE = "reasons from silence", "does not"
"""The readers whose curves are shown side by side."""


@dataclass(frozen=True)
class Responsible:
    """A statement that a posterior is owed to, and by how much it moves it (to first order)."""

    statement: str
    effect: float


@dataclass(frozen=True)
class Exposed:
    """People who share a combination of quasi-identifiers, and what the reader infers about them."""

    combination: dict[str, str]
    people: int
    value: str
    """The sensitive value that is inferred, and that somebody there really holds."""
    posterior: float
    posterior_without_nar: float | None
    true_share: float
    d_individual: float
    lower: float | None
    """The smallest posterior that agrees with what is known; None where not asked for, or out of reach."""
    upper: float | None
    responsible: tuple[Responsible, ...]

    def __str__(self) -> str:
        who = ", ".join(f"{name} {label}" for name, label in self.combination.items())
        people = "1 person" if self.people == 1 else f"{self.people} people"
        return f"{who}: {self.value} with posterior {self.posterior:.3f} ({people})"


@dataclass(frozen=True)
class NarEffect:
    """What the silence about unpublished patterns adds for the people of one combination (Figure 7)."""

    combination: dict[str, str]
    people: int
    difference: float
    d_with: float
    d_without: float
    truth: tuple[float, ...]
    posterior_with: tuple[float, ...]
    posterior_without: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Disclosure(InNotebook):
    """What a reader of the rules infers about everybody, beside the truth."""

    inference: Inference
    without_nar: Inference | None
    """The same without the silence about unpublished patterns, where that was asked for."""
    n_rules: int
    n_patterns: int
    n_nar: int
    nar_variables: int
    n_withheld: int
    """Rules that reach the thresholds and are not published: the list is incomplete."""
    scores: str
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Disclosure: {self.n_rules:,} rules about {self.population.n_rows:,} people>"

    @property
    def population(self) -> Population:
        return self.inference.population

    @property
    def posterior(self) -> Floats:
        """P*(x|q): one row per combination, one column per sensitive value."""
        return self.inference.by_combination

    @property
    def truth(self) -> Floats:
        """P(x|q)."""
        return self.population.true_shares

    @cached_property
    def d_individual(self) -> Floats:
        """Per combination, the divergence of the reader's posterior from the truth, in nats."""
        return divergence(self.truth, self.posterior)

    @cached_property
    def d_overall(self) -> float:
        return float(self.d_individual @ self.population.people / self.population.n_rows)

    @property
    def entropy(self) -> float:
        """What the reader is left not knowing about a person, on average, in nats."""
        return self.inference.entropy

    @property
    def max_posterior(self) -> float:
        """The largest posterior of any value for anybody."""
        return float(self.posterior.max(initial=0.0))

    @property
    def certificate(self) -> Certificate:
        return self.inference.certificate

    def share_above(self, limit: float) -> float:
        """The share of people with a value whose posterior is above the limit."""
        above = self.posterior.max(axis=1) > limit
        return float(self.population.people[above].sum() / self.population.n_rows)

    def most_exposed(self, count: int = 10, *, bounds: int = 0) -> tuple[Exposed, ...]:
        """The people about whom a true value is inferred most surely, most exposed first.

        ``bounds`` of them get, by linear programming, the smallest and the largest posterior that
        agrees with what is known, and those of whom a reader is certain the statements that prove it;
        that can take a while.
        """
        check("most_exposed", {"count": Whole(1)}, count=count)
        without = self._readers.get(WITHOUT_SILENCE)
        best = np.where(self.population.truth > 0, self.posterior, -1.0)
        exposure = best.max(axis=1)
        order = np.lexsort((-self.population.people, self.d_individual, -exposure))[:count]
        found = []
        for rank, place in enumerate(order.tolist()):
            value = int(best[place].argmax())
            lower, upper = posterior_bounds(self.inference, place, value) if rank < bounds else (None, None)
            found.append(
                Exposed(
                    combination=self.combination(place),
                    people=int(self.population.people[place]),
                    value=value_text(self.population.values[value]),
                    posterior=float(self.posterior[place, value]),
                    posterior_without_nar=None if without is None else float(without[place, value]),
                    true_share=float(self.truth[place, value]),
                    d_individual=float(self.d_individual[place]),
                    lower=lower,
                    upper=upper,
                    responsible=responsible(self.inference, place, value, prove=rank < bounds),
                )
            )
        return tuple(found)

    def nar_effect(self, count: int = 10) -> tuple[NarEffect, ...]:
        """The people to whom the silence makes the largest difference, largest first (Figure 7)."""
        check("nar_effect", {"count": Whole(1)}, count=count)
        if self.without_nar is None:
            return ()
        other = self.without_nar.by_combination
        without = divergence(self.truth, other)
        difference = without - self.d_individual
        order = np.lexsort((self.d_individual, -difference))[:count]
        return tuple(
            NarEffect(
                combination=self.combination(place),
                people=int(self.population.people[place]),
                difference=float(difference[place]),
                d_with=float(self.d_individual[place]),
                d_without=float(without[place]),
                truth=tuple(self.truth[place].tolist()),
                posterior_with=tuple(self.posterior[place].tolist()),
                posterior_without=tuple(other[place].tolist()),
            )
            for place in order.tolist()
        )

    def curves(self) -> dict[str, dict[str, list[dict[str, float]]]]:
        """How sure each reader can be, and of how much of the truth: see :func:`curves`."""
        return curves(self.population, self._readers)

    @property
    def _readers(self) -> dict[str, Floats]:
        found = {WITH_SILENCE: self.posterior}
        if self.without_nar is not None:
            found[WITHOUT_SILENCE] = self.without_nar.by_combination
        return found

    def combination(self, place: int) -> dict[str, str]:
        """A combination of quasi-identifiers, by name."""
        population = self.population
        return {
            attribute.name: value_text(texts[code])
            for attribute, texts, code in zip(
                population.attributes, population.texts, population.codes[place].tolist(), strict=True
            )
        }

    @verb
    def report(
        self,
        *,
        top: Annotated[
            int, Whole(1), Says("Most exposed", "How many of the most exposed people to show.")
        ] = 10,
        bounds: Annotated[
            int,
            Whole(0),
            Says("Worst cases", "For how many of them to compute the worst case by linear programming."),
        ] = 0,
    ) -> DisclosureReport:
        """The figures with the most exposed people, some of them with bounds: what a command prints.

        {options}
        """
        return DisclosureReport(self, self.most_exposed(top, bounds=bounds), self.nar_effect(top))

    def to_dict(self) -> dict[str, Any]:
        """The figures as ``--json`` prints them."""
        return self.report().to_dict()

    def __str__(self) -> str:
        return (
            f"{self.n_rules} rules about {self.population.n_rows:,} people: "
            f"D_overall {self.d_overall:.4f} nats, largest posterior {self.max_posterior:.3f}"
        )


@dataclass(frozen=True, eq=False)
class DisclosureReport(InNotebook):
    """A disclosure with the people it names."""

    disclosure: Disclosure
    most_exposed: tuple[Exposed, ...]
    nar_effect: tuple[NarEffect, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, by the names scripts may rely on."""
        found = self.disclosure
        return {
            "rows": found.population.n_rows,
            "combinations": len(found.population),
            "patterns": found.n_patterns,
            "rules": found.n_rules,
            "scores": found.scores,
            "withheld": found.n_withheld,
            "nar": found.n_nar,
            "nar_variables": found.nar_variables,
            "d_overall": found.d_overall,
            "entropy": found.entropy,
            "max_posterior": found.max_posterior,
            "share_above": {str(limit): found.share_above(limit) for limit in LIMITS},
            "known_for_certain": found.share_above(1 - 1e-9),
            "residual": found.certificate.residual,
            "certificate": asdict(found.certificate),
            "most_exposed": [asdict(person) for person in self.most_exposed],
            "nar_effect": [asdict(people) for people in self.nar_effect],
            "notes": list(found.notes),
            "seconds": dict(found.seconds),
        }


def divergence(truth: Floats, posterior: Floats) -> Floats:
    """Σ_x P(x|q) ln (P(x|q) / P*(x|q)) of each row."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(truth > 0, truth * np.log(truth / posterior), 0.0)
    return np.asarray(np.maximum(terms.sum(axis=1), 0.0))


def curves(
    population: Population, readers: Mapping[str, Floats]
) -> dict[str, dict[str, list[dict[str, float]]]]:
    """For each reader by name, people by the posterior of their likeliest value, and their D_individual."""
    people, truth = population.people, population.true_shares
    return {
        "posteriors": {name: posterior_counts(read, people) for name, read in readers.items()},
        "divergence": {
            name: divergence_curve(divergence(truth, read), people) for name, read in readers.items()
        },
    }


def divergence_curve(d_individual: Floats, people: AnyArray) -> list[dict[str, float]]:
    """D_individual at even shares of the people, smallest first; infinite ones are left out at the end."""
    order = np.argsort(d_individual, kind="stable")
    reached = np.cumsum(people[order])
    total, points = int(reached[-1]) if len(reached) else 0, []
    for step in range(POINTS if total else 0):
        person = max(1, -(-step * total // (POINTS - 1)))  # the person at this share, counted from 1
        value = float(d_individual[order[np.searchsorted(reached, person)]])
        if np.isfinite(value):
            points.append({"share": step / (POINTS - 1), "d_individual": value})
    return points


def posterior_counts(posterior: Floats, people: AnyArray) -> list[dict[str, float]]:
    """How many people have a likeliest value with a posterior of at least ``low`` and less than ``high``."""
    top = posterior.max(axis=1, initial=0.0)
    place = np.minimum(np.floor(top * BINS + 1e-9).astype(np.int64), BINS - 1)
    counts = np.bincount(place, weights=people, minlength=BINS).astype(np.int64).tolist()
    return [
        {"low": number / BINS, "high": (number + 1) / BINS, "people": count}
        for number, count in enumerate(counts)
    ]


def responsible(
    inference: Inference, place: int, value: int, *, most: int = 5, prove: bool = False
) -> tuple[Responsible, ...]:
    """The statements that move P*(value | combination) most: λ_j ∂P*/∂λ_j, largest first.

    Where the reader knows for certain no multiplier moves anything; the statements then have an
    effect of 0. With ``prove`` they are a smallest set that leaves no other possibility, otherwise
    the narrowest ones about these people that are met exactly.
    """
    population, constraints = inference.population, inference.constraints
    starts, members = population.of_combination
    units = members[starts[place] : starts[place + 1]]
    inside = np.isin(constraints.units, units)
    lines, at = constraints.owners[inside], constraints.units[inside]
    share = inference.posterior[at, value]
    other = inference.posterior[at, constraints.values[lines]]
    slope = np.where(constraints.values[lines] == value, share * (1 - share), -share * other)
    weight = population.counts[at] / population.people[place]
    effects = np.zeros(len(constraints))
    np.add.at(effects, lines, weight * slope * inference.multipliers[lines])
    order = np.argsort(-np.abs(effects), kind="stable")[:most]
    found = [Responsible(inference.text(int(line)), float(effects[line])) for line in order if effects[line]]
    if found or inference.posterior[units, value].min(initial=1.0) < 1.0:
        return tuple(found)
    if prove:
        proof = reasons_for_certainty(inference, place, value)
        return tuple(Responsible(inference.text(int(line)), 0.0) for line in proof.tolist())
    return _certain(inference, np.unique(lines), most)


def _certain(inference: Inference, lines: Counts, most: int) -> tuple[Responsible, ...]:
    """The tight statements about people of whom the reader is certain, the narrowest first."""
    tight = lines[inference.tight[lines]]
    sizes = np.diff(inference.constraints.offsets)[tight]
    chosen = tight[np.argsort(sizes, kind="stable")[:most]]
    return tuple(Responsible(inference.text(int(line)), 0.0) for line in chosen)
