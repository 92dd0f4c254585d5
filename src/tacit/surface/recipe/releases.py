"""The releases a recipe makes: one table for each, told apart by its method.

The keys of a release are the options of its verb, and those of its knowledge are the options of
:func:`tacit.mine_negative_rules`; nothing of them is said here again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, Union, cast

from pydantic import Field, create_model

from tacit.methods import METHODS, Method, knowledge_options
from tacit.options import Option
from tacit.ranges import Optional, Share, Whole
from tacit.surface.recipe.values import Flag, OptionalText, Section, Text, Within

_AtMost = Annotated[int | Decimal | None, Within(Optional(Share(open_low=False)))]
_Count = Annotated[int | None, Within(Optional(Whole(0)))]
_Error = Annotated[int | Decimal | None, Within(Optional(Share(high=math.inf, open_low=False)))]


class BucketizeLimits(Section):
    """What must hold of a bucketized release, or nothing is published."""

    max_posterior: _AtMost = None
    """The largest posterior of any value of anybody, for a reader who knows the rules."""
    max_vulnerable: _Count = None
    """Rows with fewer than l valid values for a reader who knows the rules."""
    max_vulnerable_longer: _Count = None
    """The same for a reader who knows rules of one attribute more, and from an expectation of 0.75 on."""
    max_learning_gain: _AtMost = None
    """By how much a classifier learned from the release guesses better than at random in a bucket."""
    max_suppressed: _AtMost = None
    """The share of rows left out."""
    max_query_error: _Error = None
    """The mean relative error of counting queries, as the manifest states it."""


class GeneralizeLimits(Section):
    """What must hold of a k^m-anonymous release, or nothing is published."""

    max_ncp: _AtMost = None
    """The normalized certainty penalty: the share of detail lost."""
    max_suppressed: _AtMost = None
    """The share of records left out."""
    max_narrowed: _AtMost = None
    """The share of records that a reader who knows one item more than promised narrows below k."""
    max_leaf_guessing: _AtMost = None
    """The share of generalized items that a reader guesses right."""
    min_items: _Count = None
    """How many different items are left."""


class HideLimits(Section):
    """What must hold of transactions with hidden patterns, or nothing is published."""

    max_hiding_failure: _AtMost = None
    """The share of secret patterns that can still be mined."""
    max_misses_cost: _AtMost = None
    """The share of other frequent patterns that are lost."""
    max_artificial_patterns: _AtMost = None
    """The share of mined patterns that the original does not have."""
    max_dissimilarity: _AtMost = None
    """The share of items taken out."""
    max_weakness: _AtMost = None
    """The share of secret patterns that can be inferred from pairs."""


class RulesLimits(Section):
    """What must hold of published rules, or nothing is published."""

    max_posterior: _AtMost = None
    """The largest posterior of any value of anybody, with reasoning from silence or without."""
    max_channels: _Count = None
    """Groups below k that follow from the supports by subtraction; needs k."""
    min_rules: _Count = None
    """How many rules are published."""


LIMITS: dict[str, type[Section]] = {
    "bucketize": BucketizeLimits,
    "generalize": GeneralizeLimits,
    "hide": HideLimits,
    "rules": RulesLimits,
}


class OneRelease(Section):
    """What the releases of all methods have."""

    method: str
    """The method of this release."""
    output: Text
    """Folder of the release."""
    source: OptionalText = None
    """Which source it is made from; not needed where there is one."""
    acknowledge_composition: Flag = False
    """Publish it although the same records were released before; its manifest then states what both tell."""
    limits: Any = None
    """What must hold, or nothing is published."""

    @property
    def by(self) -> Method:
        """The method."""
        return METHODS[self.method]

    def asked(self) -> dict[str, Any]:
        """The options of the verb, as given or by default."""
        return {name: getattr(self, name) for name in self.by.options}


def values_of(section: Section | None, options: Mapping[str, Option]) -> dict[str, Any]:
    """The options that a table of a recipe gives, as given or by default."""
    return {} if section is None else {name: getattr(section, name) for name in options}


def _fields(options: Mapping[str, Option]) -> dict[str, Any]:
    """The keys that options are: a number by default is exact."""
    found = {}
    for option in options.values():
        usual = ... if option.required else option.default
        if isinstance(usual, float):
            usual = Decimal(repr(usual))
        kind = Annotated[Any, Within(option.range)]
        found[option.name] = (kind, Field(default=usual, description=option.says.help))
    return found


Knowledge: Any = create_model(
    "Knowledge",
    __base__=Section,
    __doc__="The negative rules that readers of a bucketized table are assumed to know.",
    **_fields(knowledge_options()),
)


def _section(method: Method) -> Any:
    more: dict[str, Any] = {}
    if method.knowledge:
        own = "What readers of this release are assumed to know, in place of the recipe's knowledge."
        more["knowledge"] = (Knowledge | None, Field(default=None, description=own))
    limits = LIMITS[method.name]
    must = Field(default=limits(), description="What must hold, or nothing is published.")
    name = Field(default=method.name, description="The method of this release.")
    return create_model(
        method.name.title(),
        __base__=OneRelease,
        __doc__=method.says,
        method=(cast(Any, Literal[method.name]), name),
        **_fields(method.options),
        **more,
        limits=(limits, must),
    )


SECTIONS: dict[str, Any] = {name: _section(method) for name, method in METHODS.items()}
"""The table of a release, by its method."""
Release: Any = Annotated[Union[tuple(SECTIONS.values())], Field(discriminator="method")]  # noqa: UP007
