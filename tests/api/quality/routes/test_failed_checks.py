"""Incidents, alerts, mutes and deliveries over HTTP; the server tells a real receiver by itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from alert_world import PASSED, judged, verdict
from fastapi import FastAPI
from fastapi.testclient import TestClient
from receivers import HttpReceiver, http_receiver

from forge.flows.quality.incidents import deliveries
from forge.flows.quality.incidents.alerts import AlertSource, observe_alerts
from forge.flows.quality.incidents.open_incidents import former_id
from forge.model.names import BranchName, ColumnName
from forge.quality.alerts.alert import AlertOrigin, AlertPolicy, AlertScope
from forge.quality.verdict import Verdict
from forge.wiring import Wiring

LOGIN = "forge_login-secret-of-the-tests"
BASE = "/api/v1/quality"
MakeProject = Callable[[], Path]
MakeApp = Callable[..., FastAPI]


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as found:
        yield found


@pytest.fixture
def root(make_site_project: MakeProject, receiver: HttpReceiver) -> Path:
    root = make_site_project()
    (root / "forge.yaml").write_text(
        "project: shop\nuser: {name: Ada, email: ada@example.com}\nalerts:\n  group_seconds: 0\n  channels:\n"
        f"    ops: {{type: webhook, url: '{receiver.url}'}}\n"
    )
    return root


@pytest.fixture
def client(root: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(deliveries, "LOOK_SECONDS", 0.02)
    with TestClient(make_app(root), base_url="http://127.0.0.1:8765", raise_server_exceptions=False) as client:
        client.headers["authorization"] = f"Bearer {LOGIN}"
        yield client


def wiring_of(client: TestClient) -> Wiring:
    found: Wiring = client.app.state.wiring  # type: ignore[attr-defined]
    return found


def judge(client: TestClient, *verdicts: Verdict, table: str = "marts.revenue") -> str | None:
    """What a monitor saw just now; the incident that it opened."""
    ports = wiring_of(client).quality.alerts
    judging = AlertSource(AlertScope(AlertOrigin.MONITOR, "hourly"), AlertPolicy(("ops",)), "Hourly", "mr-1")
    opened = observe_alerts(judged(*verdicts, at=ports.clock(), table=table), ports, judging).opened
    return opened[0] if opened else None


def fail(client: TestClient) -> str:
    opened = judge(client, verdict(table="marts.revenue", columns=("total",), check="total.range"))
    assert opened is not None
    return opened


def call(client: TestClient, method: str, path: str, **facts: Any) -> Any:
    answer = client.request(method, f"{BASE}{path}", **facts)
    assert answer.status_code in (200, 201, 204), answer.text
    return answer.json() if answer.content else None


def refusal(client: TestClient, method: str, path: str, **facts: Any) -> tuple[int, str]:
    answer = client.request(method, f"{BASE}{path}", **facts)
    return answer.status_code, answer.json()["code"]


@pytest.mark.slow
def test_incidents_of_runs_and_of_monitors_are_one_list(client: TestClient) -> None:
    (of_run,) = call(client, "GET", "/incidents")["items"]
    assert (of_run["status"], of_run["origin_kind"], of_run["incident_id"]) == ("open", "run", None)
    opened = fail(client)
    found = call(client, "GET", "/incidents")
    assert found["total_count"] == 2
    of_monitor = next(one for one in found["items"] if one["monitor_id"])
    assert (of_monitor["id"], of_monitor["incident_id"], of_monitor["monitor_name"]) == (opened, opened, "Hourly")
    assert (of_monitor["table"], of_monitor["column"], of_monitor["run_id"]) == ("marts.revenue", "total", "mr-1")
    assert [one["id"] for one in call(client, "GET", "/incidents?monitor_id=hourly")["items"]] == [opened]
    assert call(client, "GET", "/incidents?dataset_id=raw.orders")["items"] == []
    assert call(client, "GET", "/incidents?status=resolved")["items"] == []


def test_an_incident_is_acknowledged_assigned_noted_and_resolved(client: TestClient) -> None:
    opened = fail(client)
    call(client, "PATCH", f"/incidents/{opened}", json={"status": "acknowledged", "note": "looking at it"})
    found = call(client, "PATCH", f"/incidents/{opened}", json={"assignee": "bob"})
    assert (found["status"], found["assignee"], found["acknowledged_by"]) == (
        "acknowledged",
        "bob",
        "ada@example.com",
    )
    assert call(client, "PATCH", f"/incidents/{opened}", json={"assignee": None})["assignee"] is None
    done = call(client, "PATCH", f"/incidents/{opened}", json={"status": "resolved"})
    kinds = [entry["kind"] for entry in done["timeline"] if not entry["kind"].startswith("alert")]
    assert kinds == ["opened", "note", "acknowledged", "assigned", "assigned", "resolved"]
    assert done["timeline"][0]["by"] is None
    assert opened not in [one["id"] for one in call(client, "GET", "/incidents")["items"]]
    assert [one["id"] for one in call(client, "GET", "/incidents?status=resolved")["items"]] == [opened]


@pytest.mark.slow
def test_an_incident_of_a_run_that_was_never_tracked_is_tracked_when_someone_acts(client: TestClient) -> None:
    (before,) = call(client, "GET", "/incidents")["items"]
    shown = call(client, "GET", f"/incidents/{before['id']}")
    assert [entry["kind"] for entry in shown["timeline"]] == ["opened"]
    changed = call(client, "PATCH", f"/incidents/{before['id']}", json={"status": "acknowledged"})
    assert (changed["status"], changed["id"], changed["run_id"]) == ("acknowledged", before["id"], before["run_id"])
    assert changed["spared"] == before["spared"]
    (after,) = call(client, "GET", "/incidents")["items"]
    assert after["status"] == "acknowledged"
    assert call(client, "GET", f"/incidents/{after['incident_id']}")["check_id"] == before["check_id"]
    call(client, "PATCH", f"/incidents/{before['id']}", json={"status": "resolved"})
    assert call(client, "GET", "/incidents")["items"] == []
    (resolved,) = call(client, "GET", "/incidents?status=all")["items"]
    assert resolved["status"] == "resolved"
    assert before["id"] == changed["incident_id"] == after["id"] == resolved["id"]


def test_home_the_list_and_an_address_of_former_times_lead_to_one_incident(client: TestClient) -> None:
    (listed,) = call(client, "GET", "/incidents")["items"]
    (told,) = client.get("/api/v1/overview").json()["incidents"]
    former = former_id("main", listed["check_id"], ColumnName("marts.revenue", "revenue"))
    found = call(client, "GET", f"/incidents/{former}")
    assert listed["id"] == told["id"] == found["id"] != former
    changed = call(client, "PATCH", f"/incidents/{former}", json={"status": "resolved"})
    assert (changed["id"], changed["status"]) == (listed["id"], "resolved")
    assert call(client, "GET", f"/incidents/{former}")["id"] == listed["id"]


@pytest.mark.slow
def test_the_result_of_a_run_and_its_incident_agree_on_where_it_came_from(client: TestClient) -> None:
    (listed,) = call(client, "GET", "/incidents")["items"]
    for status in ("open", "acknowledged", "resolved"):  # before it is tracked, and after
        incident = call(client, "GET", f"/incidents/{listed['id']}")
        result = call(client, "GET", f"/results/{incident['result_id']}")
        assert (incident["status"], result["incident_id"]) == (status, incident["id"])
        assert result["judged_by"] == incident["judged_by"]
        assert (result["judged_by"]["words"], result["judged_by"]["commit"]) == ("run r3 on main", None)
        assert result["cause"] == incident["cause"]
        assert result["cause"]["dataset"] == "raw.orders"
        assert result["cause"]["words"].startswith("raw.orders.amount came in with commit ")
        then = {"open": "acknowledged", "acknowledged": "resolved", "resolved": "resolved"}[status]
        call(client, "PATCH", f"/incidents/{listed['id']}", json={"status": then})


REFUSALS: list[tuple[str, str, object, int, str]] = [
    ("GET", "/incidents/nothing", None, 404, "FORGE-E730"),
    ("PATCH", "/incidents/nothing", {"note": "x"}, 404, "FORGE-E730"),
    ("PATCH", "/incidents/{opened}", {}, 422, "FORGE-E734"),
    ("PATCH", "/incidents/{opened}", {"note": "  "}, 422, "FORGE-E734"),
    ("PATCH", "/incidents/{opened}", {"status": "closed"}, 422, "FORGE-E105"),
    ("PATCH", "/incidents/{opened}", {"statsu": "open"}, 422, "FORGE-E105"),
    ("POST", "/alerts/mutes", {"hours": 1}, 422, "FORGE-E732"),
    ("POST", "/alerts/mutes", {"dataset": "core.orders"}, 422, "FORGE-E732"),
    ("POST", "/alerts/mutes", {"dataset": "core.orders", "until": "2020-01-01T00:00:00Z"}, 422, "FORGE-E732"),
    ("POST", "/alerts/mutes", {"dataset": "orders", "hours": 1}, 422, "FORGE-E101"),
    ("DELETE", "/alerts/mutes/nothing", None, 404, "FORGE-E733"),
    ("POST", "/alerts/channels/opps/test", None, 404, "FORGE-E731"),
    ("POST", "/alerts/deliveries/nothing/retry", None, 409, "FORGE-E736"),
    ("GET", "/incidents?status=closed", None, 422, "FORGE-E105"),
]


@pytest.mark.slow
def test_what_makes_no_sense_is_refused_and_changes_nothing(client: TestClient) -> None:
    opened = fail(client)
    for method, path, body, status, code in REFUSALS:
        facts = {} if body is None else {"json": body}
        assert refusal(client, method, path.format(opened=opened), **facts) == (status, code), (path, body)
    shown = call(client, "GET", f"/incidents/{opened}")
    assert (shown["status"], shown["assignee"]) == ("open", None)
    assert call(client, "GET", "/alerts/mutes")["items"] == []


def test_a_token_that_may_only_read_changes_nothing(client: TestClient) -> None:
    from datetime import timedelta

    from forge.flows.upkeep.access import TokenScope

    site = client.app.state.site  # type: ignore[attr-defined]
    _, secret = site.access.create("reader", TokenScope.READ, timedelta(hours=1), "bob")
    opened = fail(client)
    reader = {"authorization": f"Bearer {secret}"}
    answer = client.patch(f"{BASE}/incidents/{opened}", json={"status": "resolved"}, headers=reader)
    assert (answer.status_code, answer.json()["code"]) == (403, "FORGE-E904")
    assert client.get(f"{BASE}/incidents/{opened}", headers=reader).status_code == 200
    assert client.get(f"{BASE}/incidents/{opened}", headers={"authorization": ""}).status_code == 401


def test_the_server_delivers_and_shows_every_try(client: TestClient, receiver: HttpReceiver) -> None:
    opened = fail(client)
    deadline = time.monotonic() + 20
    while not receiver.taken:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    while True:
        (one,) = call(client, "GET", f"/alerts/deliveries?incident_id={opened}")["items"]
        if one["state"] == "sent":
            break
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert (one["channel"], one["type"], one["kind"], one["incident_ids"]) == ("ops", "webhook", "failing", [opened])
    assert [(attempt["ok"], attempt["detail"]) for attempt in one["attempts"]] == [(True, "200 ok")]
    assert one["message_id"] == receiver.taken[0].headers["x-forge-delivery"]
    detail = call(client, "GET", f"/incidents/{opened}")
    assert detail["timeline"][-1]["kind"] == "alert sent"
    assert [each["id"] for each in detail["deliveries"]] == [one["id"]]


def test_alerts_show_their_state_and_their_mute(client: TestClient) -> None:
    fail(client)
    made = call(client, "POST", "/alerts/mutes", json={"monitor_id": "hourly", "hours": 2, "reason": "we know"})
    assert (made["monitor_id"], made["by"], made["reason"]) == ("hourly", "ada@example.com", "we know")
    (alert,) = call(client, "GET", "/alerts?monitor_id=hourly")["items"]
    assert (alert["status"], alert["told"], alert["muted_until"]) == ("failing", ["ops"], made["until"])
    call(client, "DELETE", f"/alerts/mutes/{made['id']}")
    assert call(client, "GET", "/alerts?dataset_id=marts.revenue")["items"][0]["muted_until"] is None
    judge(client, verdict(PASSED, table="marts.revenue", check="total.range"))
    assert call(client, "GET", "/alerts?status=recovered")["items"][0]["check_id"] == "marts.revenue.total.range"
    assert call(client, "GET", "/alerts?status=failing")["items"] == []


def test_a_channel_is_tried_at_once(client: TestClient, receiver: HttpReceiver) -> None:
    assert call(client, "POST", "/alerts/channels/ops/test") == {"channel": "ops", "ok": True, "detail": "200 ok"}
    receiver.answers = [(503, {})]
    tried = call(client, "POST", "/alerts/channels/ops/test")
    assert (tried["ok"], "503" in tried["detail"], "s3cret" in tried["detail"]) == (False, True, False)


def test_incidents_of_another_branch_are_apart(client: TestClient) -> None:
    ports = wiring_of(client).quality.alerts
    judging = AlertSource(AlertScope(AlertOrigin.MONITOR, "dev"), AlertPolicy())
    observe_alerts(judged(verdict(), at=ports.clock(), branch=BranchName("dev")), ports, judging)
    assert [one["branch"] for one in call(client, "GET", "/incidents?branch=dev")["items"]] == ["dev"]
    assert [one["branch"] for one in call(client, "GET", "/incidents?branch=main")["items"]] == ["main"]
