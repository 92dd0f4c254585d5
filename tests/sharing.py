"""How tests are shared among the processes that run them: what is made once is not made twice.

Tests of a file stay together, because they share what the file makes for all of them; those on Spark and
those in a browser stay together altogether, because a cluster or a browser is started for them. Files of many
long tests that share nothing are spread. (The marks of pytest-xdist would say the same, but it puts them into
the names of tests, where pytest 9.2 no longer looks.)
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

TOGETHER = {
    "tests/engine/": "spark",
    "tests/surface/page/": "browser",
    "tests/surface/report/test_browser.py": "browser",
}
SPREAD = (
    "tests/bad_input/",
    "tests/methods/bucketize/",
    "tests/methods/generalize_sets/",
    "tests/faults/",
    "tests/methods/hide/",
    "tests/kernels/",
    "tests/release/ledger/",
    "tests/mutation/",
    "tests/soak/",
    "tests/test_docs.py",
    "tests/test_examples.py",
    "tests/test_gallery.py",
)


class Sharing(LoadScopeScheduling):
    """Units of work: what needs one thing that is slow to start, a file, or a single test."""

    def _split_scope(self, nodeid: str) -> str:
        for beginning, unit in TOGETHER.items():
            if nodeid.startswith(beginning):
                return unit
        return nodeid if nodeid.startswith(SPREAD) else nodeid.partition("::")[0]
