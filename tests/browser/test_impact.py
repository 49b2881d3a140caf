"""What a change would break, asked before it is made."""

from __future__ import annotations

import re

import pytest
from live_forge import Live
from playwright.sync_api import Page, expect
from watched_page import Visit

pytestmark = pytest.mark.browser

AMOUNT = "core.orders.amount"


def _hit(page: Page) -> list[str]:
    rows = page.get_by_role("region", name="What is hit").get_by_role("row")
    expect(rows.nth(1)).to_be_visible()
    names: list[str] = rows.locator("td:first-child a").all_inner_texts()
    return names


def test_the_drop_of_a_column_says_who_is_hit_how_hard_and_what_to_do(visit: Visit, site: Live) -> None:
    page = visit(site, f"/impact?focus={AMOUNT}").page
    page.get_by_role("button", name=re.compile("^Drop a column")).click()
    expect(page).to_have_url(re.compile("change=drop"))
    verdict = page.get_by_role("region", name="Verdict")
    expect(verdict).to_contain_text("high risk")
    expect(verdict).to_contain_text("breaking")
    hit = _hit(page)
    assert "transform:marts.daily_revenue" in hit
    assert [one for one in hit if one.startswith("marts.")] == [
        "marts.country_performance.average_order",
        "marts.country_performance.revenue",
        "marts.customer_value.lifetime_value",
        "marts.daily_revenue.revenue",
    ]
    for name in ("Migration steps", "Breaking changes", "Owners to tell", "Recommended actions", "Critical paths"):
        expect(page.get_by_role("region", name=name)).to_be_visible()
    expect(page.get_by_role("region", name="Breaking changes")).to_contain_text("sum(amount)")
    expect(page.get_by_text(f"forge impact {AMOUNT} --change drop")).to_be_visible()


def test_a_score_is_taken_apart_and_the_address_keeps_it(visit: Visit, site: Live) -> None:
    page = visit(site, f"/impact?focus={AMOUNT}&change=drop").page
    score = page.get_by_role("button", name=re.compile(r"how the score of marts\.daily_revenue\.revenue came about"))
    assert re.fullmatch(r"[\d.]+( × [\d.]+){4} = [\d.]+", score.get_attribute("title") or "")
    score.click()
    expect(page).to_have_url(re.compile(r"open=marts\.daily_revenue\.revenue"))
    page.reload()
    expect(score).to_have_attribute("aria-expanded", "true")
    for words in (
        "the change, drop",
        "kind: column",
        "how sure the way to it is",
        "distance, 1 step",
        "use: aggregated",
    ):
        expect(page.get_by_text(words)).to_be_visible()


def test_a_new_type_is_asked_for_and_told_wider_from_narrower(visit: Visit, site: Live) -> None:
    page = visit(site, f"/impact?focus={AMOUNT}").page
    page.get_by_label("Change").select_option("type")
    expect(page.get_by_text("New type?")).to_be_visible()
    page.get_by_label("New type").fill("decimal(18,2)")
    expect(page.get_by_role("region", name="Verdict")).to_contain_text("widening")
    page.get_by_label("New type").fill("int")
    expect(page.get_by_role("region", name="Verdict")).to_contain_text("narrowing")
    expect(page).to_have_url(re.compile("to=int"))


def test_a_change_of_a_table_asked_of_a_column_leads_to_the_table(visit: Visit, site: Live) -> None:
    visitor = visit(site, f"/impact?focus={AMOUNT}&change=drop-table")
    visitor.watch.expect("status of 422")
    page = visitor.page
    expect(page.get_by_role("alert")).to_contain_text("FORGE-E810")
    page.get_by_role("group", name="Nearest names").get_by_role("link", name="core.orders", exact=True).click()
    expect(page.get_by_role("region", name="Verdict")).to_contain_text("Dropping the table core.orders")


def test_lineage_asset_and_impact_lead_to_each_other(visit: Visit, site: Live) -> None:
    page = visit(site, f"/lineage?focus={AMOUNT}").page
    page.get_by_role("link", name="What if it changes?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Impact of a change")
    expect(page.get_by_role("combobox", name="Table or column")).to_have_value(AMOUNT)
    page.get_by_role("link", name="See its lineage").click()
    expect(page.locator(f'[data-column="{AMOUNT}"]')).to_be_visible()
    page.goto("/assets/core.orders?tab=lineage&col=amount")
    page.get_by_role("link", name="What if it changes?").click()
    expect(page).to_have_url(re.compile(r"/impact\?focus=core\.orders\.amount"))
