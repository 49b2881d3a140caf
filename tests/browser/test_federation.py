"""Queries as a person writes them: names are completed, rows of the lake and of a source come in one grid, a picture
and a plan of them are two clicks away; and sources are added, tested and seen to drift. There is no JVM."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from federation_site import alter_till
from page_checks import is_for_everyone
from playwright.sync_api import Browser, Locator, Page, expect
from quality_site import QualitySite
from watched_page import Visit

pytestmark = pytest.mark.browser

JOINED = (
    "SELECT c.city, c.email, sum(o.amount) AS total FROM core.orders o JOIN till.customers c ON o.order_id = c.id\n"
    "WHERE o.amount > :least GROUP BY c.city, c.email"
)
LONG = "SELECT id, city FROM till.visits ORDER BY id"


def _at(sql: str, *values: str, **more: str) -> str:
    return f"/query?{urlencode([('sql', sql), *(('p', one) for one in values), *more.items()])}"


def _editor(page: Page) -> Locator:
    return page.get_by_role("textbox", name="SQL")


def _accept(page: Page, name: str) -> None:
    """Enter that comes with the list is a new line, not a choice: who types does not see it yet."""
    expect(page.locator(".cm-tooltip-autocomplete").get_by_role("option", selected=True)).to_contain_text(name)
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")


def _result(page: Page) -> Locator:
    return page.get_by_role("table", name="Result")


def test_names_are_completed_while_a_query_is_typed_and_a_key_runs_it(till_site: QualitySite, visit: Visit) -> None:
    page = visit(till_site, "/query").page
    _editor(page).click()
    page.keyboard.type("SELECT  FROM ti")
    offers = page.locator(".cm-tooltip-autocomplete")
    _accept(page, "till")
    _accept(page, "customers")
    page.keyboard.type(" c")
    expect(_editor(page)).to_have_text("SELECT  FROM till.customers c")
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    page.keyboard.type("c.ci")
    expect(offers).to_contain_text("string")
    _accept(page, "city")
    page.keyboard.press("Control+Enter")
    expect(_result(page).get_by_role("columnheader", name="city string")).to_be_visible()
    expect(page).to_have_url(re.compile(r"sql=SELECT\+c\.city\+FROM\+till\.customers\+c"))


def test_a_table_of_the_lake_is_completed_at_the_branch(till_site: QualitySite, visit: Visit) -> None:
    page = visit(till_site, "/query?at=main").page
    _editor(page).click()
    page.keyboard.type("SELECT * FROM core.orders o WHERE o.a")
    expect(page.locator(".cm-tooltip-autocomplete").get_by_role("option", selected=True)).to_contain_text("amount")


def test_rows_of_lake_and_source_come_in_one_grid_and_say_how(till_site: QualitySite, visit: Visit) -> None:
    page = visit(till_site, _at(JOINED, "least:number=12")).page
    expect(_editor(page)).to_contain_text("core.orders")
    expect(_result(page)).to_be_hidden()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(_result(page).get_by_role("cell", name="NULL").first).to_be_visible()
    expect(page.get_by_text("email is hidden")).to_be_visible()
    head = page.get_by_role("region", name="Result", exact=True)
    expect(head).to_contain_text("in process (it is small)")
    page.get_by_text("Chart", exact=True).click()
    expect(page.get_by_role("img", name=re.compile("total by city"))).to_be_visible()
    page.get_by_text("Plan", exact=True).click()
    plan = page.get_by_role("list", name="Plan")
    expect(plan).to_contain_text("in till")
    expect(plan).to_contain_text('FROM "customers"')
    expect(page.get_by_role("table", name=re.compile("left to the sources"))).to_contain_text(
        "its tables are of several sources"
    )
    page.reload()
    expect(page.get_by_role("textbox", name=":least")).to_have_value("12")


def test_a_long_result_is_drawn_where_it_is_seen(till_site: QualitySite, visit: Visit) -> None:
    page = visit(till_site, _at(LONG)).page
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("The first 100,000 rows")).to_be_visible()
    assert _result(page).locator("tbody tr").count() < 60
    expect(_result(page)).to_have_attribute("aria-rowcount", "100001")
    grid = page.get_by_role("region", name="Rows of the result")
    grid.focus()
    page.keyboard.press("End")
    expect(_result(page).get_by_role("rowheader", name="100000", exact=True)).to_be_visible()
    with page.expect_download() as loading:
        page.get_by_role("button", name="CSV").click()
    lines = loading.value.path().read_bytes().decode().split("\r\n")
    assert (lines[0], lines[1], lines[4], len(lines)) == ("id,city", "0,London", "3,", 100_002)


def test_a_fault_is_shown_at_its_place_and_the_history_brings_a_query_back(
    till_site: QualitySite, visit: Visit
) -> None:
    visitor = visit(till_site, _at("SELECT count(*) AS n FROM till.customers"))
    visitor.watch.expect("422")
    page = visitor.page
    page.get_by_role("button", name="Run", exact=True).click()
    expect(_result(page).get_by_role("cell", name="3000")).to_be_visible()
    _editor(page).press("Control+a")
    page.keyboard.type("SELECT *\nFRM till.customers")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("E201")
    expect(page.locator(".sql-fault-line")).to_have_count(1)
    page.get_by_role("button", name="History").click()
    past = page.get_by_role("region", name="History")
    expect(past.get_by_role("listitem").first).to_contain_text("E201")
    past.get_by_role("button", name=re.compile("count")).click()
    expect(_editor(page)).to_have_text("SELECT count(*) AS n FROM till.customers")


def test_a_query_is_cancelled_and_ends_on_the_server(till_site: QualitySite, visit: Visit) -> None:
    numbers = " CROSS JOIN ".join(f"till.customers {name}" for name in "abcd")
    visitor = visit(till_site, _at(f"SELECT count(*) AS n FROM {numbers} WHERE a.city <> d.city", engine="in-process"))
    page = visitor.page
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The query was cancelled.")).to_be_visible()
    _editor(page).press("Control+a")
    page.keyboard.type("SELECT 1 AS one")
    page.keyboard.press("Control+Enter")
    expect(_result(page).get_by_role("columnheader", name=re.compile("one"))).to_be_visible()
    with till_site.api() as api:
        assert api.get("/system").json()["reads"]["running"] == 0


def test_a_source_is_added_tested_and_seen_to_drift(own_till_site: QualitySite, visit: Visit) -> None:
    visitor = visit(own_till_site, "/sources")
    visitor.watch.expect("403")
    page = visitor.page
    page.get_by_role("button", name="Add a source").click()
    form = page.get_by_role("dialog", name="Add a source")
    form.get_by_role("textbox", name="Name").fill("shop")
    form.get_by_role("combobox", name="Kind").select_option("sqlite")
    form.get_by_role("textbox", name="Path").fill("data/secret/shop.db")
    form.get_by_role("button", name="Add the source").click()
    expect(form.get_by_role("alert")).to_contain_text("federation.folders in forge.yaml allows data/shared")
    form.get_by_role("textbox", name="Path").fill("data/shared/shop.db")
    form.get_by_role("button", name="Add the source").click()
    source = page.get_by_role("article", name="shop")
    source.get_by_role("button", name=re.compile("customers")).click()
    expect(source.get_by_role("table", name="Columns of customers")).to_contain_text("city")
    source.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove the source").click()
    expect(page.get_by_role("article", name="shop")).to_be_hidden()

    page.get_by_role("list", name="Sources").get_by_role("link", name=re.compile("till")).click()
    till = page.get_by_role("article", name="till")
    expect(till.get_by_role("button", name="Edit")).to_have_count(0)
    till.get_by_role("button", name="Test").click()
    expect(till.get_by_text("answered")).to_be_visible()
    alter_till(own_till_site, "ALTER TABLE customers ADD COLUMN since TEXT")
    page.reload()
    till.get_by_text("Drift", exact=True).click()
    expect(till.get_by_role("list", name="What has changed")).to_contain_text("customers.since is new")


def test_a_source_of_csv_files_is_added_with_the_columns_of_its_header(till_site: QualitySite, visit: Visit) -> None:
    (till_site.wiring.root / "data" / "shared" / "rates.csv").write_text("day,rate,city\n2026-01-31,1.50,London\n")
    page = visit(till_site, "/sources?dialog=new").page
    form = page.get_by_role("dialog", name="Add a source")
    form.get_by_role("textbox", name="Name").fill("rates")
    form.get_by_role("combobox", name="Kind").select_option("files")
    form.get_by_role("textbox", name="Path").fill("data/shared/rates.csv")
    form.get_by_role("button", name="Look at the file").click()
    form.get_by_role("combobox", name="Type of column 2").fill("decimal(12,6)")
    form.get_by_role("button", name="Add the source").click()
    source = page.get_by_role("article", name="rates")
    source.get_by_role("button", name=re.compile("^rates")).click()
    expect(source.get_by_role("table", name=re.compile("Columns of"))).to_contain_text("decimal(12,6)")
    source.get_by_text("Connection", exact=True).click()
    expect(source).to_contain_text("header=true")


def test_the_pages_are_found_by_key(till_site: QualitySite, visit: Visit) -> None:
    page = visit(till_site, "/runs").page
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    page.keyboard.press("Control+K")
    page.keyboard.type("sour")
    page.get_by_role("option").filter(has_text="Sources").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sources")
    page.get_by_role("navigation", name="Query").get_by_role("link", name="Query").click()
    expect(_editor(page)).to_be_visible()


PLACES = {
    "query": (_at(JOINED, "least:number=12", panel="history"), "Nothing was asked yet"),
    "sources": ("/sources?source=till&table=customers", "bigint"),
}


@pytest.mark.parametrize("screen", ["light-1280", "dark-400"])
@pytest.mark.parametrize("place", PLACES)
def test_a_page_of_federation_is_for_everyone(
    place: str, screen: str, browser: Browser, till_site: QualitySite
) -> None:
    path, shown = PLACES[place]
    is_for_everyone(browser, till_site, f"federation-{place}-{screen}", path, shown)
