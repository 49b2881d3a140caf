"""Row counts of versions taken over without reading them: their files do not show which rows changed, their commits
do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from forge.flows.versioning.merge.tree import TableOutcome, TreeMerge
from forge.flows.versioning.record_ports import Commits
from forge.model.names import CommitId, TableName
from forge.versioning.commit import TableStatistics
from forge.versioning.graph import commits_between

UNREAD = ("fast_forward", "zero_copy")
MANY = 500  # commits: reading more would take longer than the rest of a fast-forward


def rows_between(metadata: Commits, base: CommitId | None, head: CommitId | None) -> dict[TableName, TableStatistics]:
    """By table, the rows added, changed and deleted by the commits of `head` that `base` does not have, summed up.
    Inverted where `base` has more commits: added rows are deleted then."""
    parents = metadata.ancestry([commit for commit in (base, head) if commit])
    forward, back = commits_between(base, head, parents), commits_between(head, base, parents)
    found: dict[TableName, TableStatistics] = {}
    for commit_id in (forward or back) if len(forward or back) <= MANY else ():
        commit = metadata.commit(commit_id)
        for table, statistics in (commit.statistics if commit else {}).items():
            known = found.get(table, TableStatistics())
            added, deleted = (statistics.rows_added, statistics.rows_deleted)[:: 1 if forward else -1]
            found[table] = replace(
                known,
                rows_added=known.rows_added + added,
                rows_deleted=known.rows_deleted + deleted,
                rows_modified=known.rows_modified + statistics.rows_modified,
            )
    return found


def with_row_counts(merged: TreeMerge, rows: Mapping[TableName, TableStatistics]) -> TreeMerge:
    outcomes = {t: _with_counts(o, rows[t]) if t in rows else o for t, o in merged.outcomes.items()}
    return replace(merged, outcomes=outcomes)


def _with_counts(outcome: TableOutcome, rows: TableStatistics) -> TableOutcome:
    if outcome.tally.how not in UNREAD:
        return outcome
    added, deleted, modified = rows.rows_added, rows.rows_deleted, rows.rows_modified
    return replace(
        outcome,
        tally=replace(outcome.tally, inserted=added, updated=modified, deleted=deleted),
        statistics=replace(outcome.statistics, rows_added=added, rows_deleted=deleted, rows_modified=modified),
    )
