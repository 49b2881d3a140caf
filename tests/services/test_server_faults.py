"""A real server with a real Spark, hurt: Java missing, the JVM killed, the server killed and stopped under a run.

One server serves all tests, as each start of a JVM takes long; each test finds or makes what it needs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from forge.flows.upkeep.maintenance import find_problems
from forge.model.names import BranchName
from forge.wiring import Wiring

pytestmark = [pytest.mark.services, pytest.mark.spark]

SECONDS = 180.0
FILES = {
    "forge.yaml": "user: {name: Ada, email: ada@example.com}\nspark: {master: 'local[2]', spark.driver.memory: 1g}\n",
    "transforms/core/one.sql": "SELECT 1 AS one",
    "transforms/slow/total.py": """
from pathlib import Path
from forge import transform

@transform(output="slow.total")
def total(ctx):
    quick = (Path(__file__).parents[2] / "quick").exists()
    return ctx.spark.range(0, 1000 if quick else 10**14, 1, 4).selectExpr("sum(id % 7) AS total")
""",
}


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


@dataclass
class Shop:
    """A project and its server. Java is found through a link that can be taken away."""

    root: Path
    process: subprocess.Popen[str] | None = None
    client: httpx.Client | None = None

    @property
    def java_home(self) -> Path:
        return self.root / "java"

    def install_java(self) -> None:
        found = shutil.which("java")
        assert found, "these tests need Java"
        if not self.java_home.exists():
            self.java_home.symlink_to(Path(found).resolve().parents[1])

    def serve(self) -> httpx.Client:
        if self.process is not None and self.process.poll() is None and self.client is not None:
            return self.client
        with (self.root / "stderr").open("a") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "forge.cli.main", "serve", "--port", "0"],
                cwd=self.root,
                env={**os.environ, "JAVA_HOME": str(self.java_home), "XDG_CONFIG_HOME": str(self.root / "none")},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self.process.stdout is not None
        url = self.process.stdout.readline().strip()
        assert url.startswith("http"), (self.root / "stderr").read_text()
        address, _, token = url.partition("/?token=")
        self.client = httpx.Client(base_url=address, headers={"authorization": f"Bearer {token}"}, timeout=60)
        return self.client

    def end(self, number: int) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(60)
        if self.client is not None:
            self.client.close()
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code

    def get(self, path: str) -> Any:
        response = self.serve().get(f"/api/v1{path}")
        assert response.status_code == 200, response.text
        return response.json()

    def start(self, *tables: str) -> str:
        response = self.serve().post("/api/v1/runs", json={"selection": list(tables), "force": True})
        assert response.status_code == 202, response.text
        return str(response.json()["run_id"])

    def ended(self, run_id: str) -> dict[str, Any]:
        until(lambda: self.get(f"/runs/{run_id}")["status"] not in ("queued", "running"))
        found: dict[str, Any] = self.get(f"/runs/{run_id}")
        return found

    def start_slow(self) -> str:
        """A run that Spark is at work on."""
        (self.root / "quick").unlink(missing_ok=True)
        run_id = self.start("slow.total")
        until(lambda: self.get(f"/runs/{run_id}")["progress"]["tables"][0]["tasks_known"])
        return run_id

    def java(self) -> list[int]:
        """The Java processes of the server."""
        assert self.process is not None
        return [pid for pid, name, parent in processes() if parent == self.process.pid and name == "java"]

    def wiring(self) -> Wiring:
        return Wiring.of(self.root)

    def published(self) -> set[str]:
        wiring = self.wiring()
        tree = wiring.metadata.tree(wiring.branch_head(BranchName("main")))
        wiring.close()
        return {str(table) for table in tree}

    def nothing_left(self) -> bool:
        wiring = self.wiring()
        clean = wiring.lake.stages() == () and find_problems(wiring.metadata, wiring.lake, BranchName("main")) == ()
        wiring.close()
        return clean


def processes() -> Iterator[tuple[int, str, int]]:
    """Pid, name and parent of each that lives."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                text = (folder / "stat").read_text()
            except OSError:
                continue
            state, parent = text.rpartition(")")[2].split()[:2]
            if state not in ("Z", "X"):
                yield int(folder.name), text.partition("(")[2].rpartition(")")[0], int(parent)


@pytest.fixture(scope="module")
def served_shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    root = tmp_path_factory.mktemp("faults")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    made = Shop(root)
    yield made
    if made.process is not None and made.process.poll() is None:
        made.end(signal.SIGKILL)


def test_without_java_a_run_fails_with_the_line_that_installs_it_and_then_works_without_a_restart(
    served_shop: Shop,
) -> None:
    served_shop.java_home.unlink(missing_ok=True)
    served_shop.serve()
    failed = served_shop.ended(served_shop.start("core.one"))
    assert (failed["status"], failed["error"]["code"]) == ("failed", "FORGE-E301")
    assert "openjdk-17" in failed["error"]["fix"]
    spark = served_shop.get("/system")["spark"]
    assert (spark["state"], spark["error"]["code"]) == ("failed", "FORGE-E301")
    served_shop.install_java()
    assert served_shop.ended(served_shop.start("core.one"))["status"] == "succeeded"
    spark = served_shop.get("/system")["spark"]
    assert (spark["state"], spark["error"]) == ("ready", None)
    (java,) = served_shop.java()
    assert os.getpriority(os.PRIO_PROCESS, java) == 5  # reads go before Spark's work


def test_the_jvm_killed_under_a_run_fails_it_and_the_next_run_starts_another(served_shop: Shop) -> None:
    served_shop.install_java()
    run_id = served_shop.start_slow()
    before = served_shop.published()
    (java,) = served_shop.java()
    os.kill(java, signal.SIGKILL)
    failed = served_shop.ended(run_id)
    assert (failed["status"], failed["commit"]) == ("failed", None)
    assert failed["error"]["code"] == "FORGE-E307"
    assert served_shop.published() == before
    assert served_shop.nothing_left()
    spark = served_shop.get("/system")["spark"]
    assert (spark["state"], spark["error"]["code"]) == ("failed", "FORGE-E307")
    assert served_shop.ended(served_shop.start("core.one"))["status"] == "succeeded"
    (new,) = served_shop.java()
    assert new != java
    assert served_shop.get("/system")["spark"]["state"] == "ready"


def test_a_server_killed_under_a_run_offers_it_again_when_it_is_back(served_shop: Shop) -> None:
    served_shop.install_java()
    run_id = served_shop.start_slow()
    waiting = served_shop.start("core.one")
    java = served_shop.java()
    served_shop.end(signal.SIGKILL)
    until(lambda: not [pid for pid, _, _ in processes() if pid in java])  # Java follows, and leaves nothing running
    served_shop.serve()
    cut, queued = served_shop.get(f"/runs/{run_id}"), served_shop.get(f"/runs/{waiting}")
    assert [run["status"] for run in (cut, queued)] == ["interrupted", "interrupted"]
    assert cut["can_rerun"]
    assert queued["can_rerun"]
    assert set(served_shop.get("/system")["interrupted"]) == {run_id, waiting}
    assert cut["progress"]["events"][0]["step"] == "started"
    assert served_shop.nothing_left()
    (served_shop.root / "quick").touch()
    again = served_shop.serve().post("/api/v1/runs", json=cut["request"]).json()["run_id"]
    assert served_shop.ended(again)["status"] == "succeeded"
    assert "slow.total" in served_shop.published()
    assert served_shop.get("/system")["interrupted"] == [waiting]


def test_a_server_that_is_stopped_ends_its_run_as_interrupted_and_leaves_nothing(served_shop: Shop) -> None:
    served_shop.install_java()
    run_id = served_shop.start_slow()
    before = served_shop.published()
    assert served_shop.end(signal.SIGTERM) in (0, -signal.SIGTERM)
    wiring = served_shop.wiring()
    (run,) = [run for run in wiring.metadata.runs(limit=5) if run.id == run_id]
    assert str(run.status) == "interrupted"
    wiring.close()
    assert served_shop.published() == before
    assert served_shop.nothing_left()
