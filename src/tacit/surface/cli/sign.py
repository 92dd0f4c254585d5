"""``tacit sign``: make a pair of signing keys, and sign a release with one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.release.signing import Signed, SigningKey
from tacit.surface.cli.common import Shown


def sign(
    folder: Path | None = None,
    /,
    *,
    private_key: Path | None = None,
    new_key: Path | None = None,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    shown: Shown | None = None,
) -> Signed | SigningKey:
    """Sign a release, so that readers who have your public key know that it is yours.

    Make a pair of keys once, with --new-key FILE: FILE signs and stays with you, FILE.pub is for readers,
    who check with 'tacit verify DIR --public-key FILE.pub'.

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
            raise UsageError(
                "A new pair of keys is made by itself.",
                code="flag-not-used",
                hint="Make it with: tacit sign --new-key FILE; sign with: tacit sign DIR --private-key FILE.",
            )
        return new_signing_key(new_key)
    if folder is None or private_key is None:
        raise UsageError(
            "Signing takes a release and a private key.",
            code="usage",
            hint="Sign with: tacit sign DIR --private-key FILE; make a key with: tacit sign --new-key FILE.",
        )
    return sign_release(folder, private_key=private_key, overwrite=overwrite)
