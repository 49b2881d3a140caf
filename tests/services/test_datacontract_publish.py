"""The real datacontract-cli against a real server: it publishes results of tests, and reads a contract from it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_forge import Live, start_forge

pytestmark = pytest.mark.services

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:shop:orders
name: orders
version: 1.0.0
status: active
servers:
  - {server: files, type: local, path: orders.csv, format: csv}
schema:
  - name: orders
    physicalName: orders
    properties:
      - {name: id, logicalType: integer, required: true, unique: true}
      - {name: amount, logicalType: number}
"""
PATH = "/api/v1/contracts/results"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    root = tmp_path_factory.mktemp("datacontract")
    (root / "forge.yaml").write_text("project: shop\nuser: {name: Ada, email: ada@example.com}\n")
    (root / "orders.odcs.yaml").write_text(CONTRACT)
    (root / "orders.csv").write_text("id,amount\n1,2.5\n2,3\n")
    server = start_forge(root, root / "stderr")
    with server.api() as api:
        put = api.put("/contracts/urn:shop:orders", content=CONTRACT, headers={"content-type": "application/yaml"})
        assert put.status_code == 201, put.text
    yield server
    server.stop()


def datacontract(live: Live, *words: str, key: str | None) -> subprocess.CompletedProcess[str]:
    """The tool hands its key only to the host that it knows as its platform."""
    known = {"ENTROPY_DATA_HOST": live.address, "ENTROPY_DATA_API_KEY": key} if key else {}
    environ = {"PATH": os.environ["PATH"], "HOME": str(live.root), "COLUMNS": "200", **known}
    command = [str(Path(sys.executable).parent / "datacontract"), *words]
    return subprocess.run(command, cwd=live.root, env=environ, capture_output=True, text=True, timeout=120)


def results(live: Live) -> list[dict[str, object]]:
    with live.api() as api:
        found: list[dict[str, object]] = api.get("/contracts/urn:shop:orders/results").json()["items"]
    return found


def test_a_test_publishes_what_it_found(live: Live) -> None:
    url = f"{live.address}{PATH}"
    done = datacontract(live, "test", "orders.odcs.yaml", "--publish", url, key=live.token)
    said = done.stdout + done.stderr
    assert "Error publishing" not in said, said
    assert "Failed publishing" not in said, said
    assert f"{live.address}/contracts/urn%3Ashop%3Aorders" in said  # where to look at them
    (run,) = results(live)
    checks = run["checks"]
    assert isinstance(checks, list)
    assert (run["contract_id"], run["version"], run["server"]) == ("urn:shop:orders", "1.0.0", "files")
    assert str(run["tool"]).startswith("datacontract-cli 1.")
    assert len(checks) >= 4
    assert run["result"] == "passed", checks
    assert any(check["column"] == "id" for check in checks)
    with live.api() as api:
        assert api.get("/contracts/orders").json()["last_test"]["id"] == run["id"]


def test_without_a_token_nothing_is_taken_and_the_tool_says_so(live: Live) -> None:
    before = len(results(live))
    done = datacontract(live, "test", "orders.odcs.yaml", "--publish", f"{live.address}{PATH}", key=None)
    assert "FORGE-E903" in done.stdout + done.stderr
    assert len(results(live)) == before


def test_the_tool_reads_a_contract_from_the_server(live: Live) -> None:
    address = f"{live.address}/api/v1/contracts/orders?format=yaml"
    done = datacontract(live, "lint", address, key=live.token)
    assert done.returncode == 0, done.stdout + done.stderr
