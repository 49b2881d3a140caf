"""Branches, tags and the tables of a commit as JSON."""

from __future__ import annotations

from dataclasses import replace

from forge.api.versioning.commit_views import commit_view
from forge.api.versioning.wire.refs import BranchView, CommitDetail, TagView, VersionView
from forge.flows.versioning import branches
from forge.model.names import TableName
from forge.settings.keys import VersioningKeys
from forge.versioning.commit import Commit, TableVersion, Tree
from forge.versioning.protection import effective
from forge.versioning.tag import Tag


def branch_view(found: branches.BranchSummary, keys: VersioningKeys) -> BranchView:
    """With the protection that the settings add."""
    branch = effective(found.branch, keys.protected_branches, keys.require_review_for_protected)
    return BranchView.model_validate(replace(found, branch=branch).to_dict())


def commit_detail(commit: Commit, tree: Tree) -> CommitDetail:
    versions = [_version(table, tree[table], changed=table in commit.statistics) for table in sorted(tree)]
    return CommitDetail.of(commit_view(commit), versions=versions)


def _version(table: TableName, version: TableVersion, *, changed: bool) -> VersionView:
    return VersionView.of(
        version,
        table=str(table),
        version=version.number,
        changed=changed,
        snapshot_id=None if version.snapshot_id is None else str(version.snapshot_id),
        schema_version=version.schema_id,
    )


def tag_view(tag: Tag) -> TagView:
    return TagView.model_validate(tag.to_dict())
