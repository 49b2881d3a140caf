"""Messages for keys that the standard does not allow where they are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from forge.contracts.document.file import Document, Path
from forge.contracts.linter.standard_schema import GRAMMARS, Schema, resolve, schema_of
from forge.contracts.linter.words import label_of, letters_of, nearest

SHORTHAND = ("models", "elements", "owner", "dataContractSpecification", "info", "terms", "links", "deprecation")
SERVICES = ("freshness", "availability", "latency", "retention", "frequency")
_IN_SHORTHAND = (*SERVICES, "quality", "sla", "slas", "servicelevels")  # that import maps as well

_OPTIONS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
    *("pattern", "format", "minItems", "maxItems", "uniqueItems", "timezone", "defaultTimezone", "dimensions"),
)
# What authors write at home elsewhere → what to write here.
_ELSEWHERE: Mapping[str, Mapping[str, str]] = {
    "a property": {
        "type": "Write logicalType, or physicalType for the type of the database.",
        "datatype": "Write logicalType, or physicalType for the type of the database.",
        "nullable": "Write required: true for a column that is never null.",
        "isnullable": "Write required: true for a column that is never null.",
        "notnull": "Write required: true.",
        "primary": "Write primaryKey: true.",
        "pk": "Write primaryKey: true.",
        "pii": "Write classification: pii.",
        "title": "Write businessName.",
        "fields": "Write properties.",
        "columns": "Write properties.",
        "references": "Write relationships: [{to: table.column}].",
        "foreignkey": "Write relationships: [{to: table.column}].",
        "comment": "Write description.",
        "doc": "Write description.",
        "constraints": "Write required, unique, logicalTypeOptions or quality.",
        "tests": "Write quality.",
    },
    "an object of the schema": {
        "columns": "Write properties.",
        "fields": "Write properties.",
        "elements": "Write properties.",
        "type": "Write physicalType: table.",
        "title": "Write businessName.",
        "primarykey": "Write primaryKey: true at its columns.",
        "comment": "Write description.",
    },
    "a contract": {
        "tables": "Write schema.",
        "datasets": "Write schema.",
        "dataset": "Write schema.",
        "sla": "Write slaProperties.",
        "slas": "Write slaProperties.",
        "servicelevels": "Write slaProperties.",
        "stakeholders": "Write team.",
        "quality": "Write quality under an object of the schema, or under a property.",
        "title": "Write name.",
        "extends": "Write customProperties: [{property: forge.extends, value: …}].",
        "uuid": "Write id.",
        **{name: f"Write slaProperties: [{{property: {name}, value: …}}]." for name in SERVICES},
    },
    "an SLA property": {"name": "Write property.", "threshold": "Write value.", "target": "Write value."},
    "a custom property": {"name": "Write property.", "key": "Write property."},
    "a server": {"name": "Write server."},
    "a team member": {"email": "Write username."},
}


_NAMELESS = ("the items of an array", "the key of a map", "the value of a map")


def is_conditional(version: str, path: Path, key: str) -> bool:
    """Whether a key is allowed there together with another one only, which is missing or has another value. Such keys
    share one cause."""
    return key in keys_at(version, path)


def unknown_key(
    version: str, document: Document, path: Path, key: str, value: Mapping[str, object], known: list[str]
) -> tuple[str, str]:
    """Message and fix."""
    label = label_of(path, value)
    if key == "$ref":
        message = "references are not followed: a contract says everything itself, and nothing is fetched"
        return message, "Write here what the reference names."
    is_shorthand = not path and any(each in document.data for each in SHORTHAND)
    if not path and (key in SHORTHAND or (is_shorthand and key in _IN_SHORTHAND)):
        message = f"'{key}' is of the shorthand, not of ODCS"
        return message, f"Turn it into ODCS: forge contract import {document.file}"
    message = f"'{key}' is no key of {label} in ODCS {version}"
    return message, _fix(version, document, path, key, value, known, label)


def _fix(
    version: str, document: Document, path: Path, key: str, value: Mapping[str, object], known: list[str], label: str
) -> str:
    by_letters = {letters_of(each): each for each in known}
    if (meant := by_letters.get(letters_of(key))) is not None:
        return f"Write {meant}."
    own_label = "a property" if label in _NAMELESS else label.split(" of type ")[0]
    if (hint := _ELSEWHERE.get(own_label, {}).get(letters_of(key))) is not None:
        return hint
    if key in keys_at(version, path):
        return _needed(version, path, key)
    later = [each for each in GRAMMARS if key in keys_at(each, path)]
    if later:
        newer = [each for each in later if each > version]
        return f"Set apiVersion: {newer[0]}, which has it." if newer else f"It ended with {later[-1]}; remove it."
    if own_label == "a property" and key in _OPTIONS:
        return f"Put it into logicalTypeOptions: {{{key}: …}}."
    return nearest(key, known) or "Remove it, or put it into customProperties."


def keys_at(version: str, path: Path) -> frozenset[str]:
    """All keys that a version allows at a place, regardless of conditions."""
    return _keys_at(version, tuple(0 if isinstance(step, int) else step for step in path))


@lru_cache(maxsize=1000)
def _keys_at(version: str, path: Path) -> frozenset[str]:
    return frozenset(key for each in _schemas_at(schema_of(version), path) for key in each.get("properties", {}))


def _every(root: Schema, schemas: list[Schema]) -> list[Schema]:
    """The schemas with all that they reference, unconditionally."""
    found: list[Schema] = []
    todo = list(schemas)
    while todo:
        each = todo.pop()
        if any(each is known for known in found):
            continue
        found.append(each)
        if "$ref" in each:
            todo.append(resolve(root, each))
        todo.extend(part for word in ("allOf", "oneOf", "anyOf") for part in each.get(word, ()))
        if "then" in each:
            todo.append(each["then"])
    return found


def _needed(version: str, path: Path, key: str) -> str:
    """The values of another key that one requires: `maxLength` requires `logicalType: string`."""
    root = schema_of(version)
    at, below = (path[:-1], path[-1:]) if path and path[-1] == "logicalTypeOptions" else (path, ())
    conditions: dict[str, str] = {}
    for part in (part for each in _schemas_at(root, at) for part in each.get("allOf", ()) if "then" in part):
        if any(key in each.get("properties", {}) for each in _schemas_at(root, below, [part["then"]])):
            conditions |= {f"{name}: {const}": const for name, const in _conditions(part["if"])}
    words = list(conditions)
    if not words or len(words) > 6:
        return "Remove it, or put it into customProperties."
    return f"It stands beside {' or '.join(words)} only."


def _schemas_at(root: Schema, path: Path, start: list[Schema] | None = None) -> list[Schema]:
    schemas: list[Schema] = start or [root]
    for step in path:
        inner = [
            each.get("items") if isinstance(step, int) else each.get("properties", {}).get(step)
            for each in _every(root, schemas)
        ]
        schemas = [each for each in inner if isinstance(each, Mapping)]
    return _every(root, schemas)


def _conditions(condition: Schema) -> list[tuple[str, str]]:
    found = [(n, s["const"]) for n, s in condition.get("properties", {}).items() if "const" in s]
    return found or [pair for branch in condition.get("anyOf", ()) for pair in _conditions(branch)]
