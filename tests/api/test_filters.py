"""A filter that a list does not know is refused; `dataset` and `dataset_id` are both understood."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from version_site import VersionSite, open_version_site

YAML = "project: shop\nuser: {name: Ada, email: ada@example.com}\nquality: {scheduler: false}\n"
ORDERS = "id,name,amount\n1,a,10.5\n2,b,20.0\n"
BODY = {"name": "Orders", "checks": [{"type": "row_count", "min": 1}]}
LISTS = (
    "/api/v1/quality/monitors",
    "/api/v1/quality/results",
    "/api/v1/quality/incidents",
    "/api/v1/quality/alerts",
    "/api/v1/quality/remediations",
    "/api/v1/quality/anomalies",
    "/api/v1/quality/datasets",
    "/api/v1/quality/trend",
    "/api/v1/contracts",
    "/api/v1/system",
    "/api/v1/runs",
    "/api/v1/branches",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    with open_version_site(tmp_path_factory.mktemp("filters") / "shop", YAML) as site:
        site.commit(ORDERS, table="core.orders")
        yield site


@pytest.mark.parametrize("path", LISTS)
def test_an_unknown_filter_is_refused_by_name(site: VersionSite, path: str) -> None:
    assert site.client.get(path).status_code == 200
    answer = site.client.get(f"{path}?colour=red")
    assert answer.status_code in (400, 422), answer.text
    assert "'colour'" in answer.text


def test_the_nearest_filter_is_named(site: VersionSite) -> None:
    assert "monitor_id" in site.client.get("/api/v1/quality/results?monitorid=x").text


def test_dataset_and_dataset_id_are_one_filter(site: VersionSite) -> None:
    made = site.client.post("/api/v1/quality/monitors", json={**BODY, "dataset_id": "core.orders"})
    assert made.status_code == 201, made.text
    assert made.json()["dataset"] == "core.orders"
    for path in ("monitors", "results", "remediations", "alerts"):
        for name in ("dataset", "dataset_id"):
            answer = site.client.get(f"/api/v1/quality/{path}?{name}=core.orders")
            assert answer.status_code == 200, (path, name, answer.text)
    listed = site.client.get("/api/v1/quality/monitors?dataset=core.orders").json()["items"]
    assert [one["id"] for one in listed] == [made.json()["id"]]


def test_both_at_once_are_refused(site: VersionSite) -> None:
    answer = site.client.get("/api/v1/quality/monitors?dataset=core.orders&dataset_id=core.orders")
    assert answer.status_code in (400, 422)
    body = {**BODY, "dataset": "core.orders", "dataset_id": "core.orders"}
    assert site.client.post("/api/v1/quality/monitors", json=body).status_code == 422


@pytest.mark.parametrize("name", ["dataset", "dataset_id"])
def test_a_monitor_of_a_table_that_is_not_there_is_refused_with_the_nearest(site: VersionSite, name: str) -> None:
    answer = site.client.post("/api/v1/quality/monitors", json={**BODY, name: "core.ordres"})
    assert answer.status_code in (400, 422), answer.text
    assert "core.orders" in answer.text
    preview = site.client.post("/api/v1/quality/monitors/preview", json={**BODY, name: "core.ordres"}).json()
    assert "core.orders" in str(preview["errors"]), preview
