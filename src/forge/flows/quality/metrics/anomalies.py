"""Records metrics as tables are judged, and compares each value with the history of its metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from forge.flows.quality.judge import JudgedTable
from forge.flows.quality.metrics.history import (
    DatedValue,
    MetricPorts,
    Timeline,
    counting,
    find_values,
    run_of,
    statistic_of,
    time_meant,
    timeline_of,
)
from forge.flows.quality.metrics.points import KeptFinding, MetricPoint, PointFeedback
from forge.flows.quality.observers import JudgementEvent, JudgementObserver
from forge.flows.runs.records import AuditRecord
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.model.time import as_utc
from forge.quality.anomaly import AnomalyFinding, Feedback, Point, find_anomalies, with_flags
from forge.quality.anomaly.find import REMEMBERED, threshold_of
from forge.quality.anomaly.methods import DEFAULT, method_of
from forge.quality.metric import OF_COMMITS, Metric, metrics_of, parse_metric, reveals
from forge.versioning.commit import Commit

SHOWN = 90  # points of a series by default
MOST = 1000


@dataclass(frozen=True, slots=True)
class MetricSeries:
    """A metric with the finding about each value, oldest first."""

    table: TableName
    branch: BranchName
    metric: Metric
    method: str
    threshold: float
    points: tuple[tuple[DatedValue, AnomalyFinding], ...]

    def point_dicts(self) -> list[dict[str, object]]:
        return [value.to_dict(finding) for value, finding in self.points]


@dataclass(frozen=True, slots=True)
class _Version:
    """The version that the points of one judgement belong to."""

    name: str
    time: datetime
    commit: Commit | None
    run_id: RunId | None
    is_table: bool = True


def observe_metrics(judged: JudgedTable, ports: MetricPorts) -> tuple[MetricPoint, ...]:
    """Stores the metrics of a version, each judged by the default method. Idempotent."""
    values = metrics_of(judged.readings, ports.masked(judged.table))
    line = timeline_of(ports.metadata, judged.table, judged.branch)
    version = _version_of(judged, ports, line)
    statistics = version.commit.statistics.get(judged.table) if version.commit and version.is_table else None
    for kind in OF_COMMITS:
        counted = statistic_of(Metric(kind), statistics)
        if counted is not None:
            values[kind] = counted
    made: list[MetricPoint] = []
    for name, value in values.items():
        before = _before(name, judged.table, ports, line, version)
        made += _caught_up(name, before, judged, ports)
        (found,) = find_anomalies(_history(before), Point(version.time, value))
        commit_id = version.commit.id if version.commit else None
        made.append(_point(name, version.name, found, commit_id, version.run_id, judged, ports.clock()))
    ports.store.put(tuple(made))
    return tuple(made)


def metrics_observer(ports: MetricPorts) -> JudgementObserver:
    """Stores metrics after each judgement. A remark for each anomaly."""

    def observe(observed: JudgementEvent) -> list[str]:
        made = observe_metrics(observed.judged, ports)
        mine = [point for point in made if point.finding and point.finding.is_anomaly and _is_newest(point, made)]
        return [f"{point.table} {point.metric}: {point.finding.explanation}" for point in mine if point.finding]

    return JudgementObserver("keep metrics", observe)


def _is_newest(point: MetricPoint, made: Sequence[MetricPoint]) -> bool:
    return all(other.time <= point.time for other in made if other.metric == point.metric)


def _before(
    name: str, table: TableName, ports: MetricPorts, line: Timeline, version: _Version
) -> tuple[DatedValue, ...]:
    """The other versions of the baseline."""
    commit_id = version.commit.id if version.commit else None
    values = counting(find_values(ports, table, name, line))
    others = [value for value in values if commit_id is None or value.commit_id != commit_id]
    return tuple(others[-REMEMBERED:])


def _caught_up(name: str, before: Sequence[DatedValue], judged: JudgedTable, ports: MetricPorts) -> list[MetricPoint]:
    """Versions published before the table was first judged: computed once and stored."""
    if all(value.kept for value in before):
        return []
    findings = find_anomalies((), [replace(value.point(), flagged=False) for value in before])
    now = ports.clock()
    return [
        _point(name, f"commit {value.commit_id}", found, value.commit_id, value.run_id, judged, now)
        for value, found in zip(before, findings, strict=True)
        if value.kept is None and value.commit_id is not None
    ]


def _point(
    name: str,
    version: str,
    found: AnomalyFinding,
    commit_id: CommitId | None,
    run_id: RunId | None,
    judged: JudgedTable,
    now: datetime,
) -> MetricPoint:
    kept = KeptFinding(found.is_anomaly, found.score, found.explanation, found.expected, found.low, found.high)
    return MetricPoint(
        table=judged.table,
        metric=name,
        version=version,
        time=found.time,
        value=found.value,
        branch=judged.branch,
        commit_id=commit_id,
        run_id=run_id,
        recorded_at=now,
        finding=kept,
    )


def _version_of(judged: JudgedTable, ports: MetricPorts, line: Timeline) -> _Version:
    metadata, run_id = ports.metadata, judged.run_id
    if judged.commit_id is None:
        run = metadata.run(run_id) if run_id else None
        time = (time_meant(run) if run else None) or judged.executed_at
        name = f"run {run_id}" if run_id else f"time {as_utc(time).isoformat()} on {judged.branch}"
        return _Version(name, as_utc(time), None, run_id)
    version = metadata.tree(judged.commit_id).get(judged.table)
    if version is not None and version.kind == "view":
        seen = metadata.commit(judged.commit_id)
        time = seen.time if seen else judged.executed_at
        return _Version(f"view {judged.commit_id}", as_utc(time), seen, None, is_table=False)
    written = metadata.log(judged.commit_id, table=judged.table, limit=1)
    if version is None or not written or version.snapshot_id != judged.snapshot_id:  # another engine wrote it
        return _Version(f"snapshot {judged.snapshot_id}", as_utc(judged.executed_at), None, None)
    times = {commit.id: time for commit, time in line.versions}
    commit = written[0]
    return _Version(f"commit {commit.id}", times.get(commit.id, as_utc(commit.time)), commit, run_of(commit))


def _history(values: Sequence[DatedValue]) -> tuple[Point, ...]:
    recent = values[-REMEMBERED:]
    points = tuple(value.point() for value in recent)
    return points if all(value.kept for value in recent) else with_flags(points)


def find_metrics(
    ports: MetricPorts, table: TableName, branch: BranchName
) -> tuple[tuple[Metric, DatedValue, AnomalyFinding], ...]:
    """All metrics of the table with their newest value. Stored findings are used as they are; others are computed
    now."""
    line = timeline_of(ports.metadata, table, branch)
    masked = ports.masked(table)
    names = {point.metric for point in ports.store.newest(table) if not reveals(parse_metric(point.metric), masked)}
    tree = ports.metadata.tree(line.head)
    is_view = table in tree and tree[table].kind == "view"
    if line.versions and not is_view:
        names |= set(OF_COMMITS)
    found = []
    for name in sorted(names):
        values = find_values(ports, table, name, line)
        if values:
            found.append((parse_metric(name), values[-1], _newest(values)))
    return tuple(found)


def _newest(values: Sequence[DatedValue]) -> AnomalyFinding:
    last = values[-1]
    (found,) = find_anomalies(_history(values[:-1]), replace(last.point(), flagged=False))
    return found


def find_series(
    ports: MetricPorts,
    table: TableName,
    metric: str,
    branch: BranchName,
    *,
    method: str = DEFAULT,
    threshold: float | None = None,
    limit: int = SHOWN,
    around: datetime | None = None,
) -> MetricSeries:
    """The finding of the method for each value as of its time. The newest values, or those around an older time. E742:
    no values."""
    name, allowed = parse_metric(metric), threshold_of(method, threshold)
    line = timeline_of(ports.metadata, table, branch)
    values = () if reveals(name, ports.masked(table)) else find_values(ports, table, name.name, line)
    if not values:
        raise _no_metric(ports, table, name.name, line)
    limit = max(1, min(limit, MOST))
    values = _until(values, around, limit)
    recent = values[-(limit + REMEMBERED) :]
    shown = recent[-limit:]
    points = [replace(value.point(), flagged=False) for value in recent]
    chosen = method_of(method)
    if chosen.block == 1 and not chosen.keeps_flagged:
        findings = find_anomalies((), points, method, threshold)[-len(shown) :]
    else:  # expensive, or keeps flagged points: the default method flags what is before the first one shown
        before = with_flags(points[: -len(shown)])
        findings = find_anomalies(before, points[-len(shown) :], method, threshold)
    if (method, threshold) == (DEFAULT, None):
        findings = tuple(_as_reported(value, finding) for value, finding in zip(shown, findings, strict=True))
    return MetricSeries(table, branch, name, method, allowed, tuple(zip(shown, findings, strict=True)))


def _until(values: tuple[DatedValue, ...], around: datetime | None, limit: int) -> tuple[DatedValue, ...]:
    """Without points after the window that contains the time."""
    if around is None:
        return values
    older = sum(value.time <= as_utc(around) for value in values)
    return values if older > len(values) - limit else values[: max(limit, older + limit // 2)]


def _as_reported(value: DatedValue, finding: AnomalyFinding) -> AnomalyFinding:
    """Reported anomalies are shown as reported, even where they would be normal by today's knowledge, so that whoever
    follows an alert finds it."""
    kept = value.kept
    if kept is None or not kept.is_anomaly or finding.is_anomaly or value.feedback is not None:
        return finding
    return replace(finding, **asdict(kept))


def _known_values(ports: MetricPorts, table: TableName, name: str, branch: BranchName) -> tuple[DatedValue, ...]:
    """E742: no values."""
    line = timeline_of(ports.metadata, table, branch)
    values = find_values(ports, table, name, line)
    if not values:
        raise _no_metric(ports, table, name, line)
    return values


def find_time(ports: MetricPorts, table: TableName, metric: str, branch: BranchName, text: str) -> datetime:
    """The time of the single point that begins with the text: 2026-11-14, or longer where a day has more. E742."""
    name = parse_metric(metric).name
    values = _known_values(ports, table, name, branch)
    wanted = text.strip().upper().replace(" ", "T").removesuffix("Z").removesuffix("+00:00")
    found = [value.time for value in values if wanted and value.time.isoformat().startswith(wanted)]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{time:%Y-%m-%dT%H:%M:%S}" for time in (found or [value.time for value in values])[-5:])
    what = f"{table} has {len(found) or 'no'} values of {name} at {text}"
    raise ForgeError(
        "E742", what, why=f"{'They are' if found else 'The newest are'} {listed}.", fix="Name one of them."
    )


def record_feedback(
    ports: MetricPorts,
    table: TableName,
    metric: str,
    time: datetime,
    feedback: Feedback | None,
    *,
    branch: BranchName,
    user: str,
    note: str = "",
) -> PointFeedback | None:
    """Stores a person's feedback on the point at that time, or removes it (None)."""
    name = parse_metric(metric).name
    values = _known_values(ports, table, name, branch)
    moment = as_utc(time)
    meant = next((value for value in values if value.time == moment), None)
    if meant is None:
        near = sorted(values, key=lambda value: abs(value.time - moment))[:3]
        why = f"The nearest are {', '.join(value.time.isoformat() for value in near)}."
        raise ForgeError(
            "E742", f"{table} has no {name} at {moment.isoformat()}", why=why, fix="Name one of its times."
        )
    now = ports.clock()
    word = str(feedback) if feedback else "nothing"
    detail = {"metric": name, "time": moment, "note": note, "said": word}
    audit = AuditRecord(now, user, "metric.feedback", str(table), detail)
    if feedback is None:
        ports.store.delete_feedback(table, name, meant.point_feedback.time if meant.point_feedback else moment, audit)
        return None
    given = PointFeedback(table=table, metric=name, time=moment, feedback=feedback, note=note, user=user, at=now)
    ports.store.put_feedback(given, audit)
    return given


def find_flagged(
    ports: MetricPorts, days: int, *, limit: int = 100
) -> tuple[tuple[MetricPoint, PointFeedback | None], ...]:
    """Anomalies of all tables at their time, newest first, with feedback. Each is a point of its branch's series: a
    value that was held back and then repaired is excluded."""
    every = ports.store.flagged(ports.clock() - timedelta(days=days), limit=limit)
    masked = {table: ports.masked(table) for table in {point.table for point in every}}
    shown = _PointPositions(ports)
    found = [
        (point, value)
        for flagged in every
        if not reveals(parse_metric(flagged.metric), masked[flagged.table])
        for point, value in shown.find(flagged)
    ]
    return tuple((point, value.point_feedback) for point, value in found)


def _is_of(point: MetricPoint, value: DatedValue) -> bool:
    if point.commit_id is not None:
        return value.commit_id == point.commit_id
    return value.commit_id is None and value.run_id == point.run_id and value.time == as_utc(point.time)


class _PointPositions:
    """The position of a stored point in its series; each series is read once."""

    def __init__(self, ports: MetricPorts) -> None:
        self._ports = ports
        self._branches = [branch.name for branch in ports.metadata.branches()]
        self._lines: dict[tuple[TableName, BranchName], Timeline] = {}
        self._values: dict[tuple[TableName, str, BranchName], tuple[DatedValue, ...]] = {}

    def find(self, point: MetricPoint) -> tuple[tuple[MetricPoint, DatedValue], ...]:
        """On its own branch or, where that is gone, on the first one that has its commit; else None."""
        names = [point.branch] if point.branch in self._branches else self._branches
        for branch in names:
            for value in self._of(point.table, point.metric, branch):
                if _is_of(point, value):
                    return ((replace(point, branch=branch, time=value.time), value),)
        return ()

    def _of(self, table: TableName, metric: str, branch: BranchName) -> tuple[DatedValue, ...]:
        key = table, metric, branch
        if key not in self._values:
            if (table, branch) not in self._lines:
                self._lines[table, branch] = timeline_of(self._ports.metadata, table, branch)
            self._values[key] = find_values(self._ports, table, metric, self._lines[table, branch])
        return self._values[key]


def _no_metric(ports: MetricPorts, table: TableName, metric: str, line: Timeline) -> ForgeError:
    known = [name.name for name, _, _ in find_metrics(ports, table, line.branch)]
    if not known:
        fix = "Run checks on it: `forge quality run` keeps what they measure."
        return ForgeError("E742", f"Nothing is known of {table} on '{line.branch}'", fix=fix)
    why = did_you_mean(metric, known) or f"Known are {', '.join(known[:20])}."
    fix = "A check that measures it brings its values; or name one of these."
    return ForgeError("E742", f"No {metric} of {table} is known", why=why, fix=fix)
