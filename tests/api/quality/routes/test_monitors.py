"""Monitors over HTTP: created, changed, run, listed; what they say, and how they keep their promise."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from version_site import VersionSite, open_version_site

from forge.flows.quality.monitors.jobs import start_by_hand
from forge.flows.runs.jobs import JobQueue
from forge.flows.upkeep.access import TokenScope

API = "/api/v1/quality"
YAML = """\
project: shop
user: {name: Ada, email: ada@example.com}
versioning: {keys: {core.orders: [id]}}
quality: {scheduler: false}
alerts:
  channels:
    ops: {type: webhook, url: "http://127.0.0.1:9"}
    mail: {type: email, host: h, sender: a@b.c, to: [d@e.f]}
owners: {core.*: ada}
"""
ORDERS = "id,name,amount\n1,a,10.5\n2,b,20.0\n3,,30.0\n"
NOT_NULL = {"type": "not_null", "column": "name"}
ROWS = {"type": "row_count", "min": 1}
TOO_MUCH = {"type": "range", "column": "amount", "max": 25}  # one order is
BODY = {"name": "Orders", "dataset": "core.orders", "checks": [TOO_MUCH, ROWS]}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    """One project for all tests, with three orders; each makes monitors of its own."""
    with open_version_site(tmp_path_factory.mktemp("monitors") / "shop", YAML) as site:
        site.commit(ORDERS, table="core.orders")
        yield site


@pytest.fixture
def site(shared: VersionSite) -> VersionSite:
    return shared


@pytest.fixture
def own(tmp_path: Path) -> Iterator[VersionSite]:
    """A project that a test may spoil."""
    with open_version_site(tmp_path / "shop", YAML) as site:
        yield site


def call(site: VersionSite, method: str, path: str, status: int = 200, **given: Any) -> Any:
    answer = site.client.request(method, f"{API}{path}", **given)
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def create(site: VersionSite, **fields: object) -> dict[str, Any]:
    made: dict[str, Any] = call(site, "POST", "/monitors", 201, json={**BODY, **fields})
    return made


def run(site: VersionSite, monitor_id: str) -> dict[str, Any]:
    """Run it, and wait for its end."""
    ticket = call(site, "POST", f"/monitors/{monitor_id}/run", 202)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found = site.client.get(f"/api/v1/runs/{ticket['run_id']}").json()
        if found["status"] not in ("queued", "running"):
            return {**found, "ticket": ticket}
        time.sleep(0.01)
    raise AssertionError("it did not end")


# create, read, change, delete


def test_a_monitor_has_the_fields_and_defaults_of_the_specification(site: VersionSite) -> None:
    answer = site.client.post(f"{API}/monitors", json={"name": "Plain", "dataset": "core.orders"})
    made = answer.json()
    assert answer.headers["location"] == f"{API}/monitors/{made['id']}"
    assert made == {
        "id": made["id"],
        "name": "Plain",
        "description": "",
        "dataset": "core.orders",
        "branch": None,
        "checks": [],
        "schedule": None,
        "enabled": True,
        "channels": [],
        "severity_threshold": "warning",
        "notify_on_recovery": True,
        "sla_target_percentage": None,
        "sla_window_days": 30,
        "created_at": made["created_at"],
        "updated_at": made["created_at"],
        "created_by": "ada@example.com",
        "file": None,
        "state": "never ran",
        "last_run": None,
        "next_run_at": None,
    }
    assert call(site, "GET", f"/monitors/{made['id']}") == made


def test_all_that_is_wrong_with_a_monitor_is_told_at_once(site: VersionSite) -> None:
    before = call(site, "GET", "/monitors", params={"limit": 500})["total_count"]
    wrong = {
        "name": "",
        "dataset": "core.orders@nowhere",
        "checks": [{"type": "not_nul"}],
        "channels": ["opps"],
        "schedule": {"type": "cron", "cron": "nope"},
        "sla_target_percentage": 120,
    }
    problem = call(site, "POST", "/monitors", 422, json=wrong)
    assert {error["code"] for error in problem["errors"]} == {"FORGE-E720"}
    told = [error["what"].partition(" ")[0] for error in problem["errors"]]
    assert told == ["name", "checks[0].type", "schedule.cron", "sla_target_percentage", "dataset", "channels[0]"]
    assert "ops" in problem["errors"][-1]["fix"]
    assert call(site, "GET", "/monitors", params={"limit": 500})["total_count"] == before


@pytest.mark.parametrize(
    "body", [{}, {"name": "x"}, {"name": "x", "dataset": "core.orders", "chekcs": []}, [], {"name": 1, "dataset": 2}]
)
def test_a_body_of_another_shape_is_refused(site: VersionSite, body: object) -> None:
    call(site, "POST", "/monitors", 422, json=body)


def test_a_preview_says_what_would_be_and_keeps_nothing(site: VersionSite) -> None:
    before = call(site, "GET", "/monitors", params={"limit": 500})["total_count"]
    body = {**BODY, "schedule": {"type": "cron", "cron": "0 6 * * *", "timezone": "Europe/Berlin"}}
    found = call(site, "POST", "/monitors/preview", json=body)
    assert (found["valid"], found["errors"], len(found["next_runs"])) == (True, [], 5)
    assert found["monitor"]["schedule"]["missed"] == "skip"
    checks = {check["id"]: (check["words"], check["tiers"], check["problem"]) for check in found["checks"]}
    assert checks == {
        "core.orders.amount.range": ("range of amount: max 25", ["manifests"], None),
        "core.orders.row_count": ("row count: min 1", ["manifests"], None),
    }
    assert call(site, "GET", "/monitors", params={"limit": 500})["total_count"] == before


def test_a_preview_tells_all_errors_and_what_does_not_fit_the_table(site: VersionSite) -> None:
    body = {**BODY, "checks": [{"type": "unique", "column": "nam"}, {"type": "x"}], "schedule": {"type": "interval"}}
    found = call(site, "POST", "/monitors/preview", json=body)
    assert (found["valid"], found["monitor"]) == (False, None)
    assert [error["path"] for error in found["errors"]] == ["checks[1].type", "schedule.interval_minutes"]
    (planned,) = found["checks"]
    assert "Did you mean name?" in planned["problem"]


def test_what_a_change_does_not_name_stays(site: VersionSite) -> None:
    made = create(
        site, channels=["ops"], sla_target_percentage=99.5, schedule={"type": "interval", "interval_minutes": 5}
    )
    changed = call(site, "PATCH", f"/monitors/{made['id']}", json={"description": "x", "sla_target_percentage": None})
    assert (changed["description"], changed["sla_target_percentage"], changed["channels"]) == ("x", None, ["ops"])
    assert changed["schedule"]["interval_minutes"] == 5
    by_hand = call(site, "PATCH", f"/monitors/{made['id']}", json={"schedule": None, "enabled": False})
    assert (by_hand["schedule"], by_hand["next_run_at"], by_hand["state"]) == (None, None, "paused")
    assert call(site, "PATCH", f"/monitors/{made['id']}", json={}) == by_hand


@pytest.mark.parametrize("body", [{"name": None}, {"checks": [1]}, {"enabled": None}, {"sla_window_days": 0}, {"x": 1}])
def test_a_change_that_is_wrong_changes_nothing(site: VersionSite, body: dict[str, object]) -> None:
    made = create(site)
    call(site, "PATCH", f"/monitors/{made['id']}", 422, json=body)
    assert call(site, "GET", f"/monitors/{made['id']}") == made


def test_a_monitor_that_was_deleted_is_gone_and_its_results_stay(site: VersionSite) -> None:
    made = create(site)
    run_id = run(site, made["id"])["run_id"]
    call(site, "DELETE", f"/monitors/{made['id']}", 204)
    for method, path in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("POST", "/run"),
        ("GET", "/results"),
        ("GET", "/sla"),
    ):
        given: dict[str, Any] = {"json": {}} if method == "PATCH" else {}
        assert call(site, method, f"/monitors/{made['id']}{path}", 404, **given)["code"] == "FORGE-E721"
    assert len(call(site, "GET", "/results", params={"run_id": run_id})["items"]) == 2


@pytest.mark.slow
def test_monitors_are_listed_and_filtered(own: VersionSite) -> None:
    own.commit(ORDERS, table="core.orders")
    own.commit(ORDERS, table="core.payments")
    own.branch("dev")
    first = create(own, name="B")
    create(own, name="A", dataset="core.payments", enabled=False)
    create(own, name="C", dataset="core.orders@dev")

    def names(**query: object) -> list[str]:
        return [one["name"] for one in call(own, "GET", "/monitors", params=query)["items"]]

    assert names() == ["A", "B", "C"]
    assert names(dataset_id="core.orders") == ["B", "C"]
    assert names(dataset_id="core.orders@dev") == ["C"]
    assert names(enabled=False) == ["A"]
    assert names(dataset_id="core.orders", enabled=True, limit=1) == ["B"]
    assert names(q="PAY") == ["A"]
    run(own, first["id"])
    assert names(state="failing") == ["B"]
    assert names(state=["paused", "never ran"]) == ["A", "C"]
    assert names(dataset_id="core.nothing") == []
    call(own, "GET", "/monitors", 422, params={"dataset_id": "x"})


def test_a_token_that_may_only_read_changes_nothing_and_may_ask(site: VersionSite) -> None:
    made = create(site)
    reader = site.token_of("eve@example.com", TokenScope.READ)
    for method, path in (
        ("POST", "/monitors"),
        ("PATCH", f"/monitors/{made['id']}"),
        ("DELETE", f"/monitors/{made['id']}"),
    ):
        call(site, method, path, 403, json=BODY, headers=reader)
    call(site, "POST", f"/monitors/{made['id']}/run", 403, headers=reader)
    call(site, "GET", "/monitors", headers=reader)
    call(site, "POST", "/checks/validate", json={"checks": [NOT_NULL]}, headers=reader)


def test_who_created_a_monitor_is_the_caller(site: VersionSite) -> None:
    made = call(site, "POST", "/monitors", 201, json=BODY, headers=site.token_of("grace@example.com"))
    assert made["created_by"] == "grace@example.com"


# files


def test_a_monitor_of_a_file_is_shown_and_refuses_changes(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    (root / "quality").mkdir(parents=True)
    file = root / "quality" / "orders.yaml"
    checks = "[{type: range, column: d, min: 2026-01-01}]"
    file.write_text(f"monitors:\n  - name: Daily\n    dataset: core.orders\n    checks: {checks}\n")
    with open_version_site(root, YAML) as site:
        (found,) = call(site, "GET", "/monitors")["items"]
        assert (found["id"], found["file"], found["checks"][0]["min"]) == (
            "daily",
            "quality/orders.yaml:2",
            "2026-01-01",
        )
        for method, body in (("PATCH", {"enabled": False}), ("DELETE", None)):
            problem = call(site, method, "/monitors/daily", 409, json=body)
            assert (problem["code"], problem["where"]) == ("FORGE-E722", "quality/orders.yaml:2")
        file.write_text("monitors: []\n")
        site.site.scheduler.tick()
        assert call(site, "GET", "/monitors")["items"] == []


# runs and results


def test_a_run_is_queued_followed_and_leaves_results(site: VersionSite) -> None:
    made = create(site)
    ended = run(site, made["id"])
    assert ended["ticket"] == {
        "run_id": ended["run_id"],
        "monitor_id": made["id"],
        "status": "queued",
        "kind": "monitor",
    }
    assert (ended["status"], ended["kind"], ended["branch"], ended["error"]) == ("succeeded", "monitor", "main", None)
    assert [event["step"] for event in ended["progress"]["events"]] == ["started", "checked", "failed"]
    assert {verdict["outcome"] for verdict in ended["verdicts"]} == {"passed", "failed"}
    monitor = call(site, "GET", f"/monitors/{made['id']}")
    assert (monitor["state"], monitor["last_run"]["status"], monitor["last_run"]["failed"]) == ("failing", "failed", 1)
    (one,) = call(site, "GET", f"/monitors/{made['id']}/runs")["items"]
    assert (one["id"], one["trigger"], one["by"]) == (ended["run_id"], "manual", "ada@example.com")
    found = call(site, "GET", f"/monitors/{made['id']}/results")["items"]
    assert [result["verdict"] for result in found] == ["failed", "passed"]
    head = site.head()
    assert found[0] == {
        **found[0],
        "id": f"{ended['run_id']}.1",
        "check_id": "core.orders.amount.range",
        "type": "range",
        "dataset": "core.orders",
        "branch": "main",
        "commit": head,
        "severity": "error",
        "monitor_id": made["id"],
        "monitor_run_id": ended["run_id"],
        "run_id": None,
    }
    assert found[0]["execution_ms"] >= 0
    assert {"readings", "thresholds"} <= set(found[0]["details"])


@pytest.mark.slow
def test_results_of_a_monitor_are_a_hundred_at_most_unless_asked_for(site: VersionSite) -> None:
    checks = [{"type": "row_count", "min": number, "name": f"n{number}"} for number in range(120)]
    made = create(site, checks=checks)
    run(site, made["id"])
    path = f"/monitors/{made['id']}/results"
    first = call(site, "GET", path)
    assert (len(first["items"]), first["has_more"]) == (100, True)
    second = call(site, "GET", path, params={"cursor": first["next_cursor"]})
    assert (len(second["items"]), second["has_more"]) == (20, False)
    assert len(call(site, "GET", path, params={"limit": 7, "verdict": "failed"})["items"]) == 7
    assert call(site, "GET", path, params={"monitor_run_id": "other"})["items"] == []
    call(site, "GET", path, 422, params={"limit": 0})


def test_a_run_that_could_not_judge_says_why(site: VersionSite) -> None:
    made_later = site.root / "transforms" / "core" / "not_yet.sql"
    made_later.parent.mkdir(parents=True, exist_ok=True)
    made_later.write_text("SELECT 1 AS id")
    made = create(site, dataset="core.not_yet")
    ended = run(site, made["id"])
    assert (ended["status"], ended["error"]["code"]) == ("failed", "FORGE-E108")
    assert call(site, "GET", f"/monitors/{made['id']}")["state"] == "not measured"
    assert {one["verdict"] for one in call(site, "GET", f"/monitors/{made['id']}/results")["items"]} == {"not measured"}


def test_a_run_that_waits_can_be_cancelled(site: VersionSite) -> None:
    made = create(site)
    queue, store = site.site.jobs, site.wiring.quality.monitors
    idle = JobQueue(queue.store, queue._work, site.wiring.clock)  # has no threads: nothing begins
    run = start_by_hand(site.wiring.quality.monitors.monitor(made["id"]), idle, site.wiring.quality.judge_ports())  # type: ignore[arg-type]
    idle.cancel(run.id)
    found = store.run(run.id)
    assert found is not None
    assert str(found.status) == "cancelled"
    assert site.client.get(f"/api/v1/runs/{run.id}").json()["status"] == "cancelled"


def test_one_result_has_its_history(site: VersionSite) -> None:
    made = create(site)
    first, second = run(site, made["id"])["run_id"], run(site, made["id"])["run_id"]
    found = call(site, "GET", f"/results/{second}.1")
    mine = [past for past in found["history"] if past["id"] in (f"{first}.1", f"{second}.1")]
    assert [past["id"] for past in mine] == [f"{second}.1", f"{first}.1"]
    assert (mine[0]["verdict"], mine[0]["value"]) == ("failed", 1.0)


@pytest.mark.slow
def test_a_failed_result_leads_to_the_commit_since_which_it_fails_and_to_its_incident(own: VersionSite) -> None:
    own.commit("id,name,amount\n1,a,10.5\n", table="core.orders")
    made = create(own, checks=[TOO_MUCH])
    good = run(own, made["id"])["run_id"]
    own.commit("id,name,amount\n2,b,99.0\n", table="core.orders")
    culprit = own.head()
    run(own, made["id"])
    own.commit("id,name,amount\n3,c,1.0\n", table="core.orders")
    bad = run(own, made["id"])["run_id"]
    found = call(own, "GET", f"/results/{bad}.1")
    assert (found["cause"]["commit"]["id"], found["cause"]["dataset"]) == (culprit, "core.orders")
    assert found["incident_id"]
    assert (call(own, "GET", f"/results/{good}.1")["cause"], call(own, "GET", f"/results/{good}.1")["incident_id"]) == (
        None,
        None,
    )
    (listed,) = call(own, "GET", "/datasets")["items"]
    assert listed["open_incidents"] == 1


@pytest.mark.parametrize("result_id", ["r1.1", "x", "r1.core.orders", "a/b", "r1.99999999999999"])
def test_a_result_that_is_not_there_is_not_found(site: VersionSite, result_id: str) -> None:
    assert call(site, "GET", f"/results/{quote(result_id, safe='')}", 404)["code"] == "FORGE-E724"


# SLA


@pytest.mark.slow
def test_the_sla_counts_the_runs_of_the_window(site: VersionSite) -> None:
    made = create(site, checks=[ROWS], sla_target_percentage=60, sla_window_days=7)
    assert call(site, "GET", f"/monitors/{made['id']}/sla")["state"] == "no runs"
    run(site, made["id"])
    call(site, "PATCH", f"/monitors/{made['id']}", json={"checks": [TOO_MUCH]})
    run(site, made["id"])
    found = call(site, "GET", f"/monitors/{made['id']}/sla")
    assert (found["runs"], found["met"], found["missed"], found["not_measured"]) == (2, 1, 1, 0)
    assert (found["pass_rate"], found["target"], found["window_days"], found["state"]) == (50.0, 60.0, 7, "missed")
    assert (found["budget_percentage_left"], found["burn_rate"]) == (-25.0, 1.25)
    assert [burn["hours"] for burn in found["burns"]] == [1, 6, 24, 72]
    assert len(found["days"]) == 8
    wider = call(site, "GET", f"/monitors/{made['id']}/sla", params={"window_days": 30})
    assert (wider["window_days"], len(wider["days"])) == (30, 31)
    start = datetime.fromisoformat(wider["window_start"])
    assert datetime.now(UTC) - start < timedelta(days=30, minutes=5)
    call(site, "GET", f"/monitors/{made['id']}/sla", 422, params={"window_days": 0})


# health


@pytest.mark.slow
def test_the_health_of_a_dataset_follows_its_monitors(own: VersionSite) -> None:
    own.commit(ORDERS, table="core.orders")
    before = call(own, "GET", "/datasets/core.orders/health")
    assert (before["score"], before["checks"], before["monitors"]) == (None, [], 0)
    made = create(own)
    run(own, made["id"])
    after = call(own, "GET", "/datasets/core.orders/health")
    assert (after["score"], after["passed"], after["failed"], after["monitors"]) == (50.0, 1, 1, 1)
    assert {check["monitor_id"] for check in after["checks"]} == {made["id"]}
    (listed,) = call(own, "GET", "/datasets")["items"]
    assert (listed["dataset"], listed["score"], listed["failed"], listed["monitors"]) == ("core.orders", 50.0, 1, 1)
    assert (listed["owner"], listed["days"][-1]["failed"]) == ("ada", 1)
    assert call(own, "GET", f"/results/{listed['failing_result_id']}")["message"] == listed["failing"]
    hits = own.client.get("/api/v1/catalog/search", params={"state": "failing"}).json()["items"]
    assert [hit["qualified_name"] for hit in hits] == ["core.orders"]  # the catalog knows it, too
    assert call(own, "GET", "/trend")[-1]["failed"] == 1

    own.commit("id,name,amount\n3,c,3.0\n", table="core.orders", mode="merge", key="id")
    fresh = call(own, "GET", "/datasets/core.orders/health")
    assert fresh["checks"] == []  # nobody has looked at this version yet
    old = call(own, "GET", "/datasets/core.orders/health", params={"at": "HEAD~1"})
    assert old["score"] == 50.0
    run(own, made["id"])
    assert call(own, "GET", "/datasets/core.orders/health")["score"] == 100.0
    assert call(own, "GET", "/datasets", params={"state": "ok"})["total_count"] == 1
    assert call(own, "GET", "/datasets", params={"state": "failing"})["total_count"] == 0
    assert call(own, "GET", "/datasets", params={"q": "zzz"})["items"] == []


@pytest.mark.slow
def test_the_health_of_a_branch(own: VersionSite) -> None:
    own.commit(ORDERS, table="core.orders")
    own.branch("dev")
    own.commit("id,name,amount\n4,,1.0\n", branch="dev", table="core.orders")
    made = create(own, dataset="core.orders@dev", checks=[{"type": "row_count", "min": 4}])
    assert run(own, made["id"])["branch"] == "dev"
    assert call(own, "GET", "/datasets/core.orders@dev/health")["score"] == 100.0
    assert call(own, "GET", "/datasets/core.orders/health", params={"at": "dev"})["score"] == 100.0
    assert call(own, "GET", "/datasets/core.orders/health")["score"] is None
    (listed,) = call(own, "GET", "/datasets", params={"branch": "dev"})["items"]
    assert (listed["branch"], listed["score"], listed["monitors"]) == ("dev", 100.0, 1)


def test_a_dataset_that_is_not_there_is_not_found(site: VersionSite) -> None:
    call(site, "GET", "/datasets/core.nothing/health", 404)
    call(site, "GET", "/results", 404, params={"dataset_id": "core.nothing"})
    call(site, "GET", "/datasets", 404, params={"branch": "nowhere"})


# checks


def test_checks_are_validated_all_at_once_and_nothing_is_run(site: VersionSite) -> None:
    checks = [
        NOT_NULL,
        {"type": "completeness", "columns": ["name"], "max_null_percentage": 200},
        {"type": "statistical", "column": "amount", "statistical_check": "zscor"},
        {"type": "range", "column": "amount"},
        "x",
    ]
    found = call(site, "POST", "/checks/validate", json={"checks": checks})
    assert not found["valid"]
    assert {error["path"].partition("]")[0] + "]" for error in found["errors"]} == {
        f"checks[{n}]" for n in (1, 2, 3, 4)
    }
    assert "zscore" in next(e["message"] for e in found["errors"] if e["path"].startswith("checks[2]"))
    assert [(check["path"], check["type"]) for check in found["checks"]] == [("checks[0]", "not_null")]


def test_checks_are_planned_on_a_dataset(site: VersionSite) -> None:
    checks = [NOT_NULL, {"type": "unique", "column": "id"}, {"type": "regex", "column": "name", "pattern": "a"}]
    found = call(site, "POST", "/checks/validate", json={"checks": checks, "dataset": "core.orders"})
    assert found["valid"]
    assert [check["tiers"] for check in found["checks"]] == [
        ["manifests"],
        ["manifests", "narrow"],
        ["manifests", "scan"],
    ]
    assert "nulls(name)" in found["checks"][0]["measures"]
    unknown = call(site, "POST", "/checks/validate", json={"checks": checks, "dataset": "core.order"})
    assert (unknown["valid"], unknown["errors"][0]["path"]) == (False, "dataset")
    assert call(site, "POST", "/checks/validate", json={"checks": []}) == {"valid": True, "errors": [], "checks": []}
    call(site, "POST", "/checks/validate", 422, json={})


def test_channels_are_told_by_name_and_nothing_of_how_they_are_reached(site: VersionSite) -> None:
    assert call(site, "GET", "/channels") == [{"name": "mail", "type": "email"}, {"name": "ops", "type": "webhook"}]


def test_a_monitor_with_failed_warnings_does_not_read_ok(site: VersionSite) -> None:
    made = create(site, name="Warned", checks=[{**TOO_MUCH, "severity": "warning"}, ROWS])
    run(site, made["id"])
    assert call(site, "GET", f"/monitors/{made['id']}")["state"] == "warning"
    listed = call(site, "GET", "/monitors", params={"state": "warning", "q": "Warned"})["items"]
    assert [one["id"] for one in listed] == [made["id"]]
