"""The history of a metric over the versions of a table on a branch.

A version is dated by the range of its run, where it had one. Values in commit statistics (rows, bytes) come from there;
others were stored when checks measured them. The value of a run that was held back counts until a later run of the
table is published, which replaces it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from forge.flows.quality.metrics.points import KeptFinding, MetricPoint, MetricStore, PointFeedback
from forge.flows.runs.ports import Runs
from forge.flows.runs.records import RunRecord
from forge.flows.versioning.record_ports import CommitHistory
from forge.flows.versioning.revisions import find_branch
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.model.time import Clock, as_utc
from forge.quality.anomaly import AnomalyFinding, Feedback, MetricHistory, Point, with_flags
from forge.quality.anomaly.find import REMEMBERED
from forge.quality.measure import Measure, NotMeasured, Reading
from forge.quality.metric import OF_COMMITS, Metric, parse_metric
from forge.versioning.commit import Commit, TableStatistics

REACH = 400  # commits of the table that are looked back on


class _Records(CommitHistory, Runs, Protocol): ...


@dataclass(frozen=True, slots=True)
class MetricPorts:
    """Ports for recording and judging metrics. `masked`: the personal columns of a table."""

    store: MetricStore
    metadata: _Records
    clock: Clock
    masked: Callable[[TableName], frozenset[str]] = lambda table: frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedValue:
    """One value and its origin."""

    time: datetime
    value: float
    commit_id: CommitId | None = None
    run_id: RunId | None = None
    held_back: bool = False
    kept: KeptFinding | None = None
    point_feedback: PointFeedback | None = None

    @property
    def feedback(self) -> Feedback | None:
        return self.point_feedback.feedback if self.point_feedback else None

    def to_dict(self, found: AnomalyFinding) -> dict[str, object]:
        """The value with what was found of it."""
        given = self.point_feedback
        return {
            "time": self.time,
            "value": self.value,
            "expected": found.expected,
            "low": found.low,
            "high": found.high,
            "score": found.score,
            "is_anomaly": found.is_anomaly,
            "explanation": found.explanation,
            "seasonal": found.seasonal,
            "season": found.season,
            "trend": found.trend,
            "log_scale": found.log_scale,
            "feedback": str(given.feedback) if given else None,
            "feedback_by": given.user if given else None,
            "feedback_at": given.at if given else None,
            "note": (given.note or None) if given else None,
            "commit": self.commit_id,
            "run_id": self.run_id,
            "held_back": self.held_back,
        }

    def point(self) -> Point:
        return Point(self.time, self.value, self.feedback, bool(self.kept and self.kept.is_anomaly))


@dataclass(frozen=True, slots=True)
class Timeline:
    """The versions of one table on one branch, oldest first, each with its time. A view has none: its result changes
    with any commit."""

    branch: BranchName
    head: CommitId | None
    chain: frozenset[CommitId]  # the commits that were ever the head of this line
    versions: tuple[tuple[Commit, datetime], ...]


def timeline_of(metadata: _Records, table: TableName, branch: BranchName) -> Timeline:
    head = find_branch(metadata, branch).head
    if head is None:
        return Timeline(branch, None, frozenset(), ())
    chain = _first_parents(head, metadata.ancestry((head,)))
    commits = [c for c in reversed(metadata.log(head, table=table, limit=REACH)) if c.id in chain]
    runs = metadata.find_runs({run_id for commit in commits if (run_id := run_of(commit))})
    starts = {run_id: at for run_id, run in runs.items() if (at := time_meant(run)) is not None}
    dated = tuple((c, as_utc(starts.get(run_of(c) or RunId(""), c.time))) for c in commits)
    return Timeline(branch, head, chain, dated)


def time_meant(run: RunRecord) -> datetime | None:
    """The logical time of a run: the start of its range, or of the last day of a longer one, as in a first load. None:
    without a range, the time it ran."""
    if run.start is None:
        return None
    return max(run.start, run.end - timedelta(days=1)) if run.end is not None else run.start


def _first_parents(head: CommitId, parents: Mapping[CommitId, Sequence[CommitId]]) -> frozenset[CommitId]:
    """Versions brought in by a merge were never visible on the branch."""
    found: set[CommitId] = set()
    at: CommitId | None = head
    while at is not None and at not in found:
        found.add(at)
        above = parents.get(at, ())
        at = above[0] if above else None
    return frozenset(found)


def run_of(commit: Commit) -> RunId | None:
    found = commit.metadata.get("run_id")
    return RunId(found) if isinstance(found, str) else None


def find_values(ports: MetricPorts, table: TableName, metric: str, line: Timeline) -> tuple[DatedValue, ...]:
    """One value per time, sorted: a rerun of the same time replaces the earlier one."""
    kept = ports.store.points(table, metric)
    feedback = {one.time: one for one in ports.store.feedback(table, metric)}
    by_commit = {point.commit_id: point for point in kept if point.commit_id}
    name = parse_metric(metric)
    found: dict[datetime, DatedValue] = {}
    for commit, time in line.versions:
        value = statistic_of(name, commit.statistics.get(table))
        point = by_commit.get(commit.id)
        if value is None and point is not None:
            value = point.value
        if value is not None:
            found[time] = DatedValue(
                time=time,
                value=value,
                commit_id=commit.id,
                run_id=run_of(commit),
                kept=point.finding if point else None,
            )
    for point in (*_elsewhere(kept, line), *_held_back(kept, line)):
        time = as_utc(point.time)
        held = point.commit_id is None and point.run_id is not None
        found[time] = DatedValue(
            time=time,
            value=point.value,
            commit_id=point.commit_id,
            run_id=point.run_id,
            held_back=held,
            kept=point.finding,
        )
    taken_over = _taken_over(kept, feedback, line)
    return tuple(
        replace(found[time], point_feedback=feedback.get(time) or taken_over.get(found[time].commit_id))
        for time in sorted(found)
    )


def statistic_of(metric: Metric, statistics: TableStatistics | None) -> float | None:
    if statistics is None or metric.where is not None or metric.kind not in OF_COMMITS:
        return None
    match metric.kind:
        case "row_count":
            return statistics.record_count
        case "size_bytes":
            return statistics.total_size
        case "rows_added":
            return statistics.rows_added
    return statistics.rows_deleted


def _elsewhere(kept: Sequence[MetricPoint], line: Timeline) -> tuple[MetricPoint, ...]:
    """Of views, and of versions written by other engines, which are no commits of the table."""
    versions = {commit.id for commit, _ in line.versions}
    return tuple(
        point
        for point in kept
        if (point.commit_id in line.chain - versions)
        or (point.commit_id is None and point.run_id is None and point.branch == line.branch)
    )


def _held_back(kept: Sequence[MetricPoint], line: Timeline) -> tuple[MetricPoint, ...]:
    """The newest attempt, where nothing was published since."""
    published = max((commit.time for commit, _ in line.versions), default=None)
    waiting = [
        point
        for point in kept
        if point.commit_id is None
        and point.run_id is not None
        and point.branch == line.branch
        and (published is None or point.recorded_at > published)
    ]
    return tuple(sorted(waiting, key=lambda point: point.recorded_at)[-1:])


def _taken_over(
    kept: Sequence[MetricPoint], feedback: Mapping[datetime, PointFeedback], line: Timeline
) -> dict[CommitId | None, PointFeedback]:
    """Feedback `expected` on a value that was held back carries over to the version published instead; `incident` does
    not."""
    found: dict[CommitId | None, PointFeedback] = {}
    for point in kept:
        word = feedback.get(as_utc(point.time))
        if point.commit_id or not point.run_id or point.branch != line.branch or not word:
            continue
        later = next((commit for commit, _ in line.versions if commit.time >= point.recorded_at), None)
        if later is not None and word.feedback is Feedback.EXPECTED:
            found[later.id] = word
    return found


def counting(values: Sequence[DatedValue]) -> list[DatedValue]:
    """The values of the baseline. A value that was held back is excluded, as the new one replaces it, unless marked as
    expected."""
    return [value for value in values if not value.held_back or value.feedback is Feedback.EXPECTED]


@dataclass(frozen=True, slots=True)
class HistoryReader:
    """Answers the measure `history`."""

    ports: MetricPorts

    def __call__(self, table: TableName, branch: BranchName, commit_id: CommitId | None, measure: Measure) -> Reading:
        name = measure.arguments[0] if measure.arguments else None
        if not isinstance(name, str):
            return NotMeasured("no metric is named")
        line = timeline_of(self.ports.metadata, table, branch)
        own = self._own(table, commit_id, line)
        values = counting(find_values(self.ports, table, name, line))
        points = tuple(value.point() for value in values if own is None or value.commit_id != own[0])
        judged = all(value.kept is not None for value in values[-REMEMBERED:])
        return MetricHistory(points if judged else with_flags(points), own[1] if own else None)

    def _own(self, table: TableName, commit_id: CommitId | None, line: Timeline) -> tuple[CommitId, datetime] | None:
        """The version of a published commit, and its time; None: it is being made."""
        if commit_id is None:
            return None
        written = self.ports.metadata.log(commit_id, table=table, limit=1)
        times = {commit.id: time for commit, time in line.versions}
        if not written or written[0].id not in times:
            return None
        return written[0].id, times[written[0].id]
