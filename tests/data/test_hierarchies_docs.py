"""The how-to page on hierarchies lists every error that can happen."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "hierarchies.md"
SOURCE = Path(__file__).parents[2] / "src" / "tacit"


def test_every_code_of_a_hierarchy_error_is_on_the_page() -> None:
    files = [*(SOURCE / "io" / "hierarchies").glob("*.py"), SOURCE / "data" / "hierarchy.py"]
    raised = {code for file in files for code in re.findall(r'code="(hierarchy-[a-z-]+)"', file.read_text())}
    listed = set(re.findall(r"`(hierarchy-[a-z-]+)`", PAGE.read_text()))
    assert raised == listed
