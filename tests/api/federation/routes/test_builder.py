"""The query builder over HTTP: SQL to parts and back, for any token, without anything being run."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from version_site import VersionSite, open_version_site, problem

from forge.flows.upkeep.access import TokenScope

API = "/api/v1/federation/query"
YAML = "project: shop\nuser: {name: Ada, email: ada@example.com}\n"
SQL = """SELECT
  c.city,
  COUNT(*) AS n
FROM core.orders AS o
LEFT JOIN till.customers AS c
  ON o.customer_id = c.id
WHERE
  c.city IN ('London', 'O\\'Hare') AND (
    o.amount > 1.50 OR o.amount IS NULL
  )
GROUP BY
  c.city
HAVING
  COUNT(*) > :least
ORDER BY
  n DESC
LIMIT 10"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    with open_version_site(tmp_path_factory.mktemp("builder") / "shop", YAML) as opened:
        yield opened


@pytest.fixture(scope="module")
def reader(site: VersionSite) -> dict[str, str]:
    return site.token_of("eve@example.com", TokenScope.READ)


def post(site: VersionSite, path: str, body: Any, as_: dict[str, str] | None) -> Any:
    return site.client.post(f"{API}/{path}", json=body, headers=as_)


def test_sql_becomes_parts_and_parts_become_the_same_sql(site: VersionSite, reader: dict[str, str]) -> None:
    found = post(site, "outline", {"sql": SQL}, reader).json()
    assert (found["not_shown"], found["has_comments"]) == (None, False)
    query = found["query"]
    assert [(one["path"], one["alias"], one["join"]) for one in query["tables"]] == [
        (["core", "orders"], "o", None),
        (["till", "customers"], "c", "left"),
    ]
    assert query["where"]["groups"][0][0]["values"][1] == {"kind": "text", "text": "O'Hare"}
    assert query["order_by"] == [{"term": {"column": "n", "table": "", "aggregate": None}, "descending": True}]
    assert post(site, "compose", query, reader).json() == {"sql": SQL}


def test_nothing_is_read_or_noted_for_it(site: VersionSite, reader: dict[str, str]) -> None:
    before = site.wiring.metadata.audit(limit=1)
    assert post(site, "outline", {"sql": "SELECT * FROM nowhere.at_all"}, reader).status_code == 200
    assert site.wiring.metadata.audit(limit=1) == before


def test_what_is_not_shown_is_told_with_its_place(site: VersionSite, reader: dict[str, str]) -> None:
    found = post(site, "outline", {"sql": "SELECT id,\n  sum(x) OVER () AS s\nFROM a.b"}, reader).json()
    assert found["query"] is None
    assert found["not_shown"] == {"what": "a window function", "where": "query:2:3"}
    problem(post(site, "outline", {"sql": "SELECT * FRM a.b"}, reader), 422, "E201")
    problem(post(site, "outline", {"sql": "DROP TABLE a.b"}, reader), 409, "E213")


def test_who_is_not_signed_in_gets_nothing(site: VersionSite) -> None:
    for path, body in (("outline", {"sql": SQL}), ("compose", {"tables": [{"path": ["a", "b"]}]})):
        problem(post(site, path, body, {"Authorization": "Bearer nobody"}), 401, "E903")
        assert site.client.get(f"{API}/{path}").status_code == 405


def _condition(kind: str, text: str, operator: str = "=") -> dict[str, Any]:
    condition = {"term": {"column": "x"}, "operator": operator, "values": [{"kind": kind, "text": text}]}
    return {"tables": [{"path": ["a", "b"]}], "where": {"groups": [[condition]]}}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tables": []},
        {"tables": [{"path": []}]},
        {"tables": [{"path": ["a", "b", "c", "d"]}]},
        {"tables": [{"path": ["a", ""]}]},
        {"tables": [{"path": ["a", "b"], "join": "cross", "on": []}]},
        {"tables": [{"path": ["a", "b"]}], "columns": [{"term": {"column": "x", "aggregate": "load_extension"}}]},
        {"tables": [{"path": ["a", "b"]}], "limit": -1},
        {"tables": [{"path": ["a", "b"]}], "limit": 10**12},
        {"tables": [{"path": ["a", "b"]}], "with": "x"},
        {"tables": [{"path": ["a\x00", "b"]}]},
        {"tables": [{"path": ["\ud800", "b"]}]},
        _condition("number", "1; DROP TABLE a.b"),
        _condition("number", "1e9999"),
        _condition("boolean", "true OR 1 = 1"),
        _condition("date", "2026-01-01' OR '1'='1"),
        _condition("parameter", "x OR 1 = 1"),
        _condition("sql", "1"),
        _condition("text", "x", "= 1 OR x ="),
        _condition("text", "\x00"),
        _condition("text", "\ud800"),
        _condition("text", "x" * 20_001),
    ],
)
def test_parts_that_are_none_are_refused(site: VersionSite, reader: dict[str, str], body: Any) -> None:
    answer = site.client.post(
        f"{API}/compose", content=json.dumps(body).encode(), headers={**reader, "content-type": "application/json"}
    )
    assert answer.status_code == 422, answer.text
    assert answer.json()["code"].startswith("FORGE-E"), answer.text


@pytest.mark.parametrize("text", ["' OR '1'='1", "\\' OR 1=1 --", "a\nb", "*/ DROP", "日本😀", "\\", "%\\_"])
def test_a_value_stays_a_value(site: VersionSite, reader: dict[str, str], text: str) -> None:
    sql = post(site, "compose", _condition("text", text), reader).json()["sql"]
    query = post(site, "outline", {"sql": sql}, reader).json()["query"]
    assert query["where"]["groups"][0][0]["values"] == [{"kind": "text", "text": text}]


DEEP = {
    "parentheses": "SELECT " + "(" * 9_000 + "1" + ")" * 9_000 + " FROM a.b",
    "conditions in parentheses": "SELECT * FROM a.b WHERE " + "(" * 9_000 + "x = 1" + ")" * 9_000,
    "not": "SELECT * FROM a.b WHERE " + "NOT " * 4_900 + "x",
    "plus": "SELECT " + "+".join(["x"] * 9_000) + " FROM a.b",
    "and": "SELECT * FROM a.b WHERE " + " AND ".join(["x=1"] * 2_400),
    "and, or": "SELECT * FROM a.b WHERE " + " AND x=1 OR ".join(["x=1"] * 1_300),
    "columns": "SELECT " + ",".join(["x"] * 9_900) + " FROM a.b",
    "values": "SELECT * FROM a.b WHERE x IN (" + ",".join(["1"] * 9_900) + ")",
    "subqueries": "SELECT * FROM " + "(SELECT * FROM " * 1_200 + "a.b",
    "joins": "SELECT * FROM a.b" + " JOIN a.b ON x = y" * 1_100,
    "a long name": f"SELECT {'x' * 19_000} FROM a.b",
    "quotes": "SELECT * FROM a.b WHERE x = '" + "\\'" * 9_900 + "'",
    "comments": "SELECT * FROM a.b " + "/*" * 9_900,
}


@pytest.mark.parametrize("sql", DEEP.values(), ids=DEEP)
def test_a_hostile_text_is_answered_soon(site: VersionSite, reader: dict[str, str], sql: str) -> None:
    assert len(sql) <= 20_000
    began = time.process_time()
    answer = post(site, "outline", {"sql": sql}, reader)
    assert time.process_time() - began < 10
    assert answer.status_code in (200, 422), answer.text
    query = answer.json().get("query")
    if query is not None:
        assert post(site, "compose", query, reader).status_code == 200


def test_a_long_text_is_refused(site: VersionSite, reader: dict[str, str]) -> None:
    assert post(site, "outline", {"sql": "SELECT 1 -- " + "x" * 20_000}, reader).status_code == 422
