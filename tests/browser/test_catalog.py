"""The catalog as a person meets it: searching, walking through it, profiles, documentation that two people edit, the
glossary, and personal data that is decided by keyboard. Everything is real, and there is no JVM."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_checks import is_for_everyone
from playwright.sync_api import Browser, Locator, Page, expect
from quality_site import QualitySite, csv_of, serve_quality
from run_site import until
from watched_page import Visit

pytestmark = pytest.mark.browser

ORDERS = "/assets/core.orders"
REVENUE = {
    "name": "Net revenue",
    "domain": "sales",
    "definition": "What is left of **gross revenue** after returns.",
    "synonyms": ["net sales"],
    "state": "approved",
}
WORDS = {
    "description": "One row per order, in euros.",
    "owner": "carlos@shop.example",
    "domain": "sales",
    "tags": ["gold"],
    "classification": "internal",
    "columns": {"amount": {"description": "What was paid", "term": "sales.net-revenue"}},
}
HOSTILE = "<script>window.intruder = 1</script>\n\n[click](javascript:window.intruder=2) <img src=x onerror=alert(1)>"
LONG = f"{HOSTILE}\n\npay \u202egpj.exe\u202c " + "long words " * 80_000


def _call(site: QualitySite, method: str, path: str, **sent: Any) -> Any:
    with site.api() as api:
        answer = api.request(method, f"/catalog{path}", **sent)
        assert answer.status_code < 300, answer.text
        found = answer.json()
        if answer.status_code == 202:
            until(lambda: api.get(f"/runs/{found['run_id']}").json()["status"] not in ("queued", "running"))
            assert api.get(f"/runs/{found['run_id']}").json()["status"] == "succeeded"
    return found


@pytest.fixture(scope="module")
def crawled_site(web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[QualitySite]:
    """Orders of two days and customers: crawled, profiled, scanned and documented."""
    people = [
        f"{10 * row + place},{first} {last},c{10 * row + place}@shop.example"
        for row, first in enumerate(("Anna", "Carlos", "Maria", "Peter", "Julia", "Thomas"))
        for place, last in enumerate(("Schmidt", "Garcia", "Miller", "Rossi", "Johnson"))
    ]
    with serve_quality(tmp_path_factory.mktemp("catalog") / "shop") as site:
        site.upload(csv_of(range(100, 160), 10), "orders of 13 November")
        _call(site, "POST", "/assets/core.orders/profile", json={})
        site.upload(csv_of(range(160, 200), 900), "orders of 14 November")
        text = "\n".join(("customer_id,full_name,email", *people)) + "\n"
        site.upload(text, "customers", table="core.customers")
        _call(site, "POST", "/scan")
        _call(site, "POST", "/glossary/terms", json=REVENUE)
        for table in ("core.orders", "core.customers"):
            _call(site, "POST", f"/assets/{table}/profile", json={})
            _call(site, "POST", f"/assets/{table}/pii/scan", params={"force": True})
        _call(site, "PATCH", "/assets/core.orders", json=WORDS)
        yield site


def _region(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def test_a_search_says_what_matched_and_why_it_ranks_so(crawled_site: QualitySite, visit: Visit) -> None:
    page = visit(crawled_site, "/search").page
    page.get_by_role("textbox", name="Words").fill("order amount")
    first = page.get_by_role("list", name="Results").get_by_role("listitem").first
    expect(first.get_by_role("link", name="core.orders", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"q=order\+amount"))
    expect(first.locator("mark").first).to_have_text("orders")
    expect(first).to_contain_text(re.compile("Matching columns?:.*amount"))
    first.get_by_role("button", name="Why here?").click()
    expect(first).to_contain_text("It is found because")
    expect(first).to_contain_text("it has an owner")
    page.get_by_role("group", name="Owner").get_by_role("checkbox", name=re.compile("carlos@shop.example")).check()
    expect(page).to_have_url(re.compile("owners=carlos@shop.example"))
    page.reload()
    expect(page.get_by_role("checkbox", name=re.compile("carlos@shop.example"))).to_be_checked()
    expect(page.get_by_role("status").filter(has_text="1 result")).to_be_visible()


def test_results_are_chosen_and_opened_without_a_mouse(crawled_site: QualitySite, visit: Visit) -> None:
    page = visit(crawled_site, "/search?q=orders&types=table").page
    results = page.get_by_role("list", name="Results").get_by_role("listitem")
    expect(results.first).to_be_visible()
    page.keyboard.press("j")
    expect(results.first).to_have_attribute("aria-current", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("core.orders")
    page.goto("/search?q=zzzqqq")
    expect(page.get_by_text("Nothing matches “zzzqqq”")).to_be_visible()


def test_the_catalog_is_walked_by_place_and_by_domain(crawled_site: QualitySite, visit: Visit) -> None:
    page = visit(crawled_site, "/").page
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Catalog").first.click()
    page.get_by_role("navigation", name="Databases and schemas").get_by_role("link", name="core").click()
    row = page.get_by_role("table", name="Assets").get_by_role("row").filter(has_text="core.orders")
    expect(row).to_contain_text("carlos@shop.example")
    expect(row).to_contain_text("active")
    page.get_by_text("By domain").click()
    page.get_by_role("navigation", name="Domains").get_by_role("link", name=re.compile("sales")).click()
    expect(page.get_by_role("status").filter(has_text="1 asset in sales")).to_be_visible()


def test_a_database_shows_its_schemas_and_a_phone_the_list_first(crawled_site: QualitySite, visit: Visit) -> None:
    for name in ("pg:crm.public.users", "files:landing/orders/*.csv"):
        _call(crawled_site, "POST", "/assets", json={"qualified_name": name, "type": "dataset"})
    page = visit(crawled_site, "/catalog?at=pg:crm").page
    expect(page.get_by_role("status").filter(has_text="1 schema in pg:crm")).to_be_visible()
    page.get_by_role("list", name="Inside").get_by_role("link", name="public").click()
    expect(page.get_by_role("table", name="Assets").get_by_role("link", name="pg:crm.public.users")).to_be_visible()
    page.goto("/catalog?at=files:landing")
    page.get_by_role("list", name="Inside").get_by_role("link", name="orders").click()
    expect(page.get_by_role("link", name="files:landing/orders/*.csv")).to_be_visible()
    page.set_viewport_size({"width": 400, "height": 900})
    tree = page.get_by_role("navigation", name="Databases and schemas")
    expect(tree).to_be_hidden()
    page.locator("summary").filter(has_text="files:landing/orders").press("Enter")
    tree.get_by_role("link", name="core").click()
    expect(page.get_by_role("link", name="core.orders")).to_be_visible()
    expect(tree).to_be_hidden()
    page.goto("/catalog?at=nowhere")
    expect(page.get_by_text("Nothing is in nowhere")).to_be_visible()
    page.get_by_role("link", name="Show everything").click()
    expect(page.get_by_role("link", name="core.orders")).to_be_visible()


def test_a_profile_shows_values_and_what_changed_since_a_commit(crawled_site: QualitySite, visit: Visit) -> None:
    page = visit(crawled_site, f"{ORDERS}?tab=profile").page
    columns = page.get_by_role("table", name="Profile of the columns of core.orders")
    expect(columns.get_by_role("row").filter(has_text="amount")).to_contain_text("906.5")
    expect(columns.get_by_role("img", name=re.compile("Distribution of amount: from 10"))).to_be_visible()
    expect(columns.get_by_role("row").filter(has_text="email")).to_contain_text("hidden")
    columns.get_by_role("button", name="amount").click()
    expect(page.get_by_role("list", name="Most frequent values of amount")).to_contain_text("901.5")
    page.get_by_role("combobox", name="Compare with").select_option(index=1)
    changes = page.get_by_role("table", name="Statistics that changed")
    expect(changes.get_by_role("row").filter(has_text="the table")).to_contain_text("60")
    expect(page).to_have_url(re.compile("since=[0-9a-f]{64}"))


def test_what_was_typed_survives_somebody_who_was_faster(crawled_site: QualitySite, visit: Visit) -> None:
    visitor = visit(crawled_site, ORDERS)
    visitor.watch.expect("409")
    page = visitor.page
    about = _region(page, "Description")
    about.get_by_role("button", name="Edit description").click()
    field = about.get_by_role("textbox", name="Description")
    field.fill("Mine: every order that was paid.")
    _call(crawled_site, "PATCH", "/assets/core.orders", json={"description": "Theirs: orders of all channels."})
    about.get_by_role("button", name="Save").click()
    expect(about.get_by_role("alert")).to_contain_text("changed it meanwhile")
    expect(about.get_by_role("alert")).to_contain_text("Theirs: orders of all channels.")
    expect(field).to_have_value("Mine: every order that was paid.")
    about.get_by_role("button", name="Save mine over it").click()
    expect(about).to_contain_text("Mine: every order that was paid.")
    page.get_by_role("tab", name="History").click()
    edits = _region(page, "Edits of the documentation").get_by_role("listitem")
    expect(edits.first).to_contain_text("Mine: every order that was paid.")
    edits.first.get_by_role("button", name="Undo").click()
    expect(about).to_contain_text("Theirs: orders of all channels.")


def test_a_hostile_description_is_shown_harmlessly(crawled_site: QualitySite, visit: Visit) -> None:
    _call(crawled_site, "PATCH", "/assets/core.customers", json={"description": LONG})
    page = visit(crawled_site, "/assets/core.customers").page
    about = _region(page, "Description")
    expect(about).to_contain_text("<script>window.intruder = 1</script>")
    expect(about).to_contain_text("pay [U+202E]gpj.exe[U+202C]")
    expect(about.locator("script, img, a")).to_have_count(0)
    about.get_by_role("button", name=re.compile("Show all")).click()
    expect(about.locator("pre")).to_be_visible()
    page.goto("/search?q=customers")
    expect(page.get_by_role("list", name="Results")).to_contain_text("<script>")
    assert page.evaluate("window.intruder ?? null") is None


def test_terms_are_added_and_found(crawled_site: QualitySite, visit: Visit) -> None:
    page = visit(crawled_site, "/glossary?term=sales.net-revenue").page
    term = page.get_by_role("article", name="Net revenue")
    expect(term.get_by_role("link", name="core.orders.amount")).to_be_visible()
    page.get_by_role("button", name="New term").click()
    form = page.get_by_role("dialog", name="New term")
    expect(form.get_by_role("textbox", name="Name")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="New term")).to_be_focused()
    page.keyboard.press("Enter")
    form.get_by_role("textbox", name="Name").fill("Basket")
    form.get_by_role("textbox", name="Definition").fill("What is bought *together*.")
    form.get_by_role("button", name="Add the term").click()
    expect(page.get_by_role("article", name="Basket")).to_contain_text("What is bought together.")
    page.keyboard.press("Control+K")
    page.keyboard.type("baske")
    page.get_by_role("option").filter(has_text="Basket").first.click()
    expect(page).to_have_url(re.compile("/glossary"))
    page.get_by_role("article", name="Basket").get_by_role("button", name="Edit").click()
    expect(page.get_by_role("dialog", name="Edit “Basket”")).to_be_visible()


def test_personal_data_is_decided_by_keyboard(crawled_site: QualitySite, visit: Visit) -> None:
    page = visit(crawled_site, "/pii?table=core.customers").page
    findings = page.get_by_role("list", name="Findings").locator("> li")
    opened = findings.filter(has=page.get_by_role("button", expanded=True))
    expect(opened).to_contain_text("core.customers.email")
    expect(opened.get_by_role("list")).to_contain_text("the name says email")
    page.keyboard.press("y")
    expect(opened).to_contain_text("core.customers.full_name")
    page.keyboard.press("n")
    expect(page.get_by_text("Nothing passes these filters")).to_be_visible()
    page.get_by_text("Confirmed", exact=True).click()
    expect(findings).to_have_count(1)
    expect(opened).to_contain_text("confirmed")
    page.keyboard.press("o")
    expect(findings).to_have_count(0)


PLACES = {
    "search": ("/search?q=order", "Matching column"),
    "browse": ("/catalog?at=core", "core.customers"),
    "glossary": ("/glossary?term=sales.net-revenue", "gross revenue"),
    "personal": ("/pii?state=all", "e-mail address"),
    "profile": (f"{ORDERS}?tab=profile&col=amount", "Standard deviation"),
    "usage": (f"{ORDERS}?tab=usage", "Similar"),
    "facts": (ORDERS, "Primary key"),
    "popular": ("/catalog?by=popular", "core.orders"),
}


@pytest.mark.parametrize("screen", ["light-1280", "dark-400"])
@pytest.mark.parametrize("place", PLACES)
def test_a_page_of_the_catalog_is_for_everyone(
    place: str, screen: str, browser: Browser, crawled_site: QualitySite
) -> None:
    path, shown = PLACES[place]
    is_for_everyone(browser, crawled_site, f"catalog-{place}-{screen}", path, shown)
