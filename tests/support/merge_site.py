"""A small project for merging by hand: tables made of uploaded rows, so that nothing of it needs a JVM."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from live_forge import Live, start_forge

SETTINGS = "project: shop\nuser: {name: Ada, email: ada@example.com}\n"
ORDERS = "core.orders"
FIRST = 10_000

Row = tuple[object, ...]
HEADER = ("order_id", "customer", "amount", "status")


def order(number: int, amount: str = "", status: str = "open") -> Row:
    return (FIRST + number, f"c{number % 7}", amount or f"{10 + number}.00", status)


def csv_of(rows: Sequence[Row], header: Sequence[str] = HEADER) -> str:
    return "".join(",".join(map(str, line)) + "\n" for line in (header, *rows))


def upload(live: Live, branch: str, text: str, *, mode: str = "append", message: str = "") -> dict[str, Any]:
    form = {"table": ORDERS, "mode": mode, "key": "order_id", "message": message}
    with live.api() as api:
        answer = api.post(f"/branches/{branch}/commits", data=form, files={"file": ("rows.csv", text, "text/csv")})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def start_merge_site(root: Path) -> Live:
    """A server with twenty orders on main."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "forge.yaml").write_text(SETTINGS)
    live = start_forge(root, root / "stderr")
    upload(live, "main", csv_of([order(number) for number in range(20)]), message="orders of November")
    return live


def diverge(live: Live, branch: str) -> str:
    """A branch that has changed what main has changed, too; the id of the merge that waits for answers."""
    with live.api() as api:
        assert api.post("/branches", json={"name": branch, "description": "Amounts in euros"}).status_code == 201
    cells = ("order_id", "amount")
    upload(live, branch, csv_of([(10_001, "1.50"), (10_002, "2.50")], cells), mode="merge", message="In euros")
    upload(live, branch, csv_of([order(number) for number in range(20, 60)]), message="orders of December")
    upload(live, "main", csv_of([(10_001, "1.70"), (10_002, "2.70")], cells), mode="merge", message="Discount")
    with live.api() as api:
        merged: dict[str, Any] = api.post("/branches/merge", json={"source_branch": branch}).json()
        assert merged["type"] == "conflicted", merged
        tagged = api.post("/branches/tags", json={"name": "v1.0", "target": "main", "message": "closing"})
        assert tagged.status_code == 201
    return str(merged["merge_id"])
