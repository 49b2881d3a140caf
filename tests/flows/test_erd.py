"""The keys of the project's own tables."""

from __future__ import annotations

from committed_lineage import CommittedLineage, edge

from forge.flows.erd import find_erd
from forge.flows.lineage_view import look
from forge.model.names import TableName


def test_a_declared_key_and_the_order_of_the_columns_are_those_of_the_table() -> None:
    world = CommittedLineage()
    columns = {"core.orders": {"status": "string", "order_id": "int", "amount": "int"}}
    world.commit({"core.orders": [edge("raw.orders.amount", "core.orders.amount")]}, columns=columns)
    keys = {TableName.parse("core.orders"): ("order_id",)}
    object.__setattr__(world.ports, "keys", lambda: lambda table, version: keys.get(table, ()))
    (table,) = find_erd(look(world.ports), "core").tables
    assert [(column.name, column.primary_key) for column in table.columns] == [
        *(("status", False), ("order_id", True), ("amount", False))
    ]
