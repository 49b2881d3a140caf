"""Rows to look at, of what Spark wrote: a view, files with deletes, personal data found by lineage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from forge.connection import Connection
from forge.flows.catalog.sample import Sample, sample_rows
from forge.model.names import TableName

pytestmark = pytest.mark.spark

PROJECT = {
    "transforms/raw/people.sql": """
        SELECT id, concat(' P', id, '@X.example ') AS mail, named_struct('a', id, 'b', array('x')) AS parts,
            map('k', CAST(1.50 AS DECIMAL(4, 2))) AS prices
        FROM range(5)
        """,
    "transforms/core/people.sql": "SELECT id, lower(trim(mail)) AS email FROM raw.people",
    "transforms/marts/people.sql": """\
        /* forge
        kind: view
        */
        SELECT id, email AS address, sha2(email, 256) AS hashed FROM core.people
        """,
    "contracts/people.odcs.yaml": """
        apiVersion: v3.0.2
        kind: DataContract
        id: people
        name: people
        version: 1.0.0
        status: active
        schema:
          - name: people
            physicalName: core.people
            properties:
              - {name: id, logicalType: integer, physicalType: bigint}
              - {name: email, logicalType: string, physicalType: string, classification: pii}
        """,
}


def sample(project: Connection, table: str, at: str = "HEAD") -> Sample:
    wiring = project.wiring
    return sample_rows(
        wiring.metadata,
        wiring.lake,
        lambda: wiring.engine,
        wiring.catalog.personal_at,
        TableName.parse(table),
        at,
        default=project.current,
        limit=3,
    )


def test_personal_data_is_hidden_before_and_after_the_flagged_column_and_a_view_is_read_by_spark(
    make_project: Callable[..., Any],
) -> None:
    project = make_project(PROJECT)
    project.run().raise_for_status()
    raw, core, view = (sample(project, name) for name in ("raw.people", "core.people", "marts.people"))
    assert [set(found.masked) for found in (raw, core, view)] == [{"mail"}, {"email"}, {"address"}]
    tree = project.wiring.metadata.tree(view.commit_id)
    assert tree[TableName("marts", "people")].kind == "view"
    assert all(found.truncated and len(found.rows) == 3 for found in (raw, core, view))
    assert [row[1] for found in (raw, core, view) for row in found.rows] == [None] * 9
    assert all(len(str(row[2])) == 64 for row in view.rows), "a hash may be seen"
    from forge.api.rows import plain

    number = raw.rows[0][0]
    assert [plain(value) for value in raw.rows[0][2:]] == [{"a": number, "b": ["x"]}, {"k": "1.50"}]


def test_rows_that_were_deleted_beside_their_file_are_not_shown(make_project: Callable[..., Any]) -> None:
    project = make_project({"transforms/raw/people.sql": "SELECT id FROM range(4)"})
    project.run().raise_for_status()
    table = "forge.raw.people"
    project.spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    project.spark.sql(f"DELETE FROM {table} WHERE id = 2")
    version = project.wiring.metadata.tree(project.wiring.branch_head(project.current))[TableName("raw", "people")]
    state = project.wiring.lake.snapshot(version.catalog)
    assert state is not None
    assert state.snapshot_id != version.snapshot_id
    rows = project.wiring.lake.rows(version.catalog, state.snapshot_id, ["id"], 10)
    assert sorted(row[0] for row in rows or ()) == [0, 1, 3]
    before = project.wiring.lake.rows(version.catalog, version.snapshot_id, ["id"], 10)
    assert sorted(row[0] for row in before or ()) == [0, 1, 2, 3]
