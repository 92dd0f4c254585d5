"""A report of every release that the demo made, for everybody and for its owner."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tacit.release import MANIFEST_NAME
from tacit.surface.reporting import open_release, report_path


def chapter(folder: Path, say: Callable[[str], None]) -> None:
    """Write the reports beside the releases and list them."""
    releases = sorted(place.parent for place in folder.glob(f"*/{MANIFEST_NAME}"))
    say(f"$ tacit report {releases[0].name}\n")
    for release in releases:
        saved = open_release(release)
        checked = saved.verify()
        page = saved.report(verified=checked).save(report_path(release), overwrite=True)
        owners = saved.report(owner=True, verified=checked)
        with_record = owners.save(report_path(release, owner=True), overwrite=True)
        say(saved.manifest.promise_words)
        say(f"  for everybody   {folder / page.name}")
        say(f"  for the owner   {folder / with_record.name}")
    say("\nOpen them in a browser, or print them: the first page of each is there to be signed.")
