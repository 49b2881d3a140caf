"""`--level`: a column by table, schema or system has only what it comes from and goes to; in Python and HTTP alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from migrated import lay_database

import forge as package
from forge.api.app import create_app
from forge.flows.upkeep.access import digest_of
from forge.settings import load_settings
from forge.wiring import Wiring

CODE = """\
CREATE TABLE core.orders AS SELECT o.amount * c.rate AS amount, o.country
  FROM raw.orders o JOIN raw.countries c ON o.country = c.code;
CREATE TABLE marts.country_performance AS SELECT c.name, SUM(o.amount) AS revenue
  FROM core.orders o JOIN raw.countries c ON o.country = c.code GROUP BY c.name;
CREATE TABLE share.names AS SELECT name FROM marts.country_performance;
CREATE TABLE share.money AS SELECT revenue FROM marts.country_performance;
"""
NAME, RATE = "marts.country_performance.name", "raw.countries.rate"
CASES = [
    ("upstream", NAME, "table", {"raw.countries"}),
    ("upstream", NAME, "schema", {"schema:raw"}),
    ("upstream", "share.names.name", "schema", {"schema:marts", "schema:raw"}),
    ("upstream", "marts.country_performance", "table", {"core.orders", "raw.countries", "raw.orders"}),
    ("downstream", NAME, "table", {"share.names"}),
    ("downstream", RATE, "table", {"core.orders", "marts.country_performance", "share.money"}),
    ("downstream", RATE, "schema", {"schema:core", "schema:marts", "schema:share"}),
    ("both", NAME, "table", {"raw.countries", "share.names"}),
    ("both", NAME, "system", set()),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("levels")
    (root / "forge.yaml").write_text("project: shop\nuser: {name: Ada, email: ada@example.com}\n")
    lay_database(root / ".forge" / "forge.db")
    (root / "jobs").mkdir()
    (root / "jobs" / "all.sql").write_text(CODE)
    with package.connect(root) as f:
        f.lineage.ingest(root / "jobs")
    return root


@pytest.mark.parametrize(("direction", "name", "level", "found"), CASES)
def test_a_level_shows_what_the_walk_reached(
    forge: Any, root: Path, direction: str, name: str, level: str, found: set[str]
) -> None:
    words = ("lineage", "show") if direction == "both" else (direction,)
    document = forge(*words, name, "--level", level, "--json", "--project", str(root)).json
    assert {item["id"] for item in document["items"]} == found
    with package.connect(root) as f:
        walked = getattr(f.lineage, direction)(name, level=level)
        assert {item.name for item in walked.items} == found
    wiring = Wiring(load_settings(root, {"HOME": "/nowhere"}))
    app = create_app(wiring, login_digest=digest_of("forge_secret"))
    with TestClient(app, base_url="http://127.0.0.1:8765", headers={"authorization": "Bearer forge_secret"}) as client:
        address = "/api/v1/lineage/graph"
        answer = client.get(address, params={"root_id": name, "direction": direction, "level": level}).json()
    start = "system:lake" if level == "system" else None
    assert {node["id"] for node in answer["nodes"]} - {start, _seen(name, level)} == found


def _seen(name: str, level: str) -> str:
    schema, table, *_ = name.split(".")
    return f"{schema}.{table}" if level == "table" else f"schema:{schema}"
