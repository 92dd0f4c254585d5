"""The formats in which transactions are published: text that the verifier reads."""

from tacit.options import Says
from tacit.ranges import OneOf, Optional

TEXT_FORMATS = ("dat", "basket", "csv", "jsonl")
PUBLISHED_AS = Optional(OneOf(TEXT_FORMATS))
SAYS_FORMAT = Says(
    "Published format",
    "Published format: dat, basket, csv or jsonl; as it came in by default. Others: tacit export.",
    values=(("", "as it came in"), *((name, name) for name in TEXT_FORMATS)),
    flag="publish_as",
)
