"""A forger: takes a good release, changes it, and seals it again so that everything else still agrees.

Digests, sizes, the canonical text of the manifest and the name of the private record follow every change, as
a careful forger would see to. So what catches a change is the check that is there for it, not a digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Change = Callable[["Forgery"], object]


@dataclass(frozen=True)
class Tampering:
    """A kind of tampering, and the check that must be broken by it; or why it does no harm."""

    name: str
    change: Change
    caught_by: str | None
    with_original: bool = False
    harmless: str = ""
    """Why nothing is broken. The clause named then is not checked; without one the promise is kept."""


@dataclass
class Forgery:
    """A copy of a release, its manifest as values, and what is done to the folder after it is sealed."""

    folder: Path
    original: Path
    m: dict[str, Any] = field(init=False)
    in_order: bool = True
    """Whether stated rules are put in their order when it is sealed."""
    afterwards: list[Callable[[Path], object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.m = json.loads((self.folder / "release.json").read_text(encoding="utf-8"))

    @property
    def main(self) -> str:
        """The first of the published files."""
        return next(name for name in ("qit.csv", *sorted(self.m["files"])) if name in self.m["files"])

    def lines(self, name: str) -> list[str]:
        return (self.folder / name).read_text(encoding="utf-8").splitlines()

    def put(self, name: str, content: str | bytes | list[str]) -> None:
        """Write a published file, and name it with its size and digest."""
        if isinstance(content, list):
            content = "".join(line + "\n" for line in content)
        data = content.encode() if isinstance(content, str) else content
        (self.folder / name).write_bytes(data)
        self.m["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        self.put(name, change((self.folder / name).read_text(encoding="utf-8")))

    def recode(self, name: str, encoding: str) -> None:
        self.put(name, (self.folder / name).read_text(encoding="utf-8").encode(encoding))

    def text(self, change: Callable[[str], str | bytes]) -> None:
        """Change the text of the manifest once it is written."""

        def write(folder: Path) -> None:
            changed = change((folder / "release.json").read_text(encoding="utf-8"))
            (folder / "release.json").write_bytes(changed.encode() if isinstance(changed, str) else changed)

        self.afterwards.append(write)

    def after(self, do: Callable[[Path], object]) -> None:
        self.afterwards.append(do)

    def record(self) -> Path:
        """The private record, under the name it has now."""
        return next(self.folder.with_name(self.folder.name + ".private").iterdir())

    def edit_record(self, name: str, change: Callable[[Any], object]) -> None:
        path = self.record() / name
        values = json.loads(path.read_text(encoding="utf-8"))
        change(values)
        path.write_text(json.dumps(values), encoding="utf-8")

    def seal(self) -> None:
        if self.in_order and isinstance(self.m.get("reader"), dict) and "rules" in self.m["reader"]:
            self.m["reader"]["rules"].sort(key=lambda rule: json.dumps(rule, sort_keys=True))
        text = json.dumps(self.m, ensure_ascii=False, sort_keys=True, indent=2) + "\n"
        (self.folder / "release.json").write_text(text, encoding="utf-8")
        if self.folder.with_name(self.folder.name + ".private").exists():
            record = self.record()
            record.rename(record.with_name(hashlib.sha256(text.encode()).hexdigest()[:16]))
        for do in self.afterwards:
            do(self.folder)
