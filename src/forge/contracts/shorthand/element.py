"""Converts an element of the shorthand to a property of ODCS."""

from __future__ import annotations

from collections.abc import Mapping

from forge.contracts.schema.types import logical_of
from forge.contracts.shorthand.rules import Notes, rules_of
from forge.model.types import parse_type

_KEPT = (
    *("id", "businessName", "physicalName", "physicalType", "required", "unique", "primaryKey", "primaryKeyPosition"),
    *("description", "classification", "tags", "logicalTypeOptions", "examples", "criticalDataElement"),
    *("partitioned", "partitionKeyPosition", "encryptedName", "relationships", "customProperties"),
    *("transformLogic", "transformDescription", "transformSourceObjects", "authoritativeDefinitions"),
)
_OPTIONS = (
    *("minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minItems", "maxItems", "uniqueItems"),
)
_LOGICAL = ("string", "date", "number", "integer", "object", "array", "boolean", "timestamp", "time")
_WORDS = {"text": "string", "record": "object", "struct": "object", "list": "array", "numeric": "number"}
_KNOWN = {
    *_KEPT,
    *_OPTIONS,
    *("name", "element", "type", "logicalType", "nullable", "notNull", "pii", "enum", "quality", "deprecation"),
    *("elements", "fields", "properties", "items", "length", "precision", "scale"),
}


def kept(given: Mapping[str, object], *keys: str) -> dict[str, object]:
    return {key: given[key] for key in keys if given.get(key) is not None}


def element_of(name: str, given: Mapping[str, object], path: str, notes: Notes) -> dict[str, object]:
    found: dict[str, object] = {"name": name} if name else {}
    found |= kept(given, *_KEPT)
    found |= _type_of(given, path, notes)
    if "required" not in found and isinstance(given.get("nullable"), bool):
        found["required"] = not given["nullable"]
    if "required" not in found and isinstance(given.get("notNull"), bool):
        found["required"] = given["notNull"]
    if given.get("pii") is True:
        found.setdefault("classification", "pii")
    options = kept(given, *_OPTIONS)
    own = given.get("logicalTypeOptions")
    if options:
        found["logicalTypeOptions"] = {**(own if isinstance(own, Mapping) else {}), **options}
    inner = next((given[key] for key in ("elements", "fields", "properties") if given.get(key)), None)
    if inner is not None:
        found["properties"] = [element_of(n, e, f"{path}.{n}", notes) for n, e in _pairs(inner)]
    if isinstance(items := given.get("items"), Mapping):
        found["items"] = element_of("", items, f"{path}.items", notes)
    rules = [*rules_of(given.get("quality"), path, name, notes), *_enum(given)]
    if rules:
        found["quality"] = rules
    if given.get("deprecation") is not None:
        custom = found.get("customProperties")
        entry = {"property": "forge.deprecation", "value": given["deprecation"]}
        found["customProperties"] = [*(custom if isinstance(custom, list) else []), entry]
    notes += [f"{path}.{key}: was left out" for key in given if key not in _KNOWN]
    return found


def _pairs(given: object) -> list[tuple[str, Mapping[str, object]]]:
    if isinstance(given, Mapping):
        return [(str(name), each) for name, each in given.items() if isinstance(each, Mapping)]
    items = given if isinstance(given, list) else []
    return [(str(each.get("name") or ""), each) for each in items if isinstance(each, Mapping)]


def _type_of(given: Mapping[str, object], path: str, notes: Notes) -> dict[str, object]:
    """The logical type; anything more specific (`decimal(12,2)`, `bigint`) is the physical type."""
    text = given.get("logicalType") or given.get("type")
    if text is None:
        return {}
    word = str(text).strip()
    plain = _WORDS.get(word.lower(), word.lower())
    if plain in _LOGICAL:
        return {"logicalType": plain}
    logical = logical_of(parse_type(word))
    if logical is None or logical not in _LOGICAL:
        notes.append(f"{path}.type: '{word}' is no type that Forge knows; it was kept as physicalType")
        return {} if "physicalType" in given else {"physicalType": word}
    exact: dict[str, object] = {} if "physicalType" in given else {"physicalType": word}
    return {"logicalType": logical, **exact}


def _enum(given: Mapping[str, object]) -> list[dict[str, object]]:
    """Allowed values are a quality rule in ODCS before 3.2."""
    values = given.get("enum")
    if not isinstance(values, list) or not values:
        return []
    listed = [each.get("value") if isinstance(each, Mapping) else each for each in values]
    return [{"type": "library", "metric": "invalidValues", "arguments": {"validValues": listed}, "mustBe": 0}]
