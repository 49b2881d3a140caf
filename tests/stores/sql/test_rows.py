"""Rows as databases hold them since before records had one JSON form: they load, and say that form."""

from __future__ import annotations

from datetime import UTC, datetime

from forge.stores.sql.quality.monitor_rows import monitor_of, result_of, run_of
from forge.stores.sql.rows import verdict_of, verdict_rows
from forge.stores.sql.versioning.rows import merge_of

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
SAID = {
    "check_id": "core.orders.amount.range",
    "check_type": "range",
    "table_name": "core.orders",
    "columns": ["amount"],
    "severity": "error",
    "message": "3 below 0",
    "blocks": True,
    "details": {"readings": {"rows": 3}},
}


def test_a_kept_verdict_loads_and_is_kept_in_the_same_columns() -> None:
    row = {**SAID, "outcome": "not measured"}
    verdict = verdict_of(row)
    assert (verdict.to_dict()["type"], verdict.to_dict()["outcome"]) == ("range", "not measured")
    (again,) = verdict_rows("r1", [verdict])  # type: ignore[arg-type]
    assert {**again, "columns": list(again["columns"])} == {**row, "run_id": "r1"}


def test_a_kept_result_loads() -> None:
    of_run = {"run_id": "q1", "position": 0, "monitor_id": "orders-1", "branch": "main", "commit_id": "c1"}
    timed = {"snapshot_id": None, "executed_at": NOON, "execution_ms": 1.5, "shared": False, "verdict": "failed"}
    said = result_of({**SAID, **of_run, **timed}).to_dict()
    assert (said["id"], said["table"], said["outcome"], said["commit"]) == ("q1.1", "core.orders", "failed", "c1")


def test_a_kept_monitor_and_its_run_load() -> None:
    monitor = monitor_of(
        {
            "id": "orders-1",
            "name": "Orders",
            "table_name": "core.orders",
            "dataset": "core.orders@dev",
            "checks": [{"type": "row_count", "min": 1}],
            "schedule": {"type": "interval", "cron": None, "interval_minutes": 5, "timezone": "UTC", "missed": "skip"},
            "channels": ["ops"],
            "severity_threshold": "warning",
        }
    )
    said = monitor.to_dict()
    assert (said["branch"], said["severity_threshold"], said["channels"]) == ("dev", "warning", ["ops"])
    assert said["schedule"]["interval_minutes"] == 5  # type: ignore[index]
    names = {"id": "q1", "monitor_id": "orders-1", "table_name": "core.orders", "dataset": "core.orders"}
    run = run_of({**names, "trigger": "manual", "claim": "q1", "status": "failed", "queued_at": NOON, "notes": ["x"]})
    assert (run.to_dict()["status"], run.to_dict()["notes"]) == ("failed", ["x"])


def test_a_kept_merge_loads() -> None:
    ends = dict.fromkeys(("source_commit", "target_commit", "base_commit"), "c1")
    times = dict.fromkeys(("created_at", "updated_at"), NOON)
    counts = {"conflict_count": 2, "resolved_count": 1, "commit_id": None, "run_id": "r1"}
    row = {
        "id": "m1",
        "kind": "merge",
        "source": "fix",
        "target": "main",
        "message": "Merge",
        **ends,
        **times,
        **counts,
        "author_name": "Ada",
        "author_email": "ada@example.com",
        "author_user_id": "",
        "strategy": "three_way",
        "status": "conflicted",
        "other_bases": [],
        "merge_keys": {"core.orders": ["id"]},
        "rules": [{"take": "ours", "table": None, "column": "amount", "value": None}],
        "tables": [{"table": "core.orders", "how": "rows", "inserted": 1}],  # before keys and warnings were kept
        "approvals": [{"user": "bo", "time": NOON.isoformat(), "source_commit": "c1", "approved": True, "comment": ""}],
    }
    said = merge_of(row).to_dict()
    assert (said["merge_id"], said["total_count"], said["fully_resolved"]) == ("m1", 2, False)
    assert said["tables"][0]["key"] == []  # type: ignore[index]
    assert (said["keys"], said["rules"][0]["take"]) == ({"core.orders": ["id"]}, "ours")  # type: ignore[index]
