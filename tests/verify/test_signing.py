"""Signed releases: made, checked, and every wrong signature, key and manifest refused."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import tacit
from tacit.errors import InputError, OutputError, ResourceError, VerificationError
from tacit.surface.cli import main
from tacit_verify.verifying import verify
from tests.keys import secret_key

PEM = serialization.Encoding.PEM


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a signed release and the pair of keys."""
    place = tmp_path_factory.mktemp("signed")
    tacit.bucketize(tacit.load_sample("hospital:60"), l=2, key=secret_key(1)).save(place / "out")
    tacit.new_signing_key(place / "key")
    tacit.sign(place / "out", private_key=place / "key")
    return place


@pytest.fixture
def copy(signed: Path, tmp_path: Path) -> Path:
    shutil.copytree(signed, tmp_path / "copy")
    return tmp_path / "copy"


def ends(folder: Path, *flags: str) -> int:
    """How ``tacit verify`` ends with the publisher's public key."""
    return main(["verify", str(folder / "out"), "--public-key", str(folder / "key.pub"), *flags])


def test_a_signed_release_is_accepted(signed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (signed / "out" / "release.sig").stat().st_size == 64
    assert ends(signed, "--json") == 0
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["signature"]["verdict"] == "kept" and "made with the key" in checks["signature"]["detail"]
    assert {entry.name for entry in signed.iterdir()} == {"out", "out.private", "key", "key.pub"}


def test_the_private_key_is_for_its_owner_alone(signed: Path) -> None:
    assert stat.S_IMODE((signed / "key").stat().st_mode) == 0o600
    assert b"PRIVATE" not in (signed / "key.pub").read_bytes()
    with pytest.raises(OutputError) as caught:
        tacit.new_signing_key(signed / "key")
    assert caught.value.code == "key-exists"


def test_the_verifier_says_that_it_does_not_check_signatures(signed: Path) -> None:
    found = {check.name: check for check in verify(signed / "out")}
    assert "signature" not in found and "--public-key" in found["files"].detail


def test_another_key_is_refused(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copy / "key.pub").unlink()
    (copy / "key").unlink()
    tacit.new_signing_key(copy / "key")
    assert ends(copy) == 7
    assert "did not sign this manifest" in capsys.readouterr().out
    with pytest.raises(OutputError):
        tacit.sign(copy / "out", private_key=copy / "key")
    assert main(["sign", str(copy / "out"), "--private-key", str(copy / "key"), "--overwrite"]) == 0
    assert ends(copy) == 0


def test_an_edited_manifest_is_refused(copy: Path) -> None:
    path = copy / "out" / "release.json"
    manifest = json.loads(path.read_text())
    manifest["parameters"]["epsilon"] = 1
    path.write_text(json.dumps(manifest, ensure_ascii=False, sort_keys=True, indent=2) + "\n")
    assert main(["verify", str(copy / "out")]) == 0
    assert ends(copy) == 7


def test_a_missing_or_spoiled_signature_is_refused(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    signature = copy / "out" / "release.sig"
    good = signature.read_bytes()
    signature.write_bytes(bytes([good[0] ^ 1]) + good[1:])
    assert ends(copy) == 7
    signature.write_bytes(b"short")
    assert ends(copy) == 7
    assert main(["verify", str(copy / "out")]) == 7  # such a file could carry anything
    signature.unlink()
    signature.symlink_to(copy / "key")
    assert main(["verify", str(copy / "out")]) == 7
    signature.unlink()
    capsys.readouterr()
    assert ends(copy) == 7
    assert "release.sig is missing" in capsys.readouterr().out
    assert main(["verify", str(copy / "out")]) == 0


def test_what_is_no_key_is_bad_input(copy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    private = (copy / "key").read_bytes()
    closed = Ed25519PrivateKey.generate().private_bytes(
        PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"secret")
    )
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    rsa_private = other.private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    rsa_public = other.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    for content in (b"", b"key", private, rsa_public):
        (copy / "key.pub").write_bytes(content)
        assert ends(copy, "--json") == 3
        assert json.loads(capsys.readouterr().out)["error"]["code"] == "not-a-public-key"
    for content in (b"", b"key", closed, rsa_private):
        (tmp_path / "other").write_bytes(content)
        with pytest.raises(InputError) as caught:
            tacit.sign(copy / "out", private_key=tmp_path / "other", overwrite=True)
        assert caught.value.code == "not-a-private-key"
    (copy / "key.pub").unlink()
    assert ends(copy) == 3


def test_what_the_verifier_refuses_is_not_signed(copy: Path) -> None:
    (copy / "out" / "release.sig").unlink()
    (copy / "out" / "qit.csv").write_text("another")
    with pytest.raises(VerificationError):
        tacit.sign(copy / "out", private_key=copy / "key")
    assert not (copy / "out" / "release.sig").exists()


def test_a_signed_release_can_be_replaced(copy: Path) -> None:
    release = tacit.bucketize(tacit.load_sample("hospital:60"), l=3, key=secret_key(1))
    release.save(copy / "out", overwrite=True)
    assert not (copy / "out" / "release.sig").exists()


def test_flags_that_do_not_go_together(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sign"]) == 2
    assert main(["sign", str(copy / "out")]) == 2
    assert main(["sign", str(copy / "out"), "--new-key", str(copy / "more")]) == 2
    assert main(["sign", "--new-key", str(copy / "more")]) == 0
    assert "keep it to yourself" in capsys.readouterr().out


def test_without_the_package_it_says_what_to_install(signed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.release.signing.find_spec", lambda name: None)
    for attempt in (
        lambda: tacit.new_signing_key(signed / "more"),
        lambda: tacit.sign(signed / "out", private_key=signed / "key"),
        lambda: tacit.verify(signed / "out", public_key=signed / "key.pub"),
    ):
        with pytest.raises(ResourceError) as caught:
            attempt()
        assert (caught.value.code, "tacit[sign]" in str(caught.value.hint)) == ("missing-extra", True)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_openssl_checks_the_same_signature(copy: Path) -> None:
    command = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", str(copy / "key.pub")]
    command += ["-sigfile", str(copy / "out" / "release.sig"), "-in", str(copy / "out" / "release.json")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    (copy / "out" / "release.json").write_text("{}")
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0
