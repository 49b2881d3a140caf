"""The state that all routes share: one per server, opened with it, injected by the `site` dependency."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from typing import Annotated

from fastapi import Depends, Request

from forge.api.events import RunFeed
from forge.api.executor import RequestExecutor
from forge.api.record_cache import RecordCache
from forge.flows.federation.virtual_tables import record_file_tables
from forge.flows.quality.health import CurrentChecksOf
from forge.flows.quality.incidents.catch_up import catch_up_alerts
from forge.flows.quality.incidents.deliveries import DeliveryWorker
from forge.flows.quality.monitors.files import FileWatch
from forge.flows.quality.monitors.jobs import KIND, MonitorWork, WorkByKind, submit
from forge.flows.quality.monitors.scheduler import Scheduler
from forge.flows.runs.jobs import JobQueue
from forge.flows.runs.run_jobs import RunJobHandler
from forge.flows.upkeep.access import Access
from forge.model.errors import ForgeError
from forge.transforms.params import bind_params
from forge.wiring import Wiring

logger = logging.getLogger("forge.server")


@dataclass(slots=True, kw_only=True)
class Site:
    wiring: Wiring
    access: Access
    jobs: JobQueue
    started_at: datetime
    executor: RequestExecutor
    scheduler: Scheduler
    files: FileWatch  # of monitors
    deliveries: DeliveryWorker  # of alerts
    feed: RunFeed = field(default_factory=RunFeed)
    memo: RecordCache = field(default_factory=RecordCache)

    def current_checks(self) -> CurrentChecksOf:
        """The checks in force, for any number of tables."""
        return self.memo.current_checks(self.wiring.metadata, self.wiring.quality.current_checks_of)


def open_site(wiring: Wiring) -> Site:
    """Opens and migrates the database, so that requests find it ready."""
    assert wiring.metadata is not None
    wiring.session.polite = True
    access = wiring.upkeep.access
    try:
        access.sweep()
    except ForgeError as error:  # a database that is busy now is no reason not to start; the next start sweeps
        logger.warning("expired sessions stay for now: %s", error)
    judging = wiring.quality.judge_ports()
    runs = work_on(wiring)
    work = WorkByKind(runs, {KIND: MonitorWork(judging, runs)})
    queue = JobQueue(wiring.runs.jobs, work, wiring.clock, apart=frozenset({KIND}))
    files = FileWatch(wiring.root, wiring.quality.monitor_ports("quality/*.yaml"))
    scheduler = Scheduler(
        judging,
        wiring.metadata,
        lambda monitor, run: submit(monitor, run, queue, judging),
        waiting=lambda: queue.queued,
        sync=files.look,
        every=wiring.settings.quality.scheduler_seconds,
    )
    site = Site(
        wiring=wiring,
        access=access,
        jobs=queue,
        started_at=wiring.clock(),
        executor=RequestExecutor(wiring),
        scheduler=scheduler,
        files=files,
        deliveries=DeliveryWorker(wiring.quality.alerts),
    )
    site.jobs.start()
    _take_in(files)
    _catch_up(wiring)
    _look_at_virtual_tables(wiring)
    if wiring.settings.quality.scheduler:
        scheduler.start()
    site.deliveries.start()
    wiring.catalog.discovery.recorder.start()
    if wiring.settings.catalog.follow:
        wiring.catalog.follower.start(wiring.catalog.server_steps())
    if wiring.settings.catalog.scan_minutes:
        wiring.catalog.scan_schedule.start()
    # PyIceberg takes seconds to load; whoever first asks for a table should not wait for it.
    threading.Thread(target=import_module, args=("pyiceberg.table",), daemon=True).start()
    return site


def _take_in(files: FileWatch) -> None:
    """Import monitors from files, so that the first page shows them. An invalid one is logged and shown, and does
    not keep the server from starting."""
    try:
        files.look()
    except ForgeError as error:
        logger.warning("monitors of files were not read: %s", error)


def _catch_up(wiring: Wiring) -> None:
    """Advance alerts that a crashed server left behind."""
    try:
        for run_id in catch_up_alerts(wiring.quality.monitors, wiring.quality.alerts):
            logger.warning("run %s was kept and not told; its alerts are moved now", run_id)
    except ForgeError as error:
        logger.warning("alerts of runs that were cut off were not looked for: %s", error)


def _look_at_virtual_tables(wiring: Wiring) -> None:
    """Those of files, and their sources' readers, may have changed while no server looked."""
    try:
        wiring.federation.hold_readers()
        record_file_tables(wiring.federation.virtual_ports())
    except ForgeError as error:
        logger.warning("readers of sources and lineage of virtual tables were not looked at: %s", error)


def close_site(site: Site) -> None:
    site.wiring.catalog.scan_schedule.stop()
    site.scheduler.stop()
    site.deliveries.stop()
    site.executor.stop()
    site.jobs.stop()
    site.wiring.catalog.discovery.recorder.stop()
    if site.wiring.settings.catalog.follow:
        site.wiring.catalog.follower.stop()
    site.wiring.close()


def work_on(wiring: Wiring) -> RunJobHandler:
    return RunJobHandler(
        metadata=wiring.metadata,
        lake=lambda: wiring.lake,
        engine=lambda: wiring.engine,
        author=wiring.author,
        clock=wiring.clock,
        project=wiring.project,
        bind=lambda given: bind_params(wiring.runs.params(), given),
        ports=wiring.runs.ports,
    )


async def _site(request: Request) -> Site:  # async, for a plain function would cost a thread per request
    found: Site = request.app.state.site
    return found


TheSite = Annotated[Site, Depends(_site)]
