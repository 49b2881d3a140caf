"""The description of the API: fresh for the web app, and honest about errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_web_app_has_the_newest_description() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "openapi.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_every_operation_has_a_name_a_summary_and_its_errors(app: FastAPI) -> None:
    document = app.openapi()
    found = [(method, op) for path in document["paths"].values() for method, op in path.items()]
    names = [operation["operationId"] for _, operation in found]
    assert len(names) == len(set(names)) >= 20
    assert all(name.isidentifier() and name.islower() for name in names)
    for method, operation in found:
        assert operation["summary"]
        problems = {
            s for s, r in operation["responses"].items() if list(r.get("content", ())) == ["application/problem+json"]
        }
        assert {"401", "403", "404", "422", "500", "503"} <= problems
        assert ("409" in problems) == (method not in ("get", "head"))
        assert all(status in problems for status in operation["responses"] if status >= "4")


def test_every_reference_leads_somewhere_and_all_ways_to_sign_in_are_named(app: FastAPI) -> None:
    import json
    import re

    document = app.openapi()
    known = set(document["components"]["schemas"])
    used = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))
    assert used <= known
    assert "HTTPValidationError" not in known
    assert set(document["components"]["securitySchemes"]) == {"token", "key", "session"}


def test_the_document_is_open(anonymous: TestClient, app: FastAPI) -> None:
    assert anonymous.get("/openapi.json").json()["paths"].keys() == app.openapi()["paths"].keys()


@pytest.mark.parametrize("path", ["/api/v1/runs/", "/api/v1/branches/", "/api/v1/branches/main/commits/"])
def test_a_slash_at_the_end_changes_nothing(client: TestClient, path: str) -> None:
    assert client.get(path).json() == client.get(path.rstrip("/")).json()
