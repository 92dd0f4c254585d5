"""What published rules give away, by maximum entropy: sources of knowledge in, posteriors out."""

from tacit.disclosure.curves import CurvePoint, rules_curve, threshold_curve, top_differences
from tacit.disclosure.inference import Certificate, Inference, infer
from tacit.disclosure.knowledge import BucketCounts, Distribution, Fact, Facts, Knowledge, RuleScores, Silence
from tacit.disclosure.population import Population, population_of
from tacit.disclosure.published import PublishedRules, published_rules
from tacit.disclosure.result import Disclosure, DisclosureReport, Exposed, NarEffect
from tacit.disclosure.safe import JudgedRules, judge_rules
from tacit.disclosure.thresholds import Thresholds, thresholds_of
from tacit.disclosure.withheld import MissingScores, missing_scores

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
    "JudgedRules",
    "Knowledge",
    "MissingScores",
    "NarEffect",
    "Population",
    "PublishedRules",
    "RuleScores",
    "Silence",
    "Thresholds",
    "infer",
    "judge_rules",
    "missing_scores",
    "population_of",
    "published_rules",
    "rules_curve",
    "threshold_curve",
    "thresholds_of",
    "top_differences",
]
