"""Which subschemas of the standard apply to a value: of `oneOf`, `anyOf` and `if` the intended branch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from forge.contracts.linter.standard_schema import Schema, has_type, resolve

# Of alternatives that are no types: what the walk has to look at instead.
OPERATORS = "x-operators"
SAME_FORM = "x-same-form"
NONE_HOLDS = "x-none-holds"


def facets_of(root: Schema, schema: Schema, value: object) -> Iterator[Schema]:
    """The schema and all that it references, with the intended branch of alternatives."""
    yield schema
    if "$ref" in schema:
        yield from facets_of(root, resolve(root, schema), value)
    for part in _parts_of(schema, value):
        yield from facets_of(root, part, value)
    if "if" in schema and isinstance(value, Mapping) and holds(root, schema["if"], value):
        yield from facets_of(root, schema.get("then", {}), value)
    for union in ("oneOf", "anyOf"):
        if union in schema:
            yield from _chosen(root, schema[union], value)


def _parts_of(schema: Schema, value: object) -> list[Schema]:
    """`allOf`. For a property without a known type no type-specific rules apply, but nested parts may."""
    parts: list[Schema] = schema.get("allOf", [])
    types = schema.get("properties", {}).get("logicalType", {}).get("enum")
    if types is None or "logicalTypeOptions" not in schema["properties"] or not isinstance(value, Mapping):
        return parts
    if value.get("logicalType") in types:
        return parts
    is_named = "logicalType" in value
    typed = [part for part in parts if "then" in part and (is_named or "required" not in part["if"])]
    thens = [part["then"].get("properties", {}) for part in typed]
    nested = {key: each for then in thens for key, each in then.items() if key != "logicalTypeOptions"}
    return [*(part for part in parts if "if" not in part), {"properties": nested}]


def _chosen(root: Schema, branches: list[Schema], value: object) -> Iterator[Schema]:
    if all(len(branch.get("required", ())) == 1 and "type" not in branch for branch in branches):
        merged = {key: each for branch in branches for key, each in branch["properties"].items()}
        yield {"properties": merged, OPERATORS: list(merged)}
        return
    if all("type" not in branch and "properties" in branch for branch in branches):
        yield {SAME_FORM: True}
        return
    fitting = [branch for branch in branches if _fits(root, branch, value)]
    if not fitting:
        yield {"type": sorted({t for branch in branches for t in types_of(root, branch)})}
    elif len(fitting) == 1:
        yield from facets_of(root, fitting[0], value)
    elif not any(holds(root, branch, value) for branch in fitting):
        yield {NONE_HOLDS: True}


def types_of(root: Schema, schema: Schema) -> list[str]:
    if "$ref" in schema:
        return types_of(root, resolve(root, schema))
    if "type" in schema:
        types = schema["type"]
        return list(types) if isinstance(types, list) else [types]
    return [t for union in ("oneOf", "anyOf") for branch in schema.get(union, ()) for t in types_of(root, branch)]


def _fits(root: Schema, schema: Schema, value: object) -> bool:
    types = types_of(root, schema)
    return not types or has_type(value, types)


def holds(root: Schema, schema: Schema, value: object) -> bool:
    """Whether a value matches a schema, for the few keywords in the standard's conditions and references."""
    if "$ref" in schema and not holds(root, resolve(root, schema), value):
        return False
    if "const" in schema and value != schema["const"]:
        return False
    if "type" in schema and not has_type(value, schema["type"]):
        return False
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        return False
    if "anyOf" in schema and not any(holds(root, branch, value) for branch in schema["anyOf"]):
        return False
    if not isinstance(value, Mapping):
        return True
    properties: Mapping[str, Any] = schema.get("properties", {})
    return all(key in value for key in schema.get("required", ())) and all(
        holds(root, each, value[key]) for key, each in properties.items() if key in value
    )
