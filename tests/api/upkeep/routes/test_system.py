"""Sessions, tokens, probes, numbers; and a database that is locked, or gone."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from forge.stores.sql import database

MakeApp = Callable[..., FastAPI]
ADDRESS = "http://127.0.0.1:8765"


@pytest.fixture
def own(
    make_site_project: Callable[[], Path], make_app: MakeApp, login: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Path, TestClient]]:
    """A client on a project of its own, on a database that does not wait long."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    root = make_site_project()
    with TestClient(make_app(root), base_url=ADDRESS, headers={"authorization": f"Bearer {login}"}) as client:
        yield root, client


def test_a_token_is_shown_once_and_only_its_hash_is_kept(own: tuple[Path, TestClient]) -> None:
    root, client = own
    response = client.post("/api/v1/tokens", json={"name": "ci", "scope": "read", "expires_in_days": None})
    assert response.status_code == 201
    made = response.json()
    assert re.fullmatch(r"forge_[A-Za-z0-9_-]{43}", made["token"])
    assert (made["name"], made["scope"], made["state"], made["expires_at"]) == ("ci", "read", "active", None)
    (listed,) = client.get("/api/v1/tokens").json()
    assert listed == {key: value for key, value in made.items() if key != "token"}
    with sqlite3.connect(root / ".forge" / "forge.db") as connection:
        dump = "\n".join(connection.iterdump())
    assert made["id"] in dump
    assert made["token"].removeprefix("forge_") not in dump


def test_the_use_of_a_token_shows(own: tuple[Path, TestClient]) -> None:
    _, client = own
    made = client.post("/api/v1/tokens", json={"name": "ci"}).json()
    assert made["last_used_at"] is None
    client.get("/api/v1/session", headers={"authorization": f"Bearer {made['token']}"})
    assert client.get("/api/v1/tokens").json()[0]["last_used_at"] is not None


def test_a_revoked_token_stays_in_the_list(own: tuple[Path, TestClient]) -> None:
    _, client = own
    made = client.post("/api/v1/tokens", json={"name": "ci"}).json()
    assert client.delete(f"/api/v1/tokens/{made['id']}").status_code == 204
    assert [t["state"] for t in client.get("/api/v1/tokens").json()] == ["revoked"]
    assert client.delete("/api/v1/tokens/nobody").status_code == 404
    again = client.post("/api/v1/tokens", json={"name": "ci"})
    assert again.status_code == 201
    assert client.post("/api/v1/tokens", json={"name": "ci"}).json()["code"] == "FORGE-E109"


def test_the_session_says_who_calls(client: TestClient) -> None:
    answer = client.get("/api/v1/session").json()
    assert answer.pop("version")
    assert answer == {
        "user": "ada@example.com",
        "project": "shop",
        "default_branch": "main",
        "auth": "token",
        "scope": "write",
        "expires_at": None,
    }


def test_the_sign_in_form_exchanges_a_token_for_a_cookie(client: TestClient) -> None:
    opened = client.post("/api/v1/session")
    assert (opened.status_code, opened.json()["auth"]) == (201, "cookie")
    client.headers.pop("authorization")
    assert client.get("/api/v1/session").json()["auth"] == "cookie"


def test_sessions_outlive_the_server_and_expired_ones_are_swept(
    own: tuple[Path, TestClient], make_app: MakeApp
) -> None:
    root, client = own
    cookie = client.post("/api/v1/session").headers["set-cookie"].partition(";")[0]
    client.post("/api/v1/session")
    with sqlite3.connect(root / ".forge" / "forge.db") as connection:
        newest = "(SELECT max(created_at) FROM forge_tokens)"
        connection.execute(f"UPDATE forge_tokens SET expires_at = created_at WHERE created_at = {newest}")
    with TestClient(make_app(root), base_url=ADDRESS) as later:
        assert later.get("/api/v1/session", headers={"cookie": cookie}).status_code == 200
    with sqlite3.connect(root / ".forge" / "forge.db") as connection:
        assert connection.execute("SELECT count(*) FROM forge_tokens").fetchone() == (1,)


# faults


@pytest.mark.slow
def test_a_locked_database_refuses_writes_and_serves_reads_until_it_is_free(own: tuple[Path, TestClient]) -> None:
    root, client = own
    token = client.post("/api/v1/tokens", json={"name": "reader", "scope": "read"}).json()["token"]
    other = sqlite3.connect(root / ".forge" / "forge.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    refused = client.post("/api/v1/tokens", json={"name": "ci"})
    assert (refused.status_code, refused.json()["code"]) == (503, "FORGE-E404")
    assert refused.headers["retry-after"]
    # To note that this token was used needs a write, too; reading must not fail because of it.
    assert client.get("/api/v1/tokens", headers={"authorization": f"Bearer {token}"}).status_code == 200
    assert client.get("/readyz").text == "ready\n"
    link = f"/?{client.headers['authorization'].replace('Bearer ', 'token=')}"
    page = client.get(link, headers={"authorization": ""}, follow_redirects=False)  # a browser that is not signed in
    assert page.headers["location"] == "/login?reason=unavailable&to=%2F"

    other.execute("ROLLBACK")
    other.close()
    assert client.post("/api/v1/tokens", json={"name": "ci"}).status_code == 201


def test_without_its_database_the_server_lives_and_is_not_ready(own: tuple[Path, TestClient]) -> None:
    root, client = own
    folder = root / ".forge"
    folder.rename(root / "away")
    folder.write_text("a file in its place")
    app: FastAPI = client.app  # type: ignore[assignment]
    app.state.wiring.database.dispose()  # as after a restart of the database: connections are made anew
    assert client.get("/healthz").text == "ok\n"
    response = client.get("/readyz")
    assert (response.status_code, response.text) == (503, "database unreachable\n")
    refused = client.get("/api/v1/tokens")
    assert (refused.status_code, refused.json()["code"]) == (503, "FORGE-E401")

    folder.unlink()
    (root / "away").rename(folder)
    assert client.get("/readyz").text == "ready\n"
    assert client.get("/api/v1/tokens").status_code == 200


def test_a_database_that_was_replaced_by_an_empty_one_is_not_ready(own: tuple[Path, TestClient]) -> None:
    root, client = own
    app: FastAPI = client.app  # type: ignore[assignment]
    app.state.wiring.database.dispose()
    for file in (root / ".forge").glob("forge.db*"):
        file.rename(root / file.name)
    response = client.get("/readyz")
    assert (response.status_code, response.text) == (503, "database not migrated\n")


# numbers


def test_metrics_count_requests_by_template_and_show_jobs_and_spark(client: TestClient) -> None:
    for _ in range(3):
        client.delete("/api/v1/tokens/nobody")
    client.get("/some/page")
    response = client.get("/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")
    lines = response.text.splitlines()
    template = "/api/v1/tokens/{token_id}"
    assert f'forge_http_requests_total{{method="DELETE",route="{template}",status="404"}} 3.0' in lines
    assert f'forge_http_request_seconds_count{{route="{template}"}} 3.0' in lines
    assert 'forge_http_requests_total{method="GET",route="web",status="200"} 1.0' in lines
    assert 'forge_jobs{state="queued"} 0.0' in lines
    assert 'forge_spark_state{state="stopped"} 1.0' in lines
    assert any(line.startswith("process_resident_memory_bytes") for line in lines)


def test_what_was_refused_is_counted_by_its_template_too(client: TestClient) -> None:
    client.get("/api/v1/runs/r1", headers={"authorization": "Bearer wrong"})
    client.get("/api/v1/nothing", headers={"authorization": "Bearer wrong"})
    lines = client.get("/metrics").text.splitlines()
    assert 'forge_http_requests_total{method="GET",route="/api/v1/runs/{run_id}",status="401"} 1.0' in lines
    assert 'forge_http_requests_total{method="GET",route="unknown",status="401"} 1.0' in lines
