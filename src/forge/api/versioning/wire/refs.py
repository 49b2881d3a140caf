"""Branches, commits, tags and rows at a commit."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from forge.api.wire import Name, Text, Wire
from forge.versioning.branch import BranchStatus


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
    rows_modified: int = 0


class SignatureView(Wire):
    algorithm: str
    signature: str
    key_id: str


class LaneEdge(Wire):
    """A line from a lane of this row of the graph to a lane of the next, on its way to the commit `to`."""

    start: int
    end: int
    to: str


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
    rows_modified: int = 0
    bytes_added: int = 0
    bytes_deleted: int = 0
    signature: SignatureView | None = None
    lane: int | None = None  # with graph=true
    edges: list[LaneEdge] = []  # with graph=true: the lines between this row and the next


class VersionView(Wire):
    """One table as a commit has it."""

    table: str
    kind: Literal["table", "view"]
    version: int
    changed: bool
    snapshot_id: str | None
    run_id: str | None
    schema_version: int = 0
    key: list[str] = []  # what identifies its rows, where declared


class CommitDetail(CommitView):
    versions: list[VersionView]


class BranchView(Wire):
    id: str
    name: str
    description: str
    status: BranchStatus
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
    name: Name
    from_commit: Name = "HEAD"  # any revision: branch, tag, commit, HEAD~1, time
    description: Text = ""


class BranchPatch(Wire):
    """What is left out stays. `is_protected: false` lifts approval and mergers with it; `require_approval: null` means
    as protection says."""

    name: Name | None = None  # a new one
    description: Text | None = None
    status: Literal["active", "archived"] | None = None
    is_protected: bool | None = None
    require_approval: bool | None = None
    allowed_mergers: Annotated[list[Name], Field(max_length=200)] | None = None


class TagView(Wire):
    name: str
    target: str
    target_type: Literal["commit"]
    tagger: AuthorView
    time: datetime
    message: str
    signature: SignatureView | None = None


class TagCreate(Wire):
    name: Name
    target: Name = "HEAD"  # any revision
    message: Text = ""
    force: bool = False  # move it where it exists


class ResetStart(Wire):
    branch: Name
    commit: Name  # any revision


class ResetView(Wire):
    branch: BranchView
    before: str | None
    commit: CommitView
    tables: list[str]  # that now point elsewhere


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
    truncated: bool  # more rows follow
    items: list[dict[str, Any]] = []  # the same rows, by the names of their columns
    next_cursor: str | None = None  # of the page after; of a SELECT, where it says ORDER BY
    has_more: bool = False
