"""A contract in the form that exporters of datacontract-cli expect: precision and scale of a decimal as options, not in
its type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from forge.contracts.contract import TableContract
from forge.contracts.drift.patch import new_type_of
from forge.model.types import parse_type

AVRO = "avro"
_SIZED = (AVRO, "bigquery")
_UNSIZED = ("avro-idl", "dbml", "go", "protobuf", "pydantic-model", "sqlalchemy")
_INSIDE = ("properties", "items")


def tool_form(data: Mapping[str, object], format: str) -> Mapping[str, object]:
    """The contract with precision and scale, and for Avro the table's schema, where that format's exporter reads
    them."""
    schema = data.get("schema")
    if format not in _SIZED or not isinstance(schema, list):
        return data
    return {**data, "schema": [_table(each, format) if isinstance(each, Mapping) else each for each in schema]}


def find_lost(tables: Sequence[TableContract], format: str) -> Iterator[str]:
    """What that format's exporter loses, each with its line."""
    for table in tables if format in _UNSIZED else ():
        for each in table.columns:
            kind = new_type_of(each)
            if kind is not None and "DECIMAL(" in kind:
                yield f"{table.table}.{each.column} (line {each.line}): the size of {kind} is lost in {format}"
        schema, _, name = table.table.rpartition(".")
        if schema and format == "sqlalchemy":
            yield f"{table.table} (line {table.line}): is called {name} in {format}, without its schema {schema}"


def _table(given: Mapping[str, object], format: str) -> Mapping[str, object]:
    found = _with_sizes(given, format)
    schema = str(given.get("physicalName") or given.get("name") or "").rpartition(".")[0]
    custom = found.get("customProperties")
    known = custom if isinstance(custom, list) else []
    if (
        format != AVRO
        or not schema
        or any(isinstance(each, Mapping) and each.get("property") == "namespace" for each in known)
    ):
        return found
    return {**found, "customProperties": [*known, {"property": "namespace", "value": schema}]}


def _with_sizes(given: Mapping[str, object], format: str) -> dict[str, object]:
    found = dict(given)
    for key in _INSIDE:
        inner = given.get(key)
        if isinstance(inner, list):
            found[key] = [_with_sizes(each, format) if isinstance(each, Mapping) else each for each in inner]
        elif isinstance(inner, Mapping):
            found[key] = _with_sizes(inner, format)
    kind = given.get("physicalType")
    if isinstance(kind, str) and (parsed := parse_type(kind)).name == "decimal" and len(parsed.size) == 2:
        custom = given.get("customProperties")
        sizes = [
            {"property": name, "value": size} for name, size in zip(("precision", "scale"), parsed.size, strict=True)
        ]
        found["customProperties"] = [*(custom if isinstance(custom, list) else []), *sizes]
        found |= {"physicalType": "decimal"} if format == AVRO else {}
    return found
