"""The papers reproduced: each figure made again, with what the paper prints beside what is found here.

``python -m papers`` makes all of them, ``--quick`` with fewer points and smaller data. Each paper is a module
with a TITLE, a CITATION and one function, ``reproduce(*, data, quick, tell) -> Made``, and stands in
:data:`papers.run.PAPERS` under its name. This package is evidence, and no part of what is installed.
"""
