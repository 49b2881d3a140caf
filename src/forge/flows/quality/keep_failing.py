"""Writes all failing rows to a table of their own, `core.orders_failing`, replaced each time. The source table is
unchanged; a quarantine moves rows."""

from __future__ import annotations

from dataclasses import dataclass

from forge.flows.quality.judge import CheckPorts, JudgedTable, find_others
from forge.flows.versioning.data.commit import CommitMode, CommitRequest, commit_data
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.read import RevisionReader
from forge.model.names import CommitId, TableName
from forge.quality.check import Check
from forge.quality.verdict import Outcome

SUFFIX = "_failing"


@dataclass(frozen=True, slots=True)
class KeptRows:
    """`without_rows`: failed checks without identifiable rows: too few rows, a mean that moved."""

    table: TableName
    commit_id: CommitId | None  # None: there is no such row, and nothing was written
    rows: int = 0
    without_rows: tuple[str, ...] = ()


def failing_table(table: TableName) -> TableName:
    return TableName(table.schema, f"{table.name}{SUFFIX}")


def keep_failing(judged: JudgedTable, ports: CheckPorts, versions: VersionPorts) -> KeptRows:
    """Each row once, with the ids of the checks that it fails in `forge_checks`. Column lineage is recorded, so that
    personal columns stay masked."""
    failed = [
        (verdict.check_id, check)
        for check, verdict in zip(judged.checks, judged.verdicts, strict=True)
        if verdict.outcome is Outcome.FAILED
    ]
    named = [(id_, check) for id_, check in failed if _names_rows(check, judged)]
    without_rows = tuple(id_ for id_, check in failed if not _names_rows(check, judged))
    target = failing_table(judged.table)
    if not named:
        return KeptRows(target, None, without_rows=without_rows)
    reader = RevisionReader(ports.metadata, ports.lake, judged.branch, ports.default_branch)
    at = judged.commit_id
    others = find_others([check for _, check in named], lambda other: reader.pin(other, at))
    frame = ports.engine().failing_rows(reader.pin(judged.table, at), named, judged.readings, others)
    message = f"Rows of {judged.table} that fail {len(named)} {'check' if len(named) == 1 else 'checks'}"
    done = commit_data(
        CommitRequest(table=target, branch=judged.branch, mode=CommitMode.OVERWRITE, message=message, frame=frame),
        versions,
    )
    commit = done.commit.id if done.commit else None
    return KeptRows(target, commit, done.statistics.record_count, without_rows)


def _names_rows(check: Check, judged: JudgedTable) -> bool:
    return bool(check.bad(judged.readings, judged.schema))
