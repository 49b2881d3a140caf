"""The rest of a federated query, computed by Spark through the gate of untrusted SQL."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from sqlglot import exp

from forge.engines.spark.engine import SparkEngine
from forge.engines.spark.federation.delta import delta_explained, delta_frame
from forge.engines.spark.federation.passing import no_rows, pass_on
from forge.engines.spark.federation.spark_text import spark_text
from forge.engines.spark.frames import quote, schema_of
from forge.engines.spark.gate import gate_of
from forge.engines.spark.gate.cells import bounded, unshown_error
from forge.engines.spark.session.session import reads_delta
from forge.engines.spark.session.stuck_threads import end_stuck, thread_of_driver
from forge.engines.spark.spill import frame_of_rows, read_written, spill_folder, write_frame, write_rows
from forge.federation.dialects.render import set_path
from forge.federation.names import ref_of, set_ref
from forge.federation.relation import RelationName
from forge.federation.source import LAKE
from forge.flows.federation.guarded_rows import guard_rows
from forge.flows.federation.keys import MOST_KEYS, key_values
from forge.flows.federation.ports import ExecutorName, FragmentReader, QueryResult
from forge.model.errors import CancellationError, ForgeError
from forge.model.names import TableName

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from forge.federation.plan import Fragment, QueryPlan
    from forge.flows.runs.pin import Pin

_READERS = 4  # fragments read at a time
_SCHEMA = "fragment"  # under which the gate knows the rows of the fragments
_DELTA = TableName("delta_rows", "t")
_PINNED = "pinned"  # and tables of the lake at a branch or commit that the query names


class SparkExecutor:
    """Computes one query. `pins` are the tables of the lake that it reads; Spark reads them itself. `folder` is on a
    disk that Spark reads, too: rows of other sources pass through it. `refusing`: of a source, what refuses a file
    that it may not read; `mask_key`: of hashes, where Spark reads what not everyone may see."""

    name: ExecutorName = "spark"

    def __init__(
        self,
        engine: SparkEngine,
        pins: Mapping[RelationName, Pin],
        folder: Path,
        refusing: Callable[[str], Callable[[Path], None]] = lambda source: lambda path: None,
        mask_key: Callable[[], bytes] = lambda: b"",
    ) -> None:
        self._engine = engine
        self._refusing, self._mask_key = refusing, mask_key
        self._names = {name: _table(place, name) for place, name in enumerate(pins)}
        self._pins = {self._names[name]: pin for name, pin in pins.items()}
        self._folder = folder
        self._tag = f"query-{uuid.uuid4().hex}"
        self._cancelled = threading.Event()
        self._driver: int | None = None

    def refusal(self, plan: QueryPlan) -> str | None:
        return None

    def run(
        self, plan: QueryPlan, read: FragmentReader, parameters: Mapping[str, object], limit: int | None
    ) -> QueryResult:
        proceed = self._check()
        by_spark = frozenset(one.name for one in plan.fragments if self._reads_itself(one))
        if plan.whole and not by_spark:
            return pass_on(plan, read, limit, proceed)
        with (
            spill_folder(self._folder) as folder,
            _Reading(plan=plan, read=read, folder=folder, proceed=proceed, by_spark=by_spark) as reading,
            self._engine.at_query() as spark,
            self._tagged(spark),
            delta_explained(one.source for one in plan.fragments if one.delta and one.name in by_spark),
        ):
            frames = self._frames(spark, plan, reading, parameters)
            tables = {each.name: TableName(_SCHEMA, f"f{place}") for place, each in enumerate(plan.fragments)}
            inputs = {table: frames[name] for name, table in tables.items()}
            frame = gate_of(spark).frame(_over(plan.rest, tables), inputs, _used(plan.rest, parameters))
            return QueryResult(schema_of(frame), self._collected(frame, limit), reading.rows)

    def cancel(self) -> None:
        self._cancelled.set()
        session = self._engine.session.peek()
        if session is not None:
            with suppress(Py4JError, OSError):
                session.sparkContext.cancelJobsWithTag(self._tag)
                end_stuck(session, self._tag, lambda: self._driver)

    def _check(self) -> Callable[[], None]:
        """Raises where this query was cancelled, or the read of this thread; in any thread."""
        check_read = self._engine.cancellation_check()

        def check() -> None:
            check_read()
            if self._cancelled.is_set():
                raise CancellationError("The query was cancelled")

        return check

    @contextmanager
    def _tagged(self, spark: SparkSession) -> Iterator[None]:
        context = spark.sparkContext
        context.addJobTag(self._tag)
        self._driver = thread_of_driver(spark)
        try:
            yield
        except Exception as error:
            if self._cancelled.is_set():
                raise CancellationError("The query was cancelled") from error
            raise
        finally:
            self._driver = None
            with suppress(Py4JError, OSError):
                context.removeJobTag(self._tag)

    def _frames(
        self, spark: SparkSession, plan: QueryPlan, reading: _Reading, parameters: Mapping[str, object]
    ) -> dict[str, DataFrame]:
        """The rows of every fragment. Those whose keys filter others are there before the others are asked for."""
        frames: dict[str, DataFrame] = {}
        for fragment in plan.fragments:
            keys = self._keys(fragment, plan, reading, frames)
            if fragment.name not in reading.by_spark:
                reading.begin(fragment, keys)
                continue
            frame = self._own_frame(spark, fragment, keys, parameters)
            if fragment.guard is None:
                frames[fragment.name] = frame
            else:
                reading.begin_guarded(fragment, frame, self._mask_key)
        for fragment in plan.fragments:
            if fragment.name not in frames:
                frames[fragment.name] = frame_of_rows(spark, reading.file(fragment.name), fragment.columns)
            reading.proceed()
        return frames

    def _keys(
        self, fragment: Fragment, plan: QueryPlan, reading: _Reading, frames: Mapping[str, DataFrame]
    ) -> dict[str, tuple[object, ...]]:
        sources = {each.name: each for each in plan.fragments}
        found: dict[str, tuple[object, ...]] = {}
        for key in fragment.keys:
            by = sources[key.by_fragment]
            if by.name in frames:
                distinct = frames[by.name].select(quote(key.by_column)).distinct().limit(MOST_KEYS + 1)
                values = key_values(distinct.toArrow().column(0))
            else:
                place = [each.name for each in by.columns].index(key.by_column)
                values = reading.keys(by.name, place)
            if values is not None:
                found[key.column] = values
        return found

    def _reads_itself(self, fragment: Fragment) -> bool:
        """Tables of the lake, and Delta tables; where not everyone may see all of it, only what nobody else reads."""
        if fragment.delta is None:
            return fragment.by_engine
        if fragment.delta.only_spark:
            return True
        return fragment.guard is None and reads_delta(self._engine.session.settings)

    def _own_frame(
        self,
        spark: SparkSession,
        fragment: Fragment,
        keys: Mapping[str, tuple[object, ...]],
        parameters: Mapping[str, object],
    ) -> DataFrame:
        from pyspark.sql import functions as f

        gate, used = gate_of(spark), _used(fragment.query, parameters)
        if fragment.delta is None:
            frame = gate.frame(self._of_lake(fragment.query), self._pins, used)
        else:
            rows = delta_frame(gate, fragment.delta, fragment.source, self._refusing(fragment.source))
            frame = gate.frame(_of_delta(fragment.query), {_DELTA: rows}, used)
        for column, values in keys.items():
            frame = frame.where(f.col(quote(column)).isin(*values) if values else f.lit(False))
        return frame

    def _of_lake(self, query: exp.Query) -> str:
        """The text for the gate, to which all tables are those of the lake."""
        tree = query.copy()
        for node in list(tree.find_all(exp.Table)):
            if node.catalog != LAKE:
                continue
            node.set("catalog", None)
            at = ref_of(node)
            if at:
                name = self._names[RelationName(LAKE, (node.db.lower(), node.name.lower()), at)]
                set_path(node, (name.schema, name.name))
                set_ref(node, "")
        return spark_text(tree)

    def _collected(self, frame: DataFrame, limit: int | None) -> pa.Table:
        try:
            return (bounded(frame, limit).limit(limit) if limit is not None else frame).toArrow()
        except (ValueError, TypeError, OverflowError) as error:
            raise unshown_error(error, "query") from error


@dataclass(kw_only=True)
class _Reading:
    """Fragments on their way from the sources to files, several at a time. Those that no other filters are asked for
    at once, while Spark may still be starting."""

    plan: QueryPlan
    read: FragmentReader
    folder: Path
    proceed: Callable[[], None]
    _begun: dict[str, Future[int]] = field(default_factory=dict)
    by_spark: frozenset[str] = frozenset()  # fragments
    _failed: threading.Event = field(default_factory=threading.Event)
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(_READERS, "forge-fragment"))

    def __enter__(self) -> _Reading:
        for fragment in self.plan.fragments:
            if fragment.name not in self.by_spark and not fragment.keys:
                self.begin(fragment, {})
        return self

    def __exit__(self, *_: object) -> None:
        """A reader that waits for its source is ended by the source's `cancel`; nobody waits for it here."""
        self._failed.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    @property
    def rows(self) -> dict[str, int]:
        return {name: one.result() for name, one in self._begun.items()}

    def begin(self, fragment: Fragment, keys: Mapping[str, tuple[object, ...]]) -> None:
        if fragment.name not in self._begun:
            self._begun[fragment.name] = self._pool.submit(self._write, fragment, keys)

    def begin_guarded(self, fragment: Fragment, frame: DataFrame, key: Callable[[], bytes]) -> None:
        """Rows that Spark read and that not everyone may see: they leave Spark, and come back as they may be seen."""
        raw = self._path(fragment.name).with_suffix(".raw")
        write_frame(frame, raw)
        rows = guard_rows(read_written(raw, fragment.read_columns), fragment, key)
        self._begun[fragment.name] = self._pool.submit(write_rows, rows, self._path(fragment.name), self._proceed)

    def file(self, name: str) -> Path:
        """Written to the end."""
        self._begun[name].result()
        return self._path(name)

    def keys(self, name: str, place: int) -> tuple[object, ...] | None:
        """The values of a column; None where they are too many to filter by."""
        import pyarrow.parquet as parquet

        file = parquet.ParquetFile(self.file(name))
        return key_values(file.read([f"c{place}"]).column(0))

    def _write(self, fragment: Fragment, keys: Mapping[str, tuple[object, ...]]) -> int:
        self._proceed()
        reader = self.read(fragment, keys) if all(keys.values()) else no_rows(fragment)
        return write_rows(reader, self._path(fragment.name), self._proceed)

    def _proceed(self) -> None:
        if self._failed.is_set():
            raise CancellationError("Another source failed")
        self.proceed()

    def _path(self, name: str) -> Path:
        place = next(place for place, each in enumerate(self.plan.fragments) if each.name == name)
        return self.folder / f"f{place}.parquet"


def _over(rest: exp.Query, tables: Mapping[str, TableName]) -> str:
    """The text for the gate, in which each fragment is a table with the alias it had or its own name. There is nothing
    else to be read."""
    tree = rest.copy()
    for node in list(tree.find_all(exp.Table)):
        if len(node.parts) > 1:
            raise ForgeError("E202", f"unknown table {'.'.join(part.name for part in node.parts)}", where="query")
        table = tables.get(node.name)
        if table is None:  # a CTE, or the function of a table
            continue
        if not node.alias:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(node.name, quoted=True)))
        node.set("this", exp.to_identifier(table.name))
        node.set("db", exp.to_identifier(table.schema))
    return spark_text(tree)


def _of_delta(query: exp.Query) -> str:
    """The text for the gate: a source without SQL is asked for one table."""
    tree = query.copy()
    for node in list(tree.find_all(exp.Table)):
        set_path(node, (_DELTA.schema, _DELTA.name))
    return spark_text(tree)


def _used(tree: exp.Query, parameters: Mapping[str, object]) -> dict[str, object]:
    names = {node.name for node in tree.find_all(exp.Placeholder)}
    return {name: value for name, value in parameters.items() if name in names}


def _table(place: int, name: RelationName) -> TableName:
    """What the gate calls it: one table may be there at several commits."""
    return TableName(_PINNED, f"t{place}") if name.at else TableName.parse(".".join(name.path))
