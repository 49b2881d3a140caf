"""A run on Spark tells of itself by OpenLineage, and another Forge that is told so knows the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from migrated import lay_database
from shop_project import SHOP, MakeProject, statuses, write

from forge.connection import Connection
from forge.flows.lineage.openlineage.ingest import ingest_event
from forge.flows.lineage.reader import open_graph
from forge.lineage.kind import EdgeType
from forge.settings import load_settings
from forge.wiring import Wiring

pytestmark = pytest.mark.spark


def edges_of(wiring: Wiring) -> set[tuple[str, str, str]]:
    """Direct and indirect, without what the standard has no words for."""
    open_graph(wiring.lineage.graph)
    facts = [
        fact
        for fact in wiring.lineage.graph.store.edge_facts()
        if fact.kind.type is not EdgeType.EXECUTES and not fact.kind.parallel
        if fact.valid_to is None
    ]
    found = {(fact.source.id, fact.target.id, fact.kind.word) for fact in facts}
    # A source reads `files:data/…`; in the standard that is the namespace file.
    return {(source.removeprefix("files:"), target, word) for source, target, word in found}


def test_another_forge_that_is_told_of_a_run_knows_its_edges(make_project: MakeProject, tmp_path: Path) -> None:
    project: Connection = make_project(SHOP, **{"lineage.openlineage.file": "events.ndjson"})
    report = project.run()
    assert set(statuses(report).values()) == {"published"}
    told = [json.loads(line) for line in (project.wiring.root / "events.ndjson").read_text().splitlines()]
    other = tmp_path / "other"
    other.mkdir()
    (other / "forge.yaml").write_text("user: {name: Bob}\n")
    lay_database(other / ".forge" / "forge.db")
    wiring = Wiring(load_settings(other, {"PATH": "", "HOME": "/nowhere"}))
    for event in told:
        ingest_event(wiring.lineage.openlineage, event)
    known, own = edges_of(wiring), edges_of(project.wiring)
    wiring.close()
    checks = {edge for edge in known if edge[1].startswith("process:")}
    assert own
    assert known - checks == own
    assert checks == {("core.orders", "process:forge/core.orders.checks", "consumes")}


def test_a_blocked_table_is_told_of_with_its_checks(make_project: MakeProject) -> None:
    project: Connection = make_project(SHOP, **{"lineage.openlineage.file": "events.ndjson"})
    write(project, "data/orders/2.csv", "id,customer,amount,day\n3,a,-5.00,2026-11-02\n")
    project.run()
    told = [json.loads(line) for line in (project.wiring.root / "events.ndjson").read_text().splitlines()]
    ends = {one["job"]["name"]: one for one in told if one["eventType"] != "START"}
    assert ends["core.orders"]["eventType"] == "FAIL"
    assert ends["raw.orders"]["eventType"] == "COMPLETE"
    facet = ends["core.orders.checks"]["inputs"][0]["inputFacets"]["dataQualityAssertions"]
    assert [(one["assertion"], one["column"], one["success"]) for one in facet["assertions"]] == [
        ("range", "amount", False)
    ]
