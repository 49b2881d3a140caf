"""The standard's JSON schemas, shipped with the package, and validation against them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jsonschema_rs

Schema = Mapping[str, Any]

# Each version that Forge reads → the grammar it follows.
GRAMMARS: Mapping[str, str] = {
    "v3.0.0": "3.0.2",
    "v3.0.1": "3.0.2",
    "v3.0.2": "3.0.2",
    "v3.1.0": "3.1.0",
    "v3.2.0": "3.2.0",
}
NEWEST = "v3.2.0"


@cache
def schema_of(version: str) -> Schema:
    file = resources.files("forge.contracts") / "standard" / f"odcs-{GRAMMARS[version]}.schema.json"
    schema: Schema = json.loads(file.read_text(encoding="utf-8"))
    return schema


@cache
def _validator_of(grammar: str) -> jsonschema_rs.Validator:
    import jsonschema_rs  # 13 ms that only the linter needs

    version = next(each for each, name in GRAMMARS.items() if name == grammar)
    return jsonschema_rs.validator_for(dict(schema_of(version)))


def is_valid(version: str, data: object) -> bool:
    return bool(_validator_of(GRAMMARS[version]).is_valid(data))


def raw_errors(version: str, data: object) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The validator's own messages, as a fallback of our explanation."""
    for error in _validator_of(GRAMMARS[version]).iter_errors(data):
        yield tuple(error.instance_path), str(error.message)


def misfits(version: str, data: object) -> Iterator[tuple[str | int, ...]]:
    """Paths to remove to make a document valid: unknown keys, and values of a wrong form."""
    for error in _validator_of(GRAMMARS[version]).iter_errors(data):
        unexpected = getattr(error.kind, "unexpected", None)
        path = tuple(error.instance_path)
        if isinstance(unexpected, list):
            yield from ((*path, str(key)) for key in unexpected)
        else:
            yield path


def resolve(root: Schema, schema: Schema) -> Schema:
    """The target of a `$ref`; the standard's references stay inside its own file."""
    found: Any = root
    for step in str(schema["$ref"]).removeprefix("#/").split("/"):
        found = found[step]
    resolved: Schema = found
    return resolved


def json_type(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def has_type(value: object, types: object) -> bool:
    allowed = types if isinstance(types, list) else [types]
    kind = json_type(value)
    return kind in allowed or (kind == "integer" and "number" in allowed)
