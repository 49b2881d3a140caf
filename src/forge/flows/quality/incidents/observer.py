"""The observer of judgements that looks after alerts and incidents."""

from __future__ import annotations

from dataclasses import replace

from forge.flows.quality.after_check import Observed, Observer
from forge.flows.quality.incidents.alerts import Judging, observe_alerts
from forge.flows.quality.incidents.ports import AlertPorts
from forge.quality.alerts.alert import AlertPolicy, Origin, Scope


def alert_observer(ports: AlertPorts) -> Observer:
    def observe(observed: Observed) -> tuple[str, ...]:
        judged = observed.judged
        if judged.gate:  # what the contract says of the columns is a verdict like any other
            judged = replace(judged, verdicts=(*judged.verdicts, *judged.gate))
        return observe_alerts(judged, ports, judging_of(observed, ports)).remarks

    return Observer("alerts and incidents", observe)


def judging_of(observed: Observed, ports: AlertPorts) -> Judging:
    """Who judged, and whom that concerns. What a person judges by hand concerns that person: it opens incidents, and
    tells nobody."""
    monitor, judged = observed.monitor, observed.judged
    if monitor is not None:
        policy = AlertPolicy(
            monitor.channels, monitor.severity_threshold, monitor.notify_on_recovery, ports.remind_after
        )
        return Judging(
            Scope(Origin.MONITOR, monitor.id),
            policy,
            monitor.name,
            observed.monitor_run_id,
            observed.whole,
            observed.result_ids,
        )
    if judged.run_id is not None and observed.monitor_run_id is None:
        scope = Scope(Origin.RUN, judged.branch)
        return Judging(scope, ports.runs, whole=observed.whole, result_ids=observed.result_ids)
    silent = replace(ports.runs, channels=())
    scope = Scope(Origin.HAND, judged.branch)
    return Judging(
        scope, silent, monitor_run_id=observed.monitor_run_id, whole=observed.whole, result_ids=observed.result_ids
    )
