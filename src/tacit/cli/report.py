"""``tacit report``: what a release gives away and what it does not, as one HTML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tacit.cli.common import Shown


@dataclass(frozen=True)
class ReportWritten:
    """Where a report was written, and whether the verifier found the promise kept."""

    file: str
    release: str
    ok: bool
    for_owner: bool
    bytes: int

    @property
    def exit_code(self) -> int:
        """A report of a release that is refused is written all the same, and says so in its exit code."""
        return 0 if self.ok else 7

    def to_dict(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "release": self.release,
            "ok": self.ok,
            "for_owner": self.for_owner,
            "bytes": self.bytes,
        }

    def __str__(self) -> str:
        outcome = "The verifier found the promise kept." if self.ok else "The verifier refuses the release."
        closing = " It holds what only you may see: do not pass it on." if self.for_owner else ""
        return f"{outcome} The report is in {self.file}; open it in a browser or print it.{closing}"


def report(
    folder: Path,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    owner: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    shown: Shown | None = None,
) -> ReportWritten:
    """Write a report of a release: one self-contained HTML file that works offline, on screen and on paper.

    It begins with a page to sign. The release is verified again for it; exit code 7 where it is refused.

    Parameters
    ----------
    folder
        The release.
    output
        The file to write; by default it is called like the release and lies beside it.
    overwrite
        Write over a file that is there.
    owner
        Add what only the owner of the release may see, from its private record; for nobody else.
    """
    from tacit.data.release import read_manifest
    from tacit.publish.reporting import check_report, read_release, report_path

    read_manifest(folder)  # a folder without a release is the first thing to say
    file = report_path(folder, owner=owner) if output is None else output
    check_report(file, folder, overwrite=overwrite)
    made = read_release(folder).report(owner=owner)
    place = made.save(file, overwrite=overwrite)
    return ReportWritten(str(file), str(folder), made.ok, made.for_owner, place.stat().st_size)
