"""What every page is held to: that everyone can use it, by axe, and a picture of it that is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

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
