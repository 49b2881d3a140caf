"""A server whose lineage was declared over HTTP, so that nothing of it needs a JVM: a small shop, and a hub between
three hundred tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from live_forge import Live, start_forge

SETTINGS = "project: shop\nuser: {name: Ada, email: ada@example.com}\n"
SIDE = 150  # tables on each side of the hub

EdgeBody = dict[str, Any]


def edge(source: str, target: str, **more: object) -> EdgeBody:
    return {"source": source, "target": target, "transformation": "identity", **more}


SHOP: tuple[EdgeBody, ...] = (
    edge("raw.orders.amount", "core.orders.amount"),
    edge("raw.orders.status", "core.orders.status"),
    edge("core.orders.amount", "marts.daily.total", transformation="aggregation", expression="sum(amount)"),
    edge("core.orders.status", "marts.daily", transformation="unknown", subtype="filter"),
    edge("core.orders.amount", "marts.guess.amount", transformation="unknown", confidence=0.3),
    edge("marts.daily.total", "dashboard:revenue", type="consumes", transformation="unknown"),
    *(edge(f"raw.orders.c{number}", f"core.orders.c{number}") for number in range(11)),
)
HUB: tuple[EdgeBody, ...] = tuple(
    one
    for number in range(SIDE)
    for one in (
        edge(f"raw.source_{number:03}.key", "core.hub.key"),
        edge("core.hub.key", f"marts.target_{number:03}.key"),
    )
)


def start_lineage_site(root: Path) -> Live:
    root.mkdir(parents=True, exist_ok=True)
    (root / "forge.yaml").write_text(SETTINGS)
    live = start_forge(root, root / "stderr")
    declare(live, SHOP)
    declare(live, HUB)
    return live


def declare(live: Live, edges: Sequence[EdgeBody]) -> None:
    body = {"reason": "as the team drew it", "edges": list(edges), "nodes": list(_nodes(edges))}
    with live.api() as api:
        answer = api.post("/lineage/edges", json=body)
    assert answer.status_code == 201, answer.text


def _nodes(edges: Iterable[EdgeBody]) -> Iterable[dict[str, Any]]:
    """Names of three parts are columns, of two tables; of anything else the type stands before the name."""
    names = sorted({str(one[end]) for one in edges for end in ("source", "target")})
    tables = {name.rpartition(".")[0] for name in names if name.count(".") == 2}
    for name in sorted(tables | {name for name in names if name.count(".") == 1}):
        yield {"id": name, "type": "table", "attributes": {"owner": "ana@example.com"}}
    for name in names:
        if name.count(".") == 2:
            data = {"data_type": "bigint"}
            yield {"id": name, "type": "column", "table": name.rpartition(".")[0], "attributes": data}
        elif ":" in name:
            yield {"id": name, "type": name.partition(":")[0], "attributes": {"owner": "fin@example.com"}}
