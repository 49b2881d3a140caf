"""A commit as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forge.api.versioning.wire.refs import CommitView, LaneEdge
from forge.model.names import CommitId
from forge.versioning.commit import Commit
from forge.versioning.log_graph import lanes


def commit_view(commit: Commit) -> CommitView:
    return CommitView.model_validate({name: value for name, value in commit.to_dict().items() if name != "metadata"})


def graph_views(commits: Sequence[Commit], parents: Mapping[CommitId, Sequence[CommitId]]) -> list[CommitView]:
    """A log with the position of each commit in its graph."""
    rows = lanes([(commit.id, parents[commit.id]) for commit in commits])
    return [
        commit_view(commit).model_copy(
            update={"lane": row.lane, "edges": [LaneEdge.model_validate(edge) for edge in row.edges]}
        )
        for commit, row in zip(commits, rows, strict=True)
    ]
