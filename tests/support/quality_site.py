"""A server in this process whose monitors, remedies and samples need no JVM: rows are read by PyIceberg and judged one
by one in Python. Everything else of it is real, and it is looked at with a browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import httpx
import uvicorn
from migrated import lay_database
from remedy_world import failing_rows
from run_site import until
from version_site import Engine
from version_world import Row

from forge.api.app import create_app
from forge.api.server import ApiServer, bind
from forge.flows.quality.metrics.points import KeptFinding, MetricPoint
from forge.flows.runs.engine import Pin
from forge.flows.upkeep.access import digest_of
from forge.model.names import BranchName, TableName
from forge.quality.check import Check
from forge.quality.measure import Readings
from forge.settings import load_settings
from forge.stores.lake.arrow.repair import ArrowRepair
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.lake.tables import IcebergTables
from forge.stores.memory.measure import MemoryMeasurer
from forge.wiring import Wiring

SECRET = "forge_login-secret-of-the-quality-site"
SECONDS = 30.0
SETTINGS = """\
project: shop
user: {name: Ada, email: ada@example.com}
versioning: {keys: {core.orders: [order_id]}}
alerts:
  channels:
    ops: {type: webhook, url: "http://127.0.0.1:9/hook"}
"""
CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: shop-core-orders
name: Orders
version: 1.0.0
status: active
description: {purpose: One row per order.}
schema:
  - name: orders
    physicalName: core.orders
    physicalType: table
    logicalType: object
    properties:
      - {name: order_id, logicalType: integer, physicalType: bigint}
      - {name: email, logicalType: string, physicalType: string, classification: pii}
      - {name: amount, logicalType: number, physicalType: double}
"""
ORDERS = TableName("core", "orders")
MONITOR = {
    "name": "Orders are in euros",
    "dataset": "core.orders",
    "description": "Cents were sent once.",
    "channels": ["ops"],
    "sla_target_percentage": 99.0,
    "schedule": {"type": "cron", "cron": "0 6 * * 1-5"},
    "checks": [
        {
            "type": "range",
            "column": "amount",
            "min": 0,
            "max": 100,
            "name": "amount is in euros",
            "severity": "critical",
            "on_failure": ["quarantine"],
        },
        {"type": "not_null", "columns": ["order_id"]},
        {"type": "unique", "columns": ["order_id"]},
    ],
}
MASK = "***"


class SamplingEngine(Engine):
    """Gives rows that fail, too."""

    def __init__(self, tables: IcebergTables, lake: IcebergLake) -> None:
        super().__init__(tables)
        self.lake = lake

    def sample(
        self,
        target: Pin,
        checks: Sequence[Check],
        readings: Readings,
        masked: frozenset[str],
        others: Mapping[TableName, Pin],
        limit: int = 5,
    ) -> tuple[tuple[Row, ...], ...]:
        assert target.snapshot_id is not None
        rows, snapshot = self.rows(target), self.lake.snapshot(target.catalog, target.snapshot_id)
        assert snapshot is not None
        found: list[tuple[Row, ...]] = []
        for check in checks:
            bad = check.bad(readings, snapshot.schema)
            one = (row for row in rows.to_pylist() if any(_breaks(row, measure) for measure in bad))
            shown = ({name: MASK if name in masked else value for name, value in row.items()} for row in one)
            found.append(tuple(row for row, _ in zip(shown, range(limit), strict=False)))
        return tuple(found)


def _breaks(row: dict[str, Any], measure: Any) -> bool:
    return bool(MemoryMeasurer([row], {}, columns=list(row)).measure([measure])[measure])


@dataclass(frozen=True)
class QualitySite:
    """What a browser needs of a server, and a program's way to it."""

    wiring: Wiring
    address: str
    token: str = SECRET

    def api(self) -> httpx.Client:
        headers = {"authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=f"{self.address}/api/v1", headers=headers, timeout=SECONDS)

    def upload(self, text: str, message: str, **form: str) -> None:
        given = {"table": str(ORDERS), "mode": "append", "message": message, **form}
        with self.api() as api:
            answer = api.post("/branches/main/commits", data=given, files={"file": ("rows.csv", text, "text/csv")})
        assert answer.status_code == 201, answer.text

    def monitor(self, **more: object) -> str:
        with self.api() as api:
            made = api.post("/quality/monitors", json={**MONITOR, **more})
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    def run(self, monitor_id: str) -> str:
        with self.api() as api:
            started = api.post(f"/quality/monitors/{monitor_id}/run")
            assert started.status_code == 202, started.text
            run_id = str(started.json()["run_id"])
            until(lambda: api.get(f"/runs/{run_id}").json()["status"] not in ("queued", "running"))
            run = api.get(f"/runs/{run_id}").json()
        assert run["status"] == "succeeded", run
        return run_id

    def get(self, path: str, **query: str) -> Any:
        with self.api() as api:
            answer = api.get(f"/quality{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def keep_history(self, days: int = 40) -> None:
        """Rows of core.orders day by day: fewer at weekends, growing slowly, and far too few on the last day."""
        today = datetime.now(UTC).replace(hour=6, minute=0, second=0, microsecond=0)
        self.wiring.quality.metrics.put(
            tuple(_point(today - timedelta(days=days - day), day, day == days) for day in range(days + 1))
        )


def _point(time: datetime, day: int, odd: bool) -> MetricPoint:
    usual = 4000 * 1.004**day * (0.6 if time.weekday() >= 5 else 1.0) * (1 + (day * 7 % 5 - 2) / 100)
    value = round(usual * 0.3 if odd else usual)
    kept = KeptFinding(
        odd, 9.0 if odd else 0.4, "far below what is expected" if odd else "in order", usual, usual * 0.9, usual * 1.1
    )
    return MetricPoint(
        table=ORDERS,
        metric="mean(amount)",
        version=f"day {day}",
        time=time,
        value=value,
        branch=BranchName("main"),
        commit_id=None,
        run_id=None,
        recorded_at=time,
        finding=kept,
    )


def csv_of(numbers: range, amount: float) -> str:
    lines = (f"{number},c{number}@shop.example,{amount + number % 7 + 0.5}" for number in numbers)
    return "\n".join(("order_id,email,amount", *lines)) + "\n"


@contextmanager
def serve_quality(root: Path, more_settings: str = "") -> Iterator[QualitySite]:
    """An empty project."""
    (root / "contracts").mkdir(parents=True)
    (root / "forge.yaml").write_text(SETTINGS + more_settings)
    (root / "contracts" / "orders.odcs.yaml").write_text(CONTRACT)
    settings = load_settings(root, {"PATH": "", "HOME": "/nowhere"})
    lay_database(Path(settings.database_url().removeprefix("sqlite:///")))
    wiring = Wiring(settings)
    tables = cast(IcebergTables, wiring.versioning.tables)
    lake = cast(IcebergLake, wiring.lake)
    engine = SamplingEngine(tables, lake)
    repair = ArrowRepair(tables, lambda pin, failing: failing_rows(engine, lake, pin, failing))
    wiring.__dict__["engine"], wiring.quality.__dict__["driver_repair"] = engine, repair
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        app = create_app(wiring, login_digest=digest_of(SECRET), port=port)
        server = ApiServer(uvicorn.Config(app, log_config=None), app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        until(lambda: server.started)
        try:
            yield QualitySite(wiring, f"http://127.0.0.1:{port}")
        finally:
            server.handle_exit(15, None)
            thread.join(SECONDS)
            assert not thread.is_alive()
