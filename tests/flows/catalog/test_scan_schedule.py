"""Crawls on schedule."""

from __future__ import annotations

import threading

from forge.catalog.crawl import CrawlPlan
from forge.flows.catalog.crawl import SourceCrawl
from forge.flows.catalog.scan_schedule import ScanSchedule


def test_scans_go_on_after_one_that_failed_and_end_when_stopped() -> None:
    enough = threading.Event()
    scans: list[int] = []

    def scan() -> tuple[SourceCrawl, ...]:
        scans.append(1)
        if len(scans) == 1:
            raise RuntimeError("the source is away")
        if len(scans) > 2:
            enough.set()
        return (SourceCrawl(source="lake", plan=CrawlPlan(source="lake", moved={"u": "p"}), seconds=0.1),)

    schedule = ScanSchedule(scan, 0.001)
    schedule.start()
    assert enough.wait(10)
    schedule.stop()
    after = len(scans)
    assert not threading.Event().wait(0.02)
    assert len(scans) == after
