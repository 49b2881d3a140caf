"""A server in this process with three contracts above each other, two versions of the lowest, a table that differs from
it, and readers. No JVM."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quality_site import QualitySite, csv_of, serve_quality

ORDERS = "shop-core-orders"
ENTERPRISE = """\
apiVersion: v3.1.0
kind: DataContract
id: shop-enterprise
name: Enterprise standard
version: 2.0.0
status: active
description: {purpose: What every table of the house promises.}
team: {name: data office}
slaProperties:
  - {property: retention, value: 5, unit: y}
"""
SALES = """\
apiVersion: v3.1.0
kind: DataContract
id: shop-sales
name: Sales domain
version: 1.1.0
status: active
domain: sales
description: {purpose: What every table of the sales department promises.}
team: {name: sales data}
customProperties:
  - {property: forge.extends, value: shop-enterprise}
schema:
  - name: orders
    logicalType: object
    properties:
      - {name: email, logicalType: string, classification: pii}
slaProperties:
  - {property: latency, value: 1, unit: d}
"""
OLD = """\
apiVersion: v3.1.0
kind: DataContract
id: shop-core-orders
name: Orders
version: 1.0.0
status: active
domain: sales
description: {purpose: "Every order of the shop, once."}
team:
  name: data engineering
  members:
    - {username: carlos@shop.example, role: owner}
customProperties:
  - {property: forge.extends, value: shop-sales}
schema:
  - name: orders
    physicalName: core.orders
    physicalType: table
    logicalType: object
    description: One row per order.
    properties:
      - name: order_id
        logicalType: integer
        physicalType: bigint
        required: true
        description: Number of the order
      - name: email
        logicalType: string
        physicalType: string
        description: Who ordered
      - name: amount
        logicalType: number
        physicalType: double
        logicalTypeOptions: {minimum: 0}
        description: What the customer pays
"""
NEW = OLD.replace("version: 1.0.0", "version: 1.1.0").replace("name: amount", "name: amount\n        required: true")
WEAK = (
    NEW.replace("version: 1.1.0", "version: 1.2.0")
    .replace("physicalType: double", "physicalType: decimal(12,2)")
    .replace("Number of the order", "Its number")
) + "slaProperties:\n  - {property: latency, value: 2, unit: d}\n"
NOTES = """\
apiVersion: v3.1.0
kind: DataContract
id: shop-core-notes
name: Notes on orders
version: 0.1.0
status: draft
schema:
  - name: notes
    physicalName: core.notes
    logicalType: object
    properties:
      - {name: note, logicalType: string}
"""
READERS = {
    "reason": "as the team drew it",
    "nodes": [
        {"id": "marts.daily", "type": "table", "attributes": {"owner": "fin@shop.example"}},
        {"id": "marts.daily.total", "type": "column", "table": "marts.daily", "attributes": {"data_type": "double"}},
        {"id": "dashboard:revenue", "type": "dashboard", "attributes": {"owner": "boss@shop.example"}},
    ],
    "edges": [
        {"source": "core.orders.amount", "target": "marts.daily.total", "transformation": "aggregation"},
        {"source": "marts.daily.total", "target": "dashboard:revenue", "type": "consumes", "transformation": "unknown"},
    ],
}
TEST = {
    "runId": "0190a1f2-7a54-7c1e-9c39-0123456789ab",
    "dataContractId": ORDERS,
    "dataContractVersion": "1.1.0",
    "server": "production",
    "timestampStart": "2026-11-16T06:00:00+00:00",
    "timestampEnd": "2026-11-16T06:00:09+00:00",
    "result": "failed",
    "checks": [
        {
            "id": "c1",
            "category": "quality",
            "type": "field_minimum",
            "name": "amount is not negative",
            "model": "orders",
            "field": "amount",
            "engine": "soda",
            "result": "failed",
            "reason": "3 rows are below 0",
        },
        {
            "id": "c2",
            "category": "schema",
            "type": "field_required",
            "name": "order_id is there",
            "model": "orders",
            "field": "order_id",
            "engine": "soda",
            "result": "passed",
            "reason": None,
        },
    ],
    "logs": [],
}


@dataclass(frozen=True)
class ContractSite:
    """What a browser needs of a server, and a program's way to its contracts."""

    quality: QualitySite
    root: Path

    @property
    def address(self) -> str:
        return self.quality.address

    @property
    def token(self) -> str:
        return self.quality.token

    def write(self, name: str, text: str) -> None:
        (self.root / "contracts" / name).write_text(text)

    def register(self, contract_id: str, text: str) -> None:
        with self.quality.api() as api:
            answer = api.put(f"/contracts/{contract_id}", content=text, headers={"content-type": "application/yaml"})
        assert answer.status_code in (200, 201), answer.text

    def post(self, path: str, body: object = None) -> Any:
        with self.quality.api() as api:
            answer = api.post(path, json=body)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def get(self, path: str) -> Any:
        with self.quality.api() as api:
            answer = api.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()


@contextmanager
def serve_contracts(root: Path) -> Iterator[ContractSite]:
    """A project with orders and no contract."""
    with serve_quality(root) as quality:
        shutil.rmtree(root / "contracts")
        (root / "contracts").mkdir()
        quality.upload(csv_of(range(100, 160), 10), "orders of 13 November")
        yield ContractSite(quality, root)


def lay_contracts(site: ContractSite) -> None:
    """Two versions of the contract of orders are registered; its file is a third that breaks readers and weakens the
    domain, and that was checked."""
    site.write("enterprise.odcs.yaml", ENTERPRISE)
    site.write("sales.odcs.yaml", SALES)
    site.write("orders.odcs.yaml", OLD)
    site.register(ORDERS, OLD)
    site.register(ORDERS, NEW)
    site.write("orders.odcs.yaml", WEAK)
    site.write("notes.odcs.yaml", NOTES)
    site.post(f"/contracts/{ORDERS}/check")
    site.post("/contracts/results", TEST)
    site.post("/lineage/edges", READERS)
