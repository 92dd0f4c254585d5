"""The releases a recipe makes: one table for each, told apart by its method.

The keys of a release are the options of its verb, and those of its knowledge are the options of
:func:`tacit.mine_negative_rules`; its limits are about the figures of the method. Nothing of them is said
here again.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, Union, cast

from pydantic import Field, create_model

from tacit.methods import METHODS, Method, knowledge_options
from tacit.options import Option, options_of
from tacit.ranges import Optional
from tacit.release.published import Release as Saved
from tacit.surface.recipe.values import Flag, Names, OptionalText, Section, Text, Within

SAVING = options_of(Saved.save)
STANDARD = "Named standards, or files of your own (.toml), that it must pass, or nothing is published."


class OneRelease(Section):
    """What the releases of all methods have."""

    method: str
    """The method of this release."""
    output: Text
    """Folder of the release."""
    source: OptionalText = None
    """Which source it is made from; not needed where there is one."""
    acknowledge_composition: Flag = Field(
        default=False, description=SAVING["acknowledge_composition"].says.help
    )
    accept_weak: Flag = Field(default=False, description=SAVING["accept_weak"].says.help)
    standard: Names = Field(default=(), description=STANDARD)
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


def fields_of(options: Mapping[str, Option]) -> dict[str, Any]:
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
    **fields_of(knowledge_options()),
)


def _limits(method: Method) -> type[Section]:
    """The limits that may be set on the figures of a method."""
    fields: dict[str, Any] = {
        figure.limit: (
            Annotated[Any, Within(Optional(figure.unit.range))],
            Field(default=None, description=figure.meaning()),
        )
        for figure in method.figures
    }
    says = f"What must hold of a release by {method.name}, or nothing is published."
    return create_model(f"{method.name.title()}Limits", __base__=Section, __doc__=says, **fields)


LIMITS = {name: _limits(method) for name, method in METHODS.items()}


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
        **fields_of(method.options),
        **more,
        limits=(limits, must),
    )


SECTIONS: dict[str, Any] = {name: _section(method) for name, method in METHODS.items()}
"""The table of a release, by its method."""
Release: Any = Annotated[Union[tuple(SECTIONS.values())], Field(discriminator="method")]  # noqa: UP007
