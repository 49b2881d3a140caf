"""A run of Forge that is to be told of as OpenLineage events."""

from __future__ import annotations

from datetime import UTC, datetime

from forge.lineage.edge import Edge, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.lineage.openlineage_events import CheckAssertion, EventColumn, RunSummary, TableSummary
from forge.model.names import ColumnName

BEGIN, END = (datetime(2026, 11, 16, 8, minute, tzinfo=UTC) for minute in (0, 5))
DAILY = TableSummary(
    name="marts.daily",
    end="COMPLETE",
    edges=(
        Edge(
            source=ColumnName("core.orders", "amount"),
            target=ColumnName("marts.daily", "total"),
            transformation=Transformation.AGGREGATION,
            expression="sum(amount)",
        ),
        Edge(
            source=ColumnName("core.orders", "mail"),
            target=ColumnName("marts.daily", "who"),
            transformation=Transformation.TRANSFORMATION,
            expression="sha2(mail)",
            masking=True,
        ),
        Edge(source=ColumnName("core.orders", "day"), target=ColumnName("marts.daily", "day")),
        Edge(source=ColumnName("core.orders", "home", "city"), target=ColumnName("marts.daily", "at", "city")),
        Edge(
            source=ColumnName("core.orders", "x"),
            target=ColumnName("marts.daily", "y"),
            transformation=Transformation.UNKNOWN,
            expression="f(x)",
        ),
    ),
    indirect=(IndirectEdge(ColumnName("core.orders", "day"), "marts.daily", IndirectType.GROUP_BY),),
    table_edges=(TableEdge("core.orders", "marts.daily"), TableEdge("core.days", "marts.daily")),
    inputs=("core.orders",),
    columns=(EventColumn("total", "decimal(12,2)", "All of a day"), EventColumn("who", "string")),
    rows=12,
    sql="SELECT sum(amount) …",
    file="transforms/marts/daily.sql",
    description="Sales of a day",
    assertions=(
        CheckAssertion("daily.unique", "unique", True, "day", "error"),
        CheckAssertion("daily.rows", "row_count", False, severity="warning", message="none"),
    ),
)
BAD = TableSummary(name="marts.bad", end="FAIL", inputs=("core.orders",), error="It is blocked")
RUN = RunSummary(
    id="r1",
    project="shop",
    started_at=BEGIN,
    finished_at=END,
    end="FAIL",
    error="marts.bad: It is blocked",
    tables=(DAILY, BAD),
    columns={"core.orders": (EventColumn("amount", "int"),)},
)
