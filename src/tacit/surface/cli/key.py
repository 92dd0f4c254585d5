"""``tacit key new`` and ``tacit key show-id``: make a key, and name it without showing it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tacit.random.key_files import default_key_path, load_key, new_key
from tacit.surface.cli.common import Shown


@dataclass(frozen=True)
class NamedKey:
    """A key file and the public identifier of the key in it."""

    file: str
    id: str

    def __str__(self) -> str:
        return f"{self.id}  {self.file}"


def new(
    file: Path | None = None,
    /,
    *,
    force: Annotated[bool, Parameter(negative="")] = False,
    shown: Shown | None = None,
) -> NamedKey:
    """Make a new key and print its public identifier.

    Parameters
    ----------
    file
        Where to write it; by default your own key, in your state folder.
    force
        Replace the key that is there. Releases made with it can then not be made again.
    """
    path = default_key_path() if file is None else file
    key = new_key(file, overwrite=force)
    return NamedKey(file=str(path), id=key.id)


def show_id(file: Path | None = None, /, *, shown: Shown | None = None) -> NamedKey:
    """Print the public identifier of a key, from which the key cannot be found.

    Parameters
    ----------
    file
        The key file; by default your own key, in your state folder.
    """
    path = default_key_path() if file is None else file
    return NamedKey(file=str(path), id=load_key(file, create=False).id)
