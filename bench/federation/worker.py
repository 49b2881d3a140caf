"""One tool in a process of its own: it answers queries by name, line by line, until its input ends."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

# Of the tool: the text of a query to an Arrow table, or rows of Python.
Ask = Callable[[str], "pa.Table | Sequence[Sequence[object]]"]


def in_source(folder: Path, url: str) -> tuple[Ask, dict[str, str]]:
    """Everything is in PostgreSQL: what its own plan takes, and fetching the rows."""
    import psycopg

    connection = psycopg.connect(url, autocommit=True)
    return lambda sql: connection.execute(sql.encode()).fetchall(), {"lines": "lines", "categories": "categories"}


def forge(folder: Path, url: str) -> tuple[Ask, dict[str, str]]:
    """As a program asks it: plan, gate, audit and all, without kept results."""
    from forge.connection import connect

    connection = connect(folder)
    return lambda sql: connection.query(sql, cache=False).to_arrow(), {
        "lines": "shop.lines",
        "categories": "categories",
    }


def duckdb(folder: Path, url: str) -> tuple[Ask, dict[str, str]]:
    import importlib

    import duckdb

    connection = duckdb.connect(config={"extension_directory": str(folder / "extensions")})
    importlib.import_module("duckdb_extensions").import_extension("postgres_scanner", con=connection)
    connection.execute("LOAD postgres_scanner")
    connection.execute(f"ATTACH '{url}' AS shop (TYPE postgres, READ_ONLY)")
    categories = f"read_parquet('{folder / 'categories.parquet'}')"
    return lambda sql: connection.execute(sql).fetchall(), {"lines": "shop.public.lines", "categories": categories}


def spark(folder: Path, url: str, options: dict[str, str] | None = None) -> tuple[Ask, dict[str, str]]:
    """JDBC with its defaults, in a session that is warm."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
    builder = builder.config("spark.jars.packages", "org.postgresql:postgresql:42.7.12")
    for key, value in {"ui.enabled": "false", "sql.session.timeZone": "UTC", "log.level": "ERROR"}.items():
        builder = builder.config(f"spark.{key}", value)
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    read = session.read.format("jdbc").option("url", f"jdbc:{url.replace('postgres@', '')}")
    read = read.option("driver", "org.postgresql.Driver").option("user", "postgres").option("dbtable", "lines")
    for key, value in (options or {}).items():
        read = read.option(key, value)
    read.load().createOrReplaceTempView("lines")
    session.read.parquet(str(folder / "categories.parquet")).createOrReplaceTempView("categories")
    return lambda sql: session.sql(sql).toArrow(), {"lines": "lines", "categories": "categories"}


def spark_tuned(folder: Path, url: str) -> tuple[Ask, dict[str, str]]:
    """In four parts by the key, in batches of 10,000 rows."""
    import psycopg

    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT max(id) FROM lines").fetchone()
    assert found is not None
    parts = {"partitionColumn": "id", "lowerBound": "1", "upperBound": str(found[0]), "numPartitions": "4"}
    return spark(folder, url, {**parts, "fetchsize": "10000"})


TOOLS: dict[str, Callable[[Path, str], tuple[Ask, dict[str, str]]]] = {
    "in the source": in_source,
    "forge": forge,
    "duckdb": duckdb,
    "spark jdbc": spark,
    "spark jdbc, tuned": spark_tuned,
}


def rows_of(answer: Any) -> Iterable[Sequence[object]]:
    if isinstance(answer, list):
        return answer
    return zip(*(column.to_pylist() for column in answer.columns), strict=True)


def digest(rows: Iterable[Sequence[object]]) -> str:
    """The same for the same rows, whatever order and classes of numbers they come in."""
    texts = sorted("|".join(_text(one) for one in row) for row in rows)
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _text(value: object) -> str:
    if isinstance(value, Decimal):
        return f"{value:.2f}"
    return value.isoformat() if isinstance(value, date) else str(value)


def peak_megabytes() -> float:
    """Of this process and, where Spark is asked, of its JVM."""
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            told = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:  # it has just ended
            continue
        if told["Name"].strip() == "java" and _below_this(int(told["Pid"])):
            kilobytes += int(told["VmHWM"].split()[0])
    return kilobytes / 1024


def _below_this(process: int) -> bool:
    while process > 1:
        if process == os.getpid():
            return True
        try:
            process = int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            return False
    return False


def main() -> None:
    """argv: tool, folder, address. In: the text of a query with {lines} and {categories}, or `end`."""
    tool, folder, url = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    ask, names = TOOLS[tool](folder, url)
    print("ready", flush=True)
    for line in sys.stdin:
        began = time.perf_counter()
        answer = ask(line.strip().format(**names))
        seconds = time.perf_counter() - began
        told = {"seconds": seconds, "megabytes": peak_megabytes()}  # before the rows are compared
        rows = list(rows_of(answer))
        print(json.dumps({**told, "rows": len(rows), "digest": digest(rows)}), flush=True)
        del answer, rows


if __name__ == "__main__":
    main()
