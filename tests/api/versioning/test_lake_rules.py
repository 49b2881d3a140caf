"""Masks, row filters and readers of tables of the lake, at every door of HTTP that shows rows: what is not for who asks
is nowhere in an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from version_site import VersionSite, open_version_site, problem

from forge.flows.catalog.profiling.profile_table import profile_table
from forge.flows.upkeep.access import TokenScope

YAML = """\
project: shop
user: {name: Ada, email: ada@example.com}
versioning: {keys: {core.orders: [id], core.people: [id], core.pay: [id], core.orders_failing: [id]}}
catalog: {follow: false}
roles: {owners: [ada@example.com], support: [sue@example.com]}
federation:
  lake:
    masks:
      - {column: core.people.alias, as: hash, except: [owners]}
      - {column: core.people.tier, as: partial, except: [owners, support]}
    rows:
      - {table: core.orders, filter: "region = 'EU'", except: [owners]}
    readers: {core.pay: [ada@example.com]}
"""
ALIAS, TIER, FOREIGN, PAY = "kestrel zoe", "blue grade 0001", "overseas", "777888"
PEOPLE = f"id,name,alias,tier\n1,Zoe,{ALIAS},{TIER}\n2,Yan,kestrel yan,blue grade 0002\n"
ORDERS = f"id,region,name\n1,EU,at home\n2,US,{FOREIGN}\n"
WAGES = f"id,amount\n1,{PAY}\n"
EVE, SUE = "eve@example.com", "sue@example.com"
SECRETS = (ALIAS, TIER, FOREIGN, PAY, "kestrel yan")
V1 = "/api/v1/branches"
TABLES = {"core.people": PEOPLE, "core.orders": ORDERS, "core.pay": WAGES, "core.orders_failing": ORDERS}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    with open_version_site(tmp_path_factory.mktemp("rules") / "shop", YAML) as opened:
        for table, rows in TABLES.items():
            before = rows.replace("kestrel", "old kestrel").replace(FOREIGN, f"{FOREIGN} once").replace(PAY, "1")
            opened.commit(before, table=table)
        for table, rows in TABLES.items():
            opened.commit(rows.replace("home", "sea").replace(PAY, f"{PAY}1"), table=table, mode="overwrite")
        for table in TABLES:
            profile_table(table, opened.wiring.catalog.profile_ports())
        yield opened


@pytest.fixture(scope="module")
def reader(site: VersionSite) -> dict[str, str]:
    return site.token_of(EVE, TokenScope.READ)


def get(site: VersionSite, path: str, as_: dict[str, str] | None, **query: Any) -> httpx.Response:
    found: httpx.Response = site.client.get(path, params=query or None, headers=as_)
    return found


def query(site: VersionSite, sql: str, as_: dict[str, str] | None) -> httpx.Response:
    body = {"sql": sql, "engine": "in-process"}
    found: httpx.Response = site.client.post("/api/v1/federation/query", json=body, headers=as_)
    return found


DOORS = [
    *(f"{V1}/datasets/{table}/commits/main/data{more}" for table in TABLES for more in ("", "?filter=id=1")),
    f"{V1}/datasets/core.people/commits/main/data?filter=alias={ALIAS}",
    f"{V1}/datasets/core.people/commits/main/data?sql=SELECT * FROM data",
    f"{V1}/datasets/core.people/commits/main/data?sql=SELECT o.* FROM core.orders o",
    f"{V1}/datasets/core.people/commits/main/data?sql=SELECT * FROM core.pay",
    *(f"{V1}/datasets/{table}/commits/main/data?sql=SELECT id FROM data" for table in TABLES),
    f"{V1}/diff?base_commit=HEAD~4&compare_commit=main",
    *(f"{V1}/diff?base_commit=HEAD~4&compare_commit=main&table={table}" for table in TABLES),
    *(f"{V1}/datasets/{table}/diff?base_commit=HEAD~4&compare_commit=main" for table in TABLES),
    *(f"{V1}/blame?table={table}" for table in TABLES),
    f"{V1}/blame?table=core.people&key=alias:{ALIAS}",
    *(f"/api/v1/lineage/records?dataset_id={table}&filter=id=1" for table in TABLES),
    *(f"/api/v1/catalog/assets/{table}{more}" for table in TABLES for more in ("", "/profile", "/profile/history")),
    *(f"/api/v1/quality/datasets/{table}/health" for table in TABLES),
]


@pytest.mark.parametrize("door", DOORS)
def test_no_door_shows_what_is_not_for_a_reader(site: VersionSite, reader: dict[str, str], door: str) -> None:
    answer = get(site, door, reader)
    assert answer.status_code in (200, 400, 403, 404), answer.text
    assert get(site, door, None).status_code == 200
    asked = door.rpartition("?")[2]
    assert [one for one in SECRETS if one in answer.text and one not in asked] == []


def test_whom_the_rules_leave_out_sees_all(site: VersionSite) -> None:
    assert site.rows(table="core.orders") == [[1, "EU", "at sea"], [2, "US", FOREIGN]]
    assert site.rows(table="core.people")[0] == [1, "Zoe", ALIAS, TIER]
    assert site.rows(table="core.pay") == [[1, int(f"{PAY}1")]]
    shown = get(site, f"{V1}/diff?base_commit=HEAD~4&compare_commit=main", None)
    assert all(one in shown.text for one in (ALIAS, FOREIGN, PAY))


def test_queries_show_rows_and_values_as_they_are_for_who_asks(site: VersionSite, reader: dict[str, str]) -> None:
    assert query(site, "SELECT id, name FROM core.orders", reader).json()["rows"] == [[1, "at sea"]]
    assert query(site, "SELECT count(*) FROM core.orders", reader).json()["rows"] == [[1]]
    assert query(site, "SELECT count(*) FROM core.orders", None).json()["rows"] == [[2]]
    asked = "SELECT alias, tier FROM core.people ORDER BY id"
    (first, tier), _ = query(site, asked, reader).json()["rows"]
    assert first not in (None, ALIAS)
    assert tier == "***0001"
    support = query(site, asked, site.token_of(SUE, TokenScope.READ)).json()["rows"]
    assert support[0] == [first, TIER]
    assert query(site, asked, None).json()["rows"][0] == [ALIAS, TIER]
    probe = f"SELECT id FROM core.people WHERE alias = '{ALIAS}' OR tier LIKE '%0001'"
    assert query(site, probe, reader).json()["rows"] == [[1]]  # of what is shown: ***0001


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM core.pay",
        "WITH p AS (SELECT * FROM core.pay) SELECT count(*) FROM p",
        "SELECT id FROM core.people WHERE id IN (SELECT id FROM CORE.PAY)",
    ],
)
def test_a_table_with_readers_is_asked_by_them_alone(site: VersionSite, reader: dict[str, str], sql: str) -> None:
    problem(query(site, sql, reader), 403, "E885")
    assert query(site, sql, None).status_code == 200


def test_a_door_that_cannot_filter_rows_refuses(site: VersionSite, reader: dict[str, str]) -> None:
    for table in ("core.orders", "core.pay", "core.orders_failing"):
        found = problem(get(site, f"{V1}/datasets/{table}/commits/main/data", reader), 403, "E879")
        assert "/api/v1/federation/query" in found["fix"]
        problem(get(site, f"{V1}/blame?table={table}", reader), 403, "E879")
        problem(get(site, f"{V1}/diff?base_commit=HEAD~4&compare_commit=main&table={table}", reader), 403, "E879")
    whole = get(site, f"{V1}/diff?base_commit=HEAD~4&compare_commit=main", reader).json()["tables"]
    assert {one["table"]: len(one["rows"]) for one in whole if one["table"] != "core.people"} == {
        "core.orders": 0,
        "core.orders_failing": 0,
        "core.pay": 0,
    }


def test_an_older_commit_and_a_branch_have_the_same_rules(site: VersionSite, reader: dict[str, str]) -> None:
    site.branch("copy")
    for at in ("copy", "HEAD~1"):
        shown = get(site, f"{V1}/datasets/core.people/commits/{at}/data", reader)
        assert shown.status_code == 200
        assert ALIAS not in shown.text
    body = {"sql": "SELECT * FROM core.orders", "engine": "in-process", "at": "copy"}
    found = site.client.post("/api/v1/federation/query", json=body, headers=reader)
    assert FOREIGN not in found.text


def test_conflicts_of_a_merge_hide_values(site: VersionSite, reader: dict[str, str]) -> None:
    site.branch("left")
    for name, alias in (("left", "kestrel left"), ("main", "kestrel right")):
        site.commit(PEOPLE.replace(ALIAS, alias), branch=name, table="core.people", mode="overwrite")
        site.commit(ORDERS.replace(FOREIGN, f"{FOREIGN} {name}"), branch=name, table="core.orders", mode="overwrite")
    asked = {"base": "main", "compare": "left"}
    made = site.client.post(f"{V1}/merge", json={"source_branch": "left", "target_branch": "main"})
    assert made.status_code in (200, 201, 202, 409), made.text
    merges = get(site, f"{V1}/merges", reader).json()["items"]
    seen = [get(site, f"{V1}/merges/{one['merge_id']}", reader) for one in merges]
    seen.append(get(site, f"{V1}/compare", reader, **asked))
    for answer in seen:
        assert answer.status_code == 200, answer.text
        assert not [one for one in ("kestrel left", "kestrel right", FOREIGN) if one in answer.text]
    own = get(site, f"{V1}/merges/{merges[0]['merge_id']}", None)
    assert "kestrel left" in own.text
