"""Usage, popular and similar assets and recommendations over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from catalog_world import CatalogWorld, table
from sqlite_source import lay_shop
from version_site import YAML, VersionSite, open_version_site, problem

from forge.catalog.discovery.usage import UsageKind
from forge.flows.catalog.crawl import crawl
from forge.flows.upkeep.access import TokenScope

API = "/api/v1/catalog"
ORDERS = table("core.orders", "id:bigint customer_id:bigint amount:double", domain="sales", tags=("gold",))
REFUNDS = table("core.refunds", "id:bigint customer_id:bigint amount:double reason", domain="sales")
STAFF = table("hr.staff", "name email", domain="hr", description="Who works here")

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VersionSite]:
    with open_version_site(tmp_path / "shop") as opened:
        CatalogWorld(opened.wiring.catalog.assets).crawl(ORDERS, REFUNDS, STAFF)
        yield opened


def get(site: VersionSite, path: str, as_: dict[str, str] | None = None, **query: object) -> Any:
    answer = site.client.get(f"{API}{path}", params=query, headers=as_)
    assert answer.status_code == 200, answer.text
    return answer.json()


def listed(site: VersionSite, path: str, as_: dict[str, str] | None = None, **query: object) -> Any:
    """What a short list has, which has no pages."""
    page = get(site, path, as_, **query)
    items = page.pop("items")
    assert page == {"next_cursor": None, "has_more": False, "total_count": len(items)}
    return items


def use(site: VersionSite, user: str, *names: str, kind: UsageKind = UsageKind.VIEW) -> None:
    recorder = site.wiring.catalog.discovery.recorder
    recorder.record(kind, names, user)
    recorder.flush()


def test_a_query_of_a_source_is_a_use_of_its_table(tmp_path: Path) -> None:
    with open_version_site(tmp_path / "shop") as site:
        (site.root / "sources").mkdir()
        (site.root / "sources" / "till.yaml").write_text(
            "sources:\n  - {name: till, connector: sqlite, path: data/shop.db}\n"
        )
        lay_shop(site.root / "data" / "shop.db")
        crawl(site.wiring.catalog.crawl_ports())
        asked = site.client.post("/api/v1/federation/query", json={"sql": "SELECT id FROM till.customers"})
        assert asked.status_code == 200, asked.text
        site.wiring.catalog.discovery.recorder.flush()
        assert [(one["id"], one["queries"]) for one in listed(site, "/popular")] == [("sqlite:shop.customers", 1)]
        assert get(site, "/assets/sqlite:shop.customers/usage")["queries"] == 1


def test_popular_and_usage_by_day(site: VersionSite) -> None:
    use(site, "eve", "core.orders", "hr.staff")
    use(site, "bob", "core.orders", kind=UsageKind.QUERY)
    found = listed(site, "/popular", time_range="day")
    assert [(one["id"], one["users"], one["views"], one["queries"]) for one in found] == [
        ("core.orders", 2, 1, 1),
        ("hr.staff", 1, 1, 0),
    ]
    assert [one["id"] for one in listed(site, "/popular", domain="hr")] == ["hr.staff"]
    assert len(listed(site, "/popular", limit=1)) == 1
    usage = get(site, "/assets/core.orders/usage", time_range="week")
    assert (usage["asset"], usage["users"], len(usage["days"]), usage["days"][-1]["views"]) == ("core.orders", 2, 7, 1)
    today = site.wiring.clock().date()
    assert usage["days"][0]["day"] == (today - timedelta(days=6)).isoformat()


def test_similar_assets_say_why(site: VersionSite) -> None:
    (found,) = listed(site, "/assets/core.orders/similar")
    assert (found["id"], found["schema_score"]) == ("core.refunds", 0.75)
    assert found["reasons"][0] == "shares 3 of 3 columns: id, customer_id, amount"


def test_recommendations_are_for_who_asks(site: VersionSite) -> None:
    use(site, "ada@example.com", "core.orders")
    use(site, "eve@example.com", "core.orders", "hr.staff")
    mine = listed(site, "/recommendations")
    assert [(one["id"], [reason["source"] for reason in one["reasons"]]) for one in mine] == [
        ("hr.staff", ["people", "popular"]),
        ("core.refunds", ["domain"]),
    ]
    eve = site.token_of("eve@example.com", TokenScope.READ)
    assert [one["id"] for one in listed(site, "/recommendations", eve)] == ["core.refunds"]
    assert [one["id"] for one in listed(site, "/recommendations", eve, context="core.refunds")] == []
    assert len(listed(site, "/recommendations", limit=1)) == 1


def test_lineage_recommends_its_neighbours(site: VersionSite) -> None:
    ends = ("core.orders.amount", "core.refunds.amount")
    nodes = [{"id": end.rpartition(".")[0], "type": "table"} for end in ends]
    nodes += [{"id": end, "type": "column"} for end in ends]
    edges = [{"source": ends[0], "target": ends[1]}]
    made = site.client.post("/api/v1/lineage/edges", json={"nodes": nodes, "edges": edges, "reason": "a test"})
    assert made.status_code in (200, 201), made.text
    use(site, "ada@example.com", "core.orders")
    found = {one["id"]: one["reasons"] for one in listed(site, "/recommendations")}
    assert found["core.refunds"][0] == {
        "source": "lineage",
        "text": "it is made from core.orders, which you used",
    }


def test_a_page_of_an_asset_counts_as_a_view(site: VersionSite) -> None:
    eve = site.token_of("eve@example.com", TokenScope.READ)
    for name in ("core.orders", "core.orders", "hr.staff"):
        get(site, f"/assets/{name}", eve)
    assert site.client.get(f"{API}/assets/core.nope").status_code == 404
    site.wiring.catalog.discovery.recorder.flush()
    assert [(one["id"], one["views"], one["users"]) for one in listed(site, "/popular")] == [
        ("core.orders", 2, 1),
        ("hr.staff", 1, 1),
    ]


def test_names_with_slashes_are_names(site: VersionSite) -> None:
    name = "files:/data/in/orders.csv"
    columns = "id:bigint customer_id:bigint amount:double"
    CatalogWorld(site.wiring.catalog.assets).crawl(ORDERS, REFUNDS, STAFF, table(name, columns))
    assert [one["id"] for one in listed(site, f"/assets/{name}/similar")] == ["core.orders", "core.refunds"]
    assert get(site, f"/assets/{name}/usage")["asset"] == name


def test_a_query_counts_for_its_tables(site: VersionSite) -> None:
    from forge.flows.upkeep.query_audit import ASKED, query_record
    from forge.model.names import TableName

    tables = [TableName("core", "orders"), TableName("core", "refunds")]
    site.wiring.metadata.note(query_record(site.wiring.clock, "eve", ASKED, "http", "SELECT 1", tables, {}))
    site.wiring.catalog.discovery.recorder.flush()
    assert [(one["id"], one["queries"]) for one in listed(site, "/popular")] == [
        ("core.orders", 1),
        ("core.refunds", 1),
    ]


def test_a_server_that_stops_has_written_what_was_used(tmp_path: Path) -> None:
    with open_version_site(tmp_path / "shop") as site:
        site.wiring.catalog.discovery.recorder.record(UsageKind.VIEW, ["core.orders"], "eve")
    with open_version_site(tmp_path / "shop") as site:
        CatalogWorld(site.wiring.catalog.assets).crawl(ORDERS)
        assert [one["id"] for one in listed(site, "/popular")] == ["core.orders"]


@pytest.mark.parametrize(("word", "rows"), [("off", 0), ("anonymous", 1)])
def test_usage_can_be_anonymous_or_off(tmp_path: Path, word: str, rows: int) -> None:
    with open_version_site(tmp_path / "shop", YAML.replace("follow: false", f"follow: false, usage: {word}")) as site:
        use(site, "eve@example.com", "core.orders")
        today = site.wiring.clock().date()
        cells = site.wiring.catalog.discovery.usage.cells(today, today)
        assert len(cells) == rows
        assert "eve" not in str(cells)


def test_unknown_assets_are_not_found_and_bounds_hold(site: VersionSite) -> None:
    for path in ("/assets/core.nope/similar", "/assets/core.nope/usage", "/recommendations?context=core.nope"):
        problem(site.client.get(f"{API}{path}"), 404, "E850")
    for path in (
        "/popular?limit=0",
        "/popular?time_range=year",
        "/recommendations?limit=51",
        f"/assets/{'x' * 1001}/usage",
    ):
        assert site.client.get(f"{API}{path}").status_code == 422
    nobody = {"authorization": "Bearer wrong"}
    for path in ("/popular", "/recommendations", "/assets/core.orders/usage", "/assets/core.orders/similar"):
        assert site.client.get(f"{API}{path}", headers=nobody).status_code == 401
