"""Ends threads of cancelled queries stuck in one long computation: `(.*a){25}b` on sixty letters, the distance of two
texts of a million. Such a loop never checks for cancellation, and where the values are constants it runs in the driver,
in no task at all.

On one machine the thread of such work is stopped. That is safe there and only there: a regular expression or a
function of texts and arrays has changed no shared state. Java can do it up to version 19; later, the core is lost
until Spark is stopped, and the log says so. On a cluster `spark.task.reaper.enabled` does it, by process."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError, Py4JNetworkError

from forge.engines.spark.session.pools import jobs_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GRACE_SECONDS, LOOK_SECONDS = 1.0, 0.5
LOOKS = 20
_TASK = re.compile(r"Executor task launch worker for task .* in stage (\d+)\.")
_TOP = 6  # frames
# Where a thread may be ended: what these do is seen by nobody else. And where not, even so.
_PURE = ("java.util.regex.", "org.apache.spark.unsafe.types.UTF8String", "org.apache.spark.sql.catalyst.expressions.")
_SHARED = (
    "org.apache.spark.memory.",
    "org.apache.spark.storage.",
    "org.apache.spark.scheduler.",
    "java.lang.ClassLoader",
)
_log = logging.getLogger("forge.spark")


def thread_of_driver(session: SparkSession) -> int:
    """The JVM thread that serves this Python thread."""
    jvm: Any = session._jvm
    return int(jvm.java.lang.Thread.currentThread().getId())


def end_stuck(session: SparkSession, tag: str, driver: Callable[[], int | None]) -> None:
    """Polls in the background, for a while, after this tag was cancelled. `driver`: its thread there, asked at each
    poll: once it has ended, the thread belongs to another query."""
    if (session.sparkContext.master or "").startswith("local"):
        threading.Thread(target=_watch, args=(session, tag, driver), name="forge-stuck", daemon=True).start()


def _watch(session: SparkSession, tag: str, driver: Callable[[], int | None]) -> None:
    try:
        time.sleep(GRACE_SECONDS)
        for _ in range(LOOKS):
            tracker: Any = session.sparkContext.statusTracker()
            jobs = [info for job in jobs_of(session, tag) if (info := tracker.getJobInfo(job))]
            stages = frozenset(int(stage) for info in jobs for stage in info.stageIds)
            if not _end_threads(session, stages, driver):
                return
            time.sleep(LOOK_SECONDS)
    except (Py4JNetworkError, OSError, AttributeError):  # Spark has ended, and PySpark has no context any more
        return


def _end_threads(session: SparkSession, stages: frozenset[int], driver: Callable[[], int | None]) -> bool:
    """Whether threads of these stages, or of the driver, are still running. The driver's is asked for at each step:
    to look at all threads takes a while, in which it may have begun another query."""
    jvm: Any = session._jvm
    alive = False
    for thread in jvm.java.lang.Thread.getAllStackTraces().keySet():
        task = _TASK.match(thread.getName())
        is_task = task is not None and int(task.group(1)) in stages
        if not is_task and thread.getId() != driver():
            continue
        classes = [frame.getClassName() for frame in list(thread.getStackTrace())[:_TOP]]
        is_pure = any(name.startswith(_PURE) for name in classes)
        alive = alive or is_task or is_pure
        may_end = is_task or thread.getId() == driver()
        if is_pure and may_end and not any(name.startswith(_SHARED) for name in classes):
            try:
                thread.stop()
                _log.info("a long computation of a cancelled query was ended: %s", thread.getName())
            except Py4JError:
                _log.warning("a cancelled query is in a computation that this Java cannot end; it has its core")
    return alive
