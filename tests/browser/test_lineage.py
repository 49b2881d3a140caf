"""The lineage of a column as a person walks through it: what is shown and opened, how sure it is, and files of it."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lineage_site import SIDE, start_lineage_site
from live_forge import Live
from page_checks import AXE, is_for_everyone, keep_picture, violations
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect
from watched_page import Visit, Watch, new_profile, signed_in_at

pytestmark = pytest.mark.browser

AMOUNT = "/lineage?focus=core.orders.amount"
HUB = "/lineage?focus=core.hub.key"
A_FEW = 24  # tables that are drawn before anybody asks for more


@pytest.fixture(scope="module")
def drawn(web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    live = start_lineage_site(tmp_path_factory.mktemp("lineage") / "shop")
    yield live
    live.stop()


def _column(page: Page, name: str) -> Locator:
    return page.locator(f'[data-column="{name}"]')


def _cards(page: Page) -> Locator:
    return page.locator("[data-table]")


def _lines(page: Page) -> set[str]:
    return set(page.locator(".react-flow__edge").evaluate_all("all => all.map(one => one.dataset.id)"))


def test_the_picture_has_the_focus_and_the_touched_columns_only(visit: Visit, drawn: Live) -> None:
    page = visit(drawn, AMOUNT).page
    for name in ("raw.orders.amount", "core.orders.amount", "marts.daily.total", "dashboard:revenue"):
        expect(_column(page, name)).to_be_visible()
    expect(_column(page, "core.orders.status")).to_have_count(0)
    expect(_column(page, "marts.guess.amount")).to_have_count(0)  # not sure enough
    expect(page.get_by_text("1 edge of low confidence not followed")).to_be_visible()


def test_columns_are_opened_and_closed_and_the_address_keeps_it(visit: Visit, drawn: Live) -> None:
    page = visit(drawn, AMOUNT).page
    page.get_by_role("button", name="+ 12 more: columns of core.orders").click()
    expect(page).to_have_url(re.compile(r"[?&]cols=all:core\.orders"))
    expect(page.locator('[data-column^="core.orders."]')).to_have_count(13)
    page.reload()
    expect(page.locator('[data-column^="core.orders."]')).to_have_count(13)
    page.get_by_role("button", name="show fewer: columns of core.orders").click()
    expect(page.locator('[data-column^="core.orders."]')).to_have_count(1)


def test_neighbours_are_hidden_and_shown_again(visit: Visit, drawn: Live) -> None:
    page = visit(drawn, AMOUNT).page
    page.get_by_role("button", name="Hide what core.orders goes to").click()
    expect(_column(page, "marts.daily.total")).to_have_count(0)
    expect(_column(page, "dashboard:revenue")).to_have_count(0)  # only reached by way of it
    expect(_column(page, "raw.orders.amount")).to_be_visible()
    expect(page).to_have_url(re.compile(r"near=down0:core\.orders"))
    page.get_by_role("button", name="Show 1 hidden downstream of core.orders").click()
    expect(_column(page, "dashboard:revenue")).to_be_visible()


def test_what_lies_beyond_the_last_step_is_counted_and_fetched(visit: Visit, drawn: Live) -> None:
    page = visit(drawn, f"{AMOUNT}&up=1&down=1").page
    expect(_column(page, "marts.daily.total")).to_be_visible()
    expect(_column(page, "dashboard:revenue")).to_have_count(0)
    page.get_by_role("button", name="Show 1 hidden downstream of marts.daily").click()
    expect(_column(page, "dashboard:revenue")).to_be_visible()
    expect(page).to_have_url(re.compile(r"near=down1:marts\.daily"))
    page.reload()
    expect(_column(page, "dashboard:revenue")).to_be_visible()


def test_filters_are_in_the_address_and_change_what_is_shown(visit: Visit, drawn: Live) -> None:
    page = visit(drawn, AMOUNT).page
    page.get_by_label("Least confidence").select_option("0.3")
    expect(_column(page, "marts.guess.amount")).to_be_visible()
    page.get_by_text("Comes from", exact=True).click()
    expect(_column(page, "marts.guess.amount")).to_have_count(0)
    expect(_column(page, "raw.orders.amount")).to_be_visible()
    expect(page).to_have_url(re.compile("conf=0.3"))
    expect(page).to_have_url(re.compile("direction=upstream"))
    page.get_by_role("radiogroup", name="Level").get_by_text("Tables").click()
    expect(page.locator("[data-column]")).to_have_count(0)
    expect(_cards(page)).to_have_count(2)
    page.go_back()
    expect(_column(page, "raw.orders.amount")).to_be_visible()


def test_indirect_use_is_followed_on_request(visit: Visit, drawn: Live) -> None:
    page = visit(drawn, "/lineage?focus=core.orders.status&direction=downstream").page
    expect(page.get_by_text("goes nowhere")).to_be_visible()
    page.get_by_text("with indirect").click()
    expect(page).to_have_url(re.compile("indirect=yes"))
    expect(page.locator('[data-table="marts.daily"]')).to_be_visible()
    expect(page.get_by_label("core.orders.status to marts.daily, decides which rows")).to_have_count(1)
    expect(page.get_by_text("indirect: decides which rows")).to_be_visible()


def test_the_focus_is_found_by_a_part_of_its_name(visit: Visit, drawn: Live) -> None:
    page = visit(drawn, AMOUNT).page
    field = page.get_by_role("combobox", name="Table, column or other entity")
    field.fill("daily.tot")
    page.get_by_role("option", name="marts.daily.total").click()
    expect(page).to_have_url(re.compile(r"focus=marts\.daily\.total"))
    expect(_column(page, "raw.orders.amount")).to_be_visible()


def test_a_name_that_is_not_there_leads_to_the_nearest(visit: Visit, drawn: Live) -> None:
    visitor = visit(drawn, "/lineage?focus=core.orders.amuont")
    visitor.watch.expect("status of 404")
    page = visitor.page
    expect(page.get_by_role("alert")).to_contain_text("FORGE-E801")
    page.get_by_role("group", name="Nearest names").get_by_role("link", name="core.orders.amount", exact=True).click()
    expect(_column(page, "raw.orders.amount")).to_be_visible()


def test_an_edge_tells_its_expression_and_who_says_so(visit: Visit, drawn: Live) -> None:
    page = visit(drawn, AMOUNT).page
    line = page.get_by_label("core.orders.amount to marts.daily.total, aggregated")
    line.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("complementary", name="One step")
    for words in ("sum(amount)", "certain (1.00)", "entered by hand", "declared", "seen 1 time", "Valid since"):
        expect(panel).to_contain_text(words)
    expect(page).to_have_url(re.compile("edge=core.orders.amount-"))
    page.reload()
    expect(panel).to_contain_text("sum(amount)")
    panel.get_by_role("button", name="Close the detail").click()
    expect(panel).to_have_count(0)


def test_evidence_of_a_run_leads_to_the_run(visit: Visit, site: Live) -> None:
    page = visit(site, "/lineage?focus=marts.daily_revenue.revenue&direction=upstream&up=1").page
    line = page.get_by_label("core.orders.amount to marts.daily_revenue.revenue, aggregated")
    line.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("complementary", name="One step")
    expect(panel).to_contain_text("observed in a run")
    expect(panel).to_contain_text("seen 9 times")
    expect(panel.get_by_role("link", name="marts.daily_revenue", exact=True)).to_be_visible()
    panel.get_by_role("link", name=re.compile("^r2026")).click()
    expect(page).to_have_url(re.compile("/runs/r2026"))


@pytest.mark.parametrize(
    "path", [AMOUNT, f"{AMOUNT}&indirect=yes&cols=none:core.orders", HUB], ids=["plain", "closed", "hub"]
)
def test_the_table_has_the_lines_of_the_picture(path: str, visit: Visit, drawn: Live) -> None:
    page = visit(drawn, path).page
    expect(page.locator(".react-flow__edge").first).to_be_attached()
    lines = _lines(page)
    page.get_by_role("button", name="Show as a table").click()
    rows = page.locator("[data-edge]")
    expect(rows).to_have_count(len(lines))
    assert set(rows.evaluate_all("all => all.map(one => one.dataset.edge)")) == lines


def test_the_table_is_sorted_by_its_heads(visit: Visit, drawn: Live) -> None:
    page = visit(drawn, f"{AMOUNT}&conf=0&view=table").page
    table = page.get_by_role("table", name="Lineage of core.orders.amount")
    table.get_by_role("button", name="Confidence").click()
    expect(page).to_have_url(re.compile("order=confidence"))
    expect(table.get_by_role("row").nth(1)).to_contain_text("marts.guess.amount")
    expect(table.get_by_role("columnheader", name="Confidence")).to_have_attribute("aria-sort", "ascending")


def test_the_picture_is_a_file_that_needs_nothing_else(
    visit: Visit, drawn: Live, browser: Browser, tmp_path: Path
) -> None:
    page = visit(drawn, AMOUNT).page
    expect(page.locator(".react-flow__edge").first).to_be_attached()
    with page.expect_download() as started:
        page.get_by_role("button", name="SVG").click()
    assert started.value.suggested_filename == "lineage-core.orders.amount.svg"
    file = tmp_path / "lineage.svg"
    started.value.save_as(file)
    root = ElementTree.parse(file).getroot()
    classes = [one.get("class", "").split() for one in root.iter()]
    assert sum("card" in names for names in classes) == _cards(page).count()
    assert sum("edge" in names for names in classes) == len(_lines(page))
    alone = browser.new_context(offline=True)
    try:
        opened = alone.new_page()
        watch = Watch(opened, "file://")
        opened.goto(file.as_uri())
        expect(opened.get_by_text("Lineage of core.orders.amount").first).to_be_attached()
        assert watch.complaints() == []
        assert watch.requests == [file.as_uri()]
    finally:
        alone.close()


def test_the_edges_are_a_file_that_a_spreadsheet_reads(visit: Visit, drawn: Live, tmp_path: Path) -> None:
    page = visit(drawn, AMOUNT).page
    expect(page.locator(".react-flow__edge").first).to_be_attached()
    with page.expect_download() as started:
        page.get_by_role("button", name="CSV").click()
    started.value.save_as(tmp_path / "lineage.csv")
    with (tmp_path / "lineage.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {(row["source"], row["target"]) for row in rows} == {
        ("raw.orders.amount", "core.orders.amount"),
        ("core.orders.amount", "marts.daily.total"),
        ("marts.daily.total", "dashboard:revenue"),
    }
    (total,) = (row for row in rows if row["target"] == "marts.daily.total")
    assert (total["expression"], total["relationship"], total["confidence"]) == ("sum(amount)", "aggregated", "1")


def _overlaps(a: FloatRect, b: FloatRect) -> bool:
    slack = 0.5  # of a pixel
    return (
        a["x"] + a["width"] > b["x"] + slack
        and b["x"] + b["width"] > a["x"] + slack
        and a["y"] + a["height"] > b["y"] + slack
        and b["y"] + b["height"] > a["y"] + slack
    )


def _places(page: Page) -> list[FloatRect]:
    found: list[FloatRect] = _cards(page).evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(({x, y, width, height}) => ({x, y, width, height}))"
    )
    return found


def test_three_hundred_tables_are_a_handful_until_more_are_wanted(visit: Visit, drawn: Live) -> None:
    page = visit(drawn, HUB).page
    expect(_column(page, "core.hub.key")).to_be_in_viewport()
    few = _cards(page).count()
    assert 5 < few <= A_FEW
    assert not any(_overlaps(a, b) for a, b in combinations(_places(page), 2))
    hidden = page.get_by_role("button", name=re.compile(r"^Show \d+ hidden downstream of core\.hub"))
    before = int(re.findall(r"\d+", hidden.get_attribute("aria-label") or "")[0])
    assert before > SIDE - A_FEW
    hidden.click()
    expect(page).to_have_url(re.compile(r"near=down1:core\.hub"))
    expect(_cards(page)).to_have_count(few + 12)
    expect(hidden).to_have_attribute("aria-label", f"Show {before - 12} hidden downstream of core.hub")


def test_all_of_three_hundred_tables_stand_apart_closed_and_can_be_walked_through(visit: Visit, drawn: Live) -> None:
    page = visit(drawn, f"{HUB}&near=up13:core.hub&near=down13:core.hub").page
    expect(_cards(page)).to_have_count(2 * SIDE + 1)
    # Of all columns only the one of the focus is open; the rest are names.
    expect(page.locator("[data-column]")).to_have_count(1)
    assert not any(_overlaps(a, b) for a, b in combinations(_places(page), 2))
    focus = page.locator('[data-table="core.hub"]')
    expect(focus).to_be_in_viewport()
    at = focus.bounding_box()
    assert at is not None
    assert at["width"] > 100  # readable as it opens
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] - 60)
    page.mouse.down()
    page.mouse.move(at["x"] + at["width"] / 2 - 120, at["y"] - 20, steps=4)
    page.mouse.up()
    moved = focus.bounding_box()
    assert moved is not None
    assert abs(at["x"] - moved["x"] - 120) < 3
    page.get_by_role("button", name="Zoom Out").click()
    expect(focus).not_to_have_js_property("offsetWidth", 0)
    page.wait_for_function(
        "width => document.querySelector('[data-table=\"core.hub\"]').getBoundingClientRect().width < width",
        arg=at["width"],
    )
    page.get_by_role("button", name="Fit View").click()
    expect(page.locator('[data-table="raw.source_000"]')).to_be_in_viewport()


def test_the_arrows_lead_along_the_lineage(visit: Visit, drawn: Live) -> None:
    page = visit(drawn, AMOUNT).page
    _column(page, "raw.orders.amount").focus()
    for name in ("core.orders.amount", "marts.daily.total", "dashboard:revenue"):
        page.keyboard.press("ArrowRight")
        expect(_column(page, name)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"focus=marts\.daily\.total"))


@pytest.mark.parametrize("screen", ["light-1280", "dark-400"])
def test_the_diagram_is_for_everyone(screen: str, browser: Browser, drawn: Live) -> None:
    is_for_everyone(browser, drawn, f"lineage-erd-{screen}", "/lineage/erd?schema=core&flows=yes", "core.orders")


def test_a_snapshot_shows_the_graph_as_it_was(visit: Visit, drawn: Live) -> None:
    with drawn.api() as api:
        assert api.post("/lineage/snapshots", json={"name": "before-more"}).status_code == 201
        body = {
            "reason": "new",
            "edges": [{"source": "core.orders.amount", "target": "marts.daily.total", "type": "consumes"}],
        }
        assert api.post("/lineage/edges", json=body).status_code == 201
    page = visit(drawn, f"{AMOUNT}&view=table").page
    expect(page.locator("[data-edge]")).to_have_count(4)
    page.get_by_role("button", name=re.compile("^Shown at main")).click()
    page.get_by_role("button", name=re.compile("before-more")).click()
    expect(page).to_have_url(re.compile("at=before-more"))
    expect(page.locator("[data-edge]")).to_have_count(3)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "path"),
    [("hub", HUB), ("edge", f"{AMOUNT}&indirect=yes&conf=0&edge=core.orders.amount-%3Emarts.daily.total%23aggregated")],
    ids=["hub", "edge"],
)
def test_large_pictures_and_details_are_for_everyone(
    name: str, path: str, theme: str, width: int, browser: Browser, drawn: Live
) -> None:
    context = new_profile(browser, drawn, dark=theme == "dark", width=width, bypass_csp=True)
    try:
        context.add_init_script(path=AXE)
        page = context.new_page()
        watch = Watch(page, drawn.address)
        page.goto(signed_in_at(drawn, path))
        expect(page.locator("[data-column]").first).to_be_visible()
        expect(page.locator(".mantine-Skeleton-root")).to_have_count(0)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} pixels wide on a screen of {width}"
        found = violations(page)
        keep_picture(page, f"lineage-{name}-{theme}-{width}.png")
        assert not found, "\n".join(found)
        watch.judge()
    finally:
        context.close()
