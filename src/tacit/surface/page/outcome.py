"""What a run of the page comes to: a release that is made, judged and verified, and later published.

Trying parameters is not publishing. A run leaves a *candidate* in the job's private folder: the files
that would be published, verified in a fresh process like any release, with all that was measured on
them. Publishing puts the same files through the ledger, which is asked whether the records were
released before, into the place that the user said and into the archive that is downloaded. The folder of the
page may go, so the ledger keeps a copy, with which later releases can be read together.

Beside it are shown a few people of the original as a reader finds them in it: before, after, and a sentence.
"""

from __future__ import annotations

import pickle
import resource
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial, reduce
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import TacitError, UsageError, shorten
from tacit.judging.composition import StatedRule
from tacit.judging.figures import RISKS, UTILITY
from tacit.judging.risk.matching import Found, found
from tacit.judging.risk.standards import find_standards
from tacit.judging.set_composition import PublishedSets
from tacit.release import MANIFEST_NAME, Content, Manifest, publish
from tacit.release.composing import identity
from tacit.release.kinds import kind_of
from tacit.release.ledger import Ledger
from tacit.release.published import Release
from tacit.release.reading import published_data
from tacit.release.records import Records
from tacit.release.verification import Verification, verify, verify_in_fresh_process
from tacit.showing.layout import joined
from tacit.showing.ledger import composition_stated
from tacit.showing.page import fragment
from tacit.surface.dossier import Facts, measured, said_besides
from tacit.surface.page.errors import on_the_page
from tacit.surface.page.forms import OUTPUT, REFUSED
from tacit.surface.page.project import read_sealed, write_sealed, zipped
from tacit.surface.page.session import CANDIDATE
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.prepare import prepare_recipe
from tacit.surface.recipe.run import make_releases
from tacit.surface.reporting import report_page, tell
from tacit.typing import Progress

RECORDS = "records.pickle"


def make_candidate(recipe: Recipe, folder: Path, progress: Progress) -> dict[str, Any]:
    """Carry a recipe of one release out as far as the candidate, and say what was measured on it."""

    progress("Reading the data", None)
    prepared = prepare_recipe(recipe, base=folder)
    (made,) = make_releases(prepared, progress=progress)
    release = made.release.complete()
    progress("Writing and verifying", None)
    verified: list[Verification] = []

    def check(staged: Path) -> None:
        verified.append(verify(staged))
        if verified[0].broken:
            verify_in_fresh_process(staged)  # raises, and says what is wrong

    published = publish(folder / CANDIDATE, release.files, release.manifest, release.private, verify=check)
    # What publishing needs beside the files: the manifest, the records, the private record.
    write_sealed(folder / RECORDS, pickle.dumps((release.manifest, release.records(), release.origin)))
    if published.private is not None:
        shutil.copytree(published.private, folder / f"{CANDIDATE}-private")
    progress("Drawing the figures", None)
    told = tell(folder / CANDIDATE, verified=verified[0], owner=published.private is not None)
    # The risks and the utility as the report shows them.
    blocks = [*measured(RISKS, told), *measured(UTILITY, told), *said_besides("reader", told)]
    drawn = fragment(blocks, style=False)
    write_sealed(folder / "result.html", drawn.encode())
    return {
        "promise": release.manifest.promise_words,
        "reader": release.manifest.reader_words,
        "limits": release.manifest.limits,
        "figures": made.figures,
        "notes": [on_the_page(note) for note in (*prepared.notes, *release.manifest.notes)],
        "examples": examples(
            getattr(release, "original", None), folder / CANDIDATE, published.private, release.manifest
        ),
        "checks": [asdict(check) for check in told.checks],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


@dataclass(frozen=True, eq=False)
class Kept(Release):
    """A candidate from the private folder, as the release it is."""

    kept: Records | None

    def records(self) -> Records | None:
        return self.kept


def publish_candidate(task: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Put a candidate through the ledger and into its place, and pack it for download.

    The task is what :func:`tacit.surface.page.job_routes.publish` sends. Without a place the release lies in
    the job's own folder. What only the owner may see is packed apart.
    """
    candidate, folder, name = Path(task["candidate"]), Path(task["folder"]), task["name"]
    standard, acknowledged = task["standard"], task["acknowledged"]
    find_standards([standard] if standard else [])  # one that is not there is refused before anything is done
    progress("Asking the ledger, writing and verifying", None)
    content = read_sealed(candidate / RECORDS)
    if content is None:  # only what this account wrote itself is unpickled
        raise UsageError(
            "This run was made by another account or was changed since.",
            code="run-not-sealed",
            hint="Make the release again here, then publish it.",
        )
    manifest, records, origin = pickle.loads(content)
    kept = Kept(
        manifest=manifest,
        files=_contents(candidate / CANDIDATE, leave_out=MANIFEST_NAME),
        private=_contents(candidate / f"{CANDIDATE}-private"),
        origin=origin,
        kept=records,
    )
    published = kept.save(
        Path(task["place"] or folder / OUTPUT),
        acknowledge_composition=acknowledged == REFUSED[-1],
        accept_weak=acknowledged in REFUSED,
        reason=task["reason"] or None,
        acknowledged_by=task["acknowledged_by"] or None,
    )
    with suppress(TacitError):  # without a copy, a later release is not read together with this one
        Ledger().keep_copy(identity(published.manifest), published.folder)
    progress("Packing", None)
    zipped(published.folder, folder / "release.zip", inside=name)
    if published.private is not None:
        zipped(published.private, folder / "private.zip", inside=f"{name}.private/{published.private.name}")
    told = tell(published.folder, name=name)
    report = report_page(told, published.folder, Facts(**task["facts"]), standard)
    (folder / "report.html").write_text(report.to_html(), encoding="utf-8")
    stated = published.manifest.risks.get("composition")
    return {
        "composition": composition_stated(stated) if stated else None,
        "place": str(published.folder) if task["place"] else None,
    }


def _contents(folder: Path, leave_out: str = "") -> dict[str, Content]:
    if not folder.is_dir():
        return {}
    return {
        path.name: partial(shutil.copyfile, path)
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != leave_out
    }


SHOWN = 5
"""So many people are shown."""
VALUES = 6
"""So many possible values are named."""
LOOKED_AT = 200
"""Of so many sets those are shown that changed."""
MOST_ITEMS = 12
"""So many items of a set are named."""


def examples(original: Any, folder: Path, private: Path | None, manifest: Manifest) -> list[dict[str, Any]]:
    """The first people of the data: what is known of them, how it is published, what a reader learns."""
    if isinstance(original, Transactions):
        return _sets(original, folder, private, manifest)
    if not isinstance(original, Table) or not kind_of(manifest.kind).counts_records:
        return []
    published = published_data(folder, manifest)
    if published.table is None:
        return []
    read = kind_of(manifest.kind).read_table
    rules = () if read is None else read(folder, manifest).rules
    quasi = [original.column(name) for name in original.roles.quasi]
    told = []
    for row in range(min(SHOWN, len(original))):
        known = {column.name: column.texts[column.codes[row]] for column in quasi}
        one = _ruled(found(published.table, known, published.group), rules)
        told.append(
            {
                "before": {name: _text(value) for name, value in one.known.items()},
                "after": {name: _either(look[name] for look in one.looks) for name in one.known},
                "sentence": _sentence(one),
            }
        )
    return told


def _sets(
    original: Transactions, folder: Path, private: Path | None, manifest: Manifest
) -> list[dict[str, Any]]:
    """Sets of the original beside what is published of them; those that changed come first."""
    read = kind_of(manifest.kind).read_sets
    if read is None:
        return []
    published = read(folder, manifest)
    came_from = None if private is None else private / "rows.txt"
    if published.mapping:
        held = {row: _items(original, row) for row in range(min(LOOKED_AT, len(original)))}
        pairs = [
            (items, tuple(dict.fromkeys(filter(None, (published.mapping.get(item, item) for item in items)))))
            for items in held.values()
        ]
    elif came_from is not None and came_from.is_file():
        with came_from.open(encoding="ascii") as rows:
            pairs = [
                (_items(original, int(row)), _items(published.records, place))
                for place, row in enumerate(islice(rows, LOOKED_AT))
            ]
    else:
        return []
    pairs = sorted((pair for pair in pairs if pair[0]), key=lambda pair: set(pair[0]) == set(pair[1]))
    return [
        {
            "before": {"items": _listed(before)},
            "after": {"items": _listed(after)},
            "sentence": _set_sentence(before, after, published, manifest.promise.get("m")),
        }
        for before, after in pairs[:SHOWN]
    ]


def _items(data: Transactions, row: int) -> tuple[str, ...]:
    return tuple(data.vocabulary[item] for item in data.items[data.indptr[row] : data.indptr[row + 1]])


def _set_sentence(
    before: Sequence[str], after: Sequence[str], published: PublishedSets, m: int | None
) -> str:
    """Of a secret, what was taken out; otherwise how many records the rarest known items leave."""
    gone = [item for item in before if item not in after]
    if m is None:
        return f"Taken out: {_listed(gone)}." if gone else "As it was."
    records = published.records
    code = {name: place for place, name in enumerate(records.vocabulary)}
    owner = np.repeat(np.arange(len(records)), np.diff(records.indptr))
    rows = {item: owner[records.items == code.get(published.mapping.get(item, item), -1)] for item in before}
    known = sorted(before, key=lambda item: (len(rows[item]), item))[:m]
    left = reduce(np.intersect1d, (rows[item] for item in known))
    return f"Whoever knows {_either(known, 'and')} faces {len(left):,} records."


def _listed(items: Sequence[str]) -> str:
    more = len(items) - MOST_ITEMS
    return ", ".join(map(shorten, items[:MOST_ITEMS])) + (f" and {more:,} more" if more > 0 else "")


def _ruled(one: Found, rules: Sequence[StatedRule]) -> Found:
    """What is found without the values that a stated rule excludes."""
    out = {
        (rule.attribute, rule.value)
        for rule in rules
        if all(one.known.get(name) in held for name, held in rule.when.items())
    }
    values = {
        name: tuple(value for value in held if (name, value) not in out) for name, held in one.values.items()
    }
    return replace(one, values=values)


def _sentence(one: Found) -> str:
    """What a reader who knows a person learns, in a sentence."""
    who = ", ".join(_text(value) for value in one.known.values())
    if not one.rows:
        return f"{who}: not in the release."
    rows = "one row" if one.rows == 1 else f"one of {one.rows:,} rows"
    could = "; ".join(f"{shorten(name)} {_either(values)}" for name, values in one.values.items())
    return f"{who}: {rows}; could have {could}." if could else f"{who}: {rows}."


def _either(values: Any, word: str = "or") -> str:
    """Values of which any may be the right one."""
    texts = list(dict.fromkeys(_text(value) for value in values))
    if len(texts) > VALUES:
        return f"{', '.join(texts[:VALUES])} or one of {len(texts) - VALUES:,} others"
    return joined(texts, f" {word} ")


def _text(value: str | None) -> str:
    return "missing" if value is None else shorten(value)
