"""Where the release of a command goes: the flags that say so, and the end of every releasing command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.options import options_of
from tacit.random.key import Key
from tacit.random.key_files import load_key
from tacit.release.published import Release
from tacit.showing.layout import prose
from tacit.showing.ledger import composition_stated
from tacit.showing.text import as_text
from tacit.surface.cli.common import WholeText, unused_flag
from tacit.surface.cli.flags import group_of
from tacit.surface.memory import check_memory

_Saving: Any = group_of("_Saving", options_of(Release.save).values(), group="Release")


@Parameter(name="*", group="Release")
@dataclass(frozen=True)
class ReleaseFlags(_Saving):  # type: ignore[misc]
    """Where the release goes and what drives its random choices."""

    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None
    "Folder of the release; without it nothing is written."
    key_file: Path | None = None
    "Key that drives every random choice; the user's own by default."
    seed: WholeText | None = None
    "A number instead of a key, for experiments: the release is marked not for publication."
    memory: str | None = None
    "Refuse to start where more memory than this would be needed, for example 4G."
    dry_run: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Say what would be done, with an estimate of time and memory, and write nothing."

    def __post_init__(self) -> None:
        if self.overwrite and self.output is None:
            raise UsageError(
                "Nothing is replaced without an output.",
                code="flag-not-used",
                hint="Name the folder with --output, or leave --overwrite out.",
            )
        said = next(
            (name for name in ("acknowledge_composition", "accept_weak") if getattr(self, name)), None
        )
        if said is not None and (self.output is None or self.seed is not None):
            raise unused_flag(
                said,
                "is not used: nothing is published, or nothing but an experiment",
                hint="Name a folder with --output and no --seed, or leave it out.",
            )

    def check_memory(self, expected: Any) -> None:
        """Refuse a job that would hold more memory than is allowed."""
        if self.memory is not None:
            check_memory(expected.bytes, self.memory)

    def key(self) -> Key:
        """The key these flags name."""
        if self.seed is not None and self.key_file is not None:
            raise UsageError(
                "A seed and a key file are both given.",
                code="two-keys",
                hint="Use --key-file for a release, --seed for an experiment.",
            )
        return load_key(self.key_file) if self.seed is None else Key.from_seed(self.seed)


@dataclass(frozen=True, eq=False)
class Finished:
    """A release, and the folder it was published in, if any."""

    release: Release
    folder: str | None
    seconds: float
    """How long the command took by the clock, with reading, judging, writing and verifying."""
    composition: Mapping[str, Any] | None = None
    """What the manifest states about earlier releases of the same records."""

    def to_dict(self) -> dict[str, Any]:
        return self.release.to_dict() | {
            "folder": self.folder,
            "composition": self.composition,
            "seconds_in_all": self.seconds,
        }

    def __str__(self) -> str:
        if self.folder is None:
            end = "Nothing was written; name a folder with --output to publish it."
        elif self.release.manifest.not_for_publication:
            end = (
                f"Verified and written to {self.folder}. It was made with a seed that anybody can repeat:"
                " not for publication."
            )
        else:
            end = (
                f"Verified and published in {self.folder}. What only you may see is in {self.folder}.private."
            )
        end += f" It took {self.seconds:.1f} s in all."
        if self.composition is not None:
            end += f"\n{prose(composition_stated(self.composition))}"
        loud = "".join(f"{prose(f'Warning: {one}')}\n\n" for one in self.release.manifest.warnings)
        return f"{loud}{as_text(self.release)}\n\n{end}"


def finish(release: Release, flags: ReleaseFlags, started: float) -> Finished:
    """Publish the release in the folder the flags name, if they name one."""
    if flags.output is None:
        return Finished(release, None, monotonic() - started)
    published = release.save(
        flags.output, **{name: getattr(flags, name) for name in options_of(Release.save)}
    )
    return Finished(
        release,
        str(published.folder),
        monotonic() - started,
        published.manifest.risks.get("composition"),
    )
