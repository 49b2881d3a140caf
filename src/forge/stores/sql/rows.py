"""Records as rows and back. No database access."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from forge.flows.runs.records import (
    AssetRecord,
    AuditRecord,
    LoadedFile,
    OutputRecord,
    OutputStatus,
    Publication,
    RunRecord,
    RunStatus,
    TableLineage,
)
from forge.lineage.edge import Edge, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.model.names import BranchName, CatalogName, ColumnName, CommitId, RunId, TableName
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.versioning.commit import Author, Commit, Signature, TableStatistics, TableVersion, Tree

Row = dict[str, Any]
TABLE_EDGE = "table"


def table_of(text: str) -> TableName:
    """A stored name is not parsed again: it was valid when written."""
    schema, _, name = text.partition(".")
    return TableName(schema, name)


def tree_body(tree: Tree) -> Row:
    return {
        str(name): {
            "catalog": [version.catalog.namespace, version.catalog.name],
            "uuid": version.uuid,
            "snapshot_id": version.snapshot_id,
            "schema_id": version.schema_id,
            "number": version.number,
            "kind": version.kind,
            "metadata_location": version.metadata_location,
            "run_id": version.run_id,
            "fingerprint": version.fingerprint,
            **({} if version.digest is None else {"digest": version.digest}),
            **({"key": list(version.key)} if version.key else {}),
            **({"is_unique": True} if version.is_unique else {}),
        }
        for name, version in tree.items()
    }


def tree_of(body: Mapping[str, Any]) -> Tree:
    return {
        table_of(name): TableVersion(
            **{**version, "catalog": CatalogName(*version["catalog"]), "key": tuple(version.get("key", ()))}
        )
        for name, version in body.items()
    }


def view_files_of(tree: Tree) -> list[str] | None:
    return sorted(v.metadata_location for v in tree.values() if v.metadata_location) or None


def commit_row(commit: Commit) -> Row:
    return {
        "id": commit.id,
        "tree_id": commit.tree_id,
        "author_name": commit.author.name,
        "author_email": commit.author.email,
        "author_user_id": commit.author.user_id,
        "committer_name": commit.committer.name,
        "committer_email": commit.committer.email,
        "committer_user_id": commit.committer.user_id,
        "message": commit.message,
        "time": commit.time,
        "branch": commit.branch,
        "metadata": commit.metadata,
        "signature": signature_body(commit.signature),
    }


def signature_body(signature: Signature | None) -> Row | None:
    return None if signature is None else asdict(signature)


def signature_of(body: Mapping[str, str] | None) -> Signature | None:
    return None if body is None else Signature(**body)


def parent_rows(commit: Commit) -> list[Row]:
    return [
        {"commit_id": commit.id, "position": position, "parent_id": parent}
        for position, parent in enumerate(commit.parents)
    ]


_STATISTICS = tuple(field.name for field in fields(TableStatistics))


def statistics_rows(commit: Commit) -> list[Row]:
    return [
        {"commit_id": commit.id, "table_name": str(table), **{name: getattr(stats, name) for name in _STATISTICS}}
        for table, stats in commit.statistics.items()
    ]


def commit_of(row: Mapping[str, Any], parents: Sequence[CommitId], statistics: Iterable[Mapping[str, Any]]) -> Commit:
    return Commit(
        id=CommitId(row["id"]),
        tree_id=row["tree_id"],
        parents=tuple(parents),
        author=Author(row["author_name"], row["author_email"], row["author_user_id"]),
        committer=Author(row["committer_name"], row["committer_email"], row["committer_user_id"]),
        message=row["message"],
        time=row["time"],
        branch=BranchName(row["branch"]),
        statistics={
            table_of(s["table_name"]): TableStatistics(**{name: s[name] for name in _STATISTICS}) for s in statistics
        },
        metadata=row["metadata"],
        signature=signature_of(row["signature"]),
    )


_RUN = (
    "id",
    "branch",
    "status",
    "started_at",
    "user",
    "host",
    "pid",
    "process_started",
    "selection",
    "params",
    "step",
    "finished_at",
    "commit_id",
    "error",
    "kind",
)
_OUTPUT = (
    "status",
    "reason",
    "kind",
    "rows",
    "rows_added",
    "snapshot_id",
    "fingerprint",
    "spark_jobs",
    "seconds",
    "inputs",
    "error",
    "parts",
)


def run_row(run: RunRecord) -> Row:
    given = {name: getattr(run, name) for name in _RUN}
    return {**given, "status": run.status.value, "range_start": run.start, "range_end": run.end}


def output_rows(run: RunRecord) -> list[Row]:
    return [
        {
            **{name: getattr(output, name) for name in _OUTPUT},
            "status": output.status.value,
            "run_id": run.id,
            "table_name": str(output.table),
            "position": position,
        }
        for position, output in enumerate(run.outputs)
    ]


def output_of(row: Mapping[str, Any]) -> OutputRecord:
    values = {name: row[name] for name in _OUTPUT}
    return OutputRecord(table=table_of(row["table_name"]), **{**values, "status": OutputStatus(row["status"])})


def run_of(row: Mapping[str, Any], outputs: Iterable[Mapping[str, Any]]) -> RunRecord:
    values = {name: row[name] for name in _RUN}
    return RunRecord(
        **{
            **values,
            "status": RunStatus(row["status"]),
            "selection": tuple(row["selection"]),
            "outputs": tuple(output_of(output) for output in outputs),
            "start": row["range_start"],
            "end": row["range_end"],
        }
    )


def verdict_rows(run_id: RunId, verdicts: Iterable[Verdict]) -> list[Row]:
    return [
        {
            "run_id": run_id,
            "table_name": verdict.table,
            "check_id": verdict.check_id,
            "check_type": verdict.check_type,
            "columns": verdict.columns,
            "outcome": verdict.outcome.value,
            "severity": verdict.severity.value,
            "message": verdict.message,
            "blocks": verdict.blocks,
            "details": verdict.details,
        }
        for verdict in verdicts
    ]


def verdict_of(row: Mapping[str, Any]) -> Verdict:
    return Verdict(
        check_id=row["check_id"],
        check_type=row["check_type"],
        table=row["table_name"],
        columns=tuple(row["columns"]),
        outcome=Outcome(row["outcome"]),
        severity=Severity(row["severity"]),
        message=row["message"],
        blocks=bool(row["blocks"]),
        details=row["details"],
    )


def edge_rows(run_id: RunId, commit_id: CommitId | None, lineage: Iterable[TableLineage]) -> list[Row]:
    return [
        {
            "run_id": run_id,
            "commit_id": commit_id,
            "output": str(one.table),
            "source_table": edge.source.table,
            "source_column": edge.source.column,
            "source_field": edge.source.field,
            "target_table": edge.target.table,
            "target_column": edge.target.column,
            "target_field": edge.target.field,
            "transformation": edge.transformation.value,
            "expression": edge.expression,
            "masking": edge.masking,
            "confidence": edge.confidence,
        }
        for one in lineage
        for edge in one.edges
    ]


def table_edge_rows(run_id: RunId, commit_id: CommitId | None, lineage: Iterable[TableLineage]) -> list[Row]:
    rows: list[Row] = []
    for one in lineage:
        own: Row = {"run_id": run_id, "commit_id": commit_id, "output": str(one.table)}
        rows += [
            {
                **own,
                "kind": edge.subtype.value,
                "source_table": edge.source.table,
                "source_column": edge.source.column,
                "source_field": edge.source.field,
                "target_table": edge.target,
            }
            for edge in one.indirect
        ]
        rows += [
            {
                **own,
                "kind": TABLE_EDGE,
                "source_table": edge.source,
                "source_column": None,
                "source_field": "",
                "target_table": edge.target,
            }
            for edge in one.table_edges
        ]
    return rows


def _edge_of(row: Mapping[str, Any]) -> Edge:
    return Edge(
        source=ColumnName(row["source_table"], row["source_column"], row["source_field"]),
        target=ColumnName(row["target_table"], row["target_column"], row["target_field"]),
        transformation=Transformation(row["transformation"]),
        expression=row["expression"],
        masking=bool(row["masking"]),
        confidence=row["confidence"],
    )


def lineage_of(
    table: TableName, edges: Iterable[Mapping[str, Any]], table_edges: Sequence[Mapping[str, Any]]
) -> TableLineage:
    return TableLineage(
        table=table,
        edges=tuple(_edge_of(row) for row in edges),
        indirect=tuple(
            IndirectEdge(
                ColumnName(row["source_table"], row["source_column"], row["source_field"]),
                row["target_table"],
                IndirectType(row["kind"]),
            )
            for row in table_edges
            if row["kind"] != TABLE_EDGE
        ),
        table_edges=tuple(
            TableEdge(row["source_table"], row["target_table"]) for row in table_edges if row["kind"] == TABLE_EDGE
        ),
    )


_ASSET = ("kind", "description", "owner", "tags", "columns", "updated_at", "row_count", "size_bytes")


def asset_row(asset: AssetRecord) -> Row:
    return {"table_name": str(asset.table), **{name: getattr(asset, name) for name in _ASSET}}


def asset_of(row: Mapping[str, Any]) -> AssetRecord:
    values = {name: row[name] for name in _ASSET}
    return AssetRecord(
        table=table_of(row["table_name"]), **{**values, "tags": tuple(row["tags"]), "columns": tuple(row["columns"])}
    )


def profile_rows(publication: Publication) -> list[Row]:
    return [
        {
            "table_name": str(profile.table),
            "snapshot_id": profile.snapshot_id,
            "run_id": publication.run.id,
            "readings": profile.readings,
        }
        for profile in publication.profiles
    ]


def loaded_rows(publication: Publication) -> list[Row]:
    return [
        {
            "commit_id": publication.commit.id,
            "table_name": str(table),
            "path": file.path,
            "size": file.size,
            "modified_ns": file.modified_ns,
            "digest": file.digest,
        }
        for table, files in publication.loaded.items()
        for file in files
    ]


def loaded_of(row: Mapping[str, Any]) -> LoadedFile:
    return LoadedFile(row["path"], row["size"], row["modified_ns"], row["digest"])


def audit_row(record: AuditRecord) -> Row:
    return {
        "time": record.time,
        "actor": record.actor,
        "action": record.action,
        "subject": record.subject,
        "detail": record.detail,
    }


def audit_of(row: Mapping[str, Any]) -> AuditRecord:
    return AuditRecord(row["time"], row["actor"], row["action"], row["subject"], row["detail"])
