"""Fixes for drift: a change of the contract, as YAML and as a JSON Patch, or of the table, as SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from forge.contracts.contract import LOGICAL_TYPES, ContractProperty
from forge.contracts.drift.columns import ColumnDrift
from forge.contracts.drift.types import logical_type_of, misspelt, type_shown
from forge.contracts.schema.sql_text import quote
from forge.contracts.schema.types import logical_of
from forge.model.types import DataType, TypeField, parse_type
from forge.model.widening import widens

Operation = Mapping[str, object]

# Logical type → the type of a column that is made for it.
_NEW_TYPES = {
    "integer": "bigint",
    "number": "double",
    "string": "string",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
    "time": "string",
    "vector": "array<float>",
}
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def operations_of(found: Sequence[ColumnDrift], version: str = "") -> tuple[Operation, ...]:
    """RFC 6902: replacements first, then removals from last to first, then additions at the end of lists, so that no
    index shifts before its use. A nullable column that is required changes nothing: `required` is a promise about rows,
    and dropping it does not fix a table."""
    changes: list[Operation] = []
    removed: list[tuple[tuple[int, ...], Operation]] = []
    added: list[Operation] = []
    begun: set[str] = set()
    found = _sound(found)
    outdated = dict(pair for each in found for pair in each.outdated)
    for above, kind in outdated.items():
        changes.append({"op": "add", "path": f"{_pointer(above)}/physicalType", "value": kind})
    for each in found:
        path = _pointer(each.expected.path if each.expected else f"{each.owner.path}.properties")
        if each.kind == "type" and each.actual is not None and each.expected is not None:
            changes += _retyped(each.expected, each.actual, path, version)
        elif each.kind == "required":
            changes.append({"op": "add", "path": f"{path}/required", "value": True})
        elif each.kind == "missing":
            order = tuple(int(step) for step in path.split("/") if step.isdigit())
            removed.append((order, {"op": "remove", "path": path}))
        elif each.kind == "undocumented" and each.actual is not None:
            if not each.owner.properties and path not in begun:
                added.append({"op": "add", "path": path, "value": []})
                begun.add(path)
            added.append({"op": "add", "path": f"{path}/-", "value": property_of(each.actual, version)})
    taken_out = [operation for _, operation in sorted(removed, key=lambda item: item[0], reverse=True)]
    return (*changes, *taken_out, *added)


def _sound(found: Sequence[ColumnDrift]) -> list[ColumnDrift]:
    """Without columns whose type is a typo."""
    return [each for each in found if each.actual is None or misspelt(each.actual.type) is None]


def property_of(field: TypeField, version: str = "") -> dict[str, object]:
    """A column as a property in that version of the standard."""
    written: dict[str, object] = {"name": field.name, **_type_words(field.type, version)}
    if not field.nullable:
        written["required"] = True
    return written


def patch_of(table: str, found: Sequence[ColumnDrift], version: str = "") -> str:
    """The change of the contract as a YAML snippet whose comments say what to do with each entry."""
    lines: list[str] = []
    for each in _sound(found):
        place = f"{'.'.join(each.steps)}, line {each.violation.line}"
        named: dict[str, object] = {"name": each.expected.name} if each.expected and each.expected.name else {}
        if each.kind == "missing":
            lines += [f"# take out {place}", *(f"# {line}" for line in _entry(named))]
        elif each.kind == "type" and each.actual is not None:
            lines += [f"# change {place}", *_entry({**named, **_type_words(each.actual.type, version)})]
        elif each.kind == "required":
            lines += [f"# change {place}", *_entry({**named, "required": True})]
        elif each.kind == "undocumented" and each.actual is not None:
            lines += [f"# add to {'.'.join((table, *each.steps[:-1]))}", *_entry(property_of(each.actual, version))]
    return "\n".join(lines) + "\n" if lines else ""


def alter_of(table: str, found: Sequence[ColumnDrift]) -> tuple[str, ...]:
    """Spark DDL for an Iceberg table. Types that cannot be changed in place, and nullable columns that should not be,
    have none: the table must be rewritten."""
    target = ".".join(quote(part) for part in table.split("."))
    statements = []
    for each in found:
        name = ".".join(quote(step) for step in each.steps)
        if each.kind == "missing" and each.expected is not None:
            kind = new_type_of(each.expected)
            comment = f" COMMENT {_text(each.expected.description)}" if each.expected.description else ""
            statements.append(f"ALTER TABLE {target} ADD COLUMN {name} {kind}{comment}" if kind else "")
        elif each.kind == "type" and each.actual is not None and each.expected is not None:
            wanted = _promoted(each.expected, each.actual.type)
            statements.append(f"ALTER TABLE {target} ALTER COLUMN {name} TYPE {wanted}" if wanted else "")
        elif each.kind == "required":
            statements.append(f"ALTER TABLE {target} ALTER COLUMN {name} DROP NOT NULL")
    return tuple(statement for statement in statements if statement)


def new_type_of(of: ContractProperty) -> str | None:
    """The Spark type of a new column for a property; None where the contract does not define it."""
    if of.physical_type:
        declared = parse_type(of.physical_type)
        if declared.name not in ("struct", "array", "map", "object") or declared.fields:
            return _sql_type(declared)
    match logical_type_of(of):
        case "object":
            fields = [(each.column, new_type_of(each)) for each in of.properties if each.is_column]
            known = [f"{quote(name)}: {kind}" for name, kind in fields if kind]
            return f"STRUCT<{', '.join(known)}>" if known and len(known) == len(fields) else None
        case "array":
            item = new_type_of(of.items) if of.items else None
            return f"ARRAY<{item}>" if item else None
        case "map":
            key = new_type_of(of.map_key) if of.map_key else None
            value = new_type_of(of.map_value) if of.map_value else None
            return f"MAP<{key}, {value}>" if key and value else None
        case str(logical):
            kind = _NEW_TYPES.get(logical)
            return kind.upper() if kind else None
    return None


def _promoted(expected: ContractProperty, actual: DataType) -> str | None:
    """The expected type, where Iceberg can widen the column to it in place."""
    if not expected.physical_type:
        return None
    wanted = parse_type(expected.physical_type)
    return _sql_type(wanted) if widens(actual, wanted, "iceberg") else None


def _sql_type(of: DataType) -> str:
    if of.name == "struct":
        return f"STRUCT<{', '.join(f'{quote(f.name)}: {_sql_type(f.type)}' for f in of.fields)}>"
    if of.fields:
        return f"{of.name.upper()}<{', '.join(_sql_type(f.type) for f in of.fields)}>"
    return str(of).upper()


def _retyped(expected: ContractProperty, actual: TypeField, path: str, version: str) -> list[Operation]:
    words = _type_words(actual.type, version)
    operations: list[Operation] = [
        {"op": "add", "path": f"{path}/{key}", "value": value}
        for key, value in words.items()
        if key != "logicalType" or expected.logical_type != value
    ]
    logical = logical_type_of(expected)
    if "logicalType" not in words and expected.logical_type:
        operations.append({"op": "remove", "path": f"{path}/logicalType"})
    stale = {"properties": bool(expected.properties) and actual.type.name != "struct"}
    stale |= {"items": expected.items is not None and actual.type.name != "array"}
    stale |= {"map": bool(expected.map_key or expected.map_value) and actual.type.name != "map"}
    operations += [{"op": "remove", "path": f"{path}/{key}"} for key, is_stale in stale.items() if is_stale]
    if expected.options and words.get("logicalType") != logical:
        operations.append({"op": "remove", "path": f"{path}/logicalTypeOptions"})
    return operations


def _type_words(of: DataType, version: str) -> dict[str, object]:
    """logicalType, where the version of the standard has one (unknown: as 3.1), and the exact physicalType."""
    logical = logical_of(of)
    known = LOGICAL_TYPES.get(version, LOGICAL_TYPES["v3.1.0"])
    words: dict[str, object] = {"logicalType": logical} if logical in known else {}
    return {**words, "physicalType": type_shown(of)}


def _pointer(path: str) -> str:
    return "".join(f"/{index or name}" for name, index in _STEP.findall(path))


def _text(value: str) -> str:
    from forge.contracts.schema.sql_text import literal

    return literal(value)


def _entry(values: Mapping[str, object]) -> list[str]:
    """One property; items of an array have no name and are no list entry."""
    import yaml

    data: object = [dict(values)] if "name" in values else dict(values)
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, default_flow_style=False)
    return text.rstrip("\n").split("\n")
