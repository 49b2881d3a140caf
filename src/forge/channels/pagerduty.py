"""PagerDuty, Events API v2: a failure triggers, its end resolves, both by the same dedup key."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from forge.channels.http import post
from forge.channels.limits import send_within
from forge.flows.quality.incidents.ports import ChannelType, OutgoingMessage, SendError
from forge.quality.alerts.delivery import PagerEvent
from forge.quality.alerts.message import MessageLine, RenderedNotice, render_notices, text_of

URL = "https://events.pagerduty.com/v2/enqueue"
_SUMMARY, _DETAILS = 1024, 20_000


@dataclass(frozen=True, slots=True)
class PagerDutyChannel:
    """`routing_key` reads the integration key on use."""

    routing_key: Callable[[], str]
    url: str = URL
    timeout: float = 10.0
    ca_file: str | None = None
    type: ChannelType = "pagerduty"

    def send(self, message: OutgoingMessage) -> str:
        return send_within(self.timeout, lambda: "; ".join(self._post(event, message) for event in message.events))

    def _post(self, event: PagerEvent, message: OutgoingMessage) -> str:
        body = json.dumps(event_body(event, message, self.routing_key()), ensure_ascii=False).encode()
        headers = {"x-forge-delivery": message.id}
        status, text = post(self.url, body, headers, self.timeout, self.ca_file)
        if status >= 300:
            raise SendError(f"PagerDuty answered {status}")
        return f"{event.action} {event.key}: {status} {text[:100]}".strip()


def event_body(event: PagerEvent, message: OutgoingMessage, routing_key: str) -> dict[str, object]:
    body: dict[str, object] = {"routing_key": routing_key, "event_action": event.action, "dedup_key": event.key}
    if event.action == "resolve":
        return body
    notices = [one.notice for one in event.deliveries]
    first, words = notices[0], render_notices(notices, message.links)
    payload = {
        "summary": words.subject[:_SUMMARY],
        "source": first.table or "forge",
        "severity": str(words.severity),
        "timestamp": first.at.isoformat(),
        "component": first.table or "forge",
        "group": first.monitor_name or str(first.scope),
        "class": first.checks[0].check_type if first.checks else "note",
        "custom_details": {"text": text_of(words)[:_DETAILS], "message_id": message.id},
    }
    links = [{"href": line.href, "text": line.text[:100]} for line in _linked(words)[:10]]
    return {**body, "client": "Forge", "payload": payload, "links": links}


def _linked(words: RenderedNotice) -> list[MessageLine]:
    return [line for section in words.sections for line in section.lines if line.href]
