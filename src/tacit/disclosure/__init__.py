"""What published rules give away, by maximum entropy: sources of knowledge in, posteriors out."""

from tacit.disclosure.curves import CurvePoint, rules_curve, threshold_curve, top_differences
from tacit.disclosure.inference import Certificate, Inference, infer
from tacit.disclosure.knowledge import BucketCounts, Distribution, Fact, Facts, Knowledge, RuleScores, Silence
from tacit.disclosure.population import Population, population_of
from tacit.disclosure.published import PublishedRules, published_rules
from tacit.disclosure.result import Disclosure, DisclosureReport, Exposed, NarEffect
from tacit.disclosure.safe import MaxPosterior, MinDivergence, SafeChoice, choose_safe
from tacit.disclosure.thresholds import Thresholds, thresholds_of

__all__ = [
    "BucketCounts",
    "Certificate",
    "CurvePoint",
    "Disclosure",
    "DisclosureReport",
    "Distribution",
    "Exposed",
    "Fact",
    "Facts",
    "Inference",
    "Knowledge",
    "MaxPosterior",
    "MinDivergence",
    "NarEffect",
    "Population",
    "PublishedRules",
    "RuleScores",
    "SafeChoice",
    "Silence",
    "Thresholds",
    "choose_safe",
    "infer",
    "population_of",
    "published_rules",
    "rules_curve",
    "threshold_curve",
    "thresholds_of",
    "top_differences",
]
