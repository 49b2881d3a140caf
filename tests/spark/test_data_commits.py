"""Commits of data that only Spark can make: queries, frames, and keys that lie in large files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest

from forge.connection import Connection
from forge.flows.versioning.blame import blame
from forge.flows.versioning.data.commit import CommitMode, CommitRequest, CommitResult, commit_data
from forge.flows.versioning.diff import diff
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.time_travel import masked_pin, travel
from forge.model.errors import ForgeError
from forge.model.names import TableName

pytestmark = pytest.mark.spark

ORDERS, TOTALS = TableName.parse("core.orders"), TableName.parse("core.totals")
Commit = Callable[..., CommitResult]


@pytest.fixture
def project(make_project: Callable[..., Connection]) -> Connection:
    project = make_project()
    rows = pa.table({"id": [1, 2, 3], "amount": [10, 20, 30], "city": ["Ulm", "Ulm", "Bonn"]})
    commit_data(CommitRequest(table=ORDERS, branch="main", key=("id",), rows=rows), project.wiring.versioning.ports())
    return project


def rows_of(ports: VersionPorts, table: TableName) -> set[tuple[object, ...]]:
    return set(travel(ports, table, "main").rows)


def test_a_query_makes_a_table_and_its_lineage(project: Connection) -> None:
    ports = project.wiring.versioning.ports()
    sql = "SELECT city, sum(amount) AS total FROM core.orders GROUP BY city"
    result = commit_data(CommitRequest(table=TOTALS, branch="main", key=("city",), sql=sql), ports)
    assert rows_of(ports, TOTALS) == {("Ulm", 30), ("Bonn", 30)}
    assert (result.statistics.rows_added, result.statistics.record_count) == (2, 2)
    ((_, lineage),) = ports.metadata.lineage([result.run_id])
    assert {(str(e.source), str(e.target)) for e in lineage.edges} == {
        ("core.orders.city", "core.totals.city"),
        ("core.orders.amount", "core.totals.total"),
    }


@pytest.mark.parametrize("way", ["sql", "frame", "rows"])
def test_a_merge_by_key_on_spark_counts_what_changed(project: Connection, way: str) -> None:
    ports = replace(project.wiring.versioning.ports(), small_bytes=0)
    sql = "SELECT * FROM VALUES (2L, 21L, 'Ulm'), (3L, 30L, 'Bonn'), (4L, 40L, 'Kiel') AS t(id, amount, city)"
    given = {
        "sql": {"sql": sql},
        "frame": {"frame": project.spark.sql(sql)},
        "rows": {"rows": pa.table({"id": [2, 3, 4], "amount": [21, 30, 40], "city": ["Ulm", "Bonn", "Kiel"]})},
    }[way]
    request = CommitRequest(table=ORDERS, branch="main", mode=CommitMode.MERGE, **given)
    found = commit_data(request, ports).statistics
    assert (found.rows_added, found.rows_modified, found.rows_deleted, found.record_count) == (1, 1, 0, 4)
    assert rows_of(ports, ORDERS) == {(1, 10, "Ulm"), (2, 21, "Ulm"), (3, 30, "Bonn"), (4, 40, "Kiel")}
    (change,) = diff(ports, "main~1", "main")
    assert [(str(row.kind), row.key["id"]) for row in change.rows.rows] == [("updated", 2), ("inserted", 4)]
    (row,) = blame(ports, ORDERS, key={"id": 2}).rows
    assert row.cells["amount"].run_id != row.cells["city"].run_id


def test_a_delete_by_query(project: Connection) -> None:
    ports = project.wiring.versioning.ports()
    sql = "SELECT id FROM core.orders WHERE city = 'Ulm'"
    found = commit_data(CommitRequest(table=ORDERS, branch="main", mode=CommitMode.DELETE, sql=sql), ports).statistics
    assert (found.rows_deleted, found.record_count) == (2, 1)


def test_a_query_that_changes_nothing_is_no_commit(project: Connection) -> None:
    ports = project.wiring.versioning.ports()
    head = project.wiring.branch_head(project.wiring.default_branch)
    request = CommitRequest(table=ORDERS, branch="main", mode=CommitMode.MERGE, sql="SELECT * FROM core.orders")
    with pytest.raises(ForgeError) as caught:
        commit_data(request, ports)
    assert caught.value.code == "E627"
    assert project.wiring.branch_head(project.wiring.default_branch) == head
    assert ports.lake.stages() == ()


def test_an_unknown_table_in_a_query_is_refused(project: Connection) -> None:
    request = CommitRequest(table=TOTALS, branch="main", sql="SELECT * FROM core.order")
    with pytest.raises(ForgeError) as caught:
        commit_data(request, project.wiring.versioning.ports())
    assert (caught.value.code, caught.value.why) == ("E108", "Did you mean core.orders?")


def test_time_travel_with_sql_reads_the_version_and_no_personal_data(project: Connection) -> None:
    ports = project.wiring.versioning.ports()
    commit_data(CommitRequest(table=ORDERS, branch="main", rows=pa.table({"id": [9], "city": ["Kiel"]})), ports)
    sql = "SELECT count(*) AS n, max(city) AS c FROM data"
    assert travel(ports, ORDERS, "core.orders@v1", sql=sql).rows == ((3, "Ulm"),)
    pin = project.wiring.versioning.reader().pin(ORDERS, "core.orders@v1")
    masked, names = masked_pin(ports, pin, frozenset({"city"}))
    _, rows = ports.engine().query("SELECT count(*), max(city) FROM core.orders", {ORDERS: masked}, {}, None)
    assert names == frozenset({"city"})
    assert rows == ((3, None),)
