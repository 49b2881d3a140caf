"""A query put together without typing SQL: tables are joined, columns added up, filters grouped; what the server writes
is what runs, and SQL that was typed is shown as parts. There is no JVM."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from page_checks import is_for_everyone
from playwright.sync_api import Browser, Page, expect
from quality_site import QualitySite
from watched_page import Visit

pytestmark = pytest.mark.browser

BUILT = (
    "SELECT c.city, SUM(o.amount) AS total FROM core.orders AS o LEFT JOIN till.customers AS c ON o.order_id = c.id"
    " WHERE (c.city IN ('London', 'Paris') OR c.city IS NULL) AND o.amount > 10.5 GROUP BY c.city"
    " HAVING COUNT(*) > 1 ORDER BY total DESC LIMIT 100"
)


def _at(sql: str, **more: str) -> str:
    return f"/query?{urlencode({'sql': sql, 'by': 'builder', **more})}"


def _choose(page: Page, name: str, typed: str) -> None:
    """By the keys alone: a part of the name, and Enter."""
    page.get_by_role("combobox", name=name, exact=True).click()
    page.keyboard.type(typed)
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")


def test_a_query_is_put_together_and_run(till_site: QualitySite, visit: Visit) -> None:
    page = visit(till_site, "/query?by=builder").page
    written = page.get_by_role("region", name="SQL of the builder")
    expect(written).to_have_text("Choose a table.")
    _choose(page, "Choose a table", "core.ord")
    expect(written).to_contain_text("FROM core.orders AS o")
    _choose(page, "Join a table", "customers")
    expect(written).to_contain_text("Say which columns join c")
    _choose(page, "Left column 1", "order_id")
    _choose(page, "Right column 1", "c.id")
    _choose(page, "Add a column", "city")
    _choose(page, "Add a column", "amount")
    page.get_by_role("combobox", name="Column 2: what of it").select_option("sum")
    expect(written).to_contain_text("SUM(o.amount) AS sum_amount")
    page.get_by_role("button", name="Add a filter", exact=True).click()
    _choose(page, "Filter 1: column", "city")
    page.get_by_role("combobox", name="Filter 1: operator").select_option("in")
    page.get_by_role("combobox", name="Filter 1: values").click()
    page.keyboard.type('O\'Hare \\ "x"\nLondon\n')
    expect(written).to_contain_text("IN ('O\\'Hare \\\\ \"x\"', 'London')")
    page.keyboard.press("Control+Enter")
    result = page.get_by_role("table", name="Result")
    expect(result.get_by_role("cell", name="London")).to_be_visible()
    expect(result.locator("tbody tr")).to_have_count(1)


def test_typed_sql_is_shown_as_parts_and_back(till_site: QualitySite, visit: Visit) -> None:
    page = visit(till_site, f"/query?{urlencode({'sql': BUILT})}").page
    page.get_by_text("Builder", exact=True).click()
    expect(page.get_by_role("combobox", name="How c is joined")).to_have_value("left")
    expect(page.get_by_role("combobox", name="Left column 1")).to_have_value("o.order_id")
    expect(page.get_by_role("group", name="Filter 1", exact=True)).to_contain_text("or")
    page.get_by_role("button", name="Order 1: remove").click()
    expect(page.get_by_role("region", name="SQL of the builder")).not_to_contain_text("ORDER BY")
    page.get_by_text("SQL", exact=True).click()
    expect(page.get_by_role("textbox", name="SQL")).to_contain_text("HAVING")
    page.get_by_role("button", name="Run", exact=True).click()
    result = page.get_by_role("table", name="Result")
    expect(result.get_by_role("cell", name="London")).to_be_visible()
    page.get_by_role("textbox", name="SQL").press("Control+a")
    page.keyboard.type("SELECT 1 AS one")
    page.keyboard.press("Control+Enter")
    expect(result.get_by_role("columnheader", name=re.compile("one"))).to_be_visible()


def test_what_is_not_shown_is_named_and_still_runs(till_site: QualitySite, visit: Visit) -> None:
    page = visit(till_site, _at("SELECT city,\n  count(*) OVER () AS n\nFROM till.customers LIMIT 5")).page
    expect(page.get_by_text("The builder does not show")).to_contain_text("a window function (line 2, column 3)")
    page.get_by_role("button", name="Edit it as SQL").click()
    expect(page.get_by_role("textbox", name="SQL")).to_contain_text("OVER")
    expect(page).not_to_have_url(re.compile("by=builder"))


def test_a_query_is_taken_away_as_a_transform_file(till_site: QualitySite, visit: Visit) -> None:
    page = visit(
        till_site, _at("SELECT o.amount FROM core.orders AS o JOIN till.customers AS c ON o.order_id = c.id")
    ).page
    page.get_by_role("button", name="Transform file").click()
    dialog = page.get_by_role("dialog", name="Save as a transform file")
    expect(dialog.get_by_role("button", name="Download")).to_be_disabled()
    dialog.get_by_role("textbox", name="Table").fill("marts.amounts")
    expect(dialog).to_contain_text("transforms/marts/amounts.sql")
    expect(dialog).to_contain_text("till.customers is not a table of the lake")
    with page.expect_download() as loading:
        dialog.get_by_role("button", name="Download").click()
    assert loading.value.suggested_filename == "amounts.sql"
    text = loading.value.path().read_text()
    assert text.startswith("/* forge\noutput: marts.amounts\nkind: full\n*/\nSELECT o.amount")


PLACES = {
    "built": (_at(BUILT), "SUM(o.amount)"),
    "not-shown": (_at("SELECT * FROM (SELECT 1) x"), "a subquery in FROM"),
}


@pytest.mark.parametrize("screen", ["light-1280", "dark-1280", "light-400", "dark-400"])
@pytest.mark.parametrize("place", PLACES)
def test_the_builder_is_for_everyone(place: str, screen: str, browser: Browser, till_site: QualitySite) -> None:
    path, shown = PLACES[place]
    is_for_everyone(browser, till_site, f"builder-{place}-{screen}", path, shown)
