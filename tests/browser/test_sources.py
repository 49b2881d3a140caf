"""Code that was read for its lineage: how much of it was understood, every gap beside its line, and what runs say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from code_site import keep_sources, lay_code_project, many_sources, see_runs
from live_forge import Live, run_forge, start_forge
from page_checks import AXE, keep_picture, violations
from playwright.sync_api import Browser, Locator, Page, expect
from watched_page import Visit, Watch, new_profile, signed_in_at

pytestmark = pytest.mark.browser

SOURCES = "/lineage/sources"
DAILY = f"{SOURCES}?file=jobs/daily.sql"
REVENUE = "/lineage?focus=marts.daily.revenue&direction=upstream"
EDGE = "core.orders.amount-%3Emarts.daily.revenue%23aggregated"
PLACE = re.compile(r"^jobs.daily\.sql:\d+$")
MANY = 60


@pytest.fixture(scope="module")
def read(web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server whose code was read by the command that people type."""
    root = tmp_path_factory.mktemp("code") / "shop"
    wiring = lay_code_project(root)
    keep_sources(wiring, *many_sources(MANY))
    run_forge("ingest", "jobs", cwd=root)
    see_runs(wiring)
    wiring.close()
    live = start_forge(root, root / "stderr")
    yield live
    live.stop()


@pytest.fixture(scope="module")
def unread(web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    root = tmp_path_factory.mktemp("code") / "empty"
    lay_code_project(root).close()
    live = start_forge(root, root / "stderr")
    yield live
    live.stop()


def _told(page: Page) -> Locator:
    return page.get_by_role("tabpanel").get_by_role("status")


def _files(page: Page) -> list[str]:
    links = page.get_by_role("table", name="Files that were read").locator("td:first-child a")
    expect(links.first).to_be_visible()
    names: list[str] = links.all_inner_texts()
    return names


def test_the_files_are_listed_with_what_was_understood_the_least_first(visit: Visit, read: Live) -> None:
    page = visit(read, SOURCES).page
    everything = page.get_by_role("region", name="All files")
    expect(everything).to_contain_text(str(MANY + 3))
    expect(everything.get_by_role("list", name="By language")).to_contain_text("Python")
    assert _files(page)[:2] == ["jobs/old/broken.py", "jobs/daily.sql"]
    first = page.get_by_role("row").nth(1)
    expect(first).to_contain_text("0 of 1 statement")


def test_files_come_in_pages_sorted_and_filtered_and_the_address_keeps_it(visit: Visit, read: Live) -> None:
    page = visit(read, SOURCES).page
    expect(page.get_by_text(f"50 of {MANY + 3} files")).to_be_visible()
    page.get_by_role("button", name="Show more").click()
    expect(page.get_by_role("row")).to_have_count(MANY + 3 + 1)
    page.get_by_role("table").get_by_role("button", name="Edges").click()
    expect(page).to_have_url(re.compile("order=-edges"))
    expect(page.get_by_role("row").nth(1)).to_contain_text(f"table_{MANY - 1:03}.sql")
    page.get_by_role("textbox", name="Part of a path").fill("part_0")
    page.get_by_label("only with gaps").check()
    expect(_told(page)).to_have_text(f"4 of {MANY + 3} files")
    expect(page).to_have_url(re.compile("q=part_0.*gaps=yes|gaps=yes.*q=part_0"))
    page.reload()
    expect(_told(page)).to_have_text(f"4 of {MANY + 3} files")
    assert [name[-7:] for name in _files(page)] == ["009.sql", "006.sql", "003.sql", "000.sql"]
    page.get_by_label("Language", exact=True).select_option("dbt")
    expect(_told(page)).to_have_text(f"1 of {MANY + 3} files")
    page.get_by_role("button", name="Clear filters").click()
    expect(_told(page)).to_have_text(f"{MANY + 3} files")


def test_a_file_tells_its_gaps_line_by_line_and_leads_to_its_tables(visit: Visit, read: Live) -> None:
    page = visit(read, SOURCES).page
    page.get_by_role("link", name="jobs/daily.sql").click()
    expect(page).to_have_url(re.compile(r"file=jobs/daily\.sql"))
    expect(page.get_by_role("heading", level=1)).to_have_text("jobs/daily.sql")
    gaps = page.get_by_role("region", name="What was not understood").get_by_role("listitem")
    expect(gaps).to_have_count(1)
    expect(gaps).to_contain_text("MERGE INTO marts.daily USING;")
    expect(gaps).to_contain_text("12")
    expect(page.get_by_text("forge ingest jobs")).to_be_visible()
    page.get_by_role("region", name="Tables it speaks of").get_by_role("link", name="marts.daily").click()
    expect(page.locator('[data-table="marts.daily"]')).to_be_visible()


def test_a_file_that_was_not_read_leads_to_the_nearest(visit: Visit, read: Live) -> None:
    visitor = visit(read, f"{SOURCES}?file=jobs/dayly.sql")
    visitor.watch.expect("status of 404")
    page = visitor.page
    expect(page.get_by_role("alert")).to_contain_text("FORGE-E816")
    page.get_by_role("group", name="Nearest names").get_by_role("link", name="jobs/daily.sql").click()
    expect(page.get_by_role("region", name="What was not understood")).to_be_visible()


def test_every_gap_stands_beside_its_line_of_code(visit: Visit, read: Live) -> None:
    page = visit(read, SOURCES).page
    page.get_by_role("tab", name="Gaps").click()
    expect(page).to_have_url(re.compile("part=gaps"))
    broken = page.get_by_role("region", name="jobs/old/broken.py")
    expect(broken).to_contain_text("def nightly(:")
    expect(broken).to_contain_text("not valid Python")
    page.get_by_role("textbox", name="Part of a path, a reason or a line").fill("q_12")
    expect(_told(page)).to_have_text("1 of 22 gaps")
    line = page.get_by_role("region", name="warehouse/models/part_12/table_012.sql")
    expect(line).to_contain_text("PIVOT (sum(q_12))")
    expect(line).to_contain_text("19")
    line.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("warehouse/models/part_12/table_012.sql")


def test_where_code_and_runs_do_not_agree_both_sides_are_told(visit: Visit, read: Live) -> None:
    page = visit(read, f"{SOURCES}?part=disagreements").page
    expect(_told(page)).to_contain_text("both speak of 1 table: on 1 edge they agree")
    daily = page.get_by_role("region", name="marts.daily")
    runs = daily.get_by_role("listitem").filter(has_text="only in runs")
    expect(runs).to_have_count(1)
    expect(runs).to_contain_text("core.rebates.discount")
    code = daily.get_by_role("listitem").filter(has_text="marts.daily.day")
    expect(code).to_contain_text("only in code")
    expect(code.get_by_role("link", name=PLACE)).to_be_visible()
    runs.get_by_role("link").click()
    panel = page.get_by_role("complementary", name="One step")
    expect(panel).to_contain_text("sum(amount - discount)")
    expect(panel).to_contain_text("observed in a run")


def test_an_edge_of_code_and_runs_is_confirmed_and_leads_to_its_file(visit: Visit, read: Live) -> None:
    page = visit(read, f"{REVENUE}&edge={EDGE}").page
    panel = page.get_by_role("complementary", name="One step")
    expect(panel).to_contain_text("confirmed: in code and in runs")
    panel.get_by_role("link", name=PLACE).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("jobs/daily.sql")


def test_what_is_inside_a_program_is_shown_on_request(visit: Visit, read: Live) -> None:
    page = visit(read, REVENUE).page
    expect(page.locator('[data-table="core.orders"]')).to_be_visible()
    inside = page.locator("[data-inside]")
    expect(inside).to_have_count(0)
    page.get_by_label("inside programs").check()
    expect(page).to_have_url(re.compile("inside=yes"))
    expect(inside).to_have_count(1)
    expect(inside).to_contain_text("paid")
    expect(inside).to_contain_text("CTE")
    expect(page.locator(".edge-inside")).to_have_count(2)
    expect(page.get_by_text("inside a program")).to_be_visible()


def test_lineage_leads_to_the_code_and_back(visit: Visit, read: Live) -> None:
    page = visit(read, "/lineage").page
    page.get_by_role("link", name="Code that was read").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Code that was read")
    expect(page).to_have_title("Code that was read · Forge")
    page.get_by_role("main").get_by_role("link", name="Lineage", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Lineage")


def test_a_table_that_only_code_knows_is_found_by_search(visit: Visit, read: Live) -> None:
    page = visit(read, "/").page
    page.get_by_role("button", name=re.compile("^Search")).click()
    page.get_by_role("combobox").fill("daily")
    page.get_by_role("option", name="marts.daily lineage", exact=True).click()
    expect(page).to_have_url(re.compile(r"/lineage\?focus=marts\.daily$"))
    expect(page.get_by_role("main")).to_contain_text("revenue")


def test_before_anything_was_read_the_page_says_what_to_type(visit: Visit, unread: Live) -> None:
    page = visit(unread, SOURCES).page
    expect(page.get_by_text("No code was read yet")).to_be_visible()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy: forge ingest PATH").click()
    expect(page.get_by_role("button", name="Copied: forge ingest PATH")).to_be_visible()


def test_the_parts_are_reached_by_the_keyboard(visit: Visit, read: Live) -> None:
    page = visit(read, SOURCES).page
    page.get_by_role("tab", name="Files").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Gaps")).to_be_focused()
    expect(page.get_by_role("region", name="jobs/old/broken.py")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("textbox", name="Part of a path, a reason or a line")).to_be_focused()


PAGES = {
    "files": (SOURCES, "jobs/daily.sql"),
    "gaps": (f"{SOURCES}?part=gaps", "def nightly(:"),
    "disagreements": (f"{SOURCES}?part=disagreements", "only in runs"),
    "file": (DAILY, "MERGE INTO marts.daily USING;"),
    "inside": (f"{REVENUE}&inside=yes&edge={EDGE}", "confirmed: in code and in runs"),
}


@pytest.mark.parametrize("width", [1440, 400])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_every_part_is_for_everyone(name: str, theme: str, width: int, browser: Browser, read: Live) -> None:
    path, shown = PAGES[name]
    _is_for_everyone(browser, read, f"sources-{name}-{theme}-{width}", path, shown)


@pytest.mark.parametrize(("theme", "width"), [("light", 400), ("dark", 1440)])
def test_an_empty_page_is_for_everyone(theme: str, width: int, browser: Browser, unread: Live) -> None:
    _is_for_everyone(browser, unread, f"sources-empty-{theme}-{width}", SOURCES, "No code was read yet")


def _is_for_everyone(browser: Browser, live: Live, name: str, path: str, shown: str) -> None:
    _, _, theme, size = name.split("-")
    width = int(size)
    context = new_profile(browser, live, dark=theme == "dark", width=width, bypass_csp=True)
    try:
        context.add_init_script(path=AXE)
        page = context.new_page()
        watch = Watch(page, live.address)
        page.goto(signed_in_at(live, path))
        expect(page.get_by_role("main").get_by_text(shown).first).to_be_visible()
        expect(page.locator(".mantine-Skeleton-root")).to_have_count(0)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} pixels wide on a screen of {width}"
        found = violations(page)
        keep_picture(page, f"{name}.png")
        assert not found, "\n".join(found)
        watch.judge()
    finally:
        context.close()
