"""Fingerprint of an output: the same code, inputs and parameters need not run again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from datetime import date, datetime
from decimal import Decimal

from forge.model.canonical_json import canonical_json, digest_of
from forge.model.names import TableName
from forge.model.time import as_utc
from forge.transforms.transform import SqlQuery, Transform


@dataclass(frozen=True, slots=True)
class Fingerprint:
    fingerprint: str
    parts: Mapping[str, str]  # a short hash of each part, to show what changed


def fingerprint(
    transform: Transform,
    inputs: Mapping[TableName, object],
    params: Mapping[str, object],
    files: Iterable[object] = (),
    rules: str = "",
    source: str = "",
) -> Fingerprint:
    """`inputs`: each input's pinned version. `files`: the identity of each file of a source, in any order. `rules`:
    of its checks and its contract. `source`: the state of what is loaded, which its part says in full."""
    pinned = {str(table): version for table, version in inputs.items()}
    used = used_params(transform, params)
    seen = sorted(canonical_json(_typed(file)) for file in files)
    whole = {
        "output": str(transform.output),
        "code": transform.code_hash,
        "inputs": pinned,
        "params": used,
        "files": sorted((*seen, canonical_json(rules))),
    }
    whole |= {"source": source} if source else {}
    parts = {"code": transform.code_hash, "inputs": pinned, "parameters": used, "files": seen, "checks": rules}
    hashes = {name: hash_of(part)[:16] for name, part in parts.items()}
    return Fingerprint(hash_of(whole), hashes | ({"source": source} if source else {}))


def used_params(transform: Transform, params: Mapping[str, object]) -> dict[str, object]:
    """SQL names its parameters; Python may read any; a source reads none."""
    if transform.is_source:
        return {}
    if isinstance(transform.body, SqlQuery):
        return {name: params[name] for name in transform.body.parameters if name in params}
    return dict(params)


def hash_of(value: object) -> str:
    return digest_of(_typed(value))


def _typed(value: object) -> object:
    """As JSON in which values of different types differ."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, datetime):
        return {"timestamp": as_utc(value).isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, Decimal):
        return {"decimal": str(value.normalize())}
    if is_dataclass(value) and not isinstance(value, type):
        return _typed(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): _typed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_typed(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(canonical_json(_typed(item)) for item in value)
    raise TypeError(f"cannot fingerprint a {type(value).__name__}")
