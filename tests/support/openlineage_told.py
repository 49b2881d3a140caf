"""A run of Forge that is to be told of as OpenLineage events."""

from __future__ import annotations

from datetime import UTC, datetime

from forge.lineage.edge import Edge, Indirect, IndirectEdge, TableEdge, Transformation
from forge.lineage.openlineage_out import Assertion, Column, RunTold, TableTold
from forge.model.names import ColumnName

BEGIN, END = (datetime(2026, 11, 16, 8, minute, tzinfo=UTC) for minute in (0, 5))
DAILY = TableTold(
    "marts.daily",
    "COMPLETE",
    (
        Edge(
            ColumnName("core.orders", "amount"),
            ColumnName("marts.daily", "total"),
            Transformation.AGGREGATION,
            "sum(amount)",
        ),
        Edge(
            ColumnName("core.orders", "mail"),
            ColumnName("marts.daily", "who"),
            Transformation.TRANSFORMATION,
            "sha2(mail)",
            True,
        ),
        Edge(ColumnName("core.orders", "day"), ColumnName("marts.daily", "day")),
        Edge(ColumnName("core.orders", "home", "city"), ColumnName("marts.daily", "at", "city")),
        Edge(ColumnName("core.orders", "x"), ColumnName("marts.daily", "y"), Transformation.UNKNOWN, "f(x)"),
    ),
    (IndirectEdge(ColumnName("core.orders", "day"), "marts.daily", Indirect.GROUP_BY),),
    (TableEdge("core.orders", "marts.daily"), TableEdge("core.days", "marts.daily")),
    ("core.orders",),
    (Column("total", "decimal(12,2)", "All of a day"), Column("who", "string")),
    12,
    "SELECT sum(amount) …",
    "transforms/marts/daily.sql",
    "Sales of a day",
    assertions=(
        Assertion("daily.unique", "unique", True, "day", "error"),
        Assertion("daily.rows", "row_count", False, severity="warning", message="none"),
    ),
)
BAD = TableTold("marts.bad", "FAIL", inputs=("core.orders",), error="It is blocked")
RUN = RunTold(
    "r1",
    "shop",
    BEGIN,
    END,
    "FAIL",
    "marts.bad: It is blocked",
    (DAILY, BAD),
    {"core.orders": (Column("amount", "int"),)},
)
