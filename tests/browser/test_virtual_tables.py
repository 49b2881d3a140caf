"""A query that is kept becomes a virtual table, and a person sees what it is made of, that its source drifted, and who
reads it before it is deleted. There is no JVM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from federation_site import alter_till, serve_federation
from page_checks import AXE, is_for_everyone, keep_picture, violations
from playwright.sync_api import Browser, Page, expect
from quality_site import QualitySite
from watched_page import Visit, new_profile, signed_in_at

pytestmark = pytest.mark.browser

PEOPLE: dict[str, Any] = {
    "name": "people",
    "description": "Customers of the tills, with the town as they are called elsewhere",
    "sources": [{"alias": "c", "connector_id": "till", "table_name": "customers", "column_mappings": {"town": "city"}}],
    "columns": [
        {"name": "id", "source_column": "c.id", "nullable": False},
        {"name": "town", "source_column": "c.town"},
        {"name": "shout", "expression": "upper(c.town || '!')", "data_type": "string"},
    ],
    "default_filters": ["c.id < 2000"],
}
BOUGHT: dict[str, Any] = {
    "name": "bought",
    "sources": [
        {"alias": "o", "connector_id": "lake", "schema_name": "core", "table_name": "orders"},
        {"alias": "p", "connector_id": "virtual", "table_name": "people"},
    ],
    "joins": [{"left_alias": "o", "right_alias": "p", "conditions": [{"left": "order_id", "right": "id"}]}],
    "columns": [{"name": "order_id", "source_column": "o.order_id"}, {"name": "town", "source_column": "p.town"}],
    "cache_enabled": False,
}  # fmt: skip
JOINED = (
    "SELECT o.order_id, c.city, o.amount * 2 AS twice\n"
    "FROM core.orders o JOIN till.customers c ON o.order_id = c.id\nWHERE c.city = 'Paris'"
)


@pytest.fixture(scope="module")
def virtual_table_site(web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[QualitySite]:
    with serve_federation(tmp_path_factory.mktemp("virtual") / "shop") as site, site.api() as api:
        for fields in (PEOPLE, BOUGHT):
            made = api.post("/federation/virtual-tables", json=fields)
            assert made.status_code == 201, made.text
        saved = {"name": "Cities", "description": "Where customers live", "sql": JOINED, "is_shared": True}
        assert api.post("/federation/saved-queries", json=saved).status_code == 201
        yield site


def _query(sql: str) -> str:
    return f"/query?{urlencode({'sql': sql})}"


def _save_as_table(page: Page, name: str) -> None:
    page.get_by_role("button", name="Save as virtual table").click()
    form = page.get_by_role("dialog", name="Save as virtual table")
    expect(form.get_by_text("o.amount * 2")).to_be_visible()
    form.get_by_role("textbox", name="Name").fill(name)
    form.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"virtual.{name}")


def test_a_select_becomes_a_virtual_table_that_is_read_changed_and_deleted(
    own_till_site: QualitySite, visit: Visit
) -> None:
    visitor = visit(own_till_site, _query(JOINED))
    visitor.watch.expect("422")
    page = visitor.page
    page.get_by_role("button", name="Save as virtual table").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_contain_text("Run the query first")
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("table", name="Result")).to_be_visible()
    _save_as_table(page, "paris")
    columns = page.get_by_role("table", name="Columns of paris")
    expect(columns).to_contain_text("till.customers.city")
    expect(columns).to_contain_text("o.amount * 2")

    page.get_by_role("tab", name="SQL").click()
    page.get_by_role("link", name="Change it there").click()
    editor = page.get_by_role("textbox", name="SQL")
    expect(editor).to_contain_text("'Paris'")
    editor.press("Control+End")
    page.keyboard.type(" AND o.order_id > 10")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Change virtual.paris").click()
    page.get_by_role("dialog").get_by_role("button", name="Change it").click()
    expect(page.get_by_text("o.order_id > 10", exact=True)).to_be_visible()

    page.get_by_role("link", name="Open in query").click()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("table", name="Result").get_by_role("cell", name="Paris").first).to_be_visible()
    page.goto("/virtual-tables/paris")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete it").click()
    expect(page.get_by_text("No virtual tables yet")).to_be_visible()


def test_drift_of_a_source_is_seen_in_the_list_and_told_by_a_test(own_till_site: QualitySite, visit: Visit) -> None:
    with own_till_site.api() as api:
        for fields in (PEOPLE, BOUGHT):
            assert api.post("/federation/virtual-tables", json=fields).status_code == 201
    visitor = visit(own_till_site, "/virtual-tables")
    visitor.watch.expect("422")
    page = visitor.page
    page.get_by_role("button", name="Compare with their sources").click()
    rows = page.get_by_role("table", name="Virtual tables")
    expect(rows.get_by_text("as declared")).to_have_count(2)
    alter_till(own_till_site, "ALTER TABLE customers RENAME COLUMN city TO place")
    page.get_by_role("button", name="Compare with their sources").click()
    expect(rows.get_by_text("1 change")).to_have_count(2)
    rows.get_by_role("link", name="people").click()
    page.get_by_role("tab", name="Against its sources").click()
    expect(page.get_by_role("list", name="What has changed")).to_contain_text("till.customers.city is gone")
    page.get_by_role("button", name="Test it").click()
    expect(page.get_by_role("alert")).to_contain_text("E893")
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text("bought reads it")
    page.get_by_role("dialog").get_by_role("button", name="Keep it").click()


def test_what_it_says_is_edited(own_till_site: QualitySite, visit: Visit) -> None:
    with own_till_site.api() as api:
        assert api.post("/federation/virtual-tables", json=PEOPLE).status_code == 201
        visitor = visit(own_till_site, "/virtual-tables/people?dialog=edit")
        visitor.watch.expect("409")
        page = visitor.page
        form = page.get_by_role("dialog", name="Edit people")
        form.get_by_label("Description").fill("People")
        assert api.patch("/federation/virtual-tables/people", json={"description": "Faster"}).status_code == 200
        form.get_by_role("button", name="Save").click()
        expect(form.get_by_role("alert")).to_contain_text("E897")
        form.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Edit").click()
        form.get_by_label("Description").fill("People")
        form.get_by_role("button", name="Save").click()
        expect(page.get_by_text("People", exact=True)).to_be_visible()


def test_a_query_is_kept_opened_and_deleted(own_till_site: QualitySite, visit: Visit) -> None:
    page = visit(
        own_till_site, _query("SELECT count(*) AS n FROM till.customers WHERE id < :least") + "&p=least:number=7"
    ).page
    page.get_by_role("button", name="Save", exact=True).click()
    form = page.get_by_role("dialog", name="Save the query")
    form.get_by_role("textbox", name="Name").fill("How many")
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_text("How many is saved")).to_be_visible()
    page.goto("/query?panel=saved")
    saved = page.get_by_role("region", name="Saved queries")
    saved.get_by_role("button", name=re.compile("SELECT count")).click()
    expect(page.get_by_role("textbox", name=":least")).to_have_value("7")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("table", name="Result").get_by_role("cell", name="7")).to_be_visible()
    page.get_by_role("button", name="Saved", exact=True).click()
    saved.get_by_role("button", name="Delete How many").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete the query").click()
    expect(saved.get_by_text("None yet")).to_be_visible()


def test_the_page_is_found_by_key_and_from_a_source(virtual_table_site: QualitySite, visit: Visit) -> None:
    page = visit(virtual_table_site, "/runs").page
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    page.keyboard.press("Control+K")
    page.keyboard.type("virt")
    page.get_by_role("option").filter(has_text="Virtual tables").first.click()
    expect(page.get_by_role("table", name="Virtual tables")).to_be_visible()
    page.goto("/sources?source=till")
    page.get_by_role("article", name="till").get_by_role("link", name="people").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("virtual.people")


PLACES = {
    "list": ("/virtual-tables", "till.customers"),
    "columns": ("/virtual-tables/people", "upper(c.town || '!')"),
    "sources": ("/virtual-tables/bought?tab=sources", "as they were"),
    "sql": ("/virtual-tables/bought?tab=sql", "Open this SELECT"),
    "lineage": ("/virtual-tables/people?tab=lineage", "Open in Lineage"),
    "edit": ("/virtual-tables/people?dialog=edit", "Filters that always hold"),
    "saved": ("/query?panel=saved", "Where customers live"),
}


@pytest.mark.parametrize("screen", ["light-1280", "dark-400"])
@pytest.mark.parametrize("place", PLACES)
def test_a_page_of_virtual_tables_is_for_everyone(
    place: str, screen: str, browser: Browser, virtual_table_site: QualitySite
) -> None:
    path, shown = PLACES[place]
    is_for_everyone(browser, virtual_table_site, f"virtual-{place}-{screen}", path, shown)


@pytest.mark.parametrize("screen", ["dark-1280", "light-400"])
def test_the_dialogs_of_saving_are_for_everyone(screen: str, browser: Browser, virtual_table_site: QualitySite) -> None:
    theme, width = screen.split("-")
    context = new_profile(browser, virtual_table_site, dark=theme == "dark", width=int(width), bypass_csp=True)
    try:
        context.add_init_script(path=AXE)
        page = context.new_page()
        page.goto(signed_in_at(virtual_table_site, _query(JOINED)))
        dialog = page.get_by_role("dialog")

        def looks_well(name: str, shown: str) -> None:
            expect(dialog.get_by_text(shown).first).to_be_visible()
            expect(dialog).to_have_css("opacity", "1")
            found = violations(page)
            keep_picture(page, f"virtual-{name}-{screen}.png")
            assert not found, "\n".join(found)
            dialog.get_by_role("button", name=re.compile("Cancel|Keep it")).click()
            expect(dialog).to_be_hidden()

        page.get_by_role("button", name="Save as virtual table").click()
        looks_well("refused", "Run the query first")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.get_by_role("table", name="Result")).to_be_visible()
        page.get_by_role("button", name="Save as virtual table").click()
        looks_well("draft", "o.amount * 2")
        page.get_by_role("button", name="Save", exact=True).click()
        looks_well("keep", "Others see it, too")
        page.goto("/virtual-tables/people?dialog=delete")
        looks_well("delete", "bought")
    finally:
        context.close()
