"""/api/v1/branches: branches, of the project and of one dataset.

The last of the routers below that prefix: every path that no other takes is the name of a branch."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from forge.api.auth import ThePrincipal
from forge.api.paging import AWindow, Window
from forge.api.site import Site, TheSite
from forge.api.versioning.branch_views import branch_view
from forge.api.versioning.paths import Branch, Dataset, branch_router, find_dataset, find_named
from forge.api.versioning.wire.refs import BranchCreate, BranchPatch, BranchView
from forge.api.wire import Page
from forge.flows.versioning import branches as flow
from forge.flows.versioning.revisions import find_branch
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.versioning import branch as versioned
from forge.versioning.commit import Author
from forge.versioning.protection import effective

of_datasets, router = branch_router("branches"), branch_router("branches")

Status = Annotated[str | None, Query(max_length=20, description="active, merged or archived.")]


@router.get("")
def list_branches(site: TheSite, window: AWindow, status: Status = None) -> Page[BranchView]:
    """The default branch first."""
    found = flow.list_branches(site.wiring.metadata, site.wiring.default_branch)
    return _branches(site, found, status, window)


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
    return _view(site, created)


@of_datasets.get("/datasets/{dataset_id}/branches")
def dataset_branches(dataset_id: Dataset, site: TheSite, window: AWindow, status: Status = None) -> Page[BranchView]:
    """The branches that touch the dataset, and the default one."""
    wiring = site.wiring
    found = flow.branches_of(wiring.metadata, TableName.parse(dataset_id), wiring.default_branch)
    return _branches(site, found, status, window)


@of_datasets.post("/datasets/{dataset_id}/branches", status_code=201)
def create_dataset_branch(dataset_id: Dataset, body: BranchCreate, site: TheSite, caller: ThePrincipal) -> BranchView:
    """A branch of the project, to work on the dataset."""
    find_dataset(site.wiring, dataset_id)
    return create_branch(body, site, caller)


@of_datasets.get("/datasets/{dataset_id}/branches/{branch:path}")
def dataset_branch(dataset_id: Dataset, branch: Branch, site: TheSite) -> BranchView:
    find_dataset(site.wiring, dataset_id)
    return one_branch(branch, site)


@of_datasets.delete("/datasets/{dataset_id}/branches/{branch:path}", status_code=204)
def delete_dataset_branch(
    dataset_id: Dataset, branch: Branch, site: TheSite, caller: ThePrincipal, force: bool = False
) -> None:
    """Deletes the branch. Refused (409) while it holds changes to other tables that no other branch has, unless
    `force`."""
    _delete(branch, site, caller, force=force, table=find_dataset(site.wiring, dataset_id))


@router.get("/{branch:path}")
def one_branch(branch: Branch, site: TheSite) -> BranchView:
    return _view(site, find_named(site.wiring.metadata, branch))


@router.patch("/{branch:path}")
def change_branch(branch: Branch, body: BranchPatch, site: TheSite, caller: ThePrincipal) -> BranchView:
    """Rename, describe, protect, archive or restore a branch. What is left out stays."""
    author = Author(caller.user, caller.user)
    found = find_named(site.wiring.metadata, branch)
    branch, given = found.name, body.model_fields_set
    if given & {"is_protected", "require_approval", "allowed_mergers"}:
        _protect(site, found, body, author)
    if body.description is not None:
        flow.set_description(site.wiring.metadata, branch, body.description, author=author, clock=site.wiring.clock)
    if body.status is not None and body.status != found.status:
        _archive(site, branch, author, restore=body.status == "active")
    if body.name is not None and body.name != branch:
        found = _rename(site, branch, body.name, author)
    return _view(site, find_branch(site.wiring.metadata, found.name))


def _protect(site: Site, found: versioned.Branch, body: BranchPatch, author: Author) -> None:
    """What the request leaves out stays as it is recorded."""
    given, wiring = body.model_fields_set, site.wiring
    declared = wiring.settings.versioning.protected_branches
    protected = body.is_protected
    if protected is None:
        protected = effective(found, declared, True).is_protected
    if not protected and given & {"require_approval", "allowed_mergers"} and body.is_protected is None:
        raise ForgeError(
            "E105",
            f"'{found.name}' is not protected, so approvals and mergers mean nothing",
            where="body",
            fix="Send is_protected: true with them.",
        )
    flow.protect_branch(
        wiring.metadata,
        found.name,
        protected=protected,
        author=author,
        clock=wiring.clock,
        require_approval=body.require_approval if "require_approval" in given else found.require_approval,
        allowed_mergers=body.allowed_mergers if body.allowed_mergers is not None else found.allowed_mergers,
        declared=declared,
    )


def _archive(site: Site, branch: str, author: Author, *, restore: bool) -> None:
    wiring = site.wiring
    flow.archive_branch(
        wiring.metadata,
        branch,
        default=wiring.default_branch,
        author=author,
        clock=wiring.clock,
        restore=restore,
    )


def _rename(site: Site, branch: str, new: str, author: Author) -> versioned.Branch:
    wiring = site.wiring
    return flow.rename_branch(
        wiring.metadata,
        wiring.lake,
        branch,
        new,
        default=wiring.default_branch,
        author=author,
        clock=wiring.clock,
        protected=wiring.settings.versioning.protected_branches,
    )


@router.delete("/{branch:path}", status_code=204)
def delete_branch(branch: Branch, site: TheSite, caller: ThePrincipal, force: bool = False) -> None:
    """Refused (409) while it holds commits that no other branch has, unless `force`."""
    _delete(branch, site, caller, force=force)


def _delete(branch: str, site: Site, caller: ThePrincipal, *, force: bool, table: TableName | None = None) -> None:
    wiring = site.wiring
    flow.delete_branch(
        wiring.metadata,
        wiring.lake,
        find_named(wiring.metadata, branch).name,
        default=wiring.default_branch,
        author=Author(caller.user, caller.user),
        clock=wiring.clock,
        force=force,
        table=table,
        protected=wiring.settings.versioning.protected_branches,
    )


def _view(site: Site, branch: versioned.Branch) -> BranchView:
    found = flow.view_branch(site.wiring.metadata, branch, site.wiring.default_branch)
    return branch_view(found, site.wiring.settings.versioning)


def _branches(
    site: Site, found: tuple[flow.BranchSummary, ...], status: str | None, window: Window
) -> Page[BranchView]:
    kept = [view for view in found if status is None or view.branch.status == status]
    keys = site.wiring.settings.versioning
    return window.page(kept, lambda view: branch_view(view, keys), total=len(kept))
