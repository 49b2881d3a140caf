"""Commits as data and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.formatting import count, moment, plural, short, signed, size

if TYPE_CHECKING:
    from forge.flows.ports import Lake, SnapshotState
    from forge.flows.versioning.read import TableChange
    from forge.model.names import CatalogName, SnapshotId, TableName
    from forge.versioning.commit import Commit, TableVersion, Tree


def answer_of_log(commits: Sequence[Commit]) -> CommandAnswer:
    columns = (
        AnswerColumn("commit", lambda i: short(i["id"]), style="yellow"),
        AnswerColumn("time (UTC)", lambda i: moment(i["time"])),
        AnswerColumn("author", lambda i: str(i["author"]["name"]) if isinstance(i["author"], dict) else ""),
        AnswerColumn("tables", lambda i: str(len(i["tables"])) if isinstance(i["tables"], list) else "", right=True),
        AnswerColumn("message", lambda i: next(iter(str(i["message"]).splitlines()), "")),
    )
    return CommandAnswer(name="commits", items=[commit.to_dict() for commit in commits], columns=columns)


def answer_of_commit(commit: Commit, tree: Tree, lake: Lake) -> CommandAnswer:
    items = [_version_item(commit, table, version, lake) for table, version in sorted(tree.items())]
    columns = (
        AnswerColumn("table", lambda i: str(i["table"]), style="bold"),
        AnswerColumn("version", lambda i: f"v{i['version']}", right=True),
        AnswerColumn("rows", lambda i: count(i["rows"]), right=True),
        AnswerColumn("added", lambda i: count(i["rows_added"]), right=True),
        AnswerColumn("modified", lambda i: count(i["rows_modified"]), right=True),
        AnswerColumn("deleted", lambda i: count(i["rows_deleted"]), right=True),
        AnswerColumn("size", lambda i: size(i["bytes"]), right=True),
        AnswerColumn("digest", lambda i: short(i["digest"])),
        AnswerColumn("", lambda i: "changed" if i["changed"] else ""),
    )
    head = [*_head(commit), "", *(f"    {line}" for line in commit.message.splitlines()), ""]
    return CommandAnswer(name="tables", items=items, columns=columns, facts={"commit": commit.to_dict()}, head=head)


def _head(commit: Commit) -> list[str]:
    lines = [f"commit  {commit.id}", f"author  {commit.author.text}"]
    if commit.committer != commit.author:
        lines.append(f"by      {commit.committer.text}")
    lines.append(f"time    {moment(commit.time)} UTC, on {commit.branch}")
    if commit.is_merge:
        lines.append(f"merge   {' '.join(map(short, commit.parents))}")
    else:
        lines += [f"parent  {short(parent)}" for parent in commit.parents]
    if commit.metadata.get("run_id"):
        lines.append(f"run     {commit.metadata['run_id']}")
    lines.append(f"tree    {short(commit.tree_id)}")
    if commit.signature:
        lines.append(f"signed  {commit.signature.algorithm} by key {commit.signature.key_id}")
    return lines


def _version_item(commit: Commit, table: TableName, version: TableVersion, lake: Lake) -> dict[str, object]:
    """Changed tables from the commit; unchanged ones from the table's own metadata."""
    changed = commit.statistics.get(table)
    counted = changed
    if counted is None and version.snapshot_id is not None:
        found = _snapshot(lake, version.catalog, version.snapshot_id)
        counted = found.statistics if found else None
    is_view = version.kind == "view"
    return {
        "table": str(table),
        "kind": version.kind,
        "version": version.number,
        "changed": changed is not None,
        "key": list(version.key),
        "rows": counted.record_count if counted and not is_view else None,
        "bytes": counted.total_size if counted and not is_view else None,
        "rows_added": changed.rows_added if changed else None,
        "rows_modified": changed.rows_modified if changed else None,
        "rows_deleted": changed.rows_deleted if changed else None,
        "digest": version.digest,
        "snapshot_id": version.snapshot_id,
        "run_id": version.run_id,
    }


def _snapshot(lake: Lake, catalog: CatalogName, snapshot_id: SnapshotId) -> SnapshotState | None:
    """None: it has expired, or its metadata is unreadable; the commit is then shown without its counts."""
    from forge.flows.upkeep.unreadable_metadata import UnreadableMetadata

    try:
        return lake.snapshot(catalog, snapshot_id)
    except UnreadableMetadata:
        return None


def answer_of_diff(left: Commit, right: Commit, changes: Sequence[TableChange]) -> CommandAnswer:
    items = [{**asdict(change), "table": str(change.table)} for change in changes]
    columns = (
        AnswerColumn("table", lambda i: str(i["table"]), style="bold"),
        AnswerColumn("change", lambda i: str(i["change"])),
        AnswerColumn("rows", lambda i: f"{count(i['rows_before'])} → {count(i['rows_after'])}", right=True),
        AnswerColumn("by", lambda i: signed(int(str(i["rows_after"])) - int(str(i["rows_before"]))), right=True),
        AnswerColumn("size", lambda i: size(i["bytes_after"]), right=True),
        AnswerColumn("columns", _columns_text),
    )
    facts: dict[str, object] = {"base_commit": left.id, "compare_commit": right.id}
    foot = [f"{plural(len(changes), 'table')} changed between {short(left.id)} and {short(right.id)}"]
    return CommandAnswer(name="changes", items=items, columns=columns, facts=facts, foot=foot)


def _columns_text(item: object) -> str:
    assert isinstance(item, dict)
    marks = (("+", "columns_added"), ("−", "columns_removed"), ("~", "columns_retyped"))
    return ", ".join(f"{mark}{name}" for mark, key in marks for name in item[key])
