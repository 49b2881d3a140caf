"""Runs from the page, on real Spark: watched to the end, reloaded in the middle, cancelled at work, without Java."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from live_forge import Live, run_forge, start_forge
from playwright.sync_api import Locator, Page, expect
from watched_page import Visit

pytestmark = pytest.mark.browser

SPARK_MS = 120_000  # to start Spark and run on it, on a loaded machine; a test that passes never waits so long
BRANCH = "try-it"

# It ends when the test says so.
PATIENT = """
import time
from pathlib import Path

from pyspark.sql import DataFrame

from forge import transform


@transform(output="marts.patient", inputs={{"revenue": "marts.revenue"}}, kind="full")
def patient(revenue: DataFrame) -> DataFrame:
    while not Path({gate!r}).exists():
        time.sleep(0.05)
    return revenue.select("day", "revenue")
"""
# Spark would be at it for hours.
ENDLESS = """
from pyspark.sql import DataFrame

from forge import transform


@transform(output="marts.endless", inputs={"revenue": "marts.revenue"}, kind="full")
def endless(revenue: DataFrame) -> DataFrame:
    return revenue.sparkSession.range(10**14).selectExpr("count(*) AS numbers")
"""


@dataclass
class Workshop:
    """A small project, its server, and the folder where the server looks for Java."""

    live: Live
    java: Path
    gate: Path

    def give_java(self) -> None:
        if not self.java.exists():
            found = shutil.which("java")
            assert found is not None, "No Java: apt-get install -y openjdk-17-jre-headless"
            self.java.symlink_to(Path(found).resolve().parents[1])

    def take_java(self) -> None:
        """A server that has started Spark would go on with it."""
        if self.java.exists():
            self.live.stop()
            self.java.unlink()
            self.live = start_forge(self.live.root, self.live.errors, JAVA_HOME=str(self.java))

    def run(self, run_id: str) -> dict[str, Any]:
        with self.live.api() as api:
            answer: dict[str, Any] = api.get(f"/runs/{run_id}").json()
        return answer

    def head(self, branch: str) -> str | None:
        with self.live.api() as api:
            head: str | None = api.get(f"/branches/{branch}").json()["head_commit"]
        return head


@pytest.fixture(scope="module")
def workshop(web_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """Made by `forge init`; there is no Java yet."""
    folder = tmp_path_factory.mktemp("workshop")
    run_forge("init", "small", cwd=folder)
    root, java, gate = folder / "small", folder / "java", folder / "gate"
    (root / "transforms/marts/patient.py").write_text(PATIENT.format(gate=str(gate)))
    (root / "transforms/marts/endless.py").write_text(ENDLESS)
    shop = Workshop(start_forge(root, folder / "stderr", JAVA_HOME=str(java)), java, gate)
    yield shop
    shop.live.stop()


@pytest.fixture
def stocked(workshop: Workshop) -> Iterator[Workshop]:
    """With Java, a first commit on main, and the branch `try-it`, which is gone after the test."""
    workshop.give_java()
    with workshop.live.api() as api:
        if workshop.head("main") is None:
            run_id = api.post("/runs", json={"selection": ["+marts.revenue"]}).json()["run_id"]
            deadline = time.monotonic() + SPARK_MS / 1000
            while (run := workshop.run(run_id))["status"] in ("queued", "running"):
                assert time.monotonic() < deadline, run
                time.sleep(0.2)
            assert run["status"] == "succeeded", run
        assert api.post("/branches", json={"name": BRANCH}).status_code == 201
        yield workshop
        api.delete(f"/branches/{BRANCH}", params={"force": "true"})


def _start(page: Page, tables: str, branch: str, *, force: bool = False) -> str:
    """Fills the form as a person does; the id of the run, whose page comes next."""
    page.get_by_role("button", name="Run…").first.click()
    dialog = page.get_by_role("dialog", name="Run tables")
    dialog.get_by_role("textbox", name="Tables").fill(tables)
    dialog.get_by_role("combobox", name="Branch").click()
    page.get_by_role("option", name=branch, exact=True).click()
    if force:
        dialog.get_by_role("checkbox", name="Run what is up to date, too").check()
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(page).to_have_url(re.compile(r"/runs/r\d+_\d+_\w+$"))
    return page.url.rpartition("/")[2]


def _status(page: Page) -> Locator:
    """The word beside the heading."""
    return page.get_by_role("main").locator(".badge").first


def _stages(page: Page, table: str) -> Locator:
    return page.get_by_role("list", name=f"Stages of {table}")


def test_without_java_a_run_says_what_to_install_and_runs_again_once_it_is_there(
    visit: Visit, workshop: Workshop
) -> None:
    workshop.take_java()
    before = workshop.head("main")
    page = visit(workshop.live, "/runs").page
    first = _start(page, "+marts.revenue", "main", force=True)
    problem = page.get_by_role("main").get_by_role("alert")
    expect(problem.first).to_contain_text("FORGE-E301", timeout=SPARK_MS)
    expect(problem.first).to_contain_text("JAVA_HOME")
    expect(problem.first).to_contain_text("apt-get install")
    expect(_status(page)).to_have_text("failed")
    expect(page.get_by_role("banner")).to_contain_text("Spark failed")
    assert workshop.head("main") == before

    workshop.give_java()
    page.get_by_role("button", name=re.compile("^Run again")).click()
    dialog = page.get_by_role("dialog", name="Run tables")  # on main one looks first
    expect(dialog.get_by_role("textbox", name="Tables")).to_have_value("+marts.revenue")
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(page).to_have_url(re.compile(r"/runs/r\d+_\d+_\w+$"))
    expect(page).not_to_have_url(re.compile(first))
    expect(_status(page)).to_have_text("succeeded", timeout=SPARK_MS)
    expect(page.get_by_role("main")).to_contain_text("2 tables published as one commit")
    expect(page.get_by_role("banner")).to_contain_text("Spark ready")
    assert workshop.head("main") not in (None, before)


def test_a_run_is_watched_live_through_a_reload_to_its_end(stocked: Workshop, visit: Visit) -> None:
    main = stocked.head("main")
    stocked.gate.unlink(missing_ok=True)
    page = visit(stocked.live, "/runs").page
    run_id = _start(page, "marts.patient", BRANCH)
    work = _stages(page, "marts.patient").get_by_role("listitem").filter(has_text="at work")
    expect(work).to_be_visible(timeout=SPARK_MS)
    expect(_status(page)).to_have_text("running")
    expect(page.get_by_role("banner")).to_contain_text("1 run working")
    happened = page.get_by_role("region", name="What happened")
    expect(happened).to_contain_text("marts.patient started")

    page.reload()
    expect(_status(page)).to_have_text("running")
    expect(happened).to_contain_text("marts.patient started")
    expect(work).to_be_visible()

    stocked.gate.touch()
    expect(_status(page)).to_have_text("succeeded", timeout=SPARK_MS)
    expect(page.get_by_role("main")).to_contain_text("1 table published as one commit")
    expect(_stages(page, "marts.patient")).to_contain_text("published, done")
    run = stocked.run(run_id)
    assert (run["status"], run["branch"], run["commit"]) == ("succeeded", BRANCH, stocked.head(BRANCH))
    assert stocked.head("main") == main


def test_deleting_a_branch_with_work_on_it_is_refused_in_words_first(stocked: Workshop, visit: Visit) -> None:
    stocked.gate.touch()
    with stocked.live.api() as api:
        run_id = api.post("/runs", json={"selection": ["marts.patient"], "branch": BRANCH}).json()["run_id"]
    visitor = visit(stocked.live, f"/runs/{run_id}")
    visitor.watch.expect("status of 403", "status of 409")
    page = visitor.page
    expect(_status(page)).to_have_text("succeeded", timeout=SPARK_MS)
    page.goto("/branches")
    page.get_by_role("link", name=f"Delete {BRANCH}").click()
    question = page.get_by_role("dialog", name=f"Delete the branch {BRANCH}?")
    expect(question).to_contain_text("1 commit of it is not on main")
    expect(question).to_contain_text("marts.patient")
    question.get_by_role("button", name="Delete the branch").click()
    expect(question.get_by_role("alert")).to_contain_text(BRANCH)
    assert stocked.head(BRANCH) is not None
    question.get_by_role("button", name="Delete all the same").click()
    expect(question).to_be_hidden()
    expect(page.get_by_role("main").get_by_role("link", name=BRANCH, exact=True)).to_have_count(0)


def test_a_run_that_is_cancelled_at_work_publishes_nothing(stocked: Workshop, visit: Visit) -> None:
    before = stocked.head(BRANCH)
    page = visit(stocked.live, "/runs").page
    run_id = _start(page, "marts.endless", BRANCH)
    # Spark is at it: the page counts its tasks.
    expect(page.get_by_role("main")).to_contain_text(re.compile(r"stage \d"), timeout=SPARK_MS)
    page.get_by_role("button", name="Cancel…").click()
    question = page.get_by_role("dialog", name="Cancel this run?")
    expect(question).to_contain_text("Nothing of it is published")
    question.get_by_role("button", name="Cancel the run").click()
    expect(_status(page)).to_have_text("cancelled", timeout=SPARK_MS)
    expect(page.get_by_role("button", name="Cancel…")).to_have_count(0)
    assert stocked.run(run_id)["commit"] is None
    assert stocked.head(BRANCH) == before
    page.reload()
    expect(_status(page)).to_have_text("cancelled")


def test_what_is_wrong_with_a_run_is_said_at_its_field(visit: Visit, workshop: Workshop) -> None:
    visitor = visit(workshop.live, "/runs?run=new&select=marts.revenu")
    visitor.watch.expect("status of 404", "status of 422")
    page = visitor.page
    dialog = page.get_by_role("dialog", name="Run tables")
    tables = dialog.get_by_role("textbox", name="Tables")
    expect(tables).to_have_value("marts.revenu")
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(tables).to_have_attribute("aria-invalid", "true")
    expect(dialog).to_contain_text("marts.revenue")
    expect(tables).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page).to_have_url(re.compile("/runs$"))
