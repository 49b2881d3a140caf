"""What a run's result depends on, as one hash: the same code, inputs and parameters need not run again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from datetime import date, datetime
from decimal import Decimal

from forge.model.names import TableName
from forge.model.time import as_utc
from forge.transforms.transform import SqlQuery, Transform


@dataclass(frozen=True, slots=True)
class Fingerprint:
    fingerprint: str
    parts: Mapping[str, str]  # a short hash of each part, to tell what changed


def fingerprint(
    transform: Transform,
    inputs: Mapping[TableName, object],
    params: Mapping[str, object],
    files: Iterable[object] = (),
    rules: str = "",
) -> Fingerprint:
    """`inputs`: each input's pinned version. `files`: what identifies each file of a source, in any order. `rules`: of
    its checks and its contract."""
    pinned = {str(table): version for table, version in inputs.items()}
    used = used_params(transform, params)
    seen = sorted(canonical_json(file) for file in files)
    whole = {
        "output": str(transform.output),
        "code": transform.code_hash,
        "inputs": pinned,
        "params": used,
        "files": sorted((*seen, canonical_json(rules))),
    }
    parts = {"code": transform.code_hash, "inputs": pinned, "parameters": used, "files": seen, "checks": rules}
    return Fingerprint(hash_of(whole), {name: hash_of(part)[:16] for name, part in parts.items()})


def used_params(transform: Transform, params: Mapping[str, object]) -> dict[str, object]:
    """SQL names the parameters it uses; Python may read any; a source reads none."""
    if transform.is_source:
        return {}
    if isinstance(transform.body, SqlQuery):
        return {name: params[name] for name in transform.body.parameters if name in params}
    return dict(params)


def hash_of(value: object) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def canonical_json(value: object) -> str:
    """Equal values give equal text, whatever the order of their keys; values of different types differ."""
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, datetime):
        return {"timestamp": as_utc(value).isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, Decimal):
        return {"decimal": str(value.normalize())}
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(canonical_json(item) for item in value)
    raise TypeError(f"cannot fingerprint a {type(value).__name__}")
