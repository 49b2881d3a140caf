"""JSON views of verdicts, incidents, health and trend, and the queries behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forge.api.quality.wire.health import (
    HealthView,
    IncidentView,
    ResultView,
    TrendDay,
)
from forge.api.quality.wire.monitors import CauseView
from forge.api.site import Site
from forge.api.versioning.commit_views import commit_view
from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.quality.health import Day, Health
from forge.flows.quality.incidents.listed_incident import FailureOrigin, ListedIncident
from forge.flows.quality.incidents.open_incidents import HeldTables, OpenIncident, find_open_incidents
from forge.flows.quality.results import result_of
from forge.flows.quality.verdict_masking import shown_message, shown_result, shown_verdict
from forge.flows.versioning.revisions import find_branch, find_commit
from forge.lineage.graph.graph import Graph
from forge.model.names import BranchName, CommitId
from forge.quality.monitors.monitor import CheckResult
from forge.quality.verdict import Outcome
from forge.versioning.branch import Branch
from forge.versioning.commit import Commit, Tree
from forge.versioning.errors import NoCommitsError


@dataclass(frozen=True, slots=True)
class RevisionTables:
    """The tables at a revision. `held`: held back by newer attempts; empty for a past version."""

    commit: Commit | None
    tree: Tree
    held: HeldTables


def read_branch(site: Site, name: str | None) -> tuple[Branch, RevisionTables]:
    metadata = site.wiring.metadata
    branch = find_branch(metadata, BranchName(name) if name else site.wiring.default_branch)
    commit = metadata.commit(branch.head) if branch.head else None
    return branch, RevisionTables(commit, metadata.tree(branch.head), metadata.blocked(branch.name))


def read_revision(site: Site, at: str) -> RevisionTables:
    """Any revision; `HEAD` is the default branch's, which may have no commit yet."""
    metadata, default = site.wiring.metadata, site.wiring.default_branch
    try:
        commit = find_commit(metadata, at, default)
    except NoCommitsError:
        _, seen = read_branch(site, None if at == "HEAD" else at)
        return seen
    named = metadata.branch(BranchName(at)) or metadata.branch(default)
    is_head = named is not None and named.head == commit.id
    held = metadata.blocked(named.name) if named is not None and is_head else ()
    return RevisionTables(commit, metadata.tree(commit.id), held)


def open_incidents(
    site: Site, branch: Branch, seen: RevisionTables, graph: Graph | None = None
) -> tuple[OpenIncident, ...]:
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


def failure_origin_view(site: Site, one: FailureOrigin | None) -> CauseView | None:
    if one is None:
        return None
    commit = site.wiring.metadata.commit(CommitId(one.commit_id)) if one.commit_id else None
    shown = commit_view(commit) if commit else None
    return CauseView.model_validate({**one.to_dict(), "commit": shown})


def incident_view(one: ListedIncident, personal: PersonalColumns) -> IncidentView:
    """What holds a publish back, without what is done about it."""
    facts = incident_facts(one, personal)
    return IncidentView.model_validate({name: facts[name] for name in IncidentView.model_fields})


def incident_facts(one: ListedIncident, personal: PersonalColumns) -> dict[str, object]:
    """`one.to_dict()` with personal data masked, a sample of rows, and the commit it came in with."""
    if one.opened is None:
        assert one.record is not None
        record = one.record
        message = shown_message(record.table, record.check_type, record.columns, record.message, personal)
        return {**one.to_dict(), "message": message, "origin_commit": None, "sample": []}
    commit, verdict = one.opened.incident.commit, shown_verdict(one.opened.incident.verdict, personal)
    return {
        **one.to_dict(),
        "message": verdict.message,
        "origin_commit": commit_view(commit) if commit else None,
        "sample": _sample(verdict.details),
    }


def _sample(details: Mapping[str, object]) -> list[dict[str, object]]:
    """Failing rows, personal data masked."""
    rows = details.get("sample")
    return [dict(row) for row in rows if isinstance(row, Mapping)] if isinstance(rows, Sequence) else []


def day_view(day: Day) -> TrendDay:
    return TrendDay.of(day, day=day.day.isoformat())
