"""Rollback of one table to where a check last passed. Nothing is copied: the branch points at the old snapshot
again, in a new commit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from forge.flows.quality.remediation.ports import RemedyPorts
from forge.flows.runs.input_pins import PinnedBranch
from forge.flows.runs.records import OutputStatus
from forge.flows.versioning.merge.record import TableTally
from forge.flows.versioning.merge.tree import TableOutcome
from forge.flows.versioning.ports import VersionPorts
from forge.model.names import BranchName, RunId, TableName
from forge.quality.verdict import Outcome
from forge.versioning.commit import Commit, TableStatistics, TableVersion, same

Content = tuple[object, ...]
RUNS = 500  # how many verdicts of runs are searched


@dataclass(frozen=True, slots=True)
class LastPassedCommit:
    """The newest commit of the branch at which all of these checks passed on content other than the current one."""

    commit: Commit
    version: TableVersion


def find_last_passed(
    ports: RemedyPorts, line: PinnedBranch, branch: BranchName, table: TableName, check_ids: tuple[str, ...]
) -> LastPassedCommit | None:
    """`branch`: where the checks failed; `line` may be a working branch created from it."""
    now = line.tree.get(table)
    if line.head is None or now is None:
        return None
    passed = [_passed_at(ports, branch, table, check_id) for check_id in check_ids]
    all_passed = set.intersection(*passed) if passed else set()
    metadata = ports.versions.metadata
    for commit in metadata.log(line.head):
        version = metadata.tree(commit.id).get(table)
        if version is None or _content(version) not in all_passed:
            continue
        if version.kind == "table" and not same(version, now):
            return LastPassedCommit(commit, version)
    return None


def _passed_at(ports: RemedyPorts, branch: BranchName, table: TableName, check_id: str) -> set[Content]:
    """Contents on which the check passed, in runs, monitors or by hand, and never failed. A verdict about a commit
    holds for the content of the table there, whatever the branch and whatever else the commit changed."""
    metadata, outcomes = ports.versions.metadata, list(ports.outcomes(table, check_id))
    for one_branch in dict.fromkeys((branch, ports.versions.default_branch)):
        found = [
            one
            for one in metadata.judgements(one_branch, [table], [check_id], runs=RUNS)
            if one.status is OutputStatus.PUBLISHED and one.outcome in (Outcome.PASSED, Outcome.FAILED)
        ]
        runs = metadata.find_runs({RunId(one.run_id) for one in found})
        for one in found:
            commit = runs[one.run_id].commit_id if one.run_id in runs else None
            if commit is not None:
                outcomes.append((commit, one.outcome is Outcome.PASSED))
    contents = {commit: metadata.tree(commit).get(table) for commit, _ in outcomes}
    judged = [(_content(version), passed) for commit, passed in outcomes if (version := contents[commit]) is not None]
    return {content for content, passed in judged if passed} - {content for content, passed in judged if not passed}


def _content(version: TableVersion) -> Content:
    return version.uuid, version.snapshot_id


def restored(ports: VersionPorts, line: PinnedBranch, table: TableName, version: TableVersion) -> TableOutcome:
    """The table at that version, for a commit on the branch."""
    before = line.tree.get(table)
    number = before.number + 1 if before else 1
    old, new = _counted(ports, before), _counted(ports, version)
    rows, size = new.record_count - old.record_count, new.total_size - old.total_size
    statistics = TableStatistics(
        rows_added=max(rows, 0),
        rows_deleted=max(-rows, 0),
        bytes_added=max(size, 0),
        bytes_deleted=max(-size, 0),
        record_count=new.record_count,
        total_size=new.total_size,
    )
    return TableOutcome(
        replace(version, number=number), TableTally(table=str(table), how="restored"), statistics=statistics
    )


def _counted(ports: VersionPorts, version: TableVersion | None) -> TableStatistics:
    if version is None or version.snapshot_id is None:
        return TableStatistics()
    found = ports.lake.snapshot(version.catalog, version.snapshot_id)
    return found.statistics if found else TableStatistics()
