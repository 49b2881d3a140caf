"""`forge quality incidents` and `forge quality alerts` on real SQLite stores, with a real receiver. No JVM."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from alert_world import PASSED, judged, verdict
from migrated import lay_database
from receivers import HttpReceiver, http_receiver
from recorded_history import MORNING, write_history

from forge.flows.quality.incidents.alerts import AlertSource, observe_alerts
from forge.quality.alerts.alert import AlertOrigin, AlertPolicy, AlertScope
from forge.quality.verdict import Verdict
from forge.wiring import Wiring

Forge = Callable[..., Any]
HOURLY = AlertScope(AlertOrigin.MONITOR, "hourly")


@dataclass
class Shop:
    forge: Forge
    root: Path
    receiver: HttpReceiver

    def __call__(self, *words: str, status: int = 0) -> Any:
        ended = self.forge("quality", *words, at=self.root)
        assert ended.status == status, ended.err
        return ended

    def judge(self, *verdicts: Verdict) -> str:
        wiring = Wiring.of(self.root)
        ports = wiring.quality.alerts
        judging = AlertSource(HOURLY, AlertPolicy(("ops",)), "Hourly", "mr-1")
        opened = observe_alerts(judged(*verdicts, at=ports.clock()), ports, judging).opened
        wiring.close()
        return opened[0] if opened else ""


@pytest.fixture
def failing_shop(forge: Forge, tmp_path: Path) -> Iterator[Shop]:
    root = tmp_path / "shop"
    root.mkdir()
    lay_database(root / ".forge" / "forge.db")
    with http_receiver() as receiver:
        (root / "forge.yaml").write_text(
            "user: {name: Ada, email: ada@example.com}\nalerts:\n  group_seconds: 0\n"
            f"  channels: {{ops: {{type: webhook, url: '{receiver.url}'}}}}\n"
        )
        yield Shop(forge, root, receiver)


def test_an_incident_is_listed_shown_acknowledged_noted_and_resolved(failing_shop: Shop) -> None:
    opened = failing_shop.judge(verdict())
    listed = failing_shop("incidents", "list")
    assert opened in listed.out
    assert "1 incident" in listed.err
    failing_shop("incidents", "ack", opened[:8], "--note", "looking at it")
    failing_shop("incidents", "assign", opened, "bob")
    failing_shop("incidents", "note", opened, "the source sent cents")
    shown = failing_shop("incidents", "show", opened, "--json").json
    assert shown["schema_version"] == 1
    assert (shown["incident"]["status"], shown["incident"]["assignee"]) == ("acknowledged", "bob")
    assert [entry["kind"] for entry in shown["timeline"]] == ["opened", "note", "acknowledged", "assigned", "note"]
    page = failing_shop("incidents", "show", opened).out
    assert "saw         amount: 3 of 10 rows (30%) are outside 0 … 5" in page
    assert "the source sent cents" in page
    failing_shop("incidents", "resolve", opened)
    assert failing_shop("incidents", "list", "--json").json["incidents"] == []
    (resolved,) = failing_shop("incidents", "list", "--status", "resolved", "--json").json["incidents"]
    assert (resolved["id"], resolved["resolved_by"]) == (opened, "ada@example.com")
    failing_shop("incidents", "reopen", opened)
    assert len(failing_shop("incidents", "list", "--json").json["incidents"]) == 1
    assert failing_shop("incidents", "list", "--dataset", "core.other", "--json").json["incidents"] == []


@pytest.mark.slow
def test_an_incident_of_a_run_is_tracked_when_someone_acts(failing_shop: Shop) -> None:
    wiring = Wiring.of(failing_shop.root, clock=lambda: MORNING)
    write_history(wiring)
    wiring.close()
    (listed,) = failing_shop("incidents", "list", "--json").json["incidents"]
    failing_shop("incidents", "ack", listed["id"])
    (after,) = failing_shop("incidents", "list", "--json").json["incidents"]
    assert (after["status"], after["id"]) == ("acknowledged", listed["id"])


def test_what_is_unknown_or_makes_no_sense_is_refused(failing_shop: Shop) -> None:
    opened = failing_shop.judge(verdict())
    for words, code in (
        (("incidents", "show", "nothing"), "E730"),
        (("incidents", "ack", "nothing"), "E730"),
        (("incidents", "note", opened, " "), "E734"),
        (("alerts", "mute", "--hours", "1"), "E732"),
        (("alerts", "mute", "--dataset", "core.orders"), "E732"),
        (("alerts", "mute", "--dataset", "core.orders", "--until", "tomorrow"), "E732"),
        (("alerts", "mute", "--dataset", "core.orders", "--until", "2020-01-01T00:00Z"), "E732"),
        (("alerts", "unmute", "nothing"), "E733"),
        (("alerts", "test", "opps"), "E731"),
    ):
        assert f"FORGE-{code}" in failing_shop(*words, status=2).err


def test_alerts_are_delivered_listed_and_tried_again(failing_shop: Shop) -> None:
    failing_shop.receiver.answers = [(503, {})]
    failing_shop.judge(verdict())
    (failing,) = failing_shop("alerts", "list", "--json").json["alerts"]
    assert (failing["status"], failing["told"], failing["scope"]) == ("failing", ["ops"], "monitor:hourly")
    failed = failing_shop("alerts", "deliver", "--json", status=5).json["delivered"]
    assert failed == [{"sent": 0, "failed": 1, "given_up": 0, "dropped": 0, "waiting": 1}]
    assert failing_shop("alerts", "deliver", "--json").json["delivered"][0]["sent"] == 0  # its time has not come
    assert failing_shop("alerts", "deliver", "--now", "--json").json["delivered"][0]["sent"] == 1
    (one,) = failing_shop("alerts", "deliveries", "--json").json["deliveries"]
    assert (one["state"], [attempt["ok"] for attempt in one["attempts"]]) == ("sent", [False, True])
    assert "sent" in failing_shop("alerts", "deliveries").out
    assert len({taken.headers["x-forge-delivery"] for taken in failing_shop.receiver.taken}) == 1


def test_what_was_refused_is_kept_and_queued_again(failing_shop: Shop) -> None:
    failing_shop.receiver.answers = [(400, {})]
    failing_shop.judge(verdict())
    failing_shop("alerts", "deliver", status=5)
    (refused,) = failing_shop("alerts", "deliveries", "--state", "refused", "--json").json["deliveries"]
    assert "no, thank you" in refused["reason"]
    assert failing_shop("alerts", "retry").out == "1 queued again\n"
    failing_shop("alerts", "deliver")
    assert len(failing_shop("alerts", "deliveries", "--state", "sent", "--json").json["deliveries"]) == 1


def test_a_mute_holds_messages_until_it_is_ended(failing_shop: Shop) -> None:
    made = failing_shop("alerts", "mute", "--dataset", "core.orders", "--hours", "8", "-m", "we know")
    identity = made.out.strip()
    failing_shop.judge(verdict())
    failing_shop("alerts", "deliver", "--now")
    assert failing_shop.receiver.taken == []
    assert "we know" in failing_shop("alerts", "mutes").out
    (alert,) = failing_shop("alerts", "list", "--json").json["alerts"]
    assert alert["muted_until"] is not None
    failing_shop("alerts", "unmute", identity)
    failing_shop("alerts", "deliver")
    assert len(failing_shop.receiver.taken) == 1
    assert "Nothing is muted." in failing_shop("alerts", "mutes").err


def test_a_channel_is_tried(failing_shop: Shop) -> None:
    assert failing_shop("alerts", "test", "ops").out == "ops: 200 ok\n"
    failing_shop.receiver.answers = [(503, {})]
    ended = failing_shop("alerts", "test", "ops", status=5)
    assert "FORGE-E735" in ended.err
    assert "s3cret" not in ended.err


def test_what_passes_again_is_told_as_such(failing_shop: Shop) -> None:
    opened = failing_shop.judge(verdict())
    failing_shop.judge(verdict(PASSED))
    assert failing_shop("incidents", "show", opened, "--json").json["incident"]["status"] == "resolved"
    assert "No check fails." in failing_shop("alerts", "list").err
    assert failing_shop("alerts", "list", "--all", "--json").json["alerts"][0]["status"] == "recovered"
