"""Pages that speak of the same thing say the same: a result and its incident, home, lists and the page of a table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from version_site import VersionSite, open_version_site

API = "/api/v1/quality"
YAML = """\
project: shop
user: {name: Ada, email: ada@example.com}
versioning: {keys: {core.orders: [id]}}
quality: {scheduler: false}
"""
ORDERS = "id,name,amount\n1,a,10.5\n2,b,20.0\n3,,30.0\n"
ROWS = {"type": "row_count", "min": 1}
TOO_MUCH = {"type": "range", "column": "amount", "max": 25}  # one order is
BODY = {"name": "Orders", "dataset": "core.orders", "checks": [TOO_MUCH, ROWS]}


@pytest.fixture
def own(tmp_path: Path) -> Iterator[VersionSite]:
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


@pytest.mark.slow
def test_a_deleted_check_counts_nowhere_though_nothing_was_judged_since(own: VersionSite) -> None:
    own.commit(ORDERS, table="core.orders")
    made = create(own, checks=[TOO_MUCH, ROWS])
    run(own, made["id"])

    def standing() -> tuple[int, int, int, str]:
        home = own.client.get("/api/v1/overview").json()["counters"]["checks_failing"]
        (dataset,) = call(own, "GET", "/datasets")["items"]
        health = call(own, "GET", "/datasets/core.orders/health")
        asset = own.client.get("/api/v1/catalog/assets/core.orders").json()
        (hit,) = own.client.get("/api/v1/catalog/search").json()["items"]
        assert asset["state"] == hit["asset"]["state"]
        return home, dataset["failed"], health["failed"], hit["asset"]["state"]

    assert standing() == (1, 1, 1, "failing")
    call(own, "PATCH", f"/monitors/{made['id']}", json={"checks": [ROWS]})
    assert standing() == (0, 0, 0, "ok")
    call(own, "DELETE", f"/monitors/{made['id']}", 204)
    assert standing() == (0, 0, 0, "unchecked")


@pytest.mark.slow
def test_a_result_and_its_incident_agree_on_where_it_came_from(own: VersionSite) -> None:
    """Two monitors judge the same check: each result leads to the incident of its own."""
    own.commit("id,name,amount\n1,a,99.0\n", table="core.orders")
    head = own.head()
    for name in ("First", "Second"):
        made = create(own, name=name, checks=[TOO_MUCH])
        run_id = run(own, made["id"])["run_id"]
        result = call(own, "GET", f"/results/{run_id}.1")
        incident = call(own, "GET", f"/incidents/{result['incident_id']}")
        assert (incident["monitor_id"], incident["result_id"]) == (made["id"], result["id"])
        assert result["judged_by"] == incident["judged_by"]
        assert result["judged_by"] == {
            "origin": "monitor",
            "branch": "main",
            "commit": head,
            "run_id": None,
            "monitor_id": made["id"],
            "monitor_name": name,
            "monitor_run_id": run_id,
            "words": f"monitor {name} on main",
        }
        assert result["cause"] == incident["cause"]
        assert result["cause"]["words"] == "The check has failed since this commit of core.orders."
