"""All datasets of a branch with their health; the number of queries does not grow with the number of datasets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from forge.api.quality.views import day_view, open_incidents, read_branch
from forge.api.quality.wire.monitors import DatasetHealth
from forge.api.site import Site
from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.quality.health import Day, find_dataset_trends, find_verdicts, newest_attempts
from forge.flows.quality.incidents.listing import list_incidents
from forge.flows.quality.incidents.tracker import UNRESOLVED
from forge.flows.quality.verdict_masking import shown_verdict
from forge.model.names import BranchName, RunId, TableName
from forge.quality.score import score_of
from forge.quality.verdict import Outcome, Severity, Verdict

DAYS = 30
_WORST = tuple(reversed(Severity))


def dataset_views(
    site: Site, branch: str | None, part: str, states: frozenset[str], days: int, personal: PersonalColumns
) -> list[DatasetHealth]:
    named, seen = read_branch(site, branch)
    metadata, store = site.wiring.metadata, site.wiring.quality.monitors
    since = store.standing(seen.tree)
    attempts = newest_attempts(seen.tree, seen.held)
    by_table: dict[str, list[tuple[RunId, Verdict]]] = {}
    for run_id, verdict in find_verdicts(metadata, attempts, None, since, seen.held, site.current_checks()):
        by_table.setdefault(verdict.table, []).append((run_id, verdict))
    stopped = {str(table) for _, table in seen.held}
    runs = metadata.find_runs(attempts.values())
    finished = {run_id: run.finished_at or run.started_at for run_id, run in runs.items()}
    later = {(one.dataset, one.check_id): one for one in since}
    watched = Counter(
        str(one.table) for one in store.monitors() if (one.branch or site.wiring.default_branch) == named.name
    )
    opened = open_incidents(site, named, seen)
    incidents = Counter(one.table for one in list_incidents(site.wiring.quality.alerts, opened, UNRESOLVED, named.name))
    by_day = _days(site, named.name, days)
    names = sorted({*map(str, seen.tree), *stopped})
    found = []
    for name in names:
        verdicts = by_table.get(name, [])
        times = [later[name, v.check_id].executed_at for _, v in verdicts if (name, v.check_id) in later]
        times += [at for run_id, _ in verdicts if (at := finished.get(run_id)) is not None]
        view = _view(site, name, named.name, verdicts, times, by_day.get(name) or by_day[""], personal)
        ids = {(v.check_id): one.id for _, v in verdicts if (one := later.get((name, v.check_id))) is not None}
        worst = _worst(verdicts)
        view.failing_result_id = (ids.get(worst[1].check_id) or f"{worst[0]}.{worst[1].check_id}") if worst else None
        view.monitors, view.open_incidents = watched[name], incidents[name]
        found.append(view)
    words = part.strip().lower()
    kept = [v for v in found if words in v.dataset.lower() and (not states or _state(v, stopped) in states)]
    return sorted(kept, key=lambda v: (v.dataset not in stopped and v.failed == 0, _rank(v), v.dataset))


def _rank(view: DatasetHealth) -> float:
    """Datasets without a score come last."""
    return view.score if view.score is not None else 101.0


def _state(view: DatasetHealth, stopped: Iterable[str]) -> str:
    if view.failed or view.dataset in stopped:
        return "failing"
    if view.not_measured:
        return "not measured"
    return "ok" if view.passed else "unchecked"


def _worst(verdicts: Sequence[tuple[RunId, Verdict]]) -> tuple[RunId, Verdict] | None:
    failed = [pair for pair in verdicts if pair[1].outcome is Outcome.FAILED]
    return min(failed, key=lambda pair: (_WORST.index(pair[1].severity), pair[1].check_id), default=None)


def _view(
    site: Site,
    name: str,
    branch: str,
    verdicts: Sequence[tuple[RunId, Verdict]],
    times: Sequence[datetime],
    days: Sequence[Day],
    personal: PersonalColumns,
) -> DatasetHealth:
    outcomes = Counter(verdict.outcome for _, verdict in verdicts)
    worst = _worst(verdicts)
    return DatasetHealth(
        dataset=name,
        branch=branch,
        owner=site.wiring.settings.owner_of(TableName.parse(name)),
        score=score_of(verdict.outcome for _, verdict in verdicts),
        passed=outcomes[Outcome.PASSED],
        failed=outcomes[Outcome.FAILED],
        not_measured=outcomes[Outcome.NOT_MEASURED],
        checked_at=max(times, default=None),
        failing=shown_verdict(worst[1], personal).message if worst else None,
        failing_result_id=None,
        monitors=0,
        open_incidents=0,
        days=[day_view(day) for day in days],
    )


def _days(site: Site, branch: BranchName, number: int) -> Mapping[str, tuple[Day, ...]]:
    wiring = site.wiring
    store = wiring.quality.monitors
    return find_dataset_trends(
        wiring.metadata,
        branch,
        wiring.clock(),
        number,
        lambda since, until: store.dataset_tallies(since, until, branch),
    )
