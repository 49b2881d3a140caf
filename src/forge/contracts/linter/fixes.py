"""Messages and fixes of schema findings."""

from __future__ import annotations

from collections.abc import Mapping

from forge.contracts.contract import LOGICAL_TYPES
from forge.contracts.document.file import Path
from forge.contracts.linter.finding import shown
from forge.contracts.linter.standard_schema import json_type
from forge.contracts.linter.words import one_of, type_words
from forge.contracts.schema.types import logical_of


def name_of(path: Path) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "the contract")


def entry_fix(wanted: list[str], item: object, path: Path) -> str:
    first = {"enum": "value", "customProperties": "property", "slaProperties": "property", "team": "username"}
    key = first.get(name_of(path), "name")
    if wanted == ["object"] and isinstance(item, str | int | float):
        return f"Write - {key}: {item}."
    return type_fix(wanted, item, None)


def type_message(wanted: list[str], value: object, path: Path, written: str | None = None) -> str:
    name = str(path[-1]) if path and isinstance(path[-1], str) else "the entry"
    if value is None:
        return f"{name} is empty; it must be {type_words(wanted)}"
    text = shown(value)
    if written and isinstance(value, bool) and written.lower() != text:
        text = f"{written}, which YAML reads as {text}"
    return f"{name} must be {type_words(wanted)}, not {text}"


def type_fix(wanted: list[str], value: object, key: str | None, written: str | None = None) -> str:
    name = key or "it"
    if value is None:
        return f"Give {name} a value, or remove the key."
    if key in ("exclusiveMinimum", "exclusiveMaximum"):
        return _exclusive_fix(key, wanted)
    if key == "logicalType":
        return "Write one of its words, like logicalType: string."
    if key == "description" and wanted == ["object"]:
        return f"Write description: {{purpose: {value}}}."
    if key == "team" and wanted == ["array"]:
        return "Before v3.1 the team is a list: write team: [{username: …, role: owner}]."
    scalar = json_type(value) not in ("array", "object")
    if wanted == ["string"] and scalar:
        return f'Put it in quotes: {name}: "{written or str(value).lower()}".'
    if wanted == ["boolean"]:
        return f"Write {name}: true or {name}: false, without quotes."
    if "array" in wanted and scalar:
        return f"Write it as a list: {name}: [{value}]."
    if "array" in wanted:
        return f"Start each entry of {name} with '- '."
    if wanted == ["object"]:
        return f"Write {name} as key: value." if key else "Write each entry as key: value."
    if wanted in (["integer"], ["number"]):
        example = value if isinstance(value, str) and value.strip().isdigit() else 1
        return f"Write {type_words(wanted)} without quotes, like {name}: {example}."
    return f"Write {type_words(wanted)}."


def _exclusive_fix(key: str, wanted: list[str]) -> str:
    bound = key.removeprefix("exclusive").lower()
    if wanted == ["boolean"]:
        return f"Before v3.1 {key} is a flag: write {bound}: … and {key}: true; or set apiVersion: v3.1.0."
    return f"Since v3.1 {key} is the bound itself: write {key}: … in place of {bound}."


def type_hint(word: str, known: list[str]) -> str:
    since = next((v for v, types in LOGICAL_TYPES.items() if word in types and "string" in known), None)
    if since:
        return f"Set apiVersion: {since}, which has it."
    meant = _OTHER_WORDS.get(word.lower()) or logical_of(word)
    return f"Write {meant}." if meant in known else one_of(word, known)


_OTHER_WORDS = {"money": "number", "email": "string", "json": "object", "set": "array", "dict": "map"}


def missing_fix(key: str, value: Mapping[str, object]) -> str:
    if key == "metric" and isinstance(value.get("rule"), str):
        return (
            "rule is the word of v3.0; since v3.1 write metric: nullValues, missingValues, invalidValues, "
            "duplicateValues or rowCount."
        )
    if key == "rule" and "metric" in value:
        return "metric came with v3.1.0: set apiVersion: v3.1.0, or write rule: …"
    return _EXAMPLES.get(key, f"Add {key}: …")


_EXAMPLES = {
    "apiVersion": "Add apiVersion: v3.1.0.",
    "kind": "Add kind: DataContract.",
    "version": "Add version: 1.0.0.",
    "status": "Add status: active.",
    "id": "Add id: and a text that no other contract has.",
    "map": "Add map: {key: {logicalType: string}, value: {logicalType: string}}.",
    "dimensions": "Add dimensions: and how many numbers a vector has.",
    "logicalTypeOptions": "Add logicalTypeOptions: {dimensions: …}.",
    "value": "Add value: … (null, if there is none).",
}
