"""Tries to get through the gate for SQL from outside the project, and looks at what was let through.

    python -m bench.gate.fuzz [--texts 100000] [--seed 20261117] [--seconds 3600] [--out bench/gate/RESULT.txt]

The oracle does not trust the gate's own walk. Of every text that is let through it reads Spark's own JSON of the
analysed plan and, of a share, the physical plan, and runs it; it knows what must never be there by names of its own.
Canaries stand beside: a file whose content must not come out, a file that a program would make, tables that must stay
as they are, environment that must not be told, and the JVM must start no other process."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from bench.gate.texts import texts
from forge.engines.spark.errors import keep_quiet
from forge.engines.spark.gate import SqlGate
from forge.flows.runs.engine import Pin
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, TableName

SEED = 20261117
SHARE = 25  # one of so many that are let through is planned and run, too
ORDERS = TableName("gate", "orders")
PIN = Pin(ORDERS, CatalogName("gate", "orders"))
# Parts of class names that no query from outside may have, whatever the gate's list says.
_NEVER = re.compile(
    r"Script|Command|Insert|Append|Overwrite|Create|Drop|Delete|Update|Merge[A-Z]|Truncate|Write|Alter|Replace[A-Z]"
    r"|LogicalRelation|HadoopFs|FileTable|HiveTable|TextTable|CSVTable|JsonTable|StreamingRelation"
    r"|ScalaUDF|PythonUD|UserDefined|Reflection|Reflect$|InputFile|CurrentUser|Xpath|XPath|Protobuf|Avro|FromXml|XmlTo"
    r"|Identifier(?!\b)|ExecuteImmediate|CompoundBody|Call\b|SetCatalog|Describe|Show[A-Z]|Explain|PythonWorkerLogs"
)
_FINE = re.compile(r"\.(AliasIdentifier|TableIdentifier|CreateArray|CreateMap|CreateNamedStruct|StringReplace)$")
_PHYSICAL = re.compile(r"Script|FileScan|Execute|Command|Write|Python|Streaming|\bText\b|JDBC|Location:")
_CLASS = re.compile(r'"(?:class|product-class|object)":"([^"]+)"')


@dataclass(slots=True)
class Found:
    tried: int = 0
    let_through: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    run: int = 0
    failed: int = 0  # let through, and broken on a row: no fault of the gate
    breaches: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)  # refused, but not by an error that was meant


@dataclass(slots=True)
class Canaries:
    file: Path
    mark: Path
    words: tuple[str, ...]  # that must not come out


class CachedGate(SqlGate):
    """Names the table once: what stands behind a pinned name is not what is tried here."""

    @contextmanager
    def _views(self, inputs: Mapping[TableName, Pin | DataFrame]) -> Iterator[dict[TableName, str]]:
        known: dict[TableName, str] = self.__dict__.setdefault("known", {})
        for table, pin in inputs.items():
            if table not in known:
                rows = self._rows_of(pin)._jdf.queryExecution().analyzed()
                self._apart.dataset(rows).createOrReplaceTempView("forge_pin_of_the_fuzz")
                known[table] = "forge_pin_of_the_fuzz"
        yield {table: known[table] for table in inputs}

    def forget(self) -> None:
        self._apart.java.sessionState().catalog().dropTempView("forge_pin_of_the_fuzz")


def make_tables(spark: SparkSession) -> None:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS forge.gate")
    spark.sql("CREATE OR REPLACE TABLE forge.gate.orders (id INT, name STRING, xs ARRAY<INT>) USING iceberg")
    spark.sql("INSERT INTO forge.gate.orders VALUES (1, 'a', array(1, 2)), (2, 'b', array(3))")
    spark.sql("CREATE OR REPLACE TABLE forge.gate.hidden USING iceberg AS SELECT 'hidden-canary-81c2' AS id")


def attack(
    spark: SparkSession, folder: Path, number: int, seed: int, share: int = SHARE, seconds: float = math.inf
) -> Found:
    """All texts of the seed, or as many as the time allows. What is found wrong is told with its text, and nothing
    stops at the first."""
    end = time.monotonic() + seconds
    keep_quiet()
    make_tables(spark)
    canaries = _canaries(folder)
    gate = CachedGate(spark)
    before, children = _state(spark), _children(spark)
    found = Found()
    for text in texts(seed, number, str(canaries.file), str(canaries.mark)):
        _try(gate, text, canaries, found, share)
        found.tried += 1
        if time.monotonic() > end:
            break
        if found.tried % 1000 == 0:
            print(f"{found.tried:,} tried, {found.let_through:,} let through", file=sys.stderr, flush=True)
    gate.forget()
    if _state(spark) != before:
        found.breaches.append(f"tables have changed: {before} is now {_state(spark)}")
    if canaries.mark.exists():
        found.breaches.append("a program has run")
    if _children(spark) - children:
        found.breaches.append("the JVM has started a process")
    if gate.views():
        found.breaches.append(f"names were left behind: {gate.views()}")
    return found


def _canaries(folder: Path) -> Canaries:
    file = folder / "canary.txt"
    file.write_text("file-canary-5b1f\n")
    words = ("file-canary-5b1f", "hidden-canary-81c2", os.environ.get("PATH", "no path at all"))
    return Canaries(file, folder / "mark", words)


def _try(gate: SqlGate, text: str, canaries: Canaries, found: Found, share: int) -> None:
    try:
        frame = gate.frame(text, {ORDERS: PIN}, {})
    except ForgeError as error:
        found.refused[error.code] += 1
        _listen(str(error.to_dict()), text, canaries, found)
        return
    except (PySparkException, Py4JError) as error:
        found.refused[type(error).__name__] += 1
        _listen(str(error), text, canaries, found)
        return
    except Exception as error:
        found.refused[type(error).__name__] += 1
        found.crashes.append(f"{type(error).__name__}: {text!r}")
        return
    found.let_through += 1
    execution: Any = frame._jdf.queryExecution()
    classes = _CLASS.findall(execution.analyzed().toJSON())
    _judge(classes, text, found)
    if found.let_through % share == 0:
        _run(frame, execution, text, canaries, found)


def _judge(classes: list[str], text: str, found: Found) -> None:
    for name in classes:
        if _NEVER.search(name) and not _FINE.search(name):
            found.breaches.append(f"{name}: {text!r}")


def _run(frame: DataFrame, execution: Any, text: str, canaries: Canaries, found: Found) -> None:
    found.run += 1
    try:
        classes = _CLASS.findall(execution.optimizedPlan().toJSON())
        _judge([name for name in classes if "MergeRows" in name or "Script" in name or "UDF" in name], text, found)
        physical = re.sub(r"BatchScan forge\.gate\.orders.*", "", _names(execution.executedPlan().toJSON()))
        if _PHYSICAL.search(physical):
            found.breaches.append(f"physical plan {physical}: {text!r}")
        rows = json.dumps([[str(cell) for cell in row] for row in frame.limit(20).collect()])
    except (PySparkException, Py4JError) as error:
        found.failed += 1
        _listen(str(error), text, canaries, found)
        return
    for word in canaries.words:
        if word in rows:
            found.breaches.append(f"a canary came out: {text!r}")


def _names(physical: str) -> str:
    return " ".join(name.rpartition(".")[2] for name in re.findall(r'"class":"([^"]+)"', physical))


def _listen(told: str, text: str, canaries: Canaries, found: Found) -> None:
    """An error may repeat the text, so that only what the text does not say counts."""
    for word in canaries.words:
        if word in told and word not in text:
            found.breaches.append(f"an error told a canary: {text!r}")


def _state(spark: SparkSession) -> tuple[object, ...]:
    listed = tuple(sorted(row.tableName for row in spark.sql("SHOW TABLES IN forge.gate").collect()))
    snapshots = spark.sql("SELECT count(*) FROM forge.gate.orders.snapshots").collect()[0][0]
    rows = tuple(map(tuple, spark.sql("SELECT id, name FROM forge.gate.orders ORDER BY id").collect()))
    return listed, snapshots, rows


def _children(spark: SparkSession) -> set[str]:
    jvm: Any = spark._jvm
    pid = jvm.java.lang.ProcessHandle.current().pid()
    found: set[str] = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # a thread that has just ended
            found.update((task / "children").read_text().split())
    return found


def told(found: Found, seed: int, seconds: float) -> str:
    refused = ", ".join(f"{code} {times:,}" for code, times in sorted(found.refused.items()))
    return "\n".join(
        (
            f"texts: {found.tried:,} of seed {seed}, in {seconds:,.0f} s",
            f"refused: {sum(found.refused.values()):,} ({refused})",
            f"let through: {found.let_through:,}, all with a plan within the list by Spark's own JSON",
            f"planned and run: {found.run:,}, of which {found.failed:,} broke on a row or a value",
            f"breaches: {len(found.breaches)}",
            *found.breaches[:50],
            f"crashes: {len(found.crashes)}",
            *found.crashes[:50],
            "",
        )
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--seconds", type=float, default=math.inf, help="how long at most")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    from forge.engines.spark.session.session import SparkSettings, start_session

    with tempfile.TemporaryDirectory(prefix="forge-gate-") as name:
        folder = Path(name)
        catalog = {
            "type": "jdbc",
            "uri": f"jdbc:sqlite:file:{folder / 'forge.db'}?busy_timeout=30000&journal_mode=WAL",
            "jdbc.schema-version": "V1",
            "cache-enabled": "false",
            "warehouse": str(folder / "warehouse"),
        }
        (folder / "warehouse").mkdir()
        spark = start_session(SparkSettings("local[2]", {}, catalog, folder / "spark.log"))
        try:
            started = time.monotonic()
            found = attack(spark, folder, asked.texts, asked.seed, seconds=asked.seconds)
            text = told(found, asked.seed, time.monotonic() - started)
        finally:
            spark.stop()
    print(text)
    if asked.out:
        asked.out.write_text(text)
    return 1 if found.breaches or found.crashes else 0


if __name__ == "__main__":
    sys.exit(main())
