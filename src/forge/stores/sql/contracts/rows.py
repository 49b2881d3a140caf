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

Row = Mapping[Any, Any]
_KEPT = ("name", "api_version", "owner", "domain", "description", "tables", "tags", "extends", "file", "run_id")


def version_row(one: RegisteredContract) -> dict[str, Any]:
    return {
        "contract_id": one.id,
        "version": one.version,
        "schema_hash": one.schema_hash,
        "digest": one.digest,
        "registered_at": one.registered_at,
        "registered_by": one.registered_by,
        "document": {name: getattr(one, name) for name in _KEPT},
        "text": one.text,
    }


def read_version(row: Row) -> RegisteredContract:
    kept = row["document"]
    return RegisteredContract(
        id=row["contract_id"],
        name=kept["name"],
        version=row["version"],
        api_version=kept["api_version"],
        schema_hash=row["schema_hash"],
        digest=row["digest"],
        text=row.get("text", ""),
        registered_at=row["registered_at"],
        registered_by=row["registered_by"],
        owner=kept["owner"],
        domain=kept["domain"],
        description=kept["description"],
        tables=tuple(kept["tables"]),
        tags=tuple(kept["tags"]),
        extends=tuple(kept["extends"]),
        file=kept["file"],
        run_id=kept["run_id"],
    )


def state_row(contract_id: str, change: LifecycleStep) -> dict[str, Any]:
    document = {key: value for key, value in asdict(change).items() if key not in ("state", "at")}
    return {"contract_id": contract_id, "state": change.state.value, "at": change.at, "document": document}


def read_state(row: Row) -> LifecycleStep:
    kept = row["document"]
    return LifecycleStep(
        state=ContractState(row["state"]),
        before=ContractState(kept["before"]) if kept["before"] else None,
        at=row["at"],
        by=kept["by"],
        version=kept["version"],
        reason=kept["reason"],
        ends_at=_time(kept["ends_at"]),
        replacement=kept["replacement"],
        told=tuple(kept["told"]),
    )


def result_row(run: TestRun) -> dict[str, Any]:
    document = {
        "received_by": run.received_by,
        "version": run.version,
        "server": run.server,
        "tool": run.tool,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "checks": [asdict(check) for check in run.checks],
    }
    return {
        "id": run.id,
        "contract_id": run.contract_id,
        "result": run.result,
        "received_at": run.received_at,
        "document": document,
        "summary": {"finished_at": run.finished_at, "passed": run.summary.passed, "failed": run.summary.failed},
    }


def read_summary(row: Row) -> TestSummary:
    kept = row["summary"] or {}
    counts = kept.get("passed", 0), kept.get("failed", 0)
    return TestSummary(row["id"], row["contract_id"], row["result"], _time(kept.get("finished_at")), *counts)


def read_result(row: Row) -> TestRun:
    kept = row["document"]
    return TestRun(
        id=row["id"],
        contract_id=row["contract_id"],
        result=row["result"],
        received_at=row["received_at"],
        received_by=kept["received_by"],
        version=kept["version"],
        server=kept["server"],
        tool=kept["tool"],
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
    return CompileRecord(
        valid=kept["valid"],
        validated_at=row["validated_at"],
        validated_by=kept["validated_by"],
        enforcement=kept["enforcement"],
        schema_hash=kept["schema_hash"],
        summary=kept["summary"],
        findings=tuple(map(_finding, kept["findings"])),
    )


def _finding(kept: Mapping[str, Any]) -> ContractFinding:
    return ContractFinding(kept["source"], Violation(**kept["violation"]), kept["policy_type"], kept["contract_id"])


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
