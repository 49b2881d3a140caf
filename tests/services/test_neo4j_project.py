"""A project that lets Neo4j answer: the settings, the terminal, and a publish that feeds it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from neo4j_server import PASSWORD, USER
from recorded_history import write_history

from forge.wiring import Wiring

if TYPE_CHECKING:
    from neo4j_server import Neo4jServer

pytestmark = pytest.mark.services("neo4j")

SETTINGS = """project: shop
lineage:
  store: neo4j
  neo4j: {{url: "{url}", user: {user}, password: "env:GRAPH_PASSWORD"}}
"""


@pytest.fixture
def project(neo4j_server: Neo4jServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRAPH_PASSWORD", PASSWORD)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    neo4j_server.empty()
    root = tmp_path / "shop"
    root.mkdir()
    (root / "forge.yaml").write_text(SETTINGS.format(url=neo4j_server.url, user=USER))
    wiring = Wiring.of(root)
    write_history(wiring)
    wiring.close()
    return root


def forge(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "forge.cli.main", *words, "--project", str(root)]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ.copy(), timeout=120)


def test_a_publish_feeds_the_server_at_once(project: Path, neo4j_server: Neo4jServer) -> None:
    with neo4j_server.driver() as driver:
        found, _, _ = driver.execute_query(
            "MATCH (:Column {qualified_name: 'marts.revenue.revenue'})-[e:DERIVED_FROM]->(c:Column) "
            "RETURN c.qualified_name AS name, e.transformation AS how, e.confidence AS sure"
        )
    assert [(row["name"], row["how"], row["sure"]) for row in found] == [("raw.orders.amount", "aggregation", 1.0)]


def test_it_answers_as_the_record_does(project: Path) -> None:
    words = ("upstream", "revenue.revenue", "--json")
    there = json.loads(forge(project, *words).stdout)
    file = project / "forge.yaml"
    file.write_text(file.read_text().replace("store: neo4j", "store: sql"))
    here = json.loads(forge(project, *words).stdout)
    assert [item["id"] for item in there["items"]] == ["raw.orders.amount", "files:data/*.csv.amount"]
    assert there == here


def test_a_server_that_does_not_answer_is_named_and_nothing_is_lost(project: Path, neo4j_server: Neo4jServer) -> None:
    file = project / "forge.yaml"
    file.write_text(file.read_text().replace(neo4j_server.url, "bolt://127.0.0.1:1"))
    said = forge(project, "upstream", "marts.revenue")
    assert (said.returncode, "FORGE-E811" in said.stderr, PASSWORD in said.stderr) == (5, True, False)
    file.write_text(file.read_text().replace("store: neo4j", "store: sql"))
    assert forge(project, "upstream", "marts.revenue").returncode == 0
