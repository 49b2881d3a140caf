"""Nobody gets data without a token, and nobody changes anything from another site."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.requests import Request

from forge.api.auth import QUESTIONS, authorise
from forge.flows.upkeep.access import Access, TokenScope
from forge.model.errors import ForgeError
from forge.stores.sql.upkeep.tokens import SqlTokens
from forge.wiring import Wiring


def assert_problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = response.json()
    assert (document["status"], document["code"]) == (status, f"FORGE-{code}")
    assert document["type"] == f"urn:forge:error:{code}"
    assert document["title"]
    assert document["detail"]
    return document


def operations(app: FastAPI) -> list[tuple[str, str]]:
    paths = app.openapi()["paths"]
    return [(method.upper(), path) for path, methods in paths.items() for method in methods]


def filled(path: str) -> str:
    return path.replace("{", "").replace("}", "")


@pytest.mark.slow
def test_every_operation_refuses_the_anonymous(app: FastAPI, anonymous: TestClient) -> None:
    found = operations(app)
    assert len(found) >= 20
    for method, path in found:
        for body in (None, b"this is no JSON"):
            response = anonymous.request(
                method, filled(path), content=body, headers={"content-type": "application/json"}
            )
            assert_problem(response, 401, "E903")
            assert response.headers["www-authenticate"] == "Bearer"


@pytest.mark.slow
def test_what_is_no_part_of_the_document_is_open_only_where_it_says_nothing(anonymous: TestClient) -> None:
    assert anonymous.get("/healthz").text == "ok\n"
    assert anonymous.get("/readyz").text == "ready\n"
    assert anonymous.get("/openapi.json").json()["openapi"]
    assert_problem(anonymous.get("/metrics"), 401, "E903")


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/v1/nothing", "/api/v1/runs/", "//api/v1/runs", "/api%2Fv1%2Fruns"]
)
def test_no_spelling_of_an_api_path_gives_data_to_the_anonymous(anonymous: TestClient, path: str) -> None:
    response = anonymous.get(path)
    if path.startswith("//"):  # a page of the web app, which holds no data
        assert response.headers["content-type"].startswith("text/html")
    else:
        assert_problem(response, 401, "E903")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_methods_other_than_reading_are_refused_everywhere(anonymous: TestClient, method: str) -> None:
    assert_problem(anonymous.request(method, "/some/page"), 401, "E903")


@pytest.mark.parametrize(
    "header", ["Bearer forge_wrong", "Bearer ", "Bearer", "Basic YTpi", "forge_wrong", "Bearer \udcff"], ids=repr
)
def test_a_wrong_token_is_refused(anonymous: TestClient, header: str) -> None:
    raw = header.encode("utf-8", "surrogateescape")
    assert_problem(anonymous.get("/api/v1/session", headers=[(b"authorization", raw)]), 401, "E903")


def test_a_wrong_token_is_refused_even_beside_a_right_cookie(browser: TestClient) -> None:
    assert browser.get("/api/v1/session").status_code == 200
    refused = browser.get("/api/v1/session", headers={"authorization": "Bearer forge_wrong"})
    assert_problem(refused, 401, "E903")


def access_of(app: FastAPI, now: datetime | None = None) -> Access:
    wiring: Wiring = app.state.wiring
    return Access(SqlTokens(wiring.database), (lambda: now) if now else wiring.clock)


def test_an_expired_token_is_refused_with_the_reason(app: FastAPI, anonymous: TestClient) -> None:
    past = datetime.now(UTC) - timedelta(days=2)
    _, secret = access_of(app, past).create("old", TokenScope.READ, timedelta(days=1), "ada@example.com")
    document = assert_problem(
        anonymous.get("/api/v1/session", headers={"authorization": f"Bearer {secret}"}), 401, "E903"
    )
    assert "expired" in document["detail"]


def test_a_revoked_token_is_refused_at_once_with_the_sessions_it_opened(client: TestClient) -> None:
    made = client.post("/api/v1/tokens", json={"name": "ci"}).json()
    header = {"authorization": f"Bearer {made['token']}"}
    opened = client.post("/api/v1/session", headers=header)
    cookie = opened.headers["set-cookie"].partition(";")[0]
    client.cookies.clear()
    as_browser = {"cookie": cookie}
    client.headers.pop("authorization")
    assert client.get("/api/v1/session", headers=header).json()["auth"] == "token"
    assert client.get("/api/v1/session", headers=as_browser).json()["auth"] == "cookie"

    assert client.delete(f"/api/v1/tokens/{made['id']}", headers=header).status_code == 204

    assert "revoked" in assert_problem(client.get("/api/v1/session", headers=header), 401, "E903")["detail"]
    assert_problem(client.get("/api/v1/session", headers=as_browser), 401, "E903")


def test_a_session_opened_with_a_session_ends_with_the_token(client: TestClient) -> None:
    made = client.post("/api/v1/tokens", json={"name": "chain"}).json()
    first = cookie_of(client.post("/api/v1/session", headers={"authorization": f"Bearer {made['token']}"}))[1]["value"]
    second = cookie_of(client.post("/api/v1/session", headers={"authorization": f"Bearer {first}"}))[1]["value"]
    client.cookies.clear()
    as_session = {"authorization": f"Bearer {second}"}
    assert client.get("/api/v1/session", headers=as_session).status_code == 200
    assert client.delete(f"/api/v1/tokens/{made['id']}").status_code == 204
    assert_problem(client.get("/api/v1/session", headers=as_session), 401, "E903")
    assert_problem(client.get("/api/v1/session", headers={"authorization": f"Bearer {first}"}), 401, "E903")


def test_sessions_are_listed_with_their_token_and_can_be_ended(client: TestClient) -> None:
    made = client.post("/api/v1/tokens", json={"name": "phone", "scope": "read"}).json()
    opened = client.post("/api/v1/session", headers={"authorization": f"Bearer {made['token']}"})
    secret = cookie_of(opened)[1]["value"]
    client.cookies.clear()
    listed = client.get("/api/v1/sessions").json()
    (session,) = [one for one in listed if one["token_id"] == made["id"]]
    assert (session["token_name"], session["scope"], session["current"]) == ("phone", "read", False)
    assert secret not in str(listed)
    as_session = {"authorization": f"Bearer {secret}"}
    seen = client.get("/api/v1/sessions", headers=as_session).json()
    assert [one["id"] for one in seen if one["current"]] == [session["id"]]
    assert_problem(client.delete(f"/api/v1/sessions/{session['id']}", headers=as_session), 403, "E904")
    assert client.delete(f"/api/v1/sessions/{session['id']}").status_code == 204
    assert_problem(client.get("/api/v1/session", headers=as_session), 401, "E903")
    assert client.get("/api/v1/session", headers={"authorization": f"Bearer {made['token']}"}).status_code == 200
    assert session["id"] not in [one["id"] for one in client.get("/api/v1/sessions").json()]
    assert_problem(client.delete("/api/v1/sessions/nobody"), 404, "E108")


@pytest.mark.slow
def test_a_token_that_may_read_cannot_write(client: TestClient, app: FastAPI) -> None:
    made = client.post("/api/v1/tokens", json={"name": "reader", "scope": "read"}).json()
    client.headers["authorization"] = f"Bearer {made['token']}"
    assert client.get("/api/v1/session").json()["scope"] == "read"
    free = ("/api/v1/session", *QUESTIONS)
    writes = [(m, p) for m, p in operations(app) if m not in ("GET", "HEAD") and p not in free]
    assert len(writes) >= 5
    for method, path in writes:
        assert_problem(client.request(method, filled(path), json={}), 403, "E904")
    for path in QUESTIONS:
        assert_problem(client.post(path, json=[]), 422, "E105")


def test_a_session_opened_with_a_reading_token_may_only_read(client: TestClient) -> None:
    made = client.post("/api/v1/tokens", json={"name": "reading-browser", "scope": "read", "expires_in_days": 1}).json()
    client.headers["authorization"] = f"Bearer {made['token']}"
    opened = client.post("/api/v1/session")
    assert opened.status_code == 201
    assert opened.json()["scope"] == "read"
    assert opened.json()["expires_at"] <= made["expires_at"]
    client.headers.pop("authorization")
    origin = {"origin": "http://127.0.0.1:8765"}
    assert_problem(client.post("/api/v1/tokens", json={"name": "x"}, headers=origin), 403, "E904")


# browsers


def cookie_of(response: httpx.Response) -> tuple[str, dict[str, str]]:
    ((name, morsel),) = SimpleCookie(response.headers["set-cookie"]).items()
    return name, {key: str(value) for key, value in morsel.items() if value} | {"value": morsel.value}


def test_the_printed_address_is_exchanged_for_a_cookie(anonymous: TestClient, login: str) -> None:
    response = anonymous.get(f"/assets/core.orders?at=HEAD~1&token={login}&tab=a%20b")
    assert response.status_code == 303
    assert response.headers["location"] == "/assets/core.orders?at=HEAD~1&tab=a+b"
    assert response.headers["cache-control"] == "no-store"
    name, cookie = cookie_of(response)
    assert name == "forge_8765"
    assert cookie["httponly"] == "True"
    assert cookie["samesite"].lower() == "strict"
    assert cookie["path"] == "/"
    assert cookie["max-age"] == str(14 * 24 * 3600)
    assert "secure" not in cookie
    assert cookie["value"] != login
    session = anonymous.get("/api/v1/session").json()
    assert (session["auth"], session["user"], session["project"]) == ("cookie", "ada@example.com", "shop")


def test_over_tls_the_cookie_is_secure(app: FastAPI, login: str) -> None:
    with TestClient(app, base_url="https://localhost:8765", follow_redirects=False) as client:
        assert cookie_of(client.get(f"/?token={login}"))[1]["secure"] == "True"


def test_the_printed_address_works_for_any_number_of_browsers(anonymous: TestClient, login: str) -> None:
    cookies = {cookie_of(anonymous.get(f"/?token={login}"))[1]["value"] for _ in range(3)}
    assert len(cookies) == 3


@pytest.mark.parametrize("token", ["wrong", "", "forge_" + "a" * 43, "%00", "%FF"])
def test_a_wrong_token_in_the_address_leads_to_the_login_page(anonymous: TestClient, token: str) -> None:
    response = anonymous.get(f"/runs?token={token}")
    if token == "%00":
        assert_problem(response, 422, "E105")
        return
    assert (response.status_code, response.headers["location"]) == (303, "/login?reason=invalid&to=%2Fruns")
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize("token", ["wrong", "", "forge_" + "a" * 43, "%FF"])
def test_a_stale_token_in_the_address_leaves_a_valid_session_as_it_is(browser: TestClient, token: str) -> None:
    response = browser.get(f"/runs?status=blocked&token={token}", follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (303, "/runs?status=blocked")
    assert "set-cookie" not in response.headers
    assert browser.get("/api/v1/session").json()["auth"] == "cookie"


def test_a_stale_token_does_not_bring_back_a_session_that_has_ended(browser: TestClient) -> None:
    cookie = browser.cookies["forge_8765"]
    browser.delete("/api/v1/session")
    headers = {"cookie": f"forge_8765={cookie}"}
    response = browser.get("/runs?token=wrong", headers=headers, follow_redirects=False)
    assert response.headers["location"] == "/login?reason=invalid&to=%2Fruns"


@pytest.mark.parametrize("path", ["//evil.example/x", "///evil.example", "/\\evil.example", "/%5Cevil.example"])
def test_signing_in_never_leads_to_another_server(anonymous: TestClient, login: str, path: str) -> None:
    response = anonymous.get(f"http://127.0.0.1:8765{path}?token={login}")
    assert response.status_code == 303
    assert response.headers["location"].startswith("/")
    assert not response.headers["location"].startswith(("//", "/\\", "/%5C"))


def test_a_token_in_the_address_of_the_api_is_not_taken(anonymous: TestClient, login: str) -> None:
    assert_problem(anonymous.get(f"/api/v1/session?token={login}"), 401, "E903")


def test_signing_out_ends_the_session(browser: TestClient) -> None:
    cookie = browser.cookies["forge_8765"]
    response = browser.delete("/api/v1/session")
    assert response.status_code == 204
    assert cookie_of(response)[1]["max-age"] == "0"
    assert_problem(browser.get("/api/v1/session", headers={"cookie": f"forge_8765={cookie}"}), 401, "E903")


def test_a_session_of_another_port_is_not_this_servers(browser: TestClient) -> None:
    value = browser.cookies["forge_8765"]
    browser.cookies.clear()
    assert_problem(browser.get("/api/v1/session", headers={"cookie": f"forge_9999={value}"}), 401, "E903")


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({"origin": "http://127.0.0.1:8765"}, True),
        ({"sec-fetch-site": "same-origin"}, True),
        ({}, False),
        ({"origin": "null"}, False),
        ({"origin": "http://127.0.0.1:3000"}, False),
        ({"origin": "https://127.0.0.1:8765"}, False),
        ({"origin": "http://localhost:8765"}, False),
        ({"origin": "http://127.0.0.1:8765.evil.example"}, False),
        ({"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:3000"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
    ],
    ids=str,
)
def test_a_change_by_cookie_must_come_from_a_page_of_this_server(
    browser: TestClient, headers: dict[str, str], allowed: bool
) -> None:
    browser.headers.pop("origin")
    response = browser.delete("/api/v1/tokens/nobody", headers=headers)
    assert_problem(response, 404 if allowed else 403, "E108" if allowed else "E904")


def test_a_change_by_token_may_come_from_anywhere(client: TestClient) -> None:
    response = client.delete("/api/v1/tokens/nobody", headers={"origin": "http://elsewhere.example"})
    assert_problem(response, 404, "E108")


ODD = (
    "[",
    "127.0.0.1@evil.example",
    "user@127.0.0.1",
    "127.0.0.1/api/v1/session",
    "127.0.0.1:8765/api/v1/session?x=",
    "127.0.0.1?x",
    "127.0.0.1#x",
    "127.0.0.1\\x",
    "127.0.0.1 evil.example",
    " ",
    "127.0.0.1,evil.example",
    "127.0.0.1:",
    "127.0.0.1:http",
    "127.0.0.1:99999",
    "127.0.0.1:-1",
    "::1",
    "[::1",
    "[::1]evil",
    "127.0.0.1%2f",
    "löcalhost",
    "localhost\t",
)


@pytest.mark.parametrize("host", ODD, ids=repr)
def test_a_host_that_is_none_is_refused_everywhere(client: TestClient, host: str) -> None:
    header = (b"host", host.encode("latin-1"))
    for method, path in (("GET", "/"), ("GET", "/healthz"), ("GET", "/api/v1/session"), ("POST", "/api/v1/tokens")):
        assert_problem(client.request(method, path, headers=[header]), 400, "E910")


def test_two_hosts_are_refused_also_where_both_are_known(client: TestClient) -> None:
    headers = [(b"host", b"127.0.0.1:8765"), (b"host", b"localhost:8765")]
    assert_problem(client.get("/api/v1/session", headers=headers), 400, "E910")


def test_a_server_on_all_addresses_has_no_name_by_that(make_app: Callable[..., FastAPI], site_project: Path) -> None:
    for everywhere in ("0.0.0.0", "::"):
        app = make_app(site_project, host=everywhere)
        with TestClient(app, base_url="http://127.0.0.1:8765") as client:
            shown = f"[{everywhere}]" if ":" in everywhere else everywhere
            assert_problem(client.get("/api/v1/session", headers={"host": f"{shown}:8765"}), 400, "E910")


def test_what_a_reader_may_do_is_judged_by_the_path_that_is_routed(client: TestClient, app: FastAPI) -> None:
    made = client.post("/api/v1/tokens", json={"name": "odd host", "scope": "read"}).json()
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/tokens",
        "query_string": b"",
        "scheme": "http",
        "headers": [
            (b"host", b"127.0.0.1/api/v1/session?x="),
            (b"authorization", f"Bearer {made['token']}".encode()),
        ],
        "app": app,
    }
    with pytest.raises(ForgeError) as refused:
        authorise(Request(scope))
    assert refused.value.code == "E904"


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("localhost", True),
        ("localhost:8765", True),
        ("127.0.0.1:1", True),
        ("127.8.9.1", True),
        ("[::1]:8765", True),
        ("forge.example.com", True),
        ("FORGE.example.com:443", True),
        ("10.1.2.3:8765", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("forge.example.com.evil.example", False),
        ("", False),
        ("[", False),
        ("127.0.0.1@evil.example", False),
    ],
)
def test_only_known_hosts_are_answered(
    make_app: Callable[..., FastAPI], site_project: Path, host: str, known: bool
) -> None:
    app = make_app(site_project, allowed_hosts=("forge.example.com",), host="10.1.2.3")
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        for path in ("/", "/api/v1/session"):
            response = client.get(path, headers={"host": host})
            if known:
                assert response.status_code != 400
            else:
                assert_problem(response, 400, "E910")
        if host not in ODD:
            assert client.get("/healthz", headers={"host": host}).text == "ok\n"  # probes use any address
