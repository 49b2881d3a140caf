"""Draft of a contract for a table that has none, from its columns and what is known of them. Unknown values are left
out, never invented: `lint` with the strict profile lists what is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from forge.contracts.linter.strict import is_personal
from forge.contracts.schema.types import logical_of
from forge.contracts.write import write_contract
from forge.model.names import TableName
from forge.model.schema import Column, Schema
from forge.model.types import DataType, TypeField, parse_type

VERSION = "v3.1.0"
FIRST = "0.1.0"  # a draft: its first promise is 1.0.0, when somebody has read it

Entry = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownColumn:
    """Knowledge of a column beyond its type. `personal`: the kind of personal data, such as `email`; empty where the
    kind is unknown."""

    description: str = ""
    required: bool | None = None  # None: as in the table
    unique: bool = False
    personal: str | None = None
    tags: Sequence[str] = ()
    options: Mapping[str, object] = field(default_factory=dict)  # logicalTypeOptions
    allowed_values: Sequence[object] = ()
    reference: str | None = None  # the key that it points at: core.customers.customer_id


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTable:
    """Knowledge of a table. `owner`: an e-mail address or a team; `columns` by name, case-insensitive; nested ones by
    path, `address.city`."""

    project: str = ""
    domain: str = ""
    description: str = ""
    owner: str | None = None
    tags: Sequence[str] = ()
    key: Sequence[str] = ()
    kind: Literal["table", "view"] = "table"
    rows_at_least: int | None = None
    columns: Mapping[str, KnownColumn] = field(default_factory=dict)


def draft_contract(table: TableName, schema: Schema, known: KnownTable | None = None) -> str:
    """The text of a draft. It passes `lint`; also the strict profile where owner and descriptions are known."""
    return write_contract(draft_data(table, schema, known))


def draft_data(table: TableName, schema: Schema, known: KnownTable | None = None) -> Entry:
    facts = known or KnownTable()
    columns = {name.lower(): one for name, one in facts.columns.items()}
    key = {name.lower(): position for position, name in enumerate(facts.key, 1)}
    entry: Entry = {"name": table.name, "physicalName": str(table), "physicalType": facts.kind, "logicalType": "object"}
    if facts.description:
        entry["description"] = facts.description
    entry["properties"] = [_column(each, columns, key.get(each.name.lower())) for each in schema.columns]
    if facts.rows_at_least is not None:
        entry["quality"] = [_library("rowCount", mustBeGreaterOrEqualTo=facts.rows_at_least, dimension="completeness")]
    return _head(table, facts) | {"schema": [entry]}


def _head(table: TableName, facts: KnownTable) -> Entry:
    words = re.sub(r"[^a-z0-9]+", "-", " ".join((facts.project, table.schema, table.name)).lower())
    head: Entry = {"apiVersion": VERSION, "kind": "DataContract", "id": words.strip("-"), "name": str(table)}
    head |= {"version": FIRST, "status": "draft"}
    if facts.domain:
        head["domain"] = facts.domain
    if facts.tags:
        head["tags"] = list(dict.fromkeys(facts.tags))
    if facts.description:
        head["description"] = {"purpose": facts.description}
    if facts.owner:
        is_person = "@" in facts.owner
        head["team"] = {"members": [{"username": facts.owner, "role": "owner"}]} if is_person else {"name": facts.owner}
    return head


def _column(column: Column, known: Mapping[str, KnownColumn], position: int | None) -> Entry:
    kind = parse_type(column.type)
    facts = known.get(column.name.lower())
    entry = _property(TypeField(column.name, kind, column.nullable), known, (column.name,), column.doc or "")
    if position is not None:
        entry |= {"required": True, "primaryKey": True, "primaryKeyPosition": position}
    elif facts and facts.unique:
        entry["unique"] = True
    return entry


def _property(of: TypeField, known: Mapping[str, KnownColumn], path: tuple[str, ...], doc: str = "") -> Entry:
    facts = known.get(".".join(path).lower(), KnownColumn())
    entry: Entry = {"name": of.name, **_types(of.type, known, path)}
    if not of.nullable if facts.required is None else facts.required:
        entry["required"] = True
    if description := facts.description or doc:
        entry["description"] = description
    kind = [f"pii:{facts.personal}"] if facts.personal else []
    tags = list(dict.fromkeys((*facts.tags, *kind)))
    if tags:
        entry["tags"] = tags
    if options := _options(facts, entry.get("logicalType")):
        entry["logicalTypeOptions"] = options
    if facts.personal is not None or is_personal(entry):
        entry["classification"] = "pii"
    if facts.allowed_values:
        values = list(facts.allowed_values)
        entry["quality"] = [_library("invalidValues", arguments={"validValues": values}, mustBe=0)]
    if facts.reference:
        # The standard's short form has no schema: table.column.
        entry["relationships"] = [{"type": "foreignKey", "to": ".".join(facts.reference.split(".")[-2:])}]
    return entry


def _types(of: DataType, known: Mapping[str, KnownColumn], path: tuple[str, ...]) -> Entry:
    """Parts of structs and arrays are nested properties. The standard has no type for maps before v3.2, nor for bytes:
    their physical type suffices."""
    logical = logical_of(of)
    if logical == "object" and of.fields:
        return {"logicalType": "object", "properties": [_property(f, known, (*path, f.name)) for f in of.fields]}
    if of.name == "array" and of.fields:
        return {"logicalType": "array", "items": _types(of.fields[0].type, known, path)}
    if logical is None or logical == "map":
        return {"physicalType": str(of)}
    return {"logicalType": logical, "physicalType": str(of)}


_OF_TEXT = ("format", "pattern", "minLength", "maxLength")
_OF_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def _options(facts: KnownColumn, logical: object) -> Entry:
    """Those that the type has."""
    allowed = {"string": _OF_TEXT, "number": _OF_NUMBERS, "integer": _OF_NUMBERS}.get(str(logical), ())
    return {name: value for name, value in facts.options.items() if name in allowed}


def _library(metric: str, **more: object) -> Entry:
    return {"type": "library", "metric": metric, **more}
