"""The Java process behind a session: liveness, and how Python drops a dead one.

PySpark keeps its connection to the JVM in class attributes and cannot release one that has died."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError, Py4JJavaError

from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

DEATH_SECONDS = 3.0


def died_error(log_file: Path | str | None = None, where: str | None = None) -> ForgeError:
    return ForgeError(
        "E307",
        "Spark died: its Java process has ended",
        where=where,
        why="It was killed, or ran out of memory."
        + (f" Its last words are in {log_file}." if log_file else "")
        + " Nothing of the run was published.",
        fix="Run it again: a new one is started. If it happens again, give it more: spark.driver.memory in forge.yaml.",
    )


def remember(context: SparkContext, gateway: Any) -> None:
    """Maps a context to its process: PySpark itself knows only the newest one."""
    context._forge_gateway = gateway  # type: ignore[attr-defined]


def java_of(session: SparkSession) -> subprocess.Popen[bytes] | None:
    """None where Forge did not start it."""
    return _process(getattr(session.sparkContext, "_forge_gateway", None))


def _process(gateway: Any) -> subprocess.Popen[bytes] | None:
    # Not by attribute: what a gateway does not have, it asks the JVM for.
    found: subprocess.Popen[bytes] | None = gateway.__dict__.get("proc") if gateway is not None else None
    return found


def has_died(session: SparkSession, *, thorough: bool = False) -> bool:
    """Whether its process has ended; `thorough` also asks the JVM whether its Spark context was stopped."""
    process = java_of(session)
    if process is not None and process.poll() is not None:
        return True
    if not thorough:
        return False
    java: Any = session.sparkContext._jsc
    if java is None:
        return True
    try:
        return bool(java.sc().isStopped())
    except (Py4JError, OSError):
        return True


def died_of(session: SparkSession, error: BaseException) -> bool:
    """Whether this error was caused by the death of the process. A broken connection is noticed before the process
    has quite ended, so this waits a moment."""
    process = java_of(session)
    if process is None:
        return False
    if _is_cut(error):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(DEATH_SECONDS)
    return process.poll() is not None


def _is_cut(error: BaseException) -> bool:
    """Whether the connection to the JVM broke, as opposed to an error reported by the JVM."""
    is_reported = isinstance(error, Py4JJavaError) or "Trace:" in str(error)
    return isinstance(error, Py4JError | ConnectionError | EOFError) and not is_reported


def forget(session: SparkSession) -> None:
    """Drop a session whose JVM has died or hangs, and end what is left of it."""
    context: Any = session.sparkContext
    context._jsc = None  # so that stop() asks nothing of the JVM
    context.stop()
    gateway = getattr(context, "_forge_gateway", None)
    if gateway is not None:
        end_java(gateway)


def end_java(gateway: Any) -> None:
    """End the process of a gateway at once."""
    process = _process(gateway)
    if process is not None:
        process.kill()
        process.wait()
    _let_go(gateway)
    with contextlib.suppress(Exception):  # its sockets lead nowhere any more
        gateway.shutdown()


def _let_go(gateway: Any) -> None:
    """Make PySpark drop the gateway, where it is the current one. The process ends by itself when its standard input
    is closed."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession, SQLContext

    process = _process(gateway)
    if process is not None and process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    known: Any = SparkContext
    if known._gateway is gateway:
        known._gateway = known._jvm = known._active_spark_context = None
        sessions: Any = SparkSession
        sessions._instantiatedSession = sessions._activeSession = None
        contexts: Any = SQLContext
        contexts._instantiatedContext = None


def stop_session(session: SparkSession, patience: float) -> None:
    """Stop Spark properly; after `patience` seconds, kill its process."""
    if has_died(session):
        forget(session)
        return
    gateway: Any = getattr(session.sparkContext, "_forge_gateway", None)
    stopping = threading.Thread(target=_stop, args=(session,), name="forge-spark-stop", daemon=True)
    stopping.start()
    stopping.join(patience)
    if gateway is None:
        return
    if stopping.is_alive():
        end_java(gateway)
    else:
        _let_go(gateway)


def _stop(session: SparkSession) -> None:
    with contextlib.suppress(Py4JError, OSError):
        session.stop()


def lower_priority(pid: int, by: int) -> None:
    """Of every thread of the process: on Linux each has its own. Ignored where not permitted or not supported."""
    for task in _threads(pid):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, task, by)


def _threads(pid: int) -> tuple[int, ...]:
    try:
        return tuple(int(path.name) for path in Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return (pid,)
