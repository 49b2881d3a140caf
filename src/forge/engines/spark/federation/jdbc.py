"""Any database as a source of queries, by its JDBC driver. Spark reads it, and nothing else does.

It is asked for columns of one table, and for nothing else: what it means by a comparison, an order or a sum is not
known. The names are its own, as its driver lists them, quoted. A read is one statement, one row after the other, into a
private file; from there rows take the way of every other source, masks and row filters included. So no text of a
query ever meets the address of the database.

Whole numbers are read as bigint and REAL as double: a driver may say INTEGER of a column that holds more, and Spark
would cut the values without a word."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError

from forge.engines.spark.errors import SPARK_ERRORS, is_unreachable, job_error, root_cause
from forge.engines.spark.federation.jdbc_tables import JdbcTable, list_tables, place_of
from forge.engines.spark.frames import quote
from forge.engines.spark.sources import DRIVERS, JDBC_DEFAULTS
from forge.engines.spark.spill import spill_folder
from forge.federation.plan import Scan, SourceQuery
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.flows.federation.ports import UnfitValueError
from forge.model.errors import CancellationError, CellError, DiskFullError, ForgeError, SourceUnreachableError
from forge.model.secret import is_reference
from forge.model.types import DataType, parse_type

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from forge.engines.spark.engine import SparkEngine
    from forge.federation.source import Source

_GROUP_BYTES = 32 * 2**20  # of rows that Spark holds before it writes them
_WIDER: Mapping[str, str] = {"tinyint": "bigint", "smallint": "bigint", "int": "bigint", "float": "double"}
_OURS = {"preferTimestampNTZ": "true", "pushDownPredicate": "false", "numPartitions": "1"}
_MOST_WORDS = 300
_FIRST_TIME = int(datetime(1582, 10, 15, tzinfo=UTC).timestamp()) * 1_000_000  # in microseconds


@dataclass(eq=False, slots=True)
class _Read:
    """`tag`: of its jobs."""

    tag: str
    cancelled: bool = False


class JdbcConnector:
    """`engine` starts Spark when it is first asked for. `folder`: for rows, on a disk that Spark writes, too."""

    def __init__(
        self, source: Source, secret: Callable[[str], str], engine: Callable[[], SparkEngine], folder: Path
    ) -> None:
        self._source, self._secret = source, secret
        self._engine, self._folder = engine, folder
        self._reads: list[_Read] = []
        self._described: dict[tuple[str, ...], SourceRelation] = {}

    def test(self) -> str:
        with self._spark() as spark, self._connection(spark) as (_, connection):
            about = connection.getMetaData()
            found = f"{about.getDatabaseProductName()} {about.getDatabaseProductVersion()}"
            driver = f"{about.getDriverName()} {about.getDriverVersion()}"
        return f"{_one_line(found)}, by {_one_line(driver)}"

    def relations(self) -> tuple[RelationName, ...]:
        return tuple(RelationName(self._source.name, path) for path in sorted(self._tables))

    def describe(self, path: tuple[str, ...]) -> SourceRelation | None:
        place = place_of(path, self._tables.values(), self._source.schema)
        if place is None:
            return None
        if place.path not in self._described:
            self._described[place.path] = self._describe(place)
        return self._described[place.path]

    def read(self, asked: SourceQuery | Scan, schema: pa.Schema, batch_rows: int = 65_536) -> pa.RecordBatchReader:
        import pyarrow as pa

        if isinstance(asked, SourceQuery) or asked.filters:
            raise TypeError("it is asked for columns of a table alone")
        batches = self._batches(asked, schema, max(1, batch_rows))
        next(batches)  # what is wrong is raised here; from now on letting go of the reader removes the rows
        return pa.RecordBatchReader.from_batches(schema, batches)

    def cancel(self) -> None:
        """A read ends at its next row."""
        for read in list(self._reads):
            read.cancelled = True
            session = self._engine().session.peek()
            if session is not None:
                with suppress(Py4JError, OSError):
                    session.sparkContext.cancelJobsWithTag(read.tag)

    def close(self) -> None:
        self.cancel()

    @cached_property
    def _tables(self) -> Mapping[tuple[str, ...], JdbcTable]:
        with self._spark() as spark, self._connection(spark) as (dialect, connection):
            return {one.path: one for one in list_tables(spark, dialect, connection, self._source.name)}

    def _describe(self, place: JdbcTable) -> SourceRelation:
        with self._spark() as spark:
            fields = self._frame(spark, place).schema.fields
        columns = (SourceColumn(one.name, _type(one.dataType.simpleString()), nullable=one.nullable) for one in fields)
        name = RelationName(self._source.name, place.path)
        return SourceRelation(name, tuple(columns), is_derived=place.is_derived)

    def _batches(self, scan: Scan, schema: pa.Schema, most: int) -> Iterator[pa.RecordBatch | None]:
        from pyarrow import parquet

        relation = self.describe(scan.relation.path)
        assert relation is not None, "the plan was made of it"
        read = _Read(f"jdbc-{uuid.uuid4().hex}")
        self._reads.append(read)
        try:
            with spill_folder(self._folder) as folder:
                self._write(read, relation, scan, folder / "rows")
                yield None
                for file in sorted((folder / "rows").glob("part-*.parquet")):
                    for batch in parquet.ParquetFile(file).iter_batches(most):
                        self._refuse_cancelled(read)
                        yield self._typed(batch, scan, schema)
        finally:
            self._reads.remove(read)

    def _write(self, read: _Read, relation: SourceRelation, scan: Scan, to: Path) -> None:
        """One partition: one statement and one connection, whose rows go to the file as they come."""
        with self._spark() as spark:
            frame = self._asked(spark, relation, scan)
            spark.sparkContext.addJobTag(read.tag)
            try:
                self._refuse_cancelled(read)
                writer = frame.write.option("parquet.block.size", str(_GROUP_BYTES)).option("compression", "snappy")
                writer.parquet(f"file:{to.absolute()}")
            except SPARK_ERRORS as error:
                self._refuse_cancelled(read)
                raise self._failed(error) from error
            finally:
                with suppress(Py4JError, OSError):
                    spark.sparkContext.removeJobTag(read.tag)
        self._refuse_cancelled(read)

    def _asked(self, spark: SparkSession, relation: SourceRelation, scan: Scan) -> DataFrame:
        """Columns by their places, as rows are in files. Where rows are only counted, something to count."""
        from pyspark.sql import functions as f

        columns = [one for name in scan.columns if (one := relation.get(name)) is not None]
        assert len(columns) == len(scan.columns), "the plan was made of its columns"
        self._refuse_times(spark, columns)
        frame = self._frame(spark, self._tables[relation.name.path], relation.columns)
        named = [f.col(quote(one.name)).alias(f"c{place}") for place, one in enumerate(columns)]
        frame = frame.select(*(named or [f.lit(1).alias("c0")]))
        return frame if scan.limit is None else frame.limit(scan.limit)

    def _refuse_times(self, spark: SparkSession, columns: list[SourceColumn]) -> None:
        """Spark's reader has no time without a zone: such a value passes through the zone of Java. Where that is not
        UTC, it arrives shifted, or in an hour that summer time leaves out."""
        odd = next((one.name for one in columns if one.type.name == "timestamp_ntz"), None)
        if odd is not None and not _is_in_utc(spark):
            raise ForgeError(
                "E310",
                f"{odd} of {self._source.name} has times without a zone, which cannot be read exactly here",
                why="Spark reads them over JDBC in the zone of Java, which is not UTC.",
                fix="Write `-Duser.timezone=UTC` in forge.yaml, under spark as spark.driver.extraJavaOptions, and on a"
                " cluster as spark.executor.extraJavaOptions.",
            )

    def _frame(self, spark: SparkSession, place: JdbcTable, columns: tuple[SourceColumn, ...] = ()) -> DataFrame:
        """Nothing is read yet but what describes the table. `columns`: as they were described."""
        own = spark.newSession()
        own.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")  # else 96 bits, and fewer years
        reader = own.read.format("jdbc").options(**self._login, dbtable=place.quoted)
        wider = [one for one in columns if one.type.name in _WIDER.values()]
        if wider:
            reader = reader.option("customSchema", ", ".join(f"{quote(one.name)} {one.type}" for one in wider))
        try:
            return reader.load()
        except SPARK_ERRORS as error:
            raise self._failed(error) from error

    def _typed(self, batch: pa.RecordBatch, scan: Scan, schema: pa.Schema) -> pa.RecordBatch:
        import pyarrow as pa

        if not scan.columns:
            ones = [pa.array([1] * batch.num_rows, field.type) for field in schema]
            return pa.RecordBatch.from_arrays(ones, schema=schema)
        arrays = []
        for one, field, name in zip(batch.columns, schema, scan.columns, strict=True):
            if _is_of_other_calendar(one):
                why = "Before 15 October 1582 the calendar of Java is another one than Spark's."
                raise self._unfit(name, field.type, why)
            try:
                arrays.append(one.cast(field.type))
            except pa.ArrowException as error:
                raise self._unfit(name, field.type, str(error)[:_MOST_WORDS]) from error
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _unfit(self, column: str, kind: pa.DataType, why: str) -> UnfitValueError:
        what = f"A value of column {column} of {self._source.name} is no {kind}"
        fix = "Leave the column out, or correct the value in the database."
        return UnfitValueError("E310", what, without=what, columns=(column,), why=why, fix=fix)

    @contextmanager
    def _spark(self) -> Iterator[SparkSession]:
        with self._engine().at_query() as spark:
            yield spark

    @contextmanager
    def _connection(self, spark: SparkSession) -> Iterator[tuple[Any, Any]]:
        """Spark's dialect for the address, and a connection as its reader would open it."""
        jvm: Any = spark._jvm
        jdbc = jvm.org.apache.spark.sql.execution.datasources.jdbc
        given = jvm.java.util.HashMap()
        for name, value in {**self._login, "dbtable": "none"}.items():
            given.put(name, value)
        try:
            options = jdbc.JDBCOptions(jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(given))
            dialect = jvm.org.apache.spark.sql.jdbc.JdbcDialects.get(self._login["url"])
            connection = dialect.createConnectionFactory(options).apply(-1)
        except SPARK_ERRORS as error:
            raise self._unreachable(error) from error
        try:
            yield dialect, connection
        except SPARK_ERRORS as error:
            raise self._failed(error) from error
        finally:
            with suppress(Py4JError, OSError):
                connection.close()

    @cached_property
    def _login(self) -> dict[str, str]:
        source = self._source
        found = {name: self._secret(one) if is_reference(one) else one for name, one in source.options.items()}
        given = {name.lower() for name in found}
        driver = next((name for prefix, name in DRIVERS.items() if source.url.startswith(prefix)), None)
        if driver is not None and "driver" not in given:  # DriverManager does not see jars that came with spark.jars
            found["driver"] = driver
        found |= {name: value for name, value in JDBC_DEFAULTS.items() if name.lower() not in given}
        found |= {"url": source.url, **_OURS}
        for name, reference in (("user", source.user), ("password", source.password)):
            if reference:
                found[name] = self._secret(reference)
        return found

    def _unreachable(self, error: BaseException) -> ForgeError:
        fix = "Check its url, user and password, and that the server runs."
        if "ClassNotFoundException" in str(error) or "No suitable driver" in str(error):
            fix = "Write `options: {driver: …}`, and name the jar of the driver in forge.yaml, under spark.jars."
        why = self._without_secrets(_one_line(root_cause(error)))
        return SourceUnreachableError(f"{self._source.name} cannot be reached", why=why, fix=fix)

    def _failed(self, error: BaseException) -> ForgeError:
        """A driver may quote the value that it could not read."""
        if is_unreachable(error):
            return self._unreachable(error)
        found = job_error(error, "query")
        if isinstance(found, DiskFullError):
            return found
        what = f"{self._source.name} could not be read"
        return CellError(
            "E309",
            what,
            without=what,
            why=self._without_secrets(_one_line(root_cause(error))),
            fix="Check the table in the database, and the options of its driver.",
        )

    def _without_secrets(self, text: str) -> str:
        source = self._source
        references = [source.password, source.user, *source.options.values()]
        for one in references:
            secret = self._secret(one) if one and is_reference(one) else ""
            text = text.replace(secret, "***") if secret else text
        return text

    def _refuse_cancelled(self, read: _Read) -> None:
        if read.cancelled:
            raise CancellationError(f"The query of {self._source.name} was cancelled")


def _is_in_utc(spark: SparkSession) -> bool:
    """Java where rows are read. What the workers of a cluster have is not known unless it is said."""
    jvm: Any = spark._jvm
    if str(jvm.java.time.ZoneId.systemDefault().normalized()) != "Z":
        return False
    context = spark.sparkContext
    options = context.getConf().get("spark.executor.extraJavaOptions", "") or ""
    return (context.master or "").startswith("local") or "-Duser.timezone=UTC" in options.split()


def _is_of_other_calendar(array: pa.Array) -> bool:
    """Of times without a zone, which Spark takes as they come; it converts dates and instants."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_timestamp(array.type) or array.type.tz is not None:
        return False
    first = pc.min(array.cast(pa.int64())).as_py()
    return first is not None and first < _FIRST_TIME


def _type(text: str) -> DataType:
    found = parse_type(text)
    return replace(found, name=_WIDER[found.name]) if found.name in _WIDER else found


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_MOST_WORDS]
