"""Branches, tags and the tables of a commit as HTTP shows them."""

from __future__ import annotations

from forge.api.commit_views import author_view, commit_view, signature_view
from forge.api.versioning.wire.refs import BranchView, CommitDetail, TagView, VersionView
from forge.flows.versioning import branches
from forge.model.names import TableName
from forge.settings.keys import VersioningKeys
from forge.versioning.commit import Commit, TableVersion, Tree
from forge.versioning.protection import effective
from forge.versioning.tag import Tag


def branch_view(found: branches.BranchView, keys: VersioningKeys) -> BranchView:
    """With the protection that the settings add."""
    branch = effective(found.branch, keys.protected_branches, keys.require_review_for_protected)
    return BranchView(
        id=branch.name,
        name=branch.name,
        description=branch.description,
        status=branch.status,
        parent=branch.parent,
        fork_commit=branch.fork_commit,
        head_commit=branch.head,
        is_default=branch.is_default,
        is_protected=branch.is_protected,
        require_approval=branch.needs_approval,
        allowed_mergers=list(branch.allowed_mergers),
        created_by=branch.created_by,
        created_at=branch.created_at,
        updated_at=branch.updated_at,
        ahead=found.ahead,
        behind=found.behind,
    )


def commit_detail(commit: Commit, tree: Tree) -> CommitDetail:
    versions = [_version(table, tree[table], changed=table in commit.statistics) for table in sorted(tree)]
    return CommitDetail(**commit_view(commit).model_dump(), versions=versions)


def _version(table: TableName, version: TableVersion, *, changed: bool) -> VersionView:
    return VersionView(
        table=str(table),
        kind=version.kind,
        version=version.number,
        changed=changed,
        snapshot_id=None if version.snapshot_id is None else str(version.snapshot_id),
        run_id=version.run_id,
        schema_version=version.schema_id,
        key=list(version.key),
    )


def tag_view(tag: Tag) -> TagView:
    return TagView(
        name=tag.name,
        target=tag.target,
        target_type=tag.target_type,
        tagger=author_view(tag.tagger),
        time=tag.time,
        message=tag.message,
        signature=signature_view(tag.signature),
    )
