"""The governed run beside the same work as plain PySpark: same files, SQL, Iceberg tables and Spark settings.

Each side runs in a process and a JVM of its own, in turns. The clock runs from the ready session to the last table."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
TEMPLATE = HERE / "tpch"
SIDES = ("plain", "governed")
# The order a person would write them in; Forge finds its own from the SQL.
TRANSFORMS = (
    "clean.lineitem",
    "core.order_totals",
    "marts.pricing_summary",
    "marts.open_orders",
    "marts.nation_revenue",
    "marts.customer_value",
)


@dataclass(frozen=True, slots=True)
class Measured:
    wall: float  # seconds
    jvm_cpu: float
    python_cpu: float
    jobs: int
    tables: Mapping[str, tuple[int, int]]  # name → rows, checksum


# --- the two sides, each in its own process --------------------------------------------------------------------------


def sources_of(project: Path) -> dict[str, str]:
    declared = yaml.safe_load((project / "sources" / "tpch.yaml").read_text())["sources"]
    return {source["output"]: str(project / source["path"]) for source in declared}


def run_plain(spark: Any, project: Path) -> None:
    """What one writes without Forge: read, transform, replace the table; no checks, no lineage, no commit."""
    for name in ("raw", *{table.split(".")[0] for table in TRANSFORMS}):
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {name}")
    for table, path in sources_of(project).items():
        spark.read.parquet(path).writeTo(table).using("iceberg").createOrReplace()
    for table in TRANSFORMS:
        text = (project / "transforms" / f"{table.replace('.', '/')}.sql").read_text()
        spark.sql(text).writeTo(table).using("iceberg").createOrReplace()


def plain_session(project: Path) -> Any:
    """The very settings Forge starts Spark with, from the same file, on a catalog of the same kind."""
    from forge.engines.spark.session.session import SparkSettings, start_session

    conf = yaml.safe_load((project / "forge.yaml").read_text())["spark"]
    folder = project / ".forge"
    folder.mkdir()
    return start_session(
        SparkSettings(
            master=conf.pop("master"),
            conf={key: str(value) for key, value in conf.items()},
            catalog={
                "type": "jdbc",
                "uri": f"jdbc:sqlite:file:{folder / 'forge.db'}?busy_timeout=30000&journal_mode=WAL",
                "jdbc.schema-version": "V1",
                "cache-enabled": "false",
                "warehouse": str(folder / "warehouse"),
            },
            log_file=folder / "spark.log",
        )
    )


def jvm_cpu(spark: Any) -> float:
    """Seconds of all threads of the JVM: compiler and garbage collector too."""
    handle = spark.sparkContext._jvm.java.lang.ProcessHandle.current()
    return float(handle.info().totalCpuDuration().get().toNanos()) / 1e9


def jobs_so_far(spark: Any) -> int:
    return int(spark.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


def contents(spark: Any, tables: Sequence[str]) -> dict[str, tuple[int, int]]:
    found = {}
    for table in tables:
        row = spark.sql(f"SELECT COUNT(*) AS n, COALESCE(BIT_XOR(XXHASH64(*)), 0) AS sum FROM {table}").first()
        found[table] = (int(row["n"]), int(row["sum"]))
    return found


def measure(side: str, project: Path) -> Measured:
    if side == "plain":
        spark = plain_session(project)
        work: Callable[[], None] = partial(run_plain, spark, project)
    else:
        import forge

        client = forge.connect(project)
        spark = client.spark
        work = partial(run_governed, client)
    cpu, jobs, python, began = jvm_cpu(spark), jobs_so_far(spark), time.process_time(), time.monotonic()
    work()
    wall = time.monotonic() - began
    python, jobs, cpu = time.process_time() - python, jobs_so_far(spark) - jobs, jvm_cpu(spark) - cpu
    tables = contents(spark, (*sources_of(project), *TRANSFORMS))
    spark.stop()
    return Measured(wall, cpu, python, jobs, tables)


def run_governed(client: Any) -> None:
    result = client.run()
    if result.status != "succeeded":
        raise SystemExit(f"the governed run ended as {result.status}: {result.to_dict()}")


# --- the driver ------------------------------------------------------------------------------------------------------


def make_data(folder: Path, scale: float) -> Path:
    data = folder / f"sf{scale:g}"
    if not (data / "complete").exists():
        print(f"generating TPC-H at scale {scale:g} …", flush=True)
        data.mkdir(parents=True, exist_ok=True)
        generator = str(Path(sys.executable).parent / "tpchgen-cli")
        subprocess.run(
            [generator, "parquet", "-s", f"{scale:g}", "--output-dir", str(data), "--overwrite", "--quiet"], check=True
        )
        (data / "complete").touch()
    return data


def make_project(folder: Path, data: Path, options: argparse.Namespace) -> Path:
    project = folder / "project"
    shutil.copytree(TEMPLATE, project)
    (project / "data").symlink_to(data.resolve())
    settings = {
        "project": "tpch",
        "parallel": options.parallel,
        "spark": {
            "master": options.master,
            "spark.driver.memory": options.memory,
            "spark.sql.shuffle.partitions": options.partitions,
        },
    }
    (project / "forge.yaml").write_text(yaml.safe_dump(settings))
    return project


def run_side(side: str, data: Path, options: argparse.Namespace) -> Measured:
    with tempfile.TemporaryDirectory(prefix="forge-bench-", dir=options.data) as name:
        project = make_project(Path(name), data, options)
        answer = Path(name) / "measured.json"
        command = [sys.executable, str(Path(__file__).resolve()), "--side", side, str(project), str(answer)]
        environment = {key: value for key, value in os.environ.items() if not key.startswith("FORGE_")}
        subprocess.run(command, check=True, env=environment)
        content = json.loads(answer.read_text())
    tables = {table: (rows, checksum) for table, (rows, checksum) in content.pop("tables").items()}
    return Measured(**content, tables=tables)


def report_of(measured: Mapping[str, Sequence[Measured]]) -> tuple[str, dict[str, float]]:
    """The table of medians, and the ratios by name."""
    names = {"wall": "wall, s", "jvm_cpu": "CPU of the JVM, s", "python_cpu": "CPU of Python, s", "jobs": "Spark jobs"}
    lines = [f"{'median of ' + str(len(measured['plain'])):<20}{'plain':>10}{'governed':>10}{'ratio':>8}"]
    ratios = {}
    for key, name in names.items():
        plain, governed = (statistics.median(getattr(each, key) for each in measured[side]) for side in SIDES)
        ratios[key] = governed / plain if plain else float("inf")
        lines.append(f"{name:<20}{plain:>10.2f}{governed:>10.2f}{ratios[key]:>8.2f}")
    return "\n".join(lines), ratios


def main(options: argparse.Namespace) -> int:
    options.data.mkdir(parents=True, exist_ok=True)
    data = make_data(options.data, options.scale)
    measured: dict[str, list[Measured]] = {side: [] for side in SIDES}
    for repeat in range(options.repeats):
        # Who goes first changes, so that neither always finds the files in memory.
        for side in SIDES if repeat % 2 == 0 else reversed(SIDES):
            one = run_side(side, data, options)
            measured[side].append(one)
            print(
                f"{repeat + 1}/{options.repeats} {side:<9} {one.wall:7.2f} s wall  {one.jvm_cpu:7.2f} s JVM CPU  "
                f"{one.jobs:4d} jobs  {sum(rows for rows, _ in one.tables.values()):,} rows",
                flush=True,
            )
    return conclude(measured, options.limit)


def conclude(measured: Mapping[str, Sequence[Measured]], limit: float | None) -> int:
    """Prints the table and gives the exit status: times of different work, or above the limit, are a failure."""
    results = {tuple(sorted(one.tables.items())) for side in SIDES for one in measured[side]}
    if len(results) != 1:
        print("the two sides did not write the same rows; the times mean nothing", file=sys.stderr)
        return 1
    text, ratios = report_of(measured)
    print(f"\n{text}")
    worst = max(ratios["wall"], ratios["jvm_cpu"])
    if limit is not None and worst > limit:
        print(f"the governed run takes {worst:.2f} times the plain one; the limit is {limit:.2f}", file=sys.stderr)
        return 1
    return 0


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="scale factor of TPC-H; 1 is 6 million line items")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each side")
    parser.add_argument("--data", type=Path, default=HERE.parent / "build" / "tpch", help="where the data is kept")
    parser.add_argument("--master", default="local[*]")
    parser.add_argument("--memory", default="2g", help="memory of the driver")
    parser.add_argument("--partitions", type=int, default=4, help="spark.sql.shuffle.partitions")
    parser.add_argument("--parallel", type=int, default=1, help="transforms at once; the plain side knows only 1")
    parser.add_argument("--limit", type=float, help="exit 1 when wall or JVM CPU is above this many times plain")
    parser.add_argument("--side", nargs=3, metavar=("SIDE", "PROJECT", "ANSWER"), help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    given = parse()
    if given.side:
        Path(given.side[2]).write_text(json.dumps(asdict(measure(given.side[0], Path(given.side[1])))))
    else:
        sys.exit(main(given))
