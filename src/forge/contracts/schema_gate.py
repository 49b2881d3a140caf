"""The gate before the write: does the table a transform is about to write have the shape its contract promises?"""

from __future__ import annotations

import re

from forge.contracts.contract import Property, TableContract, Violation
from forge.model.nearest import did_you_mean
from forge.model.schema import Column, Schema

# Logical type → the Spark types that hold it, in Spark's own words after normalising.
SPARK_TYPES: dict[str, tuple[str, ...]] = {
    "integer": ("tinyint", "smallint", "int", "bigint"),
    "number": ("float", "double", "decimal"),
    "string": ("string", "varchar", "char"),
    "boolean": ("boolean",),
    "date": ("date",),
    "timestamp": ("timestamp", "timestamp_ntz"),
    "time": ("time",),
    "object": ("struct", "map"),
    "array": ("array",),
    "map": ("map",),
    "vector": ("array",),
}

_SYNONYMS = {
    "integer": "int",
    "long": "bigint",
    "short": "smallint",
    "byte": "tinyint",
    "numeric": "decimal",
    "dec": "decimal",
    "real": "float",
    "bool": "boolean",
    "character": "char",
    "list": "array",
    "timestamptz": "timestamp",
    "timestamp_ltz": "timestamp",
}
_WORD = re.compile(r"[a-z_][a-z0-9_]*(?!\s*:)\b")  # a word before a colon is the name of a field, not a type


def find_mismatches(contract: TableContract, actual: Schema) -> tuple[Violation, ...]:
    """E531 and E530 are errors and stop the write; E532, a column the contract does not know, is only reported."""
    found: list[Violation] = []
    unknown = tuple(c for c in actual.columns if contract.get(c.name) is None)
    for expected in contract.columns:
        column = actual.get(expected.column)
        if column is None:
            found.append(_missing(expected, unknown))
        elif not _fits(expected, column.type):
            found.append(_mismatch(expected, column))
    found.extend(_undocumented(contract, column) for column in unknown)
    return tuple(found)


def normal_type(text: str) -> str:
    """One spelling per type: `NUMERIC(12, 2)` and `decimal(12,2)` are the same."""
    text = re.sub(r"\bdouble\s+precision\b", "double", text.strip().lower())
    text = re.sub(r"\s*([<>(),:])\s*", r"\1", re.sub(r"\s+", " ", text))
    text = _WORD.sub(lambda word: _SYNONYMS.get(word[0], word[0]), text)
    return re.sub(r"\bdecimal\b(?![(:])", "decimal(10,0)", text)  # what a bare DECIMAL is in Spark


def _fits(expected: Property, actual: str) -> bool:
    """A declared physical type says more than the logical one, so it alone decides."""
    if expected.physical_type:
        return normal_type(expected.physical_type) == normal_type(actual)
    if expected.logical_type is None:
        return True
    kind = re.split(r"[<( ]", normal_type(actual), maxsplit=1)[0]
    return kind in SPARK_TYPES[expected.logical_type]


def _violation(code: str, severity: str, at: Property | TableContract, path: str, message: str, fix: str) -> Violation:
    return Violation(code, severity, at.file, at.line, at.column_number, path, message, fix)


def _missing(expected: Property, unknown: tuple[Column, ...]) -> Violation:
    near = did_you_mean(expected.column, [c.name for c in unknown])
    message = f"the column {expected.column} of the contract is missing"
    fix = f"{near} " if near else ""
    fix += f"Add {expected.column} to the query, or take it out of the contract."
    return _violation("E531", "error", expected, expected.path, message, fix)


def _mismatch(expected: Property, column: Column) -> Violation:
    key, wanted = ("physicalType", expected.physical_type)
    if not wanted:
        key, wanted = "logicalType", expected.logical_type
    message = f"{column.name} is {column.type}, the contract says {wanted}"
    target = wanted if key == "physicalType" else "/".join(SPARK_TYPES[str(wanted)])
    fix = f"Cast it to {target} in the query, or change {key} in the contract."
    return _violation("E530", "error", expected, f"{expected.path}.{key}", message, fix)


def _undocumented(contract: TableContract, column: Column) -> Violation:
    message = f"the contract does not know the column {column.name} ({column.type})"
    fix = f"Add {{name: {column.name}}} to the properties in the contract."
    return _violation("E532", "info", contract, f"{contract.path}.properties", message, fix)
