"""A commit's id is the hash of everything in it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from forge.model.names import BranchName, CatalogName, CommitId, SnapshotId, TableName
from forge.versioning.commit import Author, Commit, TableStatistics, TableVersion, make_commit, tree_id_of

ORDERS = TableName("core", "orders")
VERSION = TableVersion(catalog=CatalogName("core", "orders"), uuid="u-1", snapshot_id=SnapshotId(11), schema_id=0)
PARTS: dict[str, Any] = {
    "tree": {ORDERS: VERSION},
    "parents": (CommitId("aa"),),
    "author": Author("Ada", "ada@example.com"),
    "message": "Load",
    "time": datetime(2026, 11, 14, 6, 10, tzinfo=UTC),
    "branch": BranchName("main"),
    "statistics": {ORDERS: TableStatistics(rows_added=3)},
    "metadata": {"run_id": "r1"},
}


def commit(**changes: Any) -> Commit:
    return make_commit(**{**PARTS, **changes})


def test_the_same_content_has_the_same_id() -> None:
    assert commit().id == commit().id
    assert len(commit().id) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"tree": {ORDERS: replace(VERSION, snapshot_id=SnapshotId(12))}},
        {"tree": {}},
        {"parents": ()},
        {"author": Author("Ada", "eve@example.com")},
        {"committer": Author("Eve", "eve@example.com")},
        {"message": "Load."},
        {"time": datetime(2026, 11, 14, 6, 11, tzinfo=UTC)},
        {"branch": BranchName("dev")},
        {"statistics": {ORDERS: TableStatistics(rows_added=4)}},
        {"metadata": {"run_id": "r2"}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_any_change_changes_the_id(change: dict[str, Any]) -> None:
    assert commit(**change).id != commit().id


def test_the_tree_does_not_depend_on_the_order_of_tables() -> None:
    other = TableName("core", "items")
    one, two = {ORDERS: VERSION, other: VERSION}, {other: VERSION, ORDERS: VERSION}
    assert tree_id_of(one) == tree_id_of(two)
