"""Columns and values as Spark's expressions, and the reason reported for an error. Nothing runs here."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import or_

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as f

from forge.engines.spark.errors import first_line, root_cause
from forge.engines.spark.frames import quote
from forge.engines.spark.gate import judged_column
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.schema import Schema
from forge.model.time import as_utc
from forge.quality.measure import Measure
from forge.quality.paths import UnknownField, find_field
from forge.quality.values import Family, family_of

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FLOATING = (Family.FLOAT, Family.DOUBLE)
_BITS = {"tinyint": 7, "smallint": 15, "int": 31}  # of whole numbers, without the sign; others are longs


_CONDITION = re.compile(r"\s*\[([A-Z][A-Z0-9_]*)[A-Z0-9_.]*\]\s*")
_TYPE = r'"[A-Z][A-Z0-9_ (),<>]*"'
_CAST = re.compile(rf"of the type {_TYPE} cannot be cast to {_TYPE}")
# Error conditions whose message contains no value of a row.
_PLAIN = ("DIVIDE_BY_ZERO", "REMAINDER_BY_ZERO", "INTERVAL_DIVIDED_BY_ZERO", "ARITHMETIC_OVERFLOW")
_SIGNS = {
    "StackOverflowError": "a pattern or an expression went too deep on a value",
    "OutOfMemoryError": "Spark ran out of memory",
    "No space left on device": "no space is left on the disk",
    "NotFoundException": "a file of the table is missing",
}


class MeasureError(Exception):
    """The reason, returned in the reading."""


# ValueError and OverflowError: a date or time outside Python's range
ERRORS = (PySparkException, Py4JError, MeasureError, ValueError, OverflowError)


def reason_of(error: BaseException) -> str:
    """Without the row value in Spark's message, which may be personal, as the reason is distributed. Runtime messages
    of Spark are repeated only where known to contain no value: a check can put any value into one, as
    raise_error(email) does."""
    if isinstance(error, MeasureError):
        return str(error)
    if isinstance(error, AnalysisException) or not isinstance(error, PySparkException | Py4JError):
        return root_cause(error)  # no row was read yet, or it is Python's own
    text = str(error)
    found = _CONDITION.match(text)
    if found is None:
        return next(
            (reason for sign, reason in _SIGNS.items() if sign in text), "Spark failed on it; its log tells why"
        )
    if found[1] in _PLAIN:
        return first_line(error)
    if found[1] in ("CAST_INVALID_INPUT", "CAST_OVERFLOW") and (casts := _CAST.findall(text)):
        return f"A value {casts[-1]}"  # the last: a value may contain such words itself
    return f"Spark cannot compute it for a value: {found[1].lower().replace('_', ' ')}"


def column_of(name: str, schema: Schema, table: TableName | None = None) -> Column:
    """A column, or a field of a struct; column names may contain dots."""
    try:
        first, *rest = find_field(schema, name).parts
    except UnknownField as error:
        raise MeasureError(f"{table}: {error}" if table else str(error)) from error
    return reduce(lambda whole, part: whole.getField(part), rest, f.col(quote(first)))


def type_of(name: str, schema: Schema) -> str:
    try:
        return find_field(schema, name).type
    except UnknownField as error:
        raise MeasureError(str(error)) from error


def condition_of(text: str) -> Column:
    """A check's expression, validated before it becomes a column."""
    try:
        return judged_column(text)
    except ForgeError as error:
        raise MeasureError(" ".join(part for part in (f"{error.what}.", error.why) if part)) from error


def filtered(measure: Measure, column: Column) -> Column:
    """NULL where the row is filtered out. CASE instead of AND, so that the filter is evaluated first."""
    return column if measure.where is None else f.when(condition_of(measure.where), column)


def outside_bounds(column: Column, measure: Measure, type_: str) -> Column:
    """A bound outside the range of an integer type is not compared: Spark folds that to true and so counts NULL, or
    fails an internal assertion."""
    low, high = measure.arguments
    if side_of(low, type_) > 0 or side_of(high, type_) < 0:
        return column.isNotNull()
    bounds = [None if bound is None or side_of(bound, type_) else literal(bound, type_) for bound in (low, high)]
    return outside(column, bounds[0], bounds[1], type_)


def side_of(value: object, type_: str) -> int:
    """1 for an integer above the type's range, -1 for one below, else 0."""
    most: int = 2 ** _BITS.get(type_, 63)
    if not isinstance(value, int) or -most <= value < most:
        return 0
    return 1 if value > 0 else -1


def outside(column: Column, low: Column | None, high: Column | None, type_: str) -> Column:
    """NaN and the infinities are outside every range."""
    conditions: list[Column] = []
    if family_of(type_) in _FLOATING:
        conditions.append(~_is_finite(column))
    if low is not None:
        conditions.append(column < low)
    if high is not None:
        conditions.append(column > high)
    return reduce(or_, conditions, f.lit(False))


def _is_finite(column: Column) -> Column:
    # NaN is greater than infinity, so that one comparison leaves out both
    return f.abs(column) < f.lit(float("inf"))


def finite(column: Column, measure: Measure, schema: Schema) -> Column:
    """The value as a double; NULL where it is not finite. Times are seconds since 1970 in UTC."""
    type_ = type_of(measure.columns[0], schema)
    match family_of(type_):
        case Family.INTEGER | Family.DECIMAL:
            return column.cast("double")
        case Family.FLOAT | Family.DOUBLE:
            number = column.cast("double")
            return f.when(_is_finite(number), number)
        case Family.DATE:
            return f.unix_date(column) * f.lit(86400.0)
        case Family.TIMESTAMP if type_ == "timestamp_ntz":
            return _clock_seconds(column)
        case Family.TIMESTAMP:
            return f.unix_micros(column) / f.lit(1e6)
    raise MeasureError(f"{measure.columns[0]} is {type_}, which is no number")


def _clock_seconds(column: Column) -> Column:
    """Of local times taken as UTC, whatever the session's zone."""
    within = f.hour(column) * 3600 + f.minute(column) * 60 + f.extract(f.lit("SECOND"), column).cast("double")
    return f.unix_date(column.cast("date")) * f.lit(86400.0) + within


def compile_pattern(pattern: str, spark: SparkSession) -> None:
    """An invalid pattern is reported before a job fails on it."""
    if spark._jvm is not None:
        try:
            spark._jvm.java.util.regex.Pattern.compile(pattern)
        except (PySparkException, Py4JError) as error:
            raise MeasureError(f"the pattern {pattern} is no regular expression: {first_line(error)}") from error


def literal(value: object, type_: str) -> Column:
    """`value` as a Spark literal of the column's type; checks have already converted it."""
    if isinstance(value, datetime):
        moment = as_utc(value)
        if type_ == "timestamp_ntz":
            return f.lit(moment.replace(tzinfo=None).isoformat(sep=" ")).cast("timestamp_ntz")
        return f.timestamp_micros(f.lit((moment - EPOCH) // timedelta(microseconds=1)))
    found = f.lit(value)
    return found.cast("float") if type_ == "float" else found


def portable(column: Column, type_: str) -> Column:
    """Collectable form: microseconds are exact in every time zone, unlike local Python times."""
    return f.unix_micros(column) if type_ == "timestamp" else column


def to_python(value: object, type_: str) -> object:
    """Times as aware UTC: microseconds of a timestamp, and a timestamp_ntz taken as UTC."""
    if type_ == "timestamp" and isinstance(value, int):
        return EPOCH + timedelta(microseconds=value)
    if isinstance(value, bytearray):
        return bytes(value)
    return as_utc(value) if isinstance(value, datetime) else value
