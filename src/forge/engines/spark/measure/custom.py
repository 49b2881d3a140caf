"""Custom rules of the project: a query over tables, and a Python function of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from forge.engines.spark.errors import first_line
from forge.engines.spark.frames import schema_of
from forge.engines.spark.measure.columns import MeasureError, condition_of, portable, to_python
from forge.engines.spark.measure.jobs import collect_in_one_job
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.measure import Measure, Reading
from forge.quality.readings import FunctionReading

_FORMS = "true or false, (true or false, message), a number of bad rows, or a DataFrame of the bad rows"


@dataclass(frozen=True, slots=True)
class CustomRules:
    """`query` makes a DataFrame of SQL; `load` finds a function by its place in the project at `root`."""

    spark: SparkSession
    query: Callable[[str], DataFrame]
    load: Callable[[str], Callable[..., Any]]
    others: Callable[[TableName], DataFrame]
    root: Path | None = None

    def rows_of_query(self, measure: Measure) -> DataFrame:
        try:
            return self.query(str(measure.arguments[0]))
        except ForgeError as error:
            raise MeasureError(" ".join(part for part in (error.what, error.why) if part)) from error

    def count_rows(self, measure: Measure) -> Reading:
        counted = self.rows_of_query(measure).agg(f.count(f.lit(1)).alias("value"))
        return collect_in_one_job(self.spark, counted)[0]["value"]

    def read_value(self, measure: Measure) -> Reading:
        frame = self.rows_of_query(measure)
        if len(frame.columns) != 1:
            raise MeasureError(f"the query gives {len(frame.columns)} columns, and one number is expected")
        type_ = schema_of(frame).columns[0].type
        value = portable(f.col(frame.toDF("value").columns[0]), type_).alias("value")
        listed = frame.toDF("value").limit(2).select(value).agg(f.collect_list(f.struct("value")).alias("rows"))
        rows = collect_in_one_job(self.spark, listed)[0]["rows"]
        if len(rows) != 1:
            found = "no row" if not rows else "more than one row"
            raise MeasureError(f"the query gives {found}, and one number is expected")
        return to_python(rows[0]["value"], type_)

    def call(self, measure: Measure, frame: DataFrame) -> object:
        """The function's result, possibly lazy."""
        place, pairs, *tables = measure.arguments
        arguments: dict[str, Any] = dict(pairs) if isinstance(pairs, tuple) else {}
        try:
            function = self.load(str(place))
            if tables:
                arguments["tables"] = {str(table): self._other(table) for table in tables}
            rows = frame if measure.where is None else frame.where(condition_of(measure.where))
            return function(rows, **arguments)
        except MeasureError:
            raise
        except ForgeError as error:
            raise MeasureError(" ".join(part for part in (error.what, error.why) if part)) from error
        except Exception as error:  # the function is the project's; its exceptions are reported as its own
            raise MeasureError(self._blame(error, str(place))) from error

    def read_function(self, measure: Measure, frame: DataFrame) -> FunctionReading:
        match self.call(measure, frame):
            case bool() as passed:
                return FunctionReading(passed)
            case (bool() as passed, str() as message):
                return FunctionReading(passed, message)
            case int() as failing if failing >= 0:
                return FunctionReading(failing == 0, failing=failing)
            case DataFrame() as bad:
                try:
                    failing = collect_in_one_job(self.spark, bad.agg(f.count(f.lit(1)).alias("n")))[0]["n"]
                except Exception as error:  # the plan is the function's
                    raise MeasureError(self._blame(error, str(measure.arguments[0]))) from error
                return FunctionReading(failing == 0, failing=failing)
            case other:
                raise MeasureError(f"{measure.arguments[0]} returned {other!r:.80}; it may return {_FORMS}")

    def _other(self, table: object) -> DataFrame:
        if not isinstance(table, TableName):
            raise MeasureError(f"{table!r} is not a table")
        return self.others(table)

    def _blame(self, error: BaseException, place: str) -> str:
        from forge.transforms.imports import user_place

        found = user_place(error, self.root) if self.root else None
        where = f"{found[0]}:{found[1]}" if found else place
        return f"{where} raised {type(error).__name__}: {first_line(error)}"


def no_query(sql: str) -> DataFrame:
    raise MeasureError("there are no tables to query here")


def no_function(place: str) -> Callable[..., Any]:
    raise MeasureError("there is no project to take functions from here")
