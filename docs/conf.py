"""How the documentation site is built: ``make docs``.

The pages are plain Markdown that reads well on a forge too. What is generated comes from the code itself:
the Python reference from docstrings, the command reference from each command's own ``--help``
(``reference_pages.py``). The lists of pages at the side are added here, so that index.md stays a page.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"  # nothing is computed, so nothing need be compiled
sys.path.insert(0, str(Path(__file__).parent))

from sphinx.application import Sphinx

from tacit import __version__

project = "Tacit"
author = "The Tacit authors"
release = version = __version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "reference_pages"]
myst_heading_anchors = 3
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
exclude_patterns = ["_build"]
# Coloured as Python, the examples in docstrings included; a snippet of another kind is plain text.
highlight_language = "text"

html_theme = "furo"
html_title = "Tacit"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"top_of_page_buttons": []}

SECTIONS = {
    "Tutorial": ["tutorial/*"],
    "How to": [
        "how-to/install",
        "how-to/page",
        "how-to/bucketize",
        "how-to/generalize",
        "how-to/hide",
        "how-to/disclose",
        "how-to/mine",
        "how-to/tables",
        "how-to/hierarchies",
        "how-to/*",
    ],
    "Reference": ["reference/python", "reference/commands", "reference/*"],
    "Explanation": ["explanation/release", "explanation/*", "security"],
}


def setup(app: Sphinx) -> None:
    app.connect("source-read", _add_sections)


def _add_sections(app: Sphinx, page: str, source: list[str]) -> None:
    """The lists of pages, added to the first page only when the site is built."""
    if page == "index":
        for caption, pages in SECTIONS.items():
            listed = "\n".join(pages)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n{listed}\n```\n"
