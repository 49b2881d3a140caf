"""Resolutions of conflicts as columns: rules become expressions, manual values become literals."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, IntegralType, MapType, StructType

from forge.engines.spark.gate import judged_column
from forge.engines.spark.merge.align import data_type
from forge.versioning.arrow_types import arrow_type
from forge.versioning.conflict import Answers, Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.expression.parse import parse_expression
from forge.versioning.field import TableField
from forge.versioning.rows.values import fit_value


def find_rule(answers: Answers, table: str | None, column: str | None) -> ResolutionRule | None:
    """The rule for conflicts of a column, or (None) of whole rows."""
    return Answers(answers.rules).find(Conflict(kind=ConflictKind.MODIFY_MODIFY, column=column, table=table))


def answer_column(rule: ResolutionRule, field: TableField, base: str, ours: str, theirs: str) -> Column:
    """The value of the rule for a cell; the sides are paths like `b.v0`. E619, E625 where it has none."""
    match rule.take:
        case ResolutionChoice.OURS:
            return F.col(ours)
        case ResolutionChoice.THEIRS:
            return F.col(theirs)
        case ResolutionChoice.BASE:
            return F.col(base)
        case ResolutionChoice.MANUAL:
            return literal(fit_value(rule.value, arrow_type(field.type), field.name), data_type(field.type))
        case ResolutionChoice.EXPRESSION:
            made = expression_column(str(rule.value), {"base": base, "ours": ours, "theirs": theirs})
            return _fitted(made, data_type(field.type), field.name)


def _fitted(made: Column, of: DataType, name: str) -> Column:
    """A whole number stays one: what Spark would truncate is refused."""
    if not isinstance(of, IntegralType):
        return made.cast(of)
    wide = made.cast("double")
    message = F.concat(F.lit(f"FORGE-E619 column {name}: "), made.cast("string"))
    fits = made.isNull() | (wide == F.floor(wide))
    return F.when(fits, made.cast(of)).otherwise(F.raise_error(message).cast(of))


def expression_column(text: str, paths: Mapping[str, str]) -> Column:
    """The expression over columns of these paths. Anything not allowed was refused before Spark sees it."""
    from sqlglot import exp, parse_one

    parse_expression(text)

    def replace(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Column):
            table, _, name = paths[node.name.lower()].rpartition(".")
            return exp.column(name, table=table or None)
        return node

    return judged_column(parse_one(text, dialect="spark").transform(replace).sql(dialect="spark", comments=False))


def literal(value: Any, of: DataType) -> Column:
    """A Python value as a column; as text where Spark parses that more exactly than it converts Python's types."""
    if value is None:
        return F.lit(None).cast(of)
    match of:
        case StructType():
            return F.struct(*(literal(value.get(field.name), field.dataType).alias(field.name) for field in of.fields))
        case ArrayType():
            return F.array(*(literal(item, of.elementType) for item in value)).cast(of)
        case MapType():
            items = value.items() if isinstance(value, Mapping) else value
            parts = [part for key, item in items for part in (literal(key, of.keyType), literal(item, of.valueType))]
            return F.create_map(*parts).cast(of)
        case _:
            return F.lit(_plain(value)).cast(of)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return (value.astimezone(UTC) if value.tzinfo else value).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return value if isinstance(value, (bool, int, float, str, bytes, bytearray)) else str(value)


def as_utc(value: Any) -> Any:
    """Collected values, independent of the session time zone."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    if isinstance(value, dict):
        return {name: as_utc(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(as_utc(item) for item in value)
    return value
