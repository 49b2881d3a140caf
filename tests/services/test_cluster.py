"""The demo on a real Spark standalone cluster: a master and two workers started from the installed pyspark."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from seen_by_others import SECRETS, watch_session

pytestmark = [pytest.mark.spark, pytest.mark.services("cluster")]

LIGHT = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(log: Path, words: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 90
    while words not in log.read_text(errors="replace"):
        if process.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"Spark's cluster did not start:\n{log.read_text(errors='replace')[-3000:]}", pytrace=False)
        time.sleep(0.1)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The master's address and its log."""
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    home, folder = Path(spec.origin).parent, tmp_path_factory.mktemp("cluster")
    environ = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_JAVA_OPTS": LIGHT,
        "SPARK_DAEMON_MEMORY": "512m",
        "PYSPARK_PYTHON": sys.executable,
    }
    port, running = free_port(), []

    def start(name: str, *arguments: str) -> Path:
        log = folder / f"{name}.log"
        with log.open("wb") as output:
            command = [str(home / "bin" / "spark-class"), *arguments]
            running.append(
                subprocess.Popen(command, stdout=output, stderr=output, env=environ, cwd=folder, start_new_session=True)
            )
        return log

    master = "org.apache.spark.deploy.master.Master"
    log = start("master", master, "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port()))
    url = f"spark://127.0.0.1:{port}"
    wait_until(log, "I have been elected leader", running[0])
    worker = "org.apache.spark.deploy.worker.Worker"
    for number in (1, 2):
        options = ["--host", "127.0.0.1", "-c", "1", "-m", "1g", "--webui-port", str(free_port())]
        log = start(f"worker{number}", worker, *options, "-d", str(folder / f"work{number}"), url)
        wait_until(log, "Successfully registered with master", running[-1])
    yield url, folder / "master.log"
    for process in reversed(running):
        os.killpg(process.pid, 9)
        process.wait(30)


def test_the_demo_runs_on_a_cluster(cluster: tuple[str, Path], tmp_path: Path) -> None:
    url, master_log = cluster
    target = tmp_path / "demo"
    environ = {**os.environ, "FORGE_SPARK__MASTER": url, "SPARK_LOCAL_IP": "127.0.0.1"}
    forge = [sys.executable, "-m", "forge.cli.main"]
    command = [*forge, "demo", str(target), "--no-serve", "--scale", "0.01"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    shown = subprocess.run([*forge, "runs", "--json"], cwd=target, capture_output=True, text=True)
    statuses = [run["status"] for run in json.loads(shown.stdout)["runs"]]
    assert statuses == ["blocked", *["succeeded"] * 9]
    assert "Registered app forge shop" in master_log.read_text(errors="replace")


def test_no_other_user_of_a_cluster_sees_the_secrets_of_a_session(cluster: tuple[str, Path], tmp_path: Path) -> None:
    url, master_log = cluster
    told, looks = watch_session(tmp_path, url, {"SPARK_LOCAL_IP": "127.0.0.1"})
    assert told["rows"] == [7]
    seen = "\n".join(looks)
    assert "CoarseGrainedExecutorBackend" in seen
    logs = [
        path.read_text(errors="replace")
        for path in master_log.parent.rglob("*")
        if path.is_file() and path.suffix != ".jar"
    ]
    assert [secret for secret in SECRETS.values() if secret in seen or any(secret in log for log in logs)] == []
