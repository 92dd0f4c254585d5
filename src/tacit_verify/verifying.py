"""Which checks belong to which kind of release, and how they are run.

A kind of release has a module of its own, with a function ``checks(release, original)`` that yields
one check for each part of the promise. It need not catch anything: what goes wrong inside it (a
missing column, a number that is none) fails the release.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from tacit_verify.manifest import manifest_checks
from tacit_verify.reading import Unreadable
from tacit_verify.release import CannotVerify, Check, Release, Stopped, open_release
from tacit_verify.series import check_chain


def verify(folder: Path, original: Path | None = None, after: Sequence[Path] = ()) -> list[Check]:
    """Every check of the release in a folder; :func:`verdict_of` them is the verdict.

    ``after`` are releases of the same people before it, the last first: then the promise of the series is
    looked at as well, and their own where all are given. The promise is looked at only where the manifest and
    the files are sound. Raises CannotVerify where there is no release, or no original that can be read.
    """
    if original is not None and not original.is_file():
        raise CannotVerify(f"There is no original {original}.", code="original-not-found")
    try:
        last = open_release(folder)
    except (ValueError, RecursionError) as error:
        return [Check("manifest", False, f"it cannot be read: {error}")]
    found = _verify(last, original)
    if not after or any(check.ok is False for check in found):
        return found
    made = [check for check in found if check.name != "series"]
    try:
        chain = [*map(open_release, after[::-1]), last]
        for release in chain[:-1]:
            each = _verify(release, None) if chain[0].number == 1 else manifest_checks(release)
            name = f"release {release.number}"
            made.extend(Check(f"{name}, {one.name}", False, one.detail) for one in each if one.ok is False)
        made.extend(check_chain(chain))  # what each gives before it stops is kept
    except Stopped:
        pass
    except Exception as error:  # as below
        made.append(Check("series", False, f"the checks stopped: {type(error).__name__}: {error}"))
    return made


def _verify(release: Release, original: Path | None) -> list[Check]:
    found = [Check("manifest", True, "read")]
    try:
        found.extend(manifest_checks(release))  # a disk that fails is no verdict
    except Stopped:
        return found
    if not all(check.ok for check in found):
        return found
    before = len(found)
    try:
        # What was found before the checks break off is told as well.
        found.extend(import_module(f"tacit_verify.{release.manifest['kind']}").checks(release, original))
        if len(found) == before:
            return [*found, Check("promise", False, "nothing was checked")]
    except Stopped:
        return found
    except Exception as error:  # whatever it is, the promise has not been shown to be kept
        if isinstance(error, Unreadable) and error.path == original:
            message = f"The original cannot be read: {error}."
            raise CannotVerify(message, code="original-not-text") from error
        return [*found, Check("promise", False, f"the checks stopped: {type(error).__name__}: {error}")]
    # What no file of one release can show.
    if "other_rows" in release.parameters:
        found.append(Check("people", None, "only the publisher knows that no two rows are one person's"))
    if release.manifest["not_for_publication"]:
        detail = "made with a seed that anybody can repeat, so its promise holds against nobody who does"
        found.append(Check("key", None, f"{detail}: not for publication"))
    if release.number > 1:
        detail = "what it tells beside those before it: --after, or 'tacit series verify'"
        found.append(Check("series", None, detail))
    return found
