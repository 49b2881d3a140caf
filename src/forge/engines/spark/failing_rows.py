"""Rows that fail checks: a few samples of each, and all of them as a DataFrame."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from forge.engines.spark.errors import job_error
from forge.engines.spark.frames import quote, schema_of
from forge.engines.spark.measure.columns import ERRORS, column_of, portable, to_python, type_of
from forge.engines.spark.measure.custom import CustomRules
from forge.engines.spark.measure.jobs import collect_in_one_job, was_cancelled
from forge.engines.spark.measure.keys import Others
from forge.engines.spark.measure.kinds import spark_kind
from forge.engines.spark.measure.table import MeasuredTable
from forge.flows.quality.row_repair import CHECKS, FILE, POSITION
from forge.model.schema import Schema
from forge.quality.check import Check
from forge.quality.kinds import MeasureSource, kind_of
from forge.quality.measure import Measure, NotMeasured, Readings
from forge.quality.paths import is_within
from forge.quality.values import plain

Sample = tuple[Mapping[str, object], ...]
_MASK = "***"
_LONGEST = 200  # of a text that is shown
_WIDEST = 100  # columns of a row that are shown
_ENOUGH = 60  # failing rows that are sampled, to show a few of them
_SEED = 17
_CHANCE = "forge chance"  # a column: chance is not allowed inside an aggregate


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingRowFinder:
    """Finds the rows of one table that fail checks, by the measures that counted them."""

    spark: SparkSession
    frame: DataFrame
    others: Others
    custom: CustomRules
    readings: Readings
    masked: Collection[str] = frozenset()
    table: MeasuredTable = field(init=False)

    def __post_init__(self) -> None:
        table = MeasuredTable(self.spark, self.frame, schema_of(self.frame), self.others, self.custom)
        object.__setattr__(self, "table", table)

    @property
    def schema(self) -> Schema:
        return self.table.schema

    def sample(self, checks: Sequence[Check], limit: int) -> tuple[Sample, ...]:
        """Rows that violate row-level checks: one job for all checks. Duplicate keys are shown once, with the number
        of their rows. What cannot be shown is empty; the verdict holds without it."""
        bad = [self._measures(check) for check in checks]
        together: dict[int, Column] = {}
        frame = self.frame
        for number, measures in enumerate(bad):
            if measures and all(m in self.readings and spark_kind(m).bad is not None for m in measures):
                frame, together[number] = self._condition(frame, measures, f"{number}")
        found = self._attempt(frame, checks, bad, together, limit)
        return tuple(
            found[number] if number in found else (self._guarded(measures, limit) if measures else ())
            for number, measures in enumerate(bad)
        )

    def _attempt(
        self,
        frame: DataFrame,
        checks: Sequence[Check],
        bad: Sequence[Sequence[Measure]],
        conditions: Mapping[int, Column],
        limit: int,
    ) -> dict[int, Sample]:
        """All in one job; where a predicate fails on a row, each in its own, and that one shows nothing."""
        try:
            return dict(zip(conditions, self._of_rows(frame, checks, bad, conditions, limit), strict=True))
        except (PySparkException, Py4JError) as error:
            if was_cancelled(error):
                raise job_error(error, "the sample of failing rows") from error
            if len(conditions) == 1:
                return dict.fromkeys(conditions, ())
        found: dict[int, Sample] = {}
        for number, condition in conditions.items():
            found |= self._attempt(frame, checks, bad, {number: condition}, limit)
        return found

    def _guarded(self, measures: Sequence[Measure], limit: int) -> Sample:
        try:
            return self._alone(measures, limit)
        except ERRORS as error:
            if was_cancelled(error):
                raise job_error(error, "the sample of failing rows") from error
            return ()

    def rows(self, checks: Sequence[tuple[str, Check]], place: Sequence[str] = ()) -> DataFrame:
        """All columns of the frame, and the ids of the checks that the row fails. `place` orders rows of one key."""
        frame, conditions = self.frame, []
        for number, (check_id, check) in enumerate(checks):
            for part, measure in enumerate(self._measures(check)):
                frame, bad = self._mark(frame, measure, f"{number}.{part}", place)
                if bad is not None:
                    conditions.append((check_id, f.coalesce(bad, f.lit(False))))
        by_id: dict[str, Column] = {}
        for check_id, bad in conditions:
            by_id[check_id] = by_id[check_id] | bad if check_id in by_id else bad
        failed = [f.when(bad, f.lit(check_id)) for check_id, bad in by_id.items()]
        listed = f.array_compact(f.array(*failed)) if failed else f.array().cast("array<string>")
        shown = [f.col(quote(name)) for name in self.frame.columns]
        return frame.select(*shown, listed.alias(CHECKS)).where(f.size(f.col(CHECKS)) > 0)

    def _measures(self, check: Check) -> tuple[Measure, ...]:
        return () if check.fault(self.schema) is not None else check.bad(self.readings, self.schema)

    def _condition(self, frame: DataFrame, measures: Sequence[Measure], mark: str) -> tuple[DataFrame, Column]:
        conditions = []
        for measure in measures:
            frame, bad = self._mark(frame, measure, mark, ())
            conditions.append(f.lit(False) if bad is None else f.coalesce(bad, f.lit(False)))
        return frame, reduce(or_, conditions)

    def _of_rows(
        self,
        frame: DataFrame,
        checks: Sequence[Check],
        bad: Sequence[Sequence[Measure]],
        conditions: Mapping[int, Column],
        limit: int,
    ) -> list[Sample]:
        """One aggregation. If more rows fail than are needed, only a share is sampled, so that memory stays small;
        the number of failing rows is known."""
        if not conditions:
            return []
        shown = {number: self._shown(checks[number]) for number in conditions}
        lists = []
        for number, condition in conditions.items():
            row = f.struct(*(self._visible(name).alias(f"v{n}") for n, name in enumerate(shown[number])))
            share = _ENOUGH / max(self._counted(bad[number]), 1)
            kept = condition if share >= 1 else condition & (f.col(f"`{_CHANCE}`") < share)
            lists.append(f.slice(f.collect_list(f.when(kept, row)), 1, limit).alias(f"c{number}"))
        found = collect_in_one_job(self.spark, frame.withColumn(_CHANCE, f.rand(_SEED)).agg(*lists))[0]
        return [
            tuple(
                {name: self._shown_value(name, row[f"v{n}"]) for n, name in enumerate(shown[number])}
                for row in found[f"c{number}"]
            )
            for number in conditions
        ]

    def _counted(self, measures: Sequence[Measure]) -> int:
        """At least one of each: sampling by too low a number only shows more."""
        total = 0
        for measure in measures:
            reading = self.readings.get(measure)
            values = reading.values() if isinstance(reading, Mapping) else (reading,)
            total = max(total, sum(value for value in values if isinstance(value, int)))
        return total

    def _shown(self, check: Check) -> tuple[str, ...]:
        """Of a wide table the columns of the check, and the first others."""
        if len(self.schema.names) <= _WIDEST:
            return self.schema.names
        about = [name for name in self.schema.names if any(is_within(target, name) for target in check.targets())]
        return tuple(dict.fromkeys([*about, *self.schema.names]))[:_WIDEST]

    def _alone(self, measures: Sequence[Measure], limit: int) -> Sample:
        measure = measures[0]
        kind = spark_kind(measure)
        if kind.bad is not None:  # how many there are is not known
            frame, bad = self._condition(self.frame, measures, "")
            return self._few(frame.where(bad).select(*map(quote, self.frame.columns)), limit, is_own=True)
        rows = kind.sample(self.table, measure) if kind.sample is not None else None
        is_own = kind_of(measure).source is MeasureSource.ROWS
        return () if rows is None else self._few(rows, limit, is_own=is_own)

    def _few(self, rows: DataFrame, limit: int, *, is_own: bool) -> Sample:
        """Rows of the table, or of the result of a query or function: of that, only columns named as columns of the
        table are known not to be masked."""
        known = schema_of(rows)
        names = known.names[:_WIDEST]
        values = []
        for number, name in enumerate(names):
            hidden = self._hides(name) or (bool(self.masked) and not is_own and self.schema.get(name) is None)
            type_ = known.columns[number].type
            value = f.lit(_MASK) if hidden else portable(f.col(f"c{number}"), type_)
            values.append(value.alias(f"v{number}"))
        numbered = rows.toDF(*(f"c{n}" for n in range(len(known.names)))).limit(limit).select(*values)
        return tuple(
            {
                name: value if value == _MASK else _cut(plain(to_python(value, known.columns[n].type)))
                for n, name in enumerate(names)
                for value in (row[f"v{n}"],)
            }
            for row in self._listed(numbered)
        )

    def _listed(self, few: DataFrame) -> list[dict[str, object]]:
        """As one aggregate: `limit().collect()` would start job after job, each on more partitions."""
        row = collect_in_one_job(self.spark, few.agg(f.collect_list(f.struct("*")).alias("rows")))[0]
        return [one.asDict() for one in row["rows"]]

    def _hides(self, name: str) -> bool:
        """Also where only a part of it, or a column around it, is masked."""
        return any(is_within(name, masked) or is_within(masked, name) for masked in self.masked)

    def _visible(self, name: str, column: Column | None = None) -> Column:
        """`column`, or the one of that name, masked where needed."""
        if self._hides(name):
            return f.lit(_MASK)
        if column is None:
            column = f.col(quote(name)) if self.schema.get(name) else column_of(name, self.schema)
        return portable(column, type_of(name, self.schema))

    def _shown_value(self, name: str, value: object) -> object:
        return value if self._hides(name) else _cut(plain(to_python(value, type_of(name, self.schema))))

    def _mark(
        self, frame: DataFrame, measure: Measure, mark: str, place: Sequence[str]
    ) -> tuple[DataFrame, Column | None]:
        """The frame with helper columns, and the failure condition; none for checks that are not about rows of the
        table."""
        kind = spark_kind(measure)
        if isinstance(self.readings.get(measure), NotMeasured):
            return frame, None
        if kind.mark is not None:
            return kind.mark(self.table, frame, measure, mark, place)
        return (frame, None) if kind.bad is None else kind.bad(self.table, frame, measure, mark)


def _cut(value: object) -> object:
    return f"{value[:_LONGEST]}…" if isinstance(value, str) and len(value) > _LONGEST else value


PLACE = (FILE, POSITION)
