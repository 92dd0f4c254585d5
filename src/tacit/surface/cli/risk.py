"""``tacit risk``: a published table attacked by a reader who knows the tool."""

from __future__ import annotations

from pathlib import Path

from tacit.methods.bucketize.attacking import Attacked
from tacit.surface.cli.common import Shown


def risk(folder: Path, /, *, shown: Shown | None = None) -> Attacked:
    """Attack a table that was published with near partners: how many people does it name?

    From the published folder alone, as any reader could. Other releases are attacked when they are made.

    Parameters
    ----------
    folder
        The release.
    """
    from tacit.methods.bucketize.attacking import attack_release

    return attack_release(folder)
