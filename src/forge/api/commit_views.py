"""A commit as HTTP shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forge.api.versioning.wire.refs import AuthorView, ChangeView, CommitView, LaneEdge, SignatureView
from forge.model.names import CommitId, TableName
from forge.versioning.commit import Author, Commit, Signature, TableStatistics
from forge.versioning.log_graph import lanes


def commit_view(commit: Commit) -> CommitView:
    changes = [_change(table, done) for table, done in sorted(commit.statistics.items())]
    run_id = commit.metadata.get("run_id")
    return CommitView(
        id=commit.id,
        tree=commit.tree_id,
        parents=list(commit.parents),
        author=author_view(commit.author),
        committer=author_view(commit.committer),
        message=commit.message,
        time=commit.time,
        branch=commit.branch,
        is_merge=len(commit.parents) > 1,
        run_id=str(run_id) if run_id else None,
        tables=changes,
        rows_added=sum(change.rows_added for change in changes),
        rows_deleted=sum(change.rows_deleted for change in changes),
        rows_modified=sum(change.rows_modified for change in changes),
        bytes_added=sum(change.bytes_added for change in changes),
        bytes_deleted=sum(change.bytes_deleted for change in changes),
        signature=signature_view(commit.signature),
    )


def graph_views(commits: Sequence[Commit], parents: Mapping[CommitId, Sequence[CommitId]]) -> list[CommitView]:
    """A log with the place of each commit in the picture of it."""
    rows = lanes([(commit.id, parents[commit.id]) for commit in commits])
    return [
        commit_view(commit).model_copy(
            update={
                "lane": row.lane,
                "edges": [LaneEdge(start=edge.start, end=edge.end, to=edge.to) for edge in row.edges],
            }
        )
        for commit, row in zip(commits, rows, strict=True)
    ]


def author_view(author: Author) -> AuthorView:
    return AuthorView(name=author.name, email=author.email, user_id=author.user_id)


def _change(table: TableName, done: TableStatistics) -> ChangeView:
    return ChangeView(
        table=str(table),
        rows_added=done.rows_added,
        rows_deleted=done.rows_deleted,
        bytes_added=done.bytes_added,
        bytes_deleted=done.bytes_deleted,
        record_count=done.record_count,
        total_size=done.total_size,
        rows_modified=done.rows_modified,
    )


def signature_view(signature: Signature | None) -> SignatureView | None:
    if signature is None:
        return None
    return SignatureView(algorithm=signature.algorithm, signature=signature.signature, key_id=signature.key_id)
