"""Profiles over HTTP: started as jobs, read, compared; personal values stay away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from version_site import ORDERS, VersionSite, open_version_site, problem

from forge.flows.upkeep.access import TokenScope

API = "/api/v1/catalog/assets/core.orders/profile"
YAML = "project: shop\nuser: {name: Ada, email: ada@example.com}\n"
CONTRACT = """apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
  - name: core.orders
    properties:
      - {name: name, logicalType: string, classification: pii}
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VersionSite]:
    with open_version_site(tmp_path / "shop") as opened:
        opened.commit(ORDERS)
        yield opened


def started(site: VersionSite, **body: object) -> dict[str, Any]:
    answer = site.client.post(API, json=body)
    assert answer.status_code == 202, answer.text
    ticket: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"/api/v1/runs/{ticket['run_id']}"
    assert ticket["kind"] == "profile"
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        run: dict[str, Any] = site.client.get(answer.headers["location"]).json()
        if run["status"] not in ("queued", "running"):
            return run
        time.sleep(0.02)
    raise AssertionError("the profile did not end")


def get(site: VersionSite, path: str = "", **query: str) -> dict[str, Any]:
    answer = site.client.get(API + path, params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def dev(site: VersionSite) -> VersionSite:
    """A branch with two commits of its own: what is committed to main is profiled by itself."""
    site.branch("dev")
    site.commit("id,name,amount\n4,d,100.0\n", branch="dev", mode="append")
    site.commit("id,name,amount\n5,e,200.0\n", branch="dev", mode="append")
    return site


def test_a_profile_is_made_by_a_job_and_read(dev: VersionSite) -> None:
    problem(dev.client.get(API, params={"at": "dev"}), 404, "E108")
    assert started(dev, at="dev")["status"] == "succeeded"
    found = get(dev, at="dev")
    assert (found["row_count"], found["sampled"], found["duplicate_rows"]) == (5, False, 0)
    amount = next(column for column in found["columns"] if column["name"] == "amount")
    assert (amount["minimum"], amount["maximum"], amount["median"]) == (10.5, 200.0, 30.0)
    assert found["commit_id"] == dev.head("dev")


def test_profiles_of_two_commits_are_compared(dev: VersionSite) -> None:
    started(dev, at="dev~1")
    problem(dev.client.get(API + "/diff", params={"a": "dev~1", "b": "dev"}), 404, "E108")
    started(dev, at="dev")
    first = get(dev, "/diff", a="dev~1", b="dev")["changes"][0]
    assert {"column": None, "statistic": "row_count", "before": 4, "after": 5, "by": 1.0}.items() <= first.items()
    assert [one["row_count"] for one in get(dev, "/history")["items"]][:2] == [5, 4]
    assert get(dev, "/history", limit="1")["has_more"]


def test_a_declared_column_is_masked_at_once(site: VersionSite) -> None:
    started(site)
    assert '"minimum":"a"' in site.client.get(API).text

    def statistics() -> dict[str, Any]:
        columns = {one["name"]: one for one in site.client.get(API.removesuffix("/profile")).json()["schema"]}
        found: dict[str, Any] = columns["name"]["statistics"]
        return found

    assert statistics() == {
        "rows": 3,
        "sampled": False,
        "nulls": 0,
        "distinct": 3,
        "distinct_exact": True,
        "masked": False,
        "minimum": "a",
        "maximum": "c",
        "mean": None,
        "median": None,
    }
    (site.root / "contracts").mkdir()
    (site.root / "contracts" / "orders.odcs.yaml").write_text(CONTRACT)
    name = next(column for column in get(site)["columns"] if column["name"] == "name")
    assert (name["masked"], name["minimum"], name["top"], name["distinct"]) == (True, None, [], 3)
    said = statistics()
    assert (said["masked"], said["minimum"], said["maximum"], said["distinct"]) == (True, None, None, 3)


def test_who_may_only_read_starts_no_profile(site: VersionSite) -> None:
    reader = site.token_of("eve@example.com", TokenScope.READ)
    problem(site.client.post(API, json={"sample": 0.5}, headers=reader), 403, "E904")
    assert site.client.get(API + "/history", headers=reader).status_code == 200
    nobody = {"authorization": "Bearer nonsense"}
    assert site.client.post(API, json={"sample": 0.5}, headers=nobody).status_code == 401
    assert not any(one["sampled"] for one in get(site, "/history")["items"])


@pytest.mark.parametrize(
    "body",
    [
        {"sample": 0},
        {"sample": 2},
        {"sample": "NaN"},
        {"sample": 1e999},
        {"exact": "maybe"},
        {"at": "x" * 300},
        {"at": "a\x00b"},
        {"rows": 1},
        [],
    ],
)
def test_a_bad_body_is_refused(site: VersionSite, body: object) -> None:
    import json

    answer = site.client.post(API, content=json.dumps(body), headers={"content-type": "application/json"})
    assert answer.status_code == 422, answer.text


@pytest.mark.parametrize("name", ["core.nothing", "a" * 400, "core.orders;x", "pg:db.public.t", "core.orders@HEAD"])
def test_a_name_that_is_no_table_is_refused(site: VersionSite, name: str) -> None:
    for answer in (
        site.client.get(f"/api/v1/catalog/assets/{name}/profile"),
        site.client.post(f"/api/v1/catalog/assets/{name}/profile", json={}),
    ):
        assert answer.status_code in (404, 422), answer.text


def test_an_unknown_revision_begins_nothing(site: VersionSite) -> None:
    assert site.client.post(API, json={"at": "nowhere"}).status_code == 404
    assert site.client.get(API, params={"at": "nowhere"}).status_code == 404
