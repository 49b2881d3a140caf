"""Comparison of one table's columns with its contract, including fields of structs, items of arrays and maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from forge.contracts.contract import ContractProperty, TableContract, Violation, ViolationSeverity
from forge.contracts.drift.types import Difference, find_differences, fits, logical_type_of, misspelt, type_shown
from forge.model.name_suggestions import did_you_mean
from forge.model.schema import Schema
from forge.model.types import DataType, TypeField, parse_type

_Owner = ContractProperty | TableContract
DriftKind = Literal["missing", "type", "undocumented", "nullable", "required"]
Nulls = Literal["none", "columns", "all"]
_WITH_NEAREST, _COMPARED = 50, 500  # so many get the nearest name, out of so many: a table may have thousands
_TARGETS = {
    "integer": "int or bigint",
    "number": "float, double or decimal",
    "object": "a struct",
    "vector": "an array",
}
_TARGETS |= {"array": "an array", "map": "a map"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDrift:
    """A difference: its finding, and the input of `forge.contracts.drift.patch`.

    `steps` lead to the column or field in the table; `expected` is the contract's, `actual` the table's."""

    kind: DriftKind
    violation: Violation
    steps: tuple[str, ...]
    owner: _Owner
    expected: ContractProperty | None = None
    actual: TypeField | None = None
    outdated: tuple[tuple[str, str], ...] = ()  # enclosing properties with the same physicalType: path, new type


@dataclass(frozen=True, slots=True)
class _Look:
    """`is_spark`: types are in Spark's terms. `nulls`: for which columns nullability is compared; a Spark schema as
    text has none inside structs."""

    table: str
    is_spark: bool
    nulls: Nulls


def compare_columns(
    contract: TableContract, actual: Schema, *, is_spark: bool = True, nulls: Nulls = "columns"
) -> tuple[ColumnDrift, ...]:
    """Differences in the order of the contract; then undocumented columns in the order of the table."""
    look = _Look(contract.table, is_spark, nulls)
    fields = [TypeField(c.name, parse_type(c.type), c.nullable) for c in actual.columns]
    return tuple(_fields(contract, contract.columns, fields, (), look))


def _fields(
    owner: _Owner,
    expected: Sequence[ContractProperty],
    actual: Sequence[TypeField],
    steps: tuple[str, ...],
    look: _Look,
) -> Iterator[ColumnDrift]:
    by_name = {field.name: field for field in reversed(actual)}
    in_any_case = {field.name.lower(): field for field in reversed(actual)}
    pairs = [(each, by_name.get(each.column) or in_any_case.get(each.column.lower())) for each in expected]
    taken = {id(field) for _, field in pairs if field is not None}
    unknown = [field for field in actual if id(field) not in taken]
    missing = 0
    for each, field in pairs:
        if field is None:
            missing += 1
            near = unknown if missing <= _WITH_NEAREST else []
            yield _missing(owner, each, near[:_COMPARED], (*steps, each.column), look)
        else:
            yield from _column(owner, each, field, (*steps, field.name), look)
    for field in unknown:
        yield _undocumented(owner, field, (*steps, field.name))


def _column(
    owner: _Owner, expected: ContractProperty, actual: TypeField, steps: tuple[str, ...], look: _Look
) -> Iterator[ColumnDrift]:
    inside = list(_inside(expected, actual.type, steps, look))
    explained = any(found.violation.severity == "error" for found in inside)
    wanted = parse_type(expected.physical_type) if expected.physical_type else None
    if wanted is None:
        if not fits(expected, actual.type):
            yield _mismatch(owner, expected, actual, steps)
    elif explained and wanted.name == actual.type.name:
        above = ((expected.path, type_shown(actual.type)),) if wanted.fields else ()
        inside = [replace(found, outdated=(*found.outdated, *above)) for found in inside]
    else:
        difference = next(find_differences(wanted, actual.type, is_spark=look.is_spark), None)
        if difference is not None:
            yield _mismatch(owner, expected, actual, steps, difference)
    yield from _nullability(owner, expected, actual, steps, look)
    yield from inside


def _inside(expected: ContractProperty, actual: DataType, steps: tuple[str, ...], look: _Look) -> Iterator[ColumnDrift]:
    """Differences of nested parts, where the column has such parts."""
    if look.nulls == "columns":
        look = replace(look, nulls="none")
    if actual.name == "struct" and expected.properties:
        columns = [each for each in expected.properties if each.is_column]
        yield from _fields(expected, columns, actual.fields, steps, look)
    parts = (("element", expected.items), ("key", expected.map_key), ("value", expected.map_value))
    for name, part in parts:
        field = actual.get(name) if actual.name in ("array", "map") else None
        if part is not None and field is not None:
            yield from _column(expected, part, field, (*steps, name), look)


def _violation(code: str, severity: ViolationSeverity, at: _Owner, path: str, message: str, fix: str) -> Violation:
    return Violation(
        code=code,
        severity=severity,
        file=at.file,
        line=at.line,
        column=at.column_number,
        path=path,
        message=message,
        fix=fix,
    )


def _missing(
    owner: _Owner, expected: ContractProperty, unknown: Sequence[TypeField], steps: tuple[str, ...], look: _Look
) -> ColumnDrift:
    near = did_you_mean(expected.column, [field.name for field in unknown])
    what = "column" if len(steps) == 1 else "field"
    name = ".".join(steps)
    message = f"the {what} {name} of the contract is missing in {look.table}"
    fix = f"{near} " if near else ""
    fix += f"Add {name} to the table, or take it out of the contract."
    violation = _violation("E531", "error", expected, expected.path, message, fix)
    return ColumnDrift(kind="missing", violation=violation, steps=steps, owner=owner, expected=expected)


def _mismatch(
    owner: _Owner,
    expected: ContractProperty,
    actual: TypeField,
    steps: tuple[str, ...],
    difference: Difference | None = None,
) -> ColumnDrift:
    name, has = ".".join(steps), type_shown(actual.type)
    if expected.physical_type:
        key, wanted, target = "physicalType", expected.physical_type, expected.physical_type
    else:
        logical = logical_type_of(expected) or ""
        key, wanted, target = "logicalType", logical, _TARGETS.get(logical, logical)
    message = f"{name} is {has}, the contract says {wanted}"
    if difference is not None and difference.steps:
        message += f" ({_message(difference)})"
    fix = f"Cast it to {target} in the query, or change {key} in the contract."
    meant = misspelt(actual.type)
    if meant:
        fix = f"{has} is no type; did you mean {meant}? Correct the schema, then compare again."
    path = f"{expected.path}.{key}" if expected.physical_type or expected.logical_type else expected.path
    violation = _violation("E530", "error", expected, path, message, fix)
    return ColumnDrift(kind="type", violation=violation, steps=steps, owner=owner, expected=expected, actual=actual)


def _message(difference: Difference) -> str:
    name = ".".join(difference.steps)
    if difference.actual is None:
        return f"{name} is missing"
    if difference.expected is None:
        return f"{name} is not in the contract"
    return f"{name}: {type_shown(difference.actual)} for {type_shown(difference.expected)}"


def _undocumented(owner: _Owner, actual: TypeField, steps: tuple[str, ...]) -> ColumnDrift:
    what = "column" if len(steps) == 1 else "field"
    name = ".".join(steps)
    message = f"the contract does not know the {what} {name} ({type_shown(actual.type)})"
    fix = f"Add {{name: {actual.name}}} to the properties in the contract."
    if meant := misspelt(actual.type):
        fix = f"{type_shown(actual.type)} is no type; did you mean {meant}? Correct the schema, then compare again."
    violation = _violation("E532", "info", owner, f"{owner.path}.properties", message, fix)
    return ColumnDrift(kind="undocumented", violation=violation, steps=steps, owner=owner, expected=None, actual=actual)


def _nullability(
    owner: _Owner, expected: ContractProperty, actual: TypeField, steps: tuple[str, ...], look: _Look
) -> Iterator[ColumnDrift]:
    """A warning, as the data is checked anyway. Keys are never NULL; contracts rarely declare nullability of array
    items."""
    kind: DriftKind
    name = ".".join(steps)
    if look.nulls == "none" or expected.required != actual.nullable:
        return
    if expected.required:
        kind, message = "nullable", f"{name} may be NULL in {look.table}, the contract says that it is required"
        fix = f"Keep `required`: rows are checked for it. Make {name} NOT NULL where the table is made, if that can be."
    else:
        if expected.primary_key or _is_part(owner, expected):
            return
        kind, message = "required", f"{name} is NOT NULL in {look.table}, the contract does not require it"
        fix = "Write `required: true` in the contract, or drop NOT NULL."
    violation = _violation("", "warning", expected, f"{expected.path}.required", message, fix)
    yield ColumnDrift(kind=kind, violation=violation, steps=steps, owner=owner, expected=expected, actual=actual)


def _is_part(owner: _Owner, expected: ContractProperty) -> bool:
    return isinstance(owner, ContractProperty) and any(
        each is expected for each in (owner.items, owner.map_key, owner.map_value)
    )
