"""Quality as a person meets it: a monitor is made, fails, its rows are looked at, the incident is worked on, the data
is mended, and a number that was odd is judged. Everything is real but the engine: rows are judged without a JVM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_checks import is_for_everyone
from playwright.sync_api import Browser, Locator, Page, expect
from quality_site import QualitySite, csv_of, serve_quality
from watched_page import Visit

pytestmark = pytest.mark.browser

SAW = "10 of 70 rows (14.29%) are outside 0 … 100"


@pytest.fixture(scope="module")
def well(web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[QualitySite]:
    """Sixty orders in euros and ten in cents, found twice by a monitor; and forty days of a metric. Tests only look."""
    with serve_quality(tmp_path_factory.mktemp("quality") / "shop") as site:
        _lay(site)
        monitor = site.monitor()
        site.run(monitor)
        site.run(monitor)
        site.monitor(name="Orders by hand", schedule=None, channels=[], sla_target_percentage=None, enabled=False)
        site.keep_history()
        yield site


@pytest.fixture
def unjudged_shop(web_files: Path, tmp_path: Path) -> Iterator[QualitySite]:
    """The same orders, and nothing was judged yet."""
    with serve_quality(tmp_path / "shop") as site:
        _lay(site)
        yield site


@pytest.fixture(scope="module")
def bare(web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[QualitySite]:
    with serve_quality(tmp_path_factory.mktemp("quality") / "empty") as site:
        yield site


def _lay(site: QualitySite) -> None:
    site.upload(csv_of(range(100, 160), 10), "orders of 13 November")
    site.upload(csv_of(range(160, 170), 900), "orders of 14 November, in cents")


def _region(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def _add_range(page: Page) -> None:
    page.get_by_role("button", name="Add a check").click()
    page.get_by_label("Check 1", exact=True).select_option("range")
    page.get_by_label("Column", exact=False).first.fill("amount")
    page.get_by_label("At least").fill("200")
    page.get_by_label("At most").fill("100")


def test_a_monitor_is_made_with_its_preview_and_runs(unjudged_shop: QualitySite, visit: Visit) -> None:
    page = visit(unjudged_shop, "/quality/monitors").page
    expect(page.get_by_text("Nothing is watched yet")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="New monitor").first.click()
    page.get_by_label("Name").first.fill("Orders are in euros")
    page.get_by_role("combobox", name="Dataset").fill("core.orders")
    _add_range(page)
    preview = page.get_by_role("complementary", name="Preview")
    expect(preview).to_contain_text("1 thing to mend")
    expect(page.get_by_role("group", name="Check 1")).to_contain_text("more than")
    page.get_by_label("At least").fill("0")
    expect(preview).to_contain_text("It can be made")
    expect(preview).to_contain_text("range of amount")
    page.get_by_text("By the calendar").click()
    page.get_by_label("Cron").fill("0 6 * * 1-5")
    expect(preview).to_contain_text("Monday to Friday at 06:00 UTC")
    expect(preview.get_by_role("listitem").filter(has_text="06:00 UTC")).to_have_count(5)
    page.get_by_role("button", name="Create the monitor").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Orders are in euros")
    page.get_by_role("button", name="Run now").click()
    live = _region(page, "The run that was started")
    expect(live).to_contain_text("Checks failed")
    row = page.get_by_role("table", name="Results of Orders are in euros").get_by_role("row").nth(1)
    expect(row).to_contain_text(SAW)
    page.get_by_role("tab", name="History").click()
    expect(page.get_by_role("table", name="Runs of Orders are in euros")).to_contain_text("0 passed, 1 failed")


def test_a_monitor_is_changed_switched_off_and_deleted(unjudged_shop: QualitySite, visit: Visit) -> None:
    monitor = unjudged_shop.monitor()
    page = visit(unjudged_shop, f"/quality/monitors/{monitor}").page
    page.get_by_role("link", name="Edit").click()
    expect(page.get_by_label("At most")).to_have_value("100")
    page.get_by_label("Target").fill("95")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("95%")).to_be_visible()
    assert unjudged_shop.get(f"/monitors/{monitor}")["checks"][0]["on_failure"] == ["quarantine"]
    page.get_by_role("switch", name="Runs by itself").click(force=True)
    expect(page.get_by_role("main").get_by_text("paused")).to_be_visible()
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Delete the monitor").click()
    expect(page.get_by_text("Nothing is watched yet")).to_be_visible()


def test_a_result_shows_its_rows_masked_and_the_commit_is_one_click_away(visit: Visit, well: QualitySite) -> None:
    page = visit(well, "/quality").page
    _region(page, "What fails now").get_by_role("link", name="core.orders.amount").click()
    page.get_by_role("link", name="range, the newest result").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("core.orders: amount is in euros")
    expect(_region(page, "What was measured")).to_contain_text("outside range")
    rows = _region(page, "Rows that failed")
    expect(rows.get_by_role("cell", name="906.5")).to_be_visible()
    expect(rows.get_by_role("cell", name="masked").first).to_be_visible()
    expect(rows).not_to_contain_text("@shop.example")
    page.get_by_role("link", name="Open commit").click()
    expect(page.get_by_role("main")).to_contain_text("orders of 14 November, in cents")


def test_an_incident_is_taken_noted_and_resolved(unjudged_shop: QualitySite, visit: Visit) -> None:
    unjudged_shop.run(unjudged_shop.monitor())
    page = visit(unjudged_shop, "/quality/incidents").page
    page.get_by_role("link", name="core.orders.amount").click()
    timeline = page.get_by_role("list", name="Timeline")
    expect(timeline.get_by_role("listitem").first).to_contain_text("opened")
    expect(_region(page, "Rows that failed").get_by_role("cell", name="906.5")).to_be_visible()
    page.get_by_role("button", name="Acknowledge").click()
    expect(timeline).to_contain_text("acknowledged by ada")
    expect(page.get_by_label("Assigned to")).to_have_value("ada@example.com")
    page.get_by_label("Assigned to").fill("ben@example.com")
    page.get_by_role("button", name="Assign").click()
    expect(timeline).to_contain_text("ben@example.com")
    page.get_by_label("Note").fill("The provider sends cents.")
    page.get_by_role("button", name="Add the note").click()
    expect(timeline).to_contain_text("The provider sends cents.")
    page.get_by_role("button", name="Mute…").click()
    page.get_by_role("button", name="Mute it").click()
    expect(_region(page, "Alerts")).to_contain_text("Muted until")
    page.get_by_role("button", name="Resolve").click()
    expect(timeline).to_contain_text("resolved by ada")
    page.get_by_role("link", name="Incidents", exact=True).click()
    expect(page.get_by_text("No incident is open")).to_be_visible()
    page.get_by_text("Resolved", exact=True).click()
    expect(page).to_have_url(re.compile("status=resolved"))
    expect(page.get_by_role("link", name="core.orders.amount")).to_be_visible()


def test_a_remedy_shows_its_diff_and_is_approved_and_taken_back(unjudged_shop: QualitySite, visit: Visit) -> None:
    unjudged_shop.run(unjudged_shop.monitor())
    page = visit(unjudged_shop, "/quality/remediations").page
    page.get_by_role("link", name="quarantine", exact=True).click()
    expect(page.get_by_text("It waits for a decision")).to_be_visible()
    expect(_region(page, "The checks after it")).to_contain_text("all 3 checks pass after it")
    diff = page.get_by_role("table", name="Changed rows of core.orders")
    expect(diff.get_by_role("row")).to_have_count(11)
    expect(diff).not_to_contain_text("@shop.example")
    page.get_by_role("tab", name="core.orders_quarantine").click()
    expect(page.get_by_role("table", name="Changed rows of core.orders_quarantine")).to_be_visible()
    page.get_by_role("button", name="Approve…").click()
    page.get_by_label("Comment").fill("Only cents")
    page.get_by_role("button", name="Approve and do it").click()
    expect(page.get_by_text("It was approved and done")).to_be_visible()
    expect(page.get_by_text("Only cents")).to_be_visible()
    page.get_by_role("button", name="Take it back…").click()
    page.get_by_role("button", name="Take it back", exact=True).click()
    expect(page.get_by_text("It was done, and taken back")).to_be_visible()


def test_an_odd_number_is_seen_in_its_band_and_judged(unjudged_shop: QualitySite, visit: Visit) -> None:
    unjudged_shop.keep_history()
    page = visit(unjudged_shop, "/quality/anomalies").page
    page.get_by_role("link", name="core.orders: mean(amount)").click()
    chart = page.get_by_role("slider", name="mean of amount of core.orders")
    expect(chart).to_have_attribute("aria-valuetext", re.compile("an anomaly"))
    expect(page).to_have_url(re.compile(r"branch=main.*around="))  # also where it is an old one, or of another branch
    chart.focus()
    page.keyboard.press("ArrowLeft")
    expect(chart).to_have_attribute("aria-valuenow", "40")
    expect(page).to_have_url(re.compile("at="))
    page.keyboard.press("End")
    page.get_by_role("button", name="This is an incident").click()
    expect(page.locator(".point-said")).to_be_visible()
    page.reload()
    expect(page.locator(".point-said")).to_be_visible()
    page.get_by_role("button", name="Take it back").click()
    expect(page.locator(".point-said")).to_have_count(0)
    page.get_by_label("How it is expected").select_option("mad")
    expect(page).to_have_url(re.compile("method=mad"))


def test_a_service_level_tells_what_is_left_and_how_fast_it_goes(visit: Visit, well: QualitySite) -> None:
    page = visit(well, "/quality/monitors").page
    page.get_by_role("link", name="Orders are in euros").click()
    page.get_by_role("tab", name="Service level").click()
    expect(page.get_by_text("The target is missed")).to_be_visible()
    expect(page.get_by_text("0 of 2 runs in 30 days")).to_be_visible()
    page.get_by_text("7 days", exact=True).click()
    expect(page).to_have_url(re.compile("part=sla.*days=7"))
    expect(page.get_by_text("0 of 2 runs in 7 days")).to_be_visible()


def test_filters_are_in_the_address_and_survive_a_reload(visit: Visit, well: QualitySite) -> None:
    page = visit(well, "/quality").page
    page.get_by_label("Part of a name").fill("nowhere")
    expect(page.get_by_text("No dataset passes these filters")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Part of a name")).to_have_value("nowhere")
    page.get_by_role("button", name="Show all datasets").click()
    table = page.get_by_role("table", name="Health by dataset")
    expect(table.get_by_role("link", name="core.orders", exact=True)).to_be_visible()
    page.get_by_role("navigation", name="Quality").get_by_role("link", name="Monitors").click()
    page.get_by_label("State").select_option("paused")
    expect(page).to_have_url(re.compile("is=paused"))
    expect(page.get_by_role("row")).to_have_count(2)


def test_the_asset_leads_to_its_results_and_numbers(visit: Visit, well: QualitySite) -> None:
    page = visit(well, "/assets/core.orders?tab=quality").page
    page.get_by_role("link", name="Its numbers over time").click()
    expect(page.get_by_role("slider")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="2 monitors").click()
    expect(page.get_by_role("row")).to_have_count(3)


def test_a_result_that_is_not_there_is_told(visit: Visit, bare: QualitySite) -> None:
    visitor = visit(bare, "/quality/results/r20260101_000000_000000.1")
    visitor.watch.expect("status of 404")
    expect(visitor.page.get_by_role("alert")).to_be_visible()


PAGES = {
    "health": ("/quality", "Health by dataset"),
    "monitors": ("/quality/monitors", "Orders by hand"),
    "monitor": ("/quality/monitors/{monitor}", SAW),
    "history": ("/quality/monitors/{monitor}?part=history", "2 passed, 1 failed"),
    "sla": ("/quality/monitors/{monitor}?part=sla", "The target is missed"),
    "checks": ("/quality/monitors/{monitor}?part=checks", "amount is in euros"),
    "edit": ("/quality/monitors/{monitor}/edit", "It can be made"),
    "result": ("/quality/results/{result}", "What the rule allows"),
    "incidents": ("/quality/incidents", SAW),
    "incident": ("/quality/incidents/{incident}", "Who is on it"),
    "anomalies": ("/quality/anomalies", "Flagged in 30 days"),
    "series": ("/quality/anomalies?dataset=core.orders&metric=mean(amount)", "This was expected"),
    "remedies": ("/quality/remediations", "10 deleted in core.orders"),
    "remedy": ("/quality/remediations/{remedy}", "It waits for a decision"),
    "approve": ("/quality/remediations/{remedy}?dialog=approve", "Approve and do it"),
}
EMPTY = {
    "health": ("/quality", "There is no dataset yet"),
    "monitors": ("/quality/monitors", "Nothing is watched yet"),
    "new": ("/quality/monitors/new", "Give it a name and a dataset"),
    "incidents": ("/quality/incidents", "No incident is open"),
    "anomalies": ("/quality/anomalies", "Nothing was measured yet"),
    "remedies": ("/quality/remediations", "Nothing is proposed"),
}


def _named(site: QualitySite) -> dict[str, str]:
    monitor = next(one["id"] for one in site.get("/monitors")["items"] if one["name"] == "Orders are in euros")
    result = site.get(f"/monitors/{monitor}/results", verdict="failed")["items"][0]["id"]
    incident = site.get("/incidents")["items"][0]["id"]
    remedy = site.get("/remediations")["items"][0]["id"]
    return {"monitor": monitor, "result": result, "incident": incident, "remedy": remedy}


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 400)])
@pytest.mark.parametrize("name", PAGES)
def test_every_pageis_for_everyone(name: str, theme: str, width: int, browser: Browser, well: QualitySite) -> None:
    path, shown = PAGES[name]
    is_for_everyone(browser, well, f"quality-{name}-{theme}-{width}", path.format(**_named(well)), shown)


@pytest.mark.parametrize(("theme", "width"), [("light", 400), ("dark", 1440)])
@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_pageis_for_everyone(name: str, theme: str, width: int, browser: Browser, bare: QualitySite) -> None:
    path, shown = EMPTY[name]
    is_for_everyone(browser, bare, f"quality-empty-{name}-{theme}-{width}", path, shown)
