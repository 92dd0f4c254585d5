"""Signed releases: who published this, for readers who know the publisher's public key.

An Ed25519 signature [1] of the manifest's bytes stands beside it in ``release.sig``, 64 bytes as they are.
The manifest states the SHA-256 of every published file, so the signature covers all of them. Keys are
PEM files that other programs read as well; ``openssl pkeyutl -verify -rawin`` checks the same signature.

[1] S. Josefsson, I. Liusvaara. Edwards-Curve Digital Signature Algorithm. RFC 8032, 2017.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError, OutputError, Place, missing_extra
from tacit.io.output import check_file, whole_file, writing_to
from tacit.io.readers.opening import existing_file
from tacit.release.disk import write_durably
from tacit.release.manifest import MANIFEST_NAME, SIGNATURE_NAME
from tacit.release.verification import refuse_broken, verify

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

_LARGEST_KEY = 1 << 16


@dataclass(frozen=True)
class SigningKey:
    """A pair of keys in files: what signs, for its owner alone, and what checks, for everybody."""

    private: str
    public: str
    id: str
    """The start of the SHA-256 of the public key, to compare over the telephone."""

    def __str__(self) -> str:
        return f"{self.id}  {self.private} (keep it to yourself), {self.public} (give it to readers)"


@dataclass(frozen=True)
class Signed:
    """A release that was signed, and the identifier of the key."""

    folder: str
    signature: str
    id: str

    def __str__(self) -> str:
        return f"Signed {self.folder} with the key {self.id}: {self.signature}"


def new_signing_key(path: str | Path) -> SigningKey:
    """A new pair of keys: ``path``, readable by its owner alone, and ``path.pub``. Nothing is replaced."""
    private, public = Path(path), Path(f"{path}.pub")
    for target in (private, public):
        if os.path.lexists(target):
            raise OutputError(
                "There is a file here already, and a signing key is never replaced.",
                code="key-exists",
                where=Place(file=str(target)),
                hint="Name another file, or move away what is there.",
            )
    _need_cryptography()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    told = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    for target, content, mode in ((private, secret, 0o600), (public, told, 0o644)):
        with whole_file(target) as beside:
            beside.touch(mode=mode)
            beside.write_bytes(content)
    return SigningKey(str(private), str(public), _identifier(key.public_key()))


def sign(folder: str | Path, *, private_key: str | Path, overwrite: bool = False) -> Signed:
    """Sign a release that the verifier does not refuse; ``release.sig`` is written beside its manifest.

    The independent verifier runs first: nobody should put a name to what it refuses. ``overwrite``
    replaces a signature that is there. Raises VerificationError where the release is refused.
    """
    folder = Path(folder)
    key = _key(Path(private_key), "private")
    refuse_broken(
        verify(folder),
        hint="It was not signed. 'tacit verify' shows every check.",
        where=Place(file=str(folder)),
    )
    target = folder / SIGNATURE_NAME
    check_file(target, overwrite=overwrite)
    # Written beside the release and moved into it: at no moment does the release hold anything else.
    beside = folder.absolute().parent
    with (
        writing_to(target),
        TemporaryDirectory(prefix=f".{folder.name}.tacit-sign-", dir=beside) as place,
    ):
        written = Path(place) / SIGNATURE_NAME
        write_durably(written, key.sign((folder / MANIFEST_NAME).read_bytes()), mode=0o666)
        written.replace(target)
    return Signed(str(folder), str(target), _identifier(key.public_key()))


def signature_problem(folder: Path, public_key: str | Path) -> str | None:
    """What is wrong with the signature of a release, or None where this key made it for this manifest."""
    key = _key(Path(public_key), "public")
    path = folder / SIGNATURE_NAME
    if not path.is_file():
        return f"there is none: {SIGNATURE_NAME} is missing"
    from cryptography.exceptions import InvalidSignature

    try:
        key.verify(path.read_bytes(), (folder / MANIFEST_NAME).read_bytes())
    except InvalidSignature:
        return f"the key in {public_key} did not sign this manifest"
    return None


def _key(path: Path, what: str) -> Any:
    """The Ed25519 key in a file, ``private`` or ``public``; an error for any other, or with a passphrase."""
    _need_cryptography()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    with existing_file(path).open("rb") as file:
        content = file.read(_LARGEST_KEY)
    with suppress(ValueError, TypeError):
        key: Any = (
            serialization.load_pem_private_key(content, None)
            if what == "private"
            else serialization.load_pem_public_key(content)
        )
        if isinstance(key, ed25519.Ed25519PrivateKey | ed25519.Ed25519PublicKey):
            return key
    raise InputError(
        f"This is not an Ed25519 {what} key in PEM form, without a passphrase.",
        code=f"not-a-{what}-key",
        where=Place(file=str(path)),
        hint="Make a pair with: tacit sign --new-key FILE; FILE signs, FILE.pub checks.",
    )


def _need_cryptography() -> None:
    if find_spec("cryptography") is None:
        raise missing_extra("cryptography", "sign", "Signing")


def _identifier(key: Ed25519PublicKey) -> str:
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]
