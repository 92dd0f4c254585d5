"""Generalization hierarchies: read from files, written to files, built from values, shown as trees."""

from tacit.io.hierarchies.amnesia import fill_ranges
from tacit.io.hierarchies.build import (
    BUILDERS,
    build_balanced,
    build_dates,
    build_flat,
    build_intervals,
    build_prefixes,
)
from tacit.io.hierarchies.files import (
    build_levels,
    hierarchy_text,
    read_hierarchies,
    read_hierarchy,
    write_hierarchy,
)
from tacit.io.hierarchies.items import build_items
from tacit.io.hierarchies.showing import check_hierarchy, show_hierarchy

__all__ = [
    "BUILDERS",
    "build_balanced",
    "build_dates",
    "build_flat",
    "build_intervals",
    "build_items",
    "build_levels",
    "build_prefixes",
    "check_hierarchy",
    "fill_ranges",
    "hierarchy_text",
    "read_hierarchies",
    "read_hierarchy",
    "show_hierarchy",
    "write_hierarchy",
]
