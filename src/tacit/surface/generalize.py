"""The verb ``generalize``: one name over two signatures, chosen by what the data are."""

from __future__ import annotations

from functools import wraps
from inspect import signature
from typing import Any

from tacit.data.table import Table
from tacit.methods.generalize_sets import verb as of_sets
from tacit.methods.generalize_tables import verb as of_tables
from tacit.surface.frames import BOTH, taken


@wraps(of_sets.generalize)
def generalize(data: Any, /, **options: Any) -> Any:
    own = {*signature(of_sets.generalize).parameters, *signature(of_tables.generalize).parameters}
    told = {name: options.pop(name) for name in tuple(options) if name not in own}
    read = taken(data, told, "generalize", BOTH)
    return (of_tables if isinstance(read, Table) else of_sets).generalize(read, **options)


if of_sets.generalize.__doc__ and of_tables.generalize.__doc__:  # there are none under python -OO
    both = of_sets.generalize.__doc__.rstrip(), of_tables.generalize.__doc__.lstrip()
    generalize.__doc__ = "\n\n    **Of a table:** ".join(both)
