"""Answers kept for a moment: one look at the records for many who ask, and never older than a change made here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import event

from forge.api.app import create_app
from forge.flows.upkeep.access import Access, TokenScope, digest_of
from forge.stores.sql.upkeep.tokens import SqlTokens
from forge.wiring import Wiring

HOUR = 3600


@pytest.fixture
def app(make_site_project: Callable[[], Path], login: str) -> FastAPI:
    return create_app(Wiring.of(make_site_project()), login_digest=digest_of(login), kept_for=HOUR)


@pytest.fixture
def client(app: FastAPI, login: str) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False) as client:
        client.headers["authorization"] = f"Bearer {login}"
        yield client


def statements(app: FastAPI, work: Callable[[], Any]) -> int:
    seen = []

    def note(*_: Any) -> None:
        if not threading.current_thread().name.startswith("forge-"):  # which look after jobs and the catalog
            seen.append(1)

    engine = app.state.site.wiring.database
    event.listen(engine, "before_cursor_execute", note)
    try:
        work()
    finally:
        event.remove(engine, "before_cursor_execute", note)
    return len(seen)


def test_asking_again_reads_no_records(app: FastAPI, client: TestClient) -> None:
    first = client.get("/api/v1/branches/main/commits")
    again: list[Any] = []
    assert statements(app, lambda: again.append(client.get("/api/v1/branches/main/commits"))) == 0
    assert again[0].json() == first.json()
    assert again[0].headers["content-type"] == first.headers["content-type"]
    assert again[0].headers["x-request-id"] != first.headers["x-request-id"]
    assert again[0].headers["cache-control"] == "no-store"  # of the browser; what is kept is kept here


def test_another_question_is_another_answer(client: TestClient) -> None:
    one = client.get("/api/v1/branches/main/commits", params={"limit": 1}).json()["items"]
    assert [len(one), len(client.get("/api/v1/branches/main/commits").json()["items"])] == [1, 2]


def test_a_change_made_here_is_seen_at_once(client: TestClient) -> None:
    names = [branch["name"] for branch in client.get("/api/v1/branches").json()["items"]]
    assert client.post("/api/v1/branches", json={"name": "new"}).status_code == 201
    assert {branch["name"] for branch in client.get("/api/v1/branches").json()["items"]} == {*names, "new"}


def test_what_is_kept_is_not_for_the_anonymous(client: TestClient) -> None:
    assert client.get("/api/v1/overview").status_code == 200
    del client.headers["authorization"]
    assert client.get("/api/v1/overview").status_code == 401


def test_errors_and_sessions_are_never_kept(app: FastAPI, client: TestClient) -> None:
    assert client.get("/api/v1/catalog/assets/core.nothing").status_code == 404
    assert statements(app, lambda: client.get("/api/v1/catalog/assets/core.nothing")) > 0
    token = client.post("/api/v1/tokens", json={"name": "other", "scope": "read"}).json()["token"]
    assert client.get("/api/v1/session").json()["scope"] == "write"
    client.headers["authorization"] = f"Bearer {token}"
    assert client.get("/api/v1/session").json()["scope"] == "read"


@pytest.mark.slow
def test_many_who_ask_at_once_get_one_answer(client: TestClient) -> None:
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: client.get("/api/v1/quality/incidents").text, range(64)))
    assert len(set(found)) == 1


def test_an_answer_that_is_too_old_is_made_anew(make_site_project: Callable[[], Path], login: str) -> None:
    app = create_app(Wiring.of(make_site_project()), login_digest=digest_of(login), kept_for=1e-9)
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        client.headers["authorization"] = f"Bearer {login}"
        client.get("/api/v1/branches")
        assert statements(app, lambda: client.get("/api/v1/branches")) > 0


def test_another_form_is_another_answer(client: TestClient) -> None:
    text = "apiVersion: v3.1.0\nkind: DataContract\nid: orders\nversion: 1.0.0\nstatus: active\n"
    put = client.put("/api/v1/contracts/orders", content=text, headers={"content-type": "application/yaml"})
    assert put.status_code == 201, put.text
    assert client.get("/api/v1/contracts/orders").json()["text"] == text
    as_yaml = client.get("/api/v1/contracts/orders", headers={"accept": "application/yaml"})
    assert (as_yaml.text, as_yaml.headers["vary"]) == (text, "accept")
    assert client.get("/api/v1/contracts/orders").json()["text"] == text


def test_runs_are_kept_for_each_caller_since_what_others_ask_is_not_for_everyone(
    app: FastAPI, client: TestClient
) -> None:
    access = Access(SqlTokens(app.state.wiring.database), app.state.wiring.clock)
    _, secret = access.create("eve", TokenScope.READ, None, "eve@example.com")
    eve = {"authorization": f"Bearer {secret}"}
    client.get("/api/v1/session", headers=eve)
    for path, is_shared in (("/api/v1/runs", False), ("/api/v1/branches", True)):
        client.get(path)
        assert (statements(app, lambda: client.get(path, headers=eve)) == 0) == is_shared  # noqa: B023
        assert statements(app, lambda: client.get(path, headers=eve)) == 0  # noqa: B023
