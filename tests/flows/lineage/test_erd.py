"""The keys of the project's own tables."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from committed_lineage import CommittedLineage, edge
from contract_project import write
from migrated import lay_database

from forge.flows.lineage.code.ingest import ingest
from forge.flows.lineage.erd import find_erd
from forge.flows.lineage.reader import open_graph
from forge.lineage.extract.codebase import read_sequentially
from forge.model.names import TableName
from forge.settings import load_settings
from forge.wiring import Wiring


def test_a_declared_key_and_the_order_of_the_columns_are_those_of_the_table() -> None:
    world = CommittedLineage()
    columns = {"core.orders": {"status": "string", "order_id": "int", "amount": "int"}}
    world.commit({"core.orders": [edge("raw.orders.amount", "core.orders.amount")]}, columns=columns)
    keys = {TableName.parse("core.orders"): ("order_id",)}
    object.__setattr__(world.ports, "keys", lambda: lambda table, version: keys.get(table, ()))
    (table,) = find_erd(open_graph(world.ports), "core").tables
    assert [(column.name, column.primary_key) for column in table.columns] == [
        *(("status", False), ("order_id", True), ("amount", False))
    ]


RELATION = "        relationships: [{to: core.customers.id}]"
RELATED = """\
apiVersion: v3.1.0
kind: DataContract
id: shop
version: 1.0.0
status: active
schema:
  - name: core.customers
    properties:
      - {name: id, logicalType: integer, primaryKey: true, primaryKeyPosition: 1}
  - name: core.orders
    properties:
      - name: order_id
        logicalType: integer
      - name: customer_id
        logicalType: integer
        relationships: [{to: core.customers.id}]
"""


@pytest.mark.parametrize("enforcement", ["warn", "off"])
def test_foreign_keys_of_contracts_are_drawn_whether_they_are_enforced_or_not(tmp_path: Path, enforcement: str) -> None:
    root = write(
        tmp_path,
        {
            "forge.yaml": f"project: shop\ngovernance: {{contracts: {{enforcement: {enforcement}}}}}\n",
            "contracts/shop.odcs.yaml": RELATED,
            "ddl/lines.sql": "-- of orders\nCREATE TABLE core.lines (o INT REFERENCES core.orders (order_id));\n",
            "transforms/core/customers.sql": "SELECT id FROM raw.people\n",
            "transforms/core/orders.sql": "SELECT order_id, customer_id FROM raw.orders\n",
            "checks/core.yaml": "core.orders: [{type: foreign_key, column: order_id, references: core.numbers.id}]\n",
        },
    )
    lay_database(root / ".forge" / "forge.db")
    wiring = Wiring(load_settings(root, {"HOME": str(root), "PATH": "", "USER": "ada"}))
    with closing(wiring):
        ingest(wiring.lineage.ingest(read_sequentially), root, root=".")
        drawn = find_erd(open_graph(wiring.lineage.graph), "core")
    assert {(one.table, one.columns, one.to_table, one.to_columns) for one in drawn.foreign_keys} == {
        ("core.orders", ("customer_id",), "core.customers", ("id",)),
        ("core.orders", ("order_id",), "core.numbers", ("id",)),
        ("core.lines", ("o",), "core.orders", ("order_id",)),
    }
    places = {one.columns: [(seen.file, seen.line) for seen in one.evidence] for one in drawn.foreign_keys}
    assert places == {
        ("customer_id",): [("contracts/shop.odcs.yaml", 1 + RELATED.splitlines().index(RELATION))],
        ("order_id",): [("checks/core.yaml", 1)],
        ("o",): [("ddl/lines.sql", 2)],
    }
    (orders,) = (table for table in drawn.tables if table.name == "core.orders")
    assert {column.name for column in orders.columns if column.foreign_key} == {"customer_id", "order_id"}
    (customers,) = (table for table in drawn.tables if table.name == "core.customers")
    assert {column.name: column.primary_key for column in customers.columns} == {"id": True}


def test_joins_of_code_are_inferred_where_no_key_is_declared(tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    (tmp_path / "jobs").mkdir()
    columns = ", ".join(f"o.column_with_a_long_name_{number}" for number in range(30))  # a statement that is cut
    (tmp_path / "jobs" / "a.sql").write_text(
        f"INSERT INTO marts.wide SELECT {columns}\n"
        "FROM core.orders o JOIN core.customers c ON o.customer_id = c.id JOIN core.days d ON d.day = o.ordered_on\n"
    )
    lay_database(tmp_path / ".forge" / "forge.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as wiring:
        ingest(wiring.lineage.ingest(read_sequentially), tmp_path, root=".")
        found = find_erd(open_graph(wiring.lineage.graph), "core")
        assert [(join.table, join.to_table, join.evidence[0].text) for join in found.joins] == [
            ("core.days", "core.orders", "jobs/a.sql:1  d.day = o.ordered_on"),
            ("core.orders", "core.customers", "jobs/a.sql:1  o.customer_id = c.id"),
        ]
        assert wiring.lineage.graph.code("../outside.sql") is None
        assert wiring.lineage.graph.code("jobs/nowhere.sql") is None
        assert wiring.lineage.graph.code("a\x00b") is None
