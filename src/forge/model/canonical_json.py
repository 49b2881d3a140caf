"""One text for equal JSON values, and its hash: what ids of commits and tags, fingerprints of runs and hashes of
contracts are taken of. They are kept in projects, so its form never changes."""

from __future__ import annotations

import hashlib
import json


def canonical_json(value: object) -> str:
    """Keys sorted, nothing spaced, letters not escaped; what JSON has no form for as its `str`. A domain that tells
    more apart (a date from its text), or less (1.0 from 1), says so in the value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def digest_of(value: object, errors: str = "strict") -> str:
    """SHA-256 in hexadecimal. `errors`: of what UTF-8 cannot hold."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", errors)).hexdigest()
