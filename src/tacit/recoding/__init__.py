"""Nodes instead of values: trees of several columns, their levels, and the solvers that choose among them."""

from typing import Literal, get_args

Recoding = Literal["local", "global", "subtree", "cells"]
LOCAL, GLOBAL, SUBTREE, CELLS = RECODINGS = get_args(Recoding)
"""Each class as fine as it can be, one level per column, one node per value, cells kept or empty."""

Effort = Literal["quick", "normal", "thorough"]
QUICK, NORMAL, THOROUGH = get_args(Effort)
"""How long better classes are looked for, where each is as fine as it can be."""
