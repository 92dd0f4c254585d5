"""Generalization hierarchies: read from files, written to files, built from values, shown as trees."""

from tacit.io.hierarchies.checking import check_hierarchy
from tacit.io.hierarchies.dates import build_dates
from tacit.io.hierarchies.files import (
    hierarchy_text,
    read_hierarchies,
    read_hierarchy,
    write_hierarchy,
)
from tacit.io.hierarchies.grouping import build_balanced, build_flat, build_prefixes
from tacit.io.hierarchies.intervals import build_intervals
from tacit.io.hierarchies.ranges import fill_ranges
from tacit.io.hierarchies.showing import show_hierarchy

__all__ = [
    "build_balanced",
    "build_dates",
    "build_flat",
    "build_intervals",
    "build_prefixes",
    "check_hierarchy",
    "fill_ranges",
    "hierarchy_text",
    "read_hierarchies",
    "read_hierarchy",
    "show_hierarchy",
    "write_hierarchy",
]
