"""What every page is held to: that everyone can use it, by axe, and a picture of it that is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect
from watched_page import Served, Watch, new_profile, signed_in_at

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "build" / "screenshots"
AXE = ROOT / "ui" / "node_modules" / "axe-core" / "axe.min.js"
LEVELS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")


def violations(page: Page) -> list[str]:
    result = page.evaluate("levels => axe.run(document, {runOnly: levels, resultTypes: ['violations']})", [*LEVELS])
    found: list[dict[str, Any]] = result["violations"]
    assert len(result["passes"]) > 10, "axe saw no page"
    return [
        f"{one['id']}: {one['help']}\n    " + "\n    ".join(f"{n['target']} {n['html'][:150]}" for n in one["nodes"])
        for one in found
    ]


def keep_picture(page: Page, name: str) -> None:
    """The whole page on a screen that is high enough: bars at its edges would lie across a longer picture."""
    size = page.viewport_size
    assert size is not None
    high = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": max(size["height"], high)})
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / name, animations="disabled")


def is_for_everyone(browser: Browser, site: Served, name: str, path: str, shown: str) -> None:
    """A page, by a name like `contracts-list-dark-400`: it fits the screen, and axe and the console find nothing."""
    *_, theme, size = name.split("-")
    width = int(size)
    context = new_profile(browser, site, dark=theme == "dark", width=width, bypass_csp=True)
    try:
        context.add_init_script(path=AXE)
        page = context.new_page()
        watch = Watch(page, site.address)
        page.goto(signed_in_at(site, path))
        expect(page.get_by_text(shown).filter(visible=True).first).to_be_visible()
        expect(page.locator(".mantine-Skeleton-root")).to_have_count(0)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} pixels wide on a screen of {width}"
        found = violations(page)
        keep_picture(page, f"{name}.png")
        assert not found, "\n".join(found)
        watch.judge()
    finally:
        context.close()
