"""What all routes share: one per server, opened with it, reached through the `site` dependency."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from typing import Annotated

from fastapi import Depends, Request

from forge.api.desk import Desk
from forge.api.events import RunFeed
from forge.api.memo import Memo
from forge.flows.access import Access
from forge.flows.jobs import JobQueue
from forge.flows.run_jobs import RunWork
from forge.model.errors import ForgeError
from forge.stores.sql.jobs import SqlJobs
from forge.stores.sql.tokens import SqlTokens
from forge.transforms.params import bind_params
from forge.wiring import Wiring

logger = logging.getLogger("forge.server")


@dataclass(slots=True)
class Site:
    wiring: Wiring
    access: Access
    jobs: JobQueue
    started_at: datetime
    desk: Desk
    feed: RunFeed = field(default_factory=RunFeed)
    memo: Memo = field(default_factory=Memo)


def open_site(wiring: Wiring) -> Site:
    """The database is opened and migrated here, so that requests find it ready."""
    assert wiring.metadata is not None
    wiring.session.polite = True
    access = Access(SqlTokens(wiring.database), wiring.clock)
    try:
        access.sweep()
    except ForgeError as error:  # a database that is busy now is no reason not to start; the next start sweeps
        logger.warning("expired sessions stay for now: %s", error)
    queue = JobQueue(SqlJobs(wiring.database), work_on(wiring), wiring.clock)
    site = Site(wiring, access, queue, wiring.clock(), Desk(wiring))
    site.jobs.start()
    # PyIceberg takes seconds to load; whoever first asks for a table should not wait for it.
    threading.Thread(target=import_module, args=("pyiceberg.table",), daemon=True).start()
    return site


def close_site(site: Site) -> None:
    site.desk.stop()
    site.jobs.stop()
    site.wiring.close()


def work_on(wiring: Wiring) -> RunWork:
    return RunWork(
        wiring.metadata,
        lambda: wiring.lake,
        lambda: wiring.engine,
        wiring.author,
        wiring.clock,
        wiring.project,
        lambda given: bind_params(wiring.params(), given),
        wiring.ports,
    )


async def _site(request: Request) -> Site:  # async, for a plain function would cost a thread per request
    found: Site = request.app.state.site
    return found


TheSite = Annotated[Site, Depends(_site)]
