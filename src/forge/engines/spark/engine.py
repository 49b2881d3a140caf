"""SparkEngine: the engine port on a Spark session."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import AnalysisException

from forge.engines.spark import source_rows, sources
from forge.engines.spark.collect import collected
from forge.engines.spark.errors import SPARK_ERRORS, analysis_error, job_error, keep_quiet, source_error, user_error
from forge.engines.spark.frames import (
    frame_of,
    placed_frame,
    refuse_duplicate_columns,
    schema_of,
    sql_frame,
    view_alias,
)
from forge.engines.spark.gate import gate_of
from forge.engines.spark.gate.cells import bounded, memory_error, unshown_error
from forge.engines.spark.lazy_engine import files_of
from forge.engines.spark.session.pools import PROPERTY, READS, WRITES, find_starved
from forge.engines.spark.session.process import died_error, died_of, has_died
from forge.engines.spark.session.session import CATALOG, LazySession
from forge.engines.spark.session.stuck_threads import end_stuck, thread_of_driver
from forge.engines.spark.writes import write
from forge.flows.ports import Stage
from forge.flows.runs.engine import (
    ChangeFile,
    ChangeMode,
    ChangeQuery,
    JobProgress,
    MeasureBatch,
    Pin,
    PlannedResult,
    RunContext,
    StarvedJobs,
    TimeRange,
)
from forge.flows.runs.records import LoadedFile
from forge.lineage.edge import Extraction
from forge.lineage.extract.spark.plan import PlanHints, extract_analysed
from forge.model.errors import CancellationError, ForgeError
from forge.model.names import RunId, TableName
from forge.model.schema import Schema
from forge.quality.check import Check
from forge.quality.measure import Measure, Readings
from forge.transforms.transform import ConnectorSource, FileSource, JdbcSource, PythonFunction, SqlQuery, Transform

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from forge.engines.spark.measure.custom import CustomRules

_log = logging.getLogger("forge.spark")


class SparkEngine:
    def __init__(self, session: LazySession, root: Path) -> None:
        self.session = session
        self.root = root
        self._here = threading.local()
        keep_quiet()
        self._cancelled: set[RunId] = set()
        self._drivers: dict[RunId, int] = {}  # threads of the JVM at work on questions

    def plan(
        self,
        transform: Transform,
        inputs: Mapping[TableName, Pin],
        params: Mapping[str, object],
        context: RunContext,
        files: Sequence[LoadedFile] = (),
    ) -> PlannedResult:
        with self._watched(transform.where):
            if isinstance(transform.body, ConnectorSource):
                return self._load(transform, transform.body, context)
            frame = self._frame(transform, inputs, params, context, files)
            schema = schema_of(frame)
            refuse_duplicate_columns(schema, transform.where)
            return PlannedResult(transform, frame, schema, self._lineage(frame, transform, inputs, context))

    def _load(self, transform: Transform, body: ConnectorSource, context: RunContext) -> PlannedResult:
        rows = context.rows
        assert rows is not None, "the flow opens them"
        source_rows.refuse_unknown_key(transform, rows)
        file = source_rows.spill(transform, rows, self.root / ".forge" / "loads", self.cancellation_check())
        try:
            frame, changes = source_rows.frames_of(self._spark(), rows, file, transform.unique_key)
        except SPARK_ERRORS as error:
            raise _logged(job_error(error, transform.where, self.root), error) from error
        schema = schema_of(frame)
        refuse_duplicate_columns(schema, transform.where)
        return PlannedResult(transform, frame, schema, source_rows.lineage_of(transform, body, rows), changes)

    def _frame(
        self,
        transform: Transform,
        inputs: Mapping[TableName, Pin],
        params: Mapping[str, object],
        context: RunContext,
        files: Sequence[LoadedFile],
    ) -> DataFrame:
        if isinstance(transform.body, FileSource):
            sources.refuse_other_columns(transform.body, files, self.root, transform.where)  # before Spark is started
        spark = self._spark()
        try:
            match transform.body:
                case SqlQuery(text=text, parameters=names) as query:
                    used = {name: params[name] for name in names if name in params}
                    if query.of_project:
                        return sql_frame(spark, text, inputs, used)
                    gate = gate_of(spark)
                    return gate.to_main(gate.frame(text, inputs, used))
                case FileSource() as source:
                    return sources.read_files(spark, source, files, self.root)
                case JdbcSource() as source:
                    return sources.read_jdbc(spark, source, context.secrets, self.root)
                case PythonFunction() as function:
                    return self._call(transform, function, inputs, context)
                case ConnectorSource():
                    raise AssertionError("its connector reads it")
        except AnalysisException as error:
            raise _logged(analysis_error(error, transform.file, transform.line), error) from error
        except SPARK_ERRORS as error:
            if isinstance(transform.body, JdbcSource):
                raise _logged(source_error(error, transform.body.url, transform.where, self.root), error) from error
            raise _logged(job_error(error, transform.where, self.root), error) from error

    def _call(
        self, transform: Transform, function: PythonFunction, inputs: Mapping[TableName, Pin], context: RunContext
    ) -> DataFrame:
        from pyspark.sql import DataFrame as AnyFrame

        spark = self._spark()
        arguments: dict[str, Any] = {name: frame_of(spark, inputs[table]) for name, table in function.arguments.items()}
        if function.wants_context:
            arguments["ctx"] = replace(context, spark=spark)
        try:
            frame = function.function(**arguments)
        except AnalysisException as error:
            found = user_error(error, transform.file, self.root, transform.line)
            known = analysis_error(error, transform.file, transform.line)
            known = known.but(where=found.where)
            raise _logged(known, error) from error
        except ForgeError:
            raise
        except Exception as error:
            raise _logged(user_error(error, transform.file, self.root, transform.line), error) from error
        if not isinstance(frame, AnyFrame):
            raise ForgeError(
                "E207",
                f"The transform returned {type(frame).__name__}",
                where=transform.where,
                why="A transform returns a Spark DataFrame.",
                fix="End the function with `return` and the DataFrame.",
            )
        return frame

    def _lineage(
        self, frame: DataFrame, transform: Transform, inputs: Mapping[TableName, Pin], context: RunContext
    ) -> Extraction:
        names: dict[str, str] = {}
        for pin in inputs.values():
            names[f"{CATALOG}.{pin.catalog}"] = str(pin.table)
            names[view_alias(pin.table)] = str(pin.table)
        external = sources.external_name(transform) if transform.is_source else None
        plan = frame._jdf.queryExecution().analyzed()
        text = plan.treeString(False, False, 100_000, False, False)
        found = extract_analysed(text, plan.toJSON, str(transform.output), names, PlanHints(external=external))
        declared = tuple(context.lineage.edges)
        return Extraction(found.edges + declared, found.indirect, found.table_edges, found.gaps)

    def stage(self, planned: PlannedResult, stage: Stage, time_range: TimeRange | None) -> None:
        with self._watched(planned.transform.where):
            try:
                write(self._spark(), planned, stage, time_range)
            except SPARK_ERRORS as error:
                raise _logged(job_error(error, planned.transform.where, self.root), error) from error

    def change(
        self,
        source: ChangeQuery | ChangeFile | object,
        stage: Stage,
        mode: ChangeMode,
        key: tuple[str, ...],
        *,
        evolve: bool = False,
    ) -> None:
        from forge.engines.spark.changes import apply_change

        with self.at_work(str(stage.table)) as spark:
            apply_change(spark, source, stage, mode, key, evolve=evolve)

    @contextmanager
    def at_work(self, where: str) -> Iterator[SparkSession]:
        """Spark for row-level work: tagged with the run of this thread, its failures translated to job errors."""
        with self._watched(where):
            try:
                yield self._spark()
            except SPARK_ERRORS as error:
                raise _logged(job_error(error, where, self.root), error) from error

    def measure(
        self,
        target: Pin | PlannedResult,
        measures: Sequence[Measure],
        others: Mapping[TableName, Pin],
        report: Callable[[MeasureBatch], None] = lambda batch: None,
    ) -> Readings:
        from forge.engines.spark.measure.measurer import SparkMeasurer

        with self._watched():
            spark = self._spark()
            lazy = isinstance(target, PlannedResult) or target.view_sql is not None
            custom = self._custom(spark, target, others)
            measurer = SparkMeasurer(spark, self._target(target), custom.others, custom, lazy=lazy)
            return measurer.measure(measures, report)

    def sample(
        self,
        target: Pin | PlannedResult,
        checks: Sequence[Check],
        readings: Readings,
        masked: frozenset[str],
        others: Mapping[TableName, Pin],
        limit: int = 5,
    ) -> tuple[tuple[Mapping[str, object], ...], ...]:
        from forge.engines.spark.failing_rows import FailingRowFinder

        with self._watched():
            spark = self._spark()
            custom = self._custom(spark, target, others)
            failing = FailingRowFinder(
                spark=spark,
                frame=self._target(target),
                others=custom.others,
                custom=custom,
                readings=readings,
                masked=masked,
            )
            return failing.sample(checks, limit)

    def failing_rows(
        self,
        target: Pin | PlannedResult,
        checks: Sequence[tuple[str, Check]],
        readings: Readings,
        others: Mapping[TableName, Pin],
    ) -> DataFrame:
        from forge.engines.spark.failing_rows import PLACE, FailingRowFinder

        with self._watched():
            spark = self._spark()
            custom = self._custom(spark, target, others)
            if isinstance(target, PlannedResult) or target.view_sql is not None:
                return FailingRowFinder(
                    spark=spark, frame=self._target(target), others=custom.others, custom=custom, readings=readings
                ).rows(checks)
            frame = placed_frame(spark, target, PLACE)
            return FailingRowFinder(
                spark=spark, frame=frame, others=custom.others, custom=custom, readings=readings
            ).rows(checks, PLACE)

    def _custom(self, spark: SparkSession, target: Pin | PlannedResult, others: Mapping[TableName, Pin]) -> CustomRules:
        """Functions and queries of the project's checks, over tables at the version that is judged."""
        from forge.engines.spark.measure.custom import CustomRules
        from forge.transforms.functions import load_function

        pins = dict(others)
        if isinstance(target, Pin):
            pins[target.table] = replace(target, since=None)
        return CustomRules(
            spark,
            lambda sql: gate_of(spark).frame(sql, pins, {}),
            lambda place: load_function(self.root, place),
            lambda table: frame_of(spark, pins[table]),
            self.root,
        )

    def _target(self, target: Pin | PlannedResult) -> DataFrame:
        if isinstance(target, PlannedResult):
            frame: DataFrame = target.frame
            return frame
        return frame_of(self._spark(), target)

    def files_of(self, transform: Transform) -> tuple[LoadedFile, ...]:
        return files_of(transform, self.root)

    def with_digests(self, files: Sequence[LoadedFile]) -> tuple[LoadedFile, ...]:
        return sources.with_digests(files, self.root)

    def query(
        self, sql: str, inputs: Mapping[TableName, Pin], params: Mapping[str, object], limit: int | None
    ) -> tuple[Schema, tuple[tuple[object, ...], ...]]:
        with self.at_query() as spark:
            try:
                frame = gate_of(spark).frame(sql, inputs, params)
                rows = collected(bounded(frame, limit).limit(limit) if limit is not None else frame)
            except (ValueError, TypeError, OverflowError) as error:
                raise unshown_error(error, "query") from error
            return schema_of(frame), tuple(tuple(row) for row in rows)

    @contextmanager
    def at_query(self) -> Iterator[SparkSession]:
        """Spark for a query from outside: tagged with the read of this thread, its failures in the words of a
        query."""
        with self._watched("query"), self._registered_thread():
            try:
                yield self._spark()
            except AnalysisException as error:
                raise analysis_error(error, "query") from error
            except SPARK_ERRORS as error:
                raise memory_error(error, "query") or job_error(error, "query") from error

    def begin(self, run_id: RunId, table: TableName) -> None:
        """Remembered, and passed to Spark when this thread first needs it: what is refused before that starts no
        JVM."""
        self._here.run_id = run_id
        self._here.begun = (run_id, str(table))

    def begin_read(self, run_id: RunId) -> None:
        """Like `begin`, for a read: until `end`, jobs of this thread yield the cores to writes."""
        self._here.pool = READS
        self._here.run_id = run_id
        self._here.begun = (run_id, READS)

    def end(self) -> None:
        """Jobs of this thread no longer belong to a run or read."""
        for name in ("pool", "run_id", "begun"):
            self._here.__dict__.pop(name, None)

    def find_starved(self, reads: Iterable[RunId]) -> StarvedJobs:
        session = self.session.peek()
        if session is None:
            return StarvedJobs()
        try:
            return find_starved(session, reads)
        except (Py4JNetworkError, OSError):  # it died just now
            return StarvedJobs()

    def _spark(self) -> SparkSession:
        """The session, with the jobs of this thread tagged."""
        self._here.used = session = self.session.get()
        self._refuse_cancelled()
        begun: tuple[RunId, str] | None = self._here.__dict__.pop("begun", None)
        if begun:
            run_id, what = begun
            context = session.sparkContext
            context.setJobGroup(f"{run_id}:{what}", f"Forge run {run_id}: {what}", interruptOnCancel=True)
            context.clearJobTags()  # a thread of a pool has those of what it did before
            context.addJobTag(str(run_id))
            context.setLocalProperty(PROPERTY, self._here.__dict__.get("pool", WRITES))
        return session

    @contextmanager
    def _registered_thread(self) -> Iterator[None]:
        """Registers the JVM thread that serves this one, so that a cancellation finds it."""
        run_id: RunId | None = self._here.__dict__.get("run_id")
        if run_id is None:
            yield
            return
        self._drivers[run_id] = thread_of_driver(self._spark())
        try:
            yield
        finally:
            self._drivers.pop(run_id, None)

    @contextmanager
    def _watched(self, where: str | None = None) -> Iterator[None]:
        """Reports errors caused by a cancelled run or a dead JVM as such. Also where nothing is raised: a measure
        that Spark could not compute is a result, but not one of the data."""
        self._refuse_cancelled()
        self._here.used = None
        try:
            yield
        except Exception as error:
            self._refuse_cancelled(error)
            if self._here.used is not None and died_of(self._here.used, _root(error)):
                raise _logged(died_error(self.session.settings.log_file, where), error) from error
            raise
        self._refuse_cancelled()
        if self._here.used is not None and has_died(self._here.used):
            raise died_error(self.session.settings.log_file, where)

    def progress(self, run_id: RunId, table: TableName) -> JobProgress:
        session = self.session.peek()
        if session is None:
            return JobProgress(0, 0, 0, 0, 0)
        try:
            return _progress(session.sparkContext.statusTracker(), f"{run_id}:{table}")
        except (Py4JError, OSError):  # it has just died; its users report that
            return JobProgress(0, 0, 0, 0, 0)

    def cancel(self, run_id: RunId) -> None:
        """Interrupts running jobs; steps that have not begun will not begin."""
        self._cancelled.add(run_id)
        session = self.session.peek()
        if session is not None:
            with suppress(Py4JError, OSError):
                session.sparkContext.cancelJobsWithTag(str(run_id))
                end_stuck(session, str(run_id), lambda: self._drivers.get(run_id))

    def cancellation_check(self) -> Callable[[], None]:
        """Raises where the run or read of this thread was cancelled. Threads that help it may call it, too."""
        run_id: RunId | None = self._here.__dict__.get("run_id")

        def check() -> None:
            if run_id in self._cancelled:
                raise CancellationError("The run was cancelled", fix="Nothing was published.")

        return check

    def _refuse_cancelled(self, error: BaseException | None = None) -> None:
        try:
            self.cancellation_check()()
        except CancellationError as found:
            raise found from error


def _progress(tracker: Any, group: str) -> JobProgress:
    jobs = tracker.getJobIdsForGroup(group)
    infos = [info for job in jobs if (info := tracker.getJobInfo(job)) is not None]
    stages = [s for info in infos for i in info.stageIds if (s := tracker.getStageInfo(i)) is not None]
    # A skipped stage never has a task: counting it would make a false percentage.
    touched = [s for s in stages if s.numTasks and (s.numCompletedTasks or s.numActiveTasks or s.numFailedTasks)]
    done = [s for s in touched if s.numCompletedTasks >= s.numTasks]
    return JobProgress(
        len(jobs),
        len(done),
        len(touched),
        sum(s.numCompletedTasks for s in touched),
        sum(s.numTasks for s in touched),
    )


def _logged(found: ForgeError, error: BaseException) -> ForgeError:
    """A run keeps only the message of an error; `-vv` shows the traceback."""
    _log.debug("%s", found, exc_info=error)
    return found


def _root(error: BaseException) -> BaseException:
    """The root cause."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error
