"""The part of `forge.connect().quality` that changes what is watched and mended: as over HTTP, by the same flows. What
comes back are the records themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.model.names import BranchName, TableName
from forge.wiring import Wiring

if TYPE_CHECKING:
    from forge.connection.quality_results import MonitorItem
    from forge.flows.check_preview import Preview
    from forge.flows.health import Health
    from forge.flows.metric_points import MetricPoint
    from forge.quality.incident import TrackedIncident
    from forge.quality.monitor import MonitorRun
    from forge.quality.sla import Sla
    from forge.quality.workflow import Remediation


@dataclass(frozen=True, slots=True)
class QualityManagement:
    wiring: Wiring
    branch: BranchName

    # monitors

    def monitor(self, monitor: str) -> MonitorItem:
        """One, by its id or name. E721."""
        from forge.connection.quality_results import MonitorItem
        from forge.flows.monitors import find_monitor

        return MonitorItem.of(find_monitor(self.wiring.monitors, monitor))

    def create_monitor(self, name: str, dataset: str, **fields: object) -> MonitorItem:
        """`create_monitor("Orders", "core.orders", checks=[…], schedule={"type": "cron", "cron": "0 6 * * *"})`, with
        the fields of the HTTP body. E720 with all that is wrong."""
        from forge.connection.quality_results import MonitorItem
        from forge.flows.monitors import create_monitor

        given = {"name": name, "dataset": dataset, **fields}
        return MonitorItem.of(create_monitor(given, self.wiring.monitor_ports()))

    def change_monitor(self, monitor: str, **fields: object) -> MonitorItem:
        """What is not given stays as it is."""
        from forge.connection.quality_results import MonitorItem
        from forge.flows.monitors import change_monitor

        return MonitorItem.of(change_monitor(self.monitor(monitor).id, fields, self.wiring.monitor_ports()))

    def delete_monitor(self, monitor: str) -> MonitorItem:
        """It is scheduled and listed no more; what it said stays."""
        from forge.connection.quality_results import MonitorItem
        from forge.flows.monitors import remove_monitor

        return MonitorItem.of(remove_monitor(self.monitor(monitor).id, self.wiring.monitor_ports()))

    def monitor_runs(self, monitor: str, *, limit: int = 100) -> tuple[MonitorRun, ...]:
        """Newest first."""
        return self.wiring.monitors.runs(monitor_id=self.monitor(monitor).id, limit=limit)

    def sla(self, monitor: str, *, window_days: int | None = None) -> Sla:
        """How the monitor keeps its promise."""
        from forge.flows.monitor_sla import find_sla

        found = self.monitor(monitor).monitor
        return find_sla(self.wiring.monitors, found, self.wiring.clock(), window_days)

    # how things stand

    def health(self, dataset: str) -> Health:
        """The last word of each check about the table on its branch: `.score`, `.results`. E108."""
        from forge.flows.health import find_health

        name, _, branch = dataset.partition("@")
        table, wiring = TableName.parse(name), self.wiring
        tree = wiring.metadata.tree(wiring.branch_head(BranchName(branch) if branch else self.branch))
        since = wiring.monitors.standing({table: tree[table]}) if table in tree else ()
        return find_health(wiring.metadata, table, tree, (), since, wiring.current_checks(table))

    def validate(self, checks: Sequence[object], dataset: str | None = None) -> Preview:
        """What is wrong with checks, and what each would measure; with a dataset, on that. Nothing is kept."""
        from forge.flows.check_preview import look_at, preview_checks

        wiring = self.wiring
        seen = look_at(dataset, wiring.metadata, wiring.lake, wiring.default_branch) if dataset else None
        return preview_checks(list(checks), seen)

    def anomalies(self, days: int = 30, *, limit: int = 100) -> tuple[MetricPoint, ...]:
        """What was flagged in the last days, of all tables, newest first."""
        from forge.flows.anomalies import find_flagged

        return tuple(point for point, _ in find_flagged(self.wiring.metric_ports(), days, limit=limit))

    # what is done about it

    def change_incident(
        self, incident: str, *, status: str | None = None, assignee: str | None = None, note: str | None = None
    ) -> TrackedIncident:
        """`status`: open, acknowledged or resolved. E730, E734."""
        from forge.flows.incident_list import find_tracked
        from forge.flows.incident_tracker import Request, change_incident
        from forge.quality.incident import IncidentStatus

        ports = self.wiring.alerts()
        request = Request(IncidentStatus(status) if status else None, assignee, note=note)
        return change_incident(ports, find_tracked(ports, incident).id, request, self.wiring.author.email)

    def remediations(self, dataset: str | None = None, *, limit: int = 100) -> tuple[Remediation, ...]:
        """Newest first."""
        table = TableName.parse(dataset.partition("@")[0]) if dataset else None
        return self.wiring.remedies().store.find(table=table, limit=limit)

    def propose(self, dataset: str, *actions: object, checks: Sequence[str] = (), auto: bool = False) -> Remediation:
        """Mend what fails: by the actions given (`"quarantine"`), or those that the checks name."""
        from forge.flows.check import judge_dataset
        from forge.flows.remediate_ask import Asked, ask, read_actions

        name, _, branch = dataset.partition("@")
        place = BranchName(branch) if branch else self.branch
        asked = Asked(TableName.parse(name), place, read_actions(actions), tuple(checks), auto)
        return ask(asked, self.wiring.remedies(), lambda one: judge_dataset(one, self.wiring.check_ports()))

    def approve(self, remediation: str, comment: str = "") -> Remediation:
        from forge.flows.remediate_decide import approve

        return approve(remediation, self.wiring.remedies(), comment=comment)

    def reject(self, remediation: str, comment: str = "") -> Remediation:
        from forge.flows.remediate_decide import reject

        return reject(remediation, self.wiring.remedies(), comment=comment)

    def revert(self, remediation: str, comment: str = "") -> Remediation:
        from forge.flows.remediate_decide import revert

        return revert(remediation, self.wiring.remedies(), comment=comment)
