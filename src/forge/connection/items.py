"""Commits, merges, conflicts, differences and blame as plain data: what `.to_dict()` and `--json` say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forge.versioning.conflict import location_of

if TYPE_CHECKING:
    from forge.flows.versioning.blame import RowBlame, Written
    from forge.flows.versioning.merge.conclusion import MergeResult
    from forge.flows.versioning.merge.record import Approval, MergeRecord, TableTally
    from forge.quality.verdict import Verdict
    from forge.versioning.changes import RowChange, TableDiff
    from forge.versioning.commit import Author, Commit, Signature
    from forge.versioning.conflict import Conflict


def commit_item(commit: Commit) -> dict[str, object]:
    counted = commit.statistics.values()
    return {
        "id": commit.id,
        "tree": commit.tree_id,
        "time": commit.time,
        "branch": commit.branch,
        "author": _author_item(commit.author),
        "committer": _author_item(commit.committer),
        "message": commit.message,
        "parents": list(commit.parents),
        "is_merge": commit.is_merge,
        "run_id": commit.metadata.get("run_id"),
        "metadata": dict(commit.metadata),
        "tables": [str(table) for table in commit.statistics],
        "rows_added": sum(s.rows_added for s in counted),
        "rows_modified": sum(s.rows_modified for s in counted),
        "rows_deleted": sum(s.rows_deleted for s in counted),
        "signature": _signature_item(commit.signature) if commit.signature else None,
    }


def _author_item(author: Author) -> dict[str, object]:
    return {"name": author.name, "email": author.email}


def _signature_item(signature: Signature) -> dict[str, object]:
    return {"algorithm": signature.algorithm, "key_id": signature.key_id, "signature": signature.signature}


def conflict_item(conflict: Conflict) -> dict[str, object]:
    return {
        "id": conflict.id,
        "kind": str(conflict.kind),
        "table": conflict.table,
        "key": dict(conflict.key) if conflict.key is not None else None,
        "column": conflict.column,
        "base": conflict.base,
        "ours": conflict.ours,
        "theirs": conflict.theirs,
        "location": location_of(conflict),
        "resolution": str(conflict.resolution) if conflict.resolution else None,
        "resolved_value": conflict.resolved_value,
    }


def tally_item(tally: TableTally) -> dict[str, object]:
    return {
        "table": tally.table,
        "how": tally.how,
        "inserted": tally.inserted,
        "updated": tally.updated,
        "deleted": tally.deleted,
        "conflicts": tally.conflicts,
        "resolved": tally.resolved,
        "bytes_read": tally.bytes_read,
        "engine": tally.engine or None,
        "key": list(tally.key),
        "warning": tally.warning or None,
    }


def merge_item(merge: MergeRecord) -> dict[str, object]:
    return {
        "id": merge.id,
        "kind": merge.kind,
        "status": str(merge.status),
        "source": merge.source,
        "target": merge.target,
        "strategy": str(merge.strategy),
        "message": merge.message,
        "base_commit": merge.base_commit,
        "source_commit": merge.source_commit,
        "target_commit": merge.target_commit,
        "commit": merge.commit_id,
        "author": merge.author.email,
        "created_at": merge.created_at,
        "updated_at": merge.updated_at,
        "run_id": merge.run_id,
        "conflicts": merge.conflict_count,
        "resolved": merge.resolved_count,
        "approvals": [_approval_item(approval) for approval in merge.approvals],
    }


def _approval_item(approval: Approval) -> dict[str, object]:
    return {
        "user": approval.user,
        "time": approval.time,
        "approved": approval.approved,
        "source_commit": approval.source_commit,
        "comment": approval.comment,
    }


def result_facts(result: MergeResult, kind: str) -> dict[str, object]:
    return {
        "kind": kind,
        "type": str(result.type),
        "source": result.source,
        "target": result.target,
        "merge_id": result.merge.id if result.merge else None,
        "base": result.base,
        "other_bases": list(result.other_bases),
        "commit": commit_item(result.commit) if result.commit else None,
        "tables": [tally_item(tally) for tally in result.tables],
        "conflict_count": result.conflict_count,
        "verdicts": [verdict_item(verdict) for verdict in result.verdicts],
        "run_id": result.run_id,
    }


def verdict_item(verdict: Verdict) -> dict[str, object]:
    return {
        "check": verdict.check_id,
        "table": verdict.table,
        "outcome": str(verdict.outcome),
        "severity": str(verdict.severity),
        "blocks": verdict.blocks,
        "message": verdict.message,
    }


def diff_item(diff: TableDiff) -> dict[str, object]:
    rows = diff.rows
    return {
        "table": diff.table,
        "change": diff.change,
        "key": list(diff.key),
        "inserted": rows.inserted,
        "updated": rows.updated,
        "deleted": rows.deleted,
        "changed_columns": dict(rows.columns or {}),
        "schema": [
            {"change": c.change, "column": c.column, "before": c.before, "after": c.after, "field_id": c.field_id}
            for c in diff.schema
        ],
        "files_added": diff.files_added,
        "files_removed": diff.files_removed,
        "bytes_read": diff.bytes_read,
        "rows": [_row_item(row) for row in rows.rows],
    }


def _row_item(row: RowChange) -> dict[str, object]:
    return {
        "kind": str(row.kind),
        "key": dict(row.key),
        "before": dict(row.before) if row.before is not None else None,
        "after": dict(row.after) if row.after is not None else None,
        "columns": list(row.columns),
        "count": row.count,
    }


def written_item(written: Written) -> dict[str, object]:
    return {
        "commit": written.commit,
        "time": written.time,
        "author": written.author.name,
        "message": written.message,
        "run_id": written.run_id,
    }


def blame_item(row: RowBlame) -> dict[str, object]:
    cells = {name: written_item(cell) for name, cell in row.cells.items()}
    return {"key": dict(row.key), **written_item(row.row), "cells": cells}
