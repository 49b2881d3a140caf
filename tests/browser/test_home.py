"""The first page after `make demo`: what is wrong, since when, from where, who is hit, and the way to mend it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from live_forge import Live
from playwright.sync_api import Locator, Page, expect
from watched_page import Visit

pytestmark = pytest.mark.browser

BRANCH = "fix-orders-in-a-browser"


@pytest.fixture
def branch(site: Live) -> Iterator[str]:
    """The name of a branch that is gone after the test, if it was made."""
    yield BRANCH
    with site.api() as api:
        api.delete(f"/branches/{BRANCH}", params={"force": "true"})


def _worst(page: Page) -> Locator:
    return page.get_by_role("region", name=re.compile(r"^core\.orders\.amount"))


def test_home_tells_without_a_click_what_is_wrong(visit: Visit, site: Live) -> None:
    worst = _worst(visit(site).page)
    heading = worst.get_by_role("heading", level=2)
    expect(heading).to_contain_text("core.orders.amount")
    expect(heading).to_contain_text("19 of 5,060 rows (0.38%) are outside 0 … 5000; greatest is 62,086.99")
    expect(heading).to_be_in_viewport()
    expect(worst).to_contain_text("critical")
    expect(worst).to_contain_text("since 15 Nov 06:10 UTC")


def test_home_tells_where_it_came_from_and_in_which_commit(visit: Visit, site: Live) -> None:
    worst = _worst(visit(site).page)
    origin = worst.get_by_role("link", name="raw.orders.amount", exact=True)
    expect(origin).to_be_visible()
    expect(worst).to_contain_text("“orders of 14 November 2026”, Sam Shop, 15 Nov 06:10")
    with site.api() as api:
        head = api.get("/branches/main").json()["head_commit"]
    expect(worst.locator(f'a[href="/commits/{head}"]')).to_be_visible()


def test_home_tells_who_would_have_been_hit_and_whose_it_is(visit: Visit, site: Live) -> None:
    worst = _worst(visit(site).page)
    expect(worst).to_contain_text("Would have been hit: 4 columns")
    spared = worst.get_by_role("definition").filter(has_text="marts.daily_revenue.revenue").get_by_role("listitem")
    expect(spared.filter(has_text="marts.country_performance.average_order")).to_contain_text("revenue sven")
    expect(spared.filter(has_text="marts.customer_value.lifetime_value")).to_contain_text("maria")
    expect(spared.filter(has_text="marts.daily_revenue.revenue")).to_contain_text("fiona")


def test_home_tells_who_never_saw_it_and_where_the_rows_are(visit: Visit, site: Live) -> None:
    worst = _worst(visit(site).page)
    expect(worst).to_contain_text(
        "Readers of core.orders and 3 more tables never saw it. main still has core.orders version 9 of 14 Nov."
    )
    expect(worst).to_contain_text("raw.orders holds the rows as delivered; staging.orders passes them on.")
    for held in ("marts.country_performance", "marts.customer_value", "marts.daily_revenue"):
        expect(worst.get_by_role("link", name=held, exact=True).first).to_be_visible()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_picture_shows_the_failing_column_in_red_and_only_touched_columns(
    dark: bool, visit: Visit, site: Live
) -> None:
    page = visit(site, dark=dark).page
    picture = _worst(page).get_by_role("application")
    failing = picture.get_by_role("button", name=re.compile(r"core\.orders\. ?amount check failed"))
    expect(failing).to_be_visible()
    red, green, blue = failing.evaluate("one => getComputedStyle(one).color.match(/[\\d.]+/g).slice(0, 3).map(Number)")
    assert red > 1.4 * green, (red, green, blue)
    assert red > 1.4 * blue, (red, green, blue)
    expect(picture.get_by_role("button", name=re.compile(r"raw\.orders\. ?amount came in here"))).to_be_visible()
    # Seven columns has the table; six of them have nothing to do with it.
    expect(picture.locator('[data-column^="core.orders."]')).to_have_count(1)
    expect(picture.get_by_role("button", name="+ 6 more: columns of core.orders")).to_be_visible()


def test_the_counters_count_the_demo_and_lead_to_what_they_count(visit: Visit, site: Live) -> None:
    page = visit(site).page
    glance = page.get_by_role("list", name="At a glance")
    expect(glance.get_by_role("listitem")).to_have_count(4)
    expect(glance).to_contain_text("17")
    glance.get_by_role("link", name="1 check failing").click()
    expect(page).to_have_url(re.compile(r"/quality\?health=failing$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Quality")
    expect(page.get_by_role("main").get_by_role("link", name="core.orders", exact=True)).to_be_visible()


def test_home_shows_the_quality_of_the_days_and_what_changed(visit: Visit, site: Live) -> None:
    page = visit(site).page
    trend = page.get_by_role("table", name="Checks per day")
    expect(trend.get_by_role("row", name=re.compile("^6 Nov 80 0 0"))).to_have_count(1)
    expect(trend.get_by_role("row", name=re.compile("^15 Nov 17 1 0"))).to_have_count(1)
    recent = page.get_by_role("region", name="Last change of each table")
    expect(recent.get_by_role("link", name="orders of 14 November 2026")).to_be_visible()
    expect(recent).to_contain_text("+144 rows")


def test_one_click_leads_to_who_is_hit_and_to_the_run(visit: Visit, site: Live) -> None:
    page = visit(site).page
    _worst(page).get_by_role("link", name="See who is hit").click()
    expect(page).to_have_url(re.compile(r"/lineage\?focus=core\.orders\.amount&direction=downstream"))
    expect(page.locator('[data-column="marts.daily_revenue.revenue"]')).to_be_visible()
    page.go_back()
    _worst(page).get_by_role("link", name="Open the run").click()
    expect(page.get_by_role("main")).to_contain_text("core.orders was held back")


def test_fix_on_a_branch_makes_one_and_tells_the_next_steps(branch: str, visit: Visit, site: Live) -> None:
    page = visit(site).page
    page.get_by_role("button", name="Fix on a branch").click()
    dialog = page.get_by_role("dialog", name="Fix on a branch")
    name = dialog.get_by_role("textbox", name="Name of the branch")
    expect(name).to_have_value(re.compile("orders"))  # a name is offered
    name.fill(branch)
    dialog.get_by_role("button", name="Create the branch").click()
    expect(page).to_have_url(re.compile(f"/branches/{branch}"))
    expect(page.get_by_role("heading", level=1, name=branch)).to_be_visible()
    steps = page.get_by_role("region", name="How to fix core.orders here")
    expect(steps).to_contain_text("raw.orders.amount")
    expect(steps).to_contain_text(re.compile(f"forge run raw\\.orders\\+ --branch {branch} .*--param day=2026-11-14"))
    expect(steps.get_by_role("link", name="Run it on this branch")).to_be_visible()

    page.get_by_role("navigation").get_by_role("link", name="Branches").click()
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name=branch, exact=True))
    expect(row).to_contain_text("Fix core.orders.amount")
    row.get_by_role("link", name=f"Delete {branch}").click()
    question = page.get_by_role("dialog", name=f"Delete the branch {branch}?")
    expect(question).to_contain_text("no data is lost")
    question.get_by_role("button", name="Delete the branch").click()
    expect(question).to_be_hidden()
    expect(page.get_by_role("main").get_by_role("link", name=branch, exact=True)).to_have_count(0)
    expect(page.get_by_role("main").get_by_role("link", name="main", exact=True)).to_be_visible()


def test_a_branch_that_is_there_already_is_refused_in_words(branch: str, visit: Visit, site: Live) -> None:
    with site.api() as api:
        assert api.post("/branches", json={"name": branch}).status_code == 201
    visitor = visit(site)
    visitor.watch.expect("status of 409")
    page = visitor.page
    page.get_by_role("button", name="Fix on a branch").click()
    dialog = page.get_by_role("dialog", name="Fix on a branch")
    dialog.get_by_role("textbox", name="Name of the branch").fill(branch)
    dialog.get_by_role("button", name="Create the branch").click()
    refused = dialog.get_by_role("alert")
    expect(refused).to_contain_text("FORGE-E603")
    expect(refused).to_contain_text(branch)
    expect(refused).to_contain_text("Fix:")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
