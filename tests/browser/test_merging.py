"""Merging as a person does it: a branch, rows from a file, the comparison, conflicts, answers, and the merge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from live_forge import Live
from merge_site import ORDERS, csv_of, diverge, order, start_merge_site, upload
from page_checks import AXE, keep_picture, violations
from playwright.sync_api import Browser, BrowserContext, Page, expect
from watched_page import Visit, Watch, new_profile, signed_in_at

pytestmark = pytest.mark.browser

BRANCH = "fix-orders"
CELLS = ("order_id", "amount")
WIDTHS = (1280, 400)


@pytest.fixture
def merge_site(web_files: Path, tmp_path: Path) -> Iterator[Live]:
    live = start_merge_site(tmp_path / "shop")
    yield live
    live.stop()


def _create_branch(page: Page) -> None:
    page.get_by_role("link", name="New branch").click()
    dialog = page.get_by_role("dialog", name="New branch")
    dialog.get_by_label("Name").fill(BRANCH)
    dialog.get_by_label("What it is for").fill("Amounts in euros")
    dialog.get_by_role("button", name="Create the branch").click()
    expect(page.get_by_role("heading", level=1, name=BRANCH)).to_be_visible()


def _commit_rows(page: Page, text: str, mode: str, message: str) -> None:
    page.get_by_role("link", name="Commit rows…").click()
    dialog = page.get_by_role("dialog", name=f"Commit rows to {BRANCH}")
    dialog.get_by_label("Table").fill(ORDERS)
    dialog.get_by_label("File").set_input_files({"name": "orders.csv", "mimeType": "text/csv", "buffer": text.encode()})
    dialog.get_by_label("Mode").select_option(mode)
    dialog.get_by_label("Key").fill("order_id")
    dialog.get_by_label("Message").fill(message)
    dialog.get_by_role("button", name="Commit the rows").click()


def _resolve(page: Page) -> None:
    """The row by a click on a side, the two amounts by a rule for their column."""
    expect(page.get_by_role("button", name="Merge", exact=True)).to_be_disabled()
    page.get_by_role("group", name="Result of 10003, whole row").get_by_label("theirs").check()
    expect(page.get_by_text("1 of 3 conflicts resolved")).to_be_visible()
    rule = page.get_by_role("form", name="Rule")
    rule.get_by_label("Rule for").select_option(f"{ORDERS}.amount")
    rule.get_by_label("Take").select_option("greatest")
    rule.get_by_role("button", name="Apply to 2").click()
    expect(page.get_by_text("3 of 3 conflicts resolved")).to_be_visible()


def test_a_branch_is_made_edited_compared_resolved_and_merged(merge_site: Live, visit: Visit) -> None:
    page = visit(merge_site, "/branches").page
    _create_branch(page)
    changes = csv_of([(10_001, "1.50"), (10_002, "2.90"), (10_003, "3.50"), (10_004, "4.50")], CELLS)
    _commit_rows(page, changes, "merge", "Amounts in euros")
    log = page.get_by_role("table", name=f"Commits of {BRANCH}")
    expect(log.get_by_role("link", name="Amounts in euros")).to_be_visible()
    # meanwhile, on main
    upload(merge_site, "main", csv_of([(10_001, "1.70"), (10_002, "2.70")], CELLS), mode="merge", message="Discount")
    upload(merge_site, "main", csv_of([(10_003,)], ("order_id",)), mode="delete", message="10003 was a test")

    page.get_by_role("link", name="Compare and merge").click()
    expect(page.get_by_text("3 conflicts.")).to_be_visible()
    page.get_by_role("tab", name="Rows").click()
    rows = page.get_by_role("table", name=f"Changed rows of {ORDERS}")
    expect(rows.get_by_role("row").filter(has_text="10001")).to_contain_text("11→1.5")
    expect(rows.get_by_role("row")).to_have_count(1 + 4)
    page.get_by_role("button", name="Merge and resolve").click()

    expect(page.get_by_role("heading", level=1, name=f"{BRANCH} → main")).to_be_visible()
    _resolve(page)
    page.get_by_role("button", name="Merge", exact=True).click()
    ended = page.get_by_role("region", name="How it ended")
    expect(ended).to_contain_text("Merged")
    ended.get_by_role("link", name="main").click()
    newest = page.get_by_role("table", name="Commits of main").get_by_role("row").nth(1)
    expect(newest).to_contain_text("Merge branch 'fix-orders' into 'main'")

    with merge_site.api() as api:
        found = api.get(f"/branches/datasets/{ORDERS}/commits/main/data").json()
    amounts = {row[0]: float(row[2]) for row in found["rows"]}
    assert {key: amounts[key] for key in (10_001, 10_002, 10_003, 10_004)} == {
        10_001: 1.7,
        10_002: 2.9,
        10_003: 3.5,
        10_004: 4.5,
    }


def test_a_file_that_does_not_fit_is_refused_with_line_and_reason(merge_site: Live, visit: Visit) -> None:
    visitor = visit(merge_site, "/branches")
    visitor.watch.expect("422")
    page = visitor.page
    _create_branch(page)
    _commit_rows(page, csv_of([order(30), (10_031, "c1", "twelve", "open")]), "append", "")
    alert = page.get_by_role("dialog").get_by_role("alert")
    expect(alert).to_contain_text("FORGE-E621")
    expect(alert).to_contain_text("orders.csv:3")
    expect(alert).to_contain_text("twelve")


@pytest.fixture(scope="module")
def diverged(web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Live, str]]:
    """A merge that waits for answers; these tests only look at it."""
    live = start_merge_site(tmp_path_factory.mktemp("diverged") / "shop")
    yield live, diverge(live, BRANCH)
    live.stop()


PLACES = {
    "compare-conflicts": ("/compare/main...fix-orders", "main (ours)"),
    "compare-rows": ("/compare/main...fix-orders?tab=rows", "changed rows"),
    "compare-stats": ("/compare/main...fix-orders?tab=stats", "Files added"),
    "merge": ("/merges/{merge}", "0 of 2 conflicts resolved"),
    "branches-merges": ("/branches", "1 open merge"),
    "branch-graph": ("/branches/fix-orders", "orders of December"),
    "upload": ("/branches/fix-orders?dialog=commit", "CSV with a header, JSON lines or Parquet"),
    "protect": ("/branches?dialog=protect&name=fix-orders", "Merges need an approval"),
}


def _profile(browser: Browser, live: Live, theme: str, width: int) -> BrowserContext:
    context = new_profile(browser, live, dark=theme == "dark", width=width, bypass_csp=True)
    context.add_init_script(path=AXE)
    return context


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PLACES)
def test_a_page_of_merging_is_for_everyone(
    name: str, theme: str, width: int, browser: Browser, diverged: tuple[Live, str]
) -> None:
    live, merge = diverged
    path, shown = PLACES[name]
    context = _profile(browser, live, theme, width)
    watch = Watch(context, live.address)
    try:
        page = context.new_page()
        page.goto(signed_in_at(live, path.format(merge=merge)))
        expect(page.get_by_text(shown).first).to_be_attached()
        expect(page.locator(".mantine-Skeleton-root")).to_have_count(0)
        if "dialog" in path:
            expect(page.get_by_role("dialog")).to_have_css("opacity", "1")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} pixels wide on a screen of {width}"
        found = violations(page)
        keep_picture(page, f"{name}-{theme}-{width}.png")
        assert not found, "\n".join(found)
    finally:
        context.close()
    watch.judge()


def test_conflicts_can_be_resolved_without_a_mouse(merge_site: Live, visit: Visit) -> None:
    merge = diverge(merge_site, BRANCH)
    page = visit(merge_site, f"/merges/{merge}").page
    first = page.get_by_role("group", name="Result of 10001, amount")
    first.get_by_label("ours").focus()
    page.keyboard.press("ArrowRight")
    expect(first.get_by_label("theirs")).to_be_checked()
    second = page.get_by_role("group", name="Result of 10002, amount")
    second.get_by_label("own value").focus()
    page.keyboard.press("Space")
    page.get_by_role("textbox", name="Own value for 10002, amount").focus()
    page.keyboard.type("7.25")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 of 2 conflicts resolved")).to_be_visible()
    page.get_by_role("button", name="Merge", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="How it ended")).to_contain_text("Merged")
    with merge_site.api() as api:
        found = api.get(f"/branches/datasets/{ORDERS}/commits/main/data").json()
    amounts = {row[0]: float(row[2]) for row in found["rows"]}
    assert (amounts[10_001], amounts[10_002]) == (1.5, 7.25)


def test_two_tabs_on_one_merge_follow_each_other(merge_site: Live, visit: Visit) -> None:
    merge = diverge(merge_site, BRANCH)
    mine = visit(merge_site, f"/merges/{merge}").page
    other = mine.context.new_page()
    other.goto(mine.url)
    expect(other.get_by_text("0 of 2 conflicts resolved")).to_be_visible()
    for number in (10_001, 10_002):
        mine.get_by_role("group", name=f"Result of {number}, amount").get_by_label("theirs").check()
    expect(other.get_by_text("2 of 2 conflicts resolved")).to_be_visible()
    expect(other.get_by_role("group", name="Result of 10001, amount").get_by_label("theirs")).to_be_checked()
    other.get_by_role("button", name="Merge", exact=True).click()
    expect(mine.get_by_role("region", name="How it ended")).to_contain_text("Merged")
