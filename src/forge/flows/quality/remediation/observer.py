"""Remediation as an observer of judged tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from forge.flows.quality.observers import JudgementEvent, JudgementObserver
from forge.flows.quality.remediation.ports import RemedyPorts
from forge.flows.quality.remediation.proposal import observe_failures
from forge.quality.remediation import RemedyStatus


def remedies_observer(ports: Callable[[], RemedyPorts]) -> JudgementObserver:
    """Executes or proposes `on_failure` of the failed checks."""

    def observe(seen: JudgementEvent) -> Sequence[str]:
        if not any(check.on_failure for check in seen.judged.checks):
            return ()
        monitor = seen.monitor
        written = monitor is None or monitor.file is not None or not monitor.checks
        made = observe_failures(seen.judged, ports(), monitor_id=monitor.id if monitor else None, from_files=written)
        return [f"remediation {one.id} failed" for one in made if one.status is RemedyStatus.FAILED]

    return JudgementObserver("remediation", observe)
