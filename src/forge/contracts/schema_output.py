"""Exports the schema of a contract to Spark and Iceberg, without loss of type information."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from forge.contracts.contract import ContractProperty, TableContract
from forge.contracts.drift.patch import new_type_of
from forge.contracts.schema.sql_text import literal, quote
from forge.model.types import DataType, TypeField, iceberg_text, parse_type

_ICEBERG_TYPES = frozenset(
    {
        *("boolean", "int", "long", "float", "double", "decimal", "date", "time", "timestamp", "timestamptz"),
        *("timestamp_ns", "timestamptz_ns", "string", "uuid", "fixed", "binary"),
    }
)
_SPARK_CLASSES = {
    "tinyint": "ByteType",
    "smallint": "ShortType",
    "int": "IntegerType",
    "bigint": "LongType",
    "float": "FloatType",
    "double": "DoubleType",
    "boolean": "BooleanType",
    "string": "StringType",
    "binary": "BinaryType",
    "date": "DateType",
    "timestamp": "TimestampType",
    "timestamp_ntz": "TimestampNTZType",
    "varchar": "VarcharType",
    "char": "CharType",
    "decimal": "DecimalType",
}


@dataclass(frozen=True, slots=True)
class SchemaText:
    """`lost`: what the format cannot express, each with its reason."""

    text: str
    lost: tuple[str, ...] = ()


def iceberg_schema(table: TableContract) -> SchemaText:
    """One table as Iceberg JSON schema. Ids are assigned from 1 on, columns first."""
    lost: list[str] = []
    columns = list(_columns(table, lost))
    ids = count(len(columns) + 1)
    fields = [
        {
            "id": number,
            "name": each.column,
            "required": _is_required(each),
            "type": _iceberg_type(kind, ids, f"{table.table}.{each.column}", lost),
            **({"doc": each.description} if each.description else {}),
        }
        for number, (each, kind) in enumerate(columns, 1)
    ]
    keys = [number for number, (each, _) in enumerate(columns, 1) if each.primary_key]
    schema = {"type": "struct", "schema-id": 0, "identifier-field-ids": keys, "fields": fields}
    return SchemaText(json.dumps(schema, ensure_ascii=False, indent=2) + "\n", tuple(lost))


def spark_code(tables: Sequence[TableContract]) -> SchemaText:
    """A StructType for each table, as Python."""
    lost: list[str] = []
    parts = ["from pyspark.sql.types import *\n"]
    for table in tables:
        fields = [
            f"    StructField({each.column!r}, {_spark_type(kind, f'{table.table}.{each.column}', lost)}, "
            f"{not _is_required(each)}{_comment(each)}),\n"
            for each, kind in _columns(table, lost)
        ]
        parts.append(f"{_variable(table)} = StructType([\n{''.join(fields)}])\n")
    return SchemaText("\n".join(parts), tuple(lost))


def spark_ddl(tables: Sequence[TableContract]) -> SchemaText:
    """CREATE TABLE with the full name. An existing table is never replaced."""
    lost: list[str] = []
    parts = []
    for table in tables:
        name = ".".join(quote(part) for part in table.table.split("."))
        lines = [
            f"  {quote(each.column)} {new_type_of(each)}{' NOT NULL' if _is_required(each) else ''}"
            f"{f' COMMENT {literal(each.description)}' if each.description else ''}"
            for each, _ in _columns(table, lost)
        ]
        comment = f"\nCOMMENT {literal(table.description)}" if table.description else ""
        body = ",\n".join(lines)
        parts.append(f"CREATE TABLE {name} (\n{body}\n) USING iceberg{comment};\n")
    return SchemaText("\n".join(parts), tuple(lost))


def _columns(table: TableContract, lost: list[str]) -> Iterator[tuple[ContractProperty, DataType]]:
    for each in table.columns:
        kind = new_type_of(each)
        if kind is None:
            lost.append(f"{table.table}.{each.column}: the contract does not say its type, so it was left out")
        else:
            yield each, _with_nulls(parse_type(kind), each)


def _with_nulls(of: DataType, declared: ContractProperty | None) -> DataType:
    """The type with the nullability of its nested parts."""
    if declared is None or not of.fields:
        return of
    parts = {"element": declared.items, "key": declared.map_key, "value": declared.map_value}
    if of.name == "struct":
        parts = {each.column: each for each in declared.properties}
    return replace(of, fields=tuple(_field_with_nulls(field, parts.get(field.name)) for field in of.fields))


def _field_with_nulls(field: TypeField, declared: ContractProperty | None) -> TypeField:
    return TypeField(
        field.name, _with_nulls(field.type, declared), field.nullable and not (declared and declared.required)
    )


def _is_required(of: ContractProperty) -> bool:
    return of.required or of.primary_key


def _comment(of: ContractProperty) -> str:
    return f", {{'comment': {of.description!r}}}" if of.description else ""


def _variable(table: TableContract) -> str:
    name = "".join(c if c.isalnum() or c == "_" else "_" for c in (table.name or table.table))
    return name if name.isidentifier() else f"table_{name}"


def _iceberg_type(of: DataType, ids: Iterator[int], path: str, lost: list[str]) -> object:
    if of.name == "struct":
        numbered = [(next(ids), field) for field in of.fields]
        return {"type": "struct", "fields": [_iceberg_field(n, f, ids, path, lost) for n, f in numbered]}
    if of.name == "array" and of.fields:
        number, (element,) = next(ids), of.fields
        inside = _iceberg_type(element.type, ids, f"{path}.element", lost)
        return {"type": "list", "element-id": number, "element": inside, "element-required": not element.nullable}
    if of.name == "map" and of.fields:
        (first, second), (key, value) = (next(ids), next(ids)), of.fields
        return {
            "type": "map",
            "key-id": first,
            "key": _iceberg_type(key.type, ids, f"{path}.key", lost),
            "value-id": second,
            "value": _iceberg_type(value.type, ids, f"{path}.value", lost),
            "value-required": not value.nullable,
        }
    text = iceberg_text(of)
    if re.split(r"[(\[]", text)[0] not in _ICEBERG_TYPES:
        lost.append(f"{path}: Iceberg has no type {of}; string was written")
        return "string"
    if of.name in ("varchar", "char"):
        lost.append(f"{path}: Iceberg's string has no length; {of} lost it")
    return text


def _iceberg_field(number: int, field: TypeField, ids: Iterator[int], path: str, lost: list[str]) -> dict[str, object]:
    kind = _iceberg_type(field.type, ids, f"{path}.{field.name}", lost)
    return {"id": number, "name": field.name, "required": not field.nullable, "type": kind}


def _spark_type(of: DataType, path: str, lost: list[str]) -> str:
    inside = [_spark_type(field.type, f"{path}.{field.name}", lost) for field in of.fields]
    if of.name == "struct":
        pairs = zip(of.fields, inside, strict=True)
        return f"StructType([{', '.join(f'StructField({f.name!r}, {kind}, {f.nullable})' for f, kind in pairs)}])"
    if of.name == "array" and inside:
        return f"ArrayType({inside[0]}, {of.fields[0].nullable})"
    if of.name == "map" and inside:
        return f"MapType({inside[0]}, {inside[1]}, {of.fields[1].nullable})"
    if of.name not in _SPARK_CLASSES:
        lost.append(f"{path}: Spark has no type {of}; StringType was written")
        return "StringType()"
    return f"{_SPARK_CLASSES[of.name]}({', '.join(str(n) for n in of.size)})"
