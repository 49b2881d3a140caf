"""Remediations in SQL. Searchable fields are columns; the rest is a document."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from forge.flows.runs.records import AuditRecord
from forge.model.names import BranchName, TableName
from forge.quality.remediation import (
    PreviewVerdict,
    Remediation,
    RemedyStatus,
    RemedyStep,
    TableCount,
    decided_already,
    may_follow,
)
from forge.quality.remedy import ActionKind, RemedyResult, load_actions
from forge.quality.verdict import Outcome
from forge.stores.sql.database import writing
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.statements import only, put
from forge.stores.sql.tables import remediations


def write_remediation(connection: Connection, remediation: Remediation) -> None:
    """In the caller's transaction; E746, which rolls it back, where it was decided meanwhile."""
    c = remediations.c
    known = connection.execute(select(c.status).where(c.id == remediation.id).with_for_update()).first()
    if known is not None and not may_follow(RemedyStatus(known[0]), remediation.status):
        raise decided_already(remediation.id, known[0])
    put(connection, remediations, [_row(remediation)])


class SqlRemediations(SqlRecords):
    def put(self, remediation: Remediation, audit: AuditRecord | None = None) -> None:
        with writing(self._engine) as connection:
            write_remediation(connection, remediation)
            if audit is not None:
                write_audit(connection, audit)

    def get(self, remediation_id: str) -> Remediation | None:
        found = self._first(select(remediations).where(remediations.c.id == remediation_id))
        return _remediation(found) if found else None

    def find(
        self,
        *,
        table: TableName | None = None,
        branch: BranchName | None = None,
        status: RemedyStatus | None = None,
        limit: int | None = None,
    ) -> tuple[Remediation, ...]:
        c = remediations.c
        query = select(remediations).order_by(c.proposed_at.desc(), c.id.desc())
        query = only(query, (c.dataset, table), (c.branch, branch), (c.status, status))
        found = self._all(query.limit(limit))
        return tuple(_remediation(row) for row in found)


def _row(remediation: Remediation) -> dict[str, Any]:
    document = columns_of(remediation, "id", "table", "branch", "status", "proposed_at")
    return {
        "id": remediation.id,
        "dataset": str(remediation.table),
        "branch": str(remediation.branch),
        "status": str(remediation.status),
        "proposed_at": remediation.proposed_at,
        "document": {
            **document,
            "steps": [{"action": step.action.to_dict(), "checks": step.check_ids} for step in remediation.steps],
            "results": [result.to_dict() for result in remediation.results],
            "counts": [[one.table, one.added, one.changed, one.deleted] for one in remediation.counts],
            "verdicts": [[one.check_id, one.outcome, one.message] for one in remediation.verdicts],
        },
    }


def _remediation(row: Mapping[Any, Any]) -> Remediation:
    kept = row["document"]
    decided_at = kept["decided_at"]
    return record_of(
        Remediation,
        {**kept, **row},
        table=TableName.parse(row["dataset"]),
        steps=tuple(RemedyStep(load_actions(one["action"])[0], tuple(one["checks"])) for one in kept["steps"]),
        status=RemedyStatus(row["status"]),
        results=tuple(
            RemedyResult(ActionKind(one["action"]), one["success"], one["message"], one["details"])
            for one in kept["results"]
        ),
        counts=tuple(TableCount(*one) for one in kept["counts"]),
        verdicts=tuple(
            PreviewVerdict(check, Outcome(outcome), message) for check, outcome, message in kept["verdicts"]
        ),
        decided_at=datetime.fromisoformat(decided_at) if decided_at else None,
    )
