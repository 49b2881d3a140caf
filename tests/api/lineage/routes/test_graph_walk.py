"""One GET of lineage goes the way that docs/architecture.md shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient
from recorded_walk import assert_walk, record_calls, walks

# The test's client calls the middleware; a route has a thread of its own.
OWN_THREADS = {"api/middleware.py", "api/lineage/routes/graph.py"}


def test_a_question_goes_the_way_that_is_written(site_project: Path, make_app: Any, login: str) -> None:
    def ask() -> None:
        headers = {"authorization": f"Bearer {login}"}
        with TestClient(make_app(site_project), base_url="http://127.0.0.1:8765", headers=headers) as client:
            answer = client.get("/api/v1/lineage/graph", params={"root_id": "marts.revenue.revenue"})
        assert answer.status_code == 200, answer.text

    assert_walk(walks()["A question"], record_calls(ask), OWN_THREADS)
