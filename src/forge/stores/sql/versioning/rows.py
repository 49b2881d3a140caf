"""Branches, tags, merges, conflicts and hashes as rows and back. No database access."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from forge.flows.runs.records import Blob, HashRecords
from forge.flows.versioning.merge.record import Approval, MergeRecord, TableTally
from forge.stores.sql.record_columns import Row, columns_of, record_of
from forge.stores.sql.rows import author_columns, author_of, signature_body, signature_of
from forge.versioning.conflict import Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.merge import MergeStatus, Strategy
from forge.versioning.tag import Tag


def tag_row(tag: Tag) -> Row:
    own = columns_of(tag, "tagger", "signature")
    return {**own, **author_columns("tagger", tag.tagger), "signature": signature_body(tag.signature)}


def tag_of(row: Mapping[str, Any]) -> Tag:
    return record_of(Tag, row, tagger=author_of("tagger", row), signature=signature_of(row["signature"]))


def merge_row(merge: MergeRecord) -> Row:
    return {
        **columns_of(merge, "author", "keys"),
        **author_columns("author", merge.author),
        "merge_keys": merge.keys,
        "rules": [columns_of(rule) for rule in merge.rules],
        "tables": [asdict(tally) for tally in merge.tables],
        "approvals": [asdict(approval) for approval in merge.approvals],
    }


def merge_of(row: Mapping[str, Any]) -> MergeRecord:
    return record_of(
        MergeRecord,
        row,
        author=author_of("author", row),
        strategy=Strategy(row["strategy"]),
        status=MergeStatus(row["status"]),
        keys={table: tuple(columns) for table, columns in row["merge_keys"].items()},
        rules=tuple(record_of(ResolutionRule, rule, take=ResolutionChoice(rule["take"])) for rule in row["rules"]),
        tables=tuple(record_of(TableTally, tally) for tally in row["tables"]),
        approvals=tuple(Approval(**approval) for approval in row["approvals"]),
    )


def conflict_rows(merge_id: str, conflicts: Sequence[Conflict]) -> list[Row]:
    """Each once, in the order given."""
    once = {conflict.id: conflict for conflict in conflicts}
    return [
        {
            **columns_of(conflict, "key", "column", "table"),
            "merge_id": merge_id,
            "id": conflict_id,
            "position": position,
            "table_name": conflict.table,
            "column_name": conflict.column,
            "row_key": conflict.key,
        }
        for position, (conflict_id, conflict) in enumerate(once.items())
    ]


def conflict_of(row: Mapping[str, Any]) -> Conflict:
    return record_of(
        Conflict,
        row,
        kind=ConflictKind(row["kind"]),
        key=row["row_key"],
        column=row["column_name"],
        table=row["table_name"],
        resolution=None if row["resolution"] is None else ResolutionChoice(row["resolution"]),
    )


def blob_rows(blobs: Iterable[Blob]) -> list[Row]:
    """Sorted by path, so that two writers of the same files cannot deadlock."""
    return [asdict(blob) for blob in sorted(blobs, key=lambda blob: blob.path)]


def table_tree_rows(hashes: HashRecords) -> list[Row]:
    return [{"digest": digest, "body": body} for digest, body in sorted(hashes.table_trees.items())]
