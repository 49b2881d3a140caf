"""Every page by its address: in light and dark, on a wide and a narrow screen, for everyone, and kept as a picture."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from live_forge import Live
from page_checks import AXE, keep_picture
from page_checks import violations as page_violations
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from watched_page import Visit, Watch, new_profile, signed_in_at

pytestmark = pytest.mark.browser

WIDTHS = (1280, 400)
Profiles = Callable[[bool, int], BrowserContext]
Named = dict[str, str]
Shown = Callable[[Locator, Named], Locator]


@dataclass(frozen=True)
class Place:
    """A page: where it is, and what of the demo's data must be there to see."""

    name: str
    path: str
    shows: tuple[Shown, ...]


def _heading(name: str) -> Shown:
    return lambda main, named: main.get_by_role("heading", name=name).first


def _text(text: str) -> Shown:
    return lambda main, named: main.get_by_text(text).filter(visible=True).first


def _link(name: str) -> Shown:
    return lambda main, named: main.get_by_role("link", name=name.format(**named), exact=True).first


def _column(name: str) -> Shown:
    """A column in a picture of lineage."""
    return lambda main, named: main.locator(f'[data-column="{name}"]')


ORDERS = "/assets/core.orders"
PLACES = (
    Place("home", "/", (_heading("core.orders.amount"), _column("core.orders.amount"), _text("never saw it"))),
    Place("runs", "/runs", (_link("{run}"), _text("raw.orders+"), _text("blocked"))),
    Place(
        "run", "/runs/{run}", (_text("core.orders was held back"), _link("core.orders"), _text("amount is in euros"))
    ),
    Place("assets", "/assets", (_link("core.orders"), _link("marts.daily_revenue"), _text("failing"))),
    Place("asset-schema", ORDERS, (_text("carlos@shop.example"), _text("decimal(12,2)"), _text("4,916"))),
    Place("asset-quality", f"{ORDERS}?tab=quality", (_heading("held back"), _text("5,060 rows"), _text("10895.02"))),
    Place("asset-lineage", f"{ORDERS}?tab=lineage", (_column("core.orders.amount"), _column("raw.orders.amount"))),
    Place("asset-history", f"{ORDERS}?tab=history", (_link("orders of 13 November 2026"), _text("+118"))),
    Place("asset-sample", "/assets/core.customers?tab=sample", (_text("email (hidden)"), _text("•••"))),
    Place("branches", "/branches", (_link("main"), _text("default"))),
    Place("branch", "/branches/main", (_link("orders of 14 November 2026"), _text("Sam Shop"))),
    Place("commit", "/commits/{commit}", (_text("orders of 14 November 2026"), _link("raw.orders"), _text("144"))),
    Place(
        "lineage",
        "/lineage?focus=marts.daily_revenue.revenue&direction=upstream",
        (_column("marts.daily_revenue.revenue"), _column("core.orders.amount"), _column("raw.orders.amount")),
    ),
    Place(
        "lineage-table",
        "/lineage?focus=core.orders&view=table&indirect=yes&order=-confidence",
        (_text("decides which rows"), _link("staging.orders.amount")),
    ),
    Place(
        "impact",
        "/impact?focus=core.orders.amount&change=drop&open=marts.daily_revenue.revenue",
        (_text("high risk"), _text("Migration steps"), _text("use: aggregated"), _link("marts.daily_revenue.revenue")),
    ),
    Place("impact-choice", "/impact?focus=core.orders.amount", (_text("Drop a column"), _text("Change the format"))),
    Place("settings", "/settings", (_heading("Tokens"), _text("sam@shop.example"), _text("SQLite"))),
    Place("login", "/login", (_heading("Sign in to Forge"),)),
)


@pytest.fixture(scope="session")
def named(site: Live) -> Named:
    """What the addresses of the demo are made of: its blocked run, and the commit of it."""
    with site.api() as api:
        (blocked,) = api.get("/runs", params={"status": "blocked", "branch": "main"}).json()["items"]
    return {"run": blocked["run_id"], "commit": blocked["commit"]}


@pytest.fixture(scope="session")
def profiles(browser: Browser, site: Live) -> Iterator[Profiles]:
    """One signed-in profile for each theme and width. It lets axe in, which the page's own policy would not."""
    opened: dict[tuple[bool, int], BrowserContext] = {}

    def profile(dark: bool, width: int) -> BrowserContext:
        if (dark, width) not in opened:
            opened[dark, width] = context = new_profile(browser, site, dark=dark, width=width, bypass_csp=True)
            context.add_init_script(path=AXE)
            page = context.new_page()
            page.goto(signed_in_at(site, "/login"))
            page.close()
        return opened[dark, width]

    yield profile
    for context in opened.values():
        context.close()


def _ready(page: Page, place: Place, named: Named) -> None:
    main = page.get_by_role("main")
    for shown in place.shows:
        expect(shown(main, named)).to_be_visible()
    expect(page.locator(".mantine-Skeleton-root")).to_have_count(0)
    page.evaluate("document.fonts.ready.then(() => undefined)")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_a_page_opens_by_its_address_and_is_for_everyone(
    place: Place, theme: str, width: int, profiles: Profiles, site: Live, named: dict[str, str]
) -> None:
    page = profiles(theme == "dark", width).new_page()
    watch = Watch(page, site.address)
    try:
        page.goto(place.path.format(**named))
        _ready(page, place, named)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} pixels wide on a screen of {width}"
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number)")
        assert (sum(ground[:3]) < 3 * 128) is (theme == "dark"), f"the ground is {ground} in {theme}"
        violations = page_violations(page)
        keep_picture(page, f"{place.name}-{theme}-{width}.png")
        assert not violations, "\n".join(violations)
    finally:
        page.close()
    watch.judge()


OVERLAYS: dict[str, tuple[str, Callable[[Page], None], str]] = {
    "search": ("/", lambda page: page.keyboard.press("/"), "dialog"),
    "theme": ("/", lambda page: page.get_by_role("button", name="Theme").click(), "menu"),
    "fix": ("/", lambda page: page.get_by_role("button", name="Fix on a branch").click(), "dialog"),
    "new-run": ("/runs?run=new", lambda page: None, "dialog"),
    "new-branch": ("/branches?dialog=create", lambda page: None, "dialog"),
    "new-token": ("/settings?dialog=token", lambda page: None, "dialog"),
}


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 400)])
@pytest.mark.parametrize("name", OVERLAYS)
def test_what_opens_over_a_page_is_for_everyone(
    name: str, theme: str, width: int, profiles: Profiles, site: Live
) -> None:
    path, open_, role = OVERLAYS[name]
    page = profiles(theme == "dark", width).new_page()
    watch = Watch(page, site.address)
    try:
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        open_(page)
        over = page.locator(f"[role={role}]")
        expect(over).to_be_visible()
        expect(over).to_have_css("opacity", "1")
        violations = page_violations(page)
        keep_picture(page, f"over-{name}-{theme}-{width}.png")
        assert not violations, "\n".join(violations)
        page.keyboard.press("Escape")
        expect(over).to_be_hidden()
    finally:
        page.close()
    watch.judge()


def test_a_page_says_in_its_title_what_it_is(visit: Visit, site: Live) -> None:
    page = visit(site, ORDERS).page
    expect(page).to_have_title("core.orders · Forge")
    for name in ("Runs", "Assets", "Lineage", "Branches", "Settings", "Home"):
        page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
        expect(page).to_have_title(f"{name} · Forge")
        expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_no_request_leaves_the_server(visit: Visit, site: Live) -> None:
    visitor = visit(site)
    page = visitor.page
    expect(page.locator('[data-column="core.orders.amount"]')).to_be_visible()
    for name in ("Runs", "Assets", "Lineage", "Branches", "Settings"):
        page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
        expect(page.locator(".mantine-Skeleton-root")).to_have_count(0)
    assert len(visitor.watch.requests) > 20  # scripts, styles, a font, and the data of six pages
    assert visitor.watch.strangers() == []


INTRUDERS = """async () => {
  const told = [];
  document.addEventListener("securitypolicyviolation", event => told.push(event.effectiveDirective));
  const inline = document.createElement("script");
  inline.textContent = "window.intruder = 'inline'";
  document.head.append(inline);
  const foreign = document.createElement("script");
  foreign.src = "http://127.0.0.1:9/intruder.js";
  document.head.append(foreign);
  const picture = new Image();
  picture.src = "http://127.0.0.1:9/pixel.png";
  await fetch("http://127.0.0.1:9/secrets").catch(() => undefined);
  const frame = document.createElement("iframe");
  frame.src = "http://127.0.0.1:9/";
  document.body.append(frame);
  await new Promise(done => setTimeout(done, 200));
  return {told: [...new Set(told)].sort(), ran: window.intruder ?? null};
}"""


def test_the_policy_of_the_page_keeps_other_scripts_and_servers_out(visit: Visit, site: Live) -> None:
    visitor = visit(site, "/settings")
    expect(visitor.page.get_by_role("heading", name="Tokens")).to_be_visible()
    visitor.watch.expect("Content Security Policy", r"failed: .* http://127\.0\.0\.1:9/.* csp")
    found = visitor.page.evaluate(INTRUDERS)
    assert found["ran"] is None
    assert found["told"] == ["connect-src", "frame-src", "img-src", "script-src-elem"], json.dumps(found)
    # Chromium reports a request that it refuses itself; none of them was sent.
    visitor.watch.requests[:] = [url for url in visitor.watch.requests if not url.startswith("http://127.0.0.1:9/")]
