"""The guide on alerts: its settings are read, and its receiver accepts what is sent and nothing else."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alert_world import notice
from receivers import http_receiver

from forge.channels.webhook import WebhookChannel
from forge.flows.quality.incidents.ports import OutgoingMessage
from forge.quality.alerts.message import PageLinks, document_of, render_notices
from forge.settings import load_settings

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "alerts.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    assert found is not None
    return found.group(1)


def test_the_settings_of_the_guide_are_read(tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text(block("yaml"))
    keys = load_settings(tmp_path, {"HOME": str(tmp_path), "PATH": "", "USER": "ada"})
    assert [channel.type for channel in keys.alerts.channels.values()] == ["slack", "email", "pagerduty", "webhook"]
    assert len(keys.alerts.quiet_hours) == 2


def test_the_receiver_of_the_guide_accepts_what_is_sent_and_nothing_else() -> None:
    names: dict[str, Any] = {}
    exec(compile(block("python"), "guide", "exec"), names)
    words = render_notices([notice()], PageLinks())
    message = OutgoingMessage(
        "m-1", words, document_of("m-1", [notice()], words, PageLinks()), PageLinks(), datetime.now(UTC)
    )
    with http_receiver() as receiver:
        channel = WebhookChannel(lambda: receiver.url, lambda: "key", timeout=5)
        channel.send(message)
        channel.send(replace(message, at=datetime(2020, 1, 1, tzinfo=UTC)))
    fresh, old = receiver.taken
    is_genuine = names["is_genuine"]
    assert is_genuine("key", fresh.headers, fresh.body)
    assert not is_genuine("other", fresh.headers, fresh.body)
    assert not is_genuine("key", fresh.headers, fresh.body + b" ")
    assert not is_genuine("key", old.headers, old.body)
