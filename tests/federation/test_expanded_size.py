"""Queries that grow while they are planned: an intruder's short text of names that double."""

from __future__ import annotations

import pytest
import sqlglot

from forge.federation.expanded_size import refuse_exploding
from forge.model.errors import ForgeError


def doubled(times: int, body: str = "SELECT a.id FROM {0} a JOIN {0} b ON a.id = b.id") -> str:
    ctes = [f"c{place} AS ({body.format(f'C{place - 1}')})" for place in range(1, times)]
    return f"WITH c0 AS (SELECT 1 AS id), {', '.join(ctes)} SELECT * FROM c{times - 1}"


def chained(times: int) -> str:
    return "SELECT id AS a0, " + ", ".join(f"a{i} + A{i} AS a{i + 1}" for i in range(times)) + " FROM core.orders"


@pytest.mark.parametrize(
    "sql",
    [
        doubled(12),
        doubled(200),
        doubled(60, "SELECT id FROM {0} UNION ALL SELECT id FROM {0}"),
        doubled(60, "SELECT 1 AS id WHERE EXISTS (SELECT 1 FROM {0}) OR 1 IN (SELECT id FROM {0})"),
        f"SELECT * FROM ({doubled(12)}) AS q",
        chained(12),
        chained(200),
        f"SELECT * FROM ({chained(40)}) AS q",
    ],
)
def test_names_that_double_are_refused_at_once(sql: str) -> None:
    with pytest.raises(ForgeError) as caught:
        refuse_exploding(sqlglot.parse_one(sql, dialect="spark"))
    assert caught.value.code == "E201"


@pytest.mark.parametrize(
    "sql",
    [
        doubled(8),
        chained(8),
        "WITH " + ", ".join(f"c{i} AS (SELECT * FROM core.t{i})" for i in range(300)) + " SELECT * FROM c1, c2, c3",
        "SELECT " + ", ".join(f"trim(a{i}) AS a{i}" for i in range(3000)) + " FROM core.wide",
        "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 9) SELECT * FROM c",
        "SELECT o.id AS id, o.id + o.id AS twice, id + id AS two FROM core.orders o",
    ],
)
def test_long_queries_and_many_ctes_are_not(sql: str) -> None:
    refuse_exploding(sqlglot.parse_one(sql, dialect="spark"))
