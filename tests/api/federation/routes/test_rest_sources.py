"""APIs as sources over HTTP, with a real API: what they are, what they may reach, and what an intruder gets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rest_api import Answer, RestApi, rest_api
from version_site import VersionSite, open_version_site, problem

from forge.flows.upkeep.access import TokenScope

API = "/api/v1/federation/sources"
QUERY = "/api/v1/federation/query"
EVE = "eve@example.com"
TABLE: dict[str, Any] = {
    "path": "/orders",
    "records": "items",
    "columns": {"id": "bigint", "city": "string", "mail": "string"},
    "filters": {"city": "town"},
    "paging": {"type": "link", "next": "next"},
}

pytestmark = pytest.mark.slow


@pytest.fixture
def api() -> Iterator[RestApi]:
    with rest_api() as opened:
        record = {"id": 1, "city": "London", "mail": "ada@example.com"}
        opened.serve("/orders", Answer({"items": [record, {"id": 2}], "next": None}))
        yield opened


@pytest.fixture
def site(api: RestApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[VersionSite]:
    monkeypatch.setenv("FORGE_SOURCE_TOKEN", "s3cret")
    allowed = f"federation: {{hosts: ['{api.url}', 127.0.0.1]}}\n"
    with open_version_site(
        tmp_path / "shop", f"project: shop\nuser: {{name: Ada, email: ada@example.com}}\n{allowed}"
    ) as opened:
        yield opened


def body(api: RestApi, **changed: object) -> dict[str, Any]:
    given = {"name": "shop", "connector": "rest", "url": api.url, "tables": {"orders": TABLE}}
    return {**given, "password": "env:FORGE_SOURCE_TOKEN", **changed}


def ask(site: VersionSite, sql: str, as_: dict[str, str] | None = None) -> Any:
    return site.client.post(QUERY, json={"sql": sql, "engine": "in-process"}, headers=as_)


def test_an_api_is_made_changed_tested_and_asked(site: VersionSite, api: RestApi) -> None:
    made = site.client.post(API, json=body(api, hidden=["orders.mail"]))
    assert made.status_code == 201, made.text
    table = made.json()["tables"]["orders"]
    assert {key: value for key, value in table.items() if value and key != "paging"} == {
        key: value for key, value in TABLE.items() if key != "paging"
    }
    assert table["paging"]["next"] == "next"
    assert site.client.post(f"{API}/shop/test").json()["answered"] == f"1 endpoint of {api.url}"
    listed = site.client.get(f"{API}/shop/tables").json()
    assert [(one["table"], len(one["columns"])) for one in listed["items"]] == [("orders", 3)]
    assert site.client.get(f"{API}/shop/drift").json()["changes"] == []
    found = ask(site, "SELECT * FROM shop.orders WHERE city = 'London'")
    assert found.json()["rows"] == [[1, "London", None]], found.text
    assert (api.asked[-1].query, api.asked[-1].headers["authorization"]) == ({"town": "London"}, "Bearer s3cret")
    wider = {"orders": {**TABLE, "columns": {**TABLE["columns"], "note": "string"}}}
    changed = site.client.patch(f"{API}/shop", json={"tables": wider}).json()
    assert (changed["version"], changed["hidden"]) == (2, ["orders.mail"])
    drift = site.client.get(f"{API}/shop/drift").json()["changes"]
    assert [(one["change"], one["column"]) for one in drift] == [("added", "note")]


def test_a_reader_sees_tables_and_rows_and_not_the_way(site: VersionSite, api: RestApi) -> None:
    site.client.post(API, json=body(api))
    eve = site.token_of(EVE, TokenScope.READ)
    seen = site.client.get(f"{API}/shop", headers=eve).json()
    assert all(seen[key] is None for key in ("url", "tables", "password", "options"))
    assert site.client.get(f"{API}/shop/tables/orders", headers=eve).status_code == 200
    problem(site.client.post(f"{API}/shop/test", headers=eve), 403, "E904")
    assert ask(site, "SELECT count(*) FROM shop.orders", eve).json()["rows"] == [[2]]
    api.serve("/orders", Answer({"you sent": "s3cret"}, 400))
    told = ask(site, "SELECT count(*) FROM shop.orders", eve)
    assert problem(told, 503, "E309")["detail"] == "The source shop cannot be read"
    assert not any(word in told.text for word in ("s3cret", "127.0.0.1", "/orders", "you sent"))
    assert "s3cret" not in ask(site, "SELECT count(*) FROM shop.orders").text


def test_it_reaches_nothing_that_the_operator_did_not_name(site: VersionSite, api: RestApi) -> None:
    with rest_api() as other:
        urls = [
            other.url,
            f"http://localhost:{api.port}",
            f"https://127.0.0.1:{api.port}",
            f"http://127.1:{api.port}",
            f"http://127.0.0.1:{api.port}@127.0.0.1:{other.port}",
            f"{api.url}.evil.example",
            "http://127.0.0.1",
            "https://127.0.0.1",
            "http://169.254.169.254/latest",
        ]
        for url in urls:
            assert site.client.post(API, json=body(api, url=url)).status_code in (403, 409, 422), url
        assert site.client.post(API, json=body(api)).status_code == 201
        for url in urls:
            assert site.client.patch(f"{API}/shop", json={"url": url}).status_code in (403, 409, 422), url
        for place in (f"{other.url}/orders", f"//127.0.0.1:{other.port}/orders", "http://127.0.0.1/"):
            api.serve("/orders", Answer({"items": [], "next": place}))
            problem(ask(site, "SELECT * FROM shop.orders"), 503, "E309")
            api.serve("/orders", Answer(status=302, headers={"location": place}))
            problem(site.client.post(f"{API}/shop/test"), 503, "E309")
        assert other.asked == []


def test_secrets_headers_and_limits_are_those_of_the_operator(site: VersionSite, api: RestApi) -> None:
    for changed in (
        {"password": "env:HOME"},
        {"password": "file:/etc/shadow"},
        {"user": "env:PATH"},
        {"options": {"timeout": "86400"}},
        {"options": {"max_bytes": "1000000000"}},
        {"options": {"connect_timeout": "300"}},
    ):
        problem(site.client.post(API, json=body(api, **changed)), 403, "E886")
    wrongs: list[dict[str, Any]] = [
        {"options": {"header": "Host"}},
        {"options": {"header": "X: y\r\nHost"}},
        {"tables": {"orders": {**TABLE, "path": "//evil.example/x?a"}}},
        {"tables": {"orders": {**TABLE, "path": "/a\r\nHost: evil"}}},
        {"tables": {"orders": {**TABLE, "filters": {"mail": "m"}, "columns": {"mail": "double"}}}},
        {"tables": {}},
        {"tables": None},
    ]
    for wrong in wrongs:
        problem(site.client.post(API, json=body(api, **wrong)), 422, "E880")
    for odd in ({"tables": {"orders": {**TABLE, "proxy": "x"}}}, {"tables": {"orders": 1}}, {"tables": [TABLE]}):
        problem(site.client.post(API, json=body(api, **odd)), 422, "E105")
    secret = {"tables": {"orders": {**TABLE, "parameters": {"api_token": "hunter2"}}}}
    refused = site.client.post(API, json=body(api, **secret))
    problem(refused, 409, "E106")
    assert "hunter2" not in refused.text
    assert site.client.get(API).json()["items"] == []
    assert api.asked == []


def test_what_the_operator_takes_back_is_not_reached_any_more(site: VersionSite, api: RestApi) -> None:
    site.client.post(API, json=body(api))
    del site.wiring.federation.__dict__["limits"]
    site.wiring.settings.federation.hosts.clear()
    problem(site.client.post(f"{API}/shop/test"), 403, "E886")
    problem(ask(site, "SELECT * FROM shop.orders"), 403, "E886")
    assert api.asked == []
