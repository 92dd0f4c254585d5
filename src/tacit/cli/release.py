"""The end of every releasing command: save the release where asked, and show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit.cli.common import ReleaseFlags
from tacit.publish.release import Release
from tacit.report.text import as_text


@dataclass(frozen=True, eq=False)
class Finished:
    """A release, and the folder it was published in, if any."""

    release: Release
    folder: str | None

    def to_dict(self) -> dict[str, Any]:
        return self.release.to_dict() | {"folder": self.folder}

    def __str__(self) -> str:
        if self.folder is None:
            end = "Nothing was written; name a folder with --output to publish it."
        else:
            end = (
                f"Verified and published in {self.folder}. What only you may see is in {self.folder}.private."
            )
        return f"{as_text(self.release)}\n\n{end}"


def finish(release: Release, flags: ReleaseFlags) -> Finished:
    """Publish the release in the folder the flags name, if they name one."""
    if flags.output is None:
        return Finished(release, None)
    return Finished(release, str(release.save(flags.output, overwrite=flags.overwrite).folder))
