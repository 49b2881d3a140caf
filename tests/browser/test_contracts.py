"""Contracts as a person meets them: which there are, what binds and whose word it is, what is wrong and on which line,
what changed and which version it needs, and the end of one. Everything is real, and there is no JVM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from contract_site import NEW, ORDERS, ContractSite, lay_contracts, serve_contracts
from page_checks import is_for_everyone
from playwright.sync_api import Browser, Locator, Page, expect
from watched_page import Visit

pytestmark = pytest.mark.browser

ONE = f"/contracts/{ORDERS}"
FILE = "contracts/orders.odcs.yaml"


@pytest.fixture(scope="module")
def contract_site(web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContractSite]:
    """Three contracts above each other, the lowest wrong in four ways. Tests only look."""
    with serve_contracts(tmp_path_factory.mktemp("contracts") / "shop") as site:
        lay_contracts(site)
        yield site


@pytest.fixture
def own_contract_site(web_files: Path, tmp_path: Path) -> Iterator[ContractSite]:
    with serve_contracts(tmp_path / "shop") as site:
        lay_contracts(site)
        yield site


@pytest.fixture(scope="module")
def bare(web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContractSite]:
    with serve_contracts(tmp_path_factory.mktemp("contracts") / "empty") as site:
        yield site


def _region(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def test_the_list_leads_to_what_is_wrong_and_on_to_its_line(contract_site: ContractSite, visit: Visit) -> None:
    page = visit(contract_site, "/").page
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Contracts").first.click()
    row = page.get_by_role("table", name="Contracts").get_by_role("row").filter(has_text="core.orders")
    expect(row).to_contain_text("active")
    expect(row).to_contain_text("carlos@shop.example")
    expect(row).to_contain_text("file has 1.2.0")
    row.get_by_role("link", name=re.compile("^3 errors, 1 warning")).click()
    problems = page.get_by_role("list", name="Problems of Orders").get_by_role("listitem")
    expect(problems).to_have_count(4)
    weak = problems.filter(has_text="FORGE-E510")
    expect(weak).to_contain_text("latency: 2 d is weaker than the parent's 1 d (contracts/sales.odcs.yaml:18)")
    expect(weak).to_contain_text("Fix: Promise at most 1 d")
    weak.get_by_role("link", name=FILE).click()
    line = page.locator("[data-marked]")
    expect(line).to_contain_text("property: latency, value: 2, unit: d")
    expect(line).to_contain_text("FORGE-E510")
    expect(line).to_be_in_viewport()


def test_what_binds_says_whose_word_it_is(contract_site: ContractSite, visit: Visit) -> None:
    page = visit(contract_site, ONE).page
    chain = page.get_by_role("list", name="The contracts that bind, outermost first").get_by_role("listitem")
    expect(chain).to_have_text([re.compile("Enterprise standard"), re.compile("Sales domain"), re.compile("Orders")])
    table = page.get_by_role("table", name="Columns of orders")
    email = table.get_by_role("row").filter(has_text="email")
    expect(email).to_contain_text(re.compile("class.*pii.*Sales domain"))
    services = _region(page, "Service levels")
    expect(services).to_contain_text(re.compile("latency.*1 d.*Sales domain"))
    expect(services).to_contain_text(re.compile("retention.*5 y.*Enterprise standard"))
    expect(_region(page, "What does not fit its parents")).to_contain_text("FORGE-E510")
    page.get_by_role("switch", name="Only what is inherited").click(force=True)
    expect(page).to_have_url(re.compile("only=inherited"))
    expect(table.get_by_role("row")).to_have_count(2)
    chain.first.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Enterprise standard")


def test_a_change_names_the_version_it_needs_and_who_is_hit(contract_site: ContractSite, visit: Visit) -> None:
    page = visit(contract_site, f"{ONE}?part=versions").page
    changes = _region(page, "What changed")
    expect(changes).to_contain_text("It needs a MAJOR version")
    expect(changes).to_contain_text("1.2.0 is a MINOR one. The next one is 2.0.0.")
    expect(changes.get_by_role("list", name="Breaks readers")).to_contain_text("double → decimal(12,2)")
    expect(changes.get_by_role("list", name="Only words")).to_contain_text("Its number")
    hit = changes.get_by_role("list", name="Readers that are hit")
    expect(hit).to_contain_text("marts.daily")
    expect(hit).to_contain_text("boss@shop.example")
    _region(page, "Registered versions").get_by_role("link", name="with 1.0.0").click()
    expect(page).to_have_url(re.compile(r"old=1\.0\.0&new=1\.1\.0"))
    expect(changes).to_contain_text("1 change, and the version says so")
    page.get_by_label("From version").select_option("1.1.0")
    expect(changes).to_contain_text("Nothing changed")


def test_drift_is_seen_with_both_ways_to_mend_it(contract_site: ContractSite, visit: Visit) -> None:
    page = visit(contract_site, f"{ONE}?part=drift").page
    table = _region(page, "core.orders")
    expect(table.get_by_role("list", name="Differences of core.orders")).to_contain_text("FORGE-E530")
    expect(table.get_by_role("region", name="Change the contract")).to_contain_text("physicalType: double")
    page.get_by_role("tab", name="Readers").click()
    readers = page.get_by_role("table", name="Readers of Orders").get_by_role("row")
    expect(readers.nth(1)).to_contain_text("marts.daily")
    expect(readers.nth(2)).to_contain_text("through 1 table")
    page.get_by_role("tab", name="Tests").click()
    expect(page.get_by_role("list", name="Tests of Orders")).to_contain_text(
        "amount is not negative 3 rows are below 0"
    )


def test_a_contract_that_was_mended_is_checked_again(own_contract_site: ContractSite, visit: Visit) -> None:
    page = visit(own_contract_site, f"{ONE}?part=problems").page
    problems = page.get_by_role("list", name="Problems of Orders").get_by_role("listitem")
    expect(problems).to_have_count(4)
    own_contract_site.write("orders.odcs.yaml", NEW)
    page.get_by_role("button", name="Check now").click()
    expect(page.get_by_text("Orders was checked")).to_be_visible()
    expect(problems).to_have_count(1)
    expect(problems).to_contain_text("warning")
    page.get_by_role("link", name="All contracts").click()
    row = page.get_by_role("table", name="Contracts").get_by_role("row").filter(has_text="core.orders")
    expect(row).to_contain_text("1 warning")
    page.get_by_label("Problems", exact=True).select_option("With errors")
    expect(page.get_by_text("No contract passes these filters")).to_be_visible()
    page.reload()
    page.get_by_role("button", name="Show all contracts").click()
    expect(row).to_be_visible()


def test_a_contract_comes_to_its_end_and_readers_see_why(own_contract_site: ContractSite, visit: Visit) -> None:
    page = visit(own_contract_site, f"{ONE}?part=life").page
    page.get_by_role("button", name="Change state…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Next state")).to_have_value("deprecated")
    dialog.get_by_label("Reason").fill("Amounts move to cents")
    dialog.get_by_label("Ends on").fill("2027-01-31")
    dialog.get_by_label("Go to instead").fill("shop-sales")
    dialog.get_by_role("button", name="Make it deprecated").click()
    expect(page.get_by_text("Orders is deprecated")).to_be_visible()
    note = page.get_by_role("note")
    expect(note).to_contain_text("Amounts move to cents. It ends on 31 Jan 2027.")
    expect(page.get_by_role("list", name="What happened, newest first")).to_contain_text(
        "was active by ada@example.com"
    )
    note.get_by_role("link", name="Go to shop-sales").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sales domain")


def test_an_asset_leads_to_its_contract(contract_site: ContractSite, visit: Visit) -> None:
    page = visit(contract_site, "/assets/core.orders").page
    page.get_by_role("link", name="Orders 1.1.0").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Orders")


def test_a_contract_that_is_not_there_is_told(bare: ContractSite, visit: Visit) -> None:
    visitor = visit(bare, "/contracts/nothing")
    visitor.watch.expect("status of 404")
    expect(visitor.page.get_by_role("alert")).to_contain_text("FORGE-E504")
    visitor.page.get_by_role("main").get_by_role("link", name="All contracts").click()
    expect(visitor.page.get_by_text("Nothing is promised yet")).to_be_visible()


PAGES = {
    "list": ("/contracts", "3 errors, 1 warning"),
    "problems": ("/contracts?view=problems", "FORGE-E510"),
    "promises": (ONE, "Only what is inherited"),
    "inherited": (f"{ONE}?only=inherited", "Only what is inherited"),
    "found": (f"{ONE}?part=problems", "FORGE-E520"),
    "versions": (f"{ONE}?part=versions", "It needs a MAJOR version"),
    "drift": (f"{ONE}?part=drift", "Change the contract"),
    "readers": (f"{ONE}?part=readers", "dashboard:revenue"),
    "life": (f"{ONE}?part=life", "Not promised yet"),
    "tests": (f"{ONE}?part=tests", "3 rows are below 0"),
    "text": (f"{ONE}?part=text&line=34", "The file now, 1.2.0"),
    "state": (f"{ONE}?dialog=state", "Make it deprecated"),
    "draft": ("/contracts/shop-core-notes", "No contract stands above it"),
    "unregistered": ("/contracts/shop-core-notes?part=versions", "It was never registered"),
    "unborn": ("/contracts/shop-core-notes?part=drift", "The table is not there yet"),
    "calm": ("/contracts/shop-enterprise?part=problems", "are in order"),
}
EMPTY = {
    "list": ("/contracts", "Nothing is promised yet"),
    "problems": ("/contracts?view=problems", "No problem is known"),
}


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 400)])
@pytest.mark.parametrize("name", PAGES)
def test_every_pageis_for_everyone(
    name: str, theme: str, width: int, browser: Browser, contract_site: ContractSite
) -> None:
    path, shown = PAGES[name]
    is_for_everyone(browser, contract_site, f"contracts-{name}-{theme}-{width}", path, shown)


@pytest.mark.parametrize(("theme", "width"), [("light", 400), ("dark", 1440)])
@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_pageis_for_everyone(name: str, theme: str, width: int, browser: Browser, bare: ContractSite) -> None:
    path, shown = EMPTY[name]
    is_for_everyone(browser, bare, f"contracts-empty-{name}-{theme}-{width}", path, shown)
