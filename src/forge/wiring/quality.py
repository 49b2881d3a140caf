"""Wiring of checks, monitors, metrics, alerts, fitness and remediation."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from forge.engines.spark.repair import SparkRepair
    from forge.flows.quality.fitness import FitnessPorts
    from forge.flows.quality.health import CurrentChecks, CurrentChecksOf
    from forge.flows.quality.incidents.ports import AlertPorts
    from forge.flows.quality.judge import CheckPorts, HistoryOf
    from forge.flows.quality.metrics.history import MetricPorts
    from forge.flows.quality.monitors.run import JudgePorts
    from forge.flows.quality.monitors.store import MonitorPorts
    from forge.flows.quality.observers import ObserverChain
    from forge.flows.quality.remediation.ports import RemedyPorts
    from forge.flows.quality.row_repair import RepairWork
    from forge.flows.runs.build import StepEvent
    from forge.flows.runs.records import RunStatus
    from forge.flows.versioning.ports import VersionPorts
    from forge.model.names import BranchName, CommitId, RunId, TableName
    from forge.quality.check import Check
    from forge.quality.monitors.monitor import Monitor
    from forge.quality.remediation import Remediation
    from forge.stores.sql.quality.metrics import SqlMetrics
    from forge.stores.sql.quality.monitors import SqlMonitors
    from forge.stores.sql.quality.states import SqlStates
    from forge.versioning.commit import Author
    from forge.wiring import Wiring


@dataclass(frozen=True)
class QualityParts:
    wiring: Wiring

    def check_ports(
        self,
        run_id: RunId | None = None,
        notify: Callable[[StepEvent], None] = lambda event: None,
        stopped: Callable[[], RunStatus | None] = lambda: None,
    ) -> CheckPorts:
        """Ports for judging published data."""
        from forge.flows.quality.judge import CheckPorts

        return CheckPorts(
            metadata=self.wiring.metadata,
            lake=self.wiring.lake,
            engine=lambda: self.wiring.engine,
            project=self.wiring.project,
            clock=self.wiring.clock,
            default_branch=self.wiring.default_branch,
            notify=notify,
            stopped=stopped,
            run_id=run_id,
            history=self.history,
            states=self.states,
            declared=self.wiring.catalog.personal,
            pii_types=self.wiring.settings.pii_types,
        )

    @cached_property
    def metrics(self) -> SqlMetrics:
        """Metric histories and feedback."""
        from forge.stores.sql.quality.metrics import SqlMetrics

        return SqlMetrics(self.wiring.database)

    def metric_ports(self) -> MetricPorts:
        """Ports for recording and judging metrics."""
        from forge.flows.quality.metrics.history import MetricPorts

        return MetricPorts(self.metrics, self.wiring.metadata, self.wiring.clock, self._hidden)

    @property
    def history(self) -> HistoryOf:
        from forge.flows.quality.metrics.history import HistoryReader

        return HistoryReader(self.metric_ports())

    @cached_property
    def states(self) -> SqlStates:
        from forge.stores.sql.quality.states import SqlStates

        return SqlStates(self.wiring.database)

    def _hidden(self, table: TableName) -> frozenset[str]:
        """Personal columns on the default branch, and those that rules of the lake mask."""
        return self.wiring.catalog.hidden_at().of(table)

    @cached_property
    def alerts(self) -> AlertPorts:
        """Ports of alerts and incidents."""
        from forge.wiring.alerts import alert_ports

        return alert_ports(self.wiring)

    @cached_property
    def monitors(self) -> SqlMonitors:
        """Monitors, their runs and results."""
        from forge.stores.sql.quality.monitors import SqlMonitors

        return SqlMonitors(self.wiring.database)

    def monitor_ports(self, actor: str | None = None) -> MonitorPorts:
        """Ports for creating and changing monitors."""
        from forge.flows.quality.monitors.store import MonitorPorts

        return MonitorPorts(
            store=self.monitors,
            metadata=self.wiring.metadata,
            clock=self.wiring.clock,
            actor=actor or self.wiring.author.email,
            default_branch=self.wiring.default_branch,
            channels=lambda: tuple(self.wiring.settings.alerts.channels),
            retired=lambda monitor_id: self._forget(monitor_id, actor or self.wiring.author.email),
            tables=self._watchable,
        )

    def _watchable(self, branch: BranchName) -> frozenset[TableName]:
        """Possible targets of monitors: tables and views of the branch, the lake and the project."""
        own = self.wiring.metadata.tree(self.wiring.branch_head(branch))
        return frozenset({*own, *self.wiring.catalog.known_tables(), *self.wiring.project().transforms})

    def judge_ports(self, actor: str | None = None) -> JudgePorts:
        """Ports for judging, storing results and notifying."""
        from forge.flows.quality.monitors.run import JudgePorts
        from forge.flows.runs.processes import this_process

        return JudgePorts(
            store=self.monitors,
            checks=self.check_ports,
            observers=self.observers,
            clock=self.wiring.clock,
            actor=actor or self.wiring.author.email,
            default_branch=self.wiring.default_branch,
            process=this_process(),
        )

    def current_checks(self, table: TableName) -> CurrentChecks | None:
        """Current checks of the project and its monitors for a table; None where a file is unreadable."""
        return self.current_checks_of()(table)

    def current_checks_of(self) -> CurrentChecksOf:
        """The same for many tables: files and monitors are read once."""
        from forge.flows.quality.health import CurrentChecks
        from forge.model.errors import ForgeError
        from forge.model.fault import errors_about
        from forge.quality.plan import check_ids
        from forge.quality.spec import load_checks

        project = self.wiring.project()
        monitors: dict[TableName, list[Monitor]] = {}
        for monitor in self.monitors.monitors():
            monitors.setdefault(monitor.table, []).append(monitor)

        def find(table: TableName) -> CurrentChecks | None:
            if errors_about(project.faults, [table], of_runs=False):
                return None
            own = (*project.checks.get(table, ()), *project.promises.get(table, ()))
            found = set(check_ids(own, table))
            for monitor in monitors.get(table, ()):
                where = monitor.file or f"monitor {monitor.id}"
                try:
                    found |= set(check_ids(load_checks(list(monitor.checks), table=table, where=where), table))
                except ForgeError:  # the monitor reports it when it runs
                    return None
            return CurrentChecks(frozenset(found), table in project.transforms)

        return find

    def fitness(self) -> FitnessPorts:
        """Ports of the fitness gate."""
        from forge.flows.quality.fitness import FitnessPorts

        wiring, catalog = self.wiring, self.wiring.catalog
        return FitnessPorts(
            metadata=wiring.metadata,
            lake=wiring.lake,
            clock=wiring.clock,
            default_branch=wiring.default_branch,
            standing=self.monitors.standing,
            personal=catalog.declared.of,
            personal_at=catalog.personal_at,
            found=lambda table: catalog.pii.found().of(table),
            current=self.current_checks,
        )

    @cached_property
    def observers(self) -> ObserverChain:
        """The observers of judgements, in order."""
        from forge.flows.quality.incidents.observer import alert_observer
        from forge.flows.quality.metrics.anomalies import metrics_observer
        from forge.flows.quality.observers import ObserverChain
        from forge.flows.quality.remediation.observer import remedies_observer

        metrics = metrics_observer(self.metric_ports())
        return ObserverChain((metrics, alert_observer(self.alerts), remedies_observer(self.remedies)))

    def outcomes(self, table: TableName, check_id: str) -> tuple[tuple[CommitId, bool], ...]:
        """Results of a check on commits outside of runs, newest first: whether it passed."""
        from forge.quality.verdict import Outcome

        results = self.monitors.results(table=table, check_id=check_id, limit=1000)
        return tuple(
            (one.commit_id, one.verdict is Outcome.PASSED)
            for one in results
            if one.commit_id is not None and one.verdict is not Outcome.NOT_MEASURED
        )

    def remedies(
        self,
        notify: Callable[[StepEvent], None] = lambda event: None,
        *,
        author: Author | None = None,
        run_id: RunId | None = None,
        stopped: Callable[[], RunStatus | None] = lambda: None,
        versions: VersionPorts | None = None,
    ) -> RemedyPorts:
        """Ports of remediation. `versions`: the caller's versioning ports, where it has them."""
        from forge.flows.quality.remediation.notify import notifier, timeline_notifier
        from forge.flows.quality.remediation.ports import RemedyPorts
        from forge.quality.remediation import ApprovalPolicy
        from forge.stores.sql.quality.remediations import SqlRemediations

        keys = self.wiring.settings.quality.remediation
        return RemedyPorts(
            versions=versions or self.wiring.versioning.ports(notify, author=author, run_id=run_id, stopped=stopped),
            store=SqlRemediations(self.wiring.database),
            small=self.driver_repair,
            large=self.spark_repair,
            policy=ApprovalPolicy(tuple(keys.approvers), keys.own),
            more_checks=self._monitor_checks,
            outcomes=self.outcomes,
            notify=notifier(lambda: self.alerts),
            report=timeline_notifier(lambda: self.alerts),
            function=lambda place, pin: self.spark_repair().call(place, pin),
        )

    def _monitor_checks(self, remediation: Remediation) -> tuple[Check, ...]:
        """Those of the monitor that found the failure."""
        monitor = self.monitors.monitor(remediation.monitor_id) if remediation.monitor_id else None
        if monitor is None:
            return ()
        from forge.quality.spec import load_checks

        return load_checks(list(monitor.checks), table=remediation.table, where=f"monitor {monitor.id}")

    @cached_property
    def driver_repair(self) -> RepairWork | None:
        if self.wiring.versioning.tables is None:
            return None
        from forge.stores.lake.arrow.repair import ArrowRepair

        return ArrowRepair(self.wiring.versioning.tables)

    def spark_repair(self) -> SparkRepair:
        from forge.engines.spark.repair import SparkRepair

        assert self.wiring.versioning.tables is not None, "rows are worked on in Forge's own catalog only"
        return SparkRepair(self.wiring.engine, self.wiring.versioning.tables)

    def settle_alerts(self, branch: BranchName, run_id: RunId, outputs: Mapping[TableName, bool]) -> None:
        from forge.flows.quality.incidents.alerts import settle_run

        try:
            settle_run(self.alerts, branch, run_id, outputs)
        except Exception as error:  # the run is unaffected
            logging.getLogger("forge.alerts").warning("Alerts of the run %s were not settled: %s", run_id, error)

    def _forget(self, monitor_id: str, by: str) -> None:
        from forge.flows.quality.incidents.alerts import forget_monitor

        forget_monitor(self.alerts, monitor_id, by)
