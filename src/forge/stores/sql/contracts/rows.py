"""Mapping between rows and registered contracts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from forge.contracts.contract import Violation
from forge.contracts.datacontract_results import TestedCheck, TestRun, TestSummary
from forge.contracts.lifecycle import ContractState, LifecycleStep
from forge.contracts.registry import CompileRecord, ContractCheck, ContractFinding, RegisteredContract
from forge.stores.sql.record_columns import columns_of, record_of

Row = Mapping[Any, Any]
_OWN = ("id", "version", "schema_hash", "digest", "registered_at", "registered_by", "text")
"""Fields of a version that have columns; the others are in its document."""


def version_row(one: RegisteredContract) -> dict[str, Any]:
    return {
        "contract_id": one.id,
        "version": one.version,
        "schema_hash": one.schema_hash,
        "digest": one.digest,
        "registered_at": one.registered_at,
        "registered_by": one.registered_by,
        "document": columns_of(one, *_OWN),
        "text": one.text,
    }


def read_version(row: Row) -> RegisteredContract:
    own = {**row, "id": row["contract_id"], "text": row.get("text", "")}
    return record_of(RegisteredContract, row["document"], **{name: own[name] for name in _OWN})


def state_row(contract_id: str, change: LifecycleStep) -> dict[str, Any]:
    document = columns_of(change, "state", "at")
    return {"contract_id": contract_id, "state": change.state.value, "at": change.at, "document": document}


def read_state(row: Row) -> LifecycleStep:
    kept = row["document"]
    return record_of(
        LifecycleStep,
        kept,
        state=ContractState(row["state"]),
        before=ContractState(kept["before"]) if kept["before"] else None,
        at=row["at"],
        ends_at=_time(kept["ends_at"]),
    )


def result_row(run: TestRun) -> dict[str, Any]:
    document = columns_of(run, "id", "contract_id", "result", "received_at")
    return {
        "id": run.id,
        "contract_id": run.contract_id,
        "result": run.result,
        "received_at": run.received_at,
        "document": {**document, "checks": [asdict(check) for check in run.checks]},
        "summary": {"finished_at": run.finished_at, "passed": run.summary.passed, "failed": run.summary.failed},
    }


def read_summary(row: Row) -> TestSummary:
    kept = row["summary"] or {}
    counts = kept.get("passed", 0), kept.get("failed", 0)
    return TestSummary(row["id"], row["contract_id"], row["result"], _time(kept.get("finished_at")), *counts)


def read_result(row: Row) -> TestRun:
    kept = row["document"]
    return record_of(
        TestRun,
        {**kept, **row},
        started_at=_time(kept["started_at"]),
        finished_at=_time(kept["finished_at"]),
        checks=tuple(TestedCheck(**check) for check in kept["checks"]),
    )


def check_row(check: ContractCheck) -> dict[str, Any]:
    document = {"version": check.version, "findings": [asdict(finding) for finding in check.findings]}
    return {"contract_id": check.contract_id, "checked_at": check.checked_at, "document": document}


def read_check(row: Row) -> ContractCheck:
    kept = row["document"]
    return ContractCheck(row["contract_id"], kept["version"], row["checked_at"], tuple(map(_finding, kept["findings"])))


def compile_row(record: CompileRecord) -> dict[str, Any]:
    document = {key: value for key, value in asdict(record).items() if key != "validated_at"}
    return {"id": "last", "validated_at": record.validated_at, "document": document}


def read_compile(row: Row) -> CompileRecord:
    kept = row["document"]
    findings = tuple(map(_finding, kept["findings"]))
    return record_of(CompileRecord, kept, validated_at=row["validated_at"], findings=findings)


def _finding(kept: Mapping[str, Any]) -> ContractFinding:
    return ContractFinding(kept["source"], Violation(**kept["violation"]), kept["policy_type"], kept["contract_id"])


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
