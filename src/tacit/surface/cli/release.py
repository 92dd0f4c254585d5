"""The end of every releasing command: save the release where asked, and show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacit.release.published import Release
from tacit.showing.layout import prose
from tacit.showing.ledger import composition_stated
from tacit.showing.text import as_text
from tacit.surface.cli.common import ReleaseFlags


@dataclass(frozen=True, eq=False)
class Finished:
    """A release, and the folder it was published in, if any."""

    release: Release
    folder: str | None
    composition: Mapping[str, Any] | None = None
    """What the manifest states about earlier releases of the same records."""

    def to_dict(self) -> dict[str, Any]:
        return self.release.to_dict() | {"folder": self.folder, "composition": self.composition}

    def __str__(self) -> str:
        if self.folder is None:
            end = "Nothing was written; name a folder with --output to publish it."
        else:
            end = (
                f"Verified and published in {self.folder}. What only you may see is in {self.folder}.private."
            )
        if self.composition is not None:
            end += f"\n{prose(composition_stated(self.composition))}"
        return f"{as_text(self.release)}\n\n{end}"


def finish(release: Release, flags: ReleaseFlags) -> Finished:
    """Publish the release in the folder the flags name, if they name one."""
    if flags.output is None:
        return Finished(release, None)
    published = release.save(
        flags.output,
        overwrite=flags.overwrite,
        acknowledge_composition=flags.acknowledge_composition,
    )
    return Finished(release, str(published.folder), published.manifest.risks.get("composition"))
