"""The overview page in one response."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from forge.api.lineage.views import column_layout, facts_of, graph_view
from forge.api.lineage.wire.graph import GraphView
from forge.api.quality.views import RevisionTables, day_view, incident_view, open_incidents, read_branch
from forge.api.runs.run_views import RecordedRun, run_view
from forge.api.runs.wire.runs import RunView
from forge.api.site import Site
from forge.api.upkeep.wire.system import Counters, Overview, RecentChange
from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.quality.health import (
    AttemptVerdict,
    Day,
    broken_contracts,
    failing_columns,
    find_trend,
    find_verdicts,
    newest_attempts,
)
from forge.flows.quality.incidents.listing import join_records
from forge.flows.quality.incidents.open_incidents import OpenIncident, find_commits_of, graph_with
from forge.flows.versioning.branches import list_branches
from forge.lineage.graph.graph import Graph
from forge.quality.score import percent
from forge.quality.verdict import Outcome
from forge.versioning.branch import Branch

INCIDENTS, RECENT, DAYS = 5, 8, 30


def overview(site: Site, name: str | None, personal: PersonalColumns) -> Overview:
    branch, seen = read_branch(site, name)
    metadata = site.wiring.metadata
    store = site.wiring.quality.monitors
    attempts = newest_attempts(seen.tree, seen.held)
    current = site.current_checks()
    failing = find_verdicts(metadata, attempts, Outcome.FAILED, store.standing(seen.tree), seen.held, current)
    graph = _graph(site, seen)
    incidents = open_incidents(site, branch, seen, graph)
    listed = join_records(site.wiring.quality.alerts, incidents)
    days = find_trend(metadata, branch.name, site.wiring.clock(), DAYS, partial(store.tallies, branch=branch.name))
    return Overview(
        project=site.wiring.settings.project,
        branch=branch.name,
        head=branch.head,
        counters=_counters(site, seen, failing),
        incidents=[incident_view(one, personal) for one in listed[:INCIDENTS] if one.opened],
        picture=_picture(site, branch, seen, graph, incidents, failing),
        recent=_recent(site, seen),
        trend=[day_view(day) for day in days],
        pass_rate=_pass_rate(days),
        last_run=_last_run(site, branch, personal),
    )


def _graph(site: Site, seen: RevisionTables) -> Graph:
    if seen.held or seen.commit is None:
        return graph_with(site.wiring.metadata, seen.tree, seen.held)
    return site.memo.graph(site.wiring.metadata, seen.commit.id, seen.tree)


def _counters(site: Site, seen: RevisionTables, failing: Sequence[AttemptVerdict]) -> Counters:
    return Counters(
        assets=len(seen.tree),
        checks_failing=len(failing),
        contracts_broken=len(broken_contracts(failing)),
        branches_ahead=_branches_ahead(site),
    )


def _branches_ahead(site: Site) -> int:
    """The history is walked only where the head of a branch differs from that of the default branch."""
    metadata, default = site.wiring.metadata, site.wiring.default_branch
    heads = {branch.name: branch.head for branch in metadata.branches()}
    if all(head in (None, heads.get(default)) for head in heads.values()):
        return 0
    return sum(view.ahead > 0 for view in list_branches(metadata, default))


def _picture(
    site: Site,
    branch: Branch,
    seen: RevisionTables,
    graph: Graph,
    incidents: Sequence[OpenIncident],
    failing: Sequence[AttemptVerdict],
) -> GraphView | None:
    if not incidents:
        return None
    worst = incidents[0].incident
    columns = failing_columns(failing) | {str(worst.column) if worst.column.column else worst.column.table}
    picture = column_layout(graph, worst.column.table, worst.column.column)
    return graph_view(picture, branch.name, facts_of(site, seen, columns))


def _recent(site: Site, seen: RevisionTables) -> list[RecentChange]:
    written = find_commits_of(site.wiring.metadata, seen.tree)
    newest = sorted(sorted(written.items()), key=lambda pair: pair[1].time, reverse=True)[:RECENT]
    changes = []
    for table, commit in newest:
        done = commit.statistics.get(table)
        changes.append(
            RecentChange(
                table=str(table),
                commit=commit.id,
                time=commit.time,
                author=commit.author.name,
                message=commit.message,
                rows_added=done.rows_added if done else 0,
                rows_deleted=done.rows_deleted if done else 0,
            )
        )
    return changes


def _pass_rate(days: Sequence[Day]) -> float | None:
    passed = sum(day.passed for day in days)
    return percent(passed, passed + sum(day.failed + day.not_measured for day in days))


def _last_run(site: Site, branch: Branch, personal: PersonalColumns) -> RunView | None:
    runs = site.wiring.metadata.runs(limit=1, branch=branch.name)
    if not runs:
        return None
    return run_view(site, None, RecordedRun(runs[0], site.jobs.store.job(runs[0].id)), lambda: personal)
