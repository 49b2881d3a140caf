"""Sources: files and databases as DataFrames. A file whose columns differ from the declared ones is refused before
any job."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from forge.flows.runs.records import LoadedFile
from forge.flows.runs.source_files import CSV_DEFAULTS
from forge.flows.runs.source_files import find_files as find_files
from forge.flows.runs.source_files import refuse_other_columns as refuse_other_columns
from forge.flows.runs.source_files import with_digests as with_digests
from forge.transforms.transform import FileSource, JdbcSource, Transform

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DRIVERS = {"jdbc:postgresql:": "org.postgresql.Driver", "jdbc:sqlite:": "org.sqlite.JDBC"}
# Without a size, PostgreSQL's driver holds all rows in memory; and a time without a zone has none in the lake either,
# as in queries.
JDBC_DEFAULTS = {"fetchsize": "10000", "preferTimestampNTZ": "true"}


def read_files(spark: SparkSession, source: FileSource, files: Sequence[LoadedFile], root: Path) -> DataFrame:
    paths = [str(root / file.path) for file in files]
    given = {name.lower() for name in source.options}
    defaults = CSV_DEFAULTS if source.format == "csv" else {}
    options = {name: value for name, value in defaults.items() if name.lower() not in given} | dict(source.options)
    reader = spark.read.format(source.format).options(**options)
    if source.columns and source.format != "parquet":
        schema = ", ".join(f"{_quoted(name)} {kind}" for name, kind in source.columns.items())
        reader = reader.schema(schema).option("mode", "FAILFAST")
    frame = reader.load(paths)
    if source.columns and source.format == "parquet":
        frame = frame.select(*(frame[_quoted(name)].cast(kind).alias(name) for name, kind in source.columns.items()))
    return frame


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def rooted_url(url: str, root: Path) -> str:
    """A file of SQLite starts at the project, not at the folder that Spark's process happens to be in."""
    path = url.removeprefix("jdbc:sqlite:")
    if path == url or not path or path.startswith((":", "file:", "/")):
        return url
    return f"jdbc:sqlite:{root / path}"


def read_jdbc(spark: SparkSession, source: JdbcSource, secret: Callable[[str], str], root: Path) -> DataFrame:
    options = {k: secret(v) if v.startswith(("env:", "file:")) else v for k, v in source.options.items()}
    # Jars that came with spark.jars are not on the class path DriverManager searches: the driver must be named.
    driver = next((name for prefix, name in DRIVERS.items() if source.url.startswith(prefix)), None)
    if driver and "driver" not in options:
        options["driver"] = driver
    given = {name.lower() for name in options}
    options |= {name: value for name, value in JDBC_DEFAULTS.items() if name.lower() not in given}
    reader = spark.read.format("jdbc").options(**options).option("url", rooted_url(source.url, root))
    if source.table:
        reader = reader.option("dbtable", source.table)
    if source.query:
        reader = reader.option("query", source.query)
    if source.user:
        reader = reader.option("user", secret(source.user))
    if source.password:
        reader = reader.option("password", secret(source.password))
    return reader.load()


def external_name(transform: Transform) -> str:
    """The lineage name of what a source reads."""
    match transform.body:
        case FileSource(path=path):
            return f"files:{path}"
        case JdbcSource(url=url, table=table):
            return f"{url.removeprefix('jdbc:').split('?')[0]}:{table or 'query'}"
        case _:
            return str(transform.output)
