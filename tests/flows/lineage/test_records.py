from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from version_world import VersionWorld, make_world

from forge.flows.lineage.records import RecordOrigin, RowMatch, trace_record
from forge.flows.runs.records import TableLineage
from forge.lineage.edge import Edge, Transformation
from forge.model.errors import ForgeError
from forge.model.names import ColumnName, RunId, TableName

SUM = Transformation.AGGREGATION


def edge(source: str, target: str, how: Transformation = Transformation.IDENTITY) -> Edge:
    (table, _, column), (other, _, name) = source.rpartition("."), target.rpartition(".")
    return Edge(source=ColumnName(table, column), target=ColumnName(other, name), transformation=how)


def saw(traced_world: VersionWorld, table: str, *edges: Edge) -> None:
    """What the run that wrote the newest version saw."""
    version = traced_world.version(table)
    assert version is not None
    run = traced_world.ports.metadata.run(RunId(version.run_id or ""))
    assert run is not None
    traced_world.ports.metadata.finish_run(run, (), (), (TableLineage(TableName.parse(table), edges),))


@pytest.fixture
def traced_world(tmp_path: Path) -> Iterator[VersionWorld]:
    """Two orders of one customer, cleaned row by row, then summed by customer."""
    traced_world = make_world(tmp_path)
    raw = [{"id": 1, "customer": 7, "amount": 10}, {"id": 2, "customer": 7, "amount": 5}]
    traced_world.commit_rows("raw.orders", raw)
    saw(
        traced_world, "raw.orders", *(edge(f"files:o.csv.{c}", f"raw.orders.{c}") for c in ("id", "customer", "amount"))
    )
    traced_world.commit_rows(
        "core.orders", [{"id": r["id"], "customer": r["customer"], "cents": r["amount"] * 100} for r in raw]
    )
    saw(
        traced_world,
        "core.orders",
        edge("raw.orders.id", "core.orders.id"),
        edge("raw.orders.customer", "core.orders.customer"),
        edge("raw.orders.amount", "core.orders.cents", Transformation.TRANSFORMATION),
    )
    traced_world.commit_rows("marts.customers", [{"customer": 7, "total": 1500}])
    saw(
        traced_world,
        "marts.customers",
        edge("core.orders.customer", "marts.customers.customer"),
        edge("core.orders.cents", "marts.customers.total", SUM),
    )
    yield traced_world
    traced_world.close()


def trace(traced_world: VersionWorld, table: str, **where: str) -> RecordOrigin:
    return trace_record(traced_world.ports, TableName.parse(table), where)


def test_a_record_that_was_copied_comes_from_one_record(traced_world: VersionWorld) -> None:
    found = trace(traced_world, "core.orders", id="2")
    (raw,) = found.origins
    assert (raw.table, raw.match) == ("raw.orders", RowMatch.ONE)
    assert raw.rows == ({"id": 2, "customer": 7, "amount": 5},)
    assert raw.by == {"id": 2, "customer": 7}
    assert raw.fields["cents"] == ("amount",)
    (file,) = raw.origins
    assert (file.table, file.match) == ("files:o.csv", RowMatch.OUTSIDE)


def test_a_sum_comes_from_all_the_records_of_its_group(traced_world: VersionWorld) -> None:
    (core,) = trace(traced_world, "marts.customers", customer="7").origins
    assert (core.match, len(core.rows)) == (RowMatch.SEVERAL, 2)
    assert core.origins == ()


@pytest.mark.slow
def test_one_value_has_its_own_way(traced_world: VersionWorld) -> None:
    found = trace_record(traced_world.ports, TableName.parse("core.orders"), {"id": "1"}, column="cents")
    (raw,) = found.origins
    assert raw.fields == {"cents": ("amount",)}
    assert raw.rows[0]["amount"] == 10


def test_versions_and_commits_are_named(traced_world: VersionWorld) -> None:
    found = trace(traced_world, "core.orders", id="1")
    assert (found.version, found.origins[0].version) == (1, 1)
    assert found.commit is not None
    log = traced_world.ports.metadata.log(traced_world.head(), table=TableName.parse("core.orders"))  # type: ignore[arg-type]
    assert found.commit.id == log[0].id


@pytest.mark.slow
def test_the_past_is_asked_by_its_commit(traced_world: VersionWorld) -> None:
    before = traced_world.head()
    traced_world.commit_rows("core.orders", [{"id": 1, "customer": 7, "cents": 1}], mode="overwrite")
    saw(traced_world, "core.orders")
    found = trace_record(traced_world.ports, TableName.parse("core.orders"), {"id": "2"}, at=str(before))
    assert found.origins[0].match is RowMatch.ONE
    with pytest.raises(ForgeError, match="E814"):
        trace(traced_world, "core.orders", id="2")


def test_no_record_or_several_are_refused(traced_world: VersionWorld) -> None:
    for where in ({"id": "99"}, {"customer": "7"}, {}):
        with pytest.raises(ForgeError, match="E814"):
            trace_record(traced_world.ports, TableName.parse("core.orders"), where)


def test_personal_data_is_neither_shown_nor_used_to_find(traced_world: VersionWorld) -> None:
    traced_world.flag("raw.orders", "customer")
    found = trace(traced_world, "core.orders", id="2")
    assert found.rows[0]["customer"] is None
    assert found.origins[0].by == {"id": 2}
    assert found.origins[0].rows[0]["customer"] is None
