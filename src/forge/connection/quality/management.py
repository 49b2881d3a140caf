"""The part of `forge.connect().quality` that writes: monitors, incidents, feedback, remediations. Same flows as HTTP;
the records themselves are returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.connection.quality.alerts import QualityAlerts
from forge.connection.quality.items import Baseline
from forge.connection.quality.results import MonitorItem, ResultItem
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName

if TYPE_CHECKING:
    from datetime import datetime

    from forge.flows.quality.health import Day, Health
    from forge.flows.quality.metrics.history import DatedValue
    from forge.flows.quality.metrics.points import MetricPoint
    from forge.flows.quality.monitors.check_preview import ChecksPreview, PreviewTarget
    from forge.flows.quality.monitors.preview import MonitorDraft
    from forge.quality.alerts.incident import TrackedIncident
    from forge.quality.anomaly import AnomalyFinding
    from forge.quality.description import CheckDescription
    from forge.quality.metric import Metric
    from forge.quality.monitors.monitor import MonitorRun
    from forge.quality.monitors.sla import Sla
    from forge.quality.remediation import Remediation
    from forge.versioning.changes import TableDiff


@dataclass(frozen=True, slots=True)
class QualityManagement(QualityAlerts):
    # monitors

    def monitor(self, monitor: str) -> MonitorItem:
        """One, by its id or name. E721."""
        from forge.flows.quality.monitors.store import find_monitor

        return MonitorItem.of(find_monitor(self.wiring.quality.monitors, monitor), self.wiring)

    def create_monitor(self, name: str, dataset: str, **fields: object) -> MonitorItem:
        """`create_monitor("Orders", "core.orders", checks=[…], schedule={"type": "cron", "cron": "0 6 * * *"})`, with
        the fields of the HTTP body. E720 with all errors."""
        from forge.flows.quality.monitors.store import create_monitor

        given = {"name": name, "dataset": dataset, **fields}
        return MonitorItem.of(create_monitor(given, self.wiring.quality.monitor_ports()), self.wiring)

    def preview_monitor(self, name: str, dataset: str, **fields: object) -> MonitorDraft:
        """A monitor's definition, the cost of its checks, its next runs, and all errors. Nothing is stored."""
        from forge.flows.quality.monitors.preview import preview_monitor

        wiring, given = self.wiring, {"name": name, "dataset": dataset, **fields}
        return preview_monitor(
            given, wiring.quality.monitor_ports(), self._look, wiring.project().checks_of, wiring.clock()
        )

    def change_monitor(self, monitor: str, **fields: object) -> MonitorItem:
        """Omitted fields stay."""
        from forge.flows.quality.monitors.store import change_monitor

        return MonitorItem.of(
            change_monitor(self.monitor(monitor).id, fields, self.wiring.quality.monitor_ports()), self.wiring
        )

    def delete_monitor(self, monitor: str) -> MonitorItem:
        """It is no longer scheduled or listed; its history stays."""
        from forge.flows.quality.monitors.store import remove_monitor

        return MonitorItem.of(
            remove_monitor(self.monitor(monitor).id, self.wiring.quality.monitor_ports()), self.wiring
        )

    def monitor_runs(self, monitor: str, *, limit: int = 100) -> tuple[MonitorRun, ...]:
        """Newest first."""
        return self.wiring.quality.monitors.runs(monitor_id=self.monitor(monitor).id, limit=limit)

    def sla(self, monitor: str, *, window_days: int | None = None) -> Sla:
        """The SLA of the monitor: pass rate, error budget, burn rate."""
        from forge.flows.quality.monitors.sla import find_sla

        found = self.monitor(monitor).monitor
        return find_sla(self.wiring.quality.monitors, found, self.wiring.clock(), window_days)

    # health and results

    def health(self, dataset: str) -> Health:
        """The latest result of each check of the table on its branch: `.score`, `.results`. E108."""
        from forge.flows.quality.health import find_health

        name, _, branch = dataset.partition("@")
        table, wiring = TableName.parse(name), self.wiring
        tree = wiring.metadata.tree(wiring.branch_head(BranchName(branch) if branch else self.branch))
        since = wiring.quality.monitors.standing({table: tree[table]}) if table in tree else ()
        return find_health(wiring.metadata, table, tree, (), since, wiring.quality.current_checks(table))

    def check_types(self) -> tuple[CheckDescription, ...]:
        """Every type of check with its keys."""
        from forge.quality.description import describe_checks

        return describe_checks()

    def validate(self, checks: Sequence[object], dataset: str | None = None) -> ChecksPreview:
        """Errors in checks, and the measures of each; with a dataset, on that. Nothing is stored."""
        from forge.flows.quality.monitors.check_preview import preview_checks

        return preview_checks(list(checks), self._look(dataset) if dataset else None)

    def _look(self, dataset: str) -> PreviewTarget:
        from forge.flows.quality.monitors.check_preview import find_target

        return find_target(dataset, self.wiring.metadata, self.wiring.lake, self.wiring.default_branch)

    def result(self, result: str) -> ResultItem:
        """One of `results()`, by its id. E724."""
        from forge.flows.quality.results import find_result

        return ResultItem.of(find_result(self.wiring.metadata, self.wiring.quality.monitors, result))

    def datasets(self) -> tuple[Health, ...]:
        """The health of each table of the branch, the worst first; those without results last."""
        tree = self.wiring.metadata.tree(self.wiring.branch_head(self.branch))
        found = [self.health(f"{table}@{self.branch}") for table in sorted(tree)]
        return tuple(sorted(found, key=lambda one: 101.0 if one.score is None else one.score))

    def trend(self, days: int = 30) -> tuple[Day, ...]:
        """Verdicts per day, oldest first, days without any included."""
        from functools import partial

        from forge.flows.quality.health import find_trend

        wiring = self.wiring
        also = partial(wiring.quality.monitors.tallies, branch=self.branch)
        return find_trend(wiring.metadata, self.branch, wiring.clock(), days, also)

    def anomalies(self, days: int = 30, *, limit: int = 100) -> tuple[MetricPoint, ...]:
        """Anomalies of the last days, of all tables, newest first."""
        from forge.flows.quality.metrics.anomalies import find_flagged

        return tuple(point for point, _ in find_flagged(self.wiring.quality.metric_ports(), days, limit=limit))

    def metrics(self, dataset: str) -> tuple[tuple[Metric, DatedValue, AnomalyFinding], ...]:
        """All metrics of a table, their newest value, and whether it is expected."""
        from forge.flows.quality.metrics.anomalies import find_metrics

        return find_metrics(self.wiring.quality.metric_ports(), *self._place(dataset))

    def feedback(self, dataset: str, metric: str, time: datetime, verdict: str | None, *, note: str = "") -> Baseline:
        """Marks a point of a metric as `expected` or `incident`, or removes the mark (None); returns the resulting
        series. E742 where there is no such point."""
        from forge.flows.quality.metrics.anomalies import find_series, record_feedback
        from forge.model.name_suggestions import did_you_mean
        from forge.quality.anomaly import Feedback

        known = [str(word) for word in Feedback]
        if verdict is not None and verdict not in known:
            near = did_you_mean(verdict, known)
            raise ForgeError("E105", f"There is no feedback '{verdict}'", why=near, fix=f"It is {' or '.join(known)}.")
        ports, (table, branch) = self.wiring.quality.metric_ports(), self._place(dataset)
        word = Feedback(verdict) if verdict else None
        by = self.wiring.author.email
        record_feedback(ports, table, metric, time, word, branch=branch, user=by, note=note)
        return Baseline.of(find_series(ports, table, metric, branch))

    def _place(self, dataset: str) -> tuple[TableName, BranchName]:
        name, _, branch = dataset.partition("@")
        return TableName.parse(name), BranchName(branch) if branch else self.branch

    # incidents and remediations

    def change_incident(
        self, incident: str, *, status: str | None = None, assignee: str | None = None, note: str | None = None
    ) -> TrackedIncident:
        """`status`: open, acknowledged or resolved; an empty `assignee` unassigns. E730, E734."""
        from forge.flows.quality.incidents.listing import find_tracked
        from forge.flows.quality.incidents.tracker import IncidentRequest, change_incident
        from forge.quality.alerts.incident import IncidentStatus

        ports = self.wiring.quality.alerts
        request = IncidentRequest(IncidentStatus(status) if status else None, assignee or None, assignee == "", note)
        return change_incident(ports, find_tracked(ports, incident).id, request, self.wiring.author.email)

    def remediations(
        self, dataset: str | None = None, *, status: str | None = None, limit: int = 100
    ) -> tuple[Remediation, ...]:
        """Newest first; of `core.orders@dev` those of that branch."""
        from forge.quality.remediation import RemedyStatus

        name, _, branch = (dataset or "").partition("@")
        return self.wiring.quality.remedies().store.find(
            table=TableName.parse(name) if name else None,
            branch=BranchName(branch) if branch else None,
            status=RemedyStatus(status) if status else None,
            limit=limit,
        )

    def remediation(self, remediation: str) -> Remediation:
        """One, by its id. E745."""
        from forge.flows.quality.remediation.proposal import find_remediation

        return find_remediation(remediation, self.wiring.quality.remedies())

    def preview_remediation(
        self, remediation: str, *, table: str | None = None, limit: int = 20, offset: int = 0
    ) -> tuple[TableDiff, ...]:
        """The rows that it changes, by table."""
        from forge.flows.quality.remediation.proposal import preview_diff
        from forge.flows.versioning.diff import DiffPage

        tables = [TableName.parse(table)] if table else None
        page = DiffPage(limit=limit, offset=offset)
        return preview_diff(self.remediation(remediation), self.wiring.quality.remedies(), tables=tables, page=page)

    def propose(self, dataset: str, *actions: object, checks: Sequence[str] = (), auto: bool = False) -> Remediation:
        """Proposes a remediation of failed checks: by the actions given (`"quarantine"`), or those that the checks
        name."""
        from forge.flows.quality.judge import judge_dataset
        from forge.flows.quality.remediation.request import RemedyRequest, read_actions, request_remedy

        name, _, branch = dataset.partition("@")
        place = BranchName(branch) if branch else self.branch
        asked = RemedyRequest(TableName.parse(name), place, read_actions(actions), tuple(checks), auto)
        return request_remedy(
            asked, self.wiring.quality.remedies(), lambda one: judge_dataset(one, self.wiring.quality.check_ports())
        )

    def approve(self, remediation: str, comment: str = "") -> Remediation:
        """Publishes the proposal as one commit."""
        from forge.flows.quality.remediation.decision import approve

        return approve(remediation, self.wiring.quality.remedies(), comment=comment)

    def reject(self, remediation: str, comment: str = "") -> Remediation:
        """Rejects the proposal; the data is unchanged."""
        from forge.flows.quality.remediation.decision import reject

        return reject(remediation, self.wiring.quality.remedies(), comment=comment)

    def revert(self, remediation: str, comment: str = "") -> Remediation:
        """Reverts an applied remediation."""
        from forge.flows.quality.remediation.decision import revert

        return revert(remediation, self.wiring.quality.remedies(), comment=comment)
