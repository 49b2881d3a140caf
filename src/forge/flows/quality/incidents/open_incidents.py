"""Open incidents of a branch, from run records alone: blocking checks that have not passed since."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from forge.flows.ports import Metadata
from forge.flows.quality.incidents.impact import (
    BlockedColumn,
    ColumnTrace,
    SparedColumn,
    blocking,
    commit_behind,
    graph_of,
    lake_table,
    lineage_at,
    trace,
)
from forge.flows.quality.ports import RunHistory, Verdicts
from forge.flows.runs.ports import Runs
from forge.flows.runs.records import MAKES_TABLES, OutputStatus, RunRecord, RunVerdict, published_by
from forge.flows.runs.run import RunResult
from forge.flows.versioning.record_ports import Commits
from forge.lineage.graph.graph import Graph
from forge.model.names import BranchName, ColumnName, CommitId, RunId, TableName
from forge.quality.alerts.alert import AlertOrigin, AlertScope
from forge.quality.alerts.incident import incident_id
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.versioning.commit import Commit, Tree

ALL = 1_000_000
_WORST_FIRST = tuple(reversed(Severity))
HeldTables = tuple[tuple[RunRecord, TableName], ...]
"""Tables that the newest run to judge them held back, as `Verdicts.blocked` gives them."""


class _Records(RunHistory, Commits, Protocol): ...


@dataclass(frozen=True, slots=True)
class KeptVersion:
    """The version of a blocked table that readers still have."""

    table: TableName
    version: int
    commit: Commit | None

    def to_dict(self) -> dict[str, object]:
        commit = self.commit
        return {
            "table": str(self.table),
            "version": self.version,
            "commit": commit.id if commit else None,
            "time": commit.time if commit else None,
        }


@dataclass(frozen=True, slots=True)
class OpenIncident:
    """An incident with its history. `incident` is what the terminal shows."""

    incident: BlockedColumn
    run: RunRecord  # the newest that was stopped by it
    since: datetime  # when it was first seen without a pass in between
    previous: str | None  # the check's message when it last passed
    held_back: tuple[TableName, ...]
    kept: tuple[KeptVersion, ...]

    @property
    def id(self) -> str:
        """The tracker's id, now or once it is tracked; the same for all columns of one check."""
        return incident_id(AlertScope(AlertOrigin.RUN, self.run.branch), self.incident.verdict.check_id, self.since)

    @property
    def former_id(self) -> str:
        return former_id(self.run.branch, self.incident.verdict.check_id, self.incident.column)


@dataclass(frozen=True, slots=True)
class _Past:
    """How long one check has been failing."""

    first: RunId
    since: datetime
    previous: str | None


def former_id(branch: str, check_id: str, column: ColumnName) -> str:
    """Its id before tracking; such URLs keep working."""
    return hashlib.sha256(f"{branch}\n{check_id}\n{column}".encode()).hexdigest()[:16]


def find_open_incidents(
    metadata: Metadata,
    branch: BranchName,
    head: CommitId | None,
    tree: Tree,
    owner: Callable[[TableName], str | None],
    *,
    held: HeldTables | None = None,
    graph: Graph | None = None,
) -> tuple[OpenIncident, ...]:
    """The worst first. `tree` is of `head`, the head of the branch. For each table the newest run that judged it
    decides; runs that found it up to date or skipped it do not count. `held` and `graph`: results of `Verdicts.blocked`
    and `graph_with`, where known."""
    held = metadata.blocked(branch) if held is None else held
    if not held:
        return ()
    graph = graph_with(metadata, tree, held) if graph is None else graph
    found = _failures(metadata, held)
    pasts = _find_pasts(metadata, branch, found)
    firsts = metadata.find_runs({past.first for past in pasts.values()})
    traces = {
        (run.id, verdict.check_id, column): trace(
            graph, column, tree, published_by(firsts[pasts[verdict.table, verdict.check_id].first])
        )
        for run, verdict, column in found
    }
    written = _find_commits(metadata, tree, _needed(held, traces.values()))
    owners = {asset.table: asset.owner for asset in metadata.assets()}
    opened = []
    for run, verdict, column in found:
        past = pasts[verdict.table, verdict.check_id]
        traced = traces[run.id, verdict.check_id, column]
        commit = _brought_in(metadata, head, traced, firsts[past.first], written)
        spared = tuple(_spared(c, owners, owner) for c in traced.reached)
        incident = BlockedColumn(verdict, column, traced.origin, commit, spared, traced.origin_table)
        held_back = _held_back(run)
        kept = tuple(KeptVersion(t, tree[t].number, written.get(t)) for t in held_back if t in tree)
        opened.append(OpenIncident(incident, run, past.since, past.previous, held_back, kept))
    return tuple(sorted(opened, key=_badness))


def graph_with(metadata: Runs, tree: Tree, held: HeldTables) -> Graph:
    """The lineage of a tree, with that of the newest attempts for tables they held back."""
    pairs = {(run.id, table) for run, table in held}
    made = metadata.lineage(dict.fromkeys(run.id for run, _ in held)) if held else ()
    return graph_of(lineage_at(metadata, tree), (one for run_id, one in made if (run_id, one.table) in pairs))


def result_of(metadata: _Records, run: RunRecord) -> RunResult:
    """A past run in the form in which it was returned then."""
    verdicts = tuple(verdict for _, verdict in metadata.verdicts(run_id=run.id, limit=ALL))
    return RunResult(run, metadata.commit(run.commit_id) if run.commit_id else None, verdicts)


def find_commits_of(metadata: _Records, tree: Tree) -> Mapping[TableName, Commit]:
    """For each table of the tree the commit that wrote its version."""
    return _find_commits(metadata, tree, tree)


def _failures(metadata: Verdicts, held: HeldTables) -> list[tuple[RunRecord, Verdict, ColumnName]]:
    runs = {run.id: run for run, _ in held}
    pairs = {(run.id, table) for run, table in held}
    judged = metadata.verdicts(run_ids=runs, limit=ALL)
    found = []
    for run_id, run in runs.items():
        tables = {table for one, table in pairs if one == run_id}
        verdicts = (verdict for other, verdict in judged if other == run_id)
        found += [(run, verdict, column) for verdict, column in blocking(verdicts, tables)]
    return found


def _find_pasts(
    metadata: Verdicts, branch: BranchName, found: Sequence[tuple[RunRecord, Verdict, ColumnName]]
) -> dict[tuple[str, str], _Past]:
    verdicts = {(verdict.table, verdict.check_id): run for run, verdict, _ in found}
    tables = {TableName.parse(table) for table, _ in verdicts}
    history = metadata.judgements(branch, tables, {check for _, check in verdicts})
    of_table: dict[str, dict[RunId, list[RunVerdict]]] = {}
    for judgement in history:
        of_table.setdefault(str(judgement.table), {}).setdefault(judgement.run_id, []).append(judgement)
    return {
        (table, check): _past_of(run, check, of_table.get(table, {}).values())
        for (table, check), run in verdicts.items()
    }


def _past_of(run: RunRecord, check_id: str, history: Iterable[Sequence[RunVerdict]]) -> _Past:
    """Back through the runs that judged the table to the last one that this check did not block. The contract gate is
    silent when it passes, so a published table without a verdict of the check also ends the series. Commits and merges
    are no attempts."""
    first, since = run.id, run.started_at
    for judgements in history:
        if run.kind == MAKES_TABLES != judgements[0].kind:
            continue
        judgement = next((j for j in judgements if j.check_id == check_id), None)
        if judgement is not None and judgement.outcome is Outcome.PASSED:
            return _Past(first, since, judgement.message)
        if judgement is not None:
            first, since = judgement.run_id, judgement.time
        elif judgements[0].status is not OutputStatus.BLOCKED:
            break
    return _Past(first, since, None)


def _needed(held: HeldTables, traces: Iterable[ColumnTrace]) -> set[TableName]:
    origins = {name for traced in traces if (name := lake_table(traced.origin_table or ""))}
    return origins | {table for run, _ in held for table in _held_back(run)}


def _find_commits(metadata: _Records, tree: Tree, tables: Iterable[TableName]) -> dict[TableName, Commit]:
    """By the run that wrote the version, independent of the length of the history."""
    writers = {t: RunId(run_id) for t in tables if t in tree and (run_id := tree[t].run_id)}
    runs = metadata.find_runs(writers.values())
    commits = metadata.commits(run.commit_id for run in runs.values() if run.commit_id)
    found = {}
    for table, run_id in writers.items():
        commit_id = runs[run_id].commit_id if run_id in runs else None
        if commit_id is not None and commit_id in commits:
            found[table] = commits[commit_id]
    return found


def _brought_in(
    metadata: Commits, head: CommitId | None, traced: ColumnTrace, first: RunRecord, written: Mapping[TableName, Commit]
) -> Commit | None:
    """The commit of the origin when the check first failed. Usually the table's newest, which is known; the log is read
    only where the table has changed since."""
    origin = lake_table(traced.origin_table or "")
    newest = written.get(origin) if origin else None
    if newest is not None and newest.time <= first.started_at:
        return newest
    own = metadata.commit(first.commit_id) if first.commit_id else None
    return commit_behind(metadata, head, traced.origin_table, first, own)


def _spared(
    column: ColumnName, owners: Mapping[TableName, str | None], owner: Callable[[TableName], str | None]
) -> SparedColumn:
    table = TableName.parse(column.table)
    return SparedColumn(column, owners.get(table) or owner(table))


def _held_back(run: RunRecord) -> tuple[TableName, ...]:
    return tuple(o.table for o in run.outputs if o.status in (OutputStatus.BLOCKED, OutputStatus.SKIPPED))


def _badness(opened: OpenIncident) -> tuple[int, int, datetime, str, str]:
    """By severity, impact, duration."""
    incident = opened.incident
    severity = _WORST_FIRST.index(incident.verdict.severity)
    return severity, -len(incident.spared), opened.since, incident.verdict.check_id, str(incident.column)
