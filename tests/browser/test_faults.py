"""What a person sees when something breaks, and that it mends itself: no network, no server, a locked database."""

from __future__ import annotations

import re
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from live_forge import Live, start_forge
from playwright.sync_api import Locator, Page, expect
from watched_page import Visit

pytestmark = pytest.mark.browser

UNREACHABLE = ("net::ERR_", "Failed to load resource")
BRANCH = "made-while-locked"


def _banner(page: Page) -> Locator:
    return page.get_by_role("status").filter(has_text="Forge cannot be reached")


def _table(page: Page) -> Locator:
    return page.get_by_role("main").get_by_role("link", name="core.orders", exact=True)


def _mark(page: Page) -> None:
    """A reload would take this away."""
    page.evaluate("window.sameDocument = true")


def _is_marked(page: Page) -> bool:
    return bool(page.evaluate("window.sameDocument === true"))


def _wait_for_files(page: Page) -> None:
    """The files of pages that were not opened yet are fetched in the background."""
    there = "performance.getEntriesByType('resource').some(one => /static\\/Canvas-.*js$/.test(one.name))"
    for _ in range(200):
        if page.evaluate(there):
            return
        page.wait_for_timeout(100)
    raise AssertionError("the files of the pages were not fetched ahead")


def test_without_a_network_the_data_stays_and_the_page_recovers_by_itself(visit: Visit, site: Live) -> None:
    visitor = visit(site, "/assets")
    visitor.watch.expect(*UNREACHABLE)
    page = visitor.page
    expect(_table(page)).to_be_visible()
    _wait_for_files(page)
    _mark(page)
    page.context.set_offline(True)
    expect(_banner(page)).to_be_visible()
    expect(_banner(page)).to_contain_text("showing what was loaded at")
    expect(_table(page)).to_be_visible()
    page.get_by_role("navigation").get_by_role("link", name="Home").click()  # was never opened before
    expect(page.get_by_role("main").get_by_role("alert")).to_contain_text("The server does not answer")
    page.get_by_role("navigation").get_by_role("link", name="Assets").click()
    expect(_table(page)).to_be_visible()
    page.go_back()

    page.context.set_offline(False)
    expect(_banner(page)).to_have_count(0)
    expect(page.get_by_role("heading", level=2, name=re.compile("core.orders.amount"))).to_be_visible()
    assert _is_marked(page)


def test_a_server_that_is_killed_and_comes_back_is_found_again(
    visit: Visit, demo: Path, web_files: Path, tmp_path: Path
) -> None:
    errors = tmp_path / "stderr"
    live = start_forge(demo, errors)
    try:
        visitor = visit(live, "/assets?q=orders")
        visitor.watch.expect(*UNREACHABLE)
        page = visitor.page
        expect(_table(page)).to_be_visible()
        _mark(page)
        live.stop(signal.SIGKILL)
        page.get_by_text("Unchecked", exact=True).click()  # the next thing a person does
        expect(_banner(page)).to_be_visible()
        expect(page.get_by_role("main").get_by_role("alert")).to_contain_text("forge serve")
        page.get_by_text("All", exact=True).click()
        expect(_table(page)).to_be_visible()

        live = start_forge(demo, errors, port=live.port)
        _banner(page).get_by_role("button", name="Try now").click()
        expect(_banner(page)).to_have_count(0)
        expect(_table(page)).to_be_visible()
        page.get_by_role("textbox", name="Filter").fill("daily_revenue")
        expect(page.get_by_role("main").get_by_role("link", name="marts.daily_revenue")).to_be_visible()
        assert _is_marked(page)
    finally:
        live.stop()


@pytest.fixture
def hasty(demo: Path, web_files: Path, tmp_path: Path) -> Iterator[Live]:
    """A server that waits a second for a locked database, not half a minute."""
    live = start_forge(demo, tmp_path / "stderr", patience=1)
    yield live
    with live.api() as api:
        api.delete(f"/branches/{BRANCH}", params={"force": "true"})
    live.stop()


def test_a_locked_database_is_told_and_nothing_else_stops(hasty: Live, visit: Visit) -> None:
    visitor = visit(hasty, "/branches?dialog=create")
    visitor.watch.expect("status of 503")
    page = visitor.page
    dialog = page.get_by_role("dialog", name="New branch")
    dialog.get_by_role("textbox", name="Name").fill(BRANCH)
    create = dialog.get_by_role("button", name="Create the branch")
    with closing(sqlite3.connect(hasty.root / ".forge" / "forge.db", timeout=30, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        create.click()
        told = dialog.get_by_role("alert")
        expect(told).to_contain_text("FORGE-E404")
        expect(told).to_contain_text("Nothing was written")
        expect(told).to_contain_text("Try again")
        # Readers do not wait for writers.
        reading = page.context.new_page()
        reading.goto("/assets")
        expect(_table(reading)).to_be_visible()
        reading.close()
        other.execute("ROLLBACK")
    create.click()
    expect(page).to_have_url(re.compile(f"/branches/{BRANCH}$"))
    expect(page.get_by_role("heading", level=1, name=BRANCH)).to_be_visible()
