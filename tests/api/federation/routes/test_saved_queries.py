"""Saved queries over HTTP: what an owner does with them, and what anybody else gets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from version_site import VersionSite, open_version_site, problem

from forge.flows.upkeep.access import TokenScope

API = "/api/v1/federation/saved-queries"
YAML = "project: shop\nuser: {name: Ada, email: ada@example.com}\n"
SECRET = "SELECT 'a secret' AS x WHERE :least > 1"
CITIES: dict[str, Any] = {"name": "Cities", "sql": SECRET, "parameters": {"least": 3, "b": None, "c": True, "d": 0.5}}

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VersionSite]:
    with open_version_site(tmp_path / "shop", YAML) as opened:
        yield opened


def save(site: VersionSite, headers: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    made = site.client.post(API, json={**CITIES, **more}, headers=headers)
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    assert made.headers["location"] == f"{API}/{found['id']}"
    return found


def test_a_query_is_saved_renamed_run_and_deleted(site: VersionSite) -> None:
    made = save(site, at="main", description="Where they live")
    assert (made["owner"], made["is_own"], made["version"]) == ("ada@example.com", True, 1)
    assert (made["parameters"], made["at"]) == (CITIES["parameters"], "main")
    assert site.client.get(f"{API}/{made['id']}").json() == made
    assert site.client.get(API).json()["items"] == [made]
    change = {"expected_version": 1, "name": "Towns", "at": None, "sql": None}
    renamed = site.client.patch(f"{API}/{made['id']}", json=change).json()
    assert (renamed["name"], renamed["version"], renamed["sql"], renamed["at"]) == ("Towns", 2, SECRET, None)
    problem(site.client.patch(f"{API}/{made['id']}", json=change), 409, "E877")
    problem(site.client.post(API, json={**CITIES, "name": " Towns"}), 409, "E876")
    asked = {"sql": renamed["sql"], "parameters": {"least": renamed["parameters"]["least"]}, "engine": "in-process"}
    assert site.client.post("/api/v1/federation/query", json=asked).json()["rows"] == [["a secret"]]
    assert site.client.delete(f"{API}/{made['id']}", params={"expected_version": 2}).status_code == 204
    problem(site.client.get(f"{API}/{made['id']}"), 404, "E875")


def test_another_s_query_is_neither_read_written_nor_deleted(site: VersionSite) -> None:
    made = save(site)
    eve = site.token_of("eve@example.com")
    reader = site.token_of("eve@example.com", TokenScope.READ)
    for headers in (eve, reader):
        assert site.client.get(API, headers=headers).json()["items"] == []
        answer = site.client.get(f"{API}/{made['id']}", headers=headers)
        problem(answer, 404, "E875")
        missing = site.client.get(f"{API}/q_0000000000000000", headers=headers).json()
        assert missing["detail"] == answer.json()["detail"].replace(made["id"], "q_0000000000000000")
    problem(site.client.patch(f"{API}/{made['id']}", json={"is_shared": True}, headers=eve), 404, "E875")
    problem(site.client.delete(f"{API}/{made['id']}", headers=eve), 404, "E875")
    assert site.client.get(f"{API}/{made['id']}").json() == made


def test_a_shared_query_is_read_by_others_and_stays_its_owner_s(site: VersionSite) -> None:
    made = save(site, is_shared=True)
    eve = site.token_of("eve@example.com")
    assert site.client.get(API, headers=eve).json()["items"] == [{**made, "is_own": False}]
    problem(site.client.patch(f"{API}/{made['id']}", json={"sql": "SELECT 1"}, headers=eve), 403, "E878")
    problem(site.client.delete(f"{API}/{made['id']}", headers=eve), 403, "E878")
    copy = save(site, eve, name="Cities")
    assert copy["owner"] == "eve@example.com"
    site.client.patch(f"{API}/{made['id']}", json={"is_shared": False})
    problem(site.client.get(f"{API}/{made['id']}", headers=eve), 404, "E875")


def test_a_token_that_may_only_read_saves_nothing(site: VersionSite) -> None:
    made = save(site)
    reader = site.token_of("ada@example.com", TokenScope.READ)
    assert site.client.get(f"{API}/{made['id']}", headers=reader).json() == made
    problem(site.client.post(API, json=CITIES, headers=reader), 403, "E904")
    problem(site.client.patch(f"{API}/{made['id']}", json={"name": "x"}, headers=reader), 403, "E904")
    problem(site.client.delete(f"{API}/{made['id']}", headers=reader), 403, "E904")


@pytest.mark.parametrize(
    "change",
    [
        {"owner": "bob@example.com"},
        {"id": "q_1"},
        {"version": 7},
        {"name": ""},
        {"name": "x" * 256},
        {"sql": ""},
        {"sql": "x" * 100_001},
        {"is_shared": "yes"},
        {"parameters": {"a b": 1}},
        {"parameters": {"a": [1]}},
        {"parameters": {f"p{number}": 1 for number in range(101)}},
    ],
    ids=lambda change: "-".join(change),
)
def test_a_body_holds_what_an_owner_gives_and_no_more(site: VersionSite, change: dict[str, Any]) -> None:
    problem(site.client.post(API, json={**CITIES, **change}), 422, "E105")
    made = save(site)
    problem(site.client.patch(f"{API}/{made['id']}", json=change), 422, "E105")
    assert site.client.get(API).json()["items"] == [made]
