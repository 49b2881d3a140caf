"""The twenty checks as Forge's users write them."""

from __future__ import annotations

from bench.quality.task import AGE_DAYS, TASKS, Task
from forge.model.names import TableName
from forge.quality.check import Check
from forge.quality.spec import load_checks

TABLE = TableName("bench", "orders")


def written(task: Task) -> dict[str, object]:
    match task.kind:
        case "rows":
            return {"type": "volume", "min_rows": task.low, "max_rows": task.high}
        case "not_null":
            return {"type": "completeness", "column": task.column, "max_null_percentage": task.allowed}
        case "unique":
            return {"type": "uniqueness", "column": task.column}
        case "range":
            return {"type": "range", "column": task.column, "min": task.low, "max": task.high}
        case "set":
            return {"type": "set", "column": task.column, "values": list(task.values)}
        case "regex":
            return {"type": "regex", "column": task.column, "pattern": task.text}
        case "newest":
            return {"type": "freshness", "timestamp_column": task.column, "max_age_hours": AGE_DAYS * 24}
        case "mean":
            bounds = {"min": task.low, "max": task.high}
            return {"type": "statistical", "statistical_check": "mean", "column": task.column, **bounds}
    return {"type": "custom", "sql": task.text}


def forge_checks() -> tuple[Check, ...]:
    return load_checks([written(task) for task in TASKS], table=TABLE, where="bench/quality")
