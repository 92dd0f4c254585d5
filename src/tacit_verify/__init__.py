"""The independent verifier: does a release keep the promise that its manifest states?

It reads the published files, and the original where it is given one, and checks everything again
from the definitions, by plain counting. It uses the standard library alone and shares no code with
the toolkit that made the release, so that a mistake there is not repeated here. Read it in this order:
``release`` (what a release and a check are), ``manifest`` (the manifest and the files it names),
``reading`` (tables and transactions), ``verifying`` (which checks are run), then one module per kind of
release, named after it; ``assignments``, ``posterior`` and ``distances`` hold the mathematics of
them, ``row_originals`` what one of them does with an original, ``series`` what releases of the same people
promise together.
"""

from tacit_verify.release import CannotVerify, Check, Release, verdict_of
from tacit_verify.verifying import verify

__all__ = ["CannotVerify", "Check", "Release", "verdict_of", "verify"]
