"""Schema files: table → {column: "type [not null]"} as YAML or JSON, or the JSON schema of Spark or Iceberg. Names are
read as strings: a column may be called `on`, `null` or `2026`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from forge.contracts.schema import json as schema_json
from forge.contracts.schema.json import NotASchema
from forge.contracts.schema.yaml import SchemaYaml
from forge.model.errors import ForgeError
from forge.model.schema import Column, Schema
from forge.model.types import balanced
from forge.model.yaml_file import malformed_file
from forge.model.yaml_problems import YamlProblem
from forge.model.yaml_reader import text_of

UNNAMED = ""  # the single table of a file without names
_LABELS = ("schema_version", "version", "$schema")
_NAMES, _WITHIN = ("name", "table", "identifier"), ("schema", "columns")
_WRAPPERS = ("tables", "models", "datasets", "schemas", "schema")
# Suffixes of a type in CREATE TABLE.
_CONSTRAINT = re.compile(
    r"\s+(?=(?:not\s+null|null|nullable|required|optional|primary\s+key|unique|default|comment|references|check|"
    r"collate|generated|constraint)\b)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"'(?:[^'\\]|\\.|'')*'|\"[^\"]*\"")
_REQUIRED = re.compile(r"\b(?:not\s+null|required|primary\s+key)\b", re.IGNORECASE)


def read_schemas(text: str | bytes, file: str = "schema.yaml") -> dict[str, Schema]:
    """The tables of a schema file by name. Raises E103 with its place for anything else."""
    source = _text_of(text, file)
    data, line = _json_of(source, file), 1
    if data is None:
        data, line = _yaml_of(source, file)
    try:
        return schemas_of(data)
    except NotASchema as error:
        raise _refused(file, line, f"this is no schema: {error}") from error


def _json_of(source: str, file: str) -> object:
    """JSON is tried first: YAML is stricter on tabs. None: not JSON."""
    if source.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(source, object_pairs_hook=lambda pairs: _once(pairs, file))
    except (json.JSONDecodeError, RecursionError):
        return None


def _once(pairs: list[tuple[str, object]], file: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise _refused(file, 1, f"'{name}' is given twice", "Remove one of them.")
        found[name] = value
    return found


def _yaml_of(source: str, file: str) -> tuple[object, int]:
    try:
        read = SchemaYaml.read(source)
        if read.problems:
            raise read.problems[0]
    except YamlProblem as problem:
        problem.fix = _fix(problem)
        raise malformed_file(problem, file) from problem
    if read.data is None:
        raise _refused(file, 1, "the schema is empty", "Write table: {column: type}, or {} where there is no table.")
    return read.data, read.root.value_line


def _fix(problem: YamlProblem) -> str:
    if "mapping values are not allowed" in problem.message:
        return "Put a type with ': ' in it in quotes: address: 'struct<city: string>'."
    return problem.fix


def schemas_of(data: object) -> dict[str, Schema]:
    """The tables of a parsed schema file. A null table does not exist. Raises for anything else."""
    if isinstance(data, list):
        return _listed_tables(data)
    if not isinstance(data, Mapping):
        raise NotASchema("it must be table: {column: type}, or a schema of Spark or Iceberg in JSON")
    data = {key: value for key, value in data.items() if not _is_label(key, value)}
    alone = _alone(data)
    if alone is not None:
        return alone
    if any(isinstance(value, str) and value.strip() for value in data.values()):
        return {UNNAMED: _columns(data)}  # a type where a table would be: these are columns
    tables: dict[str, Schema] = {}
    names: set[str] = set()
    for name, value in data.items():
        for table, schema in _tables_of(str(name), value, 0):
            if table.lower() in names:
                raise NotASchema(f"the table {table} stands there twice")
            names.add(table.lower())
            tables[table] = schema
    return tables


def _alone(data: Mapping[str, object]) -> dict[str, Schema] | None:
    """The single table of a JSON schema or of {name: core.orders, columns: …}, or the content of `tables`."""
    named = next((str(data[key]) for key in _NAMES if isinstance(data.get(key), str)), UNNAMED)
    whole = _whole_schema(data)
    if whole is not None:
        return {named: whole}
    inner = next((data[key] for key in _WITHIN if isinstance(data.get(key), Mapping | list)), None)
    is_one = inner is not None and all(key in (*_NAMES, *_WITHIN) for key in data)
    if is_one and (named or isinstance(inner, list) or schema_json.is_struct(inner) or _has_columns(inner)):
        return dict(_tables_of(named, inner, 0))
    if len(data) == 1:
        [(key, below)] = data.items()
        if str(key).lower() in _WRAPPERS and isinstance(below, Mapping | list) and not _has_columns(below):
            return schemas_of(below)
    return None


def _is_label(key: object, value: object) -> bool:
    """Metadata of the file, not a table."""
    is_number_like = isinstance(value, int | float) or (isinstance(value, str) and not value[:1].isalpha())
    return str(key).lower() in _LABELS and is_number_like


def column_of(name: str, text: str) -> Column:
    """`bigint not null`."""
    kind, _, rest = _split(text)
    return Column(name, schema_json.checked_type(kind), nullable=not _REQUIRED.search(_QUOTED.sub("", rest)))


def _split(text: str) -> tuple[str, str, str]:
    """The type and its suffix; words inside brackets and quotes belong to the type."""
    for match in _CONSTRAINT.finditer(text):
        if balanced(text[: match.start()]):
            return text[: match.start()].strip(), " ", text[match.end() :]
    return text.strip(), "", ""


def _whole_schema(data: Mapping[str, object]) -> Schema | None:
    """One table's schema, where the mapping is one and not tables by name."""
    if schema_json.is_struct(data):
        return schema_json.struct_schema(data)
    current = schema_json.current_schema(data)
    if current is not None:
        return schema_json.struct_schema({"schema-id": 0, **current})
    return None


def _listed_tables(items: list[object]) -> dict[str, Schema]:
    """A list of fields, or a list of tables."""
    given = [item for item in items if isinstance(item, Mapping) and "name" in item]
    if len(given) != len(items):
        raise NotASchema("a list must hold fields or tables, each with a name")
    if all("type" in item and "columns" not in item and not schema_json.is_struct(item) for item in given):
        return {UNNAMED: schema_json.fields_schema(given)}
    tables: dict[str, Schema] = {}
    for item in given:
        inner = next((item[key] for key in ("columns", "schema", "fields", "properties") if key in item), None)
        tables.update(_tables_of(str(item["name"]), inner, 0))
    return tables


def _tables_of(name: str, value: object, depth: int) -> Iterator[tuple[str, Schema]]:
    if value is None or value == "":
        return
    if isinstance(value, list):
        yield name, schema_json.fields_schema(value)
        return
    if not isinstance(value, Mapping):
        raise NotASchema(f"{name} must have its columns, like {name}: {{id: bigint not null}}")
    whole = _whole_schema(value)
    inner = value.get("columns", value.get("schema"))
    if whole is not None:
        yield name, whole
    elif isinstance(inner, Mapping | list) and all(
        not isinstance(v, Mapping | list) for k, v in value.items() if k not in ("columns", "schema")
    ):
        yield from _tables_of(name, inner, depth)
    elif depth < 2 and value and not _has_columns(value):
        for part, tables in value.items():  # core: {orders: {id: bigint}}
            yield from _tables_of(f"{name}.{part}", tables, depth + 1)
    else:
        yield name, _columns(value)


def _has_columns(value: object) -> bool:
    """Whether at least one entry is certainly a column; a namespace has tables only."""
    if isinstance(value, list):
        return False
    entries = value.values() if isinstance(value, Mapping) else ()
    return any((isinstance(v, str) and v.strip()) or schema_json.is_spec(v) or _is_item(v) for v in entries)


def _is_item(value: object) -> bool:
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], str)


def _columns(columns: Mapping[str, object]) -> Schema:
    found = []
    for name, value in columns.items():
        if value is None or (isinstance(value, str) and not value.strip()):
            raise NotASchema(f"the column {name} has no type")
        if isinstance(value, str):
            found.append(column_of(str(name), value))
        elif schema_json.is_spec(value):
            assert isinstance(value, Mapping)
            found.append(_spec(str(name), value))
        else:
            found.append(Column(str(name), schema_json.type_text(value)))
    return Schema(tuple(found))


def _spec(name: str, value: Mapping[str, object]) -> Column:
    column = schema_json.column_of(name, value)
    parsed = column_of(name, column.type)
    return Column(name, parsed.type, column.nullable and parsed.nullable, column.doc)


def _text_of(text: str | bytes, file: str) -> str:
    try:
        return text_of(text)
    except YamlProblem as problem:
        raise malformed_file(problem, file) from problem


def _refused(file: str, line: int, what: str, fix: str | None = None) -> ForgeError:
    fix = fix or 'Write table: {column: "type [not null]"}, or the JSON of a schema of Spark or Iceberg.'
    return ForgeError("E103", what, where=f"{file}:{line}", fix=fix)
