"""Recipes written: as TOML, as a JSON Schema, and one to begin with, from a profile of the data.

What is written is what was said, and nothing that goes without saying. By the JSON Schema editors complete
and check recipes while they are written. In the recipe to begin with every line is explained and every guess
marked; the method and its settings are those that the profile suggests.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.io.readers.database import is_postgresql
from tacit.judging.profile import FOLD, ColumnProfile, TableProfile, TransactionsProfile, profile
from tacit.judging.show import sensitive_unknown
from tacit.methods import METHODS, TABLE, TRANSACTIONS
from tacit.surface.recipe.model import SECTIONS, Recipe, Source
from tacit.surface.recipe.section import Section

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}
_ESCAPES = {sign: f"\\u{sign:04x}" for sign in (*range(0x20), 0x7F)} | str.maketrans(_SHORT)
FIRST = ("method", "verb", "by", "path", "output", "source")
"""The keys that a table begins with."""


def to_toml(recipe: Recipe) -> str:
    """The recipe as text; loading it gives an equal recipe. Values at their defaults are left out."""
    parts = {name: getattr(recipe, name) for name in ("source", "knowledge", "key", "dossier")}
    blocks: list[str] = []
    for name, part in parts.items():
        if isinstance(part, Mapping):
            for source, model in part.items():
                blocks += _blocks(f"{name}.{key_text(source)}", said(model))
        elif said(part):
            blocks += _blocks(name, said(part))
    for release in recipe.release:
        blocks += _blocks("release", said(release), array=True)
    for measure in recipe.measure:
        blocks += _blocks("measure", said(measure), array=True)
    return "\n".join(blocks)


def said(model: Section) -> dict[str, Any]:
    """The keys of a table that are not at their defaults, those that tell tables apart first."""
    values = {}
    for name, declared in model.keys.items():
        value, usual = getattr(model, name), declared.default
        if name in ("method", "verb", "by") or value != usual or type(value) is not type(usual):
            values[name] = value
    first = [name for name in FIRST if name in values]
    return {name: values[name] for name in (*first, *(name for name in values if name not in first))}


def value_text(value: Any) -> str:
    """A value as TOML writes it; a whole share such as 1.0 keeps its point, because 1 is a count."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        text = str(value)
        return text if any(sign in text for sign in ".E") else f"{text}.0"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, Section):
        pairs = ", ".join(f"{key_text(name)} = {value_text(part)}" for name, part in said(value).items())
        return f"{{ {pairs} }}"
    return quoted(str(value))


def key_text(name: str) -> str:
    """A key, in quotation marks where it needs them."""
    return name if _BARE.fullmatch(name) else quoted(name)


def quoted(text: str) -> str:
    """Text in quotation marks, with what TOML wants escaped."""
    return f'"{text.translate(_ESCAPES)}"'


def _blocks(name: str, values: Mapping[str, Any], *, array: bool = False) -> Iterator[str]:
    """A table, and below it the tables inside it, each as a block of lines."""
    inner = {key: value for key, value in values.items() if isinstance(value, Mapping | Section)}
    lines = [f"[[{name}]]" if array else f"[{name}]"]
    lines += [f"{key_text(key)} = {value_text(value)}" for key, value in values.items() if key not in inner]
    yield "\n".join(lines) + "\n"
    for key, value in inner.items():
        below = value if isinstance(value, Mapping) else said(value)
        entries = [f"{key_text(part)} = {value_text(entry)}" for part, entry in below.items()]
        yield "\n".join([f"[{name}.{key_text(key)}]", *entries]) + "\n"


DIALECT = "https://json-schema.org/draft/2020-12/schema"


def recipe_schema() -> dict[str, Any]:
    """The schema of a recipe, made from its models and the ranges that the verbs declare."""
    parts: dict[str, Any] = {}
    schema = Recipe.schema(parts) | {"title": "A recipe of Tacit"}
    return {"$schema": DIALECT, **schema, "$defs": dict(sorted(parts.items()))}


GUESS, NEEDED = "GUESS: ", "NEEDED: "
"""How lines are marked that the owner should look at, and lines that the owner must fill in."""
WIDTH = 100
HEAD = """\
A recipe of Tacit: what to publish, from what, and what must hold of it.
Look at the lines marked GUESS or NEEDED, then:  tacit run {file} --dry-run  and  tacit run {file}
Relative paths are relative to this file. Editors check it with the schema that
'tacit run --schema' prints."""
PASSWORD = "A password is not written down: give it in PGPASSWORD, or in ~/.pgpass."
FITS = {
    TABLE: "It fits a table that anybody may read: many rows look alike in it. A column without a hierarchy"
    " gets one by what its values look like; name your own in [source.hierarchies].",
    TRANSACTIONS: "It fits sets of items.",
}
LIMITS = {TABLE: "max_query_error = 0.5", TRANSACTIONS: "max_ncp = 0.5"}
"""What a limit of a release might be."""
BESIDE = {
    TABLE: """\
For readers who are bound by a contract, where exact counts matter, buckets instead:
[[release]]
method = "bucketize"
output = "out/{name}-buckets"
l = {l}{person}

Association rules of the same table, if they stay within a largest posterior:
[[release]]
method = "rules"
output = "out/{name}-rules"
min_support = 0.05
min_confidence = 0.5
max_length = 2
max_posterior = 0.8
acknowledge_composition = true  # a reader may put both releases together""",
    TRANSACTIONS: """\
To keep some patterns secret instead of grouping items:
[[release]]
method = "hide"
output = "out/{name}-hidden"
patterns = "secret.txt"  # one a line: beer, diapers; or beer => diapers
min_support = 0.01""",
}
"""What else might be published."""
KEY = """\
The key that drives every random choice is your own (tacit key new); another is named by
[key]
file = "project.key\""""


def starter_recipe(
    data: Table | Transactions, source: Source, *, name: str = "release", file: str = "recipe.toml"
) -> str:
    """A recipe for these data, as commented TOML; roles that the source does not name are guessed."""
    found = profile(data)
    kind = TABLE if isinstance(found, TableProfile) else TRANSACTIONS
    release = ["[[release]]", *_release(found, kind, name)]
    if isinstance(found, TransactionsProfile) and not found.hierarchy:
        why = "See it with 'tacit hierarchy build --by proposed', and improve it."
        release += _entry(SECTIONS["generalize"], "propose", True, why=why, mark=GUESS)
    roles = _roles(found, source) if isinstance(found, TableProfile) else {}
    read = ["[source]"]
    for key, value in said(source).items():
        if key not in roles:
            read += _entry(Source, key, value, why=PASSWORD if is_postgresql(str(value)) else "")
    read += chain.from_iterable(roles.values())
    blocks = [
        _comment(HEAD.format(file=shlex.quote(file))),
        "\n".join(read),
        "\n".join(release),
        _comment(f"What must hold, or nothing is published:\n[release.limits]\n{LIMITS[kind]}"),
        _comment(BESIDE[kind].format(name=name, **_same(found))),
        _comment(KEY),
    ]
    return "\n\n".join(blocks) + "\n"


def _release(found: TableProfile | TransactionsProfile, kind: str, name: str) -> Iterator[str]:
    """The release that the profile suggests."""
    method = next(one for one in METHODS.values() if one.command == found.method and one.takes == kind)
    section = SECTIONS[method.name]
    yield from _entry(section, "method", found.method, why=FITS[kind])
    yield from _entry(section, "output", f"out/{name}")
    for option, value in found.settings.items():
        yield from _entry(section, option, value)
    if isinstance(found, TableProfile) and found.person is not None:
        yield from _entry(section, "person", found.person, mark=GUESS)


def _same(found: TableProfile | TransactionsProfile) -> dict[str, Any]:
    """What another release of the same data needs as much."""
    person = found.person if isinstance(found, TableProfile) else None
    line = "" if person is None else f"\nperson = {value_text(person)}"
    return {"l": found.settings.get("l", 3), "person": line}


def _roles(found: TableProfile, source: Source) -> dict[str, list[str]]:
    """The roles of the columns, each with its lines."""
    roles = {"quasi": found.quasi, "sensitive": found.sensitive}
    dropped = tuple(name for name in found.identifiers if name != found.person)
    if not source.drop and dropped:
        roles["drop"] = dropped
    lines = {}
    if found.person in source.drop:  # dropped, it would tell nobody apart
        left = tuple(name for name in source.drop if name != found.person)
        lines["drop"] = [*_entry(Source, "drop", left)] if left else []
    given = not any(column.why not in ("given", "no role given") for column in found.columns)
    for role, names in roles.items():
        mark = NEEDED if not names else "" if given else GUESS
        why = _why(found.columns, names) if mark else ""
        if role == "sensitive" and not names:
            why = f"{sensitive_unknown(found.may_be_sensitive)} Name at least one."
        lines[role] = [*_entry(Source, role, names, why=why, mark=mark)]
    if FOLD in found.next_command and "twins" not in said(source):
        lines["twins"] = [*_entry(Source, "twins", "fold", mark=GUESS)]
    kept = (*source.keep, found.person)
    rest = [one.name for one in found.columns if one.role == "none" and one.name not in kept]
    if rest:
        about = [_comment(f"Without a role, and so not published: {', '.join(rest)}.")]
        lines["rest"] = about + (
            [] if source.keep else ["# keep = [] publishes the columns it names, as they are."]
        )
    return lines


def _why(columns: Sequence[ColumnProfile], names: Sequence[str]) -> str:
    reasons: dict[str, list[str]] = {}
    for column in columns:
        if column.name in names:
            reasons.setdefault(column.why.replace("by its", "by"), []).append(column.name)
    said = "; ".join(f"{', '.join(group)}: {why}" for why, group in reasons.items())
    return f"({said})" if said else "Nothing tells; name at least one."


def _entry(model: Any, key: str, value: Any, *, why: str = "", mark: str = "") -> Iterator[str]:
    """A key with what it means above it."""
    about = model.keys[key].says.replace(" (tables).", ".").replace(" (transactions).", ".")
    yield _comment(f"{mark}{about}{' ' + why if why else ''}")
    yield f"{key_text(key)} = {value_text(value)}"


def _comment(text: str) -> str:
    lines = [
        line
        for part in text.splitlines()
        for line in (textwrap.wrap(part, WIDTH - 2, break_long_words=False, break_on_hyphens=False) or [""])
    ]
    return "\n".join(f"# {line}".rstrip() for line in lines)
