"""Soda 4, its contracts on a Spark DataFrame."""

from __future__ import annotations

import logging
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import yaml
from pyspark.sql import DataFrame, SparkSession
from soda_core.contracts import verify_contract_locally
from soda_sparkdf import SparkDataFrameDataSource

from bench.quality.task import TASKS, Task
from bench.quality.workers.worker import work


def checks_of(column: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for task in TASKS:
        if task.column != column or task.kind == "newest":
            continue
        match task.kind:
            case "not_null":
                allowed: dict[str, object] = {"must_be": 0}
                if task.allowed:
                    allowed = {"metric": "percent", "must_be_less_than_or_equal": task.allowed}
                found.append({"missing": {"name": task.id, "qualifier": task.id, "threshold": allowed}})
            case "unique":
                found.append({"duplicate": {"name": task.id, "qualifier": task.id}})
            case "range":
                found.append({"failed_rows": failed(task, f"{column} < {low(task)} OR {column} > {high(task)}")})
            case "set":
                found.append({"invalid": {"name": task.id, "qualifier": task.id, "valid_values": list(task.values)}})
            case "regex":
                form = {"regex": task.text, "name": task.id}
                found.append({"invalid": {"name": task.id, "qualifier": task.id, "valid_format": form}})
            case "mean":
                bounds = {"must_be_between": {"greater_than": task.low, "less_than": task.high}}
                found.append({"aggregate": {"name": task.id, "function": "avg", "threshold": bounds}})
    return found


def failed(task: Task, expression: str) -> dict[str, object]:
    return {"name": task.id, "qualifier": task.id, "expression": expression}


def low(task: Task) -> object:
    return f"DATE '{task.low}'" if task.column == "ship_date" else task.low


def high(task: Task) -> object:
    return f"DATE '{task.high}'" if task.column == "ship_date" else task.high


def contract(frame: DataFrame) -> dict[str, object]:
    table: list[dict[str, object]] = [
        {"row_count": {"name": "rows", "threshold": {"must_be_greater_than": 0}}},
        {
            "freshness": {
                "name": "fresh",
                "column": "updated_at",
                "threshold": {"unit": "day", "must_be_less_than": 10_000},
            }
        },
    ]
    table += [{"failed_rows": failed(task, f"NOT ({task.text})")} for task in TASKS if task.kind == "sql"]
    columns: list[dict[str, object]] = []
    for name in frame.columns:
        checks = checks_of(name)
        table += [check for check in checks if "failed_rows" in check]
        own = [check for check in checks if "failed_rows" not in check]
        columns.append({"name": name, **({"checks": own} if own else {})})
    return {"dataset": "bench/bench_soda", "columns": columns, "checks": table}


def judge(spark: SparkSession, frame: DataFrame) -> Mapping[str, bool]:
    logging.disable(logging.INFO)
    frame.createOrReplaceTempView("bench_soda")
    source = SparkDataFrameDataSource.from_existing_session(session=spark, name="bench")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        Path(file.name).write_text(yaml.safe_dump(contract(frame), sort_keys=False))
        result = verify_contract_locally(data_sources=[source], contract_file_path=file.name)
    print(result.get_errors_str() or "", file=sys.stderr)
    checks = result.contract_verification_results[0].check_results
    return {str(check.check.name): str(check.outcome.name) == "PASSED" for check in checks}


if __name__ == "__main__":
    work(judge)
