"""One Spark session per process, started on first use, quiet: the JVM logs to a file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from forge.engines.spark.session.pools import pool_settings
from forge.engines.spark.session.process import (
    died_error,
    end_java,
    forget,
    has_died,
    lower_priority,
    remember,
    stop_session,
)
from forge.engines.spark.session.submit import REDACTION, handed_over, redaction_of, refuse_visible_secrets
from forge.flows.upkeep.private_files import private_file
from forge.model.errors import ForgeError
from forge.model.time import Clock, utc_now

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CATALOG = "forge"
PACKAGES = (
    "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
    "org.xerial:sqlite-jdbc:3.53.0.0",
    "org.postgresql:postgresql:42.7.12",
    "io.delta:delta-spark_4.1_2.13:4.1.0",
    "io.delta:delta-storage:4.1.0",
)
# The client of a catalog of others, with a dozen jars of its own; Delta's reader does without.
LEFT_OUT = "io.unitycatalog:unitycatalog-client"
NICE = 5
STOP_SECONDS = 10.0
JAVA_FIX = "Install it: apt-get install -y openjdk-17-jre-headless (Debian, Ubuntu) or brew install openjdk@17 (macOS)."
DEFAULTS: dict[str, str] = {
    "spark.driver.memory": "2g",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.defaultCatalog": CATALOG,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    # Else a column that an upload calls ${env:…} would bring the value out.
    "spark.sql.variable.substitute": "false",
}


LOCAL = {
    # On one machine nobody else has to reach it: Spark would listen on the machine's own address, and ask nobody who
    # it is.
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # A task that runs out of stack or memory ends its executor, which here is the process of everybody's work: a
    # regular expression on a long text would be enough. It fails as any other task instead.
    "spark.executor.killOnFatalError.depth": "0",
}


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """Settings of a session. `catalog` are the properties of the Iceberg catalog."""

    master: str
    conf: Mapping[str, str]
    catalog: Mapping[str, str]
    log_file: Path
    app_name: str = "forge"


@dataclass(frozen=True, slots=True)
class SparkState:
    state: Literal["stopped", "starting", "ready", "failed"]
    since: datetime | None = None
    error: ForgeError | None = None


@dataclass(slots=True, kw_only=True)
class LazySession:
    """The session, started by the first call of `get`, and again by a later one if it failed to start or has died.
    `on_start` receives the lines Ivy prints while it resolves jars.

    `state` and `peek` never block: they take no lock. In a server Spark is `polite`: it runs at low priority, and
    SQL from the network cannot call Java."""

    settings: SparkSettings
    on_start: Callable[[str], None] | None = None
    polite: bool = False
    clock: Clock = utc_now
    _session: Any = None
    _state: SparkState = SparkState("stopped")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def started(self) -> bool:
        return self._session is not None

    @property
    def state(self) -> SparkState:
        session, state = self._session, self._state
        if session is not None and has_died(session):
            return SparkState("failed", state.since, died_error(self.settings.log_file))
        return SparkState("ready") if session is not None and state.state == "stopped" else state  # given, not started

    def peek(self) -> SparkSession | None:
        """The session if it is running; starts nothing."""
        session: SparkSession | None = self._session
        return None if session is None or has_died(session) else session

    def get(self) -> SparkSession:
        with self._lock:
            if self._session is not None and has_died(self._session, thorough=True):
                forget(self._session)
                self._session = None
            if self._session is None:
                self._session = self._start()
            session: SparkSession = self._session
            return session

    def _start(self) -> SparkSession:
        self._state = SparkState("starting", self.clock())
        try:
            session = start_session(self.settings, nice=NICE if self.polite else 0)
            if self.polite:
                _forget_java(session)
        except ForgeError as error:
            self._state = SparkState("failed", self.clock(), error)
            raise
        except BaseException:
            self._state = SparkState("stopped")
            raise
        self._state = SparkState("ready", self.clock())
        return session

    def stop(self, patience: float = STOP_SECONDS) -> None:
        """Also where a job blocks it: then its Java process is killed."""
        with self._lock:
            if self._session is not None:
                stop_session(self._session, patience)
                self._session = None
                self._state = SparkState("stopped")


def find_java() -> str:
    """The path of a Java that Spark can use; E301 names what is missing and the line that installs it."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if not java or not Path(java).exists():
        where = "JAVA_HOME" if home else "PATH"
        raise ForgeError("E301", f"No Java was found on {where}", why="Spark runs on Java 17 or newer.", fix=JAVA_FIX)
    try:
        text = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30).stderr  # noqa: S603
    except (OSError, subprocess.SubprocessError) as error:
        raise ForgeError("E301", f"{java} cannot be run", why=str(error), fix=JAVA_FIX) from error
    match = re.search(r'version "(\d+)', text)
    if not match or int(match.group(1)) < 17:
        found = match.group(1) if match else "an unknown version"
        raise ForgeError("E301", f"{java} is Java {found}", why="Spark runs on Java 17 or newer.", fix=JAVA_FIX)
    return java


def ivy_folder() -> Path:
    """Passed to Spark too: Java's home folder may differ from this process's."""
    return Path.home() / ".ivy2.5.2"


def cached_jars() -> tuple[Path, ...]:
    """The jars of PACKAGES where Ivy keeps them after the first resolution; empty unless all are there."""
    folder = ivy_folder() / "jars"
    jars = tuple(folder / f"{group}_{name}-{version}.jar" for group, name, version in (p.split(":") for p in PACKAGES))
    return jars if all(jar.exists() for jar in jars) else ()


def jars_conf(conf: Mapping[str, str]) -> dict[str, str]:
    """`spark.jars` of the settings wins and needs no network; else Ivy's cache; else Ivy resolves the packages."""
    if "spark.jars" in conf or "spark.jars.packages" in conf:
        return {}
    jars = cached_jars()
    if jars:
        return {"spark.jars": ",".join(str(jar) for jar in jars)}
    return {
        "spark.jars.packages": ",".join(PACKAGES),
        "spark.jars.excludes": LEFT_OUT,
        "spark.jars.ivy": str(ivy_folder()),
    }


def reads_delta(settings: SparkSettings) -> bool:
    """Whether it reads Delta tables of this machine by itself: of a cluster nobody knows that it sees them."""
    given = [settings.conf[name] for name in ("spark.jars", "spark.jars.packages") if name in settings.conf]
    return settings.master.startswith("local") and (not given or any("delta-spark_4.1_2.13" in one for one in given))


def refuse_connect(settings: SparkSettings) -> None:
    remote = settings.conf.get("spark.remote") or os.environ.get("SPARK_REMOTE")
    if settings.master.startswith("sc://") or remote:
        raise ForgeError(
            "E303",
            "Spark Connect cannot be used",
            where=remote or settings.master,
            why="Column lineage is read from the analysed plan, which Spark Connect does not hand out.",
            fix="Set spark.master in forge.yaml to local[*], spark://…, yarn or k8s://….",
        )


def spark_conf(settings: SparkSettings) -> dict[str, str]:
    """The complete Spark configuration."""
    named = {"spark.master": settings.master, "spark.app.name": settings.app_name}
    catalog = {f"spark.sql.catalog.{CATALOG}.{key}": value for key, value in settings.catalog.items()}
    catalog[f"spark.sql.catalog.{CATALOG}"] = "org.apache.iceberg.spark.SparkCatalog"
    here = LOCAL if settings.master.startswith("local") else {}
    conf = {**DEFAULTS, **here, **named, **catalog, **jars_conf(settings.conf), **settings.conf}
    return {**conf, REDACTION: redaction_of(conf)}


def start_session(settings: SparkSettings, nice: int = 0) -> SparkSession:
    refuse_connect(settings)
    refuse_visible_secrets(settings.conf)
    find_java()
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    texts = {**pool_settings(settings.log_file.parent), **spark_conf(settings)}
    conf = SparkConf(loadDefaults=False)
    for key, value in texts.items():
        conf.set(key, value)
    # Python workers must be this interpreter, not whatever `python3` the PATH has.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    private_file(settings.log_file)
    gateway: Any = None
    # The JVM keeps these two for its whole life: its chatter never reaches the terminal.
    with settings.log_file.open("ab") as log:
        before = log.tell()
        try:
            with handed_over(texts):
                gateway = launch_gateway(popen_kwargs={"stdout": log, "stderr": log})  # type: ignore[no-untyped-call]
            context = SparkContext(gateway=gateway, conf=conf)
            remember(context, gateway)
            if nice and settings.master.startswith("local"):
                lower_priority(gateway.proc.pid, nice)  # threads that these start inherit it
        except Exception as error:  # whatever stops the JVM, the log says why
            if gateway is not None:
                end_java(gateway)
            raise _start_error(settings, error, before) from error
    return SparkSession(context)


def _start_error(settings: SparkSettings, error: Exception, before: int) -> ForgeError:
    """What this start wrote to the log, which earlier starts have written to as well."""
    log = settings.log_file.read_bytes()[before:].decode(errors="replace")[-4000:]
    if "unresolved dependenc" in log.lower() or "UNRESOLVED DEPENDENCIES" in log:
        return ForgeError(
            "E306",
            "Spark's packages could not be resolved",
            where=str(settings.log_file),
            why="The jars of Iceberg and of the databases come from a Maven repository on first use.",
            fix="Check the network and run `forge setup`, or give the jars' paths as spark.jars in forge.yaml.",
        )
    reason = next((line for line in reversed(str(error).splitlines()) if line.strip()), str(error))
    return ForgeError(
        "E302",
        f"Spark did not start with master {settings.master}",
        where=str(settings.log_file),
        why=reason.strip()[:500],
        fix="Check spark.master and the spark.* settings in forge.yaml; the log has the JVM's words.",
    )


def _forget_java(session: SparkSession) -> None:
    """Whoever may send SQL may not run Java in the server's process."""
    jvm = session._jvm
    assert jvm is not None, "a session that was started here has a JVM"
    registry = session._jsparkSession.sessionState().functionRegistry()
    for name in ("reflect", "java_method", "try_reflect"):
        registry.dropFunction(jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(name))
