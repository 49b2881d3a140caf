"""Slack: an incoming webhook, with blocks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from forge.channels.http import post
from forge.channels.limits import send_within
from forge.flows.quality.incidents.ports import ChannelType, OutgoingMessage
from forge.quality.alerts.message import MessageLine, MessageSection, RenderedNotice, colour_of

_HEADER, _TEXT = 150, 2900  # characters that Slack takes


@dataclass(frozen=True, slots=True)
class SlackChannel:
    """`url` reads the address, which is a secret, on use."""

    url: Callable[[], str]
    timeout: float = 10.0
    ca_file: str | None = None
    type: ChannelType = "slack"

    def send(self, message: OutgoingMessage) -> str:
        body = json.dumps(slack_body(message.rendered), ensure_ascii=False).encode()

        def work() -> str:
            status, text = post(self.url(), body, {"x-forge-delivery": message.id}, self.timeout, self.ca_file)
            return f"{status} {text}".strip()

        return send_within(self.timeout, work)


def slack_body(notice: RenderedNotice) -> dict[str, object]:
    """`text` is shown in notifications; the rest in the channel."""
    blocks: list[dict[str, object]] = [
        {"type": "header", "text": {"type": "plain_text", "text": notice.subject[:_HEADER], "emoji": False}}
    ]
    attachments = [
        {"color": colour_of(section.severity, section.recovered), "blocks": [_section(section)]}
        for section in notice.sections
    ]
    if notice.rest:
        attachments.append(
            {"color": colour_of(notice.severity, notice.recovered), "blocks": [_block(_escaped(notice.rest))]}
        )
    return {"text": _escaped(notice.subject), "blocks": blocks, "attachments": attachments}


def _section(section: MessageSection) -> dict[str, object]:
    lines = [f"*{_escaped(section.title)}*", *(_line(line) for line in section.lines)]
    kept: list[str] = []
    size = 0
    for line in lines:  # a line is never cut in the middle, where it could end within a link
        size += len(line) + 1
        if size > _TEXT:
            kept.append("…")
            break
        kept.append(line)
    return _block("\n".join(kept))


def _block(text: str) -> dict[str, object]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def _line(line: MessageLine) -> str:
    text = _escaped(line.text)
    if line.href:
        text = f"<{_escaped(line.href)}|{text.replace('|', '¦')}>"
    return f"_{line.label}_  {text}" if line.label else text


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
