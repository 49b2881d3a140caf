"""The glossary over HTTP: terms, versions, import and export, and what an intruder gets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from catalog_world import CatalogWorld, table
from version_site import VersionSite, open_version_site, problem

from forge.flows.upkeep.access import TokenScope

API = "/api/v1/catalog/glossary"

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VersionSite]:
    with open_version_site(tmp_path / "shop") as opened:
        world = CatalogWorld(opened.wiring.catalog.assets)
        world.crawl(table("core.orders", "id:bigint cust_id:bigint net_rev:double", domain="sales"))
        yield opened


def add(site: VersionSite, **fields: object) -> dict[str, Any]:
    made = site.client.post(f"{API}/terms", json={"name": "Net revenue", "domain": "sales", **fields})
    assert made.status_code == 201, made.text
    assert made.headers["location"] == f"{API}/terms/{made.json()['id']}"
    found: dict[str, Any] = made.json()
    return found


def get(site: VersionSite, path: str, **query: object) -> Any:
    answer = site.client.get(f"{API}{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def link(site: VersionSite) -> None:
    world = CatalogWorld(site.wiring.catalog.assets)
    term = "sales.net-revenue"
    world.say("core.orders", **{"terms": [term], "columns.net_rev.term": term})


def test_a_term_is_made_read_changed_and_deleted(site: VersionSite) -> None:
    made = add(site, definition="What was *billed*", synonyms=["turnover"], state="draft")
    assert (made["id"], made["version"], made["updated_by"]) == ("sales.net-revenue", 1, "ada@example.com")
    assert get(site, "/terms/sales.net-revenue") == {**made, "links": []}
    body = {"expected_version": 1, "state": "approved"}
    changed = site.client.patch(f"{API}/terms/{made['id']}", json=body).json()
    assert (changed["version"], changed["state"], changed["synonyms"]) == (2, "approved", ["turnover"])
    assert next(one["changed"] for one in get(site, "/terms/Net revenue/history")["items"]) == ["state"]
    assert site.client.delete(f"{API}/terms/{made['id']}").status_code == 204
    problem(site.client.get(f"{API}/terms/{made['id']}"), 404, "E861")
    assert len(get(site, "/terms/sales.net-revenue/history")["items"]) == 3
    page = get(site, "/terms/sales.net-revenue/history", limit=2)
    assert (len(page["items"]), page["has_more"]) == (2, True)


def test_glossaries_and_terms_are_listed(site: VersionSite) -> None:
    add(site)
    add(site, name="Churn", domain="crm", synonyms=["attrition"], owner="bob", state="approved")
    assert get(site, "") == {
        "next_cursor": None,
        "has_more": False,
        "total_count": 2,
        "items": [
            {"domain": "crm", "terms": 1, "approved": 1, "owners": ["bob"]},
            {"domain": "sales", "terms": 1, "approved": 0, "owners": []},
        ],
        "errors": [],
    }
    assert [one["domain"] for one in get(site, "", domain="crm")["items"]] == ["crm"]
    page = get(site, "/terms", limit=1)
    assert (page["total_count"], page["has_more"], page["items"][0]["name"]) == (2, True, "Churn")
    assert [one["name"] for one in get(site, "/terms", q="attri")["items"]] == ["Churn"]
    assert [one["name"] for one in get(site, "/terms", state="draft")["items"]] == ["Net revenue"]


def test_a_stale_change_is_refused_and_nothing_is_lost(site: VersionSite) -> None:
    made = add(site)
    address = f"{API}/terms/{made['id']}"
    assert site.client.patch(address, json={"expected_version": 1, "owner": "bob"}).status_code == 200
    problem(site.client.patch(address, json={"expected_version": 1, "owner": "ann"}), 409, "E862")
    problem(site.client.delete(address, params={"expected_version": 1}), 409, "E862")
    assert get(site, f"/terms/{made['id']}")["owner"] == "bob"
    assert site.client.patch(address, json={"state": "approved"}).json()["version"] == 3  # whatever was read
    assert get(site, f"/terms/{made['id']}")["owner"] == "bob"


def test_a_term_in_use_names_what_uses_it(site: VersionSite) -> None:
    made = add(site)
    link(site)
    assert get(site, f"/terms/{made['id']}")["links"] == [
        {"asset": "core.orders", "column": None},
        {"asset": "core.orders", "column": "net_rev"},
    ]
    refused = problem(site.client.delete(f"{API}/terms/{made['id']}"), 409, "E863")
    assert "core.orders.net_rev" in str(refused)
    assert site.client.delete(f"{API}/terms/{made['id']}", params={"force": True}).status_code == 204


def test_terms_are_suggested_for_columns_without_one(site: VersionSite) -> None:
    add(site)
    add(site, name="Customer ID")
    found = get(site, "/suggestions", asset="core.orders")["items"]
    assert [(one["column"], one["name"]) for one in found] == [("cust_id", "Customer ID"), ("net_rev", "Net revenue")]
    assert all(0.5 < one["score"] <= 1 and one["reason"] for one in found)
    link(site)
    assert [one["column"] for one in get(site, "/suggestions", asset="core.orders")["items"]] == ["cust_id"]
    problem(site.client.get(f"{API}/suggestions", params={"asset": "core.nope"}), 404, "E850")


def test_export_and_import_are_a_round_trip(site: VersionSite) -> None:
    add(site, definition="=1+1", synonyms=["a|b"])
    for format in ("csv", "yaml"):
        answer = site.client.get(f"{API}/export", params={"format": format})
        assert f'filename="glossary.{format}"' in answer.headers["content-disposition"]
        done = site.client.post(f"{API}/import", json={"format": format, "text": answer.text}).json()
        assert done == {"added": [], "changed": [], "unchanged": ["sales.net-revenue"], "dry_run": False}
    text = site.client.get(f"{API}/export").text
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert row["definition"] == "'=1+1"


def test_an_import_is_all_or_nothing(site: VersionSite) -> None:
    text = "name,state\nA,draft\nB,nope\nC,worse\n"
    refused = problem(site.client.post(f"{API}/import", json={"format": "csv", "text": text}), 422, "E860")
    assert [one["where"] for one in refused["errors"]] == ["import.csv:3", "import.csv:4"]
    assert get(site, "/terms")["total_count"] == 0
    tried = site.client.post(f"{API}/import", json={"format": "csv", "text": "name\nA\n", "dry_run": True}).json()
    assert (tried["added"], get(site, "/terms")["total_count"]) == (["a"], 0)


def test_terms_of_files_are_there_and_cannot_be_changed_here(site: VersionSite) -> None:
    folder = site.root / "glossary"
    folder.mkdir()
    (folder / "sales.yaml").write_text("domain: sales\nterms:\n- name: Margin\n")
    assert [one["file"] for one in get(site, "/terms")["items"]] == ["glossary/sales.yaml"]
    body = {"expected_version": 1, "owner": "x"}
    problem(site.client.patch(f"{API}/terms/sales.margin", json=body), 409, "E866")
    problem(site.client.delete(f"{API}/terms/sales.margin"), 409, "E866")
    (folder / "sales.yaml").write_text("terms: [")
    assert get(site, "")["errors"][0]["where"].startswith("glossary/sales.yaml")
    assert get(site, "/terms")["total_count"] == 1


def test_who_may_only_read_changes_nothing(site: VersionSite) -> None:
    made = add(site)
    reader = site.token_of("eve@example.com", TokenScope.READ)
    assert site.client.get(f"{API}/terms", headers=reader).status_code == 200
    body = {"expected_version": 1, "owner": "eve"}
    imported = {"format": "csv", "text": "name\nX\n"}
    for answer in (
        site.client.post(f"{API}/terms", json={"name": "X"}, headers=reader),
        site.client.patch(f"{API}/terms/{made['id']}", json=body, headers=reader),
        site.client.delete(f"{API}/terms/{made['id']}", headers=reader),
        site.client.post(f"{API}/import", json=imported, headers=reader),
    ):
        problem(answer, 403, "E904")
    nobody = {"authorization": "Bearer wrong"}
    assert site.client.get(f"{API}/terms", headers=nobody).status_code == 401
    assert get(site, "/terms")["total_count"] == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "a\x00"},
        {"name": "a\nb"},
        {"name": "x" * 300},
        {"name": "a", "state": "final"},
        {"name": "a", "synonyms": ["x"] * 101},
        {"name": "a", "definition": "x" * 100_001},
        {"name": "a", "id": "../../etc"},
        {"name": "a", "related": ["nothing"]},
        {"name": "a", "version": 9},
    ],
)
def test_what_is_wrong_is_refused(site: VersionSite, body: dict[str, object]) -> None:
    assert site.client.post(f"{API}/terms", json=body).status_code == 422
    assert get(site, "/terms")["total_count"] == 0


def test_hostile_texts_are_stored_as_they_came(site: VersionSite) -> None:
    hostile = "<script>alert(1)</script> \u202egnp.exe [x](javascript:alert(1))"
    made = add(site, definition=hostile, synonyms=["<b>", "'; DROP TABLE forge_glossary_terms;--"])
    assert get(site, f"/terms/{made['id']}")["definition"] == hostile
    answer = site.client.get(f"{API}/terms/{made['id']}")
    assert answer.headers["content-type"].startswith("application/json")
