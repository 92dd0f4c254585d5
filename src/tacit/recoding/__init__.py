"""Nodes instead of values: trees of several columns, their levels, and the solvers that choose among them."""

LOCAL, GLOBAL, SUBTREE, CELLS = RECODINGS = ("local", "global", "subtree", "cells")
"""Each class as fine as it can be, one level per column, one node per value, cells kept or empty."""
