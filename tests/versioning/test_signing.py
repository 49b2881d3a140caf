"""Ed25519 signatures on commits and tags."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from forge.model.errors import ForgeError
from forge.versioning.commit import Author, Signature, make_commit
from forge.versioning.signing import check, key_id_of, load_private, load_public, public_text, sign, signer_of

KEY = Ed25519PrivateKey.generate()
PEM = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
TRUSTED = load_public([public_text(PEM)])
SIGNED = sign("a" * 64, KEY)


def test_a_signature_holds_for_what_was_signed_alone() -> None:
    assert check(SIGNED, "a" * 64, TRUSTED) is None
    assert check(SIGNED, "b" * 64, TRUSTED) == "it does not fit what was signed"


@pytest.mark.parametrize(
    "changed",
    [
        replace(SIGNED, signature=("0" if SIGNED.signature[0] != "0" else "1") + SIGNED.signature[1:]),
        replace(SIGNED, signature=""),
        replace(SIGNED, signature="no hex"),
        replace(SIGNED, algorithm="none"),
        replace(SIGNED, key_id="0" * 16),
    ],
    ids=["another digit", "empty", "no hex", "another algorithm", "another key"],
)
def test_any_change_to_a_signature_is_found(changed: Signature) -> None:
    assert check(changed, "a" * 64, TRUSTED) is not None


def test_another_key_that_calls_itself_the_trusted_one_does_not_pass() -> None:
    forged = replace(sign("a" * 64, Ed25519PrivateKey.generate()), key_id=SIGNED.key_id)
    assert check(forged, "a" * 64, TRUSTED) == "it does not fit what was signed"


def test_the_key_id_is_that_of_the_public_key() -> None:
    assert list(TRUSTED) == [key_id_of(KEY.public_key())] == [SIGNED.key_id]


def test_a_commit_is_signed_over_its_id_which_stays_the_same() -> None:
    from datetime import UTC, datetime

    from forge.model.names import BranchName

    parts = {
        "tree": {},
        "parents": (),
        "author": Author("Ada", "a"),
        "message": "m",
        "time": datetime(2026, 11, 15, tzinfo=UTC),
        "branch": BranchName("main"),
        "statistics": {},
        "metadata": {},
    }
    plain, signed = make_commit(**parts), make_commit(**parts, signer=signer_of(PEM))  # type: ignore[arg-type]
    assert signed.id == plain.id
    assert plain.signature is None
    assert signed.signature is not None
    assert check(signed.signature, signed.id, TRUSTED) is None


def other_pem() -> str:
    other = generate_private_key(SECP256R1())
    return other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.mark.parametrize("text", ["", "no key", other_pem(), public_text(PEM)], ids=["empty", "text", "ec", "public"])
def test_a_private_key_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(ForgeError) as told:
        load_private(text, "versioning.signing_key")
    assert told.value.code == "E628"
    assert told.value.where == "versioning.signing_key"


@pytest.mark.parametrize("kind", ["text", "ec", "private"])
def test_a_public_key_of_another_kind_is_refused(kind: str) -> None:
    ec = generate_private_key(SECP256R1()).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    with pytest.raises(ForgeError) as told:
        load_public([{"text": "no key", "ec": ec.decode(), "private": PEM}[kind]])
    assert told.value.code == "E628"
