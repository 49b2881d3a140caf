"""A site with two tables and two views in its catalog, one of which has personal data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient

from forge.flows.runs.records import AssetRecord, Publication, PublishedCommit, RunRecord, RunStatus, TableLineage
from forge.lineage.edge import Edge, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.model.names import BranchName, CatalogName, ColumnName, RunId, TableName
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.versioning.commit import Author, TableStatistics, TableVersion, make_commit
from forge.wiring import Wiring

MAIN = BranchName("main")
LATER = datetime(2026, 11, 17, 6, 10, tzinfo=UTC)
STAFF, NAMES = TableName("hr", "staff"), TableName("hr", "staff_names")


def problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    found: dict[str, Any] = response.json()
    assert (response.status_code, found["code"]) == (status, f"FORGE-{code}"), response.text
    return found


def add_views(wiring: Wiring) -> None:
    """Two views on top of raw.orders, one with personal data, by a run of their own."""
    metadata = wiring.metadata
    head = metadata.branch(MAIN)
    assert head is not None
    assert head.head is not None
    views = {
        table: TableVersion(
            catalog=CatalogName(*str(table).split(".")),
            uuid="u",
            snapshot_id=None,
            schema_id=0,
            kind="view",
            metadata_location="x",
            run_id="r4",
        )
        for table in (STAFF, NAMES)
    }
    tree = {**metadata.tree(head.head), **views}
    staff = AssetRecord(
        table=STAFF,
        kind="view",
        description="Who works here",
        owner="hr@example.com",
        tags=("silver", "pii"),
        columns=(
            {"name": "id", "type": "bigint", "description": "", "pii": False},
            {"name": "fullName", "type": "string", "description": "First and last", "pii": True},
        ),
        updated_at=LATER,
    )
    columns = ({"name": "who", "type": "string", "description": "", "pii": False},)
    names = replace(staff, table=NAMES, description="", tags=("silver",), columns=columns)
    edges = (
        Edge(
            source=ColumnName("raw.orders", "amount"),
            target=ColumnName("hr.staff", "id"),
            transformation=Transformation.TRANSFORMATION,
            expression="a",
        ),
        Edge(source=ColumnName("files:x", "id"), target=ColumnName("hr.staff", "id")),
    )
    lineage = (
        TableLineage(
            STAFF, edges, (IndirectEdge(ColumnName("marts.revenue", "revenue"), "hr.staff", IndirectType.FILTER),)
        ),
        TableLineage(
            NAMES,
            (Edge(source=ColumnName("hr.staff", "fullName"), target=ColumnName("hr.staff_names", "who")),),
            table_edges=(TableEdge("hr.staff", "hr.staff_names"),),
        ),
    )
    commit = make_commit(
        tree=tree,
        parents=(head.head,),
        author=Author("Ada", "ada@example.com"),
        message="Staff",
        time=LATER,
        branch=MAIN,
        statistics={STAFF: TableStatistics(), NAMES: TableStatistics()},
        metadata={"run_id": "r4"},
    )
    run = RunRecord(
        id=RunId("r4"),
        branch=MAIN,
        status=RunStatus.SUCCEEDED,
        started_at=LATER,
        user="ada",
        host="host",
        pid=1,
        process_started="",
        commit_id=commit.id,
    )
    passed = Verdict(
        check_id="k1",
        check_type="range",
        table="hr.staff",
        columns=("id",),
        outcome=Outcome.PASSED,
        severity=Severity.ERROR,
        message="fine",
        blocks=False,
    )
    warned = Verdict(
        check_id="k2",
        check_type="range",
        table="hr.staff_names",
        columns=("WHO",),
        outcome=Outcome.FAILED,
        severity=Severity.WARNING,
        message="hm",
        blocks=False,
    )
    publication = Publication(
        pointers=(),
        branch=MAIN,
        expected_head=head.head,
        commit=commit,
        tree=tree,
        run=run,
        verdicts=(passed, warned),
        lineage=lineage,
        assets=(staff, names),
    )
    assert isinstance(metadata.publish(publication, lambda step: None), PublishedCommit)


@contextmanager
def open_catalog(root: Path, login: str) -> Iterator[tuple[Wiring, TestClient]]:
    from forge.api.app import create_app
    from forge.flows.upkeep.access import digest_of

    wiring = Wiring.of(root, clock=lambda: LATER + timedelta(hours=6))
    add_views(wiring)
    app: FastAPI = create_app(wiring, login_digest=digest_of(login))
    with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False) as client:
        client.headers["authorization"] = f"Bearer {login}"
        yield wiring, client
