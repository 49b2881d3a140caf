"""Records as rows and back. No database access."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from forge.flows.runs.records import (
    AssetRecord,
    AuditRecord,
    OutputRecord,
    OutputStatus,
    Publication,
    RunRecord,
    RunStatus,
    TableLineage,
)
from forge.lineage.edge import Edge, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.model.names import CatalogName, ColumnName, CommitId, RunId, TableName
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.stores.sql.record_columns import Row, columns_of, record_of
from forge.versioning.commit import Author, Commit, Signature, TableStatistics, TableVersion, Tree

TABLE_EDGE = "table"


def table_of(text: str) -> TableName:
    """A stored name is not parsed again: it was valid when written."""
    schema, _, name = text.partition(".")
    return TableName(schema, name)


def tree_body(tree: Tree) -> Row:
    """Without what early trees did not have, where a version has none of it."""
    return {
        str(name): {
            **columns_of(version, "digest", "key", "is_unique"),
            "catalog": [version.catalog.namespace, version.catalog.name],
            **({} if version.digest is None else {"digest": version.digest}),
            **({"key": list(version.key)} if version.key else {}),
            **({"is_unique": True} if version.is_unique else {}),
        }
        for name, version in tree.items()
    }


def tree_of(body: Mapping[str, Any]) -> Tree:
    return {
        table_of(name): record_of(TableVersion, version, catalog=CatalogName(*version["catalog"]))
        for name, version in body.items()
    }


def view_files_of(tree: Tree) -> list[str] | None:
    return sorted(v.metadata_location for v in tree.values() if v.metadata_location) or None


def commit_row(commit: Commit) -> Row:
    return {
        **columns_of(commit, "parents", "author", "committer", "statistics", "signature"),
        **author_columns("author", commit.author),
        **author_columns("committer", commit.committer),
        "signature": signature_body(commit.signature),
    }


def author_columns(role: str, author: Author) -> Row:
    return {f"{role}_{name}": value for name, value in columns_of(author).items()}


def author_of(role: str, row: Mapping[str, Any]) -> Author:
    return Author(row[f"{role}_name"], row[f"{role}_email"], row[f"{role}_user_id"])


def signature_body(signature: Signature | None) -> Row | None:
    return None if signature is None else asdict(signature)


def signature_of(body: Mapping[str, str] | None) -> Signature | None:
    return None if body is None else Signature(**body)


def parent_rows(commit: Commit) -> list[Row]:
    return [
        {"commit_id": commit.id, "position": position, "parent_id": parent}
        for position, parent in enumerate(commit.parents)
    ]


def statistics_rows(commit: Commit) -> list[Row]:
    return [
        {"commit_id": commit.id, "table_name": str(table), **columns_of(stats)}
        for table, stats in commit.statistics.items()
    ]


def commit_of(row: Mapping[str, Any], parents: Sequence[CommitId], statistics: Iterable[Mapping[str, Any]]) -> Commit:
    return record_of(
        Commit,
        row,
        parents=tuple(parents),
        author=author_of("author", row),
        committer=author_of("committer", row),
        statistics={table_of(one["table_name"]): record_of(TableStatistics, one) for one in statistics},
        signature=signature_of(row["signature"]),
    )


def run_row(run: RunRecord) -> Row:
    return {**columns_of(run, "outputs", "start", "end"), "range_start": run.start, "range_end": run.end}


def output_rows(run: RunRecord) -> list[Row]:
    return [
        {**columns_of(output, "table"), "run_id": run.id, "table_name": str(output.table), "position": position}
        for position, output in enumerate(run.outputs)
    ]


def output_of(row: Mapping[str, Any]) -> OutputRecord:
    return record_of(OutputRecord, row, table=table_of(row["table_name"]), status=OutputStatus(row["status"]))


def run_of(row: Mapping[str, Any], outputs: Iterable[Mapping[str, Any]]) -> RunRecord:
    return record_of(
        RunRecord,
        row,
        status=RunStatus(row["status"]),
        outputs=tuple(output_of(output) for output in outputs),
        start=row["range_start"],
        end=row["range_end"],
    )


def verdict_rows(run_id: RunId, verdicts: Iterable[Verdict]) -> list[Row]:
    return [{"run_id": run_id, "table_name": one.table, **columns_of(one, "table")} for one in verdicts]


def verdict_of(row: Mapping[str, Any]) -> Verdict:
    words = {"outcome": Outcome(row["outcome"]), "severity": Severity(row["severity"])}
    return record_of(Verdict, row, table=row["table_name"], **words)


def edge_rows(run_id: RunId, commit_id: CommitId | None, lineage: Iterable[TableLineage]) -> list[Row]:
    return [
        {
            "run_id": run_id,
            "commit_id": commit_id,
            "output": str(one.table),
            **_column_columns("source", edge.source),
            **_column_columns("target", edge.target),
            **columns_of(edge, "source", "target", "file", "line"),
        }
        for one in lineage
        for edge in one.edges
    ]


def _column_columns(end: str, column: ColumnName) -> Row:
    return {f"{end}_table": column.table, f"{end}_column": column.column, f"{end}_field": column.field}


def _column_of(end: str, row: Mapping[str, Any]) -> ColumnName:
    return ColumnName(row[f"{end}_table"], row[f"{end}_column"], row[f"{end}_field"])


def table_edge_rows(run_id: RunId, commit_id: CommitId | None, lineage: Iterable[TableLineage]) -> list[Row]:
    rows: list[Row] = []
    for one in lineage:
        own: Row = {"run_id": run_id, "commit_id": commit_id, "output": str(one.table)}
        rows += [
            {
                **own,
                "kind": edge.subtype.value,
                **_column_columns("source", edge.source),
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
    ends = {"source": _column_of("source", row), "target": _column_of("target", row)}
    return record_of(Edge, row, transformation=Transformation(row["transformation"]), **ends)


def lineage_of(
    table: TableName, edges: Iterable[Mapping[str, Any]], table_edges: Sequence[Mapping[str, Any]]
) -> TableLineage:
    return TableLineage(
        table=table,
        edges=tuple(_edge_of(row) for row in edges),
        indirect=tuple(
            IndirectEdge(_column_of("source", row), row["target_table"], IndirectType(row["kind"]))
            for row in table_edges
            if row["kind"] != TABLE_EDGE
        ),
        table_edges=tuple(
            TableEdge(row["source_table"], row["target_table"]) for row in table_edges if row["kind"] == TABLE_EDGE
        ),
    )


def asset_row(asset: AssetRecord) -> Row:
    return {"table_name": str(asset.table), **columns_of(asset, "table")}


def asset_of(row: Mapping[str, Any]) -> AssetRecord:
    return record_of(AssetRecord, row, table=table_of(row["table_name"]))


def profile_rows(publication: Publication) -> list[Row]:
    return [
        {"table_name": str(profile.table), "run_id": publication.run.id, **columns_of(profile, "table")}
        for profile in publication.profiles
    ]


def loaded_rows(publication: Publication) -> list[Row]:
    return [
        {"commit_id": publication.commit.id, "table_name": str(table), **columns_of(file)}
        for table, files in publication.loaded.items()
        for file in files
    ]


def audit_row(record: AuditRecord) -> Row:
    return columns_of(record)
