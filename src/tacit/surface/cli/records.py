"""What an owner keeps and checks: ``tacit key``, ``ledger``, ``series``, ``verify`` and ``sign``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacit.errors import UsageError
from tacit.random.key import Key, default_key_path, load_key, new_key
from tacit.release.ledger import LedgerList
from tacit.release.signing import Signed, SigningKey
from tacit.release.verification import Verification
from tacit.showing.layout import as_text, to_plain
from tacit.surface.cli.flags import Flag, Outcome, Shown, Source, group_of, misused
from tacit.surface.reading import FROM_FILES


def key_new(file: Path | None = None, /, *, force: Flag = False, shown: Shown = Shown()) -> Outcome:
    """Make a new key and print its public identifier.

    Parameters
    ----------
    file
        Where to write it; by default your own key, in your state folder.
    force
        Replace the key that is there. Releases made with it can then not be made again.
    """
    return _named(file, new_key(file, overwrite=force))


def key_id(file: Path | None = None, /, *, shown: Shown = Shown()) -> Outcome:
    """Print the public identifier of a key, from which the key cannot be found.

    Parameters
    ----------
    file
        The key file; by default your own key, in your state folder.
    """
    return _named(file, load_key(file, create=False))


def _named(file: Path | None, key: Key) -> Outcome:
    """A key file and the public identifier of the key in it."""
    path = default_key_path() if file is None else file
    return Outcome(f"{key.id}  {path}", {"file": str(path), "id": key.id})


def ledger_list(*, shown: Shown = Shown()) -> LedgerList:
    """List the releases on record, oldest first, with how many of their records were released before."""
    from tacit.release.ledger import Ledger

    return Ledger().read()


def ledger_show(folder: Path, /, *, shown: Shown = Shown()) -> Outcome:
    """Show what is on record of the release in a folder.

    Parameters
    ----------
    folder
        The folder of the release.
    """
    from tacit.release.ledger import Ledger

    entries = Ledger().read().in_folder(folder)
    return Outcome("\n\n".join(map(as_text, entries)), {"entries": to_plain(entries)})


def ledger_forget(folder: Path, /, *, shown: Shown = Shown()) -> Outcome:
    """Take the release in a folder off the record: only for one that was never given out.

    Parameters
    ----------
    folder
        The folder of the release; the release itself stays as it is.
    """
    from tacit.release.ledger import Ledger

    ledger = Ledger()
    ledger.read().in_folder(folder)  # nothing is made where there is nothing to forget
    with ledger.locked():
        entries = ledger.read().in_folder(folder)
        for entry in entries:
            ledger.forget(entry)
    what = "1 release" if len(entries) == 1 else f"{len(entries)} releases"
    text = f"Took {what} in {folder} off the record. What was given out stays given out."
    return Outcome(text, {"folder": str(folder), "releases": len(entries)})


def series_show(folder: Path, /, *, shown: Shown = Shown()) -> Any:
    """Show a series: who came, stayed and left, counterfeits, and what readers of all releases are left with.

    Parameters
    ----------
    folder
        The last release; its private record names those before it.
    """
    from tacit.surface.series import show_series

    return show_series(folder)


def series_verify(folder: Path, /, *earlier: Path, shown: Shown = Shown()) -> Verification:
    """Check the promise over a whole chain; exit code 7 where it is broken, 8 where a part was not checked.

    Parameters
    ----------
    folder
        The last release.
    earlier
        The releases before it, the last first; by default those that its private record names.
    """
    from tacit.surface.series import verify_series

    return verify_series(folder, earlier)


def series_forget(
    folder: Path, person: str, /, *, key_file: Path | None = None, shown: Shown = Shown()
) -> Outcome:
    """Take a person off the private records of a series, who has asked for it.

    Parameters
    ----------
    folder
        The last release; its private record names those before it.
    person
        Their identifier, as the column of --person has it.
    key_file
        The key of the series, where it is not your own.
    """
    from tacit.surface.series import forget_in_series

    records = forget_in_series(folder, person, load_key(key_file, create=False))
    text = (
        f"Took the person off {records} private records. Leave them out of every later release: they would be"
        " taken for somebody new. What was published stays published."
    )
    return Outcome(text, {"releases": records})


class OriginalFlags(group_of(FROM_FILES, "Original")):  # type: ignore[misc]
    """How the original is read: the flags it was read with when the release was made."""


def verify(
    folder: Path,
    /,
    *,
    original: Source | None = None,
    public_key: Path | None = None,
    flags: OriginalFlags | None = None,
    shown: Shown = Shown(),
) -> Verification:
    """Check a release against its promise; exit code 7 where it is broken, 8 where a part was not checked.

    Parameters
    ----------
    folder
        The release.
    original
        The data it was made from, where the release should also be checked against them. Plain text in
        UTF-8 is read by the verifier itself; of anything else it gets a plain copy.
    public_key
        The publisher's public key (PEM), where the signature of the release should also be checked.
    """
    from tacit.release.originals import read_original
    from tacit.release.verification import verify as run_verifier

    values = vars(flags or OriginalFlags())
    given = {name: value for name, value in values.items() if FROM_FILES[name].given(value)}
    if not given:
        return run_verifier(folder, original=original, public_key=public_key)
    if original is None:
        flag = next(iter(given)).replace("_", "-")
        raise misused(
            f"The flag --{flag} says how an original is read, and there is none.",
            "Name the original with --original, or leave the flag out.",
        )
    found = run_verifier(folder, public_key=public_key)
    if found.broken:
        return found
    return run_verifier(folder, original=read_original(folder, original, given), public_key=public_key)


def sign(
    folder: Path | None = None,
    /,
    *,
    private_key: Path | None = None,
    new_key: Path | None = None,
    overwrite: Flag = False,
    shown: Shown = Shown(),
) -> Signed | SigningKey:
    """Sign a release, so that readers who have your public key know that it is yours.

    Parameters
    ----------
    folder
        The release.
    private_key
        The file with your private key.
    new_key
        Make a new pair of keys, in this file and in one beside it that ends in .pub.
    overwrite
        Replace a signature that is there.
    """
    from tacit.release.signing import new_signing_key
    from tacit.release.signing import sign as sign_release

    if new_key is not None:
        if folder is not None or private_key is not None or overwrite:
            raise misused(
                "A new pair of keys is made by itself.",
                "Make it with: tacit sign --new-key FILE; sign with: tacit sign DIR --private-key FILE.",
            )
        return new_signing_key(new_key)
    if folder is None or private_key is None:
        raise UsageError(
            "Signing takes a release and a private key.",
            code="usage",
            hint="Sign with: tacit sign DIR --private-key FILE; make a key with: tacit sign --new-key FILE.",
        )
    return sign_release(folder, private_key=private_key, overwrite=overwrite)
