"""k^m-anonymity for sets: cuts of a hierarchy under which few items of a record give nobody away."""

from tacit.cuts.apply import generalized
from tacit.cuts.auto import Attempt
from tacit.cuts.blockers import Blockers, blockers
from tacit.cuts.cut import Cut
from tacit.cuts.plan import Plan
from tacit.cuts.solve import RANGES, Algorithm, solve

__all__ = ["RANGES", "Algorithm", "Attempt", "Blockers", "Cut", "Plan", "blockers", "generalized", "solve"]
