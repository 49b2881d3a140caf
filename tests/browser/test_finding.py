"""Finding one's way: search, filters in the address, the past of a table, the keyboard, themes, and wrong addresses."""

from __future__ import annotations

import re

import pytest
from live_forge import Live
from playwright.sync_api import Locator, Page, expect
from watched_page import Visit

pytestmark = pytest.mark.browser


def _heading(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def test_the_profile_of_the_demo_has_a_change_to_show(site: Live, visit: Visit) -> None:
    for table in ("core.orders", "marts.daily_revenue"):
        page = visit(site, f"/assets/{table}?tab=profile").page
        page.get_by_role("combobox", name="Compare with").select_option(index=1)
        expect(page).to_have_url(re.compile("since=[0-9a-f]{64}"))
        expect(page.get_by_role("table", name="Statistics that changed")).to_contain_text("the table")


@pytest.mark.parametrize("keys", ["/", "Control+K"], ids=["slash", "control-k"])
def test_search_opens_by_a_key_and_is_used_without_a_mouse(keys: str, visit: Visit, site: Live) -> None:
    page = visit(site, "/runs").page
    expect(_heading(page)).to_have_text("Runs")
    page.keyboard.press(keys)
    dialog = page.get_by_role("dialog", name="Search")
    field = dialog.get_by_role("combobox")
    expect(field).to_be_focused()
    page.keyboard.type("amount")
    found = dialog.get_by_role("option")
    expect(found.filter(has_text="core.orders.amount")).to_be_visible()
    expect(found.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    chosen = dialog.get_by_role("option", selected=True)
    expect(chosen).to_have_count(1)
    expect(found.first).to_have_attribute("aria-selected", "false")
    column = re.search(r"\w+\.\w+\.\w+", chosen.inner_text())
    assert column is not None
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(page).to_have_url(re.compile(rf"/lineage\?focus={re.escape(column.group())}"))
    expect(page.locator(f'[data-column="{column.group()}"]')).to_be_visible()


def test_what_is_typed_right_after_the_key_is_not_lost(visit: Visit, site: Live) -> None:
    page = visit(site, "/runs").page
    expect(_heading(page)).to_have_text("Runs")
    page.keyboard.type("/daily_rev")
    field = page.get_by_role("dialog", name="Search").get_by_role("combobox")
    expect(field).to_be_focused()
    expect(field).to_have_value("daily_rev")


def test_escape_closes_the_search_and_a_slash_in_a_field_stays_a_slash(visit: Visit, site: Live) -> None:
    page = visit(site, "/assets").page
    page.get_by_role("textbox", name="Filter").press("/")
    expect(page.get_by_role("textbox", name="Filter")).to_have_value("/")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.get_by_role("button", name=re.compile("^Search")).click()
    dialog = page.get_by_role("dialog", name="Search")
    expect(dialog.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("no such thing")
    expect(dialog).to_contain_text("Nothing is called “no such thing”")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(_heading(page)).to_have_text("Assets")


def _assets(page: Page) -> Locator:
    """The names in the list; every asset has one page."""
    return page.get_by_role("main").locator('a[href^="/assets/"]')


def test_filters_of_the_assets_are_in_the_address_and_survive_a_reload(visit: Visit, site: Live) -> None:
    page = visit(site, "/assets").page
    expect(_assets(page)).to_have_count(17)
    page.get_by_text("Failing", exact=True).click()
    expect(page).to_have_url(re.compile(r"/assets\?state=failing$"))
    expect(_assets(page)).to_have_text(["core.orders"])
    page.reload()
    expect(page.get_by_role("radio", name="Failing")).to_be_checked()
    expect(_assets(page)).to_have_text(["core.orders"])

    page.get_by_role("button", name="Clear filters").click()
    expect(_assets(page)).to_have_count(17)
    page.get_by_role("textbox", name="Filter").fill("revenue")
    expect(page).to_have_url(re.compile(r"/assets\?q=revenue$"))
    expect(_assets(page).first).to_have_text("marts.daily_revenue")
    page.reload()
    expect(page.get_by_role("textbox", name="Filter")).to_have_value("revenue")
    expect(_assets(page).first).to_have_text("marts.daily_revenue")

    # The list is as it was when one comes back to it.
    _assets(page).first.click()
    expect(_heading(page)).to_have_text("marts.daily_revenue")
    page.go_back()
    expect(page).to_have_url(re.compile(r"/assets\?q=revenue$"))
    expect(page.get_by_role("textbox", name="Filter")).to_have_value("revenue")
    expect(_assets(page).first).to_have_text("marts.daily_revenue")


def test_a_filter_that_finds_nothing_says_so_and_how_to_go_on(visit: Visit, site: Live) -> None:
    page = visit(site, "/assets?q=zebra").page
    main = page.get_by_role("main")
    expect(main).to_contain_text("zebra")
    expect(_assets(page)).to_have_count(0)
    main.get_by_role("button", name=re.compile("Clear")).first.click()
    expect(_assets(page)).to_have_count(17)


def _rows(page: Page) -> Locator:
    return page.get_by_role("region", name="About it").locator("dt:text-is('Rows') + dd")


def test_a_table_is_shown_as_it_was_at_an_older_commit(visit: Visit, site: Live) -> None:
    page = visit(site, "/assets/core.orders").page
    expect(_rows(page)).to_have_text("4,916")
    expect(page.get_by_role("note")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Shown at main")).click()
    page.get_by_role("textbox", name="Another revision").fill("HEAD~3")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"[?&]at=HEAD~3"))
    past = page.get_by_role("note")
    expect(past).to_contain_text("As of commit")
    expect(past).to_contain_text("This is version 7; now it is version 9")
    expect(_rows(page)).not_to_have_text("4,916")
    then = int(_rows(page).inner_text().replace(",", ""))
    assert 0 < then < 4916

    page.reload()
    expect(page.get_by_role("note")).to_contain_text("As of commit")
    expect(_rows(page)).to_have_text(f"{then:,}")
    page.get_by_role("note").get_by_role("link", name="show now").click()
    expect(_rows(page)).to_have_text("4,916")
    expect(page.get_by_role("note")).to_have_count(0)


def test_the_history_of_a_table_leads_into_its_past(visit: Visit, site: Live) -> None:
    page = visit(site, "/assets/core.orders").page
    page.get_by_role("tab", name="History").click()
    expect(page).to_have_url(re.compile("tab=history"))
    commits = page.get_by_role("tabpanel").get_by_role("row")
    expect(commits).to_have_count(10)  # a head, and nine days on which it was published
    expect(commits.nth(1)).to_contain_text("orders of 13 November 2026")
    commits.nth(2).get_by_role("link", name=re.compile("^@")).click()
    expect(page.get_by_role("note")).to_contain_text("This is version 8; now it is version 9")


def test_the_sample_of_a_table_hides_personal_data(visit: Visit, site: Live) -> None:
    page = visit(site, "/assets/core.customers").page
    page.get_by_role("tab", name="Sample").click()
    sample = page.get_by_role("tabpanel").get_by_role("table")
    expect(sample.get_by_role("row").nth(1)).to_be_visible()
    heads = sample.get_by_role("columnheader").all_inner_texts()
    hidden = [name for name in heads if "(hidden)" in name]
    assert hidden == ["full_name (hidden)", "email (hidden)", "phone (hidden)"]
    first = sample.get_by_role("row").nth(1).get_by_role("cell")
    for number, head in enumerate(heads):
        shown = first.nth(number).inner_text()
        assert ("•••" in shown) is (head in hidden), (head, shown)
    assert "@" not in sample.inner_text()


def test_the_lineage_of_a_table_has_only_the_columns_that_are_touched(visit: Visit, site: Live) -> None:
    page = visit(site, "/assets/core.orders").page
    page.get_by_role("tab", name="Lineage").click()
    panel = page.get_by_role("tabpanel")
    panel.get_by_role("combobox", name="Start from").select_option("amount")
    expect(page).to_have_url(re.compile("col=amount"))
    expect(panel.locator('[data-column="raw.orders.amount"]')).to_be_visible()
    expect(panel.locator('[data-column^="core.orders."]')).to_have_count(1)
    panel.get_by_role("button", name="+ 6 more: columns of core.orders").click()
    expect(panel.locator('[data-column^="core.orders."]')).to_have_count(7)
    panel.get_by_role("button", name="Show as a table").click()
    rows = panel.get_by_role("row")
    expect(rows.filter(has_text="raw.orders.amount").filter(has_text="staging.orders.amount")).to_have_count(1)


def test_the_keyboard_alone_leads_to_a_table(visit: Visit, site: Live) -> None:
    page = visit(site).page
    expect(_heading(page)).to_have_text("shop")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()

    _tab_to(page, page.get_by_role("navigation").get_by_role("link", name="Assets"), backwards=True)
    page.keyboard.press("Enter")
    expect(_heading(page)).to_have_text("Assets")
    expect(page.get_by_role("main")).to_be_focused()  # a new page is read from its beginning
    table = page.get_by_role("main").get_by_role("link", name="core.customers", exact=True)
    expect(table).to_be_visible()
    _tab_to(page, table)
    page.keyboard.press("Enter")
    expect(_heading(page)).to_have_text("core.customers")
    _tab_to(page, page.get_by_role("tab", name="Schema"))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Quality")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile("tab=quality"))


def _tab_to(page: Page, wanted: Locator, *, backwards: bool = False) -> None:
    """Presses Tab until it is reached; every stop on the way can be seen."""
    for _ in range(60):
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
        if wanted.evaluate("one => one === document.activeElement"):
            assert wanted.evaluate("one => one.matches(':focus-visible')")
            return
    raise AssertionError("Tab does not lead there")


LIGHT = re.compile(r"rgb\(2\d\d, 2\d\d, 2\d\d\)")
DARK = re.compile(r"rgb\(\d\d, \d\d, \d\d\)")


def _choose_theme(page: Page, name: str) -> None:
    page.get_by_role("button", name="Theme").click()
    page.get_by_role("menuitemradio", name=name).click()
    expect(page.get_by_role("menu")).to_be_hidden()


def test_the_theme_is_chosen_once_and_stays(visit: Visit, site: Live) -> None:
    page = visit(site, "/settings").page
    ground = page.locator("body")
    expect(ground).to_have_css("background-color", LIGHT)
    _choose_theme(page, "Dark")
    expect(ground).to_have_css("background-color", DARK)
    page.reload()
    expect(_heading(page)).to_have_text("Settings")
    expect(ground).to_have_css("background-color", DARK)
    page.get_by_role("button", name="Theme").click()
    expect(page.get_by_role("menuitemradio", name="Dark")).to_be_checked()
    page.keyboard.press("Escape")
    _choose_theme(page, "As the system")
    expect(ground).to_have_css("background-color", LIGHT)
    page.emulate_media(color_scheme="dark")
    expect(ground).to_have_css("background-color", DARK)


def test_the_theme_is_chosen_by_the_keyboard(visit: Visit, site: Live) -> None:
    page = visit(site, "/settings").page
    expect(_heading(page)).to_have_text("Settings")
    page.get_by_role("button", name="Theme").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menu")).to_be_visible()
    dark = page.get_by_role("menuitemradio", name="Dark")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
        if dark.evaluate("one => one === document.activeElement"):
            break
    expect(dark).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("body")).to_have_css("background-color", DARK)
    expect(page.get_by_role("button", name="Theme")).to_be_focused()


def test_an_address_that_is_no_page_says_so_and_leads_home(visit: Visit, site: Live) -> None:
    page = visit(site, "/no/such/page").page
    main = page.get_by_role("main")
    expect(_heading(page)).to_have_text("No such page")
    expect(page.get_by_role("navigation").get_by_role("link", name="Assets")).to_be_visible()
    main.get_by_role("link", name="Go home").click()
    expect(_heading(page)).to_have_text("shop")


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("/assets/core.order", "FORGE-E108", "core.orders"),
        ("/branches/mian", "FORGE-E602", "main"),
        ("/runs/r20200101_000000_000000", "FORGE-E108", "r20200101_000000_000000"),
        ("/assets/core.orders?at=never", "FORGE-E601", "never"),
        ("/lineage?focus=core.orders.amuont", "FORGE-E801", "amount"),
        ("/commits/0000", "FORGE-E601", "0000"),
    ],
    ids=["asset", "branch", "run", "revision", "column", "commit"],
)
def test_what_does_not_exist_is_a_problem_in_words_with_the_nearest_names(
    path: str, code: str, words: str, visit: Visit, site: Live
) -> None:
    visitor = visit(site, path)
    visitor.watch.expect("status of 404", "status of 422")
    problem = visitor.page.get_by_role("main").get_by_role("alert")
    expect(problem).to_contain_text(code)
    expect(problem).to_contain_text(words)
    expect(problem).to_contain_text("Fix:")
