"""Asking and telling the lineage of a server, as the tests of its routes do."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from fastapi.testclient import TestClient


def ask(client: TestClient, path: str, **query: Any) -> Any:
    answer = client.get(f"/api/v1/lineage{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def post(client: TestClient, path: str, body: Any, expected: int = 201) -> Any:
    answer = client.post(f"/api/v1/lineage{path}", json=body)
    assert answer.status_code == expected, answer.text
    return answer.json()


def reading_headers(client: TestClient) -> dict[str, str]:
    """Of a new token that may only read."""
    name = f"reader {uuid4().hex[:8]}"  # a server may serve several tests
    made = client.post("/api/v1/tokens", json={"name": name, "scope": "read"})
    return {"authorization": f"Bearer {made.json()['token']}"}
