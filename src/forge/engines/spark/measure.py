"""Measures of a DataFrame: one job per cost class for any number of checks, and samples of the rows that fail."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import reduce
from operator import and_, or_
from typing import TypeVar

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as f

from forge.engines.spark.errors import first_line, job_error, root_cause
from forge.engines.spark.frames import quote, schema_of
from forge.model.names import TableName
from forge.model.nearest import did_you_mean
from forge.model.schema import Schema
from forge.model.time import as_utc
from forge.quality.check import Check
from forge.quality.measure import Cost, Measure, NotMeasured, Reading, Readings
from forge.quality.plan import group_by_cost
from forge.quality.values import Family, family_of, plain

Others = Callable[[TableName], DataFrame]
T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MASK = "***"


class _CannotMeasure(Exception):
    """Said in the reading."""


# ValueError and OverflowError: a date or time that Python cannot hold
_ERRORS = (PySparkException, Py4JError, _CannotMeasure, ValueError, OverflowError)


class SparkMeasurer:
    """`frame` is the table at the version to measure; `others` gives the tables its keys refer to."""

    def __init__(self, spark: SparkSession, frame: DataFrame, others: Others) -> None:
        self._spark = spark
        self._frame = frame
        self._others = others
        self._schema = schema_of(frame)

    def measure(self, measures: Sequence[Measure]) -> Readings:
        groups = group_by_cost(measures, self._schema)
        return {
            **self._aggregate(groups.get(Cost.METADATA, ()) + groups.get(Cost.PLAIN, ())),
            **self._aggregate(groups.get(Cost.STRING, ())),
            **self._count_keys(groups.get(Cost.NARROW, ())),
        }

    def failing_sample(
        self, check: Check, limit: int = 5, masked: Collection[str] = frozenset()
    ) -> list[dict[str, object]]:
        """A few rows that fail the check, in one job; of duplicates, the keys and how many rows have each. Values of
        masked columns are replaced inside Spark and never leave it."""
        if check.fault(self._schema) is not None:
            return []
        violations = check.violations(self._schema)
        if not violations:
            return []
        try:
            return self._sample(violations, limit, frozenset(name.lower() for name in masked))
        except (PySparkException, Py4JError) as error:
            raise job_error(error, check.subject()) from error

    def _aggregate(self, measures: Sequence[Measure]) -> dict[Measure, Reading]:
        columns: dict[Measure, Column] = {}
        broken: dict[Measure, Reading] = {}
        for measure in measures:
            try:
                column = _aggregate_of(measure, self._schema, self._spark)
                if _has_sql(measure):
                    self._frame.agg(column)  # analysed, not run: a bad predicate is found before it meets the others
                columns[measure] = column
            except _ERRORS as error:
                broken[measure] = NotMeasured(_reason(error))
        return broken | _attempt(columns, self._run_aggregates)

    def _run_aggregates(self, columns: Mapping[Measure, Column]) -> dict[Measure, Reading]:
        named = {f"m{number}": measure for number, measure in enumerate(columns)}
        aggregate = self._frame.agg(*(columns[measure].alias(name) for name, measure in named.items()))
        row = _collect_in_one_job(self._spark, aggregate)[0]
        return {measure: _to_python(row[name], measure, self._schema) for name, measure in named.items()}

    def _count_keys(self, measures: Sequence[Measure]) -> dict[Measure, Reading]:
        counts: dict[Measure, DataFrame] = {}
        broken: dict[Measure, Reading] = {}
        for measure in measures:
            try:
                counts[measure] = self._key_count(measure)
            except _ERRORS as error:
                broken[measure] = NotMeasured(_reason(error))
        return broken | _attempt(counts, self._run_counts)

    def _run_counts(self, counts: Mapping[Measure, DataFrame]) -> dict[Measure, Reading]:
        """One action for all keys. Adaptive execution stays on, as it helps joins and groups; it may split the action
        into several jobs."""
        listed = list(counts)
        parts = [counts[m].select(f.lit(number).alias("measure"), f.col("value")) for number, m in enumerate(listed)]
        rows = reduce(DataFrame.unionAll, parts).collect()
        return {listed[row["measure"]]: int(row["value"]) for row in rows}

    def _key_count(self, measure: Measure) -> DataFrame:
        keyed = _keyed(self._frame, measure, self._schema)
        if measure.kind == "orphans":
            return self._lost(keyed, measure).agg(f.count(f.lit(1)).alias("value"))
        groups = _groups(keyed, measure, self._schema)
        return groups.agg(f.coalesce(f.sum(f.col("n") - 1), f.lit(0)).cast("long").alias("value"))

    def _lost(self, keyed: DataFrame, measure: Measure) -> DataFrame:
        """Rows whose key is missing in the other table. Keys are renamed, because the other may be the same table."""
        table, *columns = measure.arguments
        if not isinstance(table, TableName):
            raise _CannotMeasure(f"{table!r} is not a table")
        try:
            parent = self._others(table)
        except Exception as error:  # it is the caller's; what it raises belongs to this measure alone
            raise _CannotMeasure(f"{table} cannot be read: {first_line(error)}") from error
        known = schema_of(parent)
        parents = parent.select(
            *(_column(str(name), known, table).alias(f"parent {n}") for n, name in enumerate(columns))
        )
        children = keyed.select(
            f.struct("*").alias("row"),
            *(_column(name, self._schema).alias(f"child {n}") for n, name in enumerate(measure.columns)),
        )
        same = reduce(and_, (f.col(f"`child {n}`") == f.col(f"`parent {n}`") for n in range(len(columns))))
        return children.join(parents, same, "left_anti")

    def _sample(self, violations: Sequence[Measure], limit: int, masked: frozenset[str]) -> list[dict[str, object]]:
        first = violations[0]
        shown = list(self._schema.names)
        values = [_visible(name, self._schema, masked) for name in shown]
        if first.kind == "duplicates":
            shown = [*first.columns, "(rows)"]
            keys = [_visible(name, self._schema, masked, f.col(f"k{n}")) for n, name in enumerate(first.columns)]
            values = [*keys, f.col("n")]
            groups = _groups(_keyed(self._frame, first, self._schema), first, self._schema)
            bad = groups.where(f.col("n") > 1)
        elif first.kind == "orphans":
            bad = self._lost(_keyed(self._frame, first, self._schema), first).select("row.*")
        else:
            conditions = [_filtered(measure, _bad(measure, self._schema, self._spark)) for measure in violations]
            bad = self._frame.where(reduce(or_, (f.coalesce(c, f.lit(False)) for c in conditions)))
        # a list of few rows as one aggregate: `limit().collect()` would start job after job, each on more partitions
        few = bad.limit(limit).select(*(value.alias(f"v{n}") for n, value in enumerate(values)))
        listed = few.agg(f.collect_list(f.struct("*")).alias("rows"))
        rows = _collect_in_one_job(self._spark, listed)[0]["rows"]
        return [{name: self._show(name, row[f"v{n}"], masked) for n, name in enumerate(shown)} for row in rows]

    def _show(self, name: str, value: object, masked: frozenset[str]) -> object:
        column = self._schema.get(name)
        if column is None or name.lower() in masked:
            return value
        shown = plain(_moment(value, column.type))
        return f"{shown[:200]}…" if isinstance(shown, str) and len(shown) > 200 else shown


def _attempt(
    parts: Mapping[Measure, T], run: Callable[[Mapping[Measure, T]], dict[Measure, Reading]]
) -> dict[Measure, Reading]:
    """All parts in one run; where that fails, those with SQL of the user each alone and the others together; where
    that fails too, each alone. So a predicate that breaks on a row costs nobody else the reading."""
    if not parts:
        return {}
    try:
        return run(parts)
    except _ERRORS as error:
        if _was_cancelled(error):
            raise
        if len(parts) == 1:
            return dict.fromkeys(parts, NotMeasured(_reason(error)))
    suspects = [measure for measure in parts if _has_sql(measure)]
    others = [measure for measure in parts if not _has_sql(measure)]
    groups = [[measure] for measure in suspects] + ([others] if suspects else [[measure] for measure in others])
    readings: dict[Measure, Reading] = {}
    for group in groups:
        readings |= _attempt({measure: parts[measure] for measure in group}, run)
    return readings


def _collect_in_one_job(spark: SparkSession, frame: DataFrame) -> list[Row]:
    """Adaptive execution makes a job of every stage, and an aggregate to one row has nothing to adapt. Switching it off
    in the session would touch what runs beside this; so the plan runs in a copy of the session."""
    copy = spark._jsparkSession.cloneSession()
    copy.conf().set("spark.sql.adaptive.enabled", "false")
    jvm = spark._jvm
    if jvm is None:
        return frame.collect()
    dataset = jvm.org.apache.spark.sql.classic.Dataset.ofRows(copy, frame._jdf.queryExecution().analyzed())
    return DataFrame(dataset, spark).collect()


def _was_cancelled(error: BaseException) -> bool:
    return "[SPARK_JOB_CANCELLED]" in str(error)


def _reason(error: BaseException) -> str:
    return str(error) if isinstance(error, _CannotMeasure) else root_cause(error)


def _has_sql(measure: Measure) -> bool:
    return measure.where is not None or measure.kind == "false"


def _column(name: str, schema: Schema, table: TableName | None = None) -> Column:
    """A column of the table itself; a dot in its name is part of the name."""
    found = schema.get(name)
    if found is None:
        place = f" in {table}" if table else ""
        near = did_you_mean(name, schema.names) or ""
        raise _CannotMeasure(f"there is no column '{name}'{place}. {near}".strip())
    return f.col(quote(found.name))


def _type(measure: Measure, schema: Schema) -> str:
    found = schema.get(measure.columns[0])
    return found.type if found else ""


def _filtered(measure: Measure, column: Column) -> Column:
    """NULL where the row is filtered out. CASE and not AND, so that the filter guards what it stands before."""
    return column if measure.where is None else f.when(f.expr(measure.where), column)


def _aggregate_of(measure: Measure, schema: Schema, spark: SparkSession) -> Column:
    if measure.kind == "rows":
        return f.count(_filtered(measure, f.lit(1)))
    if measure.kind in ("min", "max"):
        column = _column(measure.columns[0], schema)
        if _type(measure, schema) == "timestamp":
            column = f.unix_micros(column)  # exact in every time zone, which a local Python time is not
        return getattr(f, measure.kind)(_filtered(measure, column))  # type: ignore[no-any-return]
    return f.count_if(_filtered(measure, _bad(measure, schema, spark)))


def _bad(measure: Measure, schema: Schema, spark: SparkSession) -> Column:
    """True for a row that counts; NULL or false for others."""
    if measure.kind == "false":
        return ~f.expr(str(measure.arguments[0]))
    if measure.kind not in ("nulls", "outside_range", "outside_set", "not_matching"):
        raise _CannotMeasure(f"there is no measure '{measure.kind}'")
    column = _column(measure.columns[0], schema)
    type_ = _type(measure, schema)
    match measure.kind:
        case "nulls":
            return column.isNull()
        case "outside_range":
            return _outside(column, measure, type_)
        case "outside_set":
            if not measure.arguments:
                return column.isNotNull()
            return ~column.isin([_literal(value, type_) for value in measure.arguments])
    pattern = str(measure.arguments[0])
    _compile_pattern(pattern, spark)
    return ~column.cast("string").rlike(pattern)


def _outside(column: Column, measure: Measure, type_: str) -> Column:
    low, high = measure.arguments
    conditions = [f.isnan(column)] if family_of(type_) in (Family.FLOAT, Family.DOUBLE) else []
    if low is not None:
        conditions.append(column < _literal(low, type_))
    if high is not None:
        conditions.append(column > _literal(high, type_))
    return reduce(or_, conditions, f.lit(False))


def _compile_pattern(pattern: str, spark: SparkSession) -> None:
    """A bad pattern is told before a job dies of it."""
    if spark._jvm is not None:
        try:
            spark._jvm.java.util.regex.Pattern.compile(pattern)
        except (PySparkException, Py4JError) as error:
            raise _CannotMeasure(f"the pattern {pattern} is no regular expression: {first_line(error)}") from error


def _literal(value: object, type_: str) -> Column:
    """`value` as Spark's literal of the column's type; checks have made it a value of that type already."""
    if isinstance(value, datetime):
        moment = as_utc(value)
        if type_ == "timestamp_ntz":
            return f.lit(moment.replace(tzinfo=None).isoformat(sep=" ")).cast("timestamp_ntz")
        return f.timestamp_micros(f.lit((moment - _EPOCH) // timedelta(microseconds=1)))
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        return f.lit(Decimal(value))
    literal = f.lit(value)
    return literal.cast("float") if type_ == "float" else literal


def _keyed(frame: DataFrame, measure: Measure, schema: Schema) -> DataFrame:
    """The rows that count and whose key has no NULL in it."""
    rows = frame if measure.where is None else frame.where(f.expr(measure.where))
    return rows.where(reduce(and_, (_column(name, schema).isNotNull() for name in measure.columns)))


def _groups(keyed: DataFrame, measure: Measure, schema: Schema) -> DataFrame:
    """Each key as `k0`, `k1`, …, and `n`, the number of its rows."""
    keys = [_column(name, schema).alias(f"k{n}") for n, name in enumerate(measure.columns)]
    return keyed.groupBy(*keys).agg(f.count(f.lit(1)).alias("n"))


def _visible(name: str, schema: Schema, masked: frozenset[str], column: Column | None = None) -> Column:
    """`column`, or the one of that name, as it may leave Spark."""
    if name.lower() in masked:
        return f.lit(_MASK)
    found = schema.get(name)
    value = _column(name, schema) if column is None else column
    return f.unix_micros(value) if found and found.type == "timestamp" else value


def _to_python(value: object, measure: Measure, schema: Schema) -> Reading:
    return _moment(value, _type(measure, schema)) if measure.kind in ("min", "max") else value


def _moment(value: object, type_: str) -> object:
    """Times as aware UTC: microseconds of a timestamp, and the wall clock of a timestamp_ntz taken as UTC."""
    if type_ == "timestamp" and isinstance(value, int):
        return _EPOCH + timedelta(microseconds=value)
    return as_utc(value) if isinstance(value, datetime) else value
