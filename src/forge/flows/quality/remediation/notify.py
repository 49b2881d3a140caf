"""Notifications of remediations: channels named by `notify`, and timelines of incidents."""

from __future__ import annotations

from collections.abc import Callable

from forge.flows.quality.incidents.alerts import notify_channels
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.incidents.tracker import note_remediation
from forge.flows.quality.judge import JudgedTable
from forge.quality.remediation import Remediation, RemedyStatus, RemedyStep

_WORDS = {
    RemedyStatus.PROPOSED: "Proposed",
    RemedyStatus.APPLIED: "Done",
    RemedyStatus.REJECTED: "Rejected",
    RemedyStatus.REVERTED: "Taken back",
    RemedyStatus.NOTHING: "Nothing to do",
    RemedyStatus.FAILED: "Could not be done",
}


def notifier(alerts: Callable[[], AlertPorts]) -> Callable[[RemedyStep, JudgedTable], str]:
    """Queues what `notify` requests; without channels of its own, to the default channels of runs."""

    def notify(step: RemedyStep, judged: JudgedTable) -> str:
        ports = alerts()
        channels = step.action.names("channels") or tuple(ports.runs.channels)
        if not channels:
            return "Nobody was told: the action names no channel, and alerts.runs in forge.yaml has none."
        asked = set(step.check_ids)
        messages = [verdict.message for verdict in judged.verdicts if verdict.check_id in asked]
        text = str(step.action.option("message") or f"{judged.table}: {'; '.join(messages)}")
        notify_channels(ports, judged, channels, text, step.check_ids)
        return f"Told {', '.join(channels)}."

    return notify


def timeline_notifier(alerts: Callable[[], AlertPorts]) -> Callable[[Remediation, str], None]:
    """Adds a timeline entry to the incidents concerned."""

    def report(remediation: Remediation, event: str) -> None:
        kinds = ", ".join(str(step.action.kind) for step in remediation.steps)
        text = f"{_WORDS[remediation.status]}: {kinds}. {remediation.note}".strip()
        note_remediation(
            alerts(),
            remediation.table,
            str(remediation.branch),
            remediation.check_ids,
            text,
            by=remediation.decided_by or remediation.proposed_by,
            commit_id=remediation.reverted_by_commit or remediation.commit or remediation.preview,
            run_id=remediation.run_id,
            details={"remediation": remediation.id, "event": event},
        )

    return report
