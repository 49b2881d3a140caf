"""Assets of Dagster as claims: names, tables, columns, and what is newest."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from forge.lineage.extract.dagster import DagsterAsset, DagsterColumn, batches_of_assets
from forge.lineage.facts.claim import ClaimBatch
from forge.lineage.facts.evidence import Basis

NOW = datetime(2026, 11, 16, 8, tzinfo=UTC)
RAW, CORE = ("raw", "orders"), ("core", "orders")


def batches(*assets: DagsterAsset, known: frozenset[str] = frozenset()) -> dict[str, ClaimBatch]:
    return {batch.producer: batch for batch in batches_of_assets(assets, NOW, known=known)}


def edges(batch: ClaimBatch) -> set[str]:
    return {claim.key.id for claim in batch.edges}


def test_a_dependency_is_an_edge_between_tables() -> None:
    found = batches(DagsterAsset(key=CORE, deps=(RAW,)))["dagster-assets:core/orders"]
    assert edges(found) == {"raw.orders->core.orders#derived"}
    assert (found.at, found.edges[0].evidence[0].basis) == (NOW, Basis.DECLARED)


def test_a_materialization_has_its_time_and_its_run() -> None:
    at = NOW - timedelta(hours=1)
    found = batches(DagsterAsset(key=CORE, deps=(RAW,), run_id="r1", at=at))["dagster:core/orders"]
    assert (found.at, found.edges[0].evidence[0].basis) == (at, Basis.OBSERVED)
    assert found.edges[0].evidence[0].run_id == "r1"


def test_columns_come_with_their_sources_and_their_tables() -> None:
    told = DagsterAsset(key=CORE, lineage={"order_id": ((RAW, "id"),), "cents": ((RAW, "amount"), (CORE, "cents"))})
    assert edges(batches(told)["dagster-assets:core/orders"]) == {
        "raw.orders->core.orders#derived",
        "raw.orders.id->core.orders.order_id#derived",
        "raw.orders.amount->core.orders.cents#derived",
    }


def test_an_asset_that_names_its_table_is_that_table_wherever_it_is_named() -> None:
    found = batches(
        DagsterAsset(key=RAW, table="shop.public.orders"),
        DagsterAsset(key=CORE, deps=(RAW,), table="lake.core.all_orders"),
    )
    assert edges(found["dagster-assets:core/orders"]) == {"shop.public.orders->core.all_orders#derived"}


def test_of_one_asset_the_newest_materialization_counts() -> None:
    old = DagsterAsset(key=CORE, deps=(("raw", "old"),), at=NOW - timedelta(hours=2))
    new = DagsterAsset(key=CORE, deps=(RAW,), at=NOW - timedelta(hours=1))
    assert edges(batches(new, old)["dagster:core/orders"]) == {"raw.orders->core.orders#derived"}


def test_what_is_known_of_an_asset_is_on_its_node_unless_the_lake_knows_better() -> None:
    told = DagsterAsset(key=CORE, columns=(DagsterColumn("id", "int"),), group="shop", owners=("ada@example.com",))
    nodes = {node.entity.id: node.details for node in batches(told)["dagster-assets:core/orders"].nodes}
    assert nodes["core.orders.id"] == {"data_type": "int"}
    assert nodes["core.orders"] == {
        "connector": "dagster",
        "asset": "core/orders",
        "group": "shop",
        "owners": ["ada@example.com"],
    }
    assert batches(told, known=frozenset({"core.orders"}))["dagster-assets:core/orders"].nodes == ()


def test_a_key_of_one_part_is_a_dataset() -> None:
    assert batches(DagsterAsset(key=("orders",)))["dagster-assets:orders"].nodes[0].entity.type == "dataset"
