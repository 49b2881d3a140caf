"""Routes below /api/v1/branches, and others with names that may contain a slash.

A name with a slash is best percent-encoded: `feature%2Fa` is always one segment. Plain `feature/a` works too, as
long as the path matches no other route: `a/commits` is the log of `a`. A branch named like a route, such as `tags`,
is `refs%2Fheads%2Ftags`."""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Path, Query
from fastapi.routing import APIRoute
from starlette.routing import Match

from forge.flows.versioning.branches import find_touching
from forge.flows.versioning.record_ports import Refs
from forge.flows.versioning.revisions import find_branch
from forge.model.names import BranchName, TableName
from forge.versioning import branch as versioned
from forge.wiring import Wiring

PREFIX = "/api/v1/branches"
_HEADS = "refs/heads/"
_ENCODED = re.compile("%2f", re.IGNORECASE)
_KEPT = "\x1f"  # stands for an encoded slash while the path is matched; no name may contain it


class EncodedSlashes(APIRoute):
    """A route for which an encoded slash is part of a name and no separator. Servers pass paths decoded, with both
    kinds of slashes mixed; the raw path distinguishes them."""

    def matches(self, scope: Any) -> tuple[Match, Any]:
        raw = scope.get("raw_path", b"").decode("latin-1")
        if not _ENCODED.search(raw):
            return super().matches(scope)
        match, child = super().matches({**scope, "path": unquote(_ENCODED.sub(_KEPT, raw))})
        if "path_params" in child:
            params = {name: value.replace(_KEPT, "/") for name, value in child["path_params"].items()}
            child = {**child, "path_params": params}
        return match, child


def find_named(metadata: Refs, name: str) -> versioned.Branch:
    """The branch of a path; a full ref name, as git writes it, never matches a route."""
    short = name.removeprefix(_HEADS)
    if short != name and metadata.branch(BranchName(name)) is None:
        name = short
    return find_branch(metadata, BranchName(name))


def find_dataset(wiring: Wiring, dataset_id: str) -> TableName:
    """The table of a path; an error for one that no branch ever touched."""
    table = TableName.parse(dataset_id)
    find_touching(wiring.metadata, table, wiring.default_branch)
    return table


def branch_router(tag: str) -> APIRouter:
    return APIRouter(prefix=PREFIX, tags=[tag], route_class=EncodedSlashes)


def lineage_router() -> APIRouter:
    """Ids of the lineage may contain slashes, dots and colons."""
    return APIRouter(prefix="/api/v1/lineage", tags=["lineage"], route_class=EncodedSlashes)


Branch = Annotated[str, Path(max_length=255, description="Percent-encoded where it has a slash: feature%2Fa.")]
Dataset = Annotated[str, Path(max_length=300, description="schema.table", examples=["core.orders"])]
Revision = Annotated[
    str, Path(max_length=255, description="A commit or its beginning, a branch, a tag, HEAD~1, a time.")
]
MergeIdentity = Annotated[str, Path(max_length=64, examples=["m20261115_061000_4f9a1c"])]

AskedRevision = Annotated[str, Query(max_length=255, description="A branch, a tag, a commit, HEAD~1 or a time.")]
AskedTable = Annotated[str | None, Query(max_length=300, description="schema.table", examples=["core.orders"])]
Columns = Annotated[tuple[str, ...], Query(max_length=500, description="Only these; repeated, or by comma.")]
