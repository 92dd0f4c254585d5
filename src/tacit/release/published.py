"""A release in memory: what will be published, what it promises, and what only the owner may see.

Every verb returns one. It can be judged before it is written; saving it runs the independent
verifier in a fresh process and puts the whole release in place, or nothing.

Transactions are published in one plain text, which the verifier reads: ``transactions.dat`` (a line of
items), ``transactions.csv`` (a line of quoted items, where a name holds a blank) or
``transactions.jsonl`` (an object a line, where a sensitive column goes along). Other formats are exported
beside a release (:mod:`tacit.surface.export`): in it they would be copies that nobody checks.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar

from tacit.data.transactions import Transactions
from tacit.errors import UsageError
from tacit.io.samples import is_sample
from tacit.io.writers import write_transactions
from tacit.judging.figures import Figure
from tacit.notebook import InNotebook
from tacit.options import Only, Says, verb
from tacit.ranges import Optional, Switch, Words
from tacit.release import Content, Manifest, Published, publish
from tacit.release.checking import Acknowledged, checked_by_ledger
from tacit.release.kinds import check_strong
from tacit.release.reading import READ_AS
from tacit.release.records import Records
from tacit.release.series import hands_on
from tacit.release.store import Settle
from tacit.release.verification import verify_in_fresh_process

ACKNOWLEDGEMENT = "acknowledged.json"
"""The file of the private record that says why a release was published all the same, and who said so."""
ACKNOWLEDGED = Only(
    lambda values: values["acknowledge_composition"] or values["accept_weak"],
    "a release that is published all the same, with acknowledge_composition or accept_weak",
)


@dataclass(frozen=True, eq=False, repr=False)
class Release(InNotebook):
    """What the releases of all methods share.

    ``files`` are the published files by name; ``private`` what goes to the private record beside
    the release; ``origin`` the file the data came from, which a release never replaces.
    """

    manifest: Manifest
    files: Mapping[str, Content]
    private: Mapping[str, Content]
    origin: str | None
    before: tuple[Mapping[str, str], ...] = field(default=(), kw_only=True)
    """The releases of its series before it, oldest first: ``id``, ``manifest``, ``folder`` of each."""

    declared: ClassVar[Iterable[Figure]] = ()
    """The figures of the method."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.manifest.promise_words}>"

    @property
    def figures(self) -> Mapping[str, Mapping[str, Any]]:
        """The exact ``risks`` and ``utility``, which are the owner's; the manifest states them rounded."""
        return {}

    @property
    def parts(self) -> Mapping[str, Any]:
        """What figures are read from."""
        return {**self.manifest.parts, **self.figures}

    def measured(self) -> dict[str, Any]:
        """Every figure of the method by name, exactly."""
        parts = self.parts
        return {figure.name: figure.value(parts) for figure in self.declared}

    def surer_than(self, thresholds: Sequence[float]) -> tuple[float, ...] | None:
        """For each threshold, the share of rows of which the assumed reader can be surer of a value.

        None where the published rows alone tell it.
        """
        return None

    def records(self) -> Records | None:
        """The records that are published, for the ledger; None where they are not in this process."""
        return None

    @property
    def checked_after(self) -> tuple[Mapping[str, str], ...]:
        """Those of them that it is verified with before it is published: the last, where it hands on all."""
        return self.before[-1:] if self.before and hands_on(Path(self.before[-1]["folder"])) else self.before

    @verb
    def save(
        self,
        folder: str | Path,
        *,
        overwrite: Annotated[bool, Switch(), Says("Replace", "Replace a release that is there.")] = False,
        acknowledge_composition: Annotated[
            bool,
            Switch(),
            Says(
                "Publish it all the same",
                "Publish records that were released before; the manifest states what both releases give away"
                " together.",
            ),
        ] = False,
        accept_weak: Annotated[
            bool,
            Switch(),
            Says(
                "Publish it although it is weak",
                "Publish a release that hardly protects somebody, or that leaves hardly any detail.",
            ),
        ] = False,
        reason: Annotated[
            str | None,
            Optional(Words()),
            ACKNOWLEDGED,
            Says(
                "Why it is published all the same",
                "Why it is published all the same: for the ledger and the private record, never published.",
            ),
        ] = None,
        acknowledged_by: Annotated[
            str | None,
            Optional(Words()),
            ACKNOWLEDGED,
            Says(
                "Who says so",
                "Who says that it is published all the same: for the ledger and the private record, never"
                " published.",
            ),
        ] = None,
    ) -> Published:
        """Measure, write, verify and publish the release, whole or not at all.

        Records that were released before are an InfeasibleError that says what both releases give away
        together; a release that hardly protects somebody, or has hardly any detail left, is one too. An
        experiment (a release made with a seed, or of a built-in sample) is neither checked nor put on record.

        {options}
        """
        made = self.complete()
        if not (accept_weak or made._is_nobodys):
            check_strong(made.manifest)
        answer = {"reason": reason or "", "by": acknowledged_by or ""}
        if any(answer.values()):
            made = replace(made, private={**made.private, ACKNOWLEDGEMENT: json_file(answer)})
        return made._save(Path(folder), overwrite, Acknowledged(acknowledge_composition, **answer))

    @property
    def _is_nobodys(self) -> bool:
        return self.manifest.not_for_publication or is_sample(self.origin)

    def _save(self, target: Path, overwrite: bool, acknowledged: Acknowledged) -> Published:
        records = None if self._is_nobodys else self.records()
        if records is None:
            return self._publish(target, overwrite=overwrite, verify=self._verify)
        series = [one["id"] for one in self.before]
        with checked_by_ledger(records, target, acknowledged=acknowledged, series=series) as checking:

            def verify(staged: Path) -> None:
                self._verify(staged)
                checking.record()

            return self._publish(target, overwrite=overwrite, verify=verify, settle=checking.settle)

    def _verify(self, staged: Path) -> None:
        if self.checked_after:
            verify_in_fresh_process(staged, after=[Path(one["folder"]) for one in self.checked_after[::-1]])
        else:
            verify_in_fresh_process(staged)

    def _publish(
        self,
        target: Path,
        *,
        overwrite: bool,
        verify: Callable[[Path], object],
        settle: Settle | None = None,
    ) -> Published:
        sources = [Path(self.origin)] if self.origin is not None and Path(self.origin).exists() else []
        return publish(
            target,
            self.files,
            self.manifest,
            self.private,
            verify=verify,
            settle=settle,
            overwrite=overwrite,
            sources=sources,
        )

    def complete(self) -> Release:
        """The release with everything that was measured on it, as it will be written."""
        return self

    def report(self, *, owner: bool = False) -> Any:
        """A report of the release as it would be published; ``owner`` adds what only its owner may see.

        It is written and verified in a temporary folder for this, and not put on record.
        """
        with tempfile.TemporaryDirectory() as place:
            target = Path(place) / "release"
            self.complete()._publish(target, overwrite=False, verify=self._verify)
            reporting = import_module("tacit.surface.reporting")  # stands above
            return reporting.open_release(target).report(owner=owner)

    def to_dict(self) -> dict[str, Any]:
        """The figures of the release, as ``--json`` prints them."""
        return {
            "kind": self.manifest.kind,
            "method": self.manifest.method,
            "promise": self.manifest.promise_words,
            "not_for_publication": self.manifest.not_for_publication,
            "figures": self.measured(),
        }


def json_file(content: object) -> bytes:
    """What a file of a private record holds."""
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


def published_sets(transactions: Transactions, format: str | None = None) -> dict[str, Content]:
    """The published file of some transactions, by its name.

    ``format`` is the one asked for; by default the one the transactions came in, where that is plain text.
    """
    plain = _plain_name(transactions, transactions.format if format is None else format)
    if format == "dat" and plain != "transactions.dat":
        raise UsageError(
            "A .dat file cannot hold these: a name has a blank in it, or a sensitive column goes along.",
            code="format-cannot-hold",
            hint=f"Name no format; they are then published as {plain}.",
        )
    return {plain: lambda path: write_transactions(transactions, path, format=READ_AS[Path(plain).suffix])}


def sensitive_column(transactions: Transactions) -> dict[str, str]:
    """The parameter of a manifest that names the sensitive column which goes along, where one does."""
    return {} if transactions.sensitive is None else {"sensitive": transactions.sensitive.name}


def plain_file(files: dict[str, Content]) -> str:
    """The name of the plain text among the published files: the first."""
    return next(iter(files))


def _plain_name(transactions: Transactions, wanted: str) -> str:
    if wanted == "jsonl" or transactions.sensitive is not None:
        return "transactions.jsonl"
    blank = any(any(letter.isspace() for letter in name) for name in transactions.vocabulary)
    return "transactions.csv" if blank or wanted in ("basket", "csv") else "transactions.dat"
