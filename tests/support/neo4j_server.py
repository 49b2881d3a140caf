"""A real Neo4j server on a free loopback port, in a temporary folder.

Its jars come once from a Maven repository: by `mvn` where the machine has it, for it fetches many at a time, else by
the Ivy that Spark brings, which needs nothing but Java. They are kept in the user's cache."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from forge.engines.spark.session.session import find_java

if TYPE_CHECKING:
    from neo4j import Driver

VERSION = "5.26.30"
START_SECONDS = 180
FETCH_SECONDS = 1200
USER, PASSWORD = "neo4j", "only-for-tests"
LIGHT = ("-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
MARK = f"neo4j-server-{VERSION}.jar"

POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>forge.tests</groupId><artifactId>neo4j-for-tests</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{VERSION}</version></dependency>
  </dependencies>
</project>
"""

# The last two: without them a stop takes ten seconds.
CONFIGURATION = """server.default_listen_address=127.0.0.1
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:{port}
server.bolt.advertised_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.usage_report.enabled=false
server.memory.pagecache.size=64m
db.tx_log.preallocate=false
db.tx_log.rotation.size=8m
db.shutdown_transaction_end_timeout=0s
internal.dbms.bolt.netty_server_shutdown_quiet_period=0
internal.server.bolt.thread_pool_shutdown_wait_time=0s
"""


class Neo4jServer:
    """Can be stopped and started again on the same data, which is what an outage is."""

    def __init__(self, jars: Path, home: Path) -> None:
        self.jars, self.home = jars, home
        self.port = free_port()
        self.url = f"bolt://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None
        (home / "conf").mkdir(parents=True)
        (home / "conf" / "neo4j.conf").write_text(CONFIGURATION.format(port=self.port))

    def initialise(self) -> None:
        """Sets the password. Once, before the first start."""
        said = subprocess.run(
            [*self._java("org.neo4j.cli.AdminTool"), "dbms", "set-initial-password", PASSWORD],
            env={**os.environ, "NEO4J_HOME": str(self.home), "NEO4J_CONF": str(self.home / "conf")},
            capture_output=True,
            text=True,
        )
        if said.returncode != 0:
            raise RuntimeError(f"The password of Neo4j could not be set:\n{said.stdout}{said.stderr}")

    def start(self) -> None:
        folders = [f"--home-dir={self.home}", f"--config-dir={self.home / 'conf'}"]
        command = [*self._java("org.neo4j.server.CommunityEntryPoint"), *folders]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.home)
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"Neo4j did not start:\n{self._log.read_text(errors='replace')[-4000:]}")
            time.sleep(0.1)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(60)
            self._process = None

    def driver(self) -> Driver:
        from neo4j import GraphDatabase

        return GraphDatabase.driver(
            self.url,
            auth=(USER, PASSWORD),
            connection_timeout=5,
            max_transaction_retry_time=0,
            notifications_min_severity="OFF",
        )

    def empty(self) -> None:
        with self.driver() as driver:
            driver.execute_query("MATCH (n) DETACH DELETE n")

    def _java(self, program: str) -> list[str]:
        return [find_java(), *LIGHT, "-cp", f"{self.jars}/*", program]

    @property
    def _log(self) -> Path:
        return self.home / "output.log"

    def _answers(self) -> bool:
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            with socket.create_connection(("127.0.0.1", self.port), 1):
                pass
            with self.driver() as driver:
                driver.execute_query("RETURN 1")
        except (OSError, DriverError, Neo4jError):
            return False
        return True


@contextmanager
def running_neo4j() -> Iterator[Neo4jServer]:
    home = Path(tempfile.mkdtemp(prefix="forge-neo4j-"))
    server = Neo4jServer(fetched_jars(), home / "server")
    try:
        server.initialise()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def fetched_jars() -> Path:
    """The folder of the server's jars. It appears whole: two who fetch at once do not meet."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "forge-tests"
    folder = cache / f"neo4j-{VERSION}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="fetching-") as scratch:
        made = _fetch(Path(scratch))
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another run was first
                raise
    return folder


def _fetch(scratch: Path) -> Path:
    said = []
    for fetch in (_by_maven, _by_ivy):
        command, jars = fetch(scratch)
        if not command:
            continue
        try:
            done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=FETCH_SECONDS)
        except (OSError, subprocess.SubprocessError) as error:
            said.append(f"{command[0]}: {error}")
            continue
        if done.returncode == 0 and any(jar.name.endswith(MARK) for jar in jars.glob("*.jar")):
            return jars
        said.append(f"$ {' '.join(command)}\n{(done.stdout + done.stderr)[-2000:]}")
    raise RuntimeError("The jars of Neo4j could not be fetched from a Maven repository:\n" + "\n".join(said))


def _by_maven(scratch: Path) -> tuple[Sequence[str], Path]:
    maven, jars = shutil.which("mvn"), scratch / "by-maven"
    (scratch / "pom.xml").write_text(POM)
    options = [f"-Dmaven.repo.local={scratch / 'repository'}", "-DincludeScope=runtime", f"-DoutputDirectory={jars}"]
    return ([maven, "-B", "-ntp", "-q", "dependency:copy-dependencies", *options] if maven else []), jars


def _by_ivy(scratch: Path) -> tuple[Sequence[str], Path]:
    spark = find_spec("pyspark")
    assert spark is not None
    assert spark.origin is not None
    ivy, jars = next(Path(spark.origin).parent.glob("jars/ivy-*.jar")), scratch / "by-ivy"
    what = ["-cache", str(scratch / "ivy"), "-dependency", "org.neo4j", "neo4j", VERSION, "-confs", "default"]
    where = ["-retrieve", f"{jars}/[organisation]_[artifact]-[revision](-[classifier]).[ext]"]
    return [find_java(), "-jar", str(ivy), *what, *where], jars
