"""A project of which code was read for its lineage and runs were seen, without a JVM: they agree on some edges, each
tells one that the other does not, and some code was not understood."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from migrated import lay_database

from forge.flows.lineage.code.records import SourceGap, SourceRecord
from forge.lineage.edge import Transformation
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import column_of
from forge.settings import load_settings
from forge.stores.sql.lineage.sources import SqlSources
from forge.wiring import Wiring

SETTINGS = "project: shop\nuser: {name: Ada, email: ada@example.com}\n"
NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
DAILY = """\
CREATE TABLE raw.orders (order_id BIGINT, amount DECIMAL(12,2), status STRING, ordered_at TIMESTAMP);

CREATE TABLE core.orders AS
SELECT order_id, amount, status, ordered_at FROM raw.orders WHERE status <> 'test';

CREATE TABLE marts.daily AS
WITH paid AS (
  SELECT ordered_at, amount FROM core.orders WHERE status = 'paid'
)
SELECT date(ordered_at) AS day, sum(amount) AS revenue, max(amount) AS largest FROM paid GROUP BY 1;

MERGE INTO marts.daily USING;
"""
VALUE = """\
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = spark.table("core.orders")
orders.select("order_id", "amount").write.saveAsTable("marts.order_value")
"""
BROKEN = "def nightly(:\n    pass\n"
FILES = {"daily.sql": DAILY, "value.py": VALUE, "old/broken.py": BROKEN}


def lay_code_project(root: Path) -> Wiring:
    """An empty project with code in its folder `jobs`. Close what comes back."""
    (root / "jobs" / "old").mkdir(parents=True)
    (root / "forge.yaml").write_text(SETTINGS)
    for name, text in FILES.items():
        (root / "jobs" / name).write_text(text)
    lay_database(root / ".forge" / "forge.db")
    return Wiring(load_settings(root, {"HOME": "/nowhere"}))


def keep_sources(wiring: Wiring, *records: SourceRecord) -> None:
    SqlSources(wiring.database).keep(records)


def many_sources(number: int) -> tuple[SourceRecord, ...]:
    """Of a folder `warehouse`: every third has a gap, and the later ones have more statements that are understood."""
    return tuple(
        SourceRecord(
            root="warehouse",
            path=f"models/part_{each:02}/table_{each:03}.sql",
            language="dbt" if each % 4 == 0 else "sql",
            digest=f"digest {each}",
            read_at=NOON,
            seconds=0.01 * each,
            statements=10,
            understood=9 if each % 3 == 0 else 10,
            queries=1,
            edges=each,
            gaps=(SourceGap(7 + each, "PIVOT over a subquery is not understood", f"PIVOT (sum(q_{each}))"),)
            if each % 3 == 0
            else (),
            uses={f"warehouse.table_{each:03}": "", "core.orders": ""},
        )
        for each in range(number)
    )


def see_runs(wiring: Wiring) -> None:
    """Runs of marts.daily saw that revenue comes from the amount, as the code says, and from the discount, which it
    does not say; and they did not see where `day` comes from."""
    total = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.AGGREGATED)
    seen = (Evidence(basis=Basis.OBSERVED, extractor="spark", run_id="r20261115_060000_000001", seen_at=NOON, times=3),)
    sources = (("core.orders", "amount", "sum(amount)"), ("core.rebates", "discount", "sum(amount - discount)"))
    edges = tuple(
        EdgeClaim(
            source=column_of(table, column),
            target=column_of("marts.daily", "revenue"),
            kind=total,
            transformation=Transformation.AGGREGATION,
            expression=expression,
            masking=False,
            confidence=1.0,
            evidence=seen,
        )
        for table, column, expression in sources
    )
    wiring.lineage.graph.store.record([ClaimBatch(producer="table:marts.daily", at=NOON, edges=edges, actor="Ada")])
