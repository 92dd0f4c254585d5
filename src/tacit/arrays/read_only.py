"""Arrays that cannot be written to."""

from __future__ import annotations

from tacit.typing import AnyArray


def read_only(array: AnyArray) -> AnyArray:
    """The same array, which cannot be written to by this name.

    A kernel is compiled anew for every kind of argument; one that only reads takes all arrays like this.
    """
    view = array.view()
    view.flags.writeable = False
    return view
