"""Who may read views of the lake: who may read all that they are made of."""

from __future__ import annotations

from typing import Any, cast

import pytest

from forge.federation.lake_rules import LakeRules
from forge.federation.virtual.keys import read_virtual_table
from forge.federation.virtual.rights import has_rights
from forge.flows.federation.lake_views import rules_below
from forge.flows.federation.query import FederationPorts
from forge.flows.runs.pin import Pin
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, TableName

PAY = Pin(TableName("core", "pay"), CatalogName("main", "pay"))
INNER = Pin(TableName("core", "inner_view"), CatalogName("main", "v1"), view_sql="…", view_inputs=(PAY,))
OUTER = Pin(TableName("core", "outer_view"), CatalogName("main", "v2"), view_sql="…", view_inputs=(INNER,))
PINS = {one.table: one for one in (PAY, INNER, OUTER)}


class Reader:
    """Of what the lake has now."""

    def pins_of(self, tables: list[TableName], at: str | None) -> dict[TableName, Pin]:
        missing = [one for one in tables if one not in PINS]
        if missing or at is not None:
            raise ForgeError("E108", f"unknown table {missing}")
        return {one: PINS[one] for one in tables}


class Ports:
    reader = Reader()
    rules = LakeRules(readers={"core.pay": ("ada", "bob"), "core.inner_view": ("bob", "cy")})


def over(*tables: str) -> Any:
    sources = [
        {"alias": f"t{place}", "connector_id": "lake", "schema_name": "core", "table_name": table}
        for place, table in enumerate(tables)
    ]
    joins = [
        {"left_alias": "t0", "right_alias": f"t{place}", "conditions": [{"left": "t0.id", "right": f"t{place}.id"}]}
        for place in range(1, len(tables))
    ]
    columns = [{"name": "id", "source_column": "t0.id"}]
    return read_virtual_table({"name": "v", "sources": sources, "joins": joins, "columns": columns})


@pytest.mark.parametrize(
    ("tables", "readers"),
    [
        (("pay",), {"ada", "bob"}),
        (("PAY",), {"ada", "bob"}),
        (("inner_view",), {"bob"}),
        (("outer_view",), {"bob"}),
        (("open", "pay"), {"ada", "bob"}),
        (("open", "gone"), {"ada", "bob", "cy", ""}),
    ],
)
def test_a_virtual_table_is_for_the_readers_of_all_below_it(tables: tuple[str, ...], readers: set[str]) -> None:
    table = over(*tables)
    rules = rules_below(cast(FederationPorts, Ports()), [table])
    assert {user for user in ("ada", "bob", "cy", "") if has_rights(table, {"v": table}, {}, user, rules)} == readers
