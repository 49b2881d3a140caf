"""`forge demo`: whose folder it is, when it is made anew, what is told the second time. No JVM: the records are written
by hand, and Java is taken away so that whatever needs Spark fails."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from forge.cli.runs import demo_folder
from forge.cli.runs.demo import free_port
from forge.cli.runs.demo_folder import (
    MARK,
    DemoMarker,
    digest_of,
    finish_folder,
    prepare_folder,
    read_marker,
    shop_folder,
)
from forge.flows.runs.records import OutputRecord, OutputStatus, RunRecord, RunStatus
from forge.model.errors import ForgeError
from forge.model.names import BranchName, RunId, TableName
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.wiring import Wiring

SAW = "amount: 102 of 387,001 rows are outside 0 … 5000; greatest is 72,448.99"
NO_JAVA = 3  # E301: could not run
DAY = date(2026, 11, 14)
ORDERS, REVENUE = TableName("core", "orders"), TableName("marts", "daily_revenue")
Forge = Callable[..., Any]


@pytest.fixture(autouse=True)
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))


def record(target: Path, *, digest: str | None = None) -> None:
    """Two days of a demo, as its runs would have left them: the second is blocked. Then the mark of a finished one."""
    wiring = Wiring.of(target)
    names = []
    for number, status in enumerate((RunStatus.SUCCEEDED, RunStatus.BLOCKED)):
        day = DAY + timedelta(days=number - 1)
        began = datetime(day.year, day.month, day.day, 6, 10, tzinfo=UTC)
        run = RunRecord(
            id=RunId(f"r{number}"),
            branch=BranchName("main"),
            status=RunStatus.RUNNING,
            started_at=began,
            user="sam@shop.example",
            host="host",
            pid=1,
            process_started="",
        )
        run = replace(run, params={"day": str(day)})
        wiring.metadata.start_run(run)
        blocked = status is RunStatus.BLOCKED
        outputs = (
            OutputRecord(
                table=ORDERS,
                status=OutputStatus.BLOCKED if blocked else OutputStatus.PUBLISHED,
                reason=SAW if blocked else "",
            ),
            OutputRecord(table=REVENUE, status=OutputStatus.SKIPPED if blocked else OutputStatus.PUBLISHED),
        )
        failed = Verdict(
            check_id="c1",
            check_type="range",
            table=str(ORDERS),
            columns=("amount",),
            outcome=Outcome.FAILED,
            severity=Severity.CRITICAL,
            message=SAW,
            blocks=True,
            details={"sample": []},
        )
        ended = replace(run, status=status, finished_at=began + timedelta(seconds=5), outputs=outputs)
        wiring.metadata.finish_run(ended, (failed,) if blocked else (), ())
        names.append(str(run.id))
    wiring.close()
    finish_folder(target, DemoMarker(digest or digest_of(shop_folder(), 1.0), tuple(names)))


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    target = tmp_path / "forge-demo"
    prepare_folder(target)
    record(target)
    return target


# --- the folder ------------------------------------------------------------------------------------------------------


def test_a_folder_that_is_not_a_demo_is_never_touched(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    ended = forge("demo", "mine", "--fresh", "--no-serve")
    assert ended.status != 0
    assert "E109" in ended.err
    assert "forge demo my-demo" in ended.err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_a_file_in_the_way_is_named(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "forge-demo").write_text("not a folder")
    assert "E109" in forge("demo", "--no-serve").err


@pytest.mark.slow
def test_a_demo_that_was_made_is_not_made_again(forge: Forge, finished: Path) -> None:
    (finished / "notes.txt").write_text("what I tried")
    ended = forge("demo", "--no-serve")
    assert ended.status == 0, ended.err
    assert (finished / "notes.txt").exists()
    assert "--fresh makes it anew" in ended.err


def test_a_demo_that_was_made_long_ago_is_used_until_today(forge: Forge, finished: Path) -> None:
    assert forge("demo", "--no-serve").status == 0
    wiring = Wiring.of(finished)
    now = wiring.clock()
    used = wiring.catalog.discovery.usage.totals(now.date() - timedelta(days=1), now.date())
    wiring.close()
    assert used[0].users > 2


@pytest.mark.slow
def test_the_story_is_told_from_the_records(forge: Forge, finished: Path) -> None:
    told = forge("demo", "--no-serve").err
    assert "✓ 13 Nov" in told
    assert "✗ 14 Nov" in told
    assert "2 held back" in told
    for part in ("core.orders.amount", "critical", SAW[:40], "forge runs r1", "main", "cd forge-demo", "forge log"):
        assert part in told


def test_fresh_makes_it_anew(forge: Forge, finished: Path) -> None:
    (finished / "notes.txt").write_text("what I tried")
    assert forge("demo", "--no-serve", "--fresh").status == NO_JAVA
    assert not (finished / "notes.txt").exists()
    assert read_marker(finished) is None, "not finished: Spark could not start"


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--scale", "0.5")])
def test_a_demo_of_another_size_is_made_anew(forge: Forge, finished: Path, words: tuple[str, ...]) -> None:
    record_of_half = digest_of(shop_folder(), 0.5)
    finish_folder(finished, DemoMarker(record_of_half, ("r0", "r1")))
    expected = 0 if words else NO_JAVA
    assert forge("demo", "--no-serve", *words).status == expected


def test_an_interrupted_demo_is_made_anew(forge: Forge, tmp_path: Path) -> None:
    prepare_folder(tmp_path / "forge-demo")  # and no more
    assert forge("demo", "--no-serve").status == NO_JAVA


@pytest.mark.parametrize(
    "text",
    ["forge demo may replace this folder\n", "", "[]", '{"digest": "x"}', '{"digest": "x", "runs": 3}'],
    ids=["an older one", "empty", "a list", "no runs", "runs as a number"],
)
def test_a_mark_that_does_not_say_it_is_finished_is_not(finished: Path, text: str) -> None:
    (finished / MARK).write_text(text)
    assert read_marker(finished) is None


@pytest.mark.slow
def test_a_demo_whose_records_are_gone_is_made_anew(forge: Forge, finished: Path) -> None:
    shutil.rmtree(finished / ".forge")
    assert forge("demo", "--no-serve").status == NO_JAVA


@pytest.mark.slow
def test_a_demo_whose_settings_are_gone_is_made_anew(forge: Forge, finished: Path) -> None:
    (finished / "forge.yaml").unlink()
    assert forge("demo", "--no-serve").status == NO_JAVA


# --- what it is made from --------------------------------------------------------------------------------------------


@pytest.fixture
def demo_shop(tmp_path: Path) -> Path:
    return Path(shutil.copytree(shop_folder(), tmp_path / "shop"))


def test_the_digest_is_that_of_the_files_wherever_they_lie(demo_shop: Path) -> None:
    assert digest_of(demo_shop, 1.0) == digest_of(shop_folder(), 1.0)


@pytest.mark.parametrize("name", ["transforms/core/orders.sql", "generate.py", "forge.yaml"])
def test_a_changed_file_of_the_shop_changes_the_digest(demo_shop: Path, name: str) -> None:
    before = digest_of(demo_shop, 1.0)
    (demo_shop / name).write_text((demo_shop / name).read_text() + "\n")
    assert digest_of(demo_shop, 1.0) != before


def test_a_renamed_file_of_the_shop_changes_the_digest(demo_shop: Path) -> None:
    before = digest_of(demo_shop, 1.0)
    (demo_shop / "generate.py").rename(demo_shop / "generator.py")
    assert digest_of(demo_shop, 1.0) != before


def test_what_a_run_leaves_behind_does_not_change_the_digest(demo_shop: Path) -> None:
    before = digest_of(demo_shop, 1.0)
    for name in ("data/orders/1.csv", ".forge/forge.db", "__pycache__/generate.pyc"):
        (demo_shop / name).parent.mkdir(parents=True, exist_ok=True)
        (demo_shop / name).touch()
    assert digest_of(demo_shop, 1.0) == before


def test_another_version_of_forge_has_another_digest(demo_shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_of(demo_shop, 1.0)
    monkeypatch.setattr(demo_folder, "installed_version", lambda: "99.0")
    assert digest_of(demo_shop, 1.0) != before


def test_the_mark_is_kept_as_text_a_person_can_read(finished: Path) -> None:
    content = json.loads((finished / MARK).read_text())
    assert content["note"] == "forge demo may replace this folder"
    assert content["runs"] == ["r0", "r1"]


# --- the server ------------------------------------------------------------------------------------------------------


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Someone who listens on a port after which there is room."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken


def test_a_taken_port_is_passed_over(listener: socket.socket) -> None:
    taken = listener.getsockname()[1]
    found = free_port("127.0.0.1", taken)
    assert taken < found < taken + 20


def test_another_fault_than_a_taken_port_is_told_as_it_is() -> None:
    with pytest.raises(ForgeError) as caught:
        free_port("no.such.host.invalid", 8765)
    assert caught.value.code != "E902"


@pytest.mark.services
def test_the_address_comes_last_and_ctrl_c_ends_the_server_well(
    finished: Path, listener: socket.socket, forge_process: Callable[..., subprocess.Popen[str]]
) -> None:
    taken = listener.getsockname()[1]
    process = forge_process("demo", at=finished.parent, FORGE_SERVER__PORT=str(taken))
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        assert "/?token=" in url
        assert not url.startswith(f"http://127.0.0.1:{taken}/")
        health = urllib.parse.urljoin(url, "/healthz")
        with urllib.request.urlopen(health, timeout=60) as answer:  # the socket listens already, so this waits
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert out == ""
    assert "core.orders.amount" in err
    assert f"Port {taken} is taken" in err
    assert err.index("core.orders.amount") < err.index("Open this address")
    assert err.rstrip().endswith("The server has stopped. Start it again: forge serve --project forge-demo")
