"""Sources: files and databases as DataFrames. A file with other columns than declared is refused before any job."""

from __future__ import annotations

import csv
import glob
import json
import os
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from forge.flows.records import LoadedFile
from forge.model.errors import ForgeError
from forge.transforms.transform import FileSource, JdbcSource, Transform

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SAMPLED_LINES = 200
DRIVERS = {"jdbc:postgresql:": "org.postgresql.Driver", "jdbc:sqlite:": "org.sqlite.JDBC"}


def find_files(source: FileSource, root: Path, where: str) -> tuple[LoadedFile, ...]:
    """The files a source names now, by path; none at all is an error."""
    pattern = source.path if os.path.isabs(source.path) else str(root / source.path)
    paths = sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
    if Path(pattern).is_dir():
        suffix = "*" if source.format == "parquet" else f"*.{source.format}*"
        paths = sorted(str(p) for p in Path(pattern).rglob(suffix) if p.is_file() and not p.name.startswith(("_", ".")))
    if not paths:
        raise ForgeError(
            "E208",
            f"No file matches {source.path}",
            where=where,
            why=f"Looked for {pattern}.",
            fix="Put the file there or correct `path`.",
        )
    found = []
    for path in paths:
        status = os.stat(path)
        name = os.path.relpath(path, root) if Path(path).is_relative_to(root) else path
        found.append(LoadedFile(Path(name).as_posix(), status.st_size, status.st_mtime_ns))
    return tuple(found)


def read_files(
    spark: SparkSession, source: FileSource, files: Sequence[LoadedFile], root: Path, where: str
) -> DataFrame:
    paths = [str(root / file.path) for file in files]
    for path, file in zip(paths, files, strict=True):
        _check_columns(source, path, file.path, where)
    reader = spark.read.format(source.format).options(**source.options)
    if source.columns and source.format != "parquet":
        schema = ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in source.columns.items())
        reader = reader.schema(schema).option("mode", "FAILFAST")
    frame = reader.load(paths)
    if source.columns and source.format == "parquet":
        frame = frame.select(*(frame[_quoted(name)].cast(kind).alias(name) for name, kind in source.columns.items()))
    return frame


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _check_columns(source: FileSource, path: str, shown: str, where: str) -> None:
    match source.format:
        case "csv":
            found = _csv_header(source, path)
        case "json":
            found = _json_keys(path, shown)
        case _:
            found = _parquet_columns(path, shown)
    if found is None or not source.columns:
        return
    declared = list(source.columns)
    missing = [name for name in declared if name not in found]
    extra = [name for name in found if name not in declared] if source.format != "parquet" else []
    moved = source.format == "csv" and not missing and not extra and list(found) != declared
    if missing or extra or moved:
        parts = [f"missing {', '.join(missing)}"] * bool(missing) + [f"unexpected {', '.join(extra)}"] * bool(extra)
        raise ForgeError(
            "E209",
            f"{shown} does not have the declared columns: {'; '.join(parts) or 'they stand in another order'}",
            where=where,
            why=f"Declared: {', '.join(declared)}. Found: {', '.join(found)}.",
            fix="Correct the file, or the `columns` of the source. Nothing of it was loaded.",
        )


def _csv_header(source: FileSource, path: str) -> list[str] | None:
    if str(source.options.get("header", "false")).lower() != "true":
        return None
    delimiter = source.options.get("sep", source.options.get("delimiter", ","))
    with open(path, newline="", encoding=source.options.get("encoding", "utf-8-sig"), errors="replace") as file:
        return next(csv.reader(file, delimiter=delimiter), [])


def _json_keys(path: str, shown: str) -> list[str]:
    keys: dict[str, None] = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(islice(file, SAMPLED_LINES), 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise ForgeError(
                    "E210",
                    f"{shown} is not JSON lines",
                    where=f"{shown}:{number}",
                    why=str(error),
                    fix="One JSON object on each line.",
                ) from error
            keys.update(dict.fromkeys(row if isinstance(row, dict) else ()))
    return list(keys)


def _parquet_columns(path: str, shown: str) -> list[str]:
    import pyarrow.parquet as parquet
    from pyarrow import ArrowInvalid

    try:
        return list(parquet.read_schema(path).names)
    except (ArrowInvalid, OSError) as error:
        raise ForgeError(
            "E210", f"{shown} is not a Parquet file", where=shown, why=str(error)[:200], fix="Replace it."
        ) from error


def read_jdbc(spark: SparkSession, source: JdbcSource, secret: Callable[[str], str]) -> DataFrame:
    options = {k: secret(v) if v.startswith(("env:", "file:")) else v for k, v in source.options.items()}
    # Jars that came with spark.jars are not on the class path DriverManager searches: the driver must be named.
    driver = next((name for prefix, name in DRIVERS.items() if source.url.startswith(prefix)), None)
    if driver and "driver" not in options:
        options["driver"] = driver
    reader = spark.read.format("jdbc").options(**options).option("url", source.url)
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
    """How lineage calls what a source reads."""
    match transform.body:
        case FileSource(path=path):
            return f"files:{path}"
        case JdbcSource(url=url, table=table):
            return f"{url.removeprefix('jdbc:').split('?')[0]}:{table or 'query'}"
        case _:
            return str(transform.output)
