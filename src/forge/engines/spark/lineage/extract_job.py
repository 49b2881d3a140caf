"""Distributed extraction: one Spark job over a table of query texts, or over the units of a codebase. The workers need
Forge installed, and no database."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from forge.lineage.edge import Extraction, Gap
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.codebase import CodebaseContext, Run, SourceUnit, UnitResult, read_unit
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.program import Program
from forge.lineage.extract.sql.program import read_sql

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")

SECONDS = 30  # for one text, or one file
SCHEMA = (
    "id STRING, kind STRING, source STRING, target STRING, transformation STRING, masking BOOLEAN, subtype STRING, "
    "confidence DOUBLE, expression STRING, line INT, source_field STRING, target_field STRING"
)
"""`kind`: direct, indirect, table or gap; of a gap `expression` is the reason. `source_field` and `target_field`: the
last parts of a name that are a field of a struct."""

_PER_SLICE = 16


def extract_texts(
    frame: DataFrame, catalog: TableCatalog, *, dialect: str = "spark", seconds: int = SECONDS
) -> DataFrame:
    """The edges of SQL texts. Of the columns of `frame` it reads `text` and, where there are any, `id` (else the text
    has none), `dialect`, `default_schema`, and `result`, what a bare SELECT makes."""
    known = frame.sparkSession.sparkContext.broadcast(catalog)
    wanted = [name for name in ("text", "id", "dialect", "default_schema", "result") if name in frame.columns]
    texts = frame.select(*(frame[name].cast("string") for name in wanted))

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return read_batches(batches, known.value, dialect, seconds)

    return texts.mapInArrow(work, SCHEMA)


def run_on(spark: SparkSession, seconds: int = SECONDS) -> Run:
    """Reads the units of a codebase on the workers, for `read_codebase`."""

    def run(units: Sequence[SourceUnit], shared: CodebaseContext) -> Iterator[UnitResult]:
        if not units:
            return
        context = spark.sparkContext
        known = context.broadcast(shared)
        slices = min(len(units), max(context.defaultParallelism, len(units) // _PER_SLICE))
        done = context.parallelize(units, slices).map(lambda unit: read_one(unit, known.value, seconds))
        yield from done.toLocalIterator(prefetchPartitions=True)
        known.unpersist()

    return run


def read_one(unit: SourceUnit, shared: CodebaseContext, seconds: int) -> UnitResult:
    programs = within(seconds, lambda: read_unit(unit, shared))
    if programs is None:
        reason = f"it takes longer than {seconds} seconds to read"
        programs = tuple(
            Program(file=path, language=unit.language, gaps=(Gap(path, 0, reason),)) for path in unit.texts
        )
    return UnitResult(unit.name, programs)


def read_batches(
    batches: Iterable[pa.RecordBatch], catalog: TableCatalog, dialect: str, seconds: int
) -> Iterator[pa.RecordBatch]:
    """On a worker."""
    import pyarrow as pa

    catalogs: dict[str, TableCatalog] = {}

    def catalog_for(schema: str | None) -> TableCatalog:
        if not schema or schema == catalog.default_schema:
            return catalog
        if schema not in catalogs:
            catalogs[schema] = TableCatalog(catalog.definitions, catalog.db, schema)
        return catalogs[schema]

    for batch in batches:
        rows: list[dict[str, object]] = []
        for given in batch.to_pylist():
            name, text = given.get("id") or "", given.get("text") or ""
            schema, result = catalog_for(given.get("default_schema")), given.get("result") or None
            rows += _read(name, text, schema, given.get("dialect") or dialect, result, seconds)
        yield pa.RecordBatch.from_pylist(rows, schema=_arrow())


def _read(
    name: str, text: str, catalog: TableCatalog, dialect: str, result: str | None, seconds: int
) -> Iterator[dict[str, object]]:
    program = within(seconds, lambda: read_sql(text, catalog, dialect=dialect, file=name, result=result))
    if program is None:
        found = Extraction(gaps=(Gap(name, 1, f"it takes longer than {seconds} seconds to read"),))
    else:
        found = flatten((program,))
    yield from rows_of(name, found)


def rows_of(name: str, found: Extraction) -> Iterator[dict[str, object]]:
    for edge in found.edges:
        yield {
            **_row(name, "direct", edge.line, str(edge.source), str(edge.target), edge.confidence),
            "transformation": str(edge.transformation),
            "masking": edge.masking,
            "expression": edge.expression,
            "source_field": edge.source.field or None,
            "target_field": edge.target.field or None,
        }
    for one in found.indirect:
        yield {
            **_row(name, "indirect", one.line, str(one.source), one.target),
            "subtype": str(one.subtype),
            "source_field": one.source.field or None,
        }
    for table in found.table_edges:
        yield _row(name, "table", table.line, table.source, table.target, table.confidence)
    for gap in found.gaps:
        yield {**_row(name, "gap", gap.line), "expression": gap.reason}


def _row(
    name: str, kind: str, line: int, source: str | None = None, target: str | None = None, sure: float | None = None
) -> dict[str, object]:
    return {"id": name, "kind": kind, "source": source, "target": target, "confidence": sure, "line": line}


def _arrow() -> pa.Schema:
    import pyarrow as pa

    kinds: dict[str, Any] = {"STRING": pa.string(), "BOOLEAN": pa.bool_(), "DOUBLE": pa.float64(), "INT": pa.int32()}
    return pa.schema([(name, kinds[kind]) for name, kind in (part.split() for part in SCHEMA.split(", "))])


class _TooLong(Exception):
    pass


def within(seconds: int, work: Callable[[], T]) -> T | None:
    """None: it took longer. Only the first thread of a process can be stopped so, which on a worker it is."""
    if threading.current_thread() is not threading.main_thread():
        return work()

    def stop(number: int, frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return work()
    except _TooLong:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
