"""A recipe to begin with, written from a profile of the data: every line explained, every guess marked.

What to begin with where nothing was decided: hierarchies that fit the values, an ℓ that fits the table.
"""

from __future__ import annotations

import os
import re
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacit.data.table import Roles, Table
from tacit.data.transactions import Transactions
from tacit.errors import TacitError
from tacit.io.readers.database import is_postgresql
from tacit.judging.profile import ColumnProfile, profile_table
from tacit.judging.show import sensitive_unknown
from tacit.surface.recipe.model import (
    SAYS,
    SECTIONS,
    Dates,
    Flat,
    Intervals,
    Prefixes,
    Rule,
    Source,
)
from tacit.surface.recipe.write import key_text, said, value_text

GUESS, NEEDED = "GUESS: ", "NEEDED: "
"""How lines are marked that the owner should look at, and lines that the owner must fill in."""
WIDTH = 100
HEAD = """\
A recipe of Tacit: what to publish, from what, and what must hold of it.
Look at the lines marked GUESS or NEEDED, then:  tacit run {file} --dry-run  and  tacit run {file}
Relative paths are relative to this file. Editors check it with the schema that
'tacit run --schema' prints."""

PASSWORD = "A password is not written down: give it in PGPASSWORD, or in ~/.pgpass."


def starter_recipe(
    data: Table | Transactions, source: Source, *, name: str = "release", file: str = "recipe.toml"
) -> str:
    """A recipe for these data, as commented TOML.

    ``source`` says how they were read; roles that it does not name are guessed. ``name`` is what the
    folder of the release is called, ``file`` what the recipe is.
    """
    blocks = [_comment(HEAD.format(file=shlex.quote(file))) + "\n"]
    if isinstance(data, Table):
        blocks += _for_table(data, source, name)
    else:
        blocks += _for_transactions(data, source, name)
    blocks.append(
        _comment(
            "The key that drives every random choice is your own (tacit key new); another is named by\n"
            '[key]\nfile = "project.key"'
        )
        + "\n"
    )
    return "\n".join(blocks)


def _for_table(table: Table, source: Source, name: str) -> Iterator[str]:
    profile = profile_table(table)
    roles = {"quasi": profile.quasi, "sensitive": profile.sensitive}
    if not source.drop:
        roles["drop"] = profile.identifiers
    given = not any(column.why not in ("given", "no role given") for column in profile.columns)
    clear = bool(profile.quasi and profile.sensitive)
    lines = [*_source_lines(source, skip=tuple(roles))]
    for role, names in roles.items():
        if names or role != "drop":
            mark = NEEDED if not names else "" if given else GUESS
            why = _why(profile.columns, names) if mark else ""
            if role == "sensitive" and not names:
                why = f"{sensitive_unknown(profile.may_be_sensitive)} Name at least one."
            lines += _entry(Source, role, names, why=why, mark=mark)
    rest = [
        column.name for column in profile.columns if column.role == "none" and column.name not in source.keep
    ]
    if rest:
        lines.append(_comment(f"Without a role, and so not published: {', '.join(rest)}."))
        lines += [] if source.keep else ["# keep = [] publishes the columns it names, as they are."]
    yield _block("[source]", lines)
    if source.hierarchies is None and not table.hierarchies:
        lines = _hierarchies(table, profile.quasi)
        if lines:
            yield _block("[source.hierarchies]", lines)
    fitting = _with_roles(table, profile.quasi, profile.sensitive) if clear else None
    yield _bucketize(suggested_l(fitting) if fitting is not None else None, name, clear=clear)
    yield (
        _comment(
            "Association rules of the same table, if they stay within a largest posterior:\n"
            '[[release]]\nmethod = "rules"\n'
            f'output = "out/{name}-rules"\nmin_support = 0.05\nmin_confidence = 0.5\nmax_length = 2\n'
            "max_posterior = 0.8\nacknowledge_composition = true  # a reader may put both releases together"
        )
        + "\n"
    )


def _bucketize(l: int | None, name: str, *, clear: bool) -> str:
    lines = [
        *_entry(SECTIONS["bucketize"], "method", "bucketize", why="It fits a table with a sensitive column.")
    ]
    lines += _entry(SECTIONS["bucketize"], "output", f"out/{name}")
    if l is None and clear:
        why = "The table allows no l as it is; 'tacit run' names the ways out."
        lines += _entry(SECTIONS["bucketize"], "l", 2, why=why, mark=NEEDED)
    else:
        lines += _entry(
            SECTIONS["bucketize"], "l", l or 3, why="Raise it for more protection, at a loss of utility."
        )
    below = _block(
        "[release.limits]",
        [
            _comment("What must hold, or nothing is published; add max_posterior, max_query_error, …"),
            "max_vulnerable = 0",
        ],
    )
    return _block("[[release]]", lines) + "\n" + below


def _for_transactions(data: Transactions, source: Source, name: str) -> Iterator[str]:
    lines = [*_source_lines(source, skip=("hierarchy",))]
    if source.hierarchy is not None:
        lines += _entry(Source, "hierarchy", source.hierarchy)
    yield _block("[source]", lines)
    lines = [*_entry(SECTIONS["generalize"], "method", "generalize", why="It fits sets of items.")]
    lines += _entry(SECTIONS["generalize"], "output", f"out/{name}")
    lines += _entry(SECTIONS["generalize"], "k", max(2, min(5, len(data))))
    lines += _entry(SECTIONS["generalize"], "m", 2)
    if data.hierarchy is None:
        why = "See it with 'tacit hierarchy build --by proposed', and improve it."
        lines += _entry(SECTIONS["generalize"], "propose", True, why=why, mark=GUESS)
    yield _block("[[release]]", lines)
    yield _comment("What must hold, or nothing is published:\n[release.limits]\nmax_ncp = 0.5") + "\n"
    yield (
        _comment(
            "To keep some patterns secret instead of grouping items:\n"
            f'[[release]]\nmethod = "hide"\noutput = "out/{name}-hidden"\n'
            'patterns = "secret.txt"  # one a line: beer, diapers; or beer => diapers\nmin_support = 0.01'
        )
        + "\n"
    )


def _source_lines(source: Source, *, skip: Sequence[str]) -> Iterator[str]:
    """How the data were read, as it was said."""
    for key, value in said(source).items():
        if key not in skip:
            yield from _entry(Source, key, value, why=PASSWORD if is_postgresql(str(value)) else "")


def _hierarchies(table: Table, names: Sequence[str]) -> list[str]:
    """Rules for the columns whose values can be grouped; the others need none."""
    found = {name: suggested_rule(table.column(name).texts) for name in names}
    lines = [
        f"{key_text(name)} = {value_text(rule)}  # {GUESS}{why}"
        for name, (rule, why) in found.items()
        if not isinstance(rule, Flat)
    ]
    if lines:
        about = "How values are grouped, so that knowledge about groups is found: a rule, or a file."
        alone = [name for name, (rule, _) in found.items() if isinstance(rule, Flat)]
        lines = [_comment(about + (f" Each value alone: {', '.join(alone)}." if alone else "")), *lines]
    return lines


def _with_roles(table: Table, quasi: tuple[str, ...], sensitive: tuple[str, ...]) -> Table:
    return replace(table, roles=Roles(quasi, sensitive, table.roles.identifiers, ()))


def _why(columns: Sequence[ColumnProfile], names: Sequence[str]) -> str:
    reasons: dict[str, list[str]] = {}
    for column in columns:
        if column.name in names:
            reasons.setdefault(column.why.replace("by its", "by"), []).append(column.name)
    said = "; ".join(f"{', '.join(group)}: {why}" for why, group in reasons.items())
    return f"({said})" if said else "Nothing tells; name at least one."


def _entry(model: Any, key: str, value: Any, *, why: str = "", mark: str = "") -> Iterator[str]:
    """A key with what it means above it."""
    about = SAYS.get(key) if model is Source else None
    about = about or str(model.model_fields[key].description or "")
    yield _comment(f"{mark}{about}{' ' + why if why else ''}")
    yield f"{key_text(key)} = {value_text(value)}"


def _comment(text: str) -> str:
    lines = [
        line
        for part in text.splitlines()
        for line in (textwrap.wrap(part, WIDTH - 2, break_long_words=False, break_on_hyphens=False) or [""])
    ]
    return "\n".join(f"# {line}".rstrip() for line in lines)


def _block(header: str, lines: Sequence[str]) -> str:
    return "\n".join([header, *lines]) + "\n"


def relative_to(path: Path, folder: Path) -> str:
    """A path as it is written in a recipe that lies in a folder."""
    return str(path) if path.is_absolute() else os.path.relpath(path, folder)


USUAL_L = 3
WIDTHS = (1, 2, 5)
"""An interval is one of these wide, times a power of ten."""
INTERVALS = 20
"""About how many narrowest intervals a column of numbers is cut into."""
_WHOLE = re.compile(r"-?\d{1,15}")
_CODE = re.compile(r"[0-9A-Z][0-9A-Z.-]{3,11}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def suggested_rule(values: Sequence[str | None]) -> tuple[Rule, str]:
    """A rule to build a hierarchy that fits these values, and why."""
    for rule, why in _candidates([value for value in values if value is not None]):
        try:
            rule.build(values, None)
        except TacitError:  # the values only looked alike
            continue
        return rule, why
    return Flat(), "nothing groups its values"


def suggested_l(table: Table) -> int | None:
    """The ℓ to begin with: the usual one, or the largest that the table allows; None where it allows none."""
    from tacit.engine.choice import engine_for
    from tacit.methods.bucketize.solve.feasibility import largest_feasible
    from tacit.methods.bucketize.solve.solve import count_classes
    from tacit.mining.verbs import mine_negative_rules
    from tacit.random.key import Key

    rules = mine_negative_rules(table)
    counted = count_classes(table, rules, engine_for(table), Key.from_seed(0))
    largest = largest_feasible(counted.classes)
    return min(USUAL_L, largest) if largest >= 2 else None


def _candidates(values: list[str]) -> list[tuple[Rule, str]]:
    found: list[tuple[Rule, str]] = []
    if not values:
        return found
    if all(_DATE.match(value) for value in values):
        found.append((Dates(), "its values are dates"))
    if len({len(value) for value in values}) == 1 and all(map(_CODE.fullmatch, values)) and len(values) > 10:
        length = len(values[0])
        found.append(
            (Prefixes(lengths=tuple(range(length - 1, 1, -1))), "its values are codes of one length")
        )
    if len(values) > 10 and all(map(_WHOLE.fullmatch, values)):
        numbers = [int(value) for value in values]
        found.append(
            (Intervals(width=_width(max(numbers) - min(numbers)), nesting=(2, 2)), "its values are numbers")
        )
    return found


def _width(span: int) -> int:
    """A round width that cuts a span into about so many intervals."""
    wanted = max(1, span // INTERVALS)
    power = int(10 ** (len(str(wanted)) - 1))
    return next((width * power for width in WIDTHS if width * power >= wanted), 10 * power)
