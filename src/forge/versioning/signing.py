"""Ed25519 signatures on commits and tags. Keys are PEM; a private key is never stored or shown."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError
from forge.versioning.commit import Signature, Signer

if TYPE_CHECKING:  # slow to import, and most projects sign nothing
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ALGORITHM = "ed25519"
_MAKE = "openssl genpkey -algorithm ed25519 -out forge.pem; openssl pkey -in forge.pem -pubout -out forge.pub"

PublicKeys = Mapping[str, "Ed25519PublicKey"]
"""By key id."""


def load_private(pem: str, where: str | None = None) -> Ed25519PrivateKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        # Neither the text nor the library's words about it: they could show the key.
        raise ForgeError(
            "E628", "The signing key cannot be read", where=where, why="It must be Ed25519 in PEM.", fix=_MAKE
        )
    return key


def load_public(texts: Iterable[str], where: str | None = None) -> PublicKeys:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    keys: dict[str, Ed25519PublicKey] = {}
    for text in texts:
        try:
            key = load_pem_public_key(text.encode())
        except (ValueError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PublicKey):
            raise ForgeError(
                "E628", "A trusted key cannot be read", where=where, why="It must be Ed25519 in PEM.", fix=_MAKE
            )
        keys[key_id_of(key)] = key
    return keys


def public_text(private_pem: str) -> str:
    """The public half of a private key."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    key = load_private(private_pem).public_key()
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def key_id_of(key: Ed25519PublicKey) -> str:
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]


def sign(object_id: str, key: Ed25519PrivateKey) -> Signature:
    return Signature(ALGORITHM, key.sign(object_id.encode()).hex(), key_id_of(key.public_key()))


def signer_of(pem: str, where: str | None = None) -> Signer:
    key = load_private(pem, where)
    return lambda object_id: sign(object_id, key)


def check(signature: Signature, object_id: str, keys: PublicKeys) -> str | None:
    """What is wrong with it, or None."""
    from cryptography.exceptions import InvalidSignature

    if signature.algorithm != ALGORITHM:
        return f"the algorithm is {signature.algorithm}, not {ALGORITHM}"
    key = keys.get(signature.key_id)
    if key is None:
        return f"the key {signature.key_id} is not trusted"
    try:
        key.verify(bytes.fromhex(signature.signature), object_id.encode())
    except (InvalidSignature, ValueError):
        return "it does not fit what was signed"
    return None
