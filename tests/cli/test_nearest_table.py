"""Whoever asks for a table that is not there is told the nearest one, at every door, before anything is started."""

from __future__ import annotations

from typing import Any

import pytest

from forge.connection import connect
from forge.model.errors import ForgeError

NEAR = "Did you mean core.orders"
DOORS = {
    "query": ("query", "SELECT * FROM core.ordrs"),
    "query of a name without a schema": ("query", "SELECT * FROM ordrs"),
    "query of one table among others": ("query", "SELECT * FROM core.orders JOIN cor.orders USING (order_id)"),
    "show": ("show", "core.ordrs"),
    "log of a table": ("log", "--table", "core.ordrs"),
    "log of a path": ("log", "--path", "core.ordrs"),
    "log where a revision stands": ("log", "core.ordrs"),
    "upstream": ("upstream", "core.ordrs"),
    "downstream": ("downstream", "core.ordrs.amount"),
    "blame": ("blame", "core.ordrs"),
    "diff": ("diff", "HEAD~1..HEAD", "--table", "core.ordrs"),
    "a commit by SQL": ("commit", "core.orders", "--sql", "SELECT * FROM core.ordrs"),
}


@pytest.fixture
def grown(house: Any) -> Any:
    """Two commits, and lineage."""
    house.change("order_id,amount\n1,11\n", "-m", "More")
    return house


@pytest.mark.slow
@pytest.mark.parametrize("words", DOORS.values(), ids=DOORS)
def test_the_nearest_table_is_named_at_the_terminal(grown: Any, words: tuple[str, ...]) -> None:
    ended = grown(*words)
    assert ended.status != 0
    assert NEAR in ended.err


def test_a_table_where_a_revision_stands_is_told_what_to_type(grown: Any) -> None:
    ended = grown("log", "core.orders")
    assert "core.orders is a table: forge log --table core.orders" in ended.err


@pytest.mark.parametrize("sql", ["SELECT * FROM core.ordrs", "SELECT * FROM ordrs"])
def test_the_nearest_table_is_named_in_python(grown: Any, sql: str) -> None:
    with connect(grown.root) as f:
        with pytest.raises(ForgeError, match=NEAR):
            f.query(sql)
        with pytest.raises(ForgeError, match=NEAR):
            f.table("core.ordrs")


def test_tables_that_stand_beside_the_lake_are_not_named(grown: Any) -> None:
    """Rows of stages and branches have names in the catalog, which are nobody's to know."""
    ended = grown("query", "SELECT * FROM forge_staging.orders")
    assert "forge_staging" not in ended.err.split("Did you mean")[-1]
