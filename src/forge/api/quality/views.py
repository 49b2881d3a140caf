"""Verdicts, incidents, health and trend as HTTP shows them, and what they are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forge.api.quality.wire.health import (
    HealthView,
    IncidentView,
    JudgedByView,
    KeptView,
    ResultView,
    SparedView,
    TrendDay,
)
from forge.api.quality.wire.monitors import CauseView
from forge.api.site import Site
from forge.api.versioning.commit_views import commit_view
from forge.flows.catalog.personal import PersonalColumns
from forge.flows.quality.health import Day, Health
from forge.flows.quality.incidents.judge_name import JudgedBy
from forge.flows.quality.incidents.open import Held, Kept, OpenIncident, find_open_incidents
from forge.flows.quality.incidents.origin import CameIn
from forge.flows.quality.results import result_of
from forge.flows.quality.shown_verdict import shown_result, shown_verdict
from forge.flows.versioning.revisions import find_branch, find_commit
from forge.lineage.graph.graph import Graph
from forge.model.names import BranchName, CommitId
from forge.quality.monitors.monitor import CheckResult
from forge.quality.verdict import Outcome
from forge.versioning.branch import Branch
from forge.versioning.commit import Commit, Tree
from forge.versioning.errors import NoCommitsError


@dataclass(frozen=True, slots=True)
class Seen:
    """The tables at a revision. `held` is what newer attempts held back; of a version of the past it is empty."""

    commit: Commit | None
    tree: Tree
    held: Held


def see_branch(site: Site, name: str | None) -> tuple[Branch, Seen]:
    metadata = site.wiring.metadata
    branch = find_branch(metadata, BranchName(name) if name else site.wiring.default_branch)
    commit = metadata.commit(branch.head) if branch.head else None
    return branch, Seen(commit, metadata.tree(branch.head), metadata.blocked(branch.name))


def see(site: Site, at: str) -> Seen:
    """Any revision; `HEAD` is the default branch's, which may have no commit yet."""
    metadata, default = site.wiring.metadata, site.wiring.default_branch
    try:
        commit = find_commit(metadata, at, default)
    except NoCommitsError:
        _, seen = see_branch(site, None if at == "HEAD" else at)
        return seen
    named = metadata.branch(BranchName(at)) or metadata.branch(default)
    is_head = named is not None and named.head == commit.id
    held = metadata.blocked(named.name) if named is not None and is_head else ()
    return Seen(commit, metadata.tree(commit.id), held)


def open_incidents(site: Site, branch: Branch, seen: Seen, graph: Graph | None = None) -> tuple[OpenIncident, ...]:
    settings, metadata = site.wiring.settings, site.wiring.metadata
    return find_open_incidents(
        metadata, branch.name, branch.head, seen.tree, settings.owner_of, held=seen.held, graph=graph
    )


def health_view(health: Health, at: str, personal: PersonalColumns, monitors: int = 0) -> HealthView:
    newest = health.run or health.attempt
    stopped = health.attempt
    return HealthView(
        dataset_id=str(health.table),
        at=at,
        score=health.score,
        passed=health.count(Outcome.PASSED),
        failed=health.count(Outcome.FAILED),
        not_measured=health.count(Outcome.NOT_MEASURED),
        checks=[result_view(result, personal) for result in health.results],
        held_back=[result_view(result_of(verdict, stopped), personal) for verdict in health.held_back]
        if stopped
        else [],
        checked_at=health.checked_at,
        run_id=newest.id if newest else None,
        monitors=monitors,
    )


def result_view(result: CheckResult, personal: PersonalColumns) -> ResultView:
    return ResultView.model_validate(shown_result(result, personal).to_dict())


def judged_by_view(one: JudgedBy) -> JudgedByView:
    return JudgedByView(
        origin=one.origin.value,
        branch=one.branch,
        commit=one.commit_id,
        run_id=one.run_id,
        monitor_id=one.monitor_id,
        monitor_name=one.monitor_name,
        monitor_run_id=one.monitor_run_id,
        words=one.words,
    )


def came_in_view(site: Site, one: CameIn | None) -> CauseView | None:
    if one is None:
        return None
    commit = site.wiring.metadata.commit(CommitId(one.commit_id)) if one.commit_id else None
    shown = commit_view(commit) if commit else None
    return CauseView(dataset=one.table, column=one.column, check_id=one.check_id, commit=shown, words=one.words)


def incident_view(opened: OpenIncident, identity: str, personal: PersonalColumns) -> IncidentView:
    incident, verdict = opened.incident, shown_verdict(opened.incident.verdict, personal)
    return IncidentView(
        id=identity,
        table=verdict.table,
        column=incident.column.column or None,
        check_id=verdict.check_id,
        check_type=verdict.check_type,
        severity=verdict.severity.value,
        message=verdict.message,
        branch=opened.run.branch,
        run_id=opened.run.id,
        since=opened.since,
        previous=opened.previous,
        origin=str(incident.origin) if incident.origin else incident.origin_table,
        origin_commit=commit_view(incident.commit) if incident.commit else None,
        spared=[SparedView(table=s.column.table, column=s.column.column, owner=s.owner) for s in incident.spared],
        held_back=[str(table) for table in opened.held_back],
        kept=[_kept_view(kept) for kept in opened.kept],
        sample=_sample(verdict.details),
    )


def _kept_view(kept: Kept) -> KeptView:
    commit = kept.commit
    return KeptView(
        table=str(kept.table),
        version=kept.version,
        commit=commit.id if commit else None,
        time=commit.time if commit else None,
    )


def _sample(details: Mapping[str, object]) -> list[dict[str, object]]:
    """Rows that failed, personal data masked."""
    rows = details.get("sample")
    return [dict(row) for row in rows if isinstance(row, Mapping)] if isinstance(rows, Sequence) else []


def day_view(day: Day) -> TrendDay:
    return TrendDay(
        day=day.day.isoformat(),
        passed=day.passed,
        failed=day.failed,
        not_measured=day.not_measured,
        runs=day.runs,
    )
