"""Branches, commits and rows at a commit."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from forge.api.wire.shape import Wire


class AuthorView(Wire):
    name: str
    email: str
    user_id: str = ""


class ChangeView(Wire):
    """What one commit did to one table."""

    table: str
    rows_added: int
    rows_deleted: int
    bytes_added: int
    bytes_deleted: int
    record_count: int
    total_size: int


class CommitView(Wire):
    id: str
    tree: str
    parents: list[str]
    author: AuthorView
    committer: AuthorView
    message: str
    time: datetime
    branch: str
    is_merge: bool
    run_id: str | None
    tables: list[ChangeView]
    rows_added: int
    rows_deleted: int


class VersionView(Wire):
    """One table as a commit has it."""

    table: str
    kind: str
    version: int
    changed: bool
    snapshot_id: str | None
    run_id: str | None


class CommitDetail(CommitView):
    versions: list[VersionView]


class BranchView(Wire):
    id: str
    name: str
    description: str
    status: str
    parent: str | None
    fork_commit: str | None
    head_commit: str | None
    is_default: bool
    is_protected: bool = False
    require_approval: bool = False
    allowed_mergers: list[str] = []
    created_by: str
    created_at: datetime
    updated_at: datetime
    ahead: int
    behind: int


class BranchCreate(Wire):
    name: Annotated[str, Field(max_length=255)]
    from_commit: Annotated[str, Field(max_length=255)] = "HEAD"  # any revision: branch, commit, HEAD~1, time
    description: Annotated[str, Field(max_length=10_000)] = ""


class SampleColumn(Wire):
    name: str
    type: str
    masked: bool = False


class RowsView(Wire):
    """A few rows. A value that JSON cannot hold exactly (decimals, times, binary) is a text; masked ones are null."""

    dataset_id: str
    commit: str
    columns: list[SampleColumn]
    rows: list[list[Any]]
    truncated: bool
