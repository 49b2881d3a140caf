"""The same data as an Iceberg table: what its manifests answer costs no Spark job, and after an append only the new
files are read. Prints one line of JSON."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import forge
from bench.quality.forge_checks import forge_checks
from bench.quality.task import TASKS, Places
from forge.connection import Connection
from forge.flows.quality.judge import judge_dataset
from forge.model.names import RunId
from forge.quality.check import Check
from forge.quality.verdict import Outcome

BY_MANIFESTS = ("rows", "not_null", "range", "newest")
PASSING = {task.id for task in TASKS if task.bad is None}


def cost_of(project: Connection, name: str, checks: Sequence[Check]) -> dict[str, object]:
    began = time.perf_counter()
    judged = judge_dataset("bench.orders", project.wiring.quality.check_ports(run_id=RunId(name)), checks=checks)
    seconds = time.perf_counter() - began
    context = project.spark.sparkContext
    context._jsc.sc().listenerBus().waitUntilEmpty(60_000)  # the status store hears of jobs on the bus
    jobs = context.statusTracker().getJobIdsForGroup(f"{name}:bench.orders")
    store = context._jsc.sc().statusStore()
    read = sum(_rows(store, job) for job in jobs)
    said = sum(verdict.outcome is not Outcome.NOT_MEASURED for verdict in judged.verdicts)
    return {"what": name, "checks": len(checks), "said": said, "seconds": seconds, "jobs": len(jobs), "rows": read}


def _rows(store: Any, job: int) -> int:
    stages = store.job(job).stageIds()
    return sum(int(store.lastStageAttempt(stages.apply(n)).inputRecords()) for n in range(stages.size()))


def main() -> None:
    folder, rows = Path(sys.argv[1]), int(sys.argv[2])
    home = folder / f"lake-{rows}"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    (home / "forge.yaml").write_text("project: bench\nspark: {master: 'local[2]', spark.driver.memory: 4g}\n")
    every = dict(zip([task.id for task in TASKS], forge_checks(), strict=True))
    cheap = [every[task.id] for task in TASKS if task.kind in BY_MANIFESTS and task.id in PASSING]
    grown = [every[task.id] for task in TASKS if task.kind != "unique"]
    told = []
    with forge.connect(home) as project:
        frame = project.spark.read.parquet(Places(folder, rows).orders)
        project.commit("bench.orders", frame=frame, mode="append")
        told.append(cost_of(project, "manifests", cheap))
        told.append(cost_of(project, "whole", grown))
        project.commit("bench.orders", frame=frame.limit(rows // 100), mode="append")
        told.append(cost_of(project, "grown", grown))
    shutil.rmtree(home, ignore_errors=True)
    print("\n" + json.dumps(told))


if __name__ == "__main__":
    main()
