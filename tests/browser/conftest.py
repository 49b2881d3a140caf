"""The web app in real Chromium, on the real server, with the demo loaded. `make browser-test` runs these."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from federation_site import serve_federation
from live_forge import Live, run_forge, start_forge
from playwright.sync_api import Browser, BrowserContext, Playwright, expect, sync_playwright
from quality_site import QualitySite
from watched_page import Served, Visit, Visitor, Watch, new_profile, signed_in_at

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 20_000  # for a loaded machine; a test that passes never waits so long
SCALE = "0.01"  # twenty thousand rows tell the same story as two million


@pytest.fixture(scope="session")
def web_files() -> Path:
    from forge.api.web import FOLDER

    if not (FOLDER / "index.html").exists():
        pytest.fail("The web app is not built: make ui", pytrace=False)
    return FOLDER


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        pytest.fail("No Chromium: apt-get install -y --no-install-recommends chromium", pytrace=False)
    started = playwright.chromium.launch(executable_path=program, args=[*OPTIONS])
    yield started
    started.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, made by its own command. FORGE_TEST_DEMO names a folder that keeps it for the next time; who works
    on these tests saves a minute."""
    kept = os.environ.get("FORGE_TEST_DEMO")
    folder = Path(kept) if kept else tmp_path_factory.mktemp("demo") / "shop"
    run_forge("demo", str(folder), "--no-serve", "--scale", SCALE, cwd=folder.parent)
    return folder


@pytest.fixture(scope="session")
def site(demo: Path, web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """The one server of all tests that do not spoil it."""
    live = start_forge(demo, tmp_path_factory.mktemp("site") / "stderr")
    yield live
    live.stop()


@pytest.fixture(scope="module")
def till_site(web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[QualitySite]:
    """Orders in the lake, and the source `till` beside it: for the tests of one file that leave it as it was."""
    with serve_federation(tmp_path_factory.mktemp("till") / "shop") as site:
        yield site


@pytest.fixture
def own_till_site(web_files: Path, tmp_path: Path) -> Iterator[QualitySite]:
    """The same for one test, which may change it."""
    with serve_federation(tmp_path / "shop") as site:
        yield site


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Opens a page in a new browser profile. What the browser complains about fails the test at its end."""
    opened: list[tuple[BrowserContext, Watch]] = []

    def open_(live: Served, path: str = "/", *, signed_in: bool = True, dark: bool = False) -> Visitor:
        context = new_profile(browser, live, dark=dark)
        watch = Watch(context, live.address)
        opened.append((context, watch))
        page = context.new_page()
        page.goto(signed_in_at(live, path) if signed_in else path)
        return Visitor(page, watch)

    yield open_
    for context, _ in opened:
        context.close()
    for _, watch in opened:
        watch.judge()
