"""/api/v1/branches: branches and commits, of the project and of one dataset.

A name with a slash is best written percent-encoded: `feature%2Fa` is one part of the path, whatever it is. Plain,
`feature/a` works too, as long as the path cannot be read as another one: `a/commits` is the log of `a`."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Path, Query
from fastapi.routing import APIRoute
from starlette.routing import Match

from forge.api.auth import ThePrincipal
from forge.api.branch_views import branch_view, commit_detail
from forge.api.commit_views import commit_view
from forge.api.paging import AWindow, Window
from forge.api.rows import rows_view
from forge.api.site import Site, TheSite
from forge.api.wire.shape import Moment, Page
from forge.api.wire.versioning import BranchCreate, BranchView, CommitDetail, CommitView, RowsView
from forge.flows import branches as flow
from forge.flows.revisions import find_branch, find_commit
from forge.flows.sample import sample_rows
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.model.time import as_utc
from forge.versioning.commit import Author

_ENCODED = re.compile("%2f", re.IGNORECASE)
_KEPT = "\x1f"  # stands for an encoded slash while the path is matched; no name may contain it


class EncodedSlashes(APIRoute):
    """A route for which an encoded slash belongs to a name and does not end a part of the path. Servers hand over paths
    decoded, with the two kinds of slashes mixed; the path as it was sent tells them apart."""

    def matches(self, scope: Any) -> tuple[Match, Any]:
        raw = scope.get("raw_path", b"").decode("latin-1")
        if not _ENCODED.search(raw):
            return super().matches(scope)
        match, child = super().matches({**scope, "path": unquote(_ENCODED.sub(_KEPT, raw))})
        if "path_params" in child:
            params = {name: value.replace(_KEPT, "/") for name, value in child["path_params"].items()}
            child = {**child, "path_params": params}
        return match, child


router = APIRouter(prefix="/api/v1/branches", tags=["branches"], route_class=EncodedSlashes)

Branch = Annotated[str, Path(max_length=255, description="Percent-encoded where it has a slash: feature%2Fa.")]
Dataset = Annotated[str, Path(max_length=300, description="schema.table", examples=["core.orders"])]
Revision = Annotated[str, Path(max_length=255, description="A commit, its beginning, a branch, HEAD~1 or a time.")]


@router.get("")
def list_branches(
    site: TheSite, window: AWindow, status: Annotated[str | None, Query(max_length=20)] = None
) -> Page[BranchView]:
    """The default branch first."""
    return _branches(flow.list_branches(site.wiring.metadata, site.wiring.default_branch), status, window)


@router.post("", status_code=201)
def create_branch(body: BranchCreate, site: TheSite, caller: ThePrincipal) -> BranchView:
    """A branch from any revision. Writes no data."""
    wiring = site.wiring
    created = flow.create_branch(
        wiring.metadata,
        body.name,
        body.from_commit,
        current=wiring.default_branch,
        author=Author(caller.user, caller.user),
        clock=wiring.clock,
        description=body.description,
    )
    return branch_view(flow.view_branch(wiring.metadata, created, wiring.default_branch))


@router.get("/commits/commits", include_in_schema=False)
def commits_of_commits(site: TheSite, window: AWindow) -> Page[CommitView]:
    """The log of a branch that is called commits, which the next route would take for a revision."""
    return branch_commits("commits", site, window)


@router.get("/commits/{commit_id:path}")
def one_commit(commit_id: Revision, site: TheSite) -> CommitDetail:
    """One commit, with every table as it had it."""
    metadata = site.wiring.metadata
    commit = find_commit(metadata, commit_id, site.wiring.default_branch)
    return commit_detail(commit, metadata.tree(commit.id))


@router.get("/datasets/{dataset_id}/branches")
def dataset_branches(
    dataset_id: Dataset, site: TheSite, window: AWindow, status: Annotated[str | None, Query(max_length=20)] = None
) -> Page[BranchView]:
    """The branches that touch the dataset, and the default one."""
    wiring = site.wiring
    found = flow.branches_of(wiring.metadata, TableName.parse(dataset_id), wiring.default_branch)
    return _branches(found, status, window)


@router.get("/datasets/{dataset_id}/branches/{branch:path}/commits")
def dataset_commits(dataset_id: Dataset, branch: Branch, site: TheSite, window: AWindow) -> Page[CommitView]:
    """The commits of the branch that changed the dataset, newest first."""
    table = TableName.parse(dataset_id)
    flow.find_touching(site.wiring.metadata, table, site.wiring.default_branch)
    return _log(site, window, branch, table=table)


@router.get("/datasets/{dataset_id}/branches/{branch:path}")
def dataset_branch(dataset_id: Dataset, branch: Branch, site: TheSite) -> BranchView:
    flow.find_touching(site.wiring.metadata, TableName.parse(dataset_id), site.wiring.default_branch)
    return one_branch(branch, site)


@router.get("/datasets/{dataset_id}/commits/{commit_id:path}/data")
def dataset_rows(
    dataset_id: Dataset,
    commit_id: Revision,
    site: TheSite,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
) -> RowsView:
    """A few rows of the dataset at a commit, PII masked. Of a table they are read without Spark; a view needs it."""
    wiring, table = site.wiring, TableName.parse(dataset_id)
    found = sample_rows(
        wiring.metadata,
        wiring.lake,
        lambda: wiring.engine,
        table,
        commit_id,
        default=wiring.default_branch,
        limit=limit,
    )
    return rows_view(str(table), found)


@router.get("/{branch:path}/commits")
def branch_commits(
    branch: Branch,
    site: TheSite,
    window: AWindow,
    table: Annotated[str | None, Query(max_length=300)] = None,
    author: Annotated[str | None, Query(max_length=200, description="A part of name or e-mail.")] = None,
    since: Moment | None = None,
    until: Moment | None = None,
) -> Page[CommitView]:
    """Newest first."""
    named = TableName.parse(table) if table is not None else None
    return _log(site, window, branch, table=named, author=author, since=_utc(since), until=_utc(until))


@router.get("/{branch:path}")
def one_branch(branch: Branch, site: TheSite) -> BranchView:
    wiring = site.wiring
    found = find_branch(wiring.metadata, BranchName(branch))
    return branch_view(flow.view_branch(wiring.metadata, found, wiring.default_branch))


@router.delete("/{branch:path}", status_code=204)
def delete_branch(branch: Branch, site: TheSite, caller: ThePrincipal, force: bool = False) -> None:
    """Refused (409) while it holds commits that no other branch has, unless `force`."""
    wiring = site.wiring
    flow.delete_branch(
        wiring.metadata,
        wiring.lake,
        branch,
        default=wiring.default_branch,
        author=Author(caller.user, caller.user),
        clock=wiring.clock,
        force=force,
    )


def _branches(found: tuple[flow.BranchView, ...], status: str | None, window: Window) -> Page[BranchView]:
    kept = [view for view in found if status is None or view.branch.status == status]
    return window.page(kept, branch_view, total=len(kept))


def _log(
    site: Site,
    window: Window,
    branch: str,
    *,
    table: TableName | None = None,
    author: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
) -> Page[CommitView]:
    metadata = site.wiring.metadata
    head = find_branch(metadata, BranchName(branch)).head
    if head is None:
        return Page(items=[])
    found = metadata.log(head, limit=window.needed, table=table, author=author, since=since, until=until)
    return window.page(found, commit_view)


def _utc(time: datetime | None) -> datetime | None:
    try:
        return as_utc(time) if time is not None else None
    except OverflowError:
        raise ForgeError("E105", "The time is outside the calendar", fix="Write it like 2026-11-14T06:00Z.") from None
