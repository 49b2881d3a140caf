"""The executor in-process: fragments are read to Arrow, the lowered query runs on DataFusion. What the rows need is
bounded: in bytes read, in memory of the computation, which then spills to a private folder, and in bytes of the result.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from forge.engines.datafusion.allow_list import NotInProcess
from forge.engines.datafusion.lowering import GO_ON, LoweredPlan, lower_plan
from forge.engines.datafusion.spark_types import plain
from forge.engines.datafusion.text_functions import TextsTooLargeError, text_functions
from forge.flows.federation.keys import key_values
from forge.flows.federation.ports import ExecutorName, FragmentReader, QueryResult, UndecidedError
from forge.model.errors import CancellationError, ForgeError
from forge.model.schema import Column, Schema

if TYPE_CHECKING:
    import datafusion
    import pyarrow as pa

    from forge.federation.plan import Fragment, QueryPlan

_MEGABYTE = 1 << 20
_CONSTANT_BYTES = 64 * _MEGABYTE  # of one batch
_FEWEST_ROWS, _MOST_ROWS = 64, 8192
_LAYERS = re.compile(r"^(?:DataFusion error|Arrow error|External error|Execution error|Internal error|caused by)[:\s]*")


class DataFusionExecutor:
    """`memory`: bytes of the computation; `read_limit` and `result_limit`: bytes of all fragments, and of the result.
    Beyond these Spark is asked. `threads`: None for all cores."""

    name: ExecutorName = "in-process"

    def __init__(
        self,
        memory: int = 512 * _MEGABYTE,
        read_limit: int = 512 * _MEGABYTE,
        result_limit: int = 256 * _MEGABYTE,
        threads: int | None = None,
    ) -> None:
        self._memory = memory
        self._read_limit = read_limit
        self._result_limit = result_limit
        self._threads = threads or os.cpu_count() or 1
        self._lock = threading.Lock()
        self._running: set[_Computation] = set()

    def refusal(self, plan: QueryPlan) -> str | None:
        only_spark = next((one.delta.only_spark for one in plan.fragments if one.delta and one.delta.only_spark), None)
        if only_spark is not None:
            return only_spark
        try:
            lower_plan(plan, None)
        except NotInProcess as reason:
            return str(reason)
        return None

    def run(
        self,
        plan: QueryPlan,
        read: FragmentReader,
        parameters: Mapping[str, object],
        limit: int | None,
    ) -> QueryResult:
        """`read` is called for one fragment after the other, each read to its end before the next."""
        try:
            lowered = lower_plan(plan, parameters)
        except NotInProcess as reason:
            raise _undecided(str(reason)) from reason
        computation = _Computation()
        with self._lock:
            self._running.add(computation)
        try:
            tables, rows_read = self._read(plan, read, computation)
            table = self._compute(lowered, tables, limit, computation, keeps_order=plan.whole)
        finally:
            with self._lock:
                self._running.discard(computation)
        schema = Schema(tuple(Column(one.name, str(one.type)) for one in lowered.columns))
        return QueryResult(schema, table, rows_read)

    def cancel(self) -> None:
        with self._lock:
            running = tuple(self._running)
        for computation in running:
            computation.cancel()

    def _read(
        self, plan: QueryPlan, read: FragmentReader, computation: _Computation
    ) -> tuple[list[pa.Table], dict[str, int]]:
        tables: list[pa.Table] = []
        rows_read: dict[str, int] = {}
        left = self._read_limit
        for fragment in plan.fragments:
            keys = _keys_of(fragment, plan, tables)
            with contextlib.closing(read(fragment, keys)) as reader:
                table = _read_table(fragment, reader, left, computation)
            left -= table.nbytes
            tables.append(table)
            rows_read[fragment.name] = table.num_rows
        return tables, rows_read

    def _compute(
        self,
        lowered: LoweredPlan,
        tables: list[pa.Table],
        limit: int | None,
        computation: _Computation,
        *,
        keeps_order: bool,
    ) -> pa.Table:
        import pyarrow as pa

        kinds = pa.schema([(one.name, _arrow_type(one.type)) for one in lowered.columns])
        with TemporaryDirectory(prefix="forge-query-") as folder:
            # Doubles are added in one order, so that the same rows have the same sum; what is sorted stays so.
            rows, is_one = batch_rows(lowered.sql), lowered.adds_doubles or keeps_order
            context = self._session(folder, 1 if is_one else self._threads, rows)
            for function in (_check(computation), *text_functions()):
                context.register_udf(function)
            for place, table in enumerate(tables):
                # Of a table without any batch, DataFusion would not know the columns.
                batches = table.to_batches(rows) or [pa.RecordBatch.from_pylist([], table.schema)]
                context.register_record_batches(f"f{place}", [batches])

            async def collect() -> list[pa.RecordBatch]:
                return [batch async for batch in _stream(context, lowered.sql, limit, self._result_limit)]

            batches = computation.run(collect)
        columns = [
            pa.chunked_array([batch.column(place) for batch in batches], None if batches else field.type)
            for place, field in enumerate(kinds)
        ]
        casted = [c if c.type == f.type else c.cast(f.type) for c, f in zip(columns, kinds, strict=True)]
        table = pa.Table.from_arrays(casted, schema=kinds)
        return table if limit is None else table.slice(0, limit)

    def _session(self, folder: str, partitions: int, rows: int) -> datafusion.SessionContext:
        from datafusion import RuntimeEnvBuilder, SessionConfig, SessionContext

        runtime = RuntimeEnvBuilder().with_disk_manager_specified(folder).with_fair_spill_pool(self._memory)
        config = SessionConfig({"datafusion.sql_parser.map_string_types_to_utf8view": "false"})
        config = config.with_target_partitions(partitions).with_information_schema(False).with_batch_size(rows)
        return SessionContext(config, runtime)


def batch_rows(sql: str) -> int:
    """Fewer where the text is long: each of its constants is there in each row."""
    return max(_FEWEST_ROWS, min(_MOST_ROWS, _CONSTANT_BYTES // len(sql)))


def _check(computation: _Computation) -> datafusion.ScalarUDF:
    import datafusion
    import pyarrow as pa

    def go_on(left: pa.Array, right: pa.Array) -> pa.Array:
        computation.check()
        return pa.repeat(pa.scalar(True), len(left))

    kind = pa.bool_()
    return datafusion.udf(go_on, [kind, kind], kind, "volatile", name=GO_ON)


async def _stream(
    context: datafusion.SessionContext, sql: str, limit: int | None, most: int
) -> AsyncIterator[pa.RecordBatch]:
    """Ended early where there are rows enough. DataFusion's futures are dropped, and with them what they compute."""
    from datafusion import SQLOptions

    only_queries = SQLOptions().with_allow_ddl(False).with_allow_dml(False).with_allow_statements(False)
    rows = size = 0
    async for batch in context.sql_with_options(sql, only_queries).execute_stream():
        found = batch.to_pyarrow()
        rows += found.num_rows
        size += found.nbytes
        if size > most:
            raise _undecided("the result has more bytes than are held in this process")
        yield found
        if limit is not None and rows >= limit:
            return


class _Computation:
    """One query, in a thread of its own with an event loop: a future of DataFusion can be cancelled, a blocking call
    cannot."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[list[pa.RecordBatch]] | None = None

    def cancel(self) -> None:
        self.cancelled.set()
        with self._lock:
            if self._loop is not None and self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)

    def check(self) -> None:
        if self.cancelled.is_set():
            raise CancellationError("The query was cancelled")

    def run(self, collect: Callable[[], Awaitable[list[pa.RecordBatch]]]) -> list[pa.RecordBatch]:
        results: list[list[pa.RecordBatch]] = []
        errors: list[BaseException] = []

        async def main() -> list[pa.RecordBatch]:
            with self._lock:
                self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
            self.check()
            return await collect()

        def work() -> None:
            try:
                results.append(asyncio.run(main()))
            except BaseException as error:  # raised again by who waits
                errors.append(error)
            finally:
                with self._lock:
                    self._loop = self._task = None

        thread = threading.Thread(target=work, name="forge-query", daemon=True)
        thread.start()
        try:
            thread.join()
        except BaseException:
            self.cancel()
            raise
        if self.cancelled.is_set():
            raise CancellationError("The query was cancelled")
        if errors:
            raise _translated(errors[0])
        return results[0]


def _keys_of(fragment: Fragment, plan: QueryPlan, tables: Sequence[pa.Table]) -> dict[str, tuple[object, ...]]:
    """The values by which a fragment is filtered, out of those that were read before."""
    found: dict[str, tuple[object, ...]] = {}
    for key in fragment.keys:
        at, by = next((at, one) for at, one in enumerate(plan.fragments) if one.name == key.by_fragment)
        place = [one.name for one in by.columns].index(key.by_column)
        values = key_values(tables[at].column(place)) if at < len(tables) else None
        if values is not None:
            found[key.column] = values
    return found


def _read_table(fragment: Fragment, reader: pa.RecordBatchReader, most: int, computation: _Computation) -> pa.Table:
    """With columns c0, c1, … of the types that the plan says."""
    import pyarrow as pa

    kinds = pa.schema([(f"c{place}", _arrow_type(plain(one.type))) for place, one in enumerate(fragment.columns)])
    batches: list[pa.RecordBatch] = []
    for batch in reader:
        computation.check()
        most -= batch.nbytes
        if most < 0:
            raise _undecided("the sources have more bytes than are held in this process")
        if batch.num_rows:
            batches.append(batch)
    table = pa.Table.from_batches(batches, reader.schema).rename_columns(kinds.names)
    return table if table.schema.equals(kinds) else table.cast(kinds)


def _arrow_type(kind: object) -> pa.DataType:
    from forge.versioning.arrow_types import arrow_type

    return arrow_type(str(kind))


def _undecided(why: str) -> UndecidedError:
    return UndecidedError("E304", "The query is not computed in this process", why=why, fix="Run it on Spark.")


def _translated(error: BaseException) -> BaseException:
    if isinstance(error, ForgeError) or not isinstance(error, Exception):
        return error
    if TextsTooLargeError.__name__ in str(error):  # it comes out of DataFusion as its text
        return _undecided(str(TextsTooLargeError()))
    text = next((line for line in reversed(str(error).splitlines()) if line.strip()), type(error).__name__)
    while (shorter := _LAYERS.sub("", text)) != text:
        text = shorter
    found = UndecidedError(
        "E304", "The query failed", why=text[:600], fix="Correct the query, or the rows that it reads."
    )
    found.__cause__ = error
    return found
