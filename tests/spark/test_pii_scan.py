"""Scans of what Spark wrote: a view, a large table in one job, and personal data along lineage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from forge.catalog.pii.review import ReviewState
from forge.flows.catalog.pii.reviews import review_finding
from forge.flows.catalog.pii.scan import scan_tables
from forge.model.names import TableName

pytestmark = pytest.mark.spark

PROJECT = {
    "forge.yaml": "project: shop\ncatalog: {follow: false}\n",
    "transforms/raw/people.sql": "SELECT id, concat('person', id, '@x.example') AS mail FROM range(0, 400, 1, 4)",
    "transforms/core/people.sql": """
        SELECT id, concat('<', mail, '> ', id) AS line, sha2(mail, 256) AS hashed, count(mail) OVER () AS many
        FROM raw.people
        """,
    "transforms/marts/people.sql": """\
        /* forge
        kind: view
        */
        SELECT id, mail AS x FROM raw.people
        """,
}
RAW, CORE, VIEW = (TableName(schema, "people") for schema in ("raw", "core", "marts"))


def test_findings_of_tables_views_and_lineage(
    make_project: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(PROJECT)
    project.run().raise_for_status()
    monkeypatch.setattr("forge.flows.catalog.small_tables.SMALL_ROWS", 10)  # tables are large: Spark reads them
    pii = project.wiring.catalog.pii
    scans = scan_tables([RAW, VIEW], pii.scan_ports())
    assert [(one.outcome, one.rows, one.complete) for one in scans] == [("scanned", 400, True)] * 2
    found = {f"{one.table}.{one.column}": one for one in pii.findings.findings()}
    assert {name: (one.type, str(one.origin)) for name, one in found.items()} == {
        "raw.people.mail": ("email", "scan"),
        "marts.people.x": ("email", "scan"),
        "core.people.line": ("email", "lineage"),
    }
    assert found["core.people.line"].path == ("raw.people.mail", "core.people.line")
    personal = project.wiring.catalog.personal_at()
    assert (personal.of(RAW), personal.of(CORE), personal.of(VIEW)) == ({"mail"}, {"line"}, {"x"})
    ports = pii.review_ports("ada")
    review_finding(found["core.people.line"].id, ReviewState.REJECTED, ports)
    assert project.wiring.catalog.personal_at().of(CORE) == frozenset()
    review_finding(found["raw.people.mail"].id, ReviewState.REJECTED, ports)
    review_finding(found["marts.people.x"].id, ReviewState.REJECTED, ports)
    assert project.wiring.catalog.personal_at().of(RAW) == frozenset()
    assert scan_tables([RAW, VIEW], pii.scan_ports())[0].outcome == "unchanged"


def test_a_value_that_spark_fails_on_is_in_no_message(make_project: Callable[..., Any], caplog: Any) -> None:
    project = make_project(
        {
            "forge.yaml": "project: shop\ncatalog: {follow: false}\n",
            "transforms/raw/texts.sql": "SELECT concat('secret', id) AS text FROM range(20)",
            "transforms/marts/numbers.sql": """\
                /* forge
                kind: view
                */
                SELECT CAST(text AS INT) AS number FROM raw.texts
                """,
        }
    )
    project.run().raise_for_status()
    (failed,) = scan_tables([TableName("marts", "numbers")], project.wiring.catalog.pii.scan_ports())
    assert (failed.outcome, "FORGE-E872" in str(failed.error)) == ("failed", True)
    assert "secret" not in str(failed.error) + caplog.text
