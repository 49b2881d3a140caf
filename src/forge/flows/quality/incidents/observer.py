"""The observer of judgements that maintains alerts and incidents."""

from __future__ import annotations

from dataclasses import replace

from forge.flows.quality.incidents.alerts import AlertSource, observe_alerts
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.observers import JudgementEvent, JudgementObserver
from forge.quality.alerts.alert import AlertOrigin, AlertPolicy, AlertScope


def alert_observer(ports: AlertPorts) -> JudgementObserver:
    def observe(observed: JudgementEvent) -> tuple[str, ...]:
        judged = observed.judged
        if judged.gate:  # the contract's verdict on the columns is one like any other
            judged = replace(judged, verdicts=(*judged.verdicts, *judged.gate))
        return observe_alerts(judged, ports, judging_of(observed, ports)).remarks

    return JudgementObserver("alerts and incidents", observe)


def judging_of(observed: JudgementEvent, ports: AlertPorts) -> AlertSource:
    """Who judged, and who is concerned. A judgement by hand opens incidents but notifies nobody."""
    monitor, judged = observed.monitor, observed.judged
    if monitor is not None:
        policy = AlertPolicy(
            monitor.channels, monitor.severity_threshold, monitor.notify_on_recovery, ports.remind_after
        )
        return AlertSource(
            AlertScope(AlertOrigin.MONITOR, monitor.id),
            policy,
            monitor.name,
            observed.monitor_run_id,
            observed.whole,
            observed.result_ids,
        )
    if judged.run_id is not None and observed.monitor_run_id is None:
        scope = AlertScope(AlertOrigin.RUN, judged.branch)
        return AlertSource(scope, ports.runs, whole=observed.whole, result_ids=observed.result_ids)
    silent = replace(ports.runs, channels=())
    scope = AlertScope(AlertOrigin.HAND, judged.branch)
    return AlertSource(
        scope, silent, monitor_run_id=observed.monitor_run_id, whole=observed.whole, result_ids=observed.result_ids
    )
