"""Every error is problem+json with the words of the terminal, whatever went wrong."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.types import Scope

from forge.api.problems import problem_of, status_of
from forge.model.codes import CODES
from forge.model.errors import ForgeError, ForgeErrors, UnknownNameError

HERE: Scope = {"type": "http", "method": "GET", "path": "/api/v1/x", "state": {"request_id": "abc"}}
CHANGE: Scope = {**HERE, "method": "POST"}


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("E105", 422),
        ("E108", 404),
        ("E601", 404),
        ("E603", 409),
        ("E607", 409),
        ("E403", 409),
        ("E622", 413),
        ("E631", 403),
        ("E401", 503),
        ("E404", 503),
        ("E301", 503),
        ("E903", 401),
        ("E904", 403),
        ("E906", 429),
        ("E000", 500),
    ],
)
def test_each_kind_of_error_has_its_status(code: str, status: int) -> None:
    response = problem_of(ForgeError(code, "what", where="here", why="because", fix="do"), CHANGE)
    document = json.loads(bytes(response.body))
    assert response.status_code == document["status"] == status
    assert response.media_type == "application/problem+json"
    assert document == {
        "type": f"urn:forge:error:{code}",
        "title": CODES[code].title,
        "status": status,
        "detail": "what",
        "instance": "/api/v1/x",
        "code": f"FORGE-{code}",
        "where": "here",
        "why": "because",
        "fix": "do",
        "errors": [],
    }
    assert ("retry-after" in response.headers) == (status in (429, 503))
    assert response.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)


def test_a_question_that_cannot_be_answered_is_in_conflict_with_nothing() -> None:
    assert problem_of(ForgeError("E213", "only a query is accepted here"), HERE).status_code == 422
    assert problem_of(ForgeError("E213", "only a query is accepted here"), CHANGE).status_code == 409


def test_every_code_has_a_status() -> None:
    assert all(400 <= status_of(code) < 600 for code in CODES)


def test_several_errors_are_all_told() -> None:
    response = problem_of(ForgeErrors([ForgeError("E105", "one"), UnknownNameError("two")]), HERE)
    document = json.loads(bytes(response.body))
    assert (document["status"], document["detail"]) == (422, "one")
    assert [(e["code"], e["what"]) for e in document["errors"]] == [("FORGE-E105", "one"), ("FORGE-E108", "two")]


def test_a_request_that_is_wrong_in_several_places_hears_of_all(client: TestClient) -> None:
    response = client.get("/api/v1/runs?limit=0&offset=-1")
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert [error["where"] for error in response.json()["errors"]] == ["query.limit", "query.offset"]


def test_a_body_that_is_wrong_says_where(client: TestClient) -> None:
    response = client.post("/api/v1/tokens", json={"name": "", "scope": "all", "more": 1})
    assert response.status_code == 422
    assert {error["where"] for error in response.json()["errors"]} == {"body.name", "body.scope", "body.more"}


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b'{"name": "\\ud800"}'], ids=repr)
def test_a_body_that_is_no_json_is_a_problem_too(client: TestClient, body: bytes) -> None:
    response = client.post("/api/v1/tokens", content=body, headers={"content-type": "application/json"})
    assert (response.status_code, response.json()["code"]) == (422, "FORGE-E105")


@pytest.mark.slow
def test_unknown_addresses_and_methods_are_problems(client: TestClient) -> None:
    missing = client.get("/api/v1/nothing")
    assert (missing.status_code, missing.json()["code"]) == (404, "FORGE-E108")
    assert client.post("/api/v2/tokens").status_code == 404
    wrong = client.put("/api/v1/tokens")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "FORGE-E105")
    assert wrong.headers["allow"] == "GET, POST"
    page = client.post("/some/page")
    assert (page.status_code, page.headers["allow"]) == (405, "GET, HEAD")


@pytest.fixture
def broken(app: FastAPI) -> FastAPI:
    @app.get("/api/v1/broken")
    def broken() -> None:
        raise RuntimeError("the password is hunter2")

    @app.get("/api/v1/stream")
    def stream() -> object:
        from fastapi.responses import StreamingResponse

        def parts() -> Iterator[bytes]:
            yield b"one"
            raise RuntimeError("in the middle")

        return StreamingResponse(parts())

    return app


def test_what_nobody_foresaw_is_told_in_the_log_and_not_to_the_caller(
    broken: FastAPI, client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "forge.server"):
        response = client.get("/api/v1/broken")
    assert (response.status_code, response.json()["code"]) == (500, "FORGE-E000")
    assert "hunter2" not in response.text
    assert "Traceback" not in response.text
    request_id = response.headers["x-request-id"]
    assert request_id in response.json()["why"]
    (record,) = [r for r in caplog.records if r.name == "forge.server"]
    assert request_id in record.getMessage()
    assert record.exc_info is not None


def test_an_error_within_a_stream_does_not_end_the_server(broken: FastAPI, client: TestClient) -> None:
    assert client.get("/api/v1/stream").content == b"one"
    assert client.get("/api/v1/session").status_code == 200


def test_a_body_that_does_not_say_it_is_json_hears_what_to_send(client: TestClient) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}  # what curl -d sends
    response = client.post("/api/v1/tokens", content=b'{"name": "ci"}', headers=form)
    assert response.status_code == 422
    assert response.json()["fix"] == "Send Content-Type: application/json"
    text = client.post("/api/v1/tokens", content=b'"ci"', headers={"content-type": "application/json"})
    assert text.status_code == 422
    assert "Content-Type" not in text.json()["fix"]
