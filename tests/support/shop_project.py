"""A small shop project and how to look at it, for tests that run it on Spark."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any

from forge.connection import Connection, RunReport
from forge.model.names import BranchName

MakeProject = Callable[..., Connection]

SHOP = {
    "sources/shop.yaml": """
        sources:
          - output: raw.orders
            connector: files
            format: csv
            path: data/orders/*.csv
            options: {header: "true"}
            columns: {id: long, customer: string, amount: "decimal(12,2)", day: date}
            kind: append
    """,
    "data/orders/1.csv": "id,customer,amount,day\n1,a,10.00,2026-11-01\n2,b,20.00,2026-11-01\n",
    "transforms/core/orders.sql": """
        /* forge
        checks: [{type: range, column: amount, min: 0, max: 1000, severity: critical}]
        */
        SELECT o.id, o.customer, o.amount, o.day FROM raw.orders o
    """,
    "transforms/marts/revenue.sql": "SELECT day, sum(amount) AS total FROM core.orders GROUP BY day",
    "transforms/marts/customers.sql": "SELECT customer, count(*) AS orders FROM raw.orders GROUP BY customer",
}


def write(connection: Connection, name: str, text: str) -> None:
    path = connection.wiring.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")


def statuses(report: RunReport) -> dict[str, str]:
    return {str(o.table): str(o.status) for o in report.result.run.outputs}


def rows(connection: Connection, table: str, at: str | None = None) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in connection.table(table, at=at).collect())


def head(connection: Connection, branch: str = "main") -> str | None:
    return connection.wiring.branch_head(BranchName(branch))


def assert_nothing_staged(connection: Connection) -> None:
    assert connection.wiring.lake.stages() == ()


def create_branch(project: Connection, name: str) -> None:
    from forge.flows.versioning.branches import create_branch as create

    wiring = project.wiring
    create(wiring.metadata, name, "HEAD", current=BranchName("main"), author=wiring.author, clock=wiring.clock)


def pyiceberg(project: Connection) -> Any:
    from pyiceberg.catalog.sql import SqlCatalog

    settings = project.wiring.settings
    return SqlCatalog("forge", uri=settings.database_url(), warehouse=settings.warehouse_path())
