"""/api/v1/branches/tags: names for commits that stay where they are."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from forge.api.auth import ThePrincipal
from forge.api.paging import AWindow
from forge.api.site import TheSite
from forge.api.versioning.branch_views import tag_view
from forge.api.versioning.paths import branch_router
from forge.api.versioning.wire.refs import TagCreate, TagView
from forge.api.wire import Page
from forge.flows.versioning import tags as flow
from forge.flows.versioning.revisions import find_tag
from forge.versioning.commit import Author

router = branch_router("tags")

TagName = Annotated[str, Path(max_length=255, description="Percent-encoded where it has a slash.")]


@router.get("/tags")
def list_tags(site: TheSite, window: AWindow) -> Page[TagView]:
    """By name."""
    found = flow.list_tags(site.wiring.metadata)
    return window.page(found, tag_view, total=len(found))


@router.post("/tags", status_code=201)
def create_tag(body: TagCreate, site: TheSite, caller: ThePrincipal) -> TagView:
    """A tag at any revision. One that exists is moved by `force` alone, and never while a protected branch holds it."""
    wiring = site.wiring
    tag = flow.create_tag(
        wiring.metadata,
        body.name,
        body.target,
        author=Author(caller.user, caller.user),
        clock=wiring.clock,
        current=wiring.default_branch,
        message=body.message,
        force=body.force,
        signer=wiring.versioning.signer,
        protected=wiring.settings.versioning.protected_branches,
    )
    return tag_view(tag)


@router.get("/tags/{tag:path}")
def one_tag(tag: TagName, site: TheSite) -> TagView:
    return tag_view(find_tag(site.wiring.metadata, tag))


@router.delete("/tags/{tag:path}", status_code=204)
def delete_tag(tag: TagName, site: TheSite, caller: ThePrincipal) -> None:
    """Refused (409) while a protected branch holds the commit it is at."""
    wiring = site.wiring
    flow.delete_tag(
        wiring.metadata,
        tag,
        author=Author(caller.user, caller.user),
        clock=wiring.clock,
        protected=wiring.settings.versioning.protected_branches,
    )
