"""Generalization hierarchies: read from files, written to files, built from values, shown as trees."""

from tacit.data.hierarchies.checking import check_hierarchy
from tacit.data.hierarchies.dates import build_dates
from tacit.data.hierarchies.files import (
    hierarchy_text,
    read_hierarchies,
    read_hierarchy,
    write_hierarchy,
)
from tacit.data.hierarchies.grouping import build_balanced, build_flat, build_prefixes
from tacit.data.hierarchies.intervals import build_intervals
from tacit.data.hierarchies.ranges import fill_ranges
from tacit.data.hierarchies.showing import show_hierarchy

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
