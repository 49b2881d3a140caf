"""What is wrong on a branch now, from records alone: blocking checks that nothing has put right since."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from forge.flows.ports import Metadata
from forge.flows.quality.incidents.impact import (
    Incident,
    Spared,
    Trace,
    blocking,
    commit_behind,
    graph_of,
    lake_table,
    lineage_at,
    trace,
)
from forge.flows.quality.ports import RunHistory, Verdicts
from forge.flows.runs.ports import Runs
from forge.flows.runs.records import MAKES_TABLES, Judgement, OutputStatus, RunRecord, published_by
from forge.flows.runs.run import RunResult
from forge.flows.versioning.store import Commits
from forge.lineage.graph.graph import Graph
from forge.model.names import BranchName, ColumnName, CommitId, RunId, TableName
from forge.quality.alerts.alert import Origin, Scope
from forge.quality.alerts.incident import incident_id
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.versioning.commit import Commit, Tree

ALL = 1_000_000
_WORST_FIRST = tuple(reversed(Severity))
Held = tuple[tuple[RunRecord, TableName], ...]
"""Tables that the newest run to judge them held back, as `Verdicts.blocked` gives them."""


class _Records(RunHistory, Commits, Protocol): ...


@dataclass(frozen=True, slots=True)
class Kept:
    """What readers still have of a table that was held back."""

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
    """An incident with its history. `incident` is what the terminal's panel shows."""

    incident: Incident
    run: RunRecord  # the newest that was stopped by it
    since: datetime  # when it was first seen without a pass in between
    previous: str | None  # what the same check said when it last passed
    held_back: tuple[TableName, ...]
    kept: tuple[Kept, ...]

    @property
    def id(self) -> str:
        """As the tracker names it when it is opened, or adopted later; of the columns of one check the same."""
        return incident_id(Scope(Origin.RUN, self.run.branch), self.incident.verdict.check_id, self.since)

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
    """What its address had until the tracker's id was its only one; such addresses go on working."""
    return hashlib.sha256(f"{branch}\n{check_id}\n{column}".encode()).hexdigest()[:16]


def find_open_incidents(
    metadata: Metadata,
    branch: BranchName,
    head: CommitId | None,
    tree: Tree,
    owner: Callable[[TableName], str | None],
    *,
    held: Held | None = None,
    graph: Graph | None = None,
) -> tuple[OpenIncident, ...]:
    """The worst first. `tree` is of `head`, the head of the branch. For each table the newest run on the branch that
    judged it decides; one that found it up to date or skipped it did not judge it. `held` and `graph` spare a second
    reading of what `Verdicts.blocked` and `graph_with` gave."""
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
        incident = Incident(verdict, column, traced.origin, commit, spared, traced.origin_table)
        held_back = _held_back(run)
        kept = tuple(Kept(t, tree[t].number, written.get(t)) for t in held_back if t in tree)
        opened.append(OpenIncident(incident, run, past.since, past.previous, held_back, kept))
    return tuple(sorted(opened, key=_badness))


def graph_with(metadata: Runs, tree: Tree, held: Held) -> Graph:
    """The lineage of a tree, with what the newest attempts would have made of the tables they held back."""
    pairs = {(run.id, table) for run, table in held}
    made = metadata.lineage(dict.fromkeys(run.id for run, _ in held)) if held else ()
    return graph_of(lineage_at(metadata, tree), (one for run_id, one in made if (run_id, one.table) in pairs))


def result_of(metadata: _Records, run: RunRecord) -> RunResult:
    """A run of the past as it was returned then, for those who show results."""
    verdicts = tuple(verdict for _, verdict in metadata.verdicts(run_id=run.id, limit=ALL))
    return RunResult(run, metadata.commit(run.commit_id) if run.commit_id else None, verdicts)


def find_commits_of(metadata: _Records, tree: Tree) -> Mapping[TableName, Commit]:
    """For each table of the tree the commit that wrote its version."""
    return _find_commits(metadata, tree, tree)


def _failures(metadata: Verdicts, held: Held) -> list[tuple[RunRecord, Verdict, ColumnName]]:
    runs = {run.id: run for run, _ in held}
    pairs = {(run.id, table) for run, table in held}
    said = metadata.verdicts(run_ids=runs, limit=ALL)
    found = []
    for run_id, run in runs.items():
        tables = {table for one, table in pairs if one == run_id}
        verdicts = (verdict for other, verdict in said if other == run_id)
        found += [(run, verdict, column) for verdict, column in blocking(verdicts, tables)]
    return found


def _find_pasts(
    metadata: Verdicts, branch: BranchName, found: Sequence[tuple[RunRecord, Verdict, ColumnName]]
) -> dict[tuple[str, str], _Past]:
    verdicts = {(verdict.table, verdict.check_id): run for run, verdict, _ in found}
    tables = {TableName.parse(table) for table, _ in verdicts}
    history = metadata.judgements(branch, tables, {check for _, check in verdicts})
    of_table: dict[str, dict[RunId, list[Judgement]]] = {}
    for judgement in history:
        of_table.setdefault(str(judgement.table), {}).setdefault(judgement.run_id, []).append(judgement)
    return {
        (table, check): _past_of(run, check, of_table.get(table, {}).values())
        for (table, check), run in verdicts.items()
    }


def _past_of(run: RunRecord, check_id: str, history: Iterable[Sequence[Judgement]]) -> _Past:
    """Back through the runs that judged the table to the last one that this check did not stop. The contract's gate
    says nothing when it is content, so a table that passed without a word of the check ends the row too. What a commit
    or a merge brought was no try to make the table."""
    first, since = run.id, run.started_at
    for judgements in history:
        if run.kind == MAKES_TABLES != judgements[0].kind:
            continue
        said = next((j for j in judgements if j.check_id == check_id), None)
        if said is not None and said.outcome is Outcome.PASSED:
            return _Past(first, since, said.message)
        if said is not None:
            first, since = said.run_id, said.time
        elif judgements[0].status is not OutputStatus.BLOCKED:
            break
    return _Past(first, since, None)


def _needed(held: Held, traces: Iterable[Trace]) -> set[TableName]:
    origins = {name for traced in traces if (name := lake_table(traced.origin_table or ""))}
    return origins | {table for run, _ in held for table in _held_back(run)}


def _find_commits(metadata: _Records, tree: Tree, tables: Iterable[TableName]) -> dict[TableName, Commit]:
    """By the run that wrote the version, which costs the same however long the history is."""
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
    metadata: Commits, head: CommitId | None, traced: Trace, first: RunRecord, written: Mapping[TableName, Commit]
) -> Commit | None:
    """The commit that had brought the origin when the check first failed. That is mostly the newest one of the table,
    which is known; the log is walked only where the table has moved on since."""
    origin = lake_table(traced.origin_table or "")
    newest = written.get(origin) if origin else None
    if newest is not None and newest.time <= first.started_at:
        return newest
    own = metadata.commit(first.commit_id) if first.commit_id else None
    return commit_behind(metadata, head, traced.origin_table, first, own)


def _spared(
    column: ColumnName, owners: Mapping[TableName, str | None], owner: Callable[[TableName], str | None]
) -> Spared:
    table = TableName.parse(column.table)
    return Spared(column, owners.get(table) or owner(table))


def _held_back(run: RunRecord) -> tuple[TableName, ...]:
    return tuple(o.table for o in run.outputs if o.status in (OutputStatus.BLOCKED, OutputStatus.SKIPPED))


def _badness(opened: OpenIncident) -> tuple[int, int, datetime, str, str]:
    """Severity, then how many are hit, then how long it has been so."""
    incident = opened.incident
    severity = _WORST_FIRST.index(incident.verdict.severity)
    return severity, -len(incident.spared), opened.since, incident.verdict.check_id, str(incident.column)
