"""Generic tests by name (dbt, dbt_utils, dbt_expectations) and the equivalent checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from forge.model.names import TableName
from forge.quality.imports.expectations import MappedSpecs, hours_of, map_expectation, metric_query
from forge.quality.imports.mapping import (
    MappingError,
    Spec,
    TableNames,
    compare_counts,
    number_of,
    sql_name,
    sql_value,
    text_of,
)


@dataclass(frozen=True, slots=True)
class _TestArguments:
    """The arguments of one generic test."""

    column: str | None
    arguments: Mapping[str, object]
    table: TableName
    names: TableNames

    def on(self) -> str:
        column = self.column or self.arguments.get("column_name") or self.arguments.get("column")
        return text_of(column, "the column")

    def text(self, key: str) -> str:
        return text_of(self.arguments.get(key), key)

    def columns(self, key: str) -> list[str]:
        value = self.arguments.get(key)
        if not isinstance(value, list) or not value:
            raise MappingError(f"{key} is no list of columns: {value!r}")
        return [text_of(one, key) for one in value]

    def other(self, key: str) -> TableName:
        return self.names.find(reference(self.text(key)))

    def refuse(self, *keys: str) -> None:
        for key in keys:
            if self.arguments.get(key):
                raise MappingError(f"`{key}` has no counterpart")


def map_dbt_test(
    name: str, column: str | None, arguments: Mapping[str, object], table: TableName, names: TableNames
) -> MappedSpecs:
    """Raises where no check is equivalent."""
    package, _, short = name.rpartition(".")
    if package == "dbt_expectations" or short.startswith("expect_"):
        given = dict(arguments)
        if column is not None:
            given.setdefault("column", column)
        if "minimum" in given or "maximum" in given:
            given |= {"min_value": given.get("minimum"), "max_value": given.get("maximum")}
        if isinstance(given.get("compare_model"), str):
            given["other_table_name"] = str(names.find(reference(str(given["compare_model"]))))
        return map_expectation(short.lower(), given, table)
    known = _TESTS.get(short) if package in ("", "dbt", "dbt_utils") else None
    if known is None:
        why = _UNFIT.get(short, "it is a test of the project or of a package, of which only its name is known here")
        raise MappingError(why)
    return known(_TestArguments(column, arguments, table, names))


_REFERENCE = re.compile(r"(?:\{\{)?\s*(ref|source)\(\s*(.+?)\s*\)\s*(?:\}\})?")


def reference(text: str) -> str:
    """`ref('orders')` and `source('raw', 'orders')` as a name; other text is a name already."""
    match = _REFERENCE.fullmatch(text.strip())
    if not match:
        return text.strip()
    parts = re.findall(r"['\"]([^'\"]+)['\"]", match[2])
    if not parts:
        raise MappingError(f"{text} names no table")
    return ".".join(parts[-2:]) if match[1] == "source" else parts[-1]


def _unique(asked: _TestArguments) -> MappedSpecs:
    subject = asked.on()
    if not re.fullmatch(r"\w+(\.\w+)*", subject):
        raise MappingError(f"{subject} is an expression; a key is made of columns")
    return [({"type": "unique", "columns": [subject]}, None)]


def _accepted(asked: _TestArguments) -> MappedSpecs:
    return [({"type": "accepted_values", "column": asked.on(), "values": asked.arguments.get("values")}, None)]


def _relationships(asked: _TestArguments) -> MappedSpecs:
    asked.refuse("to_condition")
    spec: Spec = {
        "type": "foreign_key",
        "columns": [asked.on()],
        "references": f"{asked.other('to')}.{asked.text('field')}",
        "where": asked.arguments.get("from_condition"),
    }
    return [(spec, None)]


def _combination(asked: _TestArguments) -> MappedSpecs:
    note = "rows with a NULL in the key are left out"
    return [({"type": "unique", "columns": asked.columns("combination_of_columns")}, note)]


def _range(asked: _TestArguments) -> MappedSpecs:
    low, high = asked.arguments.get("min_value"), asked.arguments.get("max_value")
    for bound in (low, high):
        if isinstance(bound, str) and not re.fullmatch(r"[\d.:TZ+ -]+", bound):
            return [({"type": "expression", "sql": _between(asked, low, high)}, None)]
    if asked.arguments.get("inclusive", True):
        return [({"type": "range", "column": asked.on(), "min": low, "max": high}, None)]
    return [({"type": "expression", "sql": _between(asked, low, high)}, None)]


def _between(asked: _TestArguments, low: object, high: object) -> str:
    """A bound that is text is an SQL expression, such as another column."""
    equal = "=" if asked.arguments.get("inclusive", True) else ""
    subject = sql_name(asked.on())
    bounds = ((">", low), ("<", high))
    parts = [
        f"{subject} {sign}{equal} {b if isinstance(b, str) else sql_value(b)}" for sign, b in bounds if b is not None
    ]
    if not parts:
        raise MappingError("neither min_value nor max_value is given")
    return " AND ".join(parts)


def _proportion(asked: _TestArguments) -> MappedSpecs:
    asked.refuse("group_by_columns")
    if asked.arguments.get("at_most") not in (None, 1, 1.0):
        raise MappingError("`at_most` has no counterpart: a column may always be complete")
    least = number_of(asked.arguments.get("at_least"), "at_least")
    left = round((1 - least) * 100, 9)
    return [({"type": "not_null", "column": asked.on(), "max_null_percentage": left}, None)]


def _expression(asked: _TestArguments) -> MappedSpecs:
    rule = asked.text("expression")
    subject = f"{sql_name(asked.column)} {rule}" if asked.column else rule
    return [({"type": "expression", "sql": subject, "where": asked.arguments.get("condition")}, None)]


def _not_empty(asked: _TestArguments) -> MappedSpecs:
    subject = sql_name(asked.on())
    trimmed = f"trim({subject})" if asked.arguments.get("trim_whitespace", True) else subject
    return [({"type": "expression", "sql": f"{trimmed} <> ''"}, None)]


def _not_constant(asked: _TestArguments) -> MappedSpecs:
    asked.refuse("group_by_columns")
    return [(metric_query(f"count(DISTINCT {sql_name(asked.on())})", str(asked.table), "value <> 1"), None)]


def _at_least_one(asked: _TestArguments) -> MappedSpecs:
    asked.refuse("group_by_columns")
    return [(metric_query(f"count({sql_name(asked.on())})", str(asked.table), "value > 0"), None)]


def _recency(asked: _TestArguments) -> MappedSpecs:
    asked.refuse("group_by_columns")
    hours = hours_of(asked.arguments.get("interval"), asked.arguments.get("datepart"))
    column = asked.column or asked.text("field")
    return [({"type": "freshness", "timestamp_column": column, "max_age_hours": hours}, None)]


def _compare_rows(sign: str) -> Callable[[_TestArguments], MappedSpecs]:
    def make(asked: _TestArguments) -> MappedSpecs:
        asked.refuse("group_by_columns")
        return [(compare_counts(asked.table, asked.other("compare_model"), f"rows {sign} others"), None)]

    return make


def _cardinality(asked: _TestArguments) -> MappedSpecs:
    raise MappingError("it compares how often each value occurs in two tables; `foreign_key` says that each is there")


_TESTS: dict[str, Callable[[_TestArguments], MappedSpecs]] = {
    "unique": _unique,
    "not_null": lambda asked: [({"type": "not_null", "column": asked.on()}, None)],
    "accepted_values": _accepted,
    "relationships": _relationships,
    "relationships_where": _relationships,
    "unique_combination_of_columns": _combination,
    "accepted_range": _range,
    "not_null_proportion": _proportion,
    "expression_is_true": _expression,
    "not_empty_string": _not_empty,
    "not_constant": _not_constant,
    "at_least_one": _at_least_one,
    "recency": _recency,
    "equal_rowcount": _compare_rows("="),
    "fewer_rows_than": _compare_rows("<"),
    "cardinality_equality": _cardinality,
}

_UNFIT = {
    "equality": "it compares two tables row by row; `forge diff` shows that",
    "sequential_values": "rows of a table have no order",
    "mutually_exclusive_ranges": "it compares rows with their neighbours; write it as a check with `query`",
}
