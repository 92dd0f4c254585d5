"""A recipe to begin with, written from a profile of the data: every line explained, every guess marked.

The method and its settings are those that the profile suggests.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Any

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.io.readers.database import is_postgresql
from tacit.judging.profile import FOLD, ColumnProfile, TableProfile, TransactionsProfile, profile
from tacit.judging.show import sensitive_unknown
from tacit.methods import METHODS, TABLE, TRANSACTIONS
from tacit.surface.recipe.model import SECTIONS, Source
from tacit.surface.recipe.text import key_text, said, value_text

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
l = 3

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
    """A recipe for these data, as commented TOML.

    ``source`` says how they were read; roles that it does not name are guessed. ``name`` is what the
    folder of the release is called, ``file`` what the recipe is.
    """
    found = profile(data)
    kind = TABLE if isinstance(found, TableProfile) else TRANSACTIONS
    release = ["[[release]]", *_release(found, kind, name)]
    if isinstance(found, TransactionsProfile) and not found.hierarchy:
        why = "See it with 'tacit hierarchy build --by proposed', and improve it."
        release += _entry(SECTIONS["generalize"], "propose", True, why=why, mark=GUESS)
    roles = _roles(found, source) if isinstance(found, TableProfile) else {}
    read = ["[source]", *_source_lines(source, skip=roles), *chain.from_iterable(roles.values())]
    blocks = [
        _comment(HEAD.format(file=shlex.quote(file))),
        "\n".join(read),
        "\n".join(release),
        _comment(f"What must hold, or nothing is published:\n[release.limits]\n{LIMITS[kind]}"),
        _comment(BESIDE[kind].format(name=name)),
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


def _source_lines(source: Source, *, skip: Collection[str]) -> Iterator[str]:
    """How the data were read, as it was said."""
    for key, value in said(source).items():
        if key not in skip:
            yield from _entry(Source, key, value, why=PASSWORD if is_postgresql(str(value)) else "")


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
