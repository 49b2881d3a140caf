"""A commit as HTTP shows it."""

from __future__ import annotations

from forge.api.wire.versioning import AuthorView, ChangeView, CommitView
from forge.model.names import TableName
from forge.versioning.commit import Author, Commit, TableStatistics


def commit_view(commit: Commit) -> CommitView:
    changes = [_change(table, done) for table, done in sorted(commit.statistics.items())]
    run_id = commit.metadata.get("run_id")
    return CommitView(
        id=commit.id,
        tree=commit.tree_id,
        parents=list(commit.parents),
        author=_author(commit.author),
        committer=_author(commit.committer),
        message=commit.message,
        time=commit.time,
        branch=commit.branch,
        is_merge=len(commit.parents) > 1,
        run_id=str(run_id) if run_id else None,
        tables=changes,
        rows_added=sum(change.rows_added for change in changes),
        rows_deleted=sum(change.rows_deleted for change in changes),
    )


def _author(author: Author) -> AuthorView:
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
    )
