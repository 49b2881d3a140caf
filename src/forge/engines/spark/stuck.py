"""Tasks that were cancelled and do not end, because they are inside a regular expression: `(.*a){25}b` on sixty letters
takes longer than anybody lives, and nothing that Spark could ask to stop is in that loop.

On one machine the thread of such a task is ended. That is safe there and only there: what a match has changed is its
own. Java can do it up to version 19; where it cannot, the core is lost until Spark is stopped, and the log says so. On
a cluster `spark.task.reaper.enabled` does it, by process."""

from __future__ import annotations

import logging
import re
import threading
import time
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError, Py4JNetworkError

from forge.engines.spark.pools import jobs_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GRACE_SECONDS, LOOK_SECONDS = 1.0, 0.5
LOOKS = 20
_STAGE = re.compile(r"Executor task launch worker for task .* in stage (\d+)\.")
_log = logging.getLogger("forge.spark")


def end_stuck_tasks(session: SparkSession, tag: str) -> None:
    """Looks in the background, for a while, after the jobs of this tag were cancelled."""
    if session.sparkContext.master.startswith("local"):
        threading.Thread(target=_watch, args=(session, tag), name="forge-stuck", daemon=True).start()


def _watch(session: SparkSession, tag: str) -> None:
    time.sleep(GRACE_SECONDS)
    try:
        tracker: Any = session.sparkContext.statusTracker()
        jobs = [info for job in jobs_of(session, tag) if (info := tracker.getJobInfo(job))]
        stages = frozenset(int(stage) for info in jobs for stage in info.stageIds)
        for _ in range(LOOKS):
            if not _end_matches(session, stages):
                return
            time.sleep(LOOK_SECONDS)
    except (Py4JNetworkError, OSError, AttributeError):  # Spark has ended, and PySpark has no context any more
        return


def _end_matches(session: SparkSession, stages: frozenset[int]) -> bool:
    """Whether threads of these stages are still at work."""
    jvm: Any = session._jvm
    alive = False
    for thread in jvm.java.lang.Thread.getAllStackTraces().keySet():
        stage = _STAGE.match(thread.getName())
        if stage is None or int(stage.group(1)) not in stages:
            continue
        alive = True
        top = thread.getStackTrace()
        if len(top) and top[0].getClassName().startswith("java.util.regex."):
            try:
                thread.stop()
                _log.info("a regular expression of a cancelled query was ended: %s", thread.getName())
            except Py4JError:
                _log.warning("a cancelled query is in a regular expression that this Java cannot end; it has its core")
    return alive
