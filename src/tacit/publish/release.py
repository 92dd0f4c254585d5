"""A release in memory: what will be published, what it promises, and what only the owner may see.

Every verb returns one. It can be judged before it is written; saving it runs the independent
verifier in a fresh process and puts the whole release in place, or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.data.release import Content, Manifest, Published, publish
from tacit.publish.verification import verify_in_fresh_process


@dataclass(frozen=True, eq=False)
class Release:
    """What the releases of all methods share.

    ``files`` are the published files by name; ``private`` what goes to the private record beside
    the release; ``origin`` the file the data came from, which a release never replaces.
    """

    manifest: Manifest
    files: Mapping[str, Content]
    private: Mapping[str, Content]
    origin: str | None

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Published:
        """Write, verify and publish the release, whole or not at all."""
        sources = [Path(self.origin)] if self.origin is not None and Path(self.origin).exists() else []
        return publish(
            Path(folder),
            self.files,
            self.manifest,
            self.private,
            verify=verify_in_fresh_process,
            overwrite=overwrite,
            sources=sources,
        )

    def to_dict(self) -> dict[str, Any]:
        """The figures of the release, as ``--json`` prints them."""
        return {
            "kind": self.manifest.kind,
            "method": self.manifest.method,
            "promise": self.manifest.promise.sentence,
            "not_for_publication": self.manifest.not_for_publication,
        }
