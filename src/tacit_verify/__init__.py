"""The independent verifier: does a release keep the promise that its manifest states?

It reads the published files, and the original where it is given one, and checks everything again
from the definitions, by plain counting. It uses the standard library alone and shares no code with
the toolkit that made the release, so that a mistake there is not repeated here. To audit it, read
the files in this order:

    release.py      what a release is, and what a check is
    manifest.py     the manifest and the files it names
    reading.py      reading the published tables and transactions
    verifying.py    which checks belong to which kind of release
    one file per kind of release, named after it
    __main__.py     the command: python -m tacit_verify DIR [--original FILE] [--json]

Exit codes of the command: 0 every check passed, 7 a check failed, 3 there is nothing to check
(no release, or no such original), 2 the command is wrong.
"""

from tacit_verify.release import CannotVerify, Check, Release
from tacit_verify.verifying import verify

__all__ = ["CannotVerify", "Check", "Release", "verify"]
