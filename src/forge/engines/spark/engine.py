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

from forge.engines.spark import sources
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
from forge.engines.spark.lazy import files_of
from forge.engines.spark.session.pools import PROPERTY, READS, WRITES, find_starved
from forge.engines.spark.session.process import died_error, died_of, has_died
from forge.engines.spark.session.session import CATALOG, LazySession
from forge.engines.spark.session.stuck import end_stuck, thread_of_driver
from forge.engines.spark.writes import write
from forge.flows.ports import Stage
from forge.flows.runs.engine import (
    Batch,
    ChangeFile,
    ChangeMode,
    ChangeQuery,
    Pin,
    Planned,
    Progress,
    RunContext,
    Starved,
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
from forge.transforms.transform import FileSource, JdbcSource, PythonFunction, SqlQuery, Transform

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
    ) -> Planned:
        with self._watched(transform.where):
            frame = self._frame(transform, inputs, params, context, files)
            schema = schema_of(frame)
            refuse_duplicate_columns(schema, transform.where)
            return Planned(transform, frame, schema, self._lineage(frame, transform, inputs, context))

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
                    return sources.read_jdbc(spark, source, context.secrets)
                case PythonFunction() as function:
                    return self._call(transform, function, inputs, context)
        except AnalysisException as error:
            raise _told(analysis_error(error, transform.file, transform.line), error) from error
        except SPARK_ERRORS as error:
            if isinstance(transform.body, JdbcSource):
                raise _told(source_error(error, transform.body.url, transform.where, self.root), error) from error
            raise _told(job_error(error, transform.where, self.root), error) from error

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
            raise _told(known, error) from error
        except ForgeError:
            raise
        except Exception as error:
            raise _told(user_error(error, transform.file, self.root, transform.line), error) from error
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

    def stage(self, planned: Planned, stage: Stage, time_range: TimeRange | None) -> None:
        with self._watched(planned.transform.where):
            try:
                write(self._spark(), planned, stage, time_range)
            except SPARK_ERRORS as error:
                raise _told(job_error(error, planned.transform.where, self.root), error) from error

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
        """Spark for work on rows: under what this thread has begun, its failures told as those of jobs."""
        with self._watched(where):
            try:
                yield self._spark()
            except SPARK_ERRORS as error:
                raise _told(job_error(error, where, self.root), error) from error

    def measure(
        self,
        target: Pin | Planned,
        measures: Sequence[Measure],
        others: Mapping[TableName, Pin],
        told: Callable[[Batch], None] = lambda batch: None,
    ) -> Readings:
        from forge.engines.spark.measure.measurer import SparkMeasurer

        with self._watched():
            spark = self._spark()
            lazy = isinstance(target, Planned) or target.view_sql is not None
            custom = self._custom(spark, target, others)
            measurer = SparkMeasurer(spark, self._target(target), custom.others, custom, lazy=lazy)
            return measurer.measure(measures, told)

    def sample(
        self,
        target: Pin | Planned,
        checks: Sequence[Check],
        readings: Readings,
        masked: frozenset[str],
        others: Mapping[TableName, Pin],
        limit: int = 5,
    ) -> tuple[tuple[Mapping[str, object], ...], ...]:
        from forge.engines.spark.failing import Failing

        with self._watched():
            spark = self._spark()
            custom = self._custom(spark, target, others)
            failing = Failing(
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
        target: Pin | Planned,
        checks: Sequence[tuple[str, Check]],
        readings: Readings,
        others: Mapping[TableName, Pin],
    ) -> DataFrame:
        from forge.engines.spark.failing import PLACE, Failing

        with self._watched():
            spark = self._spark()
            custom = self._custom(spark, target, others)
            if isinstance(target, Planned) or target.view_sql is not None:
                return Failing(
                    spark=spark, frame=self._target(target), others=custom.others, custom=custom, readings=readings
                ).rows(checks)
            frame = placed_frame(spark, target, PLACE)
            return Failing(spark=spark, frame=frame, others=custom.others, custom=custom, readings=readings).rows(
                checks, PLACE
            )

    def _custom(self, spark: SparkSession, target: Pin | Planned, others: Mapping[TableName, Pin]) -> CustomRules:
        """What rules of the project are made of: their tables are those of the version that is judged."""
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

    def _target(self, target: Pin | Planned) -> DataFrame:
        if isinstance(target, Planned):
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
        with self._watched("query"), self._told_apart():
            try:
                frame = gate_of(self._spark()).frame(sql, inputs, params)
                rows = collected(bounded(frame, limit).limit(limit) if limit is not None else frame)
            except AnalysisException as error:
                raise analysis_error(error, "query") from error
            except SPARK_ERRORS as error:
                raise memory_error(error, "query") or job_error(error, "query") from error
            except (ValueError, TypeError, OverflowError) as error:
                raise unshown_error(error, "query") from error
            return schema_of(frame), tuple(tuple(row) for row in rows)

    def begin(self, run_id: RunId, table: TableName) -> None:
        """Noted, and told to Spark when this thread first needs it: what is refused before that starts no JVM."""
        self._here.run_id = run_id
        self._here.begun = (run_id, str(table))

    def begin_read(self, run_id: RunId) -> None:
        """As `begin`, for a question: until `end`, jobs of this thread leave the cores to those that write."""
        self._here.pool = READS
        self._here.run_id = run_id
        self._here.begun = (run_id, READS)

    def end(self) -> None:
        """What this thread does from now on belongs to nothing that was begun."""
        for name in ("pool", "run_id", "begun"):
            self._here.__dict__.pop(name, None)

    def find_starved(self, reads: Iterable[RunId]) -> Starved:
        session = self.session.peek()
        if session is None:
            return Starved()
        try:
            return find_starved(session, reads)
        except (Py4JNetworkError, OSError):  # it died just now
            return Starved()

    def _spark(self) -> SparkSession:
        """The session, with what this thread has begun marked on its jobs."""
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
    def _told_apart(self) -> Iterator[None]:
        """Which thread of the JVM works on what this one asks, so that a cancellation finds it."""
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
        """What comes of a cancelled run or of the death of the JVM is told as that, whatever Spark says. Also where
        nothing is raised: a measure that Spark could not take is a result, but not one of the data."""
        self._refuse_cancelled()
        self._here.used = None
        try:
            yield
        except Exception as error:
            self._refuse_cancelled(error)
            if self._here.used is not None and died_of(self._here.used, _root(error)):
                raise _told(died_error(self.session.settings.log_file, where), error) from error
            raise
        self._refuse_cancelled()
        if self._here.used is not None and has_died(self._here.used):
            raise died_error(self.session.settings.log_file, where)

    def progress(self, run_id: RunId, table: TableName) -> Progress:
        session = self.session.peek()
        if session is None:
            return Progress(0, 0, 0, 0, 0)
        try:
            return _progress(session.sparkContext.statusTracker(), f"{run_id}:{table}")
        except (Py4JError, OSError):  # it died just now; whoever works there says so
            return Progress(0, 0, 0, 0, 0)

    def cancel(self, run_id: RunId) -> None:
        """Jobs at work are interrupted; steps that have not begun will not begin."""
        self._cancelled.add(run_id)
        session = self.session.peek()
        if session is not None:
            with suppress(Py4JError, OSError):
                session.sparkContext.cancelJobsWithTag(str(run_id))
                end_stuck(session, str(run_id), lambda: self._drivers.get(run_id))

    def _refuse_cancelled(self, error: BaseException | None = None) -> None:
        if self._here.__dict__.get("run_id") in self._cancelled:
            raise CancellationError("The run was cancelled", fix="Nothing was published.") from error


def _progress(tracker: Any, group: str) -> Progress:
    jobs = tracker.getJobIdsForGroup(group)
    infos = [info for job in jobs if (info := tracker.getJobInfo(job)) is not None]
    stages = [s for info in infos for i in info.stageIds if (s := tracker.getStageInfo(i)) is not None]
    # A skipped stage never has a task: counting it would make a false percentage.
    touched = [s for s in stages if s.numTasks and (s.numCompletedTasks or s.numActiveTasks or s.numFailedTasks)]
    done = [s for s in touched if s.numCompletedTasks >= s.numTasks]
    return Progress(
        len(jobs),
        len(done),
        len(touched),
        sum(s.numCompletedTasks for s in touched),
        sum(s.numTasks for s in touched),
    )


def _told(found: ForgeError, error: BaseException) -> ForgeError:
    """A run keeps only the words of an error; `-vv` shows where it came from."""
    _log.debug("%s", found, exc_info=error)
    return found


def _root(error: BaseException) -> BaseException:
    """What the error was made of."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error
