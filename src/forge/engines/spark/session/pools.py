"""Scheduler pools: reads and writes share Spark's cores fairly, and a write never waits behind reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forge.flows.runs.engine import StarvedJobs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from forge.model.names import RunId

READS, WRITES = "reads", "writes"
PROPERTY = "spark.scheduler.pool"
# A core that becomes free goes to a write first. Among reads all share, whoever came first.
_POOLS = """\
<?xml version="1.0"?>
<allocations>
  <pool name="reads"><schedulingMode>FAIR</schedulingMode><weight>1</weight><minShare>0</minShare></pool>
  <pool name="writes"><schedulingMode>FAIR</schedulingMode><weight>8</weight><minShare>1000</minShare></pool>
</allocations>
"""


def pool_settings(folder: Path) -> dict[str, str]:
    """Settings for the start of Spark. The file is read by the driver."""
    file = folder / "pools.xml"
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(_POOLS, encoding="utf-8")
    return {"spark.scheduler.mode": "FAIR", "spark.scheduler.allocation.file": file.resolve().as_uri()}


def find_starved(session: SparkSession, reads: Iterable[RunId]) -> StarvedJobs:
    """Jobs with pending tasks and none running: Spark does not preempt cores."""
    tracker: Any = session.sparkContext.statusTracker()
    of = {job: run_id for run_id in reads for job in jobs_of(session, run_id)}
    active = tuple(tracker.getActiveJobsIds())
    waiting = frozenset(job for job in active if _waits(tracker, job))
    fed = {of[job] for job in active if job in of and job not in waiting}
    starved = frozenset(of[job] for job in waiting if job in of) - fed
    return StarvedJobs(starved, frozenset(job for job in waiting if job not in of))


def jobs_of(session: SparkSession, run_id: str) -> frozenset[int]:
    """All jobs tagged with a run or query, ended ones too."""
    tracker: Any = session.sparkContext._jsc.sc().statusTracker()  # the one for Python and Java knows no tags
    return frozenset(int(job) for job in tracker.getJobIdsForTag(run_id))


def _waits(tracker: Any, job: int) -> bool:
    info = tracker.getJobInfo(job)
    stages = [stage for id_ in (info.stageIds if info else ()) if (stage := tracker.getStageInfo(id_)) is not None]
    return any(s.numCompletedTasks < s.numTasks for s in stages) and not any(s.numActiveTasks for s in stages)
