"""Drift of a table from its contract: types and missing columns (E530, E531), undocumented columns (E532), and
nullability as a warning without a code."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from forge.contracts.contract import Contract, TableContract, Violation
from forge.contracts.drift.columns import ColumnDrift, compare_columns
from forge.contracts.schema.file import UNNAMED, read_schemas, schemas_of
from forge.contracts.schema.json import NotASchema
from forge.model.errors import ForgeError
from forge.model.schema import Schema

SchemaInput = Schema | Mapping[str, object] | str | object
"""A table's schema in Spark's words, what a schema file says (text or data), or a frame or schema of Spark."""

_ENDINGS = re.compile(r"\.(?:json|ya?ml|schema|metadata)\b")
# The keys that a comparison reads; a document that is none has no path.
_READ = re.compile(
    r"^$|^schema(?!.*\.(?:quality|relationships|customProperties|authoritativeDefinitions)\b)"
    r"(?:.*\.(?:name|logicalType|physicalType|physicalName|required|properties|items|map|key|value))?(?:\[\d+\])*$"
)
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class ContractDrift:
    """Drift of one table of a contract. A table that does not exist yet has none."""

    table: str
    exists: bool
    found: tuple[ColumnDrift, ...] = ()
    api_version: str = ""  # of the contract: a patch is written in its words

    @property
    def violations(self) -> tuple[Violation, ...]:
        return tuple(each.violation for each in self.found)

    @property
    def patch(self) -> str:
        """YAML that would make the contract match the table; empty where nothing would."""
        from forge.contracts.drift.patch import patch_of

        return patch_of(self.table, self.found, self.api_version)

    @property
    def operations(self) -> tuple[Mapping[str, object], ...]:
        """The same as a JSON Patch (RFC 6902) of the contract."""
        from forge.contracts.drift.patch import operations_of

        return operations_of(self.found, self.api_version)

    @property
    def alter(self) -> tuple[str, ...]:
        """DDL that would make the table match, where Iceberg can change it in place."""
        from forge.contracts.drift.patch import alter_of

        return alter_of(self.table, self.found)


def find_drift(
    contract: TableContract | Contract | str,
    schema: SchemaInput,
    *,
    nullability: bool = True,
    of: Contract | None = None,
) -> tuple[Violation, ...]:
    """All differences. `schema`: a table's Spark schema, or a schema file (text or data): table → {column: "type [not
    null]"}, or the JSON schema of Spark or Iceberg. `nullability` False skips NULL constraints, as for a frame, whose
    columns are nearly all nullable in Spark. `of`: the table's contract, for exact places."""
    problems = find_unreadable(contract) if isinstance(contract, str) else ()
    if isinstance(contract, TableContract) and isinstance(schema, Schema):
        compared = compare_columns(contract, schema, nulls="columns" if nullability else "none")
        placed = _placed(compared, of) if of is not None else compared
        return tuple(each.violation for each in placed)
    found = [violation for drift in drift_of(contract, schema) for violation in drift.violations]
    return (*problems, *(violation for violation in found if nullability or violation.code))


def find_unreadable(text: str | bytes, file: str = "contract.odcs.yaml") -> tuple[Violation, ...]:
    """Errors in a contract that prevent comparison: names and types; all, where it has no schema at all (the shorthand
    has none). The linter reports the rest."""
    from forge.contracts.document.file import parse_document
    from forge.contracts.linter.lint import lint

    document, _ = parse_document(text, file)
    has_schema = document is not None and bool(document.data.get("schema"))
    errors = [each for each in lint(text, file) if each.severity == "error"]
    return tuple(each for each in errors if not has_schema or _READ.search(each.path))


def drift_of(
    contract: TableContract | Contract | str, schema: SchemaInput, file: str = "schema.yaml"
) -> tuple[ContractDrift, ...]:
    """Table by table, in the order of the contract."""
    whole = _contract(contract)
    is_spark = isinstance(schema, Schema)
    tables = _schemas(schema, file)
    drifts = []
    for table, actual in _matched(whole, tables, file):
        found = () if actual is None else _placed(_compare(table, actual, is_spark=is_spark), whole)
        drifts.append(ContractDrift(table.table, actual is not None, found, whole.api_version))
    return tuple(drifts)


def _compare(table: TableContract, actual: Schema, *, is_spark: bool) -> tuple[ColumnDrift, ...]:
    return compare_columns(table, actual, is_spark=is_spark, nulls="columns" if is_spark else "all")


def _contract(given: TableContract | Contract | str) -> Contract:
    if isinstance(given, Contract):
        return given
    if isinstance(given, TableContract):
        return Contract(id="", version="", api_version="", file=given.file, tables=(given,))
    from forge.contracts.document.file import read_document
    from forge.contracts.load import contract_of

    return contract_of(read_document(given, "contract.odcs.yaml"))


def _schemas(given: SchemaInput, file: str) -> Mapping[str, Schema]:
    if isinstance(given, Schema):
        return {UNNAMED: given}
    if isinstance(given, str):
        return read_schemas(given, file)
    if not isinstance(given, Mapping):
        given = _json_value(given)
    if all(isinstance(value, Schema) for value in given.values()):
        return {str(name): value for name, value in given.items() if isinstance(value, Schema)}
    try:
        return schemas_of(given)
    except NotASchema as error:
        raise ForgeError("E103", f"this is no schema: {error}", where=file) from error


def _json_value(given: object) -> Mapping[str, object]:
    """Of a Spark frame or StructType, which is not imported here, or a PyIceberg schema."""
    schema = getattr(given, "schema", given)
    for method in ("jsonValue", "model_dump_json"):
        read = getattr(schema, method, None)
        if callable(read):
            value = read()
            return dict(json.loads(value) if isinstance(value, str) else value)
    raise ForgeError("E103", f"a {type(given).__name__} is no schema", fix="Give df.schema, or table: {column: type}.")


def _matched(contract: Contract, schemas: Mapping[str, Schema], file: str) -> list[tuple[TableContract, Schema | None]]:
    """Each table of the contract with its schema; None where none has its name."""
    named = {name.lower().replace("`", ""): schema for name, schema in schemas.items()}
    unnamed = named.pop(UNNAMED, None)
    if unnamed is None or named or not contract.tables:
        return [(table, _schema_of(_names(table, contract), named, file)) for table in contract.tables]
    only = _only(contract, file)
    return [(table, unnamed if table is only else None) for table in contract.tables]


@dataclass(frozen=True, slots=True)
class _Names:
    """Possible names of a table, most specific first; `declared`: as in the contract, with or without schema."""

    declared: str
    others: tuple[str, ...]


def _names(table: TableContract, contract: Contract) -> _Names:
    document = contract.document
    objects = document.data.get("schema") if document is not None else None
    index = re.fullmatch(r"schema\[(\d+)\]", table.path)
    entry = objects[int(index[1])] if index and isinstance(objects, list) and int(index[1]) < len(objects) else None
    physical = entry.get("physicalName") if isinstance(entry, Mapping) else None
    bare = str(physical or table.name or table.table).lower()
    has_schema = "." in bare or "forge.schema" in table.custom or "forge.schema" in contract.custom
    declared = table.table.lower() if has_schema or not table.name else bare
    others = dict.fromkeys((table.table.lower(), bare, table.name.lower()))
    return _Names(declared, tuple(name for name in others if name and name != declared))


def _only(contract: Contract, file: str) -> TableContract:
    """The table of an unnamed schema: the only one, or the one named like the file."""
    tables = contract.tables
    if len(tables) == 1:
        return tables[0]
    stem = _ENDINGS.sub("", file.replace("\\", "/").rsplit("/", 1)[-1].lower())
    for table in tables:
        names = _names(table, contract)
        if stem in (names.declared, *names.others, names.declared.rsplit(".", 1)[-1]):
            return table
    first = tables[0].table if tables else "table"
    raise ForgeError(
        "E103",
        f"the schema does not say which of the {len(tables)} tables of the contract it is",
        where=file,
        fix=f"Write {first}: before it, or call the file {first}.json.",
    )


def _schema_of(names: _Names, schemas: Mapping[str, Schema], file: str) -> Schema | None:
    """By full name, else by suffix: `orders` and `lake.core.orders` match core.orders, raw.orders does not."""
    for name in (names.declared, *names.others):
        if name in schemas:
            return schemas[name]
    name = names.declared
    near = [key for key in schemas if key.endswith(f".{name}") or name.endswith(f".{key}")]
    if len(near) > 1:
        raise ForgeError(
            "E103",
            f"{name} may be {' or '.join(sorted(near))} of the schema",
            where=file,
            fix=f"Write physicalName: {near[0]} in the contract, or leave one table in the schema.",
        )
    return schemas[near[0]] if near else None


def _placed(found: tuple[ColumnDrift, ...], contract: Contract) -> tuple[ColumnDrift, ...]:
    """Each finding at the exact value or key, where the contract's text is known."""
    document = contract.document
    if document is None:
        return found
    placed = []
    for each in found:
        path = tuple(int(index) if index else name for name, index in _STEP.findall(each.violation.path))
        place = document.value_place_of(path)
        moved = replace(each.violation, file=place.file, line=place.line, column=place.column)
        placed.append(replace(each, violation=moved))
    return tuple(placed)
