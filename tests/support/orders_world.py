"""A lake with one small table of orders, and short words for what tests of merges do with it."""

from __future__ import annotations

from pathlib import Path

from version_world import VersionWorld, make_world

from forge.flows.versioning.merge.merge import MergeRequest, merge
from forge.flows.versioning.merge.result import MergeResult

ORDERS = "core.orders"
THREE = [
    {"id": 1, "name": "a", "amount": 1.0},
    {"id": 2, "name": "b", "amount": 2.0},
    {"id": 3, "name": "c", "amount": 3.0},
]


def make_orders(tmp_path: Path) -> VersionWorld:
    made = make_world(tmp_path)
    add_orders(made)
    return made


def add_orders(world: VersionWorld) -> None:
    world.commit_rows(ORDERS, THREE, key=["id"])


def edit(world: VersionWorld, branch: str, *rows: dict[str, object]) -> None:
    world.commit_rows(ORDERS, list(rows), "merge", ["id"], branch)


def drop(world: VersionWorld, branch: str, *ids: int) -> None:
    world.commit_rows(ORDERS, [{"id": i} for i in ids], "delete", ["id"], branch)


def go(world: VersionWorld, source: str = "dev", target: str = "main", **more: object) -> MergeResult:
    return merge(MergeRequest(source=source, target=target, **more), world.ports)  # type: ignore[arg-type]


def amounts(world: VersionWorld, at: str = "main") -> dict[int, tuple[str, float]]:
    return {row["id"]: (row["name"], row["amount"]) for row in world.rows(ORDERS, at)}
