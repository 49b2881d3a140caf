"""Branches, tags, merges, conflicts and hashes as rows and back. No database access."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from forge.flows.runs.records import Blob, HashRecords
from forge.flows.versioning.merge.record import Approval, MergeRecord, TableTally
from forge.stores.sql.rows import Row, signature_body, signature_of
from forge.versioning.branch import Branch
from forge.versioning.commit import Author
from forge.versioning.conflict import Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.merge import MergeStatus, Strategy
from forge.versioning.tag import Tag

_BRANCH = (
    "name",
    "head",
    "created_at",
    "created_by",
    "updated_at",
    "parent",
    "fork_commit",
    "description",
    "status",
    "is_default",
    "is_protected",
    "require_approval",
    "allowed_mergers",
)
_TAG = ("name", "target", "target_type", "time", "message")
_MERGE = (
    "id",
    "kind",
    "source",
    "target",
    "source_commit",
    "target_commit",
    "base_commit",
    "message",
    "created_at",
    "updated_at",
    "commit_id",
    "run_id",
    "conflict_count",
    "resolved_count",
)
_RULE = ("take", "table", "column", "value")
_CONFLICT = ("base", "ours", "theirs", "location", "resolved_value")


def branch_row(branch: Branch) -> Row:
    return {name: getattr(branch, name) for name in _BRANCH}


def branch_of(row: Mapping[str, Any]) -> Branch:
    flags = {name: bool(row[name]) for name in ("is_default", "is_protected")}
    return Branch(**{**row, **flags, "allowed_mergers": tuple(row["allowed_mergers"])})


def tag_row(tag: Tag) -> Row:
    return {
        **{name: getattr(tag, name) for name in _TAG},
        **_author_columns("tagger", tag.tagger),
        "signature": signature_body(tag.signature),
    }


def tag_of(row: Mapping[str, Any]) -> Tag:
    return Tag(
        **{name: row[name] for name in _TAG},
        tagger=_author_of("tagger", row),
        signature=signature_of(row["signature"]),
    )


def _author_columns(role: str, author: Author) -> Row:
    return {f"{role}_{name}": value for name, value in asdict(author).items()}


def _author_of(role: str, row: Mapping[str, Any]) -> Author:
    return Author(row[f"{role}_name"], row[f"{role}_email"], row[f"{role}_user_id"])


def merge_row(merge: MergeRecord) -> Row:
    return {
        **{name: getattr(merge, name) for name in _MERGE},
        **_author_columns("author", merge.author),
        "strategy": merge.strategy.value,
        "status": merge.status.value,
        "other_bases": merge.other_bases,
        "merge_keys": merge.keys,
        "rules": [{name: getattr(rule, name) for name in _RULE} for rule in merge.rules],
        "tables": [asdict(tally) for tally in merge.tables],
        "approvals": [asdict(approval) for approval in merge.approvals],
    }


def merge_of(row: Mapping[str, Any]) -> MergeRecord:
    return MergeRecord(
        **{name: row[name] for name in _MERGE},
        author=_author_of("author", row),
        strategy=Strategy(row["strategy"]),
        status=MergeStatus(row["status"]),
        other_bases=tuple(row["other_bases"]),
        keys={table: tuple(columns) for table, columns in row["merge_keys"].items()},
        rules=tuple(ResolutionRule(**{**rule, "take": ResolutionChoice(rule["take"])}) for rule in row["rules"]),
        tables=tuple(TableTally(**{**tally, "key": tuple(tally.get("key", ()))}) for tally in row["tables"]),
        approvals=tuple(Approval(**approval) for approval in row["approvals"]),
    )


def conflict_rows(merge_id: str, conflicts: Sequence[Conflict]) -> list[Row]:
    """Each once, in the order given."""
    once = {conflict.id: conflict for conflict in conflicts}
    return [
        {
            **{name: getattr(conflict, name) for name in _CONFLICT},
            "merge_id": merge_id,
            "id": conflict_id,
            "position": position,
            "table_name": conflict.table,
            "kind": conflict.kind.value,
            "column_name": conflict.column,
            "row_key": conflict.key,
            "resolution": None if conflict.resolution is None else conflict.resolution.value,
        }
        for position, (conflict_id, conflict) in enumerate(once.items())
    ]


def conflict_of(row: Mapping[str, Any]) -> Conflict:
    return Conflict(
        **{name: row[name] for name in _CONFLICT},
        kind=ConflictKind(row["kind"]),
        key=row["row_key"],
        column=row["column_name"],
        table=row["table_name"],
        resolution=None if row["resolution"] is None else ResolutionChoice(row["resolution"]),
    )


def blob_rows(blobs: Iterable[Blob]) -> list[Row]:
    """Sorted by path, so that two writers of the same files cannot deadlock."""
    return [asdict(blob) for blob in sorted(blobs, key=lambda blob: blob.path)]


def blob_of(row: Mapping[str, Any]) -> Blob:
    return Blob(row["path"], row["digest"], row["size"], row["kind"])


def table_tree_rows(hashes: HashRecords) -> list[Row]:
    return [{"digest": digest, "body": body} for digest, body in sorted(hashes.table_trees.items())]
