"""Columns from JSON schemas of Spark (`StructType.json()`) and Iceberg (table metadata, REST responses)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from forge.model.schema import Column, Schema
from forge.model.types import balanced

_DEPTH = 64  # real tables are never deeper; hostile files are
_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING"  # where Spark keeps varchar(20), which it reads as string
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")
_WORD = re.compile(r"[^\W\d]")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# One word for one thing: `timestamp` has a zone in Spark and none in Iceberg.
_SPARK_WORDS = {"timestamp": "timestamp_ltz"}
_ICEBERG_WORDS = {"timestamp": "timestamp without time zone"}
_NO_WORDS: Mapping[str, str] = {}
_SPEC_KEYS = ("type", "nullable", "required", "not_null", "doc", "comment", "description", "metadata")
_FIELD_KEYS = ("name", "id", "initial-default", "write-default")  # additionally, in a list of fields
_LIST_KEYS = ("elementType", "containsNull", "element-id", "element", "element-required", "items", *_FIELD_KEYS)
_MAP_KEYS = ("keyType", "valueType", "valueContainsNull", "key-id", "key", "value-id", "value", "value-required")
_NESTED_KEYS: Mapping[str, tuple[str, ...]] = {
    "struct": ("fields", "schema-id", "identifier-field-ids", *_FIELD_KEYS),
    "record": ("fields", *_FIELD_KEYS),
    "array": _LIST_KEYS,
    "list": _LIST_KEYS,
    "map": (*_MAP_KEYS, *_FIELD_KEYS),
    "udt": ("class", "pyClass", "sqlType", "serializedClass"),
}


class NotASchema(ValueError):
    """Why something is not a table schema."""


def is_struct(value: object) -> bool:
    """A list of fields, each with name and type; a table may also have columns called type and fields."""
    if not isinstance(value, Mapping) or value.get("type", "struct") != "struct":
        return False
    fields = value.get("fields")
    return isinstance(fields, list) and all(isinstance(f, Mapping) and "name" in f and "type" in f for f in fields)


def current_schema(value: Mapping[str, object]) -> Mapping[str, object] | None:
    """The schema of Iceberg table metadata, or of a REST catalog response; None otherwise."""
    inner = value.get("metadata")
    if isinstance(inner, Mapping) and is_metadata(inner):
        return current_schema(inner)
    if not is_metadata(value):
        return None
    schemas = value.get("schemas")
    current = str(value.get("current-schema-id", ""))
    listed = [s for s in schemas if isinstance(s, Mapping)] if isinstance(schemas, list) else []
    found = next((s for s in listed if str(s.get("schema-id", "0")) == current), None) or value.get("schema")
    if found is None and listed:
        found = listed[-1]
    return found if isinstance(found, Mapping) and is_struct(found) else None


def is_metadata(value: Mapping[str, object]) -> bool:
    has_one = is_struct(value.get("schema")) or isinstance(value.get("schemas"), list)
    return has_one and ("format-version" in value or "table-uuid" in value or "current-schema-id" in value)


def struct_schema(struct: Mapping[str, object]) -> Schema:
    fields = struct.get("fields")
    return fields_schema(fields if isinstance(fields, list) else [], is_iceberg="schema-id" in struct)


def fields_schema(fields: Iterable[object], *, is_iceberg: bool = False) -> Schema:
    """A list of {name, type, nullable | required}."""
    listed = list(fields)
    words = _words_of(listed, is_iceberg=is_iceberg)
    columns = []
    for field in listed:
        if not isinstance(field, Mapping) or not field.get("name"):
            raise NotASchema("a field needs a name and a type")
        columns.append(column_of(str(field["name"]), field, words))
    return Schema(tuple(columns))


def column_of(name: str, field: Mapping[str, object], words: Mapping[str, str] = _NO_WORDS) -> Column:
    doc = next((field[key] for key in ("doc", "comment", "description") if isinstance(field.get(key), str)), None)
    metadata = field.get("metadata")
    if doc is None and isinstance(metadata, Mapping) and isinstance(metadata.get("comment"), str):
        doc = metadata["comment"]
    return Column(name, _type_of_field(name, field, words, 0), _is_nullable(name, field), str(doc) if doc else None)


def type_text(value: object, words: Mapping[str, str] = _NO_WORDS, depth: int = 0) -> str:
    """The type as one text: `array<struct<sku:string not null>>`."""
    if depth > _DEPTH:
        raise NotASchema(f"the type is nested deeper than {_DEPTH} levels")
    if isinstance(value, str):
        return words.get(value.strip().lower(), checked_type(value))
    if isinstance(value, list):
        return _list_text(value, words, depth)
    if not isinstance(value, Mapping):
        raise NotASchema(f"{value!r} is not a type")
    if not is_spec(value):
        return _struct_text(value, words, depth)  # {street: string, city: string}
    match str(value["type"]).lower():
        case "struct" | "record" if isinstance(value.get("fields"), list | Mapping):
            return _struct_text(value["fields"], words, depth)
        case "array" | "list":
            return _array_text(value, words, depth)
        case "map":
            return _map_text(value, words, depth)
        case "udt":
            return type_text(value.get("sqlType"), words, depth + 1)
    return type_text(value["type"], words, depth + 1)


def checked_type(text: str) -> str:
    """A type of any system with balanced brackets; numbers and symbols are rejected."""
    if not _WORD.match(text.strip()) or not balanced(text):
        raise NotASchema(f"'{text[:80]}' is not a type")
    return text.strip()


def _list_text(value: list[object], words: Mapping[str, str], depth: int) -> str:
    """`[string]` is an array; a list of fields is a struct."""
    if value and all(isinstance(item, Mapping) and "name" in item for item in value):
        return _struct_text(value, words, depth)
    if len(value) == 1:
        return f"array<{type_text(value[0], words, depth + 1)}>"
    raise NotASchema("a list stands for an array with one kind of item, like [string], or for a list of fields")


def _struct_text(fields: object, words: Mapping[str, str], depth: int) -> str:
    if isinstance(fields, Mapping):
        pairs = [(str(name), kind if is_spec(kind) else {"type": kind}) for name, kind in fields.items()]
    else:
        listed = [field for field in fields if isinstance(field, Mapping)] if isinstance(fields, list) else []
        pairs = [(str(field.get("name", "")), field) for field in listed]
    parts = []
    for name, field in pairs:
        if not name or not isinstance(field, Mapping):
            raise NotASchema("a field of a struct needs a name and a type")
        text = _type_of_field(name, field, words, depth + 1)
        is_required = not _is_nullable(name, field) and not text.lower().endswith(" not null")
        parts.append(f"{_quoted(name)}:{text}{' not null' if is_required else ''}")
    return f"struct<{','.join(parts)}>"


def _array_text(value: Mapping[str, object], words: Mapping[str, str], depth: int) -> str:
    element = next((value[key] for key in ("elementType", "element", "items") if key in value), None)
    if element is None:
        return "array"
    is_required = _flag(value.get("element-required")) is True or _flag(value.get("containsNull")) is False
    return f"array<{type_text(element, words, depth + 1)}{' not null' if is_required else ''}>"


def _map_text(value: Mapping[str, object], words: Mapping[str, str], depth: int) -> str:
    key, held = value.get("keyType", value.get("key")), value.get("valueType", value.get("value"))
    if key is None or held is None:
        return "map"
    is_required = _flag(value.get("value-required")) is True or _flag(value.get("valueContainsNull")) is False
    first, second = type_text(key, words, depth + 1), type_text(held, words, depth + 1)
    return f"map<{first},{second}{' not null' if is_required else ''}>"


def _type_of_field(name: str, field: Mapping[str, object], words: Mapping[str, str], depth: int) -> str:
    metadata = field.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(metadata.get(_VARCHAR), str):
        return str(metadata[_VARCHAR])
    kind = field.get("type")
    if kind is None:
        raise NotASchema(f"{name} has no type")
    is_whole = isinstance(kind, str) and kind.lower() in ("struct", "array", "list", "map", "record")
    return type_text(field if is_whole else kind, words, depth)


def is_spec(value: object) -> bool:
    """Whether a mapping describes one column ({type: bigint, nullable: false}), and is not a struct with a field called
    type."""
    if not isinstance(value, Mapping) or "type" not in value:
        return False
    kind = value["type"]
    more = _NESTED_KEYS.get(str(kind).lower(), ()) if isinstance(kind, str) else ()
    return all(key in _SPEC_KEYS or key in more for key in value)


def _is_nullable(name: str, field: Mapping[str, object]) -> bool:
    for key, means_nullable in (("nullable", True), ("required", False), ("not_null", False)):
        if key in field:
            flag = _flag(field[key])
            if flag is None:
                raise NotASchema(f"{key} of {name} is neither true nor false")
            return flag is means_nullable
    return True


def _flag(value: object) -> bool | None:
    """Booleans as JSON and YAML spell them; the schema is read as plain strings."""
    text = str(value).lower()
    return True if text in _TRUE else False if text in _FALSE else None


def _words_of(fields: list[object], *, is_iceberg: bool) -> Mapping[str, str]:
    """Iceberg numbers its fields and has `required`; Spark has `nullable`."""
    given = [field for field in fields if isinstance(field, Mapping)]
    if is_iceberg or any("id" in field and "required" in field for field in given):
        return _ICEBERG_WORDS
    return _SPARK_WORDS if any("nullable" in field or "metadata" in field for field in given) else _NO_WORDS


def _quoted(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"
