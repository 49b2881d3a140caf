"""Signing in and out, tokens for programs, and what a person reads when they are refused."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing
from hashlib import sha256
from uuid import uuid4

import httpx
import pytest
from live_forge import Live
from playwright.sync_api import Page, expect
from watched_page import Visit

pytestmark = pytest.mark.browser

REFUSED = "status of 401"


def _call(site: Live, secret: str) -> int:
    headers = {"authorization": f"Bearer {secret}"}
    return httpx.get(f"{site.address}/api/v1/runs", headers=headers, timeout=60).status_code


def _sign_in(page: Page, secret: str) -> None:
    page.get_by_role("textbox", name="Token").fill(secret)
    page.get_by_role("button", name="Sign in").click()


def test_a_token_is_shown_once_works_for_programs_and_stops_when_revoked(visit: Visit, site: Live) -> None:
    name = f"nightly {uuid4().hex[:8]}"
    page = visit(site, "/settings").page
    page.get_by_role("button", name="Create a token…").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").fill(name)
    dialog.get_by_role("radio", name="Read", exact=True).check()
    dialog.get_by_role("button", name="Create the token").click()
    expect(dialog).to_contain_text("it is shown this once")
    secret = dialog.locator("code").filter(has_text=re.compile("^forge_")).inner_text()
    assert _call(site, secret) == 200
    dialog.get_by_role("button", name="I have copied it").click()
    expect(dialog).to_be_hidden()
    expect(page).to_have_url(re.compile("/settings$"))

    row = page.get_by_role("row").filter(has_text=name)
    expect(row).to_contain_text("active")
    expect(row).to_contain_text("read")
    page.reload()
    expect(row).to_contain_text("active")
    assert secret not in page.content()

    row.get_by_role("button", name=f"Revoke {name}").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke the token").click()
    expect(row).to_contain_text("revoked")
    assert _call(site, secret) == 401


def test_a_token_without_a_name_is_not_made(visit: Visit, site: Live) -> None:
    page = visit(site, "/settings?dialog=token").page
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Create the token").click()
    expect(dialog.get_by_role("textbox", name="Name")).to_have_attribute("aria-invalid", "true")
    expect(dialog).to_contain_text("Give it a name.")


def test_who_signs_out_is_out(visit: Visit, site: Live) -> None:
    visitor = visit(site, "/settings")
    visitor.watch.expect(REFUSED)
    page = visitor.page
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile("/login"))
    expect(page.get_by_role("main")).to_contain_text("You are signed out")
    page.goto("/settings")
    expect(page).to_have_url(re.compile("/login"))
    expect(page.get_by_role("heading", name="Sign in to Forge")).to_be_visible()


def test_a_wrong_token_is_told_and_the_right_one_leads_where_one_wanted_to_go(visit: Visit, site: Live) -> None:
    visitor = visit(site, "/assets?state=failing", signed_in=False)
    visitor.watch.expect(REFUSED)
    page = visitor.page
    expect(page).to_have_url(re.compile("/login"))
    _sign_in(page, "forge_not-a-token-of-this-server")
    refused = page.get_by_role("alert")
    expect(refused).to_contain_text("FORGE-E903")
    expect(refused).to_contain_text("Fix:")
    _sign_in(page, site.url)  # people paste the whole link
    expect(page).to_have_url(re.compile(r"/assets\?state=failing$"))
    expect(page.get_by_role("main").get_by_role("link", name="core.orders", exact=True)).to_be_visible()


def test_a_link_with_a_wrong_token_explains_itself(visit: Visit, site: Live) -> None:
    visitor = visit(site, "/?token=forge_of-yesterday", signed_in=False)
    visitor.watch.expect(REFUSED)  # it asks whether an older session still holds
    page = visitor.page
    expect(page).to_have_url(re.compile("/login"))
    expect(page.get_by_role("main").get_by_role("status")).to_contain_text("not one of this server's")


def test_a_stale_link_does_not_end_a_session_that_is_valid(visit: Visit, site: Live) -> None:
    page = visit(site, "/runs").page
    expect(page.get_by_role("heading", level=1, name="Runs")).to_be_visible()
    page.goto("/assets?token=forge_of-yesterday")
    expect(page).to_have_url(re.compile(r"/assets$"))
    expect(page.get_by_role("heading", level=1, name="Assets")).to_be_visible()


def test_the_token_does_not_stay_in_the_address(visit: Visit, site: Live) -> None:
    page = visit(site, "/runs?status=blocked").page
    expect(page).to_have_url(re.compile(r"/runs\?status=blocked$"))
    (cookie,) = page.context.cookies()
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"


def _expire(site: Live, secret: str) -> None:
    """Two weeks go by for one browser. The server looks at its sessions anew every two seconds."""
    digest = sha256(secret.encode()).hexdigest()
    change = "UPDATE forge_tokens SET expires_at = '2026-01-01 00:00:00.000000' WHERE kind = 'session' AND digest = ?"
    with closing(sqlite3.connect(site.root / ".forge" / "forge.db", timeout=30)) as database, database:
        assert database.execute(change, [digest]).rowcount == 1
    # A secret is the same to the server in a cookie and in a header.
    while _call(site, secret) == 200:
        time.sleep(0.1)


def test_an_expired_session_leads_to_the_login_and_back_to_the_page(visit: Visit, site: Live) -> None:
    visitor = visit(site, "/assets/core.orders?tab=history")
    visitor.watch.expect(REFUSED)
    page = visitor.page
    expect(page.get_by_role("tabpanel").get_by_role("row").nth(1)).to_be_visible()
    (cookie,) = page.context.cookies()
    _expire(site, cookie["value"])
    page.get_by_role("tab", name="Quality").click()  # the next thing a person does
    expect(page).to_have_url(re.compile("/login"))
    expect(page.get_by_role("main").get_by_role("status")).to_contain_text("Your session has expired")
    _sign_in(page, site.token)
    expect(page).to_have_url(re.compile(r"/assets/core\.orders\?tab=quality$"))
    expect(page.get_by_role("tabpanel").get_by_role("row").nth(1)).to_be_visible()


def test_who_may_only_read_finds_no_button_that_would_be_refused(visit: Visit, site: Live) -> None:
    with site.api() as api:
        made = api.post("/tokens", json={"name": f"reader {uuid4().hex[:8]}", "scope": "read"}).json()
    try:
        visitor = visit(site, "/login", signed_in=False)
        visitor.watch.expect(REFUSED)
        page = visitor.page
        _sign_in(page, made["token"])
        expect(page.get_by_role("heading", level=1, name="shop")).to_be_visible()
        for path, button in (("/runs", "Run…"), ("/branches", "New branch"), ("/settings", "Create a token…")):
            page.goto(path)
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            expect(page.locator(".mantine-Skeleton-root")).to_have_count(0)
            expect(page.get_by_text(button)).to_have_count(0)
    finally:
        with site.api() as api:
            api.delete(f"/tokens/{made['id']}")
