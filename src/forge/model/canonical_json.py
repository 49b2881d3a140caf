"""Canonical JSON and its hash: the basis of commit and tag ids, run fingerprints and contract hashes. These are
stored in projects, so the form never changes."""

from __future__ import annotations

import hashlib
import json


def canonical_json(value: object) -> str:
    """Sorted keys, no whitespace, no escapes; values without a JSON form as their `str`. A domain that distinguishes
    more (a date from its text), or less (1.0 from 1), encodes that in the value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def digest_of(value: object, errors: str = "strict") -> str:
    """SHA-256 in hexadecimal. `errors`: how to handle what UTF-8 cannot encode."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", errors)).hexdigest()
