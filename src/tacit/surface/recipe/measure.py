"""Measures of a recipe: what is found of its data and published nowhere, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import signature
from typing import Any

from tacit.data.table import as_names
from tacit.engine.choice import engine_for
from tacit.io.output import whole_file
from tacit.options import options_of
from tacit.showing.layout import as_text, heading, to_plain
from tacit.surface.frames import MEASURING
from tacit.surface.recipe.model import TOLD, OneMeasure, values_of
from tacit.surface.recipe.prepare import Prepared
from tacit.typing import Progress

LISTED = 25
"""How many lines of what was mined are shown as text; JSON has all."""
MINED = {"mine_itemsets": "itemsets", "mine_rules": "rules", "mine_negative_rules": "negative rules"}
"""What each verb that mines finds."""


@dataclass(frozen=True, eq=False)
class Mined:
    """Itemsets or rules that were mined from some data."""

    verb: str
    data: Any
    found: Any

    def to_dict(self, file: str | None = None) -> dict[str, Any]:
        """All of it, or the file that it was written to."""
        listed = self.found.to_frame().to_dicts() if file is None else file
        called = "items" if self.verb == "mine_itemsets" else "rules"
        plain: dict[str, Any] = {"n_rows": len(self.data), "count": len(self.found), called: listed}
        if self.verb == "mine_negative_rules":
            counts = engine_for(self.data).combinations(self.data, self.data.roles.quasi)
            plain["invalid_histogram"] = self.found.histogram(counts).tolist()
        return plain

    @property
    def title(self) -> str:
        return f"{len(self.found):,} {MINED[self.verb]} in {len(self.data):,} records"

    def __str__(self) -> str:
        text = [self.title, *(f"  {line}" for line in self._first())]
        if len(self.found) > LISTED:
            text.append(
                f"  … and {len(self.found) - LISTED:,} more; all are in the JSON, and in --output FILE"
            )
        return "\n".join(text)

    def _first(self) -> Iterator[str]:
        """The first of what was mined, a line each."""
        found: Any = self.found
        if self.verb == "mine_itemsets":
            yield from (str(found[int(at)]) for at in (-found.supports).argsort(kind="stable")[:LISTED])
        elif self.verb == "mine_negative_rules":
            for rule in (found[place] for place in found.firm_first[:LISTED]):
                chance = ", may be chance" * rule.may_be_chance
                yield f"{rule}  (expectation {rule.expectation:.4f}{chance})"
        else:
            lift = found.measure("lift")
            for place, rule in zip(range(LISTED), found, strict=False):
                about = f"support {rule.support:,}, confidence {rule.confidence:.3f}, lift {lift[place]:.2f}"
                yield f"{rule}  ({about})"


@dataclass(frozen=True, eq=False)
class MeasureResult:
    """What one measure found, and the file that it was written to, if any."""

    verb: str
    source: str
    file: str | None
    found: Any

    @property
    def exit_code(self) -> int:
        """9 where a risk fails against a standard or by a criterion."""
        return 9 if getattr(self.found, "fails", False) else 0

    def to_dict(self) -> dict[str, Any]:
        return {"verb": self.verb, "source": self.source, "file": self.file, "found": to_plain(self.found)}

    def __str__(self) -> str:
        where = "" if self.file is None else f"\n\nWritten to {self.file}."
        return f"{heading(f'{self.verb}: {self.source}')}\n{as_text(self.found)}{where}"


def measure(prepared: Prepared, *, progress: Progress | None = None) -> tuple[MeasureResult, ...]:
    """What every measure of a recipe finds; nothing is written."""
    made = []
    for number, one in enumerate(prepared.recipe.measure):
        source, file = prepared.recipe.source_of(one), None if one.output is None else str(one.output)
        with prepared.about(("measure", number), f"{one.verb} of {source}", progress) as report:
            made.append(MeasureResult(one.verb, source, file, _found(prepared, one, report)))
    return tuple(made)


def _found(prepared: Prepared, one: OneMeasure, progress: Progress) -> Any:
    verb, data = MEASURING[one.verb][0], prepared.data_of(one)
    given = prepared.located(values_of(one, options_of(verb)), options_of(verb))
    if "standard" in given:
        given["standard"] = prepared.standards(as_names(given["standard"]))
    if "progress" in signature(verb).parameters:
        given["progress"] = progress
    found = verb(data, **given)
    if one.verb in MINED:
        return Mined(one.verb, data, found)
    return found.report(**values_of(one, TOLD[one.verb])) if one.verb in TOLD else found


def write_found(prepared: Prepared, results: tuple[MeasureResult, ...], *, overwrite: bool) -> None:
    """Write what was found where the recipe names a file for it."""
    for one in results:
        if one.file is not None:
            with whole_file(prepared.base / one.file, overwrite=overwrite) as path:
                path.touch(mode=0o600)  # exact figures are the owner's
                told = json.dumps(to_plain(one.found), ensure_ascii=False, indent=2)
                path.write_text(f"{told}\n", encoding="utf-8")
