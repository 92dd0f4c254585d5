"""The links of a hierarchy as a file tells them: who is whose parent, and on which line.

Every format ends here, so that a second parent, a second root, a loop or a cycle is the same
error whatever the file looked like, with the line that holds it.
"""

from __future__ import annotations

from tacit.data.hierarchy import Hierarchy, from_parents
from tacit.errors import InputError, Place, listed, shorten


class Links:
    """Child → parent links gathered from one file, in the order in which they are told."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.parents: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self._alone: dict[str, int] = {}

    def add(self, child: str, parent: str, line: int) -> None:
        """``parent`` is the parent of ``child``; saying it twice is harmless, naming another is an error."""
        known = self.parents.get(child)
        if known is None:
            self.check_label(child, line)
            self.check_label(parent, line)
            self.parents[child] = parent
            self.lines[child] = line
        elif known != parent:
            raise InputError(
                f"{shorten(child)!r} has two parents: {shorten(known)!r} (line {self.lines[child]})"
                f" and {shorten(parent)!r}.",
                code="hierarchy-two-parents",
                where=self.place(line, child),
                hint="A node must have one parent; give one of the two nodes another label.",
            )

    def add_alone(self, label: str, line: int) -> None:
        """``label`` is a node, and this line says nothing of its parent."""
        self.check_label(label, line)
        self._alone.setdefault(label, line)

    def check_label(self, label: str, line: int) -> None:
        """Refuse an empty label, which nobody could tell from a missing one."""
        if not label:
            raise InputError(
                "A label is empty.",
                code="hierarchy-empty-label",
                where=self.place(line),
                hint="Write 'NaN' for the leaf that stands for a missing value, and '*' for the root.",
            )

    def place(self, line: int | None, value: str | None = None) -> Place:
        return Place(file=self.file, line=line, value=value)

    def to_hierarchy(self, name: str | None) -> Hierarchy:
        """The tree of these links, or the error that says why they are none."""
        linked = self.parents.keys() | set(self.parents.values())
        alone = [label for label in self._alone if label not in linked]
        if not linked and len(alone) == 1:
            return from_parents({}, name=name, root=alone[0])
        if alone:
            raise InputError(
                f"The hierarchy has several roots: nothing is linked to {listed(alone)}.",
                code="hierarchy-roots",
                where=self.place(self._alone[alone[0]], alone[0]),
                hint="Give every node but the root a parent.",
            )
        return from_parents(self.parents, name=name, file=self.file, lines=self.lines)
